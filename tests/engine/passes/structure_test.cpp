// FlattenCallExpr, NormalizeStmtStructure, InlineFunctions, UnrollLoops.
#include <gtest/gtest.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

TEST(FlattenCallExpr, NestedCallsGetTemporariesInEvaluationOrder) {
  EXPECT_EQ(after({"ConvertToSSA", "FlattenCallExpr"}, R"(
    t = pl.tensor.add(pl.tensor.mul(a, b), pl.tensor.mul(b, pl.tensor.exp(a)))
    for i in pl.range(pl.cast(pl.tensor.read(a, [0]), pl.INDEX)):
        o = self.row(pl.slice(t, [64], [0]), i, o)
    return o
  )"),
            text(R"(
    t__tmp_v0 = pl.tensor.mul(a__ssa_v0, b__ssa_v0)
    t__tmp_v1 = pl.tensor.exp(a__ssa_v0)
    t__tmp_v2 = pl.tensor.mul(b__ssa_v0, t__tmp_v1)
    t__ssa_v0 = pl.tensor.add(t__tmp_v0, t__tmp_v2)
    t__tmp_v3 = pl.tensor.read(a__ssa_v0, [0])
    for i__idx_v0, (o__iter_v1,) in pl.range(pl.cast(t__tmp_v3, pl.INDEX), init_values=(o__ssa_v0,)):
        t__tmp_v4 = pl.tensor.slice(t__ssa_v0, [64], [0])
        o__ssa_v3 = self.row(t__tmp_v4, i__idx_v0, o__iter_v1)
        o__rv_v2 = pl.yield_(o__ssa_v3)
    return o__rv_v2
  )"));
}

TEST(FlattenCallExpr, PredicateKeepsItsRead) {
  const std::string out = after({"ConvertToSSA", "FlattenCallExpr"}, R"(
    o, t = pl.spmd_submit(self.mod, o, core_num=2, predicate=(pl.cast(pl.tensor.read(a, [0]), pl.INDEX) > 0))
    return o
  )");
  EXPECT_NE(out.find("predicate=(pl.cast(pl.tensor.read(a__ssa_v0, [0]), pl.INDEX) > 0)"), std::string::npos) << out;
  EXPECT_EQ(out.find("t__tmp"), std::string::npos) << out;
}

TEST(FlattenCallExpr, GivesWhatItPromises) {
  const ir::Program before = run(read(program_text(R"(
    o = self.row(pl.slice(a, [64], [0]), n, o)
    return o
  )")),
                                 {"ConvertToSSA"});
  EXPECT_EQ(verify_property(before, Property::NoNestedCalls).size(), 1U);
  EXPECT_TRUE(verify_property(run(before, {"FlattenCallExpr"}), Property::NoNestedCalls).empty());
}

TEST(FlattenCallExpr, CallInAWhileConditionIsReported) {
  NoticeSink sink;
  (void)run(read(program_text(R"(
    while pl.cast(pl.tensor.read(a, [0]), pl.INDEX) > 0:
        o = self.mod(o)
    return o
  )")),
            {"ConvertToSSA", "FlattenCallExpr"}, &sink);
  ASSERT_EQ(sink.notices.size(), 1U);
  EXPECT_EQ(sink.notices[0].name, "not_modelled");
}

TEST(UnrollLoops, CopiesShareTheirVariables) {
  EXPECT_EQ(after({"UnrollLoops", "ConvertToSSA", "Simplify"}, R"(
    for u in pl.unroll(3):
        t = pl.slice(a, [16], [u * 16])
        o, tid = pl.submit(self.put, t, o)
    return o
  )"),
            text(R"(
    t__ssa_v0 = pl.tensor.slice(a__ssa_v0, [16], [0])
    _submit_tmp__ssa_v0 = pl.submit(self.put, t__ssa_v0, o__ssa_v0)
    o__ssa_v1 = _submit_tmp__ssa_v0[0]
    tid__ssa_v0 = _submit_tmp__ssa_v0[1]
    t__ssa_v1 = pl.tensor.slice(a__ssa_v0, [16], [16])
    _submit_tmp__ssa_v1 = pl.submit(self.put, t__ssa_v1, o__ssa_v1)
    o__ssa_v2 = _submit_tmp__ssa_v1[0]
    tid__ssa_v1 = _submit_tmp__ssa_v1[1]
    t__ssa_v2 = pl.tensor.slice(a__ssa_v0, [16], [32])
    _submit_tmp__ssa_v2 = pl.submit(self.put, t__ssa_v2, o__ssa_v2)
    o__ssa_v3 = _submit_tmp__ssa_v2[0]
    tid__ssa_v2 = _submit_tmp__ssa_v2[1]
    return o__ssa_v3
  )"));
}

TEST(UnrollLoops, EveryCopyHasStatementsOfItsOwn) {
  const ir::Program program = run(read(program_text(R"(
    for u in pl.unroll(2):
        for v in pl.unroll(2):
            self.mod(o)
    for w in pl.unroll(0):
        self.mod(o)
    return o
  )")),
                                  {"UnrollLoops"});
  std::vector<std::uint32_t> seen;
  ir::for_each_stmt(*program.store, program.find("main")->body, [&](ir::StmtId id) { seen.push_back(id.value); });
  EXPECT_EQ(seen.size(), 5U);
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

TEST(UnrollLoops, TooManyStatementsAreRefused) {
  EXPECT_THROW((void)run(read(program_text(R"(
    for u in pl.unroll(2000):
        for v in pl.unroll(2000):
            self.mod(o)
    return o
  )")),
                         {"UnrollLoops"}),
               InputError);
}

constexpr std::string_view kInlined = R"(
    @pl.function(type=pl.FunctionType.Inline)
    def inner(self, x: pl.Tensor[[64], pl.FP32], y: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        r = self.put(x, y)
        return r
    @pl.function(type=pl.FunctionType.Inline)
    def outer(self, c: pl.Tensor[[64], pl.FP32], d: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        s = self.inner(d, c)
        self.put(c, s)
        return s
)";

TEST(InlineFunctions, LocalsAreRenamedAndNumberedOverTheProgram) {
  const ir::Program program = run(read(program_text(R"(
    v = self.inner(a, b)
    w = self.outer(a, o)
    o = self.put(v, w)
    return o
  )",
                                                    kInlined)),
                                  {"InlineFunctions"});
  EXPECT_EQ(body_text(program), text(R"(
    r_inline0 = self.put(a, b)
    v = r_inline0
    r_inline3 = self.put(o, a)
    s_inline1 = r_inline3
    self.put(a, s_inline1)
    w = s_inline1
    o = self.put(v, w)
    return o
  )"));
  EXPECT_EQ(program.find("inner"), nullptr);
}

TEST(InlineFunctions, ParameterThatIsAssignedGetsALocal) {
  EXPECT_EQ(after({"InlineFunctions"}, R"(
    v = self.again(o)
    return v
  )",
                  R"(
    @pl.function(type=pl.FunctionType.Inline)
    def again(self, y: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        y = self.mod(y)
        return y
  )"),
            text(R"(
    y_inline0 = o
    y_inline0 = self.mod(y_inline0)
    v = y_inline0
    return v
  )"));
}

TEST(InlineFunctions, TwoResults) {
  EXPECT_EQ(after({"InlineFunctions"}, R"(
    v, w = self.pair(a, o)
    o = self.put(v, w)
    return o
  )",
                  R"(
    @pl.function(type=pl.FunctionType.Inline)
    def pair(self, x: pl.Tensor[[64], pl.FP32], y: pl.Tensor[[64], pl.FP32]) -> tuple[pl.Tensor[[64], pl.FP32], pl.Tensor[[64], pl.FP32]]:
        q = self.mod(y)
        return x, q
  )"),
            text(R"(
    q_inline0 = self.mod(o)
    v = a
    w = q_inline0
    o = self.put(v, w)
    return o
  )"));
}

TEST(InlineFunctions, EndlessInliningIsRefused) {
  EXPECT_THROW((void)run(read(program_text(R"(
    self.loop(o)
    return o
  )",
                                           R"(
    @pl.function(type=pl.FunctionType.Inline)
    def loop(self, y: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        self.loop(y)
        return y
  )")),
                         {"InlineFunctions"}),
               InputError);
}

TEST(InlineFunctions, DeepNestingIsRefused) {
  // Thirty functions, each a hundred blocks deep with a call of the next one at the bottom.
  std::string functions;
  for (int f = 0; f < 30; ++f) {
    functions += "@pl.function(type=pl.FunctionType.Inline)\ndef f" + std::to_string(f) +
                 "(self, y: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:\n";
    std::string indent = "    ";
    for (int depth = 0; depth < 100; ++depth, indent += " ") functions += indent + "if n > 0:\n";
    functions += indent + (f == 29 ? "self.mod(y)\n" : "self.f" + std::to_string(f + 1) + "(y, n)\n") + "    return y\n";
  }
  EXPECT_THROW((void)run(read(program_text("self.f0(o, n)\nreturn o\n", functions)), {"InlineFunctions"}), InputError);
}

TEST(InlineFunctions, LargeArgumentsAreNotCopied) {
  std::string functions;
  for (int f = 0; f < 40; ++f) {
    functions += "@pl.function(type=pl.FunctionType.Inline)\ndef f" + std::to_string(f) +
                 "(self, y: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:\n    " +
                 (f == 39 ? "self.row(y, n, y)\n" : "self.f" + std::to_string(f + 1) + "(y, n + n)\n") + "    return y\n";
  }
  const ir::Program program = run(read(program_text("self.f0(o, n)\nreturn o\n", functions)), {"InlineFunctions"});
  EXPECT_LT(body_text(program).size(), 10'000U);
}

TEST(NormalizeStmtStructure, LeavesAFlatProgramAlone) {
  const ir::Program program = read(program_text("return o"));
  EXPECT_EQ(ir::print_program(run(program, {"NormalizeStmtStructure"})), ir::print_program(program));
}

}  // namespace
}  // namespace depscope::pass::testing
