#include "scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace depscope::runtime {
namespace {

constexpr std::uint32_t kClusters = 8;
constexpr std::uint32_t kThreads = 4;

void change(std::int64_t& value, const Event& e) {
  EXPECT_EQ(value, e.old_value) << "old value of " << event_kind_name(e.kind) << ", subject " << e.subject << ", object "
                                << e.object;
  value = e.new_value;
}

}  // namespace

// ---------------------------------------------------------------- the state by its events

void ScenarioSink::event(const Event& e) {
  bool late = false;
  if (e.kind == EventKind::TensorMapHit) {
    late = view.at(accesses.at(e.object).task).state == static_cast<std::int64_t>(TaskState::Consumed);
  }
  events.push_back(e);
  lagging.push_back(late);
  fold(e);
}

bool ScenarioSink::producers_completed(std::uint32_t task) const {
  return std::all_of(edges.begin(), edges.end(), [&](const EdgeRow& e) {
    return e.consumer != task || (e.flags & kWait) == 0 ||
           view[e.producer].state >= static_cast<std::int64_t>(TaskState::Completed);
  });
}

bool ScenarioSink::fold_task(const Event& e) {
  if (e.subject >= view.size()) return false;
  TaskView& t = view[e.subject];
  switch (e.kind) {
    case EventKind::Submit: t.state = static_cast<std::int64_t>(TaskState::Pending); return false;  // also the ring's
    case EventKind::Ready:
      EXPECT_EQ(t.have, t.need) << "task " << e.subject << " is not ready";
      change(t.state, e);
      return true;
    case EventKind::Dispatch:
      EXPECT_TRUE(producers_completed(e.subject)) << "task " << e.subject << " overtakes one that it waits for";
      change(t.state, e);
      return true;
    case EventKind::Complete:
    case EventKind::Consume: change(t.state, e); return true;
    case EventKind::WaitCount: change(t.have, e); return true;
    case EventKind::Need: change(t.need, e); return true;
    case EventKind::PinClaim: change(t.claimed, e); return true;
    case EventKind::PinRelease: change(t.released, e); return true;
    case EventKind::ScopeRelease: change(t.scope_released, e); return true;
    case EventKind::Release: change(t.own_release, e); return true;
    case EventKind::PayloadFlush:
      t.edges = e.object;
      t.waits = e.extra;
      return true;
    case EventKind::ReachPublish: t.reach = e.new_value; return true;
    case EventKind::SlotReset:
      t.slot = e.object;
      t.generation = e.new_value;
      return true;
    case EventKind::WalkNode: ++t.visited; return true;
    case EventKind::AbortSubmit: t.aborted = true; return true;
    default: return false;
  }
}

bool ScenarioSink::fold_ring(const Event& e) {
  if (e.object >= kRingCount) return false;
  RingView& r = rings[e.object];
  switch (e.kind) {
    case EventKind::Submit: change(r.next, e); return true;
    case EventKind::Watermark: change(r.watermark, e); return true;
    case EventKind::Publish: change(r.published, e); return true;
    case EventKind::HeapAlloc: change(r.heap_top, e); return true;
    case EventKind::HeapFree: change(r.heap_tail, e); return true;
    case EventKind::HeapGuard: change(r.guard, e); return true;
    case EventKind::DepReclaim: change(r.dep_tail, e); return true;
    case EventKind::SpillReclaim: change(r.spill_tail, e); return true;
    case EventKind::SpillTake: change(r.spill_top, e); return true;
    case EventKind::Request: change(r.request, e); return true;
    case EventKind::Acknowledge: change(r.acknowledged, e); return true;
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry: change(r.pending, e); return true;
    default: return false;
  }
}

void ScenarioSink::fold(const Event& e) {
  if (fold_task(e) || fold_ring(e)) return;
  switch (e.kind) {
    case EventKind::NodeTake: change(rings[ring_of(tasks.at(e.subject).id)].dep_top, e); return;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::EdgeLost: change(flags[e.subject], e); return;
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup: change(entries, e); return;
    case EventKind::QueuePush: queues.at(e.object).push_back(e.subject); return;
    case EventKind::QueuePop:
      EXPECT_EQ(queues.at(e.object).front(), e.subject);
      queues.at(e.object).pop_front();
      return;
    case EventKind::Place: cores[e.object].push_back(e.subject); return;
    case EventKind::Observe: {
      std::deque<std::uint32_t>& on = cores[e.object];
      ASSERT_LT(e.extra, on.size());
      on.erase(on.begin() + e.extra);
      return;
    }
    case EventKind::Defer: buffers[e.object].push_back(e.subject); return;
    case EventKind::ReleaseBegin:
      EXPECT_EQ(buffers[e.object].back(), e.subject);
      buffers[e.object].pop_back();
      return;
    case EventKind::Error:
      EXPECT_EQ(error, 0) << "a second error";
      error = e.new_value;
      error_class = static_cast<ErrorClass>(e.extra);
      return;
    default: return;
  }
}

