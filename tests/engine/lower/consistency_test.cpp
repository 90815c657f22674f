// Plans against the interpreter: executed, a plan submits the same tasks with the same arguments, waiting for the same tasks.
#include <fmt/format.h>
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"
#include "engine/execute/program_log.h"
#include "engine/passes/random_orchestration.h"
#include "lowered.h"
#include "plan_execution.h"

namespace depscope::lower::testing {
namespace {

namespace fs = std::filesystem;
using execute::testing::interpret_text;
using execute::testing::ProgramLog;

struct Tally {
  int compared = 0;
  int unsupported = 0;
  int with_loops = 0;
  int refused = 0;
};

std::string describe(const Submission& s) {
  return fmt::format("{}({}) after [{}]", s.callee, fmt::join(s.tensors, " "), fmt::join(s.deps, " "));
}

std::vector<Submission> submissions_of(const ProgramLog& log) {
  std::vector<Submission> out;
  for (const runtime::TaskRow& t : log.tasks) {
    out.push_back({t.kind == runtime::TaskKind::Alloc   ? "alloc"
                   : t.kind == runtime::TaskKind::Dummy ? "dummy"
                                                        : log.names.at(t.callee),
                   {},
                   {}});
  }
  for (const runtime::AccessRow& a : log.accesses) out.at(a.task).tensors.emplace_back(runtime::arg_kind_name(a.kind));
  for (std::uint32_t task = 0; task < out.size(); ++task) {
    std::istringstream deps(log.deps(task));
    for (std::string dep; deps >> dep;) out[task].deps.push_back(static_cast<std::uint32_t>(std::stoul(dep)));
  }
  return out;
}

/// A value for every scalar parameter that has none, and for every dynamic dimension.
void fill_args(const ir::Program& program, const ir::Function& function, std::int64_t number,
               std::map<std::string, std::int64_t>& args) {
  const ir::NodeStore& store = *program.store;
  for (const ir::Param& p : function.params) {
    const ir::Type& type = store.type(p.type);
    if (type.kind != ir::TypeKind::Scalar || type.dtype == ir::DType::TaskId) continue;
    args.try_emplace(std::string(ir::source_name(store.name(p.var))), type.dtype == ir::DType::Bool ? number % 2 : number);
  }
  for (const ir::VarId dimension : program.dynamic_dims) args.try_emplace(std::string(store.name(dimension)), 16 * number);
}

/// Empty if the plan and the interpreter agree, or if one of them cannot go on. Values that `args` does not give are `number`.
std::string compare(const std::string& text, const Setup& how, std::map<std::string, std::int64_t> args, std::int64_t number,
                    Tally& tally) {
  Lowered lowered;
  try {
    lowered = lower_text(text, how);
  } catch (const InputError&) {
    return "";
  }
  const FunctionPlan* main = nullptr;
  for (const FunctionPlan& f : lowered.plan.functions) {
    if (main == nullptr && f.planned) main = &f;
  }
  if (main == nullptr || main->function != lowered.plan.functions.front().function) return "";
  fill_args(lowered.program, lowered.program.functions[main->function], number, args);
  execute::testing::ProgramSetup setup;
  const ir::ReadResult read = ir::read_text(std::make_shared<const SourceFile>("t.py", text));
  setup.passes = pass::default_passes(read.programs.at(0));
  setup.analyze = how.analyze;
  setup.profile = how.profile;
  for (const auto& [name, value] : args) setup.input.args.emplace_back(name, std::to_string(value));
  const ProgramLog log = interpret_text(text, setup);
  const Execution execution = execute(lowered.plan, lowered.program, *main, args);
  if (!execution.unsupported.empty() || !log.error.empty()) {
    ++tally.unsupported;
    return "";
  }
  // What the code generator refuses has no second opinion.
  for (const Finding& f : lowered.plan.findings) {
    if (f.function != main->function || f.kind != FindingKind::CodegenAbort) continue;
    ++tally.refused;
    return "";
  }
  const bool reached_lost = std::any_of(lowered.plan.findings.begin(), lowered.plan.findings.end(), [&](const Finding& f) {
    return f.kind == FindingKind::UserEdgeLost && f.function == main->function && execution.executed.contains(f.statement.value);
  });
  if (!log.result.complete) {
    const std::string kind = log.result.notices.back().kind;
    if (kind == "user_edge_lost" && !reached_lost)
      return "the interpreter loses a user edge: " + log.result.notices.back().message;
    if (kind != "user_edge_lost") {
      ++tally.unsupported;
      return "";
    }
  } else if (reached_lost) {
    return "the plan loses a user edge: " + lowered.findings();
  }
  ++tally.compared;
  const auto loop = std::find(lowered.plan.ops.kind.begin(), lowered.plan.ops.kind.end(), OpKind::LoopBegin);
  if (loop != lowered.plan.ops.kind.end()) ++tally.with_loops;
  const std::vector<Submission> want = submissions_of(log);
  for (std::size_t i = 0; i < std::min(want.size(), execution.submissions.size()); ++i) {
    if (want[i] == execution.submissions[i]) continue;
    return fmt::format("submission {}: {} instead of {}", i, describe(execution.submissions[i]), describe(want[i]));
  }
  if (log.result.complete && want.size() != execution.submissions.size())
    return fmt::format("{} submissions instead of {}", execution.submissions.size(), want.size());
  return "";
}

std::string read_text_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, std::int64_t> args_of(const fs::path& expected) {
  std::map<std::string, std::int64_t> out;
  const nlohmann::json j = nlohmann::json::parse(read_text_file(expected), nullptr, false);
  if (!j.is_object() || !j.contains("options")) return out;
  for (const auto& option : j["options"]) {
    const std::string text = option.is_string() ? option.get<std::string>() : "";
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    if (equals == std::string::npos) continue;
    const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) out.emplace(text.substr(0, equals), value);
  }
  return out;
}

std::vector<fs::path> programs_in(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".py") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// "x.plain.expected.json" beside "x.py" and "x.entry.py".
fs::path expected_of(fs::path path, bool analyze) {
  path.replace_extension();
  if (path.extension() == ".entry") path.replace_extension();
  return path.string() + (analyze ? ".analyze.expected.json" : ".plain.expected.json");
}

void compare_all(const fs::path& folder, pass::Profile profile, Tally& tally) {
  for (const fs::path& path : programs_in(folder)) {
    const std::string text = read_text_file(path);
    for (const bool analyze : {false, true}) {
      const std::map<std::string, std::int64_t> args = args_of(expected_of(path, analyze));
      for (const std::int64_t number : {3, 2}) {
        EXPECT_EQ(compare(text, {.analyze = analyze, .profile = profile}, args, number, tally), "")
            << path << (analyze ? " analyze " : " plain ") << number << " " << pass::profile_name(profile);
      }
    }
  }
}

void print(const Tally& tally) {
  std::printf("compared %d runs (%d with loops), %d refused, %d cannot be executed\n", tally.compared, tally.with_loops,
              tally.refused, tally.unsupported);
}

class Consistency : public ::testing::TestWithParam<pass::Profile> {};

TEST_P(Consistency, ProgramsOfTheData) {
  Tally tally;
  for (const char* folder : {"programs", "e2e"}) compare_all(fs::path(DEPSCOPE_TEST_DATA) / folder, GetParam(), tally);
  print(tally);
  EXPECT_GE(tally.compared, 650);
  EXPECT_GE(tally.with_loops, 250);
  EXPECT_LE(tally.refused, 30);
}

TEST_P(Consistency, ProgramsOutsideTheProject) {
  Tally tally;
  for (const char* folder : {"programs", "e2e"}) compare_all(fs::path(DEPSCOPE_SHARED) / "cases" / folder, GetParam(), tally);
  if (tally.compared == 0) GTEST_SKIP() << "no cases here";
  print(tally);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Consistency, ::testing::Values(kSeed, kUpstream),
                         [](const auto& info) { return info.param == kSeed ? "Seed" : "Upstream"; });

RC_GTEST_PROP(RandomConsistency, PlanAndInterpreterAgree, ()) {
  const std::string text = pass::testing::random_program();
  const Setup how{.analyze = *rc::gen::element(true, true, false), .profile = *rc::gen::element(kSeed, kUpstream)};
  const std::int64_t number = *rc::gen::inRange(0, 5);
  Tally tally;
  RC_LOG() << text << (how.analyze ? "analysed, " : "plain, ") << pass::profile_name(how.profile) << ", n = " << number << "\n";
  const std::string fault = compare(text, how, {}, number, tally);
  RC_LOG() << fault << "\n";
  RC_ASSERT(fault.empty());
  RC_CLASSIFY(tally.compared != 0, "compared");
}

/// A run that is listed went through the real code generator: nothing may be said against it.
void expect_accepted(const fs::path& folder) {
  int accepted = 0;
  for (const fs::path& path : programs_in(folder)) {
    for (const bool analyze : {false, true}) {
      if (!fs::exists(expected_of(path, analyze))) continue;
      ++accepted;
      EXPECT_EQ(lower_file(path.string(), {.analyze = analyze}).findings(), "") << path << (analyze ? " analyze" : " plain");
    }
  }
  std::printf("%d accepted runs\n", accepted);
}

TEST(Acceptance, WhatTheGeneratorAcceptedHasNoFinding) {
  expect_accepted(fs::path(DEPSCOPE_TEST_DATA) / "e2e");
  expect_accepted(fs::path(DEPSCOPE_SHARED) / "cases" / "e2e");
}

}  // namespace
}  // namespace depscope::lower::testing
