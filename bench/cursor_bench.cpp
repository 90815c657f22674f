// The cursor on a recording of the model with 23 million events (480,000 tasks), and the same tasks as a summary.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>

#include "depscope/replay/cursor.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/watch.h"
#include "model_recording.h"

namespace depscope {
namespace {

using recording::Recording;
using replay::Cursor;

constexpr std::uint32_t kTasks = 480'000;

const Recording& full_recording() {
  static const Recording made = bench::model_recording(kTasks, runtime::EventLevel::Full);
  return made;
}

const Recording& summary_recording() {
  static const Recording made = bench::model_recording(kTasks, runtime::EventLevel::Summary);
  return made;
}

/// One cursor for all; the index of events by task is made.
Cursor& cursor() {
  static const auto made = [] {
    auto out = std::make_unique<Cursor>(full_recording());
    out->next_of_task(0);
    return out;
  }();
  return *made;
}

/// Others may use the machine, too.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Keeps the slowest turn, in processor time, beside the mean.
class Turns {
 public:
  explicit Turns(benchmark::State& state) : state_(state) {}
  ~Turns() { state_.counters["slowest_ms"] = slowest_; }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  template <class F>
  void time(F&& f) {
    const double begin = processor_ms();
    f();
    slowest_ = std::max(slowest_, processor_ms() - begin);
  }
  std::uint32_t below(std::uint32_t bound) {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((random_ >> 32U) % bound);
  }

 private:
  benchmark::State& state_;
  std::uint64_t random_ = 1;
  double slowest_ = 0;
};

void open_cursor(benchmark::State& state, const Recording& (*recording)()) {
  const Recording& r = recording();
  for (auto _ : state) {
    const Cursor opened(r);
    state.counters["bytes"] = static_cast<double>(opened.bytes());
    state.counters["bytes_an_event"] = static_cast<double>(opened.bytes()) / opened.size();
  }
  state.counters["events"] = r.events.rows();
  state.counters["tasks"] = r.tasks.rows();
  state.counters["edges"] = r.edges.rows();
  state.counters["accesses"] = r.accesses.rows();
}

void index_tasks(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    Cursor opened(full_recording());
    state.ResumeTiming();
    opened.next_of_task(0);
    state.counters["bytes"] = static_cast<double>(opened.bytes());
  }
}

void seek_anywhere(benchmark::State& state) {
  Cursor& c = cursor();
  Turns turns(state);
  for (auto _ : state) turns.time([&] { c.seek(turns.below(c.size())); });
}

/// Half-way between two keyframes, all of them in turn: nothing is further away.
void seek_between_keyframes(benchmark::State& state) {
  Cursor& c = cursor();
  Turns turns(state);
  const std::uint32_t half = c.size() / 128;
  std::uint32_t at = 0;
  for (auto _ : state) {
    at = (at + 37) % 64;
    turns.time([&] { c.seek(at * (c.size() / 64) + half); });
  }
}

void step_forward(benchmark::State& state) {
  Cursor& c = cursor();
  c.seek(0);
  for (auto _ : state) {
    if (!c.step()) c.seek(0);
  }
}

void step_back(benchmark::State& state) {
  Cursor& c = cursor();
  c.seek(c.size());
  for (auto _ : state) {
    if (!c.back()) c.seek(c.size());
  }
}

/// A move from random places, without the way there.
void move(benchmark::State& state, const char* text) {
  Cursor& c = cursor();
  const replay::Move move = replay::parse_move(c, text);
  Turns turns(state);
  std::uint32_t moved = 0;
  for (auto _ : state) {
    state.PauseTiming();
    c.seek(turns.below(c.size()));
    state.ResumeTiming();
    turns.time([&] { moved += replay::perform(c, move).moved ? 1U : 0U; });
  }
  state.counters["moved"] = moved;
}

/// All that a debugger shows, at random places.
void questions(benchmark::State& state) {
  Cursor& c = cursor();
  Turns turns(state);
  std::size_t answers = 0;
  for (auto _ : state) {
    state.PauseTiming();
    c.seek(turns.below(c.size()));
    state.ResumeTiming();
    turns.time([&] {
      for (std::uint8_t s = 0; s < 6; ++s) answers += tasks_in(c, static_cast<runtime::TaskState>(s), 20).rows.size();
      for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) answers += heap_map(c, ring).size();
      answers += tensormap_entries(c, 100'000)->total + open_scopes(c).size() + busy_cores(c)->size();
      const auto running = tasks_in(c, runtime::TaskState::Running, 20);
      for (const std::uint32_t task : running.rows) answers += holders_of(c, task).size();
    });
  }
  benchmark::DoNotOptimize(answers);
}

}  // namespace

BENCHMARK_CAPTURE(open_cursor, full, full_recording)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(open_cursor, summary, summary_recording)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(index_tasks)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(seek_anywhere)->Unit(benchmark::kMillisecond)->Iterations(1000);
BENCHMARK(seek_between_keyframes)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(step_forward);
BENCHMARK(step_back);
BENCHMARK(questions)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(move, next_kind, "next kind=complete")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, next_kind_absent, "next kind=error")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, previous_kind_absent, "previous kind=error")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, next_task, "next task=t240000")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, next_kind_and_actor, "next kind=complete actor=250")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, next_scope, "next scope=3700")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, next_scope_tasks, "next scope=3700+tasks")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, previous_tensor, "previous tensor=10")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, previous_tensor_tasks, "previous tensor=200000+tasks")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, change_task, "change task:t240000.released")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, change_ring, "change ring:2.heap_tail")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, change_slot, "change-back slot:r2.77")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, change_core, "change core:5.pending")->Unit(benchmark::kMillisecond)->Iterations(100);
BENCHMARK_CAPTURE(move, change_of_what_stays, "change config:clusters")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK_CAPTURE(move, change_scope, "change-back scope:3700")->Unit(benchmark::kMillisecond)->Iterations(50);

}  // namespace depscope
