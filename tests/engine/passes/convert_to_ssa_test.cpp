// One test per rule of passes.md, section 2.
#include <gtest/gtest.h>

#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

std::string ssa(std::string_view body, std::string_view more = {}) { return after({"ConvertToSSA"}, body, more); }

TEST(ConvertToSSA, StraightLineCountsPerVariable) {
  EXPECT_EQ(ssa(R"(
    t = self.put(a, b)
    t = self.mod(t)
    o = self.put(t, o)
    t = self.mod(o)
    return t
  )"),
            text(R"(
    t__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
    t__ssa_v1 = self.mod(t__ssa_v0)
    o__ssa_v1 = self.put(t__ssa_v1, o__ssa_v0)
    t__ssa_v2 = self.mod(o__ssa_v1)
    return t__ssa_v2
  )"));
}

TEST(ConvertToSSA, CarriedVariablesAreSortedByName) {
  EXPECT_EQ(ssa(R"(
    z = self.put(a, b)
    for i in pl.range(4):
        z = self.mod(z)
        o = self.row(z, i, o)
    return o
  )"),
            text(R"(
    z__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
    for i__idx_v0, (o__iter_v1, z__iter_v1) in pl.range(4, init_values=(o__ssa_v0, z__ssa_v0)):
        z__ssa_v3 = self.mod(z__iter_v1)
        o__ssa_v3 = self.row(z__ssa_v3, i__idx_v0, o__iter_v1)
        o__rv_v2, z__rv_v2 = pl.yield_(o__ssa_v3, z__ssa_v3)
    return o__rv_v2
  )"));
}

TEST(ConvertToSSA, NestedLoopsCarryThrough) {
  EXPECT_EQ(ssa(R"(
    for i in pl.range(4):
        for j in pl.parallel(2):
            o = self.mod(o)
    return o
  )"),
            text(R"(
    for i__idx_v0, (o__iter_v1,) in pl.range(4, init_values=(o__ssa_v0,)):
        for j__idx_v0, (o__iter_v3,) in pl.parallel(2, init_values=(o__iter_v1,)):
            o__ssa_v5 = self.mod(o__iter_v3)
            o__rv_v4 = pl.yield_(o__ssa_v5)
        o__rv_v2 = pl.yield_(o__rv_v4)
    return o__rv_v2
  )"));
}

TEST(ConvertToSSA, EscapingVariableStartsWithAnOutParameterOfItsType) {
  EXPECT_EQ(ssa(R"(
    for i in pl.range(4):
        t = self.put(a, b)
    o = self.put(t, o)
    return o
  )"),
            text(R"(
    for i__idx_v0, (t__iter_v0,) in pl.range(4, init_values=(o__ssa_v0,)):
        t__ssa_v2 = self.put(a__ssa_v0, b__ssa_v0)
        t__rv_v1 = pl.yield_(t__ssa_v2)
    o__ssa_v1 = self.put(t__rv_v1, o__ssa_v0)
    return o__ssa_v1
  )"));
}

TEST(ConvertToSSA, EscapingIdWithoutAnEarlierOneStartsInvalid) {
  EXPECT_EQ(ssa(R"(
    for i in pl.range(4):
        o, t = pl.submit(self.mod, o)
    o, u = pl.submit(self.mod, o, deps=[t])
    return o
  )"),
            text(R"(
    t__ssa_v0 = pl.system.task_invalid()
    for i__idx_v0, (o__iter_v1, t__iter_v1) in pl.range(4, init_values=(o__ssa_v0, t__ssa_v0)):
        _submit_tmp__ssa_v0 = pl.submit(self.mod, o__iter_v1)
        o__ssa_v3 = _submit_tmp__ssa_v0[0]
        t__ssa_v3 = _submit_tmp__ssa_v0[1]
        o__rv_v2, t__rv_v2 = pl.yield_(o__ssa_v3, t__ssa_v3)
    _submit_tmp__ssa_v0_1 = pl.submit(self.mod, o__rv_v2, deps=[t__rv_v2])
    o__ssa_v4 = _submit_tmp__ssa_v0_1[0]
    u__ssa_v0 = _submit_tmp__ssa_v0_1[1]
    return o__ssa_v4
  )"));
}

TEST(ConvertToSSA, EscapingTensorWithoutAnythingOfItsTypeIsRefused) {
  try {
    (void)ssa(R"(
    for i in pl.range(4):
        w = pl.slice(a, [16], [i * 16])
    self.put(w, o)
    return o
  )");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(e.diagnostics()[0].message.find("'w' is used behind the loop at line"), std::string::npos) << e.what();
    EXPECT_NE(e.diagnostics()[0].line, 0U);
  }
}

TEST(ConvertToSSA, VariableOfTheBodyAloneIsNotCarried) {
  EXPECT_EQ(ssa(R"(
    for i in pl.range(4):
        t = self.put(a, b)
        self.put(t, o)
    t = self.put(a, b)
    return t
  )"),
            text(R"(
    for i__idx_v0 in pl.range(4):
        t__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
        self.put(t__ssa_v0, o__ssa_v0)
    t__ssa_v1 = self.put(a__ssa_v0, b__ssa_v0)
    return t__ssa_v1
  )"));
}

TEST(ConvertToSSA, ExplicitIterArgsComeFirstAndKeepTheirNames) {
  EXPECT_EQ(ssa(R"(
    for i, (x,) in pl.range(4, init_values=(b,)):
        o = self.put(x, o)
        y = self.mod(x)
        z = pl.yield_(y)
    o = self.put(z, o)
    return o
  )"),
            text(R"(
    for i__idx_v0, (x, o__iter_v1) in pl.range(4, init_values=(b__ssa_v0, o__ssa_v0)):
        o__ssa_v3 = self.put(x, o__iter_v1)
        y__ssa_v0 = self.mod(x)
        z, o__rv_v2 = pl.yield_(y__ssa_v0, o__ssa_v3)
    o__ssa_v4 = self.put(z, o__rv_v2)
    return o__ssa_v4
  )"));
}

TEST(ConvertToSSA, AssignmentToAnIterArgStaysInItsBlock) {
  EXPECT_EQ(ssa(R"(
    for i, (x,) in pl.range(4, init_values=(b,)):
        if n > 0:
            x = self.mod(x)
            self.put(x, o)
        x = self.put(x, x)
        z = pl.yield_(x)
    return z
  )"),
            text(R"(
    for i__idx_v0, (x,) in pl.range(4, init_values=(b__ssa_v0,)):
        if n__ssa_v0 > 0:
            x__ssa_v0 = self.mod(x)
            self.put(x__ssa_v0, o__ssa_v0)
        x__ssa_v0_1 = self.put(x, x)
        z = pl.yield_(x__ssa_v0_1)
    return z
  )"));
}

TEST(ConvertToSSA, VariableThatShadowsAnIterArgIsMerged) {
  EXPECT_EQ(ssa(R"(
    for i, (x,) in pl.range(4, init_values=(b,)):
        x = self.put(a, x)
        if n > 0:
            x = self.mod(x)
        z = pl.yield_(x)
    return z
  )"),
            text(R"(
    for i__idx_v0, (x,) in pl.range(4, init_values=(b__ssa_v0,)):
        x__ssa_v0 = self.put(a__ssa_v0, x)
        if n__ssa_v0 > 0:
            x__ssa_v1 = self.mod(x__ssa_v0)
            x__phi_v2 = pl.yield_(x__ssa_v1)
        else:
            x__phi_v2 = pl.yield_(x__ssa_v0)
        z = pl.yield_(x__phi_v2)
    return z
  )"));
}

TEST(ConvertToSSA, WhileConditionSeesTheIterArgs) {
  EXPECT_EQ(ssa(R"(
    k: pl.Scalar[pl.INDEX] = 0
    while k < n:
        o = self.row(a, k, o)
        k = k + 1
    return o
  )"),
            text(R"(
    k__ssa_v0 = 0
    for (k__iter_v1, o__iter_v1) in pl.while_(init_values=(k__ssa_v0, o__ssa_v0)):
        pl.cond(k__iter_v1 < n__ssa_v0)
        o__ssa_v3 = self.row(a__ssa_v0, k__iter_v1, o__iter_v1)
        k__ssa_v3 = k__iter_v1 + 1
        k__rv_v2, o__rv_v2 = pl.yield_(k__ssa_v3, o__ssa_v3)
    return o__rv_v2
  )"));
}

TEST(ConvertToSSA, IfMergesWhatWasDefinedBeforeOrInBothBranches) {
  EXPECT_EQ(ssa(R"(
    if n > 0:
        t = self.put(a, b)
        o = self.mod(o)
    else:
        t = self.mod(b)
        only = self.mod(b)
    return t
  )"),
            text(R"(
    if n__ssa_v0 > 0:
        t__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
        o__ssa_v1 = self.mod(o__ssa_v0)
        o__phi_v2, t__phi_v2 = pl.yield_(o__ssa_v1, t__ssa_v0)
    else:
        t__ssa_v1 = self.mod(b__ssa_v0)
        only__ssa_v0 = self.mod(b__ssa_v0)
        o__phi_v2, t__phi_v2 = pl.yield_(o__ssa_v0, t__ssa_v1)
    return t__phi_v2
  )"));
}

TEST(ConvertToSSA, MissingElseYieldsTheOldVersions) {
  EXPECT_EQ(ssa(R"(
    if n > 0:
        o = self.mod(o)
    return o
  )"),
            text(R"(
    if n__ssa_v0 > 0:
        o__ssa_v1 = self.mod(o__ssa_v0)
        o__phi_v2 = pl.yield_(o__ssa_v1)
    else:
        o__phi_v2 = pl.yield_(o__ssa_v0)
    return o__phi_v2
  )"));
}

TEST(ConvertToSSA, BranchWithoutMergeGetsNoElse) {
  EXPECT_EQ(ssa(R"(
    if n > 0:
        t = self.put(a, b)
    return o
  )"),
            text(R"(
    if n__ssa_v0 > 0:
        t__ssa_v0 = self.put(a__ssa_v0, b__ssa_v0)
    return o__ssa_v0
  )"));
}

TEST(ConvertToSSA, ExplicitIfResultsStandBehindTheNewOnes) {
  EXPECT_EQ(ssa(R"(
    if n > 0:
        o = self.mod(o)
        r = pl.yield_(a)
    else:
        r = pl.yield_(b)
    o = self.put(r, o)
    return o
  )"),
            text(R"(
    if n__ssa_v0 > 0:
        o__ssa_v1 = self.mod(o__ssa_v0)
        o__phi_v2, r__rv_v0 = pl.yield_(o__ssa_v1, a__ssa_v0)
    else:
        o__phi_v2, r__rv_v0 = pl.yield_(o__ssa_v0, b__ssa_v0)
    o__ssa_v3 = self.put(r__rv_v0, o__phi_v2)
    return o__ssa_v3
  )"));
}

TEST(ConvertToSSA, RuntimeScopesAreTransparentAndHoldTheYield) {
  EXPECT_EQ(ssa(R"(
    with pl.scope():
        for i in pl.range(2):
            with pl.scope():
                o = self.mod(o)
    return o
  )"),
            text(R"(
    with pl.scope():
        for i__idx_v0, (o__iter_v1,) in pl.range(2, init_values=(o__ssa_v0,)):
            with pl.scope():
                o__ssa_v3 = self.mod(o__iter_v1)
                o__rv_v2 = pl.yield_(o__ssa_v3)
    return o__rv_v2
  )"));
}

TEST(ConvertToSSA, LoopsInRegionsPromoteNothingThatIsNewThere) {
  EXPECT_EQ(ssa(R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(2):
            t = pl.tensor.add(a, b)
        o = pl.tensor.add(o, b)
    return o
  )"),
            text(R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        for i__idx_v0 in pl.range(2):
            t__ssa_v0 = pl.tensor.add(a__ssa_v0, b__ssa_v0)
        o__ssa_v1 = pl.tensor.add(o__ssa_v0, b__ssa_v0)
    return o__ssa_v1
  )"));
}

TEST(ConvertToSSA, SubmitArgumentsAndDependenciesAreSubstituted) {
  EXPECT_EQ(ssa(R"(
    o, t = pl.submit(self.mod, o)
    o, t = pl.submit(self.put, a, o, deps=[t])
    return o
  )"),
            text(R"(
    _submit_tmp__ssa_v0 = pl.submit(self.mod, o__ssa_v0)
    o__ssa_v1 = _submit_tmp__ssa_v0[0]
    t__ssa_v0 = _submit_tmp__ssa_v0[1]
    _submit_tmp__ssa_v0_1 = pl.submit(self.put, a__ssa_v0, o__ssa_v1, deps=[t__ssa_v0])
    o__ssa_v2 = _submit_tmp__ssa_v0_1[0]
    t__ssa_v1 = _submit_tmp__ssa_v0_1[1]
    return o__ssa_v2
  )"));
}

TEST(ConvertToSSA, MemRefOfTheDeclarationIsKept) {
  const ir::Program program = run(read(program_text(R"(
    t: pl.Tensor[[64], pl.FP32, pl.MemRef("mem_ddr_7", n * 4, 256)] = pl.create_tensor([64], dtype=pl.FP32)
    t = self.put(a, t)
    return t
  )")),
                                  {"ConvertToSSA"});
  const std::string printed = ir::print_program(program);
  EXPECT_NE(printed.find("t__ssa_v0: pl.Tensor[[64], pl.FP32, pl.MemRef(\"mem_ddr_7\", n__ssa_v0 * 4, 256)]"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("t__ssa_v1: pl.Tensor[[64], pl.FP32, pl.MemRef(\"mem_ddr_7\", n__ssa_v0 * 4, 256)]"), std::string::npos)
      << printed;
}

TEST(ConvertToSSA, SecondRunOnlyRenumbers) {
  const std::string_view body = R"(
    for i in pl.range(4):
        if n > i:
            o = self.mod(o)
    return o
  )";
  const ir::Program once = run(read(program_text(body)), {"ConvertToSSA"});
  const ir::Program twice = run(once, {"ConvertToSSA"});
  EXPECT_EQ(ir::first_difference(once, twice), "");
  EXPECT_TRUE(ir::verify(twice, {.ssa = true}).empty());
}

TEST(ConvertToSSA, ResultIsInSsaForm) {
  const ir::Program program = run(read(program_text(R"(
    t = self.put(a, b)
    for i in pl.range(n):
        if i > 2:
            t = self.mod(t)
            for j in pl.parallel(4):
                o, tid = pl.submit(self.row, t, j, o)
        elif i == m:
            o = self.mod(o)
    return o
  )")),
                                  {"ConvertToSSA"});
  for (const Diagnostic& d : ir::verify(program, {.ssa = true})) ADD_FAILURE() << d.text();
}

TEST(ConvertToSSA, BreakInACarryingLoopIsReported) {
  NoticeSink sink;
  (void)run(read(program_text(R"(
    for i in pl.range(4):
        o = self.mod(o)
        if n > i:
            break
    for j in pl.range(4):
        if n > j:
            continue
        self.mod(o)
    return o
  )")),
            {"ConvertToSSA"}, &sink);
  ASSERT_EQ(sink.notices.size(), 1U);
  EXPECT_EQ(sink.notices[0].name, "not_modelled");
  EXPECT_NE(sink.notices[0].message.find("break"), std::string::npos);
}

TEST(ConvertToSSA, UnreadableStatementLeavesTheFunctionWithANotice) {
  const std::string source = program_text(R"(
    o = self.mod(o)
    return o
  )",
                                          R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def hook(x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        import os
        return x
  )");
  NoticeSink sink;
  const ir::Program program = run(read(source), {"ConvertToSSA"}, &sink);
  ASSERT_EQ(sink.notices.size(), 1U);
  EXPECT_EQ(sink.notices[0].name, "not_modelled");
  EXPECT_NE(sink.notices[0].message.find("hook"), std::string::npos);
  EXPECT_NE(sink.notices[0].message.find("line "), std::string::npos);
  EXPECT_NE(body_text(program).find("o__ssa_v1 = self.mod(o__ssa_v0)"), std::string::npos);
}

}  // namespace
}  // namespace depscope::pass::testing
