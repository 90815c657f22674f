# pypto.program: Windows
import pypto.language as pl

@pl.program
class Windows:
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, limit: pl.Scalar[pl.INDEX], a: pl.Tensor[[4, 32, 16], pl.FP32], idx: pl.Tensor[[8], pl.INT32], o: pl.Out[pl.Tensor[[4, 32, 16], pl.FP32]]) -> pl.Tensor[[4, 32, 16], pl.FP32]:
        k: pl.Scalar[pl.INDEX] = 0
        while k < limit:
            k: pl.Scalar[pl.INDEX] = k + 2
        for (v,) in pl.while_(init_values=(k,)):
            pl.cond(v > 1)
            v_end: pl.Scalar[pl.INDEX] = pl.yield_(v // 2)
        first: pl.Tensor[[32, 16], pl.FP32] = pl.tensor.slice(a, [1, 32, 16], [0, 0, 0], [], [0])
        block: pl.Tensor[[8, 16], pl.FP32] = pl.tensor.slice(a, [1, 8, 16], [v_end, 0, 0], [], [0])
        n: pl.Scalar[pl.INT32] = pl.tensor.read(idx, [3])
        o: pl.Tensor[[4, 32, 16], pl.FP32] = pl.tensor.assemble(o, pl.tensor.reshape(block, [1, 8, 16]), [2, 0, 0])
        pl.tensor.write(idx, [0], n)
        return o
