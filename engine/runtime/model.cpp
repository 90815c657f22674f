#include "depscope/runtime/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "allocation.h"
#include "completion.h"
#include "depscope/base/diagnostics.h"
#include "discovery.h"
#include "dispatch.h"
#include "invariants.h"
#include "reclaim.h"
#include "reduction.h"
#include "scheduler.h"
#include "scope_plan.h"
#include "state.h"
#include "task_index.h"
#include "waiting.h"
#include "wiring.h"

namespace depscope::runtime {
namespace {

constexpr std::uint8_t kImplicitRoot = 3;
constexpr std::uint32_t kInlineIds = 64, kIdsOfOverflow = 582;  // explicit ids of a dep_gen record (runtime.md 11.1)

InputError limit_error(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  return InputError(std::move(d));
}

void check_options(const ModelOptions& o) {
  const Topology most = topology_of(o.platform);
  const Topology topology = topology_of(o);
  if (topology.clusters > most.clusters) {
    throw limit_error(fmt::format("{} clusters: {} has at most {}", topology.clusters, platform_name(o.platform), most.clusters));
  }
  if (topology.scheduler_threads > 8) {
    throw limit_error(fmt::format("{} scheduler threads: at most 8 are possible", topology.scheduler_threads));
  }
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const RingLimits& l = o.limits[r];
    if (!std::has_single_bit(l.task_window) || l.task_window < 4 || l.task_window > kMaxTaskWindow) {
      throw limit_error(fmt::format("a task window of {} slots on ring {}: a power of two from 4 to {} is needed", l.task_window,
                                    r, kMaxTaskWindow));
    }
    if (l.heap < kMinHeap || l.heap > kMaxHeap) {
      throw limit_error(fmt::format("a heap of {} bytes on ring {}: {} to {} are possible", l.heap, r, kMinHeap, kMaxHeap));
    }
    if (l.dep_pool < 4 || l.dep_pool > kMaxDepPool) {
      throw limit_error(fmt::format("a dep pool of {} nodes on ring {}: 4 to {} are possible", l.dep_pool, r, kMaxDepPool));
    }
  }
}

/// Tells whose submit goes on, until it returns.
class Submitting {
 public:
  Submitting(Waiting& waiting, const Submission& submission) : waiting_(waiting) { waiting_.describe_submit(&submission); }
  ~Submitting() { waiting_.describe_submit(nullptr); }
  Submitting(const Submitting&) = delete;
  Submitting& operator=(const Submitting&) = delete;

 private:
  Waiting& waiting_;
};

}  // namespace

struct Model::Impl {
  Impl(const ModelOptions& options, RuntimeSink& sink)
      : state(options, sink),
        completion(state, reclaim),
        dispatch(state, completion),
        scheduler(state, dispatch, completion, reclaim),
        waiting(state, scheduler, reclaim),
        discovery(state, waiting, index),
        wiring(state, waiting, completion, reclaim),
        reduction(options.reduction, options.reach_residue),
        allocation(state, waiting, reduction) {
    if (options.mutation != Mutation::None)
      reduction.mutate(options.mutation, [this](std::uint32_t task) { return state.tasks[task].id; });
    reduction.set_completed([this](std::uint32_t task) { return state.tasks[task].state >= TaskState::Completed; });
    if (options.check_invariants) {
      invariants.emplace(state, discovery, reduction);
      state.watch = &*invariants;
    }
  }

  void configuration() {
    const auto tell = [this](ConfigItem item, std::uint32_t ring, std::uint64_t value) {
      state.emit(EventKind::Config, static_cast<std::uint32_t>(item), ring, 0, static_cast<std::int64_t>(value));
    };
    tell(ConfigItem::Platform, kNoRow, static_cast<std::uint64_t>(state.options.platform));
    tell(ConfigItem::Clusters, kNoRow, state.topology.clusters);
    tell(ConfigItem::SchedulerThreads, kNoRow, state.topology.scheduler_threads);
    tell(ConfigItem::TensorMapEntries, kNoRow, state.options.tensor_map_entries);
    for (std::uint32_t r = 0; r < kRingCount; ++r) {
      tell(ConfigItem::TaskWindow, r, state.rings[r].limits.task_window);
      tell(ConfigItem::HeapBytes, r, state.rings[r].limits.heap);
      tell(ConfigItem::DepPool, r, state.rings[r].limits.dep_pool);
    }
  }

