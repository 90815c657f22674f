#include "measured_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "depscope/runtime/event_shape.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::kNotMeasured;
using recording::Recording;
using runtime::ConfigItem;
using runtime::EventKind;
using runtime::TaskKind;
using runtime::TaskState;

/// What is known of one task; ticks.
struct Times {
  std::uint64_t submit = kNotMeasured, ready = kNotMeasured, dispatch = kNotMeasured, complete = kNotMeasured;
  std::uint32_t first_core = kNoRow, last_core = kNoRow;  // of the first dispatch, the last end
  std::uint32_t after = 0;                                // chain of tasks that take no time before it at the same moment
};

/// An event before it is put in order.
struct Draft {
  std::uint64_t time = 0;
  std::uint32_t rank = 0;  // among events of one moment
  std::uint32_t subject = 0;
  std::uint32_t object = kNoRow;
  std::uint32_t block = 0;
  EventKind kind = EventKind::Submit;
  std::uint8_t actor = 0;
};

// At one moment: what was submitted, what ended, then what begins. A task that takes no time goes through all of it, after those
// that it waited for.
enum Rank : std::uint32_t { kSubmitted, kAdded, kEnded, kSeen, kCompleted, kFirstChain };
constexpr std::uint32_t kChainLength = 4;  // ready, dispatched, placed, completed

class Events {
 public:
  Events(Recording& r, std::span<const std::int32_t> core_to_thread) : r_(r), threads_(core_to_thread), times_(r.tasks.rows()) {}

