// Records that the dependency passes write, their verifiers, and the carry classes.
#include <chrono>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "decision_log.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {
namespace {

constexpr const char* kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, b: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return b

    @pl.function(type=pl.FunctionType.Group)
    def group(self, i: pl.Tensor[[64], pl.FP32], o: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        r = self.put(i, o)
        return o

)";

constexpr const char* kDefaultMain =
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], "
    "pl.FP32]:\n";

std::string text(const std::string& body, const char* header = kDefaultMain) {
  std::ostringstream out;
  out << kKernels << header;
  std::istringstream lines(body);
  std::string line;
  while (std::getline(lines, line)) out << "        " << line << "\n";
  out << "        return a\n";
  return out.str();
}

ir::Program read(const std::string& source) {
  ir::ReadResult result = ir::read_text(std::make_shared<SourceFile>("test.py", source));
  if (!result.ok) throw InputError(result.diagnostics);
  return result.programs.at(0);
}

ir::Program run(ir::Program program, const std::vector<const char*>& passes, const Options& options, DecisionSink& sink) {
  for (const char* name : passes) program = make_pass(name)->run(program, options, sink);
  return program;
}

TEST(RegionRecords, SkippedAndSwitchedOffRegionsAreThereToo) {
  const std::string source =
      text("with pl.manual_scope():\n    p, t = pl.submit(self.put, a, b)\nq, u = pl.submit(self.put, b, a)");
  DecisionLog on;
  (void)run(read(source), {"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"}, {true, Profile::Seed}, on);
  ASSERT_EQ(on.regions.size(), 2U);
  EXPECT_EQ(on.regions[0].kind, RegionKind::VirtualBody);
  EXPECT_EQ(on.regions[0].outcome, RegionOutcome::Analysed);
  EXPECT_EQ(on.regions[1].kind, RegionKind::ManualScope);
  EXPECT_EQ(on.regions[1].outcome, RegionOutcome::SkippedManual);
  EXPECT_EQ(on.regions[1].parent, 0U);

  DecisionLog off;
  (void)run(read(source), {"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"}, {false, Profile::Seed}, off);
  ASSERT_EQ(off.regions.size(), 2U);
  EXPECT_EQ(off.regions[0].outcome, RegionOutcome::SwitchedOff);
  ASSERT_EQ(off.rewrites.size(), 4U);
  EXPECT_EQ(off.rewrites[0].reason, RewriteReason::SwitchOff);
}

TEST(RegionRecords, DeviceRegionsAreNotModelled) {
  const std::string source = text(
      "p, t = pl.submit(self.put, a, b)\nwith pl.at(level=pl.Level.CORE_GROUP):\n    x = pl.add(a, a)\n"
      "q, u = pl.submit(self.put, p, a)");
  DecisionLog log;
  const ir::Program out = run(read(source), {"DeriveCallDirections", "AutoDeriveTaskDependencies"}, {true, Profile::Seed}, log);
  ASSERT_EQ(log.regions.size(), 1U);
  EXPECT_EQ(log.regions[0].outcome, RegionOutcome::NotModelled);
  EXPECT_EQ(log.regions[0].reason, "pl.at region");
  EXPECT_EQ(log.regions[0].line, 22U);
  EXPECT_TRUE(log.edges.empty());
  EXPECT_EQ(log.rewrites.at(0).reason, RewriteReason::NotModelled);
}