  [[nodiscard]] static bool arguments_legal(const Submission& s) {
    if (s.args.size() > kMaxTensorArgs || s.scalar_count > kMaxScalarArgs || s.block_num == 0) return false;
    if (s.kind != TaskKind::Alloc) return true;
    return !s.args.empty() && s.scalar_count == 0 &&
           std::all_of(s.args.begin(), s.args.end(), [](const Argument& a) { return a.kind == ArgKind::Output; });
  }

  [[nodiscard]] bool sync_start_fits(const Submission& s) const {
    if (!s.sync_start || s.kind != TaskKind::Kernel) return true;
    const std::uint32_t clusters = state.topology.clusters;
    return s.block_num <= (shape_of(lanes_of(s)) == Shape::Aiv ? 2 * clusters : clusters);
  }

  // ---------------------------------------------------------------- producers without record

  /// A row for a producer that no submission made: completed from the beginning.
  void stand_in(TaskId id) {
    if (id == kInvalidTask || index.find(id) != kNoRow) return;
    TaskRow row;
    row.id = id;
    row.kind = TaskKind::Alloc;
    const std::uint32_t task = allocation.take(row, nullptr, 0);
    index.set(id, task);
    discovery.skip(task);
    finish_allocation(task);
  }

  void stand_ins(const Submission& s, bool manual) {
    for (const ExplicitDep& dep : s.deps) stand_in(dep.task);
    if (manual) return;
    for (const Argument& a : s.args) {
      if (a.kind != ArgKind::Output && a.kind != ArgKind::Scalar) stand_in(a.tensor.owner);
    }
  }

  // ---------------------------------------------------------------- steps 8 to 19

  void write_accesses(const Submission& s, std::uint32_t task) {
    std::size_t output = 0;
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      const Argument& a = s.args[i];
      AccessRow row;
      row.task = task;
      row.arg = static_cast<std::uint8_t>(i);
      row.kind = a.kind;
      row.name = a.name;
      row.tensor = a.kind == ArgKind::Output ? allocation.outputs()[output++] : a.tensor;
      sink().access(row);
      ++accesses;
    }
  }

  void reduce(std::uint32_t task) {
    FaninBuilder& builder = discovery.builder();
    reduction.reduce(task, builder);
    if (state.mutated(Mutation::RetainReduced)) {
      for (FaninEdge& e : builder.edges()) {
        if (e.flags_final != e.flags) e.flags_final = kNone;
      }
    }
    if (reduction.options().kind == ReductionKind::Bitmap) {
      state.emit(EventKind::ReachPublish, task, kNoRow, 0, static_cast<std::int64_t>(*reduction.reach(task)));
    }
    for (std::size_t i = 0; i < builder.edges().size(); ++i) {
      const FaninEdge& e = builder.edges()[i];
      if (e.flags_final == e.flags || !e.taken()) continue;
      state.emit(EventKind::EdgeReduce, edge_rows + static_cast<std::uint32_t>(i), e.via, e.flags, e.flags_final);
    }
  }

  void write_edges(std::uint32_t task) {
    const std::vector<FaninEdge>& edges = discovery.builder().edges();
    for (const FaninEdge& e : edges) {
      sink().edge({.producer = e.producer,
                   .consumer = task,
                   .flags = e.flags,
                   .flags_final = e.flags_final,
                   .provenance = e.provenance,
                   .via = e.via,
                   .at_add = e.at_add,
                   .at_wiring = e.at_wiring});
    }
    edge_rows += static_cast<std::uint32_t>(edges.size());
    for (const EdgeReasonRow& reason : discovery.reasons()) sink().edge_reason(reason);
  }

  void write_descriptor(std::uint32_t task) {
    if (state.mutated(Mutation::DescriptorNotWritten)) return;
    Task& t = state.tasks[task];
    const std::int64_t before = state.descriptor_local(t);
    t.descriptor_written = true;
    state.emit(EventKind::DescriptorWrite, task, t.slot, before, std::int64_t{t.local()});
  }

  void finish_allocation(std::uint32_t task) {
    write_descriptor(task);
    wiring.flush(task, discovery.builder(), edge_rows);
    wiring.init(task);
    state.tasks[task].wired = true;
    if (state.mutated(Mutation::AllocationNeedsItself)) state.change(EventKind::Need, task, kNoRow, state.tasks[task].need, 1U);
    completion.complete_inline(task);
    state.submitting = kNoRow;
  }

  void abort(std::uint32_t task) {
    Task& t = state.tasks[task];
    t.aborted = true;
    for (FaninEdge& e : discovery.builder().edges()) {
      if (e.flags_final == 0 && e.via == kNoRow) e.flags_final = e.flags;
    }
    write_edges(task);
    state.emit(EventKind::AbortSubmit, task, kNoRow, 0, 1);
    state.submitting = kNoRow;
  }

  /// Steps 8 to 18 of a kernel or dummy task.
  bool complete_submit(const Submission& s, std::uint32_t task, std::uint32_t first_access, bool manual) {
    const std::size_t ids = s.deps.size();
    const std::size_t overflow = ids > kInlineIds ? (ids - kInlineIds + kIdsOfOverflow - 1) / kIdsOfOverflow : 0;
    state.emit(EventKind::Record, task, kNoRow, 0, static_cast<std::int64_t>(1 + overflow));
    state.pause();
    if (!discovery.run(s, {.task = task, .first_access = first_access, .first_edge = edge_rows, .manual = manual})) {
      if (discovery.invalid_id()) waiting.refuse(kInvalidArguments, task);
      abort(task);
      return false;
    }
    state.pause();
    write_descriptor(task);
    reduce(task);
    state.pause();
    wiring.flush(task, discovery.builder(), edge_rows);
    state.pause();
    wiring.init(task);
    state.pause();
    if (s.predicate_false) state.emit(EventKind::Predicate, task, kNoRow, 0, 0);
    if (!wiring.wire(task, discovery.builder())) {
      abort(task);
      return false;
    }
    write_edges(task);
    state.submitting = kNoRow;
    return true;
  }

  RuntimeSink& sink() { return state.sink; }

  State state;
  Reclaim reclaim{state};
  Completion completion;
  Dispatch dispatch;
  Scheduler scheduler;
  Waiting waiting;
  TaskIndex index;
  Discovery discovery;
  Wiring wiring;
  Reduction reduction;
  Allocation allocation;
  std::optional<InvariantWatch> invariants;
  ScopePlan plan{state.options.scope_moves};
  std::uint32_t scope_rows = 0;
  std::uint32_t accesses = 0;
  std::uint32_t edge_rows = 0;
  bool finished = false;
};

