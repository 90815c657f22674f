// Dependency discovery, whole runs from the first submit to the last release, and what they write, from submissions in memory.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "depscope/recording/recorder.h"
#include "depscope/replay/deps_json_stream.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/model.h"
#include "peak_memory.h"
#include "trace_workloads.h"

namespace depscope {
namespace {

using Workload = void (*)(std::uint64_t, const bench::SubmissionSink&);

constexpr double kMegabyte = 1024.0 * 1024.0;

runtime::ModelOptions unlimited(runtime::ReductionOptions reduction = {},
                                runtime::EventLevel events = runtime::EventLevel::Summary) {
  runtime::ModelOptions options;
  options.lift_limits();  // the workloads have no scopes
  options.reduction = reduction;
  options.events = events;
  return options;
}

void tell(benchmark::State& state, std::uint64_t tasks, std::uint64_t events, double megabytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks) * state.iterations());
  state.counters["events"] = static_cast<double>(events);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak_MB"] = megabytes;
}

/// Making the submissions, which every other figure contains.
void submissions(benchmark::State& state, Workload workload) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t args = 0;
  for (auto _ : state) workload(tasks, [&](const runtime::Submission& s) { args += s.args.size(); });
  benchmark::DoNotOptimize(args);
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks) * state.iterations());
}

/// Submits alone: nothing runs yet.
void discovery(benchmark::State& state, Workload workload) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t events = 0;
  double megabytes = 0;
  std::unique_ptr<runtime::Model> model;
  for (auto _ : state) {
    runtime::CountingRuntimeSink sink;
    state.PauseTiming();
    const bench::PeakMemory memory;
    state.ResumeTiming();
    model = std::make_unique<runtime::Model>(unlimited(), sink);
    workload(tasks, [&](const runtime::Submission& s) { model->submit(s); });
    state.PauseTiming();
    events = sink.events;
    megabytes = memory.megabytes();
    state.counters["edges"] = static_cast<double>(sink.edges);
    model.reset();
    state.ResumeTiming();
  }
  tell(state, tasks, events, megabytes);
}

/// From the first submit to the last release.
void whole(benchmark::State& state, Workload workload, runtime::ReductionOptions reduction, runtime::EventLevel level) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t events = 0;
  double megabytes = 0;
  for (auto _ : state) {
    runtime::CountingRuntimeSink sink;
    state.PauseTiming();
    const bench::PeakMemory memory;
    state.ResumeTiming();
    runtime::Model model(unlimited(reduction, level), sink);
    workload(tasks, [&](const runtime::Submission& s) { model.submit(s); });
    model.finish();
    events = sink.events;
    megabytes = memory.megabytes();
    state.counters["edges"] = static_cast<double>(sink.edges);
  }
  tell(state, tasks, events, megabytes);
}

/// Discovery, with the deps.json that upstream's replay writes.
void discovery_and_deps_json(benchmark::State& state, Workload workload) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  double megabytes = 0, written = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const bench::PeakMemory memory;
    state.ResumeTiming();
    std::FILE* file = std::tmpfile();
    written = 0;
    const replay::TextOutput output = [&](std::string_view piece) {
      std::fwrite(piece.data(), 1, piece.size(), file);
      written += static_cast<double>(piece.size());
    };
    replay::DepsJsonStream sink(output);
    runtime::Model model(unlimited(), sink);
    workload(tasks, [&](const runtime::Submission& s) { model.submit(s); });
    sink.finish();
    std::fflush(file);
    state.PauseTiming();
    std::fclose(file);  // deletes it, which nobody waits for who wants the file
    state.ResumeTiming();
    megabytes = memory.megabytes();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks) * state.iterations());
  state.counters["file_MB"] = written / kMegabyte;
  state.counters["peak_MB"] = megabytes;
}

