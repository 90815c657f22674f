"""full_scope_list: hazard H7, after error 10 the submit goes on.

What it shows
    The runtime keeps a list of the tasks of all open scopes, to give their references back when a scope ends.  When the list
    is full it reports error 10, and submits the task all the same, without an entry in the list: its producers are
    referenced, its edges are wired, and nobody will ever give its scope's reference back.
    The real list has as many entries as all task windows together, and the windows are full before it is.  So no run reaches
    this.  `--scope-list 3` makes the list shorter than it is.

What to look for
    * fixed: the submit of the third `use` is refused.  It takes no slot.
    * faithful: error 10 too, but the third `use` has a slot and an edge from `fill`, and is bound to no scope.

Commands
    depscope replay samples/hazards/H07_full_scope_list.py --scope-list 3 --hazards fixed
    depscope replay samples/hazards/H07_full_scope_list.py --scope-list 3 --hazards fixed,H7=faithful
"""

import pypto.language as pl


@pl.program
class FullScopeList:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def use(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[64, 16], pl.FP32]],
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[64, 16], pl.FP32]]:
        x = self.fill(x)
        o1 = pl.slice(o, [16, 16], [0, 0])
        o1 = self.use(x, o1)
        o2 = pl.slice(o, [16, 16], [16, 0])
        o2 = self.use(x, o2)
        o3 = pl.slice(o, [16, 16], [32, 0])
        o3 = self.use(x, o3)  # number 3: the list has three entries
        o4 = pl.slice(o, [16, 16], [48, 0])
        o4 = self.use(x, o4)
        return x, o