Model::Model(const ModelOptions& options, RuntimeSink& sink) {
  check_options(options);
  impl_ = std::make_unique<Impl>(options, sink);
  impl_->configuration();
  if (options.implicit_root_scope) begin_scope(false, kImplicitRoot);
}

Model::~Model() = default;

bool Model::begin_scope(bool manual, std::uint8_t owner) {
  ScopePlan& plan = impl_->plan;
  const bool left_out = plan.leave_out();
  return left_out || open_scope(manual, owner);
}

void Model::end_scope() {
  if (!impl_->plan.end_left_out()) close_scope();
}

bool Model::open_scope(bool manual, std::uint8_t owner) {
  Impl& m = *impl_;
  State& s = m.state;
  s.interleaver->point();
  if (s.error != 0) return false;
  if (s.in_manual() && !manual) {
    m.waiting.refuse(kInvalidArguments);
    return false;
  }
  if (s.scopes.size() >= kMaxOpenScopes) throw limit_error(fmt::format("more than {} scopes are open at once", kMaxOpenScopes));
  ScopeRow row;
  row.manual = manual;
  row.owner = owner;
  row.depth = static_cast<std::uint32_t>(s.scopes.size());
  row.ring = std::min(row.depth, kRingCount - 1);
  row.parent = s.scopes.empty() ? kNoRow : s.scopes.back().row;
  m.sink().scope(row);
  s.scopes.push_back({.row = m.scope_rows++,
                      .ring = row.ring,
                      .depth = row.depth,
                      .first_task = s.scope_tasks.size(),
                      .manual = manual,
                      .owner = owner});
  if (manual && !s.in_manual()) s.manual_depth = row.depth;
  s.emit(EventKind::ScopeBegin, s.scopes.back().row, kNoRow, 0, row.depth);
  return true;
}

