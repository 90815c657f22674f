// Reading what a real run left behind, and what is computed of it: deps.json of the `mixed` workload, and times that fit it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/deps_json_reader.h"
#include "depscope/replay/deps_json_stream.h"
#include "depscope/runtime/model.h"
#include "peak_memory.h"
#include "trace_workloads.h"

namespace depscope {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

/// A directory with the files of a run, made once for each size and deleted at the end.
class RunFolder {
 public:
  explicit RunFolder(std::uint64_t tasks)
      : path_(std::filesystem::temp_directory_path() / fmt::format("depscope-bench-{}-{}", ::getpid(), tasks)) {
    std::filesystem::create_directory(path_);
    write_deps(tasks);
    write_times();
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string deps() const { return (path_ / "deps.json").string(); }

  static const RunFolder& of(std::uint64_t tasks) {
    static std::map<std::uint64_t, RunFolder> folders;
    return folders.try_emplace(tasks, tasks).first->second;
  }

 private:
  void write_deps(std::uint64_t tasks) const {
    std::ofstream file(deps(), std::ios::binary);
    const replay::TextOutput output = [&file](std::string_view piece) {
      file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    };
    replay::DepsJsonStream sink(output);
    runtime::ModelOptions options;
    options.lift_limits();
    runtime::Model model(options, sink);
    bench::mixed_workload(tasks, [&](const runtime::Submission& s) { model.submit(s); });
    sink.finish();
  }

  /// 24 AIC and 48 AIV cores, tasks of 200 to 1,200 ticks, each as early as its producers and its core allow.
  void write_times() const {
    const recording::Recording r = replay::read_deps_json(SourceFile::read(deps(), replay::kMaxDepsBytes)).recording;
    constexpr std::uint32_t kCores = 72, kAic = 24;
    std::vector<std::uint64_t> core_free(kCores, 1000), end(r.tasks.rows(), 1000);
    std::string aicore, aicpu;
    std::uint32_t aic = 0, aiv = 0, token = 0;
    for (std::uint32_t t = 0, edge = 0; t < r.tasks.rows(); ++t) {
      std::uint64_t ready = 1000;
      for (; edge < r.edges.rows() && r.edges.consumer[edge] == t; ++edge) ready = std::max(ready, end[r.edges.producer[edge]]);
      end[t] = ready;
      if (static_cast<runtime::TaskKind>(r.tasks.kind[t]) != runtime::TaskKind::Kernel) continue;
      const std::uint32_t core = r.tasks.kernel_aic[t] >= 0 ? aic++ % kAic : kAic + aiv++ % (kCores - kAic);
      const std::uint64_t dispatch = std::max(ready + 20, core_free[core]);
      const std::uint64_t start = dispatch + 30;
      end[t] = start + 200 + t * std::uint64_t{7919} % 1000;
      core_free[core] = end[t] + 10;
      const char* comma = token == 0 ? "" : ",";
      aicore += fmt::format("{}[{},{},{},{},{},25]", comma, core, r.tasks.id[t], token, start, end[t]);
      aicpu += fmt::format("{}[{},{},{},{}]", comma, core, token, dispatch, end[t] + 10);
      ++token;
    }
    std::ofstream file(path_ / "chip_swimlane_records.json");
    file << R"({"chip_swimlane_level":2,"metadata":{"clock_freq_hz":50000000,"num_cores":72,"core_types":[)";
    for (std::uint32_t core = 0; core < kCores; ++core) file << (core == 0 ? "" : ",") << (core < kAic ? "\"aic\"" : "\"aiv\"");
    file << R"(]},"aicore_tasks":[)" << aicore << R"(],"aicpu_tasks":[)" << aicpu << "]}\n";
  }

  std::filesystem::path path_;
};

/// The file to tables.
void deps_json(benchmark::State& state) {
  const RunFolder& folder = RunFolder::of(static_cast<std::uint64_t>(state.range(0)));
  const double megabytes = static_cast<double>(std::filesystem::file_size(folder.deps())) / kMegabyte;
  double peak = 0;
  for (auto _ : state) {
    const bench::PeakMemory memory;
    const replay::DepsFile file = replay::read_deps_json(SourceFile::read(folder.deps(), replay::kMaxDepsBytes));
    benchmark::DoNotOptimize(file.recording.edges.producer.data());
    peak = memory.megabytes();
  }
  state.counters["file_MB"] = megabytes;
  state.counters["MB/s"] = benchmark::Counter(megabytes, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak_MB"] = peak;
  state.counters["peak/file"] = peak / megabytes;
}

/// All files of the run, joined, with events and findings.
void whole_run(benchmark::State& state) {
  const RunFolder& folder = RunFolder::of(static_cast<std::uint64_t>(state.range(0)));
  double peak = 0;
  for (auto _ : state) {
    const bench::PeakMemory memory;
    const replay::RunTree tree = replay::find_runs(folder.path());
    const replay::ImportedRun run = replay::import_run(tree.runs.front(), folder.path());
    benchmark::DoNotOptimize(run.recording.events.kind.data());
    peak = memory.megabytes();
  }
  state.counters["peak_MB"] = peak;
}

/// Critical path, overhead, arrows, reductions: everything that is computed of a run that is read.
void quantities(benchmark::State& state) {
  const RunFolder& folder = RunFolder::of(static_cast<std::uint64_t>(state.range(0)));
  const replay::RunTree tree = replay::find_runs(folder.path());
  replay::ImportedRun run = replay::import_run(tree.runs.front(), folder.path());
  for (auto _ : state) {
    add_quantities(run);
    benchmark::DoNotOptimize(run.quantities.total);
  }
  state.counters["edges"] = static_cast<double>(run.recording.edges.rows());
}

/// The critical path with times alone.
void path(benchmark::State& state) {
  const RunFolder& folder = RunFolder::of(static_cast<std::uint64_t>(state.range(0)));
  const replay::RunTree tree = replay::find_runs(folder.path());
  const replay::ImportedRun run = replay::import_run(tree.runs.front(), folder.path());
  for (auto _ : state) {
    const replay::RunQuantities q = replay::run_quantities(*run.swimlane, run.times, &run.recording);
    benchmark::DoNotOptimize(q.critical->makespan);
  }
}

BENCHMARK(deps_json)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(whole_run)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(path)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(quantities)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace depscope