TEST(HazardRecords, VerdictsStorageAndRewrites) {
  const std::string source = text(
      "l = pl.slice(a, [16], [0])\nr = pl.slice(a, [16], [32])\nm = pl.slice(a, [16], [8])\n"
      "p = self.small(l)\nq = self.small(r)\ns = self.small(m)",
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def small(self, o: pl.InOut[pl.Tensor[[16], pl.FP32]]) -> pl.Tensor[[16], pl.FP32]:\n        return o\n\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def main(self, a: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:\n");
  DecisionLog log;
  (void)run(read(source), {"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"}, {true, Profile::Seed}, log);
  ASSERT_EQ(log.hazards.size(), 3U);
  EXPECT_EQ(log.hazards[0].verdict, HazardVerdict::Disjoint);
  EXPECT_EQ(log.hazards[1].verdict, HazardVerdict::CompilerEdge);
  EXPECT_EQ(hazard_kind_names(log.hazards[1].kinds), (std::vector<std::string_view>{"RAW", "WAR", "WAW"}));
  EXPECT_TRUE(log.hazards[1].synthetic_id);
  EXPECT_EQ(log.hazards[2].verdict, HazardVerdict::Disjoint);
  const StorageRecord& storage = log.storages.at(log.hazards[1].current_storage);
  EXPECT_EQ(storage.kind, StorageKind::Box);
  EXPECT_EQ(storage.offset, std::vector<std::int64_t>{8});
  EXPECT_EQ(storage.shape, std::vector<std::int64_t>{16});
  ASSERT_EQ(log.rewrites.size(), 3U);
  EXPECT_EQ(log.rewrites[1].reason, RewriteReason::NoHazard);
  EXPECT_EQ(log.rewrites[2].reason, RewriteReason::Rewritten);
  EXPECT_EQ(log.rewrites[2].after, ArgDirection::OutputExisting);
}

TEST(HazardRecords, ArgumentRulesHaveNames) {
  DecisionLog log;
  (void)run(read(text("p = self.put(a, b)\nq = self.put(a, b)\nfor i in pl.range(2):\n    r = self.put(pl.no_dep(a), b)")),
            {"ConvertToSSA", "DeriveCallDirections"}, {}, log);
  std::string rules;
  for (const ArgumentRecord& record : log.arguments) rules += std::string(direction_rule_name(record.rule)) + " ";
  // One call in the wrapper, then three in main.
  EXPECT_EQ(rules, "callee_in default_out callee_in default_out callee_in r_prior override r_seq ");
}

std::string errors_of(const std::string& source) {
  std::string messages;
  for (const Diagnostic& d : verify_property(read(source), Property::CallDirectionsResolved)) messages += d.message + "\n";
  return messages;
}

TEST(CallDirectionsVerifier, NamesWhatIsWrong) {
  const auto wrong = [](const char* attrs) { return errors_of(text(std::string("p = self.put(a, b") + attrs + ")")); };
  EXPECT_NE(wrong("").find("the call of 'put' has no arg_directions"), std::string::npos);
  EXPECT_NE(wrong(", attrs={\"arg_directions\": [pl.adir.input]}").find("has 1 arg_directions for 2"), std::string::npos);
  EXPECT_NE(wrong(", attrs={\"arg_directions\": [pl.adir.scalar, pl.adir.inout]}").find("a tensor but marked 'scalar'"),
            std::string::npos);
  EXPECT_NE(wrong(", attrs={\"arg_directions\": [pl.adir.inout, pl.adir.inout]}").find("declared direction In does not allow"),
            std::string::npos);
}

TEST(CallDirectionsVerifier, AcceptsThePassAndReportsStaleWrappers) {
  CountingSink sink;
  const ir::Program before = read(text("p = self.group(a, b)"));
  ir::Program after = run(before, {"DeriveCallDirections"}, {}, sink);
  EXPECT_TRUE(verify_property(after, Property::CallDirectionsResolved).empty());
  for (ir::Function& function : after.functions) {
    if (function.kind == ir::FunctionKind::Group) function.params[1].direction = ir::ParamDirection::In;
  }
  bool stale = false;
  for (const Diagnostic& d : verify_property(after, Property::CallDirectionsResolved)) {
    stale = stale || d.message.find("wrapper 'group'") != std::string::npos;
  }
  EXPECT_TRUE(stale);
}

TEST(CallDirections, KeepsWhatIsGivenAndRunsTwice) {
  CountingSink sink;
  const ir::Program once =
      run(read(text("p = self.put(a, b, attrs={\"arg_directions\": [pl.adir.no_dep, pl.adir.inout]})\nq = self.put(a, p)")),
          {"DeriveCallDirections"}, {}, sink);
  const ir::Program twice = run(once, {"DeriveCallDirections"}, {}, sink);
  EXPECT_EQ(ir::print_program(once), ir::print_program(twice));
  EXPECT_NE(ir::print_program(once).find("[pl.adir.no_dep, pl.adir.inout]"), std::string::npos);
}

TEST(CallDirections, OverrideOutOfRangeIsRefused) {
  CountingSink sink;
  const ir::Program program = read(text("p = self.put(a, b, attrs={\"arg_direction_overrides\": [2]})"));
  EXPECT_THROW((void)run(program, {"DeriveCallDirections"}, {}, sink), InputError);
}

const std::vector<const char*> kTail = {"ConvertToSSA",           "Simplify",
                                        "DeriveCallDirections",   "AutoDeriveTaskDependencies",
                                        "ExpandManualPhaseFence", "MaterializeRuntimeScopes",
                                        "ClassifyIterArgCarry"};

TEST(IterArgCarry, BufferNamesAreTrivialAndTaskIdsAreNot) {
  DecisionLog log;
  const ir::Program out = run(read(text("prev: pl.Scalar[pl.TASK_ID] = None\nwith pl.manual_scope():\n    for i in pl.range(3):\n"
                                        "        a, prev = pl.submit(self.mod, a, deps=[prev])")),
                              kTail, {}, log);
  ASSERT_EQ(log.carries.size(), 2U);
  EXPECT_FALSE(log.carries[0].rebind);
  EXPECT_TRUE(log.carries[1].rebind);
  EXPECT_NE(ir::print_program(out).find("attrs={\"iter_arg_rebind_0\": False, \"iter_arg_rebind_1\": True}"), std::string::npos);
  EXPECT_TRUE(verify_property(out, Property::RuntimeScopesMaterialized).empty());
}

TEST(IterArgCarry, P19_ParallelLoopKeepsAllIds) {
  DecisionLog log;
  (void)run(read(text("prev: pl.Scalar[pl.TASK_ID] = None\nwith pl.manual_scope():\n    for i in pl.parallel(3):\n"
                      "        p, prev = pl.submit(self.mod, a, deps=[prev])\n    q, u = pl.submit(self.mod, a, deps=[prev])")),
            kTail, {}, log);
  ASSERT_EQ(log.carries.size(), 1U);
  EXPECT_EQ(log.carries[0].array_size, 3);
}

TEST(IterArgCarry, P20_ParallelLoopOfUnknownLengthIsRefused) {
  CountingSink sink;
  const ir::Program program =
      read(text("prev: pl.Scalar[pl.TASK_ID] = None\nwith pl.manual_scope():\n    for i in pl.parallel(n):\n"
                "        p, prev = pl.submit(self.mod, a, deps=[prev])\n    q, u = pl.submit(self.mod, a, deps=[prev])"));
  try {
    (void)run(program, kTail, {}, sink);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).line, 23U);
  }
}