void Model::close_scope() {
  Impl& m = *impl_;
  State& s = m.state;
  s.interleaver->point();
  if (s.error != 0 || s.scopes.empty()) return;
  const ScopeState scope = s.scopes.back();
  s.scopes.pop_back();
  if (s.manual_depth == scope.depth || (s.mutated(Mutation::ManualDepthInner) && scope.manual)) s.manual_depth = kNotManual;
  // The list keeps the tasks until their references are back; what has no scope any more belongs to the one that ends.
  s.ending_from = scope.first_task;
  s.emit(EventKind::ScopeEnd, scope.row, kNoRow, scope.depth, 0);
  for (std::size_t i = scope.first_task; i < s.scope_tasks.size(); ++i) {
    s.pause();
    m.reclaim.release_scope(s.scope_tasks[i]);
  }
  s.scope_tasks.resize(scope.first_task);
  s.ending_from = kNothingEnds;
}

SubmitResult Model::submit(const Submission& submission) {
  ScopePlan& plan = impl_->plan;
  if (!plan.any()) return submit_here(submission);
  const State& s = impl_->state;
  const std::uint64_t number = plan.next_submit();
  if (const std::optional<std::uint32_t> depth = plan.split_before(number, s)) split(*depth);
  if (plan.moves().own != number || s.scopes.empty()) return submit_here(submission);
  if (!open_scope(s.in_manual())) return {};
  SubmitResult result = submit_here(submission);
  close_scope();
  return result;
}

/// Scopes from this depth on end and begin again.
void Model::split(std::uint32_t depth) {
  struct Opened {
    bool manual;
    std::uint8_t owner;
  };
  std::vector<Opened> again;
  const State& s = impl_->state;
  for (std::size_t i = depth; i < s.scopes.size(); ++i) again.push_back({s.scopes[i].manual, s.scopes[i].owner});
  for (std::size_t i = 0; i < again.size(); ++i) close_scope();
  for (const Opened& scope : again) open_scope(scope.manual, scope.owner);
}

SubmitResult Model::submit_here(const Submission& submission) {
  Impl& m = *impl_;
  State& s = m.state;
  s.interleaver->point();
  if (s.error != 0) {
    s.emit(EventKind::SubmitIgnored, kNoRow, kNoRow, 0, 0);
    return {};
  }
  if (s.scopes.empty()) throw InternalError("a task was submitted outside any scope");
  const Submitting described(m.waiting, submission);
  ScopeState& scope = s.scopes.back();
  s.emit(EventKind::SubmitBegin, kNoRow, scope.row, 0, static_cast<std::int64_t>(s.scope_tasks.size() - scope.first_task));
  if (!Impl::arguments_legal(submission)) {
    m.waiting.refuse(kInvalidArguments);
    return {};
  }
  if (!m.sync_start_fits(submission)) {
    m.waiting.refuse(kSyncStartInvalid);
    return {};
  }
  const bool forced = submission.forced_id != kInvalidTask;
  const bool manual = s.in_manual() || submission.manual_scope;
  if (forced) m.stand_ins(submission, manual);
  const std::uint32_t ring = forced ? ring_of(submission.forced_id) % kRingCount : scope.ring;
  const TaskId next_id = make_task_id(ring, static_cast<std::uint32_t>(s.rings[ring].next));
  const TaskId id = forced ? submission.forced_id : next_id;
  const std::uint64_t bytes = m.allocation.lay_out(submission, id, kHeapBase * (ring + 1) + s.rings[ring].bytes_allocated);
  s.emit(EventKind::Layout, kNoRow, kNoRow, 0, static_cast<std::int64_t>(bytes));
  const std::uint64_t counted = forced ? scope.forced[ring] : s.scope_tasks.size() - scope.first_task;
  const std::uint64_t most = s.rings[ring].limits.task_window - 1;
  if (counted >= most) {
    m.waiting.scope_full(ring, counted, most);
    return {};
  }
  const bool listed = !s.scope_list_full(forced);
  if (!listed && !s.faithful(7)) {
    m.waiting.refuse(kScopeListOverflow);
    return {};
  }
  s.pause();
  if (!m.allocation.wait(ring, id, forced, bytes)) return {};

  TaskRow row;
  row.id = id;
  row.kind = submission.kind;
  row.callee = submission.callee;
  row.call_site = submission.call_site;
  row.scope = scope.row;
  row.manual_scope = manual;
  row.early_dispatch = submission.early_dispatch;
  row.sync_start = submission.sync_start;
  row.kernel_ids = submission.kernel_ids;
  row.block_num = submission.block_num;
  if (forced) ++scope.forced[ring];
  const std::uint32_t task = m.allocation.take(row, &submission, bytes);
  // H7 as it is: the error is latched, the submit goes on, and no scope will give back the task's reference.
  if (!listed) m.waiting.refuse(kScopeListOverflow, task);
  const std::uint32_t first_access = m.accesses;
  m.write_accesses(submission, task);
  if (submission.kind == TaskKind::Alloc) {
    m.discovery.skip(task);
    m.finish_allocation(task);
  } else if (!m.complete_submit(submission, task, first_access, manual)) {
    return {};
  }
  m.index.set(id, task);
  s.advance_time(1);
  return {id, task, m.allocation.outputs()};
}

