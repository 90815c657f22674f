# pypto.program: HandScopes
import pypto.language as pl

@pl.program
class HandScopes:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def bump(s: pl.InOut[pl.Tensor[[16], pl.INT32]], c: pl.InOut[pl.Tensor[[16], pl.INT32]]) -> tuple[pl.Tensor[[16], pl.INT32], pl.Tensor[[16], pl.INT32]]:
        return s, c
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator, auto_scope=False)
    def main(self, s0: pl.InOut[pl.Tensor[[16], pl.INT32]], c0: pl.InOut[pl.Tensor[[16], pl.INT32]]) -> tuple[pl.Tensor[[16], pl.INT32], pl.Tensor[[16], pl.INT32]]:
        with pl.scope():
            for step, (s, c) in pl.range(4, init_values=(s0, c0)):
                with pl.scope():
                    _tuple_tmp: pl.Tuple[pl.Tensor[[16], pl.INT32], pl.Tensor[[16], pl.INT32]] = self.bump(s, c)
                    s1: pl.Tensor[[16], pl.INT32] = _tuple_tmp[0]
                    c1: pl.Tensor[[16], pl.INT32] = _tuple_tmp[1]
                    s_end, c_end = pl.yield_(s1, c1)
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            _submit_tmp: pl.Tuple[pl.Tensor[[16], pl.INT32], pl.Tensor[[16], pl.INT32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.bump, s_end, c_end)
            s2: pl.Tensor[[16], pl.INT32] = _submit_tmp[0]
            c2: pl.Tensor[[16], pl.INT32] = _submit_tmp[1]
            t: pl.Scalar[pl.TASK_ID] = _submit_tmp[2]
        return s2, c2