TEST(CommGroups, LeavesTheProgramAlone) {
  CountingSink sink;
  const ir::Program program = read(text("p = self.put(a, b)"));
  EXPECT_EQ(ir::print_program(CollectCommGroups()->run(program, {}, sink)), ir::print_program(program));
  EXPECT_EQ(sink.notices, 0U);
}

/// Untouched statements are shared: a second switched-off run builds nothing.
TEST(AutoDerive, BuildsOnlyWhatChanges) {
  CountingSink sink;
  const ir::Program derived =
      run(read(text("p = self.put(a, b)\nq = self.put(p, a)")), {"ConvertToSSA", "DeriveCallDirections"}, {}, sink);
  const std::size_t statements = derived.store->stmt_count();
  (void)run(derived, {"AutoDeriveTaskDependencies"}, {false, Profile::Seed}, sink);
  EXPECT_EQ(derived.store->stmt_count(), statements);
  (void)run(derived, {"AutoDeriveTaskDependencies"}, {true, Profile::Seed}, sink);
  EXPECT_EQ(derived.store->stmt_count(), statements + 1);  // the second call only
}

/// 5,000 stages must not cost a scan of all earlier accesses each.
TEST(AutoDerive, StagesStayLinear) {
  const auto hazards = [](int n) {
    std::ostringstream body;
    std::string last = "a";
    for (int i = 0; i < n; ++i) {
      body << "w" << i << " = pl.create_tensor([64], dtype=pl.FP32)\nv" << i << ", t" << i << " = pl.submit(self.put, " << last
           << ", w" << i << ")\n";
      last = "v" + std::to_string(i);
    }
    CountingSink sink;
    const ir::Program program = read(text(body.str()));
    const auto begin = std::chrono::steady_clock::now();
    (void)run(program, {"DeriveCallDirections", "AutoDeriveTaskDependencies"}, {true, Profile::Seed}, sink);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    return sink.hazards;
  };
  EXPECT_EQ(hazards(5000), 4999U);
}

}  // namespace
}  // namespace depscope::pass::testing
