"""retained_diamond: the smallest program in which an edge gives up its WAIT and keeps its RETAIN.

What it shows
    Each round submits a diamond without its fourth corner: A makes a buffer, B reads it, C reads both A's and B's result.
    A and B get their output from the runtime (the launch omits it), so each owns its buffer: the slot of A and the bytes of
    its buffer go back together.

What to look for
    * C depends on A twice over: directly (it reads A's buffer) and through B.  The reduction takes the direct WAIT away; the
      order stays, by way of B.  RETAIN stays: B does not keep A's buffer alive while C reads it.
    * the round's scope ends as soon as C is submitted.  A has completed or not: only C's RETAIN holds its slot and bytes.
    * C completes and releases A; the watermark passes A's slot, and a later round submits its own task into it
      (run with --ring-task-window 8: nine tasks of three rounds do not fit).
    * --edges coupled: every edge has both flags.  The `join` of one round is then kept until the next one has completed, which
      nobody needs: its buffer is no buffer of the runtime's.

Tasks: 3 * ROUNDS.
Scale: 4 rounds -> 12 tasks; 33,000 rounds -> 99,000 tasks.
"""

import pypto.language as pl

ROUNDS = 4
ROWS = 32
COLS = 64


@pl.program
class RetainedDiamond:
    @pl.function(type=pl.FunctionType.InCore)
    def make(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        a: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        t = pl.load(x, [0, 0], [ROWS, COLS])
        a = pl.store(pl.mul(t, t), [0, 0], a)
        return a

    @pl.function(type=pl.FunctionType.InCore)
    def halve(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        t = pl.load(a, [0, 0], [ROWS, COLS])
        b = pl.store(pl.mul(t, 0.5), [0, 0], b)
        return b

    @pl.function(type=pl.FunctionType.InCore)
    def join(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        at = pl.load(a, [0, 0], [ROWS, COLS])
        bt = pl.load(b, [0, 0], [ROWS, COLS])
        ot = pl.load(out, [0, 0], [ROWS, COLS])
        out = pl.store(pl.add(ot, pl.add(at, bt)), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        for r in pl.range(ROUNDS):
            with pl.scope():
                a, a_task = pl.submit(self.make, x)
                b, b_task = pl.submit(self.halve, a)
                out, c_task = pl.submit(self.join, a, b, out)
        return out
