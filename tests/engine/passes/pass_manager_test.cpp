#include <gtest/gtest.h>

#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

/// What an observer was told.
class Log final : public PassObserver {
 public:
  void after_pass(std::uint32_t index, const Pass* pass, const ir::Program&, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override {
    entries.push_back(std::to_string(index) + " " + (pass != nullptr ? std::string(pass->name()) : "frontend") +
                      (changed ? " changed" : ""));
    warnings += diagnostics.size();
  }
  std::vector<std::string> entries;
  std::size_t warnings = 0;
};

const char* const kBody = R"(
    for i in pl.range(1):
        o = self.mod(o)
    return o
)";

TEST(PassManager, RunsInOrderAndTellsWhatChanged) {
  PassManager manager({"ConvertToSSA", "Simplify", "Simplify"}, {});
  Log log;
  manager.add_observer(log);
  CountingSink sink;
  (void)manager.run(read(program_text(kBody)), sink);
  EXPECT_EQ(log.entries, (std::vector<std::string>{"0 frontend", "1 ConvertToSSA changed", "2 Simplify changed", "3 Simplify"}));
}

TEST(PassManager, StopsAfterTheNamedPass) {
  PassManager manager({"ConvertToSSA", "Simplify", "FlattenCallExpr", "Simplify"}, {});
  Log log;
  manager.add_observer(log);
  manager.stop_after("Simplify");
  CountingSink sink;
  (void)manager.run(read(program_text(kBody)), sink);
  EXPECT_EQ(log.entries.size(), 3U);
  manager.stop_after("Simplify#2");
  log.entries.clear();
  (void)manager.run(read(program_text(kBody)), sink);
  EXPECT_EQ(log.entries.size(), 5U);
  EXPECT_THROW(manager.stop_after("Simplify#3"), InputError);
  EXPECT_THROW(manager.stop_after("Simplify#x"), InputError);
  EXPECT_THROW(manager.stop_after("UnrollLoops"), InputError);
}

TEST(PassManager, UnknownNameListsTheKnownOnes) {
  try {
    PassManager manager({"ConvertToSsa"}, {});
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(e.diagnostics()[0].message.find("unknown pass 'ConvertToSsa'"), std::string::npos);
    EXPECT_NE(e.diagnostics()[0].message.find("ConvertToSSA"), std::string::npos);
  }
}

TEST(PassManager, MissingRequirementIsAWarning) {
  PassManager manager({"ConvertToSSA", "DeriveCallDirections", "ExpandManualPhaseFence"}, {});
  Log log;
  manager.add_observer(log);
  CountingSink sink;
  (void)manager.run(read(program_text(R"(
    o = self.row(pl.slice(a, [64], [0]), n, o)
    return o
  )")),
                    sink);
  EXPECT_EQ(log.warnings, 1U);
}

TEST(PassManager, NamesAndProperties) {
  EXPECT_EQ(property_names(Property::SSAForm | Property::NoNestedCalls), "SSAForm, NoNestedCalls");
  EXPECT_EQ(property_names(0), "");
  for (const std::string_view name : known_passes()) {
    const std::unique_ptr<Pass> pass = make_pass(name);
    ASSERT_NE(pass, nullptr) << name;
    EXPECT_EQ(pass->name(), name);
  }
  EXPECT_NE(make_pass("SynthesizeAllReduceSignals"), nullptr);
  EXPECT_EQ(make_pass("NoSuchPass"), nullptr);
}

TEST(PassManager, DefaultPipelineInlinesAndUnrollsOnlyWhereNeeded) {
  EXPECT_EQ(default_passes(read(program_text(kBody))).front(), "ConvertToSSA");
  const std::vector<std::string> unrolled = default_passes(read(program_text(R"(
    for u in pl.unroll(2):
        o = self.mod(o)
    return o
  )")));
  EXPECT_EQ(unrolled.front(), "UnrollLoops");
  EXPECT_EQ(unrolled.size(), 12U);
}

}  // namespace
}  // namespace depscope::pass::testing
