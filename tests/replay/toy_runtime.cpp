#include "toy_runtime.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "depscope/runtime/sink.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;

constexpr std::uint64_t kHeapStep = 1024;
constexpr std::uint32_t kHeapTasks = 256;  // then the heap begins again
constexpr std::uint32_t kWindow = 4096;
constexpr std::uint32_t kInline = 2;  // edges of a task that need no spill entry
constexpr std::uint32_t kBatch = 4;   // tasks that are published together
constexpr std::uint32_t kRing = 1;
constexpr std::uint32_t kThread = 0;
constexpr std::uint8_t kScheduler = 1;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::uint32_t>((state_ >> 16U) % bound);
  }

 private:
  std::uint64_t state_;
};

/// One ring, one scheduler thread, cores with two places. Everything that happens is written as an event.
class Toy {
 public:
  Toy(Recording& r, const SyntheticOptions& options)
      : r_(r), o_(options), random_(options.seed), running_(options.cores, kNoRow), pending_(options.cores, kNoRow) {}

  void run() {
    for (const char* name : {"fill", "matmul", "softmax", "store"}) callees_.push_back(r_.strings.add(name));
    config();
    begin_scope(3, kNoRow);
    for (std::uint32_t t = 0; t < o_.tasks; ++t) {
      if (t % o_.tasks_per_scope == 0) begin_scope(static_cast<std::uint8_t>(t / o_.tasks_per_scope % 3), 0);
      submit(t);
      if (submitted_ - completed_ >= o_.in_flight) block();
      if (random_.below(3) == 0) work();
      if (t % o_.tasks_per_scope == o_.tasks_per_scope - 1) end_scope(t + 1 - o_.tasks_per_scope, t + 1);
    }
    if (o_.faults) {
      fail(o_.tasks);
    } else {
      if (o_.tasks % o_.tasks_per_scope != 0) end_scope(o_.tasks - o_.tasks % o_.tasks_per_scope, o_.tasks);
      while (completed_ < submitted_) work();
      end_scope(0, 0);
    }
    event(EventKind::RunEnd, kNoRow, kNoRow, 0, completed_);
  }

 private:
  void event(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t from, std::int64_t to,
             std::uint32_t extra = 0) {
    auto& e = r_.events;
    const bool by_core = kind == EventKind::Finish || kind == EventKind::CoreAck;
    e.kind.push_back(static_cast<std::uint8_t>(kind));
    e.actor.push_back(by_core ? runtime::kCoreActor : actor_);
    e.extra.push_back(static_cast<std::uint16_t>(extra));
    e.time.push_back(time_);
    e.subject.push_back(subject);
    e.object.push_back(object);
    e.old_value.push_back(from);
    e.new_value.push_back(to);
  }

  /// An event that a summary leaves out.
  void detail(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t from, std::int64_t to,
              std::uint32_t extra = 0) {
    if (o_.pins) event(kind, subject, object, from, to, extra);
  }

  /// A detail that counts something by one.
  void count_detail(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t& counter, std::int64_t by = 1,
                    std::uint32_t extra = 0) {
    detail(kind, subject, object, counter, counter + by, extra);
    counter += by;
  }

  void set_detail(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t& field, std::int64_t to) {
    detail(kind, subject, object, field, to);
    field = to;
  }

