// Operators, precedence, constants and how they print (ir-text 6.1).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

/// How `text` prints as the value of an assignment in `main`.
std::string value(const std::string& text) {
  const std::string line = printed_body("v = " + text);
  const std::size_t at = line.find(" = ");
  return at == std::string::npos ? line : line.substr(at + 3);
}

TEST(Expressions, ParenthesesOnlyWhereNeeded) {
  for (const char* same : {"n - (m - n)",
                           "n + (m + n)",
                           "n - m - n",
                           "(n + m) * n",
                           "n + m * n",
                           "n * (m // n)",
                           "n // m % n",
                           "n << 1 + m",
                           "(n << 1) + m",
                           "n & m | n ^ m",
                           "(n | m) & n",
                           "-n",
                           "--n",
                           "~n",
                           "-(n + m)",
                           "-n * m",
                           "(-n) ** m",
                           "-n ** m",
                           "n ** -m" /* see below */,
                           "n ** m ** n",
                           "(n ** m) ** n",
                           "not flag",
                           "not not flag",
                           "not n == m",
                           "(not flag) == flag",
                           "flag == (not flag)",
                           "n < m and not n == m or m >= n",
                           "flag and (flag or flag)",
                           "flag xor flag",
                           "flag or flag xor flag and flag",
                           "(flag xor flag) and flag",
                           "(n < m) == flag",
                           "flag == (n < m)",
                           "pl.min(n, m + 1)",
                           "pl.max(n - 1, m)",
                           "abs(n - m)",
                           "pl.cast(k, pl.INDEX) + n",
                           "f / 2.5",
                           "(n + m) % 3 != 0"}) {
    if (std::string_view(same) == "n ** -m") {
      EXPECT_EQ(value(same), "n ** (-m)");
    } else if (std::string_view(same) == "(n < m) == flag") {
      EXPECT_EQ(value(same), "n < m == flag");  // as the compiler prints it: misleading in Python, read as it is meant (10.6)
    } else {
      EXPECT_EQ(value(same), same);
    }
  }
  EXPECT_EQ(value("((n) + (m))"), "n + m");
  EXPECT_EQ(value("(n - m) - n"), "n - m - n");
  EXPECT_EQ(value("+(-n)"), "-n");
}

TEST(Expressions, PrintedChainsFoldLeft) {
  const std::string module = print_program(read_one(orchestration("v = (n < m) == flag")));
  const Program again = read_one(module);
  EXPECT_EQ(print_program(again), module);
  EXPECT_EQ(first_difference(again, read_one(orchestration("v = (n < m) == flag"))), "");
  EXPECT_NE(first_difference(again, read_one(orchestration("v = n < (m == n)"))), "");
}

TEST(Expressions, NegativeBaseKeepsItsParentheses) {
  EXPECT_EQ(value("(-2) ** n"), "(-2) ** n");
  EXPECT_EQ(value("-2 ** n"), "-2 ** n");
  EXPECT_EQ(value("n ** -2"), "n ** -2");
  EXPECT_EQ(value("(-2.5) ** f"), "(-2.5) ** f");
  EXPECT_NE(first_difference(read_one(orchestration("v = (-2) ** n")), read_one(orchestration("v = -2 ** n"))), "");
}

TEST(Expressions, ArithmeticOnLiteralsFolds) {
  EXPECT_EQ(value("2 + 3 * 4"), "14");
  EXPECT_EQ(value("7 // -2"), "-4");
  EXPECT_EQ(value("-7 % 3"), "2");
  EXPECT_EQ(value("2 ** 10"), "1024");
  EXPECT_EQ(value("(-1) ** 1000000000001"), "-1");
  EXPECT_EQ(value("1 << 62"), "4611686018427387904");
  EXPECT_EQ(value("-9 >> 70"), "-1");
  EXPECT_EQ(value("6 & 3 | 8 ^ 1"), "11");
  EXPECT_EQ(value("3 < 4"), "True");
  EXPECT_EQ(value("1 / 4"), "0.25");
  EXPECT_EQ(value("pl.min(3, 2)"), "2");
  EXPECT_EQ(value("-5"), "-5");
  EXPECT_EQ(value("- -5"), "5");
  EXPECT_EQ(value("n + (2 + 3)"), "n + 5");
}

TEST(Expressions, WhatDoesNotFitStaysATree) {
  EXPECT_EQ(value("9223372036854775807 + 1"), "pl.const(9223372036854775807, pl.INDEX) + pl.const(1, pl.INDEX)");
  EXPECT_EQ(value("2 ** 64"), "pl.const(2, pl.INDEX) ** pl.const(64, pl.INDEX)");
  EXPECT_EQ(value("1e308 * 10.0"), "1e+308 * 10.0");
}

