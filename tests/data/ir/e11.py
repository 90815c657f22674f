# pypto.program: TwoRanks
import pypto.language as pl

@pl.program
class TwoRanks:
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator, auto_scope=False)
    def chip(self, x__ssa_v0: pl.Tensor[[1, 256], pl.FP32], d__ssa_v0: pl.InOut[pld.DistributedTensor[[1, 256], pl.FP32]], peer__ssa_v0: pl.Scalar[pl.INT32], d_ctx: pld.CommCtxType) -> pl.Tensor[[1, 256], pl.FP32]:
        with pl.scope():
            return x__ssa_v0
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, xs__ssa_v0: pl.Tensor[[2, 1, 256], pl.FP32]):
        # pld.comm_domain: devices=all, slots=[buf__ssa_v0]
        buf__ssa_v0: pl.Ptr = pld.tensor.alloc_window_buffer(1024)
        t__tmp_v0: pl.Scalar[pl.INT64] = pld.system.world_size()
        for r__idx_v0 in pl.range(t__tmp_v0):
            d__ssa_v0: pld.DistributedTensor[[1, 256], pl.FP32] = pld.tensor.window(buf__ssa_v0, [1, 256], dtype=pl.FP32)
            t__tmp_v1: pl.Tensor[[1, 256], pl.FP32] = pl.tensor.slice(xs__ssa_v0, [1, 1, 256], [r__idx_v0, 0, 0], [], [0])
            t__tmp_v2: pl.Scalar[pl.INT64] = pld.system.world_size()
            d_ctx: pld.CommCtxType = pld.system.get_comm_ctx(d__ssa_v0)
            self.chip(t__tmp_v1, d__ssa_v0, (r__idx_v0 + 1) % t__tmp_v2, d_ctx, device=r__idx_v0, attrs={"arg_directions": [pl.adir.input, pl.adir.inout, pl.adir.scalar, pl.adir.scalar]})
