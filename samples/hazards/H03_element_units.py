"""element_units: hazard H3, ranges of different element types are compared in elements.

What it shows
    `fill` writes 64 bytes as 16 numbers of FP32.  `check` reads the second half of the same bytes, as INT8: elements 32 to 63.
    The TensorMap compares the range of the read with the range of the write, each in elements of its own type: 32 to 63
    against 0 to 15.  They do not meet, so the write is not found and nothing orders the two tasks.

What to look for
    * fixed: ranges are compared in bytes: bytes 32 to 63 lie in bytes 0 to 63.  An edge from `fill` to `check`, WAIT.
    * faithful: no edge.  `depscope check` reports a missing order (RAW).

Commands
    depscope check samples/hazards/H03_element_units.py --hazards fixed
    depscope check samples/hazards/H03_element_units.py --hazards fixed,H3=faithful
"""

import pypto.language as pl


@pl.program
class ElementUnits:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.Out[pl.Tensor[[1, 16], pl.FP32]]) -> pl.Tensor[[1, 16], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def check(self, b: pl.Tensor[[1, 32], pl.INT8], s: pl.Out[pl.Tensor[[1, 1], pl.INT32]]) -> pl.Tensor[[1, 1], pl.INT32]:
        return s

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
        s: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    ) -> tuple[pl.Tensor[[1, 16], pl.FP32], pl.Tensor[[1, 1], pl.INT32]]:
        x = self.fill(x)
        bytes_of_x = pl.tensor.reinterpret_view(x, pl.INT8)
        half = pl.slice(bytes_of_x, [1, 32], [0, 32])
        s = self.check(half, s)
        return x, s
