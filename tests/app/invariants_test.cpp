// The invariants of runtime.md 13, after every event: of every sample and of every trace there is, on both platforms.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "depscope/ir/text.h"
#include "open_input.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(ending)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

RunOptions checked(runtime::Platform platform) {
  RunOptions options;
  options.platform = platform;
  options.check_invariants = true;
  return options;
}

void expect_hold(const fs::path& input, const RunOptions& options) {
  const recording::Recording r = open_input(input.string(), options).recording;
  for (std::uint32_t i = 0; i < r.findings.rows(); ++i) {
    EXPECT_NE(r.text(r.findings.kind[i]), "invariant")
        << input.filename() << " " << options.program << ": " << r.text(r.findings.summary[i]);
  }
}

/// Every reduction, every granularity, rings that are too small for some: a deadlock is a legal end.
std::vector<RunOptions> variations(const RunOptions& options) {
  using runtime::Granularity;
  using runtime::ReductionKind;
  using runtime::ScheduleKind;
  std::vector<RunOptions> out{options};
  for (const ReductionKind kind : {ReductionKind::None, ReductionKind::Exact, ReductionKind::OneHop, ReductionKind::Bitmap}) {
    for (const Granularity granularity : {Granularity::Coarse, Granularity::Fine}) {
      RunOptions o = options;
      o.reduction = runtime::ReductionOptions{.kind = kind, .window = 64};
      o.schedule.kind = kind == ReductionKind::None ? ScheduleKind::Canonical : ScheduleKind::Random;
      o.schedule.granularity = granularity;
      out.push_back(o);
      o.ring_limits = {runtime::all_rings(16), runtime::all_rings(65536), runtime::all_rings(16)};
      out.push_back(o);
    }
  }
  RunOptions coupled = options;
  coupled.edges = runtime::EdgeRepresentation::Coupled;
  out.push_back(coupled);
  return out;
}

class Invariants : public ::testing::TestWithParam<runtime::Platform> {};

TEST_P(Invariants, HoldInEverySample) {
  const auto samples = files_in(DEPSCOPE_SAMPLES, ".py");
  EXPECT_GE(samples.size(), 10U);
  for (const fs::path& sample : samples) {
    for (const ir::Program& program : ir::read_file(sample.string()).programs) {
      RunOptions options = checked(GetParam());
      options.program = program.name;
      const fs::path data = fs::path(DEPSCOPE_SAMPLES) / "data" / sample.filename().replace_extension(".json");
      if (fs::exists(data)) options.data.emplace_back("", data.string());
      if (program.name == "SoftmaxTilesDynamic") options.args.emplace_back("n", "4");
      for (const bool analysed : {false, true}) {
        options.analyze_auto_scopes = options.analyze_auto_scopes_given = analysed;
        for (const RunOptions& o : variations(options)) expect_hold(sample, o);
      }
    }
  }
}

TEST_P(Invariants, HoldInOwnTraces) {
  const auto traces = files_in(fs::path(DEPSCOPE_TEST_DATA) / "runtime", ".trace.json");
  EXPECT_GE(traces.size(), 40U);
  for (const fs::path& trace : traces) {
    for (const RunOptions& o : variations(checked(GetParam()))) expect_hold(trace, o);
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, Invariants, ::testing::Values(runtime::Platform::A2A3, runtime::Platform::A5),
                         [](const auto& info) { return std::string(platform_name(info.param)); });

class InvariantsOfCases : public ::testing::TestWithParam<std::tuple<std::string, runtime::Platform>> {};

TEST_P(InvariantsOfCases, Hold) {
  const auto& [folder, platform] = GetParam();
  const auto traces = files_in(fs::path(DEPSCOPE_SHARED) / "cases/runtime" / folder, ".trace.json");
  if (traces.empty()) GTEST_SKIP() << "no traces of cases/runtime/" << folder << " here";
  for (const fs::path& trace : traces) {
    for (const RunOptions& o : variations(checked(platform))) expect_hold(trace, o);
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, InvariantsOfCases,
                         ::testing::Combine(::testing::Values("named", "random", "real"),
                                            ::testing::Values(runtime::Platform::A2A3, runtime::Platform::A5)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::string(platform_name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace depscope::app
