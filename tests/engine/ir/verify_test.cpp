// Each rule of the verifier on a program that keeps it and one that breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> findings(const Program& program, bool ssa) {
  std::vector<std::string> out;
  for (const Diagnostic& d : verify(program, {.ssa = ssa}))
    out.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message);
  return out;
}

std::vector<std::string> findings(const std::string& body, bool ssa = false) {
  return findings(read_one(orchestration(body)), ssa);
}

TEST(Verify, SingleAssignment) {
  EXPECT_THAT(findings("v = n\nv = m"), IsEmpty());
  EXPECT_THAT(findings("v = n\nv = m", true), ElementsAre("14:9: 'v' is assigned more than once [multiple_assignment]"));
  EXPECT_THAT(findings("n = m", true), ElementsAre("13:9: 'n' is assigned more than once [multiple_assignment]"));
}

TEST(Verify, UseAfterDefinition) {
  const std::string branch = "if flag:\n    v = n\nelse:\n    pass\nw = v";
  EXPECT_THAT(findings(branch), IsEmpty());
  EXPECT_THAT(findings(branch, true), ElementsAre("17:13: 'v' is used where it is not defined [use_after_def]"));
  const std::string loop = "for i in pl.range(4):\n    v = i\nw = v";
  EXPECT_THAT(findings(loop, true), ElementsAre("15:13: 'v' is used where it is not defined [use_after_def]"));
  EXPECT_THAT(findings("with pl.scope():\n    v = n\nw = v", true), IsEmpty()) << "a scope ends no variable";
  EXPECT_THAT(findings("with pl.at(level=pl.Level.CORE_GROUP) as t:\n    pass\nw = t", true), IsEmpty());
}

TEST(Verify, UseOfAFreeVariable) {
  EXPECT_THAT(findings("v = a__FREE_VAR"), ElementsAre("13:13: 'a__FREE_VAR' is used where it is not defined [use_after_def]"));
}

TEST(Verify, YieldPosition) {
  EXPECT_THAT(findings("for i in pl.range(4):\n    pl.yield_()\n    v = n"),
              ElementsAre("14:13: a yield must be the last statement of its body [yield_position]"));
  EXPECT_THAT(findings("for i in pl.range(4):\n    v = n\n    pl.yield_()"), IsEmpty());
}

TEST(Verify, YieldArity) {
  EXPECT_THAT(findings("for i in pl.range(4):\n    pl.yield_(n)"),
              ElementsAre("14:13: 1 values are yielded, 0 are expected [yield_arity]"));
  EXPECT_THAT(findings("for i, (a,) in pl.range(4, init_values=(n,)):\n    with pl.scope():\n        b = pl.yield_(a)", true),
              IsEmpty());
  EXPECT_THAT(findings("if flag:\n    a = pl.yield_(n)\nelse:\n    pl.yield_(n, m)", true),
              ElementsAre("16:13: 2 values are yielded, 1 are expected [yield_arity]"));
}

TEST(Verify, MissingYield) {
  const std::string body = "if flag:\n    a = pl.yield_(n)\nelse:\n    v = m";
  EXPECT_THAT(findings(body), IsEmpty()) << "the frontend dump of an elif looks like that";
  EXPECT_THAT(findings(body, true),
              ElementsAre("13:9: an if with merge variables needs a yield at the end of both branches [missing_yield]"));
  EXPECT_THAT(findings("if flag:\n    a = pl.yield_(n)", true),
              ElementsAre("13:9: an if with merge variables needs a yield at the end of both branches [missing_yield]"));
}

/// The loop of a program that was read, with something taken away.
Program with_loop(void (*change)(ForData&)) {
  Program p = read_one(orchestration("for i, (a,) in pl.range(4, init_values=(n,)):\n    b = pl.yield_(a)"));
  NodeStore& store = *p.store;
  Function& f =
      *std::find_if(p.functions.begin(), p.functions.end(), [&](const Function& x) { return store.text(x.name) == "main"; });
  const StmtId loop = store.at<StmtId>(f.body, 0);
  ForData d = store.for_data(loop);
  change(d);
  f.body = store.make_list({store.make_for(d, store.stmt(loop).span)});
  return p;
}

TEST(Verify, CarryArity) {
  EXPECT_THAT(findings(with_loop([](ForData&) {}), true), IsEmpty());
  EXPECT_THAT(findings(with_loop([](ForData& d) { d.inits = {}; }), true),
              ElementsAre("13:9: 1 carried values, 0 start values and 1 results [carry_arity]"));
  EXPECT_THAT(findings(with_loop([](ForData& d) { d.body = {}; }), true),
              ElementsAre("13:9: a loop with carried values needs a yield at the end of its body [missing_yield]"));
}

TEST(Verify, ReturnPosition) {
  EXPECT_THAT(findings("return\nv = n"), ElementsAre("13:9: a statement follows this return [return_position]"));
  EXPECT_THAT(findings("if flag:\n    return\nv = n"), IsEmpty());
}

TEST(Verify, FindingsOfBuiltProgramsNameTheFunction) {
  Program p = read_one(orchestration("v = n\nv = m"));
  p.source = nullptr;
  const std::vector<Diagnostic> all = verify(p, {.ssa = true});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].message, "in function 'main': 'v' is assigned more than once [multiple_assignment]");
}

TEST(Verify, DumpsAfterSSAKeepTheRules) {
  for (const char* dump : {"e20/04_after_ConvertToSSA.py", "05_decoder_layer/07_after_FlattenCallExpr.py",
                           "10_fallbacks/04_after_ConvertToSSA.py"}) {
    EXPECT_THAT(findings(read_one(file_text(data_path("dumps/" + std::string(dump)))), true), IsEmpty()) << dump;
  }
}

}  // namespace
}  // namespace depscope::ir::testing
