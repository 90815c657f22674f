# pypto.program: Phases
import pypto.language as pl

@pl.program
class Phases:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def work(x__ssa_v0: pl.Tensor[[512], pl.FP32], p__ssa_v0: pl.Scalar[pl.INDEX], o__ssa_v0: pl.InOut[pl.Tensor[[512], pl.FP32]]) -> pl.Tensor[[512], pl.FP32]:
        mem_vec_2: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 256)
        t__ssa_v0: pl.Tile[[64], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 256), pl.Mem.Vec] = pl.tile.load(x__ssa_v0, [p__ssa_v0 * 64], [64], [64], target_memory=pl.Mem.Vec)
        t__tmp_v0: pl.Tile[[64], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 256), pl.Mem.Vec] = pl.tile.add(t__ssa_v0, t__ssa_v0)
        o__ssa_v1: pl.Tensor[[512], pl.FP32] = pl.tile.store(t__tmp_v0, [p__ssa_v0 * 64], o__ssa_v0)
        return o__ssa_v0
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, x__ssa_v0: pl.Tensor[[512], pl.FP32], o__ssa_v0: pl.InOut[pl.Tensor[[512], pl.FP32]]) -> pl.Tensor[[512], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            tids__ssa_v0: pl.Array[8, pl.TASK_ID] = pl.array.create(8, dtype=pl.TASK_ID)
            for b__idx_v0, (o__iter_v1, tids__iter_v1) in pl.parallel(8, init_values=(o__ssa_v0, tids__ssa_v0)):
                _submit_tmp__ssa_v0: pl.Tuple[pl.Tensor[[512], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.work, x__ssa_v0, b__idx_v0, o__iter_v1, attrs={"arg_directions": [pl.adir.input, pl.adir.scalar, pl.adir.inout]})
                o__ssa_v3: pl.Tensor[[512], pl.FP32] = _submit_tmp__ssa_v0[0]
                t__ssa_v0: pl.Scalar[pl.TASK_ID] = _submit_tmp__ssa_v0[1]
                tids__ssa_v3: pl.Array[8, pl.TASK_ID] = pl.array.update_element(tids__iter_v1, b__idx_v0, t__ssa_v0)
                o__rv_v2, tids__rv_v2 = pl.yield_(o__ssa_v3, tids__ssa_v3)
            phase_fence_barrier_0_tid: pl.Scalar[pl.TASK_ID] = pl.system.task_dummy(deps=[tids__rv_v2])
            for c__idx_v0, (o__iter_v4,) in pl.parallel(8, init_values=(o__rv_v2,)):
                _submit_tmp__ssa_v0_1: pl.Tuple[pl.Tensor[[512], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.work, x__ssa_v0, c__idx_v0, o__iter_v4, deps=[phase_fence_barrier_0_tid], attrs={"arg_directions": [pl.adir.input, pl.adir.scalar, pl.adir.inout]})
                o__ssa_v6: pl.Tensor[[512], pl.FP32] = _submit_tmp__ssa_v0_1[0]
                t2__ssa_v0: pl.Scalar[pl.TASK_ID] = _submit_tmp__ssa_v0_1[1]
                o__rv_v5: pl.Tensor[[512], pl.FP32] = pl.yield_(o__ssa_v6)
        return o__rv_v5
