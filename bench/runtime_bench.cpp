// Dependency discovery and the canonical schedule, from submissions in memory to a sink that only counts.
#include <benchmark/benchmark.h>

#include "depscope/runtime/model.h"
#include "trace_workloads.h"

namespace depscope {
namespace {

using Workload = void (*)(std::uint64_t, const bench::SubmissionSink&);

void run(benchmark::State& state, Workload workload, runtime::ReductionOptions reduction) {
  const auto tasks = static_cast<std::uint64_t>(state.range(0));
  runtime::ModelOptions options;
  options.lift_limits();  // the workloads have no scopes
  options.reduction = reduction;
  options.events = tasks <= 100000 ? runtime::EventLevel::Full : runtime::EventLevel::Summary;
  std::uint64_t edges = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    runtime::CountingRuntimeSink sink;
    runtime::Model model(options, sink);
    workload(tasks, [&model](const runtime::Submission& s) { model.submit(s); });
    model.finish();
    edges = sink.edges;
    events = sink.events;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks) * state.iterations());
  state.counters["edges"] = static_cast<double>(edges);
  state.counters["events"] = static_cast<double>(events);
}

const runtime::ReductionOptions kNone{.kind = runtime::ReductionKind::None};
const runtime::ReductionOptions kBitmap{.kind = runtime::ReductionKind::Bitmap, .window = 64};
const runtime::ReductionOptions kWide{.kind = runtime::ReductionKind::Bitmap, .window = 256};
const runtime::ReductionOptions kExact{.kind = runtime::ReductionKind::Exact};
const runtime::ReductionOptions kOneHop{.kind = runtime::ReductionKind::OneHop};

BENCHMARK_CAPTURE(run, mixed, bench::mixed_workload, kNone)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, mixed_bitmap64, bench::mixed_workload, kBitmap)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, mixed_bitmap256, bench::mixed_workload, kWide)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, mixed_exact, bench::mixed_workload, kExact)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, mixed_one_hop, bench::mixed_workload, kOneHop)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, chain, bench::chain_workload, kNone)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, fanin, bench::fanin_workload, kNone)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, slices, bench::slices_workload, kNone)->Arg(10000)->Arg(30000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace depscope
