# pypto.program: FanIn
import pypto.language as pl

@pl.program
class FanIn:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def merge(acc: pl.Tensor[[1024], pl.FP32], out: pl.Out[pl.Tensor[[1], pl.FP32]]) -> pl.Tensor[[1], pl.FP32]:
        return out
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def part(src: pl.Tensor[[1024], pl.FP32], at: pl.Scalar[pl.INDEX], acc: pl.InOut[pl.Tensor[[1024], pl.FP32]]) -> pl.Tensor[[1024], pl.FP32]:
        return acc
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, src: pl.Tensor[[1024], pl.FP32], acc: pl.InOut[pl.Tensor[[1024], pl.FP32]], out: pl.Out[pl.Tensor[[1], pl.FP32]]) -> pl.Tensor[[1], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            tids: pl.Array[4, pl.TASK_ID] = pl.array.create(4, dtype=pl.TASK_ID)
            last: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
            for b in pl.parallel(4):
                _submit_tmp: pl.Tuple[pl.Tensor[[1024], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.part, src, b * 256, acc)
                acc: pl.Tensor[[1024], pl.FP32] = _submit_tmp[0]
                t: pl.Scalar[pl.TASK_ID] = _submit_tmp[1]
                tids: pl.Array[4, pl.TASK_ID] = pl.array.update_element(tids, b, t)
            gate: pl.Scalar[pl.TASK_ID] = pl.system.task_dummy(deps=[tids, last])
            _submit_tmp_1: pl.Tuple[pl.Tensor[[1], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.merge, acc, out, deps=[gate])
            out: pl.Tensor[[1], pl.FP32] = _submit_tmp_1[0]
            t2: pl.Scalar[pl.TASK_ID] = _submit_tmp_1[1]
            _submit_deps_buf: pl.Array[2, pl.TASK_ID] = pl.array.create(2, dtype=pl.TASK_ID)
            _submit_deps_buf_1: pl.Array[2, pl.TASK_ID] = pl.array.update_element(_submit_deps_buf, 0, pl.array.get_element(tids, 1))
            _submit_deps_buf_2: pl.Array[2, pl.TASK_ID] = pl.array.update_element(_submit_deps_buf_1, 1, t2)
            _submit_tmp_2: pl.Tuple[pl.Tensor[[1], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.merge, acc, out, deps=[_submit_deps_buf_2])
            out: pl.Tensor[[1], pl.FP32] = _submit_tmp_2[0]
            t3: pl.Scalar[pl.TASK_ID] = _submit_tmp_2[1]
        return out
