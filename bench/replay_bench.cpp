// Recording files and the cursor on made-up recordings of 100,000 and 1,000,000 tasks (about 47 events and 1.5 edges a task).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "depscope/replay/cursor.h"
#include "depscope/replay/file.h"
#include "synthetic_recording.h"

namespace {

using depscope::recording::Recording;

const Recording& recording_of(std::int64_t tasks) {
  static std::map<std::int64_t, Recording> made;
  const auto [at, fresh] = made.try_emplace(tasks);
  if (fresh)
    at->second =
        depscope::replay::synthetic_recording({.tasks = static_cast<std::uint32_t>(tasks), .cores = 24, .in_flight = 2000});
  return at->second;
}

std::string file_of(std::int64_t tasks) {
  return (std::filesystem::temp_directory_path() / ("depscope-bench-" + std::to_string(tasks) + ".depscope")).string();
}

void sizes(benchmark::State& state, const Recording& recording) {
  state.counters["events"] = recording.events.rows();
  state.counters["edges"] = recording.edges.rows();
}

void save(benchmark::State& state) {
  const Recording& recording = recording_of(state.range(0));
  for (auto _ : state) depscope::replay::save(recording, file_of(state.range(0)));
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(file_of(state.range(0))));
  sizes(state, recording);
}

void load(benchmark::State& state) {
  depscope::replay::save(recording_of(state.range(0)), file_of(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(depscope::replay::load(file_of(state.range(0))).events.rows());
  sizes(state, recording_of(state.range(0)));
  std::filesystem::remove(file_of(state.range(0)));
}

void open_cursor(benchmark::State& state) {
  const Recording& recording = recording_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(depscope::replay::Cursor(recording).size());
  sizes(state, recording);
}

void seek_anywhere(benchmark::State& state) {
  depscope::replay::Cursor cursor(recording_of(state.range(0)));
  std::uint64_t random = 1;
  double slowest = 0;
  for (auto _ : state) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto begin = std::chrono::steady_clock::now();
    cursor.seek(static_cast<std::uint32_t>((random >> 32U) % cursor.size()));
    slowest = std::max(slowest, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  state.counters["slowest_ms"] = slowest;
  sizes(state, recording_of(state.range(0)));
}

void step_forward(benchmark::State& state) {
  depscope::replay::Cursor cursor(recording_of(state.range(0)));
  for (auto _ : state) {
    if (!cursor.step()) cursor.seek(0);
  }
}

void step_back(benchmark::State& state) {
  depscope::replay::Cursor cursor(recording_of(state.range(0)));
  cursor.seek(cursor.size());
  for (auto _ : state) {
    if (!cursor.back()) cursor.seek(cursor.size());
  }
}

void next_of_task(benchmark::State& state) {
  depscope::replay::Cursor cursor(recording_of(state.range(0)));
  cursor.next_of_task(0);  // makes the index
  std::uint32_t task = 0;
  for (auto _ : state) {
    cursor.seek(0);
    benchmark::DoNotOptimize(cursor.next_of_task(task));
    task = (task + 7919) % static_cast<std::uint32_t>(state.range(0));
  }
}

}  // namespace

BENCHMARK(save)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(load)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(open_cursor)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(seek_anywhere)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(step_forward)->Arg(1'000'000);
BENCHMARK(step_back)->Arg(1'000'000);
BENCHMARK(next_of_task)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(50);
