"""dep_pool_interval: hazard H11, nodes of retired tasks do not come back in time.

What it shows
    Each round loads a tile and stores it again, in a scope of its own: `store` waits for `load`, which takes one node of
    the dep pool of ring 1.  There are never more than 15 tasks alive, which need 8 nodes at most.  The pool has 8.
    The runtime looks for nodes of retired tasks only after 64 more tasks have retired.  The tenth round finds the pool full.
    18 tasks have retired at most, so that nothing is given back, however long the orchestration waits.

What to look for
    * fixed: nodes come back whenever the pool is short.  All rounds run.
    * faithful: error 4 in the tenth round.  A larger pool helps, though the program never needs more than 8 nodes at a time.

Commands
    depscope check samples/hazards/H11_dep_pool_interval.py --ring-task-window 16 --ring-dep-pool 8 --hazards fixed
    depscope check samples/hazards/H11_dep_pool_interval.py --ring-task-window 16 --ring-dep-pool 8 --hazards fixed,H11=faithful
"""

import pypto.language as pl

ROUNDS = 40


@pl.program
class DepPoolInterval:
    @pl.function(type=pl.FunctionType.InCore)
    def load(self, t: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return t

    @pl.function(type=pl.FunctionType.InCore)
    def store(self, t: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self,
        x: pl.InOut[pl.Tensor[[ROUNDS * 16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[ROUNDS * 16, 16], pl.FP32]],
    ) -> tuple[pl.Tensor[[ROUNDS * 16, 16], pl.FP32], pl.Tensor[[ROUNDS * 16, 16], pl.FP32]]:
        for i in pl.range(ROUNDS):
            with pl.scope():
                t = pl.slice(x, [16, 16], [i * 16, 0])
                r = pl.slice(o, [16, 16], [i * 16, 0])
                t = self.load(t)
                r = self.store(t, r)
        return x, o
