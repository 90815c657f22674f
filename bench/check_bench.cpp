// Order that is missing and order that is false, on recordings of 100,000 and 1,000,000 tasks.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "depscope/recording/recorder.h"
#include "depscope/replay/check.h"
#include "depscope/runtime/model.h"
#include "trace_workloads.h"
#include "without_events.h"

namespace depscope {
namespace {

using Workload = void (*)(std::uint64_t, const bench::SubmissionSink&);

const recording::Recording& recording_of(Workload workload, std::uint64_t tasks, runtime::ReductionKind reduction) {
  static std::map<std::tuple<Workload, std::uint64_t, runtime::ReductionKind>, recording::Recording> made;
  const auto [at, fresh] = made.try_emplace({workload, tasks, reduction});
  if (!fresh) return at->second;
  bench::WithoutEvents sink(at->second);
  runtime::ModelOptions options;
  options.lift_limits();  // the workloads have no scopes
  options.reduction = {.kind = reduction, .window = 64};
  options.events = runtime::EventLevel::Summary;
  runtime::Model model(options, sink);
  workload(tasks, [&](const runtime::Submission& s) { model.submit(s); });
  return at->second;
}

void run(benchmark::State& state, Workload workload, runtime::ReductionKind reduction) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  const recording::Recording& recording = recording_of(workload, tasks, reduction);
  replay::CheckCounts counts;
  for (auto _ : state) {
    const replay::Check check(recording);
    counts = check.counts();
  }
  state.counters["edges"] = static_cast<double>(counts.edges);
  state.counters["judged"] = static_cast<double>(counts.judged);
  state.counters["missing"] = static_cast<double>(counts.missing_order);
  state.counters["false"] = static_cast<double>(counts.false_order);
}

constexpr auto kNone = runtime::ReductionKind::None;
constexpr auto kBitmap = runtime::ReductionKind::Bitmap;

BENCHMARK_CAPTURE(run, mixed, bench::mixed_workload, kNone)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, mixed_bitmap64, bench::mixed_workload, kBitmap)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, chain, bench::chain_workload, kNone)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, fanin, bench::fanin_workload, kNone)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, slices, bench::slices_workload, kNone)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace depscope
