# pypto.program: Kinds
import pypto.language as pl

@pl.program
class Kinds:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def pipe(a: pl.Tensor[[256, 64], pl.FP32], o: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (o_it,) in pl.pipeline(4, stage=2, init_values=(o,), attrs={"pipeline_overlap_stores": False}):
            t: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [i * 64, 0], [64, 64], [64, 64], target_memory=pl.Mem.Vec)
            h: pl.Tile[[64, 64], pl.FP16, pl.Mem.Vec] = pl.tile.cast(t, target_type=pl.FP16, mode='rint')
            o_st: pl.Tensor[[256, 64], pl.FP32] = pl.tile.store(t, [i * 64, 0], o_it)
            o_end: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(o_st)
        return o_end
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, a: pl.Tensor[[256, 64], pl.FP32], o: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for u in pl.unroll(2):
            o: pl.Tensor[[256, 64], pl.FP32] = self.pipe(a, o)
        return o
