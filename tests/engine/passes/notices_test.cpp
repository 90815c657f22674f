// What a user should hear of beside the facts (passes.md 13 and 15).
#include <gtest/gtest.h>

#include "decision_log.h"
#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

/// "name: message" of every notice with this name, after the default pipeline.
std::vector<std::string> notices(const std::string& name, const std::string& program, Profile profile = Profile::Upstream202608) {
  const ir::Program read_program = read(program);
  DecisionLog log;
  PassManager manager(default_passes(read_program), {true, profile});
  (void)manager.run(read_program, log);
  std::vector<std::string> out;
  for (const NoticeRecord& n : log.notices) {
    if (n.name == name) out.push_back(n.message);
  }
  return out;
}

constexpr const char* kWritesIn = R"(@pl.function(type=pl.FunctionType.InCore)
def sly(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
    t = pl.load(x, [0], [64])
    for i in pl.range(2):
        x = pl.store(t, [0], x)
    y = pl.store(t, [0], y)
    return y
)";

TEST(Notices, AKernelThatWritesWhatItDeclaresAsRead) {
  const std::vector<std::string> found = notices("wrong_kernel_direction", program_text("c = self.sly(a, b)", kWritesIn));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "'sly' writes its parameter 'x', which it declares as read only: no pass sees that write");
}

TEST(Notices, AKernelThatKeepsItsWordGivesNone) {
  constexpr const char* kHonest = R"(@pl.function(type=pl.FunctionType.InCore)
def honest(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
    t = pl.load(x, [0], [64])
    y = pl.store(t, [0], y)
    return y
)";
  EXPECT_TRUE(notices("wrong_kernel_direction", program_text("c = self.honest(a, b)", kHonest)).empty());
}

TEST(Notices, AYieldThatTheObservedCompilerLoses) {
  const std::string lost = program_text(
      "if n > 0:\n    a = self.put(b, o)\n    s = pl.yield_(o)\nelse:\n    s = pl.yield_(b)\nc = self.mod(s)\nd = self.put(a, "
      "c)");
  EXPECT_EQ(notices("explicit_yield_lost", lost).size(), 1U);
  EXPECT_EQ(notices("explicit_yield_lost", lost, Profile::Seed).size(), 1U) << "worth knowing whatever profile";
  const std::string kept =
      program_text("if n > 0:\n    s = pl.yield_(o)\nelse:\n    s = pl.yield_(b)\nc = self.mod(s)\nd = self.put(a, c)");
  EXPECT_TRUE(notices("explicit_yield_lost", kept).empty());
}

/// Compiler edges of the calls of `callee` in main, after AutoDerive.
std::size_t compiler_edges(const std::string& program, std::string_view callee, Profile profile) {
  const ir::Program read_program = read(program);
  CountingSink sink;
  PassManager manager({"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"}, {true, profile});
  const ir::Program last = manager.run(read_program, sink);
  const ir::NodeStore& store = *last.store;
  std::size_t edges = 0;
  ir::for_each_stmt(store, last.find("main")->body, [&](ir::StmtId stmt) {
    for (const ir::ExprId e : ir::expressions(store, stmt)) {
      if (store.expr(e).kind != ir::ExprKind::Call || store.callee(e) != callee) continue;
      const ir::ExprId list = store.find_pair(store.call(e).attrs, "compiler_manual_dep_edges");
      if (list.valid()) edges += store.expr(list).b;
    }
  });
  return edges;
}

TEST(Notices, ALostYieldIsUnknownStorageOnlyAsObserved) {
  std::string program = program_text(
      "with pl.scope():\n    p = self.mod(o)\n    if n > 0:\n        a = self.put(b, a)\n        s = pl.yield_(p)\n    else:\n   "
      "     s = "
      "pl.yield_(p)\n    c = self.mod(s)");
  EXPECT_EQ(compiler_edges(program, "mod", Profile::Seed), 1U) << "the merged value is the buffer that both branches yield";
  EXPECT_EQ(compiler_edges(program, "mod", Profile::Upstream202608), 0U) << "the region falls back";
}

}  // namespace
}  // namespace depscope::pass::testing