TEST(Expressions, SixtyFourBitLimits) {
  EXPECT_EQ(value("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(value("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(value("-0x8000_0000_0000_0000"), "-9223372036854775808");
  EXPECT_EQ(value("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(value("0xFFFF_FFFF"), "4294967295");
  EXPECT_EQ(value("0o17 + 0b101"), "20");
  EXPECT_EQ(value("pl.const(18446744073709551615, pl.UINT64)"), "pl.const(18446744073709551615, pl.UINT64)");
  EXPECT_EQ(printed_body("v: pl.Scalar[pl.UINT64] = 18446744073709551615"),
            "v: pl.Scalar[pl.UINT64] = pl.const(18446744073709551615, pl.UINT64)");
  // Above the signed range nothing is computed as if it were negative.
  EXPECT_EQ(value("18446744073709551615 > 0"), "True");
  EXPECT_EQ(value("18446744073709551615 + 1"), "pl.const(18446744073709551615, pl.INDEX) + pl.const(1, pl.INDEX)");
  EXPECT_EQ(value("18446744073709551615 * 1.0"), "1.8446744073709552e+19");
}

TEST(Expressions, TypedConstants) {
  EXPECT_EQ(value("pl.const(5, pl.INT64)"), "pl.const(5, pl.INT64)");
  EXPECT_EQ(value("pl.const(1, pl.FP16)"), "pl.const(1.0, pl.FP16)");
  EXPECT_EQ(value("k + pl.const(2147483647, pl.INT32)"), "k + pl.const(2147483647, pl.INT32)");
  EXPECT_EQ(value("pl.const(32, pl.INDEX) + pl.const(32, pl.INDEX)"), "pl.const(32, pl.INDEX) + pl.const(32, pl.INDEX)");
  EXPECT_EQ(value("256 * pl.FP32.get_byte()"), "pl.const(256, pl.INDEX) * pl.const(4, pl.INDEX)");
  EXPECT_EQ(value("256 * pl.INT4.get_byte()"), "pl.const(256, pl.INDEX) * pl.const(1, pl.INDEX)");
  EXPECT_EQ(value("~pl.const(5, pl.INDEX)"), "~pl.const(5, pl.INDEX)");
  EXPECT_EQ(value("pl.const(5, pl.INDEX) + n"), "pl.const(5, pl.INDEX) + n");
  // Element types that this reader does not know keep their name.
  EXPECT_EQ(value("pl.const(5, pl.FP99)"), "pl.const(5, pl.FP99)");
  EXPECT_EQ(value("pl.cast(n, pl.FP99)"), "pl.cast(n, pl.FP99)");
  EXPECT_EQ(printed_body("v = pld.window(x, [4], dtype=pl.FP99)"), "v = pld.tensor.window(x, [4], dtype=pl.FP99)");
  EXPECT_EQ(printed_body("v = pl.create_tensor([4], pl.FP99)"),
            "v = pl.tensor.create([4], dtype=pl.FP99, layout=pl.TensorLayout.ND)");
}

TEST(Expressions, Floats) {
  EXPECT_EQ(value("2.0"), "2.0");
  EXPECT_EQ(value("0.1"), "0.10000000000000001");
  EXPECT_EQ(value("1e-7"), "9.9999999999999995e-08");
  EXPECT_EQ(value("1e16"), "10000000000000000.0");
  EXPECT_EQ(value("1e17"), "1e+17");
  EXPECT_EQ(value("1_0.5_0"), "10.5");
  EXPECT_EQ(value("-0.0"), "-0.0");
  EXPECT_EQ(value("5e-324"), "4.9406564584124654e-324");
  EXPECT_EQ(value("1e-400"), "0.0");
  EXPECT_EQ(value("0." + std::string(400, '0') + "1"), "0.0");
  EXPECT_EQ(value("1.7976931348623157e308"), "1.7976931348623157e+308");
  EXPECT_EQ(printed_body("v: pl.Scalar[pl.BF16] = 1"), "v: pl.Scalar[pl.BF16] = pl.const(1.0, pl.BF16)");
}

TEST(Expressions, InfinityAndNanComeBack) {
  for (const char* body : {"v = math.inf", "v = -math.inf", "v = nan", "v = inf", "v = -inf", "v = 1e999",
                           "v: pl.Scalar[pl.FP16] = math.inf", "v: pl.Scalar[pl.FP16] = -math.inf", "v = f + nan"}) {
    const ReadResult result = read(orchestration(body));
    ASSERT_TRUE(result.ok) << body;
    EXPECT_EQ(round_trip_fault(result), "") << body;
  }
  EXPECT_EQ(value("-math.inf"), "-inf");
  EXPECT_EQ(printed_body("v: pl.Scalar[pl.FP16] = math.inf"), "v: pl.Scalar[pl.FP16] = pl.const(inf, pl.FP16)");
}

TEST(Expressions, Strings) {
  EXPECT_EQ(value("pl.foo(n, mode='a\"b')"), "pl.foo(n, mode='a\"b')");
  EXPECT_EQ(value("pl.foo(n, mode=\"it's\")"), "pl.foo(n, mode=\"it's\")");
  EXPECT_EQ(value("pl.foo(n, mode=r'a\\b')"), "pl.foo(n, mode=\"a\\\\b\")");
  EXPECT_EQ(value("pl.foo(n, \"a\" 'b')"), "pl.foo(n, \"ab\")");
  EXPECT_EQ(value("pl.foo(n, \"a\"  # it's\n  'b')"), "pl.foo(n, \"ab\")");
  EXPECT_EQ(value("pl.foo(n, \"\\x41\\102\\u00e9\\t\\\\\")"), "pl.foo(n, \"ABé\\x09\\\\\")");
  EXPECT_EQ(value("pl.foo(n, \"a\\nb\")"), "pl.foo(n, \"a\\nb\")");
  EXPECT_EQ(value("pl.foo(n, \"\\x00\\q\")"), "pl.foo(n, \"\\x00\\\\q\")");
}

TEST(Expressions, Types) {
  const auto type = [](const std::string& text) {
    std::string line = printed_body("v: " + text + " = pl.foo()");
    line = line.substr(line.rfind('\n') + 1);  // comments stand above
    return line.substr(3, line.find(" = ") - 3);
  };
  for (const char* same :
       {"pl.Scalar[pl.INT32]", "pl.Tensor[[64, 32], pl.FP32]", "pl.Tensor[[], pl.FP32]",
        "pl.Tensor[[ROWS + pl.const(1, pl.INDEX), 64], pl.FP32]",
        "pl.Tensor[[n, 64], pl.FP16, pl.TensorView(), pl.MemRef(\"mem_ddr_0\", pl.const(0, pl.INT64), 0)]",
        "pl.Tensor[[64], pl.FP32, pl.TensorView(valid_shape=[10], stride=[], layout=pl.TensorLayout.ND, pad=pl.PadValue.zero)]",
        "pl.Tile[[64], pl.FP32, pl.MemRef(\"m\", n * 256, 18446744073709551615, slots=2)[n % 2], pl.Mem.Vec, "
        "pl.TileView(pad=pl.PadValue.max)]",
        "pld.DistributedTensor[[64], pl.FP32, \"window_buffer=buf\"]", "pl.Array[4, pl.TASK_ID]",
        "pl.Tuple[pl.Ptr, pl.Scalar[pl.BOOL]]", "pl.Tuple[()]", "pl.Ptr", "pld.CommCtxType", "pl.UnknownType",
        "pl.Scalar[pl.FP99]", "pl.Tensor[[4], pl.FP99]", "pl.Shiny[[4], x, \"a b\"]"}) {
    EXPECT_EQ(type(same), same);
  }
  EXPECT_EQ(type("pl.TaskId"), "pl.Scalar[pl.TASK_ID]");
  EXPECT_EQ(type("pl.INT64"), "pl.Scalar[pl.INT64]");
  EXPECT_EQ(type("pl.Tensor((64, 32), pl.FP16)"), "pl.Tensor[[64, 32], pl.FP16]");
  EXPECT_EQ(type("pl.Tensor[[4], pl.FP16, pl.NZ]"),
            "pl.Tensor[[4], pl.FP16, pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)]");
  EXPECT_EQ(type("pl.Tile[[4], pl.FP16, pl.TileView(pad=pl.PadValue.max), pl.MemorySpace.Vec]"),
            "pl.Tile[[4], pl.FP16, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.max)]");
  // The layout of an unknown type is no part of it.
  EXPECT_EQ(type("pl.Shiny[\n  [4],  # four\n  'a  b',\n]"), "pl.Shiny[[4], 'a  b']");
}

}  // namespace
}  // namespace depscope::ir::testing