  void config() {
    const auto item = [&](runtime::ConfigItem what, std::uint32_t ring, std::int64_t value) {
      event(EventKind::Config, static_cast<std::uint32_t>(what), ring, 0, value);
    };
    item(runtime::ConfigItem::Platform, kNoRow, 1);
    item(runtime::ConfigItem::Clusters, kNoRow, o_.cores);
    item(runtime::ConfigItem::SchedulerThreads, kNoRow, 1);
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      item(runtime::ConfigItem::TaskWindow, ring, kWindow);
      item(runtime::ConfigItem::HeapBytes, ring, static_cast<std::int64_t>(kHeapStep * kHeapTasks));
      item(runtime::ConfigItem::DepPool, ring, kWindow);
    }
    item(runtime::ConfigItem::TensorMapEntries, kNoRow, 65536);
  }

  void begin_scope(std::uint8_t owner, std::uint32_t parent) {
    const std::uint32_t row = r_.scopes.rows();
    const auto depth = static_cast<std::uint32_t>(open_.size());
    r_.scopes.manual.push_back(owner == 1 ? 1 : 0);
    r_.scopes.owner.push_back(owner);
    r_.scopes.depth.push_back(depth);
    r_.scopes.ring.push_back(std::min(depth, runtime::kRingCount - 1));
    r_.scopes.parent.push_back(parent);
    open_.push_back(row);
    event(EventKind::ScopeBegin, row, kNoRow, 0, depth);
    in_scope_ = 0;
  }

  void end_scope(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t t = first; t < last; ++t) {
      scope_released_[t] = 1;
      detail(EventKind::ScopeRelease, t, kNoRow, 0, 1);
      consume(t);
    }
    event(EventKind::ScopeEnd, open_.back(), kNoRow, static_cast<std::int64_t>(open_.size()) - 1, 0);
    open_.pop_back();
  }

  void add_task(std::uint32_t t) {
    auto& tasks = r_.tasks;
    const bool dummy = t % 17 == 16;
    tasks.id.push_back(runtime::make_task_id(kRing, t));
    tasks.kind.push_back(static_cast<std::uint8_t>(dummy ? runtime::TaskKind::Dummy : runtime::TaskKind::Kernel));
    tasks.callee.push_back(dummy ? 0 : callees_[t % callees_.size()]);
    tasks.call_site.push_back(kNoRow);
    tasks.scope.push_back(open_.back());
    tasks.flags.push_back(r_.scopes.manual[open_.back()]);
    tasks.kernel_aic.push_back(static_cast<std::int32_t>(t % callees_.size()));
    tasks.kernel_aiv0.push_back(-1);
    tasks.kernel_aiv1.push_back(-1);
    tasks.block_num.push_back(1);
    tasks.slot.push_back(t % kWindow);
    tasks.heap_begin.push_back(t % kHeapTasks * kHeapStep);
    tasks.heap_end.push_back(heap_end(t));
    tasks.iteration_begin.push_back(static_cast<std::uint32_t>(r_.pool.size()));
    tasks.iteration_begin_count.push_back(1);
    r_.pool.push_back(t / o_.tasks_per_scope);
    state_.push_back(TaskState::Pending);
    for (auto* list : {&need_, &have_, &claimed_, &released_}) list->push_back(0);
    scope_released_.push_back(0);
    edge_begin_.push_back(r_.edges.rows());
    consumers_.emplace_back();
  }

  static std::int64_t heap_end(std::uint32_t t) { return static_cast<std::int64_t>((t % kHeapTasks + 1) * kHeapStep); }

  /// Slot and heap, up to what stands before the edges.
  void allocate(std::uint32_t t) {
    ++time_;
    actor_ = 0;
    detail(EventKind::SubmitBegin, kNoRow, open_.back(), 0, in_scope_++);
    detail(EventKind::Layout, kNoRow, kNoRow, 0, kHeapStep);
    add_task(t);
    event(EventKind::Submit, t, kRing, t, static_cast<std::int64_t>(t) + 1);
    event(EventKind::HeapAlloc, t, kRing, heap_top_, heap_end(t));
    heap_top_ = heap_end(t);
    if (t % 16 == 5) set_detail(EventKind::HeapGuard, kNoRow, kRing, heap_guard_, t);
    if (t % 16 == 11) set_detail(EventKind::HeapGuard, kNoRow, kRing, heap_guard_, -1);
    const std::uint32_t slot = t % kWindow;
    detail(EventKind::SlotReset, t, slot, t / kWindow, t / kWindow + 1);
    detail(EventKind::SeqAssign, t, kNoRow, t, static_cast<std::int64_t>(t) + 1);
    detail(EventKind::Bind, t, slot, in_scope_ - 1, in_scope_);
    detail(EventKind::Record, t, kNoRow, 0, static_cast<std::int64_t>(t) + 1);
    synchronize();
  }

  /// The TensorMap takes note of the published watermark and drops the entries below.
  void synchronize() {
    if (cached_ == published_) return;
    for (auto task = static_cast<std::uint32_t>(cached_); task < published_; ++task) {
      if (entry_[task] == 0) continue;
      entry_[task] = 0;
      count_detail(EventKind::TensorMapCleanup, task, kRing, entries_, -1);
    }
    set_detail(EventKind::TensorMapSync, kNoRow, kRing, cached_, published_);
  }

  void submit(std::uint32_t t) {
    allocate(t);
    tensor(t);
    std::vector<std::uint32_t> producers;
    const std::uint32_t wanted = random_.below(o_.max_fanin + 1);
    for (std::uint32_t k = 0; k < wanted && t > 0; ++k) {
      const std::uint32_t p = t - 1 - random_.below(std::min(t, 40U));
      if (state_[p] == TaskState::Consumed) {
        detail(EventKind::DepSkip, t, p, 0, 0, p < published_ ? 0 : 1);
      } else if (std::find(producers.begin(), producers.end(), p) == producers.end()) {
        producers.push_back(p);
      }
    }
    for (const std::uint32_t p : producers) edge(p, t);
    if (!producers.empty() && entry_[producers[0]] != 0) {
      detail(EventKind::TensorMapHit, t, producers[0], 0, 1 + t % 2);
      if (t % 2 == 1) entry_[producers[0]] = 0, count_detail(EventKind::TensorMapRemove, producers[0], t, entries_, -1);
    }
    entry_.push_back(1);
    count_detail(EventKind::TensorMapInsert, t, kNoRow, entries_);
    detail(EventKind::DescriptorWrite, t, t % kWindow, t < kWindow ? -1 : t - std::int64_t{kWindow}, t);
    detail(EventKind::ReachPublish, t, kNoRow, 0, -static_cast<std::int64_t>(random_.below(1000)));
    const auto edges = static_cast<std::uint32_t>(producers.size());
    detail(EventKind::PayloadFlush, t, edges, 0, 1, edges);
    detail(EventKind::PayloadInit, t, 0, 1, 2);
    detail(EventKind::Predicate, t, kNoRow, 0, 1);
    ++submitted_;
    wire(t, producers);
  }

  void tensor(std::uint32_t t) {
    const std::uint32_t row = r_.tensors.rows();
    r_.tensors.name.push_back(r_.strings.add("buffer" + std::to_string(t % 5)));
    r_.tensors.address.push_back(t * kHeapStep);
    r_.tensors.buffer_elements.push_back(256);
    r_.tensors.owner.push_back(r_.tasks.id[t]);
    r_.tensors.version.push_back(0);
    r_.tensors.dtype.push_back(0);
    r_.tensors.manual_dep.push_back(0);
    auto& a = r_.accesses;
    a.task.push_back(t);
    a.arg.push_back(0);
    a.kind.push_back(static_cast<std::uint8_t>(runtime::ArgKind::Output));
    a.tensor.push_back(row);
    a.start_offset.push_back(0);
    a.geometry_begin.push_back(static_cast<std::uint32_t>(r_.pool.size()));
    a.geometry_begin_count.push_back(6);
    for (const std::uint32_t word : {16U, 16U, 16U, 0U, 1U, 0U}) r_.pool.push_back(word);
  }

  void edge(std::uint32_t p, std::uint32_t t) {
    const std::uint32_t row = r_.edges.rows();
    const auto flags = static_cast<std::uint8_t>(1 + random_.below(3));
    const bool reduced = flags == runtime::kWaitRetain && random_.below(4) == 0;
    r_.edges.producer.push_back(p);
    r_.edges.consumer.push_back(t);
    r_.edges.flags.push_back(flags);
    r_.edges.flags_final.push_back(reduced ? static_cast<std::uint8_t>(runtime::kRetain) : flags);
    r_.edges.provenance.push_back(static_cast<std::uint8_t>(1U << random_.below(5)));
    r_.edges.via.push_back(reduced ? p : kNoRow);
    const auto status = static_cast<std::uint8_t>(state_[p] >= TaskState::Completed ? 1 : 0);
    r_.edges.at_add.push_back(status);
    r_.edges.at_wiring.push_back(status);
    auto& reason = r_.edge_reasons;
    reason.edge.push_back(row);
    reason.source.push_back(r_.edges.provenance[row]);
    reason.arg.push_back(-1);
    reason.flags.push_back(flags);
    reason.overlap.push_back(0);
    reason.consumer_access.push_back(kNoRow);
    reason.producer_access.push_back(kNoRow);
    reason.replay_row.push_back(1);
    consumers_[p].push_back(row);
    count_detail(EventKind::PinClaim, p, t, claimed_[p]);
    event(EventKind::EdgeAdd, row, t, 0, flags);
    if (row - edge_begin_[t] >= kInline) count_detail(EventKind::SpillTake, t, kRing, spill_top_);
    if (reduced) event(EventKind::EdgeReduce, row, p, flags, runtime::kRetain);
  }

  void wire(std::uint32_t t, const std::vector<std::uint32_t>& producers) {
    bool live = false;
    for (std::size_t k = 0; k < producers.size(); ++k) {
      if (!waits(edge_begin_[t] + static_cast<std::uint32_t>(k))) continue;
      ++need_[t];
      live = live || state_[producers[k]] < TaskState::Completed;
    }
    ++need_[t];
    detail(EventKind::Need, t, kNoRow, 0, need_[t]);
    const auto cause = live ? runtime::ReleaseCause::Wiring : runtime::ReleaseCause::FastPath;
    for (std::size_t k = 0; k < producers.size(); ++k) {
      const std::uint32_t row = edge_begin_[t] + static_cast<std::uint32_t>(k);
      if (waits(row) && state_[producers[k]] >= TaskState::Completed) {
        count(t, producers[k]);
      } else if (waits(row)) {
        count_detail(EventKind::NodeTake, t, producers[k], dep_top_);
      }
      if ((r_.edges.flags_final[row] & runtime::kRetain) == 0) release_pin(producers[k], t, cause);
    }
    dep_recorded_.push_back(dep_top_);
    spill_recorded_.push_back(spill_top_);
    count(t, kNoRow);
  }

  [[nodiscard]] bool waits(std::uint32_t edge) const { return (r_.edges.flags_final[edge] & runtime::kWait) != 0; }

  [[nodiscard]] std::uint32_t queue_of(std::uint32_t t) const {
    const bool dummy = r_.tasks.kind[t] == static_cast<std::uint8_t>(runtime::TaskKind::Dummy);
    return static_cast<std::uint32_t>(dummy ? runtime::QueueId::Dummy : runtime::QueueId::Aic);
  }

  void count(std::uint32_t t, std::uint32_t producer) {
    count_detail(EventKind::WaitCount, t, producer, have_[t]);
    if (have_[t] != need_[t]) return;
    set(EventKind::Ready, t, kNoRow, TaskState::Ready);
    count_detail(EventKind::QueuePush, t, queue_of(t), queued_[queue_of(t)]);
    ready_.push_back(t);
  }

  void set(EventKind kind, std::uint32_t t, std::uint32_t object, TaskState to) {
    event(kind, t, object, static_cast<std::int64_t>(state_[t]), static_cast<std::int64_t>(to));
    state_[t] = to;
  }

  void release_pin(std::uint32_t p, std::uint32_t t, runtime::ReleaseCause cause) {
    count_detail(EventKind::PinRelease, p, t, released_[p], 1, static_cast<std::uint32_t>(cause));
    consume(p);
  }

  void consume(std::uint32_t p) {
    if (state_[p] != TaskState::Completed || claimed_[p] != released_[p] || scope_released_[p] == 0) return;
    set(EventKind::Consume, p, kNoRow, TaskState::Consumed);
    const bool contended = p % 8 == 3;
    if (contended) detail(EventKind::AdvanceFail, kNoRow, kRing, 0, 1);
    detail(EventKind::AdvanceLock, kNoRow, kRing, 0, actor_ + 1);
    advance();
    detail(EventKind::AdvanceLock, kNoRow, kRing, actor_ + 1, 0);
    if (contended) detail(EventKind::AdvanceRetry, kNoRow, kRing, 1, 0);
  }

  void advance() {
    const std::uint32_t before = watermark_;
    while (watermark_ < submitted_ && state_[watermark_] == TaskState::Consumed) ++watermark_;
    if (watermark_ == before) return;
    event(EventKind::Watermark, kNoRow, kRing, before, watermark_);
    for (std::uint32_t t = before; t < watermark_; ++t) detail(EventKind::SlotReclaim, t, t % kWindow, 0, 1);
    event(EventKind::HeapFree, kNoRow, kRing, heap_tail_, heap_end(watermark_ - 1));
    heap_tail_ = heap_end(watermark_ - 1);
    if (watermark_ - published_ < kBatch && watermark_ != submitted_) return;
    set_detail(EventKind::Publish, kNoRow, kRing, published_, watermark_);
    set_detail(EventKind::DepReclaim, kNoRow, kRing, dep_tail_, dep_recorded_[watermark_ - 1]);
    set_detail(EventKind::SpillReclaim, kNoRow, kRing, spill_tail_, spill_recorded_[watermark_ - 1]);
  }

  /// The orchestrator waits for slots, and asks for publication meanwhile.
  void block() {
    const std::int64_t in_use = submitted_ - completed_;
    event(EventKind::Block, kNoRow, kRing, in_use, 1, static_cast<std::uint32_t>(runtime::Resource::TaskWindow));
    detail(EventKind::Request, kNoRow, kRing, 0, 1);
    while (submitted_ - completed_ >= o_.in_flight) work();
    detail(EventKind::Request, kNoRow, kRing, 1, 0);
    detail(EventKind::Acknowledge, kNoRow, kRing, 0, 1);
    actor_ = 0;
    detail(EventKind::Acknowledge, kNoRow, kRing, 1, 0);
    event(EventKind::Unblock, kNoRow, kRing, in_use, 1, static_cast<std::uint32_t>(runtime::Resource::TaskWindow));
  }

  /// A task whose edges get lost and whose submit then fails for want of nodes.
  void fail(std::uint32_t t) {
    allocate(t);
    for (std::uint32_t row = 0; row < r_.edges.rows() && row < 2; ++row)
      detail(EventKind::EdgeLost, row, r_.edges.consumer[row], r_.edges.flags_final[row], runtime::kNone);
    const std::int64_t in_use = dep_top_ - dep_tail_;
    event(EventKind::Block, t, kRing, in_use, in_use + 1, static_cast<std::uint32_t>(runtime::Resource::DepPool));
    event(EventKind::Error, t, kRing, 0, 4, static_cast<std::uint32_t>(runtime::ErrorClass::Structural));
    detail(EventKind::AbortSubmit, t, kNoRow, 0, 1);
    detail(EventKind::SubmitIgnored, kNoRow, kNoRow, 0, 0);
  }

  void place(std::uint32_t core, std::uint32_t place) {
    const std::uint32_t t = ready_.front();
    ready_.pop_front();
    count_detail(EventKind::QueuePop, t, queue_of(t), queued_[queue_of(t)], -1);
    detail(EventKind::BlockClaim, t, kThread, 0, 1);
    set(EventKind::Dispatch, t, core, TaskState::Running);
    detail(EventKind::Place, t, core, 0, 0, place);
    if (place == 0) detail(EventKind::CoreAck, t, core, 0, 0);
    (place == 0 ? running_ : pending_)[core] = t;
  }

  /// Fills the cores, then ends what one of them runs.
  void work() {
    ++time_;
    actor_ = kScheduler;
    for (std::uint32_t c = 0; c < o_.cores && !ready_.empty(); ++c) {
      if (running_[c] == kNoRow) place(c, 0);
    }
    for (std::uint32_t c = 0; c < o_.cores && !ready_.empty(); ++c) {
      if (pending_[c] == kNoRow && random_.below(2) == 0) place(c, 1);
    }
    const std::uint32_t first = random_.below(o_.cores);
    for (std::uint32_t k = 0; k < o_.cores; ++k) {
      const std::uint32_t c = (first + k) % o_.cores;
      if (running_[c] == kNoRow) continue;
      const bool both = pending_[c] != kNoRow && random_.below(3) == 0;  // one poll sees the end of two blocks
      detail(EventKind::Finish, running_[c], c, 0, 0, 0);
      if (both) {
        detail(EventKind::CoreAck, pending_[c], c, 0, 0, 1);
        detail(EventKind::Finish, pending_[c], c, 0, 0, 1);
        observe(pending_[c], c, 1);
      }
      observe(running_[c], c, 0);
      break;
    }
    while (!buffer_.empty()) {
      const std::uint32_t t = buffer_.back();
      buffer_.pop_back();
      release(t);
    }
  }

  void observe(std::uint32_t t, std::uint32_t core, std::uint32_t place) {
    detail(EventKind::Observe, t, core, 0, 0, place);
    if (place == 0) {
      running_[core] = pending_[core];
      if (running_[core] != kNoRow) detail(EventKind::CoreAck, running_[core], core, 0, 0);
    }
    pending_[core] = kNoRow;
    detail(EventKind::SubtaskCount, t, core, 0, 1);
    set(EventKind::Complete, t, core, TaskState::Completed);
    ++completed_;
    std::int64_t visited = 0;
    for (const std::uint32_t row : consumers_[t]) {
      if (!waits(row)) continue;
      count_detail(EventKind::WalkNode, t, r_.edges.consumer[row], visited);
      count(r_.edges.consumer[row], t);
    }
    detail(EventKind::Defer, t, kThread, static_cast<std::int64_t>(buffer_.size()),
           static_cast<std::int64_t>(buffer_.size()) + 1);
    buffer_.push_back(t);
  }

  void release(std::uint32_t t) {
    detail(EventKind::ReleaseBegin, t, kThread, static_cast<std::int64_t>(buffer_.size()) + 1,
           static_cast<std::int64_t>(buffer_.size()));
    const std::uint32_t end = t + 1 < edge_begin_.size() ? edge_begin_[t + std::size_t{1}] : r_.edges.rows();
    for (std::uint32_t row = edge_begin_[t]; row < end; ++row) {
      if ((r_.edges.flags_final[row] & runtime::kRetain) != 0)
        release_pin(r_.edges.producer[row], t, runtime::ReleaseCause::Consumer);
    }
    event(EventKind::Release, t, kNoRow, 0, 1);
    consume(t);
  }

  Recording& r_;
  const SyntheticOptions& o_;
  Random random_;
  std::vector<std::uint32_t> callees_, open_, running_, pending_, buffer_;
  std::vector<TaskState> state_;
  std::vector<std::int64_t> need_, have_, claimed_, released_;
  std::vector<std::uint32_t> edge_begin_;
  std::vector<std::uint8_t> scope_released_;
  std::vector<std::uint8_t> entry_;                          // per task: its write is in the TensorMap
  std::vector<std::int64_t> dep_recorded_, spill_recorded_;  // per task: tops of the pools after its wiring
  std::vector<std::vector<std::uint32_t>> consumers_;        // edges rows by producer
  std::deque<std::uint32_t> ready_;
  std::array<std::int64_t, runtime::kQueueCount> queued_{};
  std::uint8_t actor_ = 0;
  std::uint32_t time_ = 0, submitted_ = 0, completed_ = 0, watermark_ = 0;
  std::int64_t in_scope_ = 0, heap_top_ = 0, heap_tail_ = 0, heap_guard_ = -1, entries_ = 0, cached_ = 0, published_ = 0;
  std::int64_t dep_top_ = 1, dep_tail_ = 1, spill_top_ = 1, spill_tail_ = 1;
};

}  // namespace

void add_toy_run(Recording& recording, const SyntheticOptions& options) { Toy(recording, options).run(); }

}  // namespace depscope::replay
