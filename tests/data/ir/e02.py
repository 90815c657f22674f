# pypto.program: ScalarZoo
import pypto.language as pl

@pl.program
class ScalarZoo:
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, n: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INT32], f: pl.Scalar[pl.FP32]) -> pl.Scalar[pl.INDEX]:
        a: pl.Scalar[pl.INDEX] = n + 3
        b: pl.Scalar[pl.INDEX] = (a - n) * 2
        c: pl.Scalar[pl.INDEX] = a - (b - n)
        d: pl.Scalar[pl.INDEX] = c // 4 % 7
        e: pl.Scalar[pl.INDEX] = d << 1
        g: pl.Scalar[pl.INDEX] = -e
        ok: pl.Scalar[pl.BOOL] = a < b and not c == d or e >= 9
        m: pl.Scalar[pl.INDEX] = pl.min(a, b)
        h: pl.Scalar[pl.INT64] = pl.const(5, pl.INT64)
        w: pl.Scalar[pl.INDEX] = pl.cast(k, pl.INDEX)
        z: pl.Scalar[pl.FP32] = f / 2.5
        big: pl.Scalar[pl.INT32] = k + pl.const(2147483647, pl.INT32)
        if ok:
            r: pl.Scalar[pl.INDEX] = pl.yield_(m)
        else:
            r: pl.Scalar[pl.INDEX] = pl.yield_(w)
        return r
