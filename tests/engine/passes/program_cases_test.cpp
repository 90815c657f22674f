// Programs with the facts that the observed compiler gave for them (profile upstream-2026-08).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "program_facts.h"

namespace depscope::pass::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> programs(const fs::path& folder) {
  std::vector<std::string> paths;
  if (!fs::exists(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".py") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string expected_of(const std::string& program) { return program.substr(0, program.size() - 3) + ".expected.json"; }

class ProgramCase : public ::testing::TestWithParam<std::string> {};

TEST_P(ProgramCase, FactsAreThoseOfTheObservedCompiler) {
  const CaseOutcome outcome = check_case(GetParam(), expected_of(GetParam()));
  EXPECT_EQ(outcome.verdict, CaseOutcome::Verdict::Right) << outcome.difference;
}

INSTANTIATE_TEST_SUITE_P(Data, ProgramCase, ::testing::ValuesIn(programs(fs::path(DEPSCOPE_TEST_DATA) / "programs")),
                         [](const auto& info) {
                           const fs::path path(info.param);
                           return path.parent_path().filename().string() + "_" + path.stem().string();
                         });

/// Cases whose facts cannot or need not be reached.
bool is_known_difference(const std::string& name) {
  static const std::vector<std::string> kNames = {
      // The observed compiler numbers inlined locals on from the run before it in the same process.
      "special/0005",
      "special/0060",
      "special/0091",
  };
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// All cases of one folder outside the project, counted.
void check_folder(const std::string& family) {
  const fs::path folder = fs::path(DEPSCOPE_SHARED) / "cases" / "programs" / family;
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::size_t right = 0;
  std::size_t not_modelled = 0;
  std::size_t wrong = 0;
  for (const std::string& program : programs(folder)) {
    const CaseOutcome outcome = check_case(program, expected_of(program));
    switch (outcome.verdict) {
      case CaseOutcome::Verdict::Right: ++right; break;
      case CaseOutcome::Verdict::NotModelled: ++not_modelled; break;
      case CaseOutcome::Verdict::Wrong:
        ++wrong;
        EXPECT_TRUE(is_known_difference(family + "/" + fs::path(program).stem().string()))
            << fs::path(program).filename().string() << " " << outcome.difference;
        break;
    }
  }
  std::cout << family << ": " << right << " right, " << not_modelled << " not modelled, " << wrong << " wrong\n";
}

/// The dump before DeriveCallDirections that the facts of a sample start from; an empty path if there is none.
fs::path dump_before_directions(const fs::path& dumps, const std::string& sample) {
  if (!fs::exists(dumps)) return {};
  for (const fs::directory_entry& program : fs::directory_iterator(dumps)) {
    const std::string name = program.path().filename().string();
    if (!sample.starts_with(name)) continue;
    const std::string other = sample.substr(name.size());  // "_Name": another program of the file
    for (const char* mode : {"analyze", "plain"}) {
      const fs::path dump = program.path() / (mode + other) / "passes_dump" / "37_after_FuseCreateAssembleToSlice.py";
      if (fs::exists(dump)) return dump;
    }
  }
  return {};
}

TEST(SharedSamples, FactsAfterEachOfTheLastPasses) {
  const fs::path samples = fs::path(DEPSCOPE_SHARED) / "samples";
  if (!fs::exists(samples / "facts")) GTEST_SKIP() << samples << " is not there";
  std::size_t checked = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(samples / "facts")) {
    std::string sample = entry.path().stem().string();
    if (sample.ends_with(".noanalyze")) sample.resize(sample.size() - 10);
    SCOPED_TRACE(entry.path().filename().string());
    const fs::path dump = dump_before_directions(samples / "dumps", sample);
    ir::Program start;
    if (!dump.empty()) {
      start = ir::read_file(dump.string()).programs.at(0);
    } else {  // the passes in front leave an orchestration body alone: the source will do
      const std::size_t name = sample.rfind('_');
      const std::vector<ir::Program> all = ir::read_file((samples / (sample.substr(0, name) + ".py")).string()).programs;
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const ir::Program& p) { return p.name == sample.substr(name + 1); });
      ASSERT_NE(found, all.end());
      start = *found;
      CountingSink quiet;
      for (const std::string& pass : default_passes(start)) {
        if (pass == "DeriveCallDirections") break;
        start = make_pass(pass)->run(start, {false, Profile::Upstream202608}, quiet);
      }
    }
    const CaseOutcome outcome = check_steps(start, entry.path().string());
    EXPECT_EQ(outcome.verdict, CaseOutcome::Verdict::Right) << outcome.difference;
    ++checked;
  }
  EXPECT_GE(checked, 20U);
}

TEST(SharedPrograms, Line) { check_folder("line"); }
TEST(SharedPrograms, Ssa) { check_folder("ssa"); }
TEST(SharedPrograms, User) { check_folder("user"); }
TEST(SharedPrograms, Special) { check_folder("special"); }
TEST(SharedPrograms, Fence) { check_folder("fence"); }

}  // namespace
}  // namespace depscope::pass::testing
