# pypto.program: Ping
import pypto.language as pl

@pl.program
class Ping:
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, buf: pl.Tensor[[32], pl.FP32]) -> pl.Tensor[[32], pl.FP32]:
        return buf
