# pypto.program: DynLoop
import pypto.language as pl

ROWS = pl.dynamic("ROWS")

@pl.program
class DynLoop:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def row(
        x__ssa_v0: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_0", pl.const(0, pl.INT64), 0)],
        i__ssa_v0: pl.Scalar[pl.INDEX],
        y__ssa_v0: pl.InOut[pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_1", pl.const(0, pl.INT64), 0)]],
    ) -> pl.Tensor[[ROWS, 128], pl.FP32]:
        mem_vec_2: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        t__ssa_v0: pl.Tile[[16, 128], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 8192), pl.Mem.Vec] = pl.tile.load(x__ssa_v0, [i__ssa_v0, 0], [16, 128], [16, 128], target_memory=pl.Mem.Vec)
        y__ssa_v1: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_1", pl.const(0, pl.INT64), 0)] = pl.tile.store(t__ssa_v0, [i__ssa_v0, 0], y__ssa_v0)
        return y__ssa_v0

    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator, auto_scope=False)
    def main(
        self,
        x__ssa_v0: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_0", pl.const(0, pl.INT64), 0)],
        y__ssa_v0: pl.InOut[pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_1", pl.const(0, pl.INT64), 0)]],
    ) -> pl.Tensor[[ROWS, 128], pl.FP32]:
        with pl.scope():
            for i__idx_v0, (y__iter_v1,) in pl.range(0, ROWS, 16, init_values=(y__ssa_v0,), attrs={"iter_arg_rebind_0": True}):
                with pl.scope():
                    if 32 < i__idx_v0:
                        with pl.scope():
                            y__ssa_v3: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_2", pl.const(0, pl.INT64), 0)] = self.row(
                                x__ssa_v0, i__idx_v0, y__iter_v1, attrs={"arg_directions": [pl.adir.input, pl.adir.scalar, pl.adir.inout]}
                            )
                            y__phi_v4: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_3", pl.const(0, pl.INT64), 0)] = pl.yield_(y__ssa_v3)
                    else:
                        with pl.scope():
                            y__phi_v4: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_3", pl.const(0, pl.INT64), 0)] = pl.yield_(y__iter_v1)
                    y__rv_v2: pl.Tensor[[ROWS, 128], pl.FP32, pl.MemRef("mem_ddr_4", pl.const(0, pl.INT64), 0)] = pl.yield_(y__phi_v4)
            return y__rv_v2
