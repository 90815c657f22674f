"""host_write: hazard H4, the orchestration overwrites what a task still reads.

What it shows
    `fill` writes `flags`, `use` reads them, and then the orchestration itself writes an element.  It waits until `fill` has
    completed and all references on `fill` are given back.  Before WAIT and RETAIN were told apart that was enough: `use`
    held a reference until it was done.  Now its edge is a wait-only one, and its reference went back when it was wired.

What to look for
    * fixed: the write waits for `use` too.
    * faithful: the write goes on as soon as `fill` has completed.  `use` has not even started.

Commands
    depscope replay samples/hazards/H04_host_write.py --hazards fixed --move "next kind=unblock" --limit 5
    depscope replay samples/hazards/H04_host_write.py --hazards fixed,H4=faithful --move "next kind=unblock" --limit 5
"""

import pypto.language as pl


@pl.program
class HostWrite:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, flags: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return flags

    @pl.function(type=pl.FunctionType.InCore)
    def use(self, flags: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        flags: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        flags = self.fill(flags)
        o = self.use(flags, o)
        pl.tensor.write(flags, [0, 0], 0.0)  # the orchestration waits here, and then writes
        return flags, o
