"""own_slot_alias: hazard H1, a task that waits for itself.

What it shows
    `a` is created in one scope and read in a later one, after its own scope has ended.  Its handle still carries the id of
    its owner, ring 2 number 0.  With a task window of 4 the late reader is number 4 of ring 2 and gets slot 0, which was
    the owner's.  Until the descriptor of the new task is written the slot still carries the old id: the check of the
    generation succeeds, and the owner that is found is the reader itself.

What to look for
    * fixed: no edge, and a warning that names the handle.  All tasks complete.
    * faithful: an edge from `total` to itself.  It has 1 of the 2 readiness units that it needs: error 100.
    * a larger window hides it: slot 0 has its old owner's id, but another task's place.

Commands
    depscope run samples/hazards/H01_own_slot_alias.py --ring-task-window 4 --hazards fixed
    depscope run samples/hazards/H01_own_slot_alias.py --ring-task-window 4 --hazards fixed,H1=faithful
"""

import pypto.language as pl


@pl.program
class OwnSlotAlias:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, a: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return a

    @pl.function(type=pl.FunctionType.InCore)
    def step(self, y: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def total(self, a: pl.Tensor[[16, 16], pl.FP32], s: pl.Out[pl.Tensor[[1, 1], pl.FP32]]) -> pl.Tensor[[1, 1], pl.FP32]:
        return s

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        y: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
        s: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[1, 1], pl.FP32]]:
        with pl.scope():
            a = pl.create_tensor([16, 16], dtype=pl.FP32)  # number 0 of ring 2 owns it
            a = self.fill(a)  # number 1
        for _ in pl.range(2):
            with pl.scope():
                y = self.step(y)  # numbers 2 and 3
        with pl.scope():
            s = self.total(a, s)  # number 4: slot 0 again, and a handle of the task that had it
        return y, s