/// A whole run, recorded and saved.
void recorded(benchmark::State& state, Workload workload, runtime::EventLevel level) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  const std::string path = "/tmp/depscope-bench-" + std::to_string(::getpid()) + ".depscope";
  std::uint64_t events = 0;
  double megabytes = 0, written = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const bench::PeakMemory memory;
    state.ResumeTiming();
    recording::Recording r;
    recording::RuntimeRecorder recorder(r);
    runtime::Model model(unlimited({}, level), recorder);
    workload(tasks, [&](const runtime::Submission& s) { model.submit(s); });
    model.finish();
    replay::save(r, path);
    events = r.events.rows();
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    written = static_cast<double>(file.tellg());
    megabytes = memory.megabytes();
  }
  std::remove(path.c_str());
  tell(state, tasks, events, megabytes);
  state.counters["file_MB"] = written / kMegabyte;
  state.counters["bytes/event"] = written / static_cast<double>(events);
}

using runtime::EventLevel;
constexpr runtime::ReductionOptions kNoReduction{.kind = runtime::ReductionKind::None};
constexpr runtime::ReductionOptions kBitmap{.kind = runtime::ReductionKind::Bitmap, .window = 64};
constexpr runtime::ReductionOptions kWide{.kind = runtime::ReductionKind::Bitmap, .window = 256};
constexpr runtime::ReductionOptions kExact{.kind = runtime::ReductionKind::Exact};
constexpr runtime::ReductionOptions kOneHop{.kind = runtime::ReductionKind::OneHop};

void sizes(benchmark::internal::Benchmark* b) { b->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond); }
void size_100k(benchmark::internal::Benchmark* b) { b->Arg(100'000)->Unit(benchmark::kMillisecond); }

#define DEPSCOPE_WORKLOADS(BENCH) BENCH(mixed) BENCH(chain) BENCH(fanin) BENCH(slices)
#define DEPSCOPE_SUBMISSIONS(name) BENCHMARK_CAPTURE(submissions, name, bench::name##_workload)->Apply(sizes);
#define DEPSCOPE_DISCOVERY(name) BENCHMARK_CAPTURE(discovery, name, bench::name##_workload)->Apply(sizes);
#define DEPSCOPE_WHOLE(name) \
  BENCHMARK_CAPTURE(whole, name, bench::name##_workload, kNoReduction, EventLevel::Summary)->Apply(sizes);
#define DEPSCOPE_RECORDED(name) BENCHMARK_CAPTURE(recorded, name, bench::name##_workload, EventLevel::Summary)->Apply(sizes);
DEPSCOPE_WORKLOADS(DEPSCOPE_SUBMISSIONS)
DEPSCOPE_WORKLOADS(DEPSCOPE_DISCOVERY)
DEPSCOPE_WORKLOADS(DEPSCOPE_WHOLE)
DEPSCOPE_WORKLOADS(DEPSCOPE_RECORDED)
BENCHMARK_CAPTURE(discovery_and_deps_json, mixed, bench::mixed_workload)->Apply(sizes);
BENCHMARK_CAPTURE(recorded, mixed_full, bench::mixed_workload, EventLevel::Full)->Apply(size_100k);
BENCHMARK_CAPTURE(whole, mixed_full, bench::mixed_workload, kNoReduction, EventLevel::Full)->Apply(size_100k);
BENCHMARK_CAPTURE(whole, mixed_bitmap64, bench::mixed_workload, kBitmap, EventLevel::Full)->Apply(size_100k);
BENCHMARK_CAPTURE(whole, mixed_bitmap256, bench::mixed_workload, kWide, EventLevel::Full)->Apply(size_100k);
BENCHMARK_CAPTURE(whole, mixed_exact, bench::mixed_workload, kExact, EventLevel::Full)->Apply(size_100k);
BENCHMARK_CAPTURE(whole, mixed_one_hop, bench::mixed_workload, kOneHop, EventLevel::Full)->Apply(size_100k);

}  // namespace
}  // namespace depscope
