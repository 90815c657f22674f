# pypto.program: Inferred
import pypto.language as pl

@pl.program
class Inferred:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def take(t__ssa_v0: pl.Tensor[[64], pl.FP32], o__ssa_v0: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o__ssa_v0
    @pl.function(type=pl.FunctionType.Spmd)
    def main_spmd_0(self, t__ssa_v1: pl.Tensor[[64], pl.FP32], o__ssa_v1: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        o__ssa_v2: pl.Tensor[[64], pl.FP32] = self.take(t__ssa_v1, o__ssa_v1, attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})
        return o__ssa_v1
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def make(x__ssa_v0: pl.Tensor[[64], pl.FP32], t__ssa_v0: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return t__ssa_v0
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, x__ssa_v0: pl.Tensor[[64], pl.FP32], o__ssa_v0: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        pl.func_attr({"__compiler_auto_manual_layer_candidate": True})
        t__ssa_v0: pl.Tensor[[64], pl.FP32] = pl.tensor.create([64], dtype=pl.FP32, layout=pl.TensorLayout.ND)
        _submit_tmp__ssa_v0: pl.Tuple[pl.Tensor[[64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.make, x__ssa_v0, t__ssa_v0, attrs={"arg_directions": [pl.adir.input, pl.adir.output_existing]})
        t__ssa_v1: pl.Tensor[[64], pl.FP32] = _submit_tmp__ssa_v0[0]
        a__ssa_v0: pl.Scalar[pl.TASK_ID] = _submit_tmp__ssa_v0[1]
        _submit_tmp__ssa_v0_1: pl.Tuple[pl.Tensor[[64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.take, t__ssa_v1, o__ssa_v0, attrs={"arg_directions": [pl.adir.no_dep, pl.adir.inout], "compiler_manual_dep_edges": [a__ssa_v0], "__compiler_auto_manual_scope_candidate": True})
        o__ssa_v1: pl.Tensor[[64], pl.FP32] = _submit_tmp__ssa_v0_1[0]
        b__ssa_v0: pl.Scalar[pl.TASK_ID] = _submit_tmp__ssa_v0_1[1]
        ret__tmp_v0: pl.Tuple[pl.Tensor[[64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.spmd_submit(self.main_spmd_0, t__ssa_v1, o__ssa_v1, core_num=4, attrs={"arg_directions": [pl.adir.no_dep, pl.adir.output_existing], "compiler_manual_dep_edges": [a__ssa_v0, b__ssa_v0], "__compiler_auto_manual_scope_candidate": True})
        o__ssa_v2: pl.Tensor[[64], pl.FP32] = ret__tmp_v0[0]
        g__ssa_v0: pl.Scalar[pl.TASK_ID] = ret__tmp_v0[1]
        return o__ssa_v2
