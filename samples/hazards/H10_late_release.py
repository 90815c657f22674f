"""late_release: hazard H10, a release that was put off works on the next task of its slot.

What it shows
    `first` and `second` run on ring 0.  `keep` runs on ring 1 and retains `first`.  When `keep` has completed, its release
    stands in the buffer of a scheduler thread, which is busy with other things.  Its scope ends and nobody refers to it,
    so it is consumed although its release is still to come.  Three more tasks of ring 1 retire, and with a task window of 4
    `late`, which retains `second`, gets the slot of `keep`.  Now the thread finds the time for the release.

What to look for
    * fixed: it gives back what `keep` retained: `first`.
    * faithful: it gives back what it finds in the slot: `second`, which `late` still needs.  `first` is never given
      back, and `second` twice.

Commands
    depscope check samples/hazards/H10_late_release.py --ring-task-window 0,4,0,0 --schedule list:samples/hazards/H10_late_release.schedule --hazards fixed
    depscope check samples/hazards/H10_late_release.py --ring-task-window 0,4,0,0 --schedule list:samples/hazards/H10_late_release.schedule --hazards fixed,H10=faithful
"""

import pypto.language as pl


@pl.program
class LateRelease:
    @pl.function(type=pl.FunctionType.InCore)
    def first(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def second(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def keep(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def late(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self,
        x: pl.Tensor[[16, 16], pl.FP32],
        o: pl.Out[pl.Tensor[[16, 112], pl.FP32]],
    ) -> pl.Tensor[[16, 112], pl.FP32]:
        o1 = pl.slice(o, [16, 16], [0, 0])
        o2 = pl.slice(o, [16, 16], [0, 16])
        o1, a = pl.submit(self.first, x, o1)
        o2, b = pl.submit(self.second, x, o2)
        with pl.scope():
            o3 = pl.slice(o, [16, 16], [0, 32])
            o3, _k = pl.submit(self.keep, x, o3, deps=[a])  # number 0 of ring 1
        for i in pl.range(3):
            with pl.scope():
                o4 = pl.slice(o, [16, 16], [0, 48 + 16 * i])
                o4 = self.step(x, o4)  # numbers 1 to 3
        with pl.scope():
            o5 = pl.slice(o, [16, 16], [0, 96])
            o5, _l = pl.submit(self.late, x, o5, deps=[b])  # number 4: the slot of number 0
        return o