  void make(std::uint64_t frequency, const ScopeStats* limits) {
    dispatches();
    phases();
    submits();
    readiness();
    draft();
    std::sort(drafts_.begin(), drafts_.end(), [](const Draft& a, const Draft& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.rank != b.rank) return a.rank < b.rank;
      if (a.subject != b.subject) return a.subject < b.subject;
      return a.block < b.block;
    });
    const std::uint64_t last = drafts_.empty() ? 0 : drafts_.back().time;
    while (last >> shift_ >= std::numeric_limits<std::uint32_t>::max()) ++shift_;
    if (limits != nullptr) configuration(*limits);
    write();
    option("events", "measured");
    option("time-unit-us",
           fmt::format("{}", 1e6 / static_cast<double>(frequency) * static_cast<double>(std::uint64_t{1} << shift_)));
  }

 private:
  static void least(std::uint64_t& value, std::uint64_t other) { value = std::min(value, other); }
  static void most(std::uint64_t& value, std::uint64_t other) {
    if (other != kNotMeasured) value = value == kNotMeasured ? other : std::max(value, other);
  }

  void dispatches() {
    const auto& m = r_.measured_dispatches;
    for (std::uint32_t row = 0; row < m.rows(); ++row) {
      if (m.task[row] == kNoRow) continue;
      Times& t = times_[m.task[row]];
      // The earliest time that the row has, in case a clock went backward.
      const std::uint64_t begin = std::min({m.dispatch[row], m.receive[row], m.start[row], m.end[row]});
      if (begin < t.dispatch) t.first_core = m.core[row];
      least(t.dispatch, begin);
      std::uint64_t end = m.end[row];
      most(end, m.finish[row]);
      if (end != kNotMeasured && (t.complete == kNotMeasured || end > t.complete)) t.last_core = m.core[row];
      most(t.complete, end);
    }
  }

  /// Submits, and tasks that the AICPU does itself.
  void phases() {
    const auto& p = r_.measured_phases;
    for (std::uint32_t row = 0; row < p.rows(); ++row) {
      const std::uint32_t task = p.task[row];
      if (task == kNoRow || p.start[row] == kNotMeasured) continue;
      Times& t = times_[task];
      if (p.thread[row] == kNoRow) {
        least(t.submit, p.start[row]);
        if (kind(task) == TaskKind::Alloc) most(t.complete, p.end[row]);
      } else if (t.first_core == kNoRow) {
        least(t.dispatch, p.start[row]);
        most(t.complete, p.end[row]);
      }
    }
  }

  /// A task is submitted after its producers and before all that come behind it in the order of submits.
  void submits() {
    const auto& e = r_.edges;
    std::uint64_t bound = kNotMeasured;
    for (std::uint32_t t = r_.tasks.rows(), edge = e.rows(); t-- > 0;) {
      least(times_[t].submit, std::min(times_[t].dispatch, bound));
      for (; edge > 0 && e.consumer[edge - 1] >= t; --edge) {
        if (e.consumer[edge - 1] == t) least(times_[e.producer[edge - 1]].submit, times_[t].submit);
      }
      // Allocations without a record of their own stand where they are first used.
      if (kind(t) != TaskKind::Alloc) least(bound, times_[t].submit);
    }
  }

  void readiness() {
    const auto& e = r_.edges;
    for (std::uint32_t t = 0, edge = 0; t < r_.tasks.rows(); ++t) {
      Times& own = times_[t];
      bool known = own.submit != kNotMeasured;
      std::uint64_t ready = own.submit;
      std::uint32_t after = 0;
      for (; edge < e.rows() && e.consumer[edge] <= t; ++edge) {
        if (e.consumer[edge] != t || (e.flags[edge] & runtime::kWait) == 0 || e.producer[edge] == t) continue;
        const Times& producer = times_[e.producer[edge]];
        known = known && producer.complete != kNotMeasured;
        if (producer.complete == kNotMeasured || producer.complete < ready) continue;
        if (producer.complete > ready) after = 0;
        ready = producer.complete;
        if (producer.complete == producer.ready) after = std::max(after, producer.after + 1);
      }
      const bool takes_no_time = kind(t) == TaskKind::Alloc || kind(t) == TaskKind::Dummy;
      // One that ran was ready, whatever is known of its producers.
      if (own.dispatch != kNotMeasured) {
        if (!known || ready > own.dispatch) after = 0;
        ready = known ? std::min(ready, own.dispatch) : own.dispatch;
      } else if (!known || !takes_no_time) {
        continue;
      }
      own.ready = ready;
      own.after = after;
      if (takes_no_time && own.complete == kNotMeasured) own.complete = ready;
      if (own.complete != kNotMeasured)
        own.complete = std::max(own.complete, std::max(ready, own.dispatch == kNotMeasured ? 0 : own.dispatch));
    }
  }

  void draft() {
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) task(t);
    const auto& e = r_.edges;
    for (std::uint32_t edge = 0; edge < e.rows(); ++edge) {
      const Times& consumer = times_[e.consumer[edge]];
      if (consumer.submit == kNotMeasured) continue;
      drafts_.push_back({consumer.submit, kAdded, edge, e.consumer[edge], 0, EventKind::EdgeAdd, 0});
    }
    blocks();
  }

  [[nodiscard]] std::uint32_t chain(const Times& t, std::uint32_t place) const {
    return kFirstChain + t.after * kChainLength + place;
  }

  void task(std::uint32_t row) {
    const Times& t = times_[row];
    if (t.submit == kNotMeasured) return;
    const std::uint32_t ring = runtime::ring_of(r_.tasks.id[row]) % runtime::kRingCount;
    drafts_.push_back({t.submit, kSubmitted, row, ring, 0, EventKind::Submit, 0});
    if (t.ready != kNotMeasured)
      drafts_.push_back({t.ready, chain(t, 0), row, kNoRow, 0, EventKind::Ready, actor_of(t.first_core)});
    if (t.dispatch != kNotMeasured)
      drafts_.push_back({t.dispatch, chain(t, 1), row, t.first_core, 0, EventKind::Dispatch, actor_of(t.first_core)});
    if (t.complete == kNotMeasured) return;
    const bool at_once = t.complete == t.ready || t.complete == t.dispatch;
    drafts_.push_back(
        {t.complete, at_once ? chain(t, 3) : kCompleted, row, t.last_core, 0, EventKind::Complete, actor_of(t.last_core)});
  }

  /// Start and end of each block on its core. Blocks of one core overlap, or take no time, only where the files contradict
  /// themselves: then the later one begins when the earlier one has ended, and every one takes a tick.
  void blocks() {
    const auto& m = r_.measured_dispatches;
    std::vector<std::uint32_t> order, block(m.rows(), 0);
    for (std::uint32_t row = 0; row < m.rows(); ++row) {
      if (row != 0 && m.task_id[row] == m.task_id[row - 1]) block[row] = block[row - 1] + 1;
      if (m.task[row] != kNoRow && m.start[row] != kNotMeasured && m.end[row] != kNotMeasured &&
          m.core[row] < runtime::kMaxCores && times_[m.task[row]].submit != kNotMeasured)
        order.push_back(row);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (m.core[a] != m.core[b]) return m.core[a] < m.core[b];
      if (m.start[a] != m.start[b]) return m.start[a] < m.start[b];
      return a < b;
    });
    std::uint64_t free_at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t row = order[i];
      if (i == 0 || m.core[order[i - 1]] != m.core[row]) free_at = 0;
      const std::uint64_t start = std::max(m.start[row], free_at);
      const std::uint64_t end = std::max(m.end[row], start + 1);
      free_at = end;
      const std::uint32_t task = m.task[row], core = m.core[row];
      drafts_.push_back({start, chain(times_[task], 2), task, core, block[row], EventKind::Place, actor_of(core)});
      drafts_.push_back({end, kEnded, task, core, block[row], EventKind::Finish, runtime::kCoreActor});
      drafts_.push_back({end, kSeen, task, core, block[row], EventKind::Observe, actor_of(core)});
    }
  }

  void write() {
    std::array<std::int64_t, runtime::kRingCount> next{};
    std::vector<std::uint8_t> state(r_.tasks.rows(), static_cast<std::uint8_t>(TaskState::Unborn));
    std::int64_t completed = 0;
    for (const Draft& d : drafts_) {
      std::int64_t before = 0, after = 0;
      const auto move_to = [&](TaskState to) {
        before = state[d.subject];
        after = static_cast<std::int64_t>(to);
        state[d.subject] = static_cast<std::uint8_t>(to);
      };
      switch (d.kind) {
        case EventKind::Submit:
          before = next[d.object];
          after = std::max(before, std::int64_t{runtime::local_of(r_.tasks.id[d.subject])} + 1);
          next[d.object] = after;
          state[d.subject] = static_cast<std::uint8_t>(TaskState::Pending);
          break;
        case EventKind::EdgeAdd: after = r_.edges.flags[d.subject]; break;
        case EventKind::Ready: move_to(TaskState::Ready); break;
        case EventKind::Dispatch: move_to(TaskState::Running); break;
        case EventKind::Complete:
          move_to(TaskState::Completed);
          ++completed;
          break;
        default: after = d.block; break;
      }
      event(d.kind, d.actor, d.time, d.subject, d.object, before, after);
    }
    event(EventKind::RunEnd, 0, drafts_.empty() ? 0 : drafts_.back().time, kNoRow, kNoRow, 0, completed);
  }

  void configuration(const ScopeStats& limits) {
    const auto add = [&](ConfigItem item, std::uint32_t ring, std::uint64_t value) {
      event(EventKind::Config, 0, 0, static_cast<std::uint32_t>(item), ring, 0,
            static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max())));
    };
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      add(ConfigItem::TaskWindow, ring, limits.task_window_max[ring]);
      add(ConfigItem::HeapBytes, ring, limits.heap_max[ring]);
      if (limits.has_dep_pool) add(ConfigItem::DepPool, ring, limits.dep_pool_max[ring]);
    }
    add(ConfigItem::TensorMapEntries, kNoRow, limits.tensormap_max);
  }

  void event(EventKind kind, std::uint8_t actor, std::uint64_t time, std::uint32_t subject, std::uint32_t object,
             std::int64_t before, std::int64_t after) {
    auto& e = r_.events;
    e.kind.push_back(static_cast<std::uint8_t>(kind));
    e.actor.push_back(actor);
    e.extra.push_back(0);
    e.time.push_back(static_cast<std::uint32_t>(time >> shift_));
    e.subject.push_back(subject);
    e.object.push_back(object);
    e.old_value.push_back(before);
    e.new_value.push_back(after);
  }
  void option(std::string_view name, std::string_view value) {
    r_.options.name.push_back(r_.strings.add(name));
    r_.options.value.push_back(r_.strings.add(value));
  }

  [[nodiscard]] TaskKind kind(std::uint32_t task) const { return static_cast<TaskKind>(r_.tasks.kind[task]); }
  /// The scheduler thread of a core; the core itself, if that is not known.
  [[nodiscard]] std::uint8_t actor_of(std::uint32_t core) const {
    const bool known =
        core < threads_.size() && threads_[core] >= 0 && threads_[core] < static_cast<std::int32_t>(runtime::kMaxThreads);
    return known ? static_cast<std::uint8_t>(threads_[core] + 1) : runtime::kCoreActor;
  }

  Recording& r_;
  std::span<const std::int32_t> threads_;
  std::vector<Times> times_;
  std::vector<Draft> drafts_;
  std::uint32_t shift_ = 0;
};

}  // namespace

void add_measured_events(Recording& recording, std::uint64_t frequency, std::span<const std::int32_t> core_to_thread,
                         const ScopeStats* limits) {
  Events(recording, core_to_thread).make(frequency, limits);
}

}  // namespace depscope::replay
