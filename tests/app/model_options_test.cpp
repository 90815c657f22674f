#include "model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

using ::testing::HasSubstr;

/// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

struct Result {
  recording::Recording recording;
  runtime::ModelOptions model;
  std::map<std::string, std::string, std::less<>> options;
};

Result model_for(const RunOptions& options, ModelInput input, Profile profile = Profile::Seed) {
  Result r;
  r.model = model_options(options, input, profile, runtime::EventLevel::Full, r.recording);
  for (std::uint32_t i = 0; i < r.recording.options.rows(); ++i) {
    r.options[std::string(r.recording.text(r.recording.options.name[i]))] = r.recording.text(r.recording.options.value[i]);
  }
  return r;
}

TEST(ModelOptions, DefaultsOfProgramsAndTraces) {
  const Result program = model_for({}, ModelInput::Program);
  EXPECT_EQ(program.model.reduction.kind, runtime::ReductionKind::Bitmap);
  EXPECT_EQ(program.model.limits[0].task_window, 16384U);
  EXPECT_EQ(program.model.tensor_map_entries, 65536U);
  EXPECT_EQ(program.options.at("ring-task-window"), "16384,16384,16384,16384");
  const Result trace = model_for({}, ModelInput::Trace);
  EXPECT_EQ(trace.model.reduction.kind, runtime::ReductionKind::None);
  EXPECT_EQ(trace.model.limits[0].task_window, runtime::kMaxTaskWindow);
  EXPECT_EQ(trace.options.at("ring-heap"), "unlimited,unlimited,unlimited,unlimited");
}

TEST(ModelOptions, MaskBugReducesNothing) {
  RunOptions options;
  options.edges = runtime::EdgeRepresentation::MaskBug;
  EXPECT_EQ(model_for(options, ModelInput::Program).options.at("reduce"), "none");
}

TEST(ModelOptions, TheProfileChoosesTheHazards) {
  EXPECT_EQ(model_for({}, ModelInput::Program, Profile::Seed).options.at("hazards"), "fixed");
  EXPECT_EQ(model_for({}, ModelInput::Program, Profile::Upstream2026_08).options.at("hazards"), "faithful");
  RunOptions options;
  options.hazards = parse_hazards("fixed,H3=faithful");
  const Result given = model_for(options, ModelInput::Program, Profile::Upstream2026_08);
  EXPECT_EQ(given.options.at("hazards"), "fixed,H3=faithful");
  EXPECT_TRUE(given.model.hazards.faithful(3));
  EXPECT_FALSE(given.model.hazards.faithful(1));
}

TEST(ModelOptions, ATraceIsLimitedWhereItIsAskedFor) {
  RunOptions options;
  options.ring_limits[1] = {0, 4096, 0, 0};
  const Variable window("PTO2_RING_TASK_WINDOW", "64");
  const Result r = model_for(options, ModelInput::Trace);
  EXPECT_EQ(r.options.at("ring-task-window"), "64,64,64,64");
  EXPECT_EQ(r.options.at("ring-heap"), "unlimited,4096,unlimited,unlimited");
  EXPECT_EQ(r.options.at("ring-dep-pool"), "unlimited,unlimited,unlimited,unlimited");
  EXPECT_EQ(r.model.limits[1].heap, 4096U);
  EXPECT_EQ(r.model.limits[2].heap, runtime::kMaxHeap);
}

TEST(ModelOptions, TheEnvironmentIsIgnoredAloudWhereItIsWrong) {
  const Variable heap("PTO2_RING_HEAP", "4096,x");
  const Variable pool("PTO2_RING_DEP_POOL", "8,16,32,64");
  const Result r = model_for({}, ModelInput::Program);
  EXPECT_EQ(r.options.at("ring-heap"), "268435456,268435456,268435456,268435456");
  EXPECT_EQ(r.options.at("ring-dep-pool"), "8,16,32,64");
  ASSERT_EQ(r.recording.findings.rows(), 1U);
  EXPECT_EQ(r.recording.text(r.recording.findings.kind[0]), "configuration");
  EXPECT_THAT(std::string(r.recording.text(r.recording.findings.summary[0])), HasSubstr("PTO2_RING_HEAP=\"4096,x\" is ignored"));
}

TEST(ModelOptions, LimitsBeyondTheirRangeAreInputErrors) {
  RunOptions options;
  options.ring_limits[0] = runtime::all_rings(12);
  EXPECT_THROW((void)model_for(options, ModelInput::Program), InputError);
  EXPECT_THROW((void)model_for(options, ModelInput::Trace), InputError);
}

TEST(ModelOptions, ScheduleAndChecks) {
  RunOptions options;
  options.schedule.kind = runtime::ScheduleKind::Random;
  options.schedule.seed = 9;
  options.schedule.granularity = runtime::Granularity::Fine;
  options.check_invariants = true;
  const Result r = model_for(options, ModelInput::Program);
  EXPECT_EQ(r.model.schedule.seed, 9U);
  EXPECT_TRUE(r.model.check_invariants);
  EXPECT_EQ(r.options.at("schedule"), "random");
  EXPECT_EQ(r.options.at("seed"), "9");
  EXPECT_EQ(r.options.at("granularity"), "fine");
  EXPECT_EQ(r.options.at("check-invariants"), "on");
}

}  // namespace
}  // namespace depscope::app
