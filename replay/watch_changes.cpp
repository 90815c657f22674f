// When a watched value changes. Candidates are found from the kinds, operands and values of events alone; no event is applied
// before one is found.
#include <algorithm>
#include <span>

#include "cursor_impl.h"
#include "depscope/replay/watch.h"
#include "watch_fields.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

/// Whether an event of one of the watch's kinds may change it; never false for one that does.
class Candidate {
 public:
  Candidate(Cursor::Impl& cursor, const Watch& watch) : c_(cursor), r_(cursor.recording), watch_(watch) {}

  [[nodiscard]] bool operator()(std::uint32_t i) const {
    const auto& e = r_.events;
    const auto kind = static_cast<EventKind>(e.kind[i]);
    switch (watch_.kind) {
      case WatchKind::Task: return e.subject[i] == watch_.row && (kind == EventKind::Submit || moves(i));
      case WatchKind::TasksInState: return changes_count(kind, i);
      case WatchKind::Slot: return slot(kind, i);
      case WatchKind::Ring: return ring(kind, i);
      case WatchKind::Edge: return e.subject[i] == watch_.row && moves(i);
      case WatchKind::Scope:
      case WatchKind::TensorMapEntry: return e.subject[i] == watch_.row;
      case WatchKind::Queue:
      case WatchKind::Buffered: return e.object[i] == watch_.row && moves(i);
      case WatchKind::TensorMap: return moves(i);
      case WatchKind::Config: return e.subject[i] == watch_.row && e.object[i] == kNoRow && moves(i);
      case WatchKind::Core: break;  // CorePlaces
    }
    return false;
  }

 private:
  [[nodiscard]] bool moves(std::uint32_t i) const { return r_.events.old_value[i] != r_.events.new_value[i]; }

  [[nodiscard]] bool changes_count(EventKind kind, std::uint32_t i) const {
    const auto state = static_cast<std::int64_t>(watch_.row);
    std::int64_t from = r_.events.old_value[i];
    std::int64_t to = r_.events.new_value[i];
    if (kind == EventKind::Submit) {  // its values are those of the ring
      from = static_cast<std::int64_t>(runtime::TaskState::Unborn);
      to = static_cast<std::int64_t>(runtime::TaskState::Pending);
    }
    return (from == state) != (to == state);
  }

  [[nodiscard]] bool slot(EventKind kind, std::uint32_t i) const {
    const auto& e = r_.events;
    if (kind != EventKind::Watermark) {
      const std::uint32_t task = e.subject[i];
      return r_.tasks.slot[task] == watch_.part && runtime::ring_of(r_.tasks.id[task]) % runtime::kRingCount == watch_.row &&
             (kind == EventKind::Submit || moves(i));
    }
    if (e.object[i] != watch_.row) return false;
    const std::int64_t low = std::min(e.old_value[i], e.new_value[i]);
    const std::int64_t high = std::max(e.old_value[i], e.new_value[i]);
    const auto& tasks = c_.tasks_of_slot(watch_.row, watch_.part);
    return std::any_of(tasks.begin(), tasks.end(), [&](std::uint32_t task) {
      const std::int64_t local = runtime::local_of(r_.tasks.id[task]);
      return low <= local && local < high;
    });
  }

  [[nodiscard]] bool ring(EventKind kind, std::uint32_t i) const {
    if (!moves(i)) return false;
    const auto& e = r_.events;
    switch (kind) {
      case EventKind::NodeTake: return runtime::ring_of(r_.tasks.id[e.subject[i]]) % runtime::kRingCount == watch_.row;
      case EventKind::Config: return e.object[i] == watch_.row && config_field(e.subject[i]) == ring_fields()[watch_.part].name;
      default: return e.object[i] == watch_.row;
    }
  }

  static std::string_view config_field(std::uint32_t item) {
    switch (static_cast<runtime::ConfigItem>(item)) {
      case runtime::ConfigItem::TaskWindow: return "task_window";
      case runtime::ConfigItem::HeapBytes: return "heap_bytes";
      case runtime::ConfigItem::DepPool: return "dep_pool";
      default: return "";
    }
  }

  Cursor::Impl& c_;
  const Recording& r_;
  const Watch& watch_;
};

/// The two places of one core. What an event does to one of them depends on the other.
class CorePlaces {
 public:
  CorePlaces(const Cursor::Impl& cursor, const Watch& watch)
      : e_(cursor.recording.events),
        watch_(watch),
        running_(cursor.now.state.core_task[watch.row]),
        pending_(cursor.now.state.core_pending[watch.row]) {}

  /// True if the event changes the watched place.
  bool forward(std::uint32_t i) {
    return e_.object[i] == watch_.row && changes([&] { apply(i); });
  }
  bool backward(std::uint32_t i) {
    return e_.object[i] == watch_.row && changes([&] { undo(i); });
  }