bool Model::host_access(const TensorDescriptor& tensor, bool write) {
  Impl& m = *impl_;
  State& s = m.state;
  s.interleaver->point();
  if (s.error != 0) return false;
  std::vector<std::uint32_t> producers;
  m.discovery.writers_of(tensor, producers);
  if (tensor.owner != kInvalidTask) {
    if (const std::uint32_t owner = m.index.find(tensor.owner); owner != kNoRow) producers.push_back(owner);
  }
  if (producers.empty()) return true;
  // H4 as it is: pure readers behind a wait-only edge have given their references back and are not waited for.
  std::vector<std::uint32_t> consumers;
  if (write && !s.faithful(4)) {
    for (const Edge& e : s.edges) {
      if (s.tasks[e.consumer].state >= TaskState::Completed) continue;
      if (std::find(producers.begin(), producers.end(), e.producer) != producers.end()) consumers.push_back(e.consumer);
    }
  }
  const auto open = [&] {
    std::uint64_t count = 0;
    for (const std::uint32_t p : producers) {
      const Task& t = s.tasks[p];
      if (t.state < TaskState::Completed || (write && t.released < t.claimed)) ++count;
    }
    for (const std::uint32_t c : consumers) count += s.tasks[c].state < TaskState::Completed ? 1 : 0;
    return count;
  };
  const auto running =
      std::find_if(producers.begin(), producers.end(), [&](std::uint32_t p) { return s.tasks[p].state < TaskState::Completed; });
  const Wanted wanted{.resource = Resource::HostAccess,
                      .ring = 0,
                      .requested = producers.size() + consumers.size(),
                      .producer = running != producers.end() ? *running : producers.front()};
  return m.waiting.wait(
      wanted, [&] { return open() == 0; }, open);
}

void Model::explicit_fatal() { impl_->waiting.refuse(kExplicitFatal); }

void Model::finish() {
  Impl& m = *impl_;
  State& s = m.state;
  if (m.finished) return;
  m.finished = true;
  while (s.error == 0 && !s.scopes.empty()) close_scope();
  while (s.error == 0 && m.scheduler.step()) {
  }
  if (s.error == 0 && s.completed != s.tasks.size()) m.waiting.scheduler_timeout();
  if (m.invariants && s.error == 0) m.invariants->at_end();
  s.emit(EventKind::RunEnd, kNoRow, kNoRow, 0, s.completed);
}

std::vector<Action> Model::enabled() const {
  std::vector<Action> out;
  impl_->scheduler.enabled(out);
  return out;
}

bool Model::perform(const Action& action) {
  if (!impl_->scheduler.legal(action)) return false;
  impl_->scheduler.perform(action);
  return true;
}

bool Model::submitted(TaskId id) const {
  const std::uint32_t row = impl_->index.find(id);
  return row != kNoRow && impl_->state.tasks[row].recorded;
}

std::uint32_t Model::task_count() const { return static_cast<std::uint32_t>(impl_->state.tasks.size()); }
std::uint64_t Model::window_misses() const { return impl_->reduction.window_misses(); }
std::uint32_t Model::open_scopes() const { return static_cast<std::uint32_t>(impl_->state.scopes.size()); }
std::int32_t Model::error_code() const { return impl_->state.error; }
const std::vector<std::uint32_t>& Model::choices() const { return impl_->state.chooser.made(); }
std::uint64_t Model::events() const { return impl_->state.event_count; }

}  // namespace depscope::runtime
