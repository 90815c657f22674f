"""spill_overrun: hazard H2, the spill pool gives back what a live task still has.

What it shows
    `gather` waits for a group of tasks.  64 edges are stored with it, the other two in the spill pool of ring 1, which has 4
    entries here.  When a third `gather` needs two more, the runtime looks at the tasks that have retired since the last
    time, number 0 to 3, and frees what they had.  It finds a retired task's edges through its slot.  The window is 4, and
    slot 1 of the retired `step` already belongs to the second `gather`, number 5, which is alive.  So the entries of that
    one are given back, and the fourth `gather` takes them.

What to look for
    * fixed: only the entries of `gather` number 0 come back.  Every task is released in the end.
    * faithful: finding `spill_overrun`.  The release of number 5 then reads the entries of number 7: two tasks of the second
      group are released twice, and two of the first are never released.

Commands
    depscope check samples/hazards/H02_spill_overrun.py --ring-task-window 0,4,0,0 --ring-dep-pool 0,4,0,0 --timing samples/hazards/H02_spill_overrun.timing.json --hazards fixed
    depscope check samples/hazards/H02_spill_overrun.py --ring-task-window 0,4,0,0 --ring-dep-pool 0,4,0,0 --timing samples/hazards/H02_spill_overrun.timing.json --hazards fixed,H2=faithful
"""

import pypto.language as pl

GROUP = 66  # producers of one gather: two more than a task has room for


@pl.program
class SpillOverrun:
    @pl.function(type=pl.FunctionType.InCore)
    def part(
        self, p: pl.Out[pl.Tensor[[1, 16], pl.FP32]]
    ) -> pl.Tensor[[1, 16], pl.FP32]:
        return p

    @pl.function(type=pl.FunctionType.InCore)
    def step(self, y: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def gather(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self,
        x: pl.Tensor[[16, 16], pl.FP32],
        parts: pl.Out[pl.Tensor[[2 * GROUP, 16], pl.FP32]],
        y: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[64, 16], pl.FP32]],
    ) -> tuple[pl.Tensor[[2 * GROUP, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[64, 16], pl.FP32]]:
        first = pl.array.create(GROUP, pl.TASK_ID)
        second = pl.array.create(GROUP, pl.TASK_ID)
        for i in pl.parallel(GROUP):
            p = pl.slice(parts, [1, 16], [i, 0])
            p, a = pl.submit(self.part, p)
            first[i] = a
        for j in pl.parallel(GROUP):
            q = pl.slice(parts, [1, 16], [GROUP + j, 0])
            q, b = pl.submit(self.part, q)
            second[j] = b
        _top = pl.tensor.read(parts, [0, 0])  # waits for all of them
        with pl.scope():
            o1 = pl.slice(o, [16, 16], [0, 0])
            o1, _a = pl.submit(self.gather, x, o1, deps=[first])  # number 0 of ring 1
        for _ in pl.range(4):
            with pl.scope():
                y = self.step(y)  # numbers 1 to 4
        with pl.scope():
            o2 = pl.slice(o, [16, 16], [16, 0])
            o2, _b = pl.submit(self.gather, x, o2, deps=[first])  # number 5: slot 1
        with pl.scope():
            o3 = pl.slice(o, [16, 16], [32, 0])
            o3, _c = pl.submit(self.gather, x, o3, deps=[second])  # number 6: two entries are missing
        with pl.scope():
            o4 = pl.slice(o, [16, 16], [48, 0])
            o4, _d = pl.submit(self.gather, x, o4, deps=[second])  # number 7
        return parts, y, o
