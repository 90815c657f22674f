// A run of the model by hand, for the scenarios of runtime.md 12: the test decides what the schedulers do, and reads the state
// of the machine from the events alone.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "recorded_run.h"

namespace depscope::runtime {

/// What the events so far say of a task. The counters of a reclaimed task are the last ones before its slot was reset.
struct TaskView {
  std::int64_t state = 0;
  std::int64_t have = 0, need = 0;
  std::int64_t claimed = 0, released = 0;  ///< consumer references
  std::int64_t scope_released = 0;
  std::int64_t own_release = 0;
  std::int64_t edges = 0, waits = 0;  ///< as the payload was flushed
  std::int64_t reach = -1;
  std::int64_t slot = -1, generation = 0;
  std::uint64_t visited = 0;  ///< fanout nodes that its completion walked
  bool aborted = false;
};

struct RingView {
  std::int64_t next = 0, watermark = 0, published = 0;
  std::int64_t heap_top = 0, heap_tail = 0, guard = -1;
  std::int64_t dep_top = 1, dep_tail = 1;
  std::int64_t spill_top = 1, spill_tail = 1;
  std::int64_t request = 0, acknowledged = 0, pending = 0;
  [[nodiscard]] std::int64_t nodes() const { return dep_top - dep_tail; }
  [[nodiscard]] std::int64_t spilled() const { return spill_top - spill_tail; }
};

/// Keeps everything and folds the events; an old value that is not the state's is a failure.
class ScenarioSink final : public RuntimeSink {
 public:
  void task(const TaskRow& row, const std::vector<std::uint32_t>&) override {
    tasks.push_back(row);
    view.emplace_back();
  }
  void access(const AccessRow& row) override { accesses.push_back(row); }
  void edge(const EdgeRow& row) override { edges.push_back(row); }
  void edge_reason(const EdgeReasonRow& row) override { reasons.push_back(row); }
  void scope(const ScopeRow& row) override { scopes.push_back(row); }
  void finding(const RunFinding& row) override { findings.push_back(row); }
  void event(const Event& e) override;

  std::vector<TaskRow> tasks;
  std::vector<AccessRow> accesses;
  std::vector<EdgeRow> edges;
  std::vector<EdgeReasonRow> reasons;
  std::vector<ScopeRow> scopes;
  std::vector<RunFinding> findings;
  std::vector<Event> events;
  std::vector<bool> lagging;  ///< by event: a TensorMap hit on a task that is gone already

  std::vector<TaskView> view;
  std::array<RingView, kRingCount> rings;
  std::map<std::uint32_t, std::int64_t> flags;  ///< by edge row
  std::array<std::deque<std::uint32_t>, kQueueCount> queues;
  std::map<std::uint32_t, std::vector<std::uint32_t>> buffers;  ///< by scheduler thread
  std::map<std::uint32_t, std::deque<std::uint32_t>> cores;     ///< running, pending
  std::int64_t entries = 0;
  std::int64_t error = 0;
  ErrorClass error_class = ErrorClass::None;

 private:
  void fold(const Event& e);
  bool fold_task(const Event& e);
  /// All that it waits for by construction, reduced or not.
  [[nodiscard]] bool producers_completed(std::uint32_t task) const;
  bool fold_ring(const Event& e);
};

class Scenario {
 public:
  explicit Scenario(const ModelOptions& options);

  // The program. A task is named by its row; kNoRow if the submit failed.
  std::uint32_t submit(std::vector<Argument> args = {}, std::vector<ExplicitDep> deps = {});
  std::uint32_t submit(const Submission& submission);
  std::uint32_t allocate(std::uint32_t bytes);
  void begin(bool manual = false) { model.begin_scope(manual); }
  void end() { model.end_scope(); }
  [[nodiscard]] TaskId id(std::uint32_t task) const { return sink.tasks.at(task).id; }
  [[nodiscard]] TensorDescriptor output(std::uint32_t task, std::size_t position = 0) const;
  [[nodiscard]] ExplicitDep dep(std::uint32_t task, std::uint8_t flags = kWaitRetain) const {
    return {.task = id(task), .flags = flags};
  }
  [[nodiscard]] ExplicitDep wait_on(std::uint32_t task) const { return dep(task, kWait); }

  // The schedule. What stands before a task in its queue is started too.
  void start(std::uint32_t task);
  /// Dispatch, finish, observe (a dummy task: drain); its release stays in the buffer of the thread.
  void complete(std::uint32_t task);
  void release(std::uint32_t task);  ///< must be the last entry of its thread's buffer
  void retire(std::uint32_t task) {
    complete(task);
    release(task);
  }
  /// Until nothing can happen.
  void run_all();
  /// Closes the run; all tasks must be consumed and all watermarks exact then.
  void finish();
  bool perform(const Action& action);

