"""unknown_type: hazard H9, NO_DEP is printed as an unknown type.

What it shows
    `peek` is given `x` with pl.no_dep: the runtime neither looks it up nor registers it.  Of the runs of the runtime a file
    deps.json tells the arguments of each task with their types.  The function that prints them does not know NO_DEP and
    prints UNKNOWN.

What to look for
    * fixed: the exported file says NO_DEP.
    * faithful: it says UNKNOWN, as the runtime's own file does.  DepScope reads UNKNOWN as NO_DEP.

Commands
    depscope export samples/hazards/H09_unknown_type.py --format deps-json -o fixed.json --hazards fixed
    depscope export samples/hazards/H09_unknown_type.py --format deps-json -o faithful.json --hazards fixed,H9=faithful
"""

import pypto.language as pl


@pl.program
class UnknownType:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def peek(self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
        o: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        x = self.fill(x)
        o = self.peek(pl.no_dep(x), o)
        return x, o
