# pypto.program: Placed
import pypto.language as pl

@pl.program
class Placed:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def relu2(
        src__ssa_v0: pl.Tensor[[100, 64], pl.FP32, pl.TensorView(stride=[64, 1], layout=pl.TensorLayout.ND), pl.MemRef("mem_ddr_0", 0, 25600)],
        dst__ssa_v0: pl.Out[pl.Tensor[[100, 64], pl.FP32, pl.MemRef("mem_ddr_1", 0, 25600)]],
    ) -> pl.Tensor[[100, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN, "dual_aiv_dispatch": True})
        mem_vec_2: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        t__tile: pl.Tile[[32, 64], pl.FP32, pl.MemRef(mem_vec_2, 0, 8192), pl.Mem.Vec, pl.TileView(valid_shape=[20, 64], pad=pl.PadValue.zero)] = pl.tile.load(src__ssa_v0, [80, 0], [32, 64], [20, 64], target_memory=pl.Mem.Vec)
        u__tile: pl.Tile[[32, 64], pl.FP32, pl.MemRef(mem_vec_2, 0, 8192), pl.Mem.Vec, pl.TileView(valid_shape=[20, 64], pad=pl.PadValue.zero)] = pl.tile.relu(t__tile)
        dst__store: pl.Tensor[[100, 64], pl.FP32, pl.MemRef("mem_ddr_1", 0, 25600)] = pl.tile.store(u__tile, [80, 0], dst__ssa_v0)
        return dst__ssa_v0
