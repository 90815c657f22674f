// Comparing two recordings with a million edges a side, matched in each of the three ways, and reading a deps.json.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "depscope/recording/recorder.h"
#include "depscope/replay/compare.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/deps_json_reader.h"
#include "depscope/runtime/model.h"
#include "trace_workloads.h"

namespace {

using depscope::recording::kNoRow;
using depscope::recording::Recording;
namespace runtime = depscope::runtime;
namespace replay = depscope::replay;

constexpr std::uint64_t kTasks = 560'000;  // of the mixed workload, which has nearly two edges a task

enum class Change : std::uint8_t { None, ForgottenEdges, InsertedTask };

/// The mixed workload as a recording. A task that is inserted in the middle moves all ids behind it.
Recording mixed(Change change) {
  Recording r;
  depscope::recording::RuntimeRecorder recorder(r);
  runtime::ModelOptions options;
  options.lift_limits();  // the workloads have no scopes
  options.events = runtime::EventLevel::Summary;
  runtime::Model model(options, recorder);
  std::uint64_t count = 0;
  std::uint64_t asked_for = 0;
  runtime::Submission other;
  depscope::bench::mixed_workload(kTasks, [&](const runtime::Submission& s) {
    ++count;
    if (change == Change::ForgottenEdges && !s.deps.empty() && ++asked_for % 100 == 0) {
      other = s;
      other.deps.clear();
      model.submit(other);
      return;
    }
    model.submit(s);
    if (change == Change::InsertedTask && count == kTasks / 2) {
      other = s;
      other.args.clear();
      other.deps.clear();
      other.forced_id = runtime::make_task_id(3, 0x7fffffffU);
      model.submit(other);
    }
  });
  model.finish();
  if (change == Change::InsertedTask) {
    // As a run that numbers its tasks otherwise would have it.
    for (std::uint32_t t = r.tasks.rows() / 2; t < r.tasks.rows(); ++t) r.tasks.id[t] += 1;
  }
  return r;
}

/// As if a program with 64 call sites in one loop had submitted it.
Recording with_call_sites(Recording r, bool renumbered) {
  const std::uint32_t function = r.functions.rows();
  r.functions.name.push_back(r.strings.add("main"));
  r.functions.kind.push_back(r.strings.add("Orchestration"));
  r.functions.auto_scope.push_back(1);
  r.functions.compiler_manual_candidate.push_back(0);
  r.functions.line.push_back(1);
  for (std::uint32_t site = 0; site < 64; ++site) {
    depscope::recording::CallSitesTable::columns(r.call_sites, [](std::string_view, auto& values, auto) { values.push_back(0); });
    r.call_sites.function.back() = function;
    r.call_sites.index.back() = site;
    r.call_sites.callee.back() = r.strings.add("kernel_" + std::to_string(site));
  }
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    r.tasks.call_site[t] = t % 64;
    r.tasks.iteration_begin[t] = static_cast<std::uint32_t>(r.pool.size());
    r.tasks.iteration_begin_count[t] = 1;
    r.pool.push_back(t / 64);
    if (renumbered) r.tasks.id[t] += 64;
  }
  return r;
}

void compare(benchmark::State& state, const Recording& a, const Recording& b) {
  replay::Comparison last;
  for (auto _ : state) {
    last = replay::compare(a, b);
    benchmark::DoNotOptimize(last.total());
  }
  state.SetLabel(std::string(replay::aligned_by_name(last.alignment.by)));
  state.counters["edges"] = last.a.edges;
  state.counters["differences"] = static_cast<double>(last.total());
}

const Recording& plain() {
  static const Recording r = mixed(Change::None);
  return r;
}

void by_id_equal(benchmark::State& state) { compare(state, plain(), plain()); }

void by_id_forgotten_edges(benchmark::State& state) {
  static const Recording b = mixed(Change::ForgottenEdges);
  compare(state, plain(), b);
}

void by_kernel_inserted_task(benchmark::State& state) {
  static const Recording b = mixed(Change::InsertedTask);
  compare(state, plain(), b);
}

void by_call_site(benchmark::State& state) {
  static const Recording a = with_call_sites(plain(), false);
  static const Recording b = with_call_sites(plain(), true);
  compare(state, a, b);
}

void read_deps_json(benchmark::State& state) {
  static const depscope::SourceFile source("bench.deps.json", replay::deps_json(plain(), replay::DepsSchema::Upstream));
  for (auto _ : state) benchmark::DoNotOptimize(replay::read_deps_json(source).recording.edges.rows());
  state.SetBytesProcessed(static_cast<std::int64_t>(source.text().size()) * static_cast<std::int64_t>(state.iterations()));
}

}  // namespace

BENCHMARK(by_id_equal)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(by_id_forgotten_edges)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(by_kernel_inserted_task)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(by_call_site)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(read_deps_json)->Unit(benchmark::kMillisecond)->Iterations(1);