// ---------------------------------------------------------------- the program

namespace {

/// The scenarios are run again with a fault in the model; see mutation_test.cpp.
ModelOptions mutated(ModelOptions options) {
  if (const char* number = std::getenv("DEPSCOPE_TEST_MUTATION"))
    options.mutation = static_cast<Mutation>(std::strtoul(number, nullptr, 10) % kMutationCount);
  return options;
}

}  // namespace

Scenario::Scenario(const ModelOptions& given) : options(given), model(mutated(given), sink) {}

std::uint32_t Scenario::submit(const Submission& submission) {
  const SubmitResult result = model.submit(submission);
  if (result.row != kNoRow) outputs_[result.row].assign(result.outputs.begin(), result.outputs.end());
  return result.row;
}

std::uint32_t Scenario::submit(std::vector<Argument> args, std::vector<ExplicitDep> deps) {
  Submission s = kernel();
  s.args = std::move(args);
  s.deps = std::move(deps);
  return submit(s);
}

std::uint32_t Scenario::allocate(std::uint32_t bytes) {
  Submission s;
  s.kind = TaskKind::Alloc;
  s.args = {out(bytes)};
  return submit(s);
}

TensorDescriptor Scenario::output(std::uint32_t task, std::size_t position) const { return outputs_.at(task).at(position); }

// ---------------------------------------------------------------- the schedule

std::uint32_t Scenario::thread_of(std::uint32_t core) const {
  const Topology topology = topology_of(options);
  const std::uint32_t cluster = core < topology.clusters ? core : (core - topology.clusters) / 2;
  return cluster % topology.scheduler_threads;
}

bool Scenario::perform(const Action& action) {
  const bool done = model.perform(action);
  EXPECT_TRUE(done) << action_kind_name(action.kind) << " is not possible now";
  while (done && options.schedule.granularity == Granularity::Fine) {
    const std::vector<Action> actions = model.enabled();
    const auto begun =
        std::find_if(actions.begin(), actions.end(), [](const Action& a) { return a.kind == ActionKind::Continue; });
    if (begun == actions.end()) break;
    model.perform(*begun);
  }
  return done;
}

void Scenario::place_front(QueueId queue) {
  const Action* best = nullptr;
  std::size_t best_load = 0;
  const std::vector<Action> actions = model.enabled();
  for (const Action& a : actions) {
    if (queue == QueueId::Dummy ? a.kind != ActionKind::Drain : a.kind != ActionKind::Dispatch || a.queue != queue) continue;
    // A thread with nothing to release keeps the releases apart; an idle core keeps the ends apart.
    std::size_t load = sink.buffers[a.thread].size() * 2;
    if (a.core != kNoRow) load += sink.cores[a.core].size() * 1000;
    for (const auto& [core, tasks] : sink.cores) load += thread_of(core) == a.thread ? tasks.size() : 0;
    if (best != nullptr && load >= best_load) continue;
    best = &a;
    best_load = load;
  }
  ASSERT_NE(best, nullptr) << "no place for the first task of queue " << queue_name(queue);
  perform(*best);
}

void Scenario::start(std::uint32_t task) {
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const auto waits = [&] { return std::find(sink.queues[q].begin(), sink.queues[q].end(), task) != sink.queues[q].end(); };
    while (waits() && !::testing::Test::HasFatalFailure()) place_front(static_cast<QueueId>(q));
  }
}

void Scenario::complete(std::uint32_t task) {
  start(task);
  if (state(task) == "C") return;  // drained
  ASSERT_TRUE(running(task)) << "task " << task << " is not ready: " << show(task);
  for (const auto& [core, tasks] : std::map(sink.cores)) {
    if (tasks.empty() || tasks.front() != task) continue;
    perform({.kind = ActionKind::Finish, .core = core});
    perform({.kind = ActionKind::Observe, .thread = thread_of(core), .core = core});
  }
  EXPECT_EQ(state(task) == "P", false);
}

void Scenario::release(std::uint32_t task) {
  for (const auto& [thread, buffer] : sink.buffers) {
    if (buffer.empty() || buffer.back() != task) continue;
    perform({.kind = ActionKind::Release, .thread = thread});
    return;
  }
  ADD_FAILURE() << "the release of task " << task << " is the last entry of no buffer";
}

void Scenario::run_all() {
  for (std::size_t steps = 0; steps < 1000000; ++steps) {
    const std::vector<Action> actions = model.enabled();
    if (actions.empty()) return;
    perform(actions.front());
  }
  ADD_FAILURE() << "the run does not end";
}

