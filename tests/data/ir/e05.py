import pypto.language as pl

@pl.program
class FanIn:
    @pl.function(type=pl.FunctionType.InCore)
    def part(self, src: pl.Tensor[[1024], pl.FP32], at: pl.Scalar[pl.INDEX], acc: pl.InOut[pl.Tensor[[1024], pl.FP32]]) -> pl.Tensor[[1024], pl.FP32]:
        return acc
    @pl.function(type=pl.FunctionType.InCore)
    def merge(self, acc: pl.Tensor[[1024], pl.FP32], out: pl.Out[pl.Tensor[[1], pl.FP32]]) -> pl.Tensor[[1], pl.FP32]:
        return out
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, src: pl.Tensor[[1024], pl.FP32], acc: pl.InOut[pl.Tensor[[1024], pl.FP32]], out: pl.Out[pl.Tensor[[1], pl.FP32]]) -> pl.Tensor[[1], pl.FP32]:
        with pl.manual_scope():
            tids = pl.array.create(4, pl.TASK_ID)
            last = None
            for b in pl.parallel(4):
                acc, t = pl.submit(self.part, src, b * 256, acc)
                tids[b] = t
            gate = pl.system.task_dummy(deps=[tids, last])
            out, t2 = pl.submit(self.merge, acc, out, deps=[gate])
            out, t3 = pl.submit(self.merge, acc, out, deps=[tids[1], t2])
        return out
