// One test per rule of passes.md, section 3.
#include <gtest/gtest.h>

#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

std::string simplified(std::string_view body) { return after({"ConvertToSSA", "Simplify"}, body); }

TEST(Simplify, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(simplified(R"(
    o = self.row(a, (n * 1 + 0) * 16, o)
    o = self.row(a, 2 * 3 + 4, o)
    o = self.row(a, pl.min(64, n), o)
    o = self.row(a, 7 // 2 + 7 % 4, o)
    o = self.row(a, n + 1 + 2, o)
    return o
  )"),
            text(R"(
    o__ssa_v1 = self.row(a__ssa_v0, n__ssa_v0 * 16, o__ssa_v0)
    o__ssa_v2 = self.row(a__ssa_v0, 10, o__ssa_v1)
    o__ssa_v3 = self.row(a__ssa_v0, pl.min(n__ssa_v0, 64), o__ssa_v2)
    o__ssa_v4 = self.row(a__ssa_v0, 6, o__ssa_v3)
    o__ssa_v5 = self.row(a__ssa_v0, n__ssa_v0 + 3, o__ssa_v4)
    return o__ssa_v5
  )"));
}

TEST(Simplify, TurnsComparisonsRound) {
  EXPECT_EQ(simplified(R"(
    if n > 32:
        self.mod(o)
    if n >= 3:
        self.mod(o)
    return o
  )"),
            text(R"(
    if 32 < n__ssa_v0:
        self.mod(o__ssa_v0)
    if 3 <= n__ssa_v0:
        self.mod(o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, LoopVariableRangeDecidesBranches) {
  EXPECT_EQ(simplified(R"(
    for i in pl.parallel(0, 4):
        if i < 10:
            self.mod(o)
        else:
            self.put(a, o)
        if i > 2:
            self.mod(o)
    return o
  )"),
            text(R"(
    for i__idx_v0 in pl.parallel(4):
        self.mod(o__ssa_v0)
        if 2 < i__idx_v0:
            self.mod(o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, ConditionHoldsInsideItsBranch) {
  EXPECT_EQ(simplified(R"(
    if n > 5:
        if n > 3:
            self.mod(o)
    else:
        if n > 5:
            self.mod(o)
    return o
  )"),
            text(R"(
    if 5 < n__ssa_v0:
        self.mod(o__ssa_v0)
    else:
        pass
    return o__ssa_v0
  )"));
}

TEST(Simplify, IndexParametersAreNotNegative) {
  EXPECT_EQ(simplified(R"(
    if n <= 2:
        if n % 11 > 7:
            self.mod(o)
        else:
            self.put(a, o)
    return o
  )"),
            text(R"(
    if n__ssa_v0 <= 2:
        self.put(a__ssa_v0, o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, TopLevelLiteralIsSubstitutedAndGoes) {
  EXPECT_EQ(simplified(R"(
    k = 3
    j = k * 2
    for i in pl.range(j):
        o = self.row(a, k, o)
    return o
  )"),
            text(R"(
    for i__idx_v0, (o__iter_v1,) in pl.range(6, init_values=(o__ssa_v0,)):
        o__ssa_v3 = self.row(a__ssa_v0, 3, o__iter_v1)
        o__rv_v2 = pl.yield_(o__ssa_v3)
    return o__rv_v2
  )"));
}

TEST(Simplify, LiteralInABranchOnlyGivesARange) {
  EXPECT_EQ(simplified(R"(
    if n == 2:
        k = 3
        if k > 1:
            self.row(a, k, o)
        else:
            self.mod(o)
    return o
  )"),
            text(R"(
    if n__ssa_v0 == 2:
        k__ssa_v0 = 3
        self.row(a__ssa_v0, k__ssa_v0, o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, DecidedBranchReplacesItsResults) {
  EXPECT_EQ(simplified(R"(
    if 1 < 2:
        o = self.mod(o)
    else:
        o = self.put(a, o)
    o = self.put(b, o)
    return o
  )"),
            text(R"(
    o__ssa_v1 = self.mod(o__ssa_v0)
    o__ssa_v4 = self.put(b__ssa_v0, o__ssa_v1)
    return o__ssa_v4
  )"));
}

TEST(Simplify, LoopWithoutTripAssignsTheInit) {
  EXPECT_EQ(simplified(R"(
    for i in pl.range(n, n):
        o = self.mod(o)
    return o
  )"),
            text(R"(
    o__rv_v2 = o__ssa_v0
    return o__rv_v2
  )"));
}

TEST(Simplify, LoopOfOneTripIsReplacedByItsBody) {
  EXPECT_EQ(simplified(R"(
    for i in pl.range(n, n + 1):
        o = self.row(a, i, o)
    o = self.mod(o)
    return o
  )"),
            text(R"(
    o__ssa_v3 = self.row(a__ssa_v0, n__ssa_v0, o__ssa_v0)
    o__ssa_v4 = self.mod(o__ssa_v3)
    return o__ssa_v4
  )"));
}

TEST(Simplify, StartOfAOneTripLoopIsCopiedToTheUses) {
  EXPECT_EQ(simplified(R"(
    for i in pl.range(n * 2, n * 2 + 1):
        o = self.row(a, i * 4, o)
    return o
  )"),
            text(R"(
    o__ssa_v3 = self.row(a__ssa_v0, n__ssa_v0 * 8, o__ssa_v0)
    return o__ssa_v3
  )"));
}

TEST(Simplify, LoopWithABreakStays) {
  const std::string out = simplified(R"(
    for i in pl.range(1):
        if n > 3:
            break
        self.mod(o)
    return o
  )");
  EXPECT_NE(out.find("for i__idx_v0 in pl.range(1):"), std::string::npos) << out;
}

TEST(Simplify, ReassignedScalarsSayNothing) {
  EXPECT_EQ(after({"Simplify"}, R"(
    k = 2
    if n > 5:
        k = 7
    if k > 3:
        self.mod(o)
    if n > 5:
        n = 1
        if n > 3:
            self.mod(o)
    return o
  )"),
            text(R"(
    k = 2
    if 5 < n:
        k = 7
    if 3 < k:
        self.mod(o)
    if 5 < n:
        n = 1
        if 3 < n:
            self.mod(o)
    return o
  )"));
}

TEST(Simplify, OneTripWithTheYieldInARuntimeScope) {
  EXPECT_EQ(simplified(R"(
    with pl.scope():
        for i in pl.range(1):
            with pl.scope():
                o = self.mod(o)
    return o
  )"),
            text(R"(
    with pl.scope():
        with pl.scope():
            o__ssa_v3 = self.mod(o__ssa_v0)
    return o__ssa_v3
  )"));
}

TEST(Simplify, ParallelLoopsAndLoopsWithAttributesStay) {
  EXPECT_EQ(simplified(R"(
    for i in pl.parallel(1):
        self.mod(o)
    for j in pl.range(1, attrs={"k": 1}):
        self.mod(o)
    return o
  )"),
            text(R"(
    for i__idx_v0 in pl.parallel(1):
        self.mod(o__ssa_v0)
    for j__idx_v0 in pl.range(1, attrs={"k": 1}):
        self.mod(o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, SingleTripParallelLoopFoldsItsCounter) {
  EXPECT_EQ(simplified(R"(
    for g in pl.parallel(1):
        t = pl.slice(a, [16], [g * 16])
        self.put(t, o)
    return o
  )"),
            text(R"(
    for g__idx_v0 in pl.parallel(1):
        t__ssa_v0 = pl.tensor.slice(a__ssa_v0, [16], [0])
        self.put(t__ssa_v0, o__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(Simplify, UnusedScalarsDieTogetherButTaskIdsOfSubmitsStay) {
  EXPECT_EQ(simplified(R"(
    r = n + 2
    s = r * 2
    o, t = pl.submit(self.mod, o)
    copy = t
    k = pl.cast(n, pl.INT32)
    return o
  )"),
            text(R"(
    _submit_tmp__ssa_v0 = pl.submit(self.mod, o__ssa_v0)
    o__ssa_v1 = _submit_tmp__ssa_v0[0]
    t__ssa_v0 = _submit_tmp__ssa_v0[1]
    return o__ssa_v1
  )"));
}

TEST(Simplify, CallsStayEvenIfNobodyReadsThem) {
  const std::string out = simplified(R"(
    tids = pl.array.create(4, pl.TASK_ID)
    t = tids[1]
    none = None
    return o
  )");
  EXPECT_NE(out.find("t__ssa_v0 = pl.array.get_element(tids__ssa_v0, 1)"), std::string::npos) << out;
}

TEST(Simplify, ScalarsUsedByTypesStay) {
  const std::string out = after({"ConvertToSSA", "Simplify"}, R"(
    k = n + 1
    t: pl.Tensor[[64], pl.FP32, pl.MemRef("mem_ddr_7", k * 4, 256)] = pl.create_tensor([64], dtype=pl.FP32)
    o = self.put(t, o)
    return o
  )");
  EXPECT_NE(out.find("k__ssa_v0 = n__ssa_v0 + 1"), std::string::npos) << out;
}

TEST(Simplify, UnusedIfResultsGoWithTheirYields) {
  EXPECT_EQ(simplified(R"(
    t = self.put(a, b)
    if n < 5:
        t = self.mod(t)
        o = self.mod(o)
    return o
  )"),
            text(R"(
    t__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
    if n__ssa_v0 < 5:
        t__ssa_v1 = self.mod(t__ssa_v0)
        o__ssa_v1 = self.mod(o__ssa_v0)
        o__phi_v2 = pl.yield_(o__ssa_v1)
    else:
        o__phi_v2 = pl.yield_(o__ssa_v0)
    return o__phi_v2
  )"));
}

TEST(Simplify, SecondRunChangesNothing) {
  const ir::Program once = run(read(program_text(R"(
    k = 2
    for i in pl.range(1):
        for j in pl.range(k + 1):
            if j > 5:
                o = self.mod(o)
            elif n > j:
                o = self.put(a, o)
    return o
  )")),
                               {"ConvertToSSA", "Simplify"});
  EXPECT_EQ(ir::print_program(run(once, {"Simplify"})), ir::print_program(once));
  for (const Diagnostic& d : ir::verify(once, {.ssa = true})) ADD_FAILURE() << d.text();
}

}  // namespace
}  // namespace depscope::pass::testing