void Scenario::finish() {
  model.finish();
  EXPECT_EQ(model.error_code(), 0);
  for (std::uint32_t t = 0; t < sink.view.size(); ++t) EXPECT_EQ(state(t), "Z") << "task " << t << ": " << show(t);
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    EXPECT_EQ(ring(r).watermark, ring(r).next) << "ring " << r;
    EXPECT_EQ(ring(r).published, ring(r).next) << "ring " << r;
  }
}

// ---------------------------------------------------------------- the view

std::string Scenario::state(std::uint32_t row) const {
  switch (static_cast<TaskState>(task(row).state)) {
    case TaskState::Completed: return "C";
    case TaskState::Consumed: return "Z";
    default: return "P";
  }
}

std::string Scenario::pins(std::uint32_t row) const { return fmt::format("{}/{}", task(row).released, task(row).claimed); }
std::string Scenario::ready(std::uint32_t row) const { return fmt::format("{}/{}", task(row).have, task(row).need); }

std::string Scenario::show(std::uint32_t row) const {
  return fmt::format("{}, ready {}, pins {}, scope {}", state(row), ready(row), pins(row), task(row).scope_released);
}

bool Scenario::queued(std::uint32_t row) const {
  return std::any_of(sink.queues.begin(), sink.queues.end(),
                     [row](const auto& queue) { return std::find(queue.begin(), queue.end(), row) != queue.end(); });
}

bool Scenario::running(std::uint32_t row) const { return task(row).state == static_cast<std::int64_t>(TaskState::Running); }

std::uint32_t Scenario::edge(std::uint32_t producer, std::uint32_t consumer) const {
  for (std::uint32_t e = 0; e < sink.edges.size(); ++e) {
    if (sink.edges[e].producer == producer && sink.edges[e].consumer == consumer) return e;
  }
  return kNoRow;
}

std::int64_t Scenario::flags(std::uint32_t producer, std::uint32_t consumer) const {
  const std::uint32_t row = edge(producer, consumer);
  if (row == kNoRow || sink.edges[row].at_add == ProducerStatus::Gone) return -1;
  const auto now = sink.flags.find(row);
  return now == sink.flags.end() ? 0 : now->second;
}

std::int64_t Scenario::constructed(std::uint32_t producer, std::uint32_t consumer) const {
  const std::uint32_t row = edge(producer, consumer);
  return row == kNoRow ? -1 : std::int64_t{sink.edges[row].flags};
}

std::size_t Scenario::count(EventKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(sink.events.begin(), sink.events.end(), [kind](const Event& e) { return e.kind == kind; }));
}

std::size_t Scenario::first(EventKind kind, std::uint32_t subject, std::size_t from) const {
  for (std::size_t i = from; i < sink.events.size(); ++i) {
    if (sink.events[i].kind == kind && sink.events[i].subject == subject) return i;
  }
  ADD_FAILURE() << "no event " << event_kind_name(kind) << " of " << subject << " after " << from;
  return sink.events.size();
}

bool Scenario::found(RunFindingKind kind) const {
  return std::any_of(sink.findings.begin(), sink.findings.end(), [kind](const RunFinding& f) { return f.kind == kind; });
}

const RunFinding& Scenario::finding(RunFindingKind kind) const {
  static const RunFinding none;
  for (const RunFinding& f : sink.findings) {
    if (f.kind == kind) return f;
  }
  ADD_FAILURE() << "no such finding";
  return none;
}

// ---------------------------------------------------------------- both platforms

ModelOptions Bench::options() const {
  ModelOptions o;
  o.platform = platform_;
  o.reduction = {.kind = ReductionKind::Bitmap, .window = 64};
  o.schedule.kind = ScheduleKind::Manual;
  o.schedule.granularity = granularity_;
  o.clusters = kClusters;
  o.scheduler_threads = kThreads;
  return o;
}

Scenario& Bench::run(const ModelOptions& options) { return *runs_.emplace_back(std::make_unique<Scenario>(options)); }