 private:
  template <class F>
  bool changes(F&& f) {
    const std::uint32_t before = watch_.part == 0 ? running_ : pending_;
    f();
    return before != (watch_.part == 0 ? running_ : pending_);
  }

  [[nodiscard]] bool places(std::uint32_t i) const { return e_.kind[i] == static_cast<std::uint8_t>(EventKind::Place); }

  void apply(std::uint32_t i) {
    std::uint32_t& place = e_.extra[i] == 0 ? running_ : pending_;
    if (places(i)) {
      place = e_.subject[i];
    } else if (e_.extra[i] == 0) {
      running_ = pending_;
      pending_ = kNoRow;
    } else {
      pending_ = kNoRow;
    }
  }

  void undo(std::uint32_t i) {
    std::uint32_t& place = e_.extra[i] == 0 ? running_ : pending_;
    if (places(i)) {
      place = kNoRow;
    } else if (e_.extra[i] == 0) {
      pending_ = running_;
      running_ = e_.subject[i];
    } else {
      pending_ = e_.subject[i];
    }
  }

  const recording::EventsTable& e_;
  const Watch& watch_;
  std::uint32_t running_, pending_;
};

/// The task whose events alone can change the value, none if there is no such task.
std::uint32_t task_of(const Recording& r, const Watch& watch) {
  switch (watch.kind) {
    case WatchKind::Task: return watch.row;
    case WatchKind::Edge: return r.edges.consumer[watch.row];
    case WatchKind::TensorMapEntry: return r.accesses.task[watch.row];
    default: return kNoRow;
  }
}

std::uint32_t next_candidate(Cursor::Impl& c, const Watch& watch, std::uint32_t from) {
  const KindTable kinds = kind_table(kinds_of(watch, c.full));
  if (watch.kind == WatchKind::Core) {
    CorePlaces places(c, watch);
    return c.find_next(from, c.size(), kinds, [&](std::uint32_t i) { return places.forward(i); });
  }
  const Candidate candidate(c, watch);
  const std::uint32_t task = task_of(c.recording, watch);
  if (task == kNoRow) return c.find_next(from, c.size(), kinds, candidate);
  const auto events = c.events_of(task);
  for (auto at = std::lower_bound(events.begin(), events.end(), from); at != events.end(); ++at) {
    if (kinds[c.recording.events.kind[*at]] && candidate(*at)) return *at;
  }
  return kNoRow;
}

std::uint32_t previous_candidate(Cursor::Impl& c, const Watch& watch, std::uint32_t from) {
  const KindTable kinds = kind_table(kinds_of(watch, c.full));
  if (watch.kind == WatchKind::Core) {
    CorePlaces places(c, watch);
    return c.find_previous(from, 0, kinds, [&](std::uint32_t i) { return places.backward(i); });
  }
  const Candidate candidate(c, watch);
  const std::uint32_t task = task_of(c.recording, watch);
  if (task == kNoRow) return c.find_previous(from, 0, kinds, candidate);
  const auto events = c.events_of(task);
  for (auto at = std::lower_bound(events.begin(), events.end(), from); at != events.begin(); --at) {
    if (kinds[c.recording.events.kind[*(at - 1)]] && candidate(*(at - 1))) return *(at - 1);
  }
  return kNoRow;
}

}  // namespace

std::optional<Change> next_change(Cursor& cursor, const Watch& watch) {
  const std::uint32_t start = cursor.position();
  for (;;) {
    const std::uint32_t event = next_candidate(cursor.impl(), watch, cursor.position());
    if (event == kNoRow) break;
    cursor.seek(event);
    const std::int64_t before = value(cursor, watch);
    cursor.step();
    const std::int64_t after = value(cursor, watch);
    if (before != after) return Change{event, before, after};
  }
  cursor.seek(start);
  return std::nullopt;
}

std::optional<Change> previous_change(Cursor& cursor, const Watch& watch) {
  const std::uint32_t start = cursor.position();
  for (;;) {
    const std::uint32_t event = previous_candidate(cursor.impl(), watch, cursor.position());
    if (event == kNoRow) break;
    cursor.seek(event + 1);
    const std::int64_t after = value(cursor, watch);
    cursor.back();
    const std::int64_t before = value(cursor, watch);
    if (before != after) return Change{event, before, after};
  }
  cursor.seek(start);
  return std::nullopt;
}

std::optional<Change> change_at(Cursor& cursor, const Watch& watch, std::uint32_t event) {
  const std::uint32_t start = cursor.position();
  cursor.seek(event);
  const std::int64_t before = value(cursor, watch);
  if (!cursor.step()) {
    cursor.seek(start);
    return std::nullopt;
  }
  const std::int64_t after = value(cursor, watch);
  cursor.seek(start);
  if (before == after) return std::nullopt;
  return Change{event, before, after};
}

}  // namespace depscope::replay
