# pypto.program: Mixed
import pypto.language as pl

@pl.program
class Mixed:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker, external_source="/opt/kern/ep.cpp")
    def ep(a: pl.Tensor[[32, 32], pl.FP16], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        pl.func_attr({"dual_aiv_dispatch": True})
        pass
    @pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIC, role=pl.Role.SubWorker, external_source="/opt/kern/mm.cpp")
    def mm(a: pl.Tensor[[32, 32], pl.FP16], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        pass
    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)
    def pair(a: pl.Tensor[[32, 32], pl.FP16], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        r: pl.Tensor[[32, 32], pl.FP32] = self.mm(a, o)
        self.ep(a, o)
        return r
    @pl.function(type=pl.FunctionType.Graph, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def frag(self, a: pl.Tensor[[32, 32], pl.FP16], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        o: pl.Tensor[[32, 32], pl.FP32] = self.pair(a, o)
        return o
    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def hook(x: pl.Tensor[[4], pl.FP32]) -> pl.Tensor[[4], pl.INT32]:
        ...
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, a: pl.Tensor[[32, 32], pl.FP16], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        o: pl.Tensor[[32, 32], pl.FP32] = self.frag(a, o)
        return o