namespace {

/// What an unpublished watermark delays or adds on a5: the TensorMap's and heap's look at it, what the pools give back, and waits
/// that the publication alone ends.
bool delayed(EventKind kind) {
  switch (kind) {
    case EventKind::Config:
    case EventKind::Publish:
    case EventKind::Request:
    case EventKind::Acknowledge:
    case EventKind::TensorMapSync:
    case EventKind::TensorMapCleanup:
    case EventKind::HeapFree:
    case EventKind::HeapGuard:
    case EventKind::DepReclaim:
    case EventKind::SpillReclaim: return true;
    default: return false;
  }
}

std::vector<std::string> stream_of(const Scenario& run) {
  std::vector<Event> kept;
  for (std::size_t i = 0; i < run.sink.events.size(); ++i) {
    Event e = run.sink.events[i];
    if (delayed(e.kind) || run.sink.lagging[i]) continue;
    if (e.kind == EventKind::DepSkip) e.extra = 0;  // by the watermark or by the generation
    // Entries in use depend on the last clean-up, used units of a resource on the last look at the watermark.
    if (e.kind == EventKind::TensorMapInsert || e.kind == EventKind::TensorMapRemove) e.old_value = e.new_value = 0;
    if (e.kind == EventKind::Block || e.kind == EventKind::Unblock) e.old_value = 0;
    const bool unblocked = e.kind == EventKind::Unblock && !kept.empty() && kept.back().kind == EventKind::Block;
    const bool unlocked =
        e.kind == EventKind::AdvanceLock && e.new_value == 0 && !kept.empty() && kept.back().kind == EventKind::AdvanceLock;
    if (unblocked || unlocked) {
      kept.pop_back();  // nothing happened in between but publication
    } else {
      kept.push_back(e);
    }
  }
  std::vector<std::string> out;
  for (const Event& e : kept) {
    out.push_back(fmt::format("{} actor {} subject {} object {} extra {}: {} to {}", event_kind_name(e.kind), e.actor, e.subject,
                              e.object, e.extra, e.old_value, e.new_value));
  }
  return out;
}

std::vector<std::string> end_of(const Scenario& run) {
  std::vector<std::string> out;
  for (std::uint32_t t = 0; t < run.sink.tasks.size(); ++t) {
    const TaskRow& row = run.sink.tasks[t];
    out.push_back(fmt::format("task {:#x} slot {} heap {}..{}: {}", row.id, row.slot, row.heap_begin, row.heap_end, run.show(t)));
  }
  for (const EdgeRow& e : run.sink.edges) {
    out.push_back(fmt::format("edge {} {} flags {} {} provenance {} via {} status {} {}", e.producer, e.consumer, e.flags,
                              e.flags_final, e.provenance, e.via, static_cast<int>(e.at_add), static_cast<int>(e.at_wiring)));
  }
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const RingView& ring = run.ring(r);
    out.push_back(fmt::format("ring next {} watermark {} heap {} nodes taken {} spills taken {}", ring.next, ring.watermark,
                              ring.heap_top, ring.dep_top, ring.spill_top));
  }
  for (const RunFinding& f : run.sink.findings) {
    out.push_back(fmt::format("finding {} task {} other {} code {} class {}", static_cast<int>(f.kind), f.task, f.other, f.code,
                              static_cast<int>(f.error_class)));
  }
  out.push_back(fmt::format("error {} class {}", run.sink.error, static_cast<int>(run.sink.error_class)));
  return out;
}

void expect_same(const std::vector<std::string>& first, const std::vector<std::string>& second, std::size_t run) {
  const std::size_t common = std::min(first.size(), second.size());
  for (std::size_t i = 0; i < common; ++i) {
    ASSERT_EQ(first[i], second[i]) << "run " << run << ", entry " << i;
  }
  ASSERT_EQ(first.size(), second.size()) << "run " << run << ", first entry without partner: "
                                         << (first.size() > common ? first[common] : second[common]);
}

void expect_same_runs(const std::function<void(Bench&)>& scenario, Bench& first, Bench& second) {
  scenario(first);
  scenario(second);
  ASSERT_EQ(first.runs().size(), second.runs().size());
  for (std::size_t i = 0; i < first.runs().size(); ++i) {
    expect_same(stream_of(*first.runs()[i]), stream_of(*second.runs()[i]), i);
    expect_same(end_of(*first.runs()[i]), end_of(*second.runs()[i]), i);
  }
}

std::string parameter_name(const ::testing::TestParamInfo<Platform>& parameter) {
  return std::string(platform_name(parameter.param));
}

}  // namespace

void expect_aligned(const std::function<void(Bench&)>& scenario) {
  Bench a2a3(Platform::A2A3);
  Bench a5(Platform::A5);
  expect_same_runs(scenario, a2a3, a5);
}

void expect_same_steps(const std::function<void(Bench&)>& scenario, Platform platform) {
  Bench coarse(platform);
  Bench fine(platform, Granularity::Fine);
  expect_same_runs(scenario, coarse, fine);
}

INSTANTIATE_TEST_SUITE_P(Scenario, OnPlatform, ::testing::Values(Platform::A2A3, Platform::A5), parameter_name);
INSTANTIATE_TEST_SUITE_P(Scenario, FineSteps, ::testing::Values(Platform::A2A3, Platform::A5), parameter_name);

}  // namespace depscope::runtime
