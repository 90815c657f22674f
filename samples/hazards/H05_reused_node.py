"""reused_node: hazard H5, the next node of a fanout list is read too late.

What it shows
    `fast` has two consumers, `use` number 0 on ring 1 and `last`.  When `fast` completes, a scheduler thread walks its list:
    it serves `use`, and then reads from the node of `use` where the list goes on.  In between `use` runs, completes and
    retires on another thread, its node comes back (the dep pool of ring 1 has 4 nodes), and the fifth `use` takes it for the
    list of `slow`.  So the walk goes on in the list of `slow`, which has not run at all.

What to look for
    * fixed: the next node is read before the consumer is served.  `last` follows.
    * faithful: the three `use` that wait for `slow` get a count from `fast`, and are ready before `slow` completes.  `last`
      gets none and never runs: error 100.  Only steps of fine granularity can show it.

Commands (the schedule is for a2a3; for --platform a5 there is H05_reused_node.a5.schedule)
    depscope check samples/hazards/H05_reused_node.py --ring-dep-pool 0,4,0,0 --granularity fine --schedule list:samples/hazards/H05_reused_node.schedule --hazards fixed
    depscope check samples/hazards/H05_reused_node.py --ring-dep-pool 0,4,0,0 --granularity fine --schedule list:samples/hazards/H05_reused_node.schedule --hazards fixed,H5=faithful
"""

import pypto.language as pl


@pl.program
class ReusedNode:
    @pl.function(type=pl.FunctionType.InCore)
    def fast(self, p: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return p

    @pl.function(type=pl.FunctionType.InCore)
    def slow(self, q: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return q

    @pl.function(type=pl.FunctionType.InCore)
    def last(self, p: pl.Tensor[[16, 16], pl.FP32], r: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return r

    @pl.function(type=pl.FunctionType.InCore)
    def use(self, p: pl.Tensor[[16, 16], pl.FP32], r: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return r

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self,
        p: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
        q: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[16, 96], pl.FP32]],
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 96], pl.FP32]]:
        p = self.fast(p)
        q = self.slow(q)
        r = pl.slice(o, [16, 16], [0, 0])
        r = self.last(p, r)
        with pl.scope():
            r1 = pl.slice(o, [16, 16], [0, 16])
            r1 = self.use(p, r1)  # number 0 of ring 1: its node is the first of the pool
        for i in pl.range(4):
            with pl.scope():
                r2 = pl.slice(o, [16, 16], [0, 32 + 16 * i])
                r2 = self.use(q, r2)  # numbers 1 to 4: the last of them needs a node that has come back
        return p, q, o