  // The view.
  [[nodiscard]] const TaskView& task(std::uint32_t row) const { return sink.view.at(row); }
  [[nodiscard]] const RingView& ring(std::uint32_t index = 0) const { return sink.rings.at(index); }
  /// "P, ready 1/2, pins 0/0, scope 0", in the notation of runtime.md 0.3.
  [[nodiscard]] std::string show(std::uint32_t task) const;
  [[nodiscard]] std::string state(std::uint32_t task) const;  ///< "P", "C" or "Z"
  [[nodiscard]] std::string pins(std::uint32_t task) const;   ///< "released/claimed"
  [[nodiscard]] std::string ready(std::uint32_t task) const;  ///< "have/need"
  [[nodiscard]] bool queued(std::uint32_t task) const;
  [[nodiscard]] bool running(std::uint32_t task) const;
  /// Row of the pair, kNoRow without one.
  [[nodiscard]] std::uint32_t edge(std::uint32_t producer, std::uint32_t consumer) const;
  /// Flags that the runtime has for the pair now, by the events; -1 if it has no such edge (gone or never found).
  [[nodiscard]] std::int64_t flags(std::uint32_t producer, std::uint32_t consumer) const;
  [[nodiscard]] std::int64_t constructed(std::uint32_t producer, std::uint32_t consumer) const;
  [[nodiscard]] std::size_t count(EventKind kind) const;
  /// Number of the first event of that kind with that subject, at or after `from`; fails if there is none.
  [[nodiscard]] std::size_t first(EventKind kind, std::uint32_t subject, std::size_t from = 0) const;
  [[nodiscard]] bool found(RunFindingKind kind) const;
  [[nodiscard]] const RunFinding& finding(RunFindingKind kind) const;

  ModelOptions options;
  ScenarioSink sink;
  Model model;

 private:
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t core) const;
  void place_front(QueueId queue);

  std::map<std::uint32_t, std::vector<TensorDescriptor>> outputs_;
};

/// The runs of one scenario on one platform.
class Bench {
 public:
  explicit Bench(Platform platform, Granularity granularity = Granularity::Coarse)
      : platform_(platform), granularity_(granularity) {}
  /// BITMAP(64), by hand, the same small machine for both platforms.
  [[nodiscard]] ModelOptions options() const;
  Scenario& run(const ModelOptions& options);
  Scenario& run() { return run(options()); }
  [[nodiscard]] Platform platform() const { return platform_; }
  [[nodiscard]] bool a5() const { return platform_ == Platform::A5; }
  [[nodiscard]] const std::vector<std::unique_ptr<Scenario>>& runs() const { return runs_; }

 private:
  Platform platform_;
  Granularity granularity_;
  std::vector<std::unique_ptr<Scenario>> runs_;
};

/// 12.7a: both platforms give the same events but for publication and what an unpublished watermark delays, and the same end.
void expect_aligned(const std::function<void(Bench&)>& scenario);
/// With fine granularity a scenario whose steps nobody interrupts goes the same way.
void expect_same_steps(const std::function<void(Bench&)>& scenario, Platform platform);

class OnPlatform : public ::testing::TestWithParam<Platform> {};
class FineSteps : public ::testing::TestWithParam<Platform> {};

// Where the platforms differ by design: a test on each, with both granularities.
#define DEPSCOPE_PLATFORM_SCENARIO(name)                                      \
  static void scenario_##name(Bench& bench);                                  \
  TEST_P(OnPlatform, name) {                                                  \
    Bench bench(GetParam());                                                  \
    scenario_##name(bench);                                                   \
  }                                                                           \
  TEST_P(FineSteps, name) { expect_same_steps(scenario_##name, GetParam()); } \
  static void scenario_##name(Bench& bench)

// Everywhere else the platforms are compared too (12.7a).
#define DEPSCOPE_SCENARIO(name)                               \
  static void scenario_##name(Bench& bench);                  \
  TEST(S7aAligned, name) { expect_aligned(scenario_##name); } \
  DEPSCOPE_PLATFORM_SCENARIO(name)

inline Argument in(const TensorDescriptor& tensor) { return {.kind = ArgKind::Input, .tensor = tensor, .name = 0}; }
inline Argument inout(const TensorDescriptor& tensor) { return {.kind = ArgKind::InOut, .tensor = tensor, .name = 0}; }
inline Argument existing(const TensorDescriptor& tensor) {
  return {.kind = ArgKind::OutputExisting, .tensor = tensor, .name = 0};
}
/// A FLOAT32 buffer of so many bytes.
inline Argument out(std::uint32_t bytes) {
  TensorDescriptor t;
  t.rank = 1;
  t.shape = {bytes / 4};
  return {.kind = ArgKind::Output, .tensor = t, .name = 0};
}
/// External memory: buffer number `number`.
inline TensorDescriptor external(std::uint64_t number) { return vector_of(0x100000 + number * 0x10000, 64); }

}  // namespace depscope::runtime
