# pypto.program: TwoStage
import pypto.language as pl

@pl.program
class TwoStage:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def drain(t: pl.Tensor[[256], pl.FP32], o: pl.Out[pl.Tensor[[256], pl.FP32]]) -> pl.Tensor[[256], pl.FP32]:
        return o
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def fill(a: pl.Tensor[[256], pl.FP32], t: pl.Out[pl.Tensor[[256], pl.FP32]]) -> pl.Tensor[[256], pl.FP32]:
        return t
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, a: pl.Tensor[[256], pl.FP32], o: pl.Out[pl.Tensor[[256], pl.FP32]]) -> pl.Tensor[[256], pl.FP32]:
        tmp: pl.Tensor[[256], pl.FP32] = pl.tensor.create([256], dtype=pl.FP32, layout=pl.TensorLayout.ND, manual_dep=True)
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            _submit_tmp: pl.Tuple[pl.Tensor[[256], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.fill, a, tmp, dumps=[a], allow_early_resolve=True)
            tmp: pl.Tensor[[256], pl.FP32] = _submit_tmp[0]
            tid_fill: pl.Scalar[pl.TASK_ID] = _submit_tmp[1]
            _submit_tmp_1: pl.Tuple[pl.Tensor[[256], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.drain, tmp, o, deps=[tid_fill], dumps=[o], attrs={"arg_direction_overrides": [0]})
            o: pl.Tensor[[256], pl.FP32] = _submit_tmp_1[0]
            _: pl.Scalar[pl.TASK_ID] = _submit_tmp_1[1]
        return o
