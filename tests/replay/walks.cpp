#include "walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "cursor_impl.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/event_sets.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/watch.h"
#include "depscope/runtime/event_shape.h"
#include "state_oracle.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

using Answers = std::vector<std::int64_t>;

constexpr std::uint32_t kMostAsked = 150;  // tasks

/// Everything that can be asked, in a row.
Answers answers_of(const Cursor& cursor) {
  const Recording& r = cursor.recording();
  Answers out{cursor.position(), static_cast<std::int64_t>(cursor.state().digest())};
  const auto add = [&](const auto& list) {
    out.push_back(static_cast<std::int64_t>(list.size()));
    out.insert(out.end(), list.begin(), list.end());
  };
  for (std::uint8_t s = 0; s < 6; ++s) add(tasks_in(cursor, static_cast<runtime::TaskState>(s), 100).rows);
  const std::uint32_t stride = r.tasks.rows() / kMostAsked + 1;
  for (std::uint32_t t = 0; t < r.tasks.rows(); t += stride) {
    add(cursor.waiting_for(t));
    add(cursor.kept_alive_by(t));
    for (const Holder& h : holders_of(cursor, t))
      out.insert(out.end(), {static_cast<std::int64_t>(h.kind), h.edge, h.task, h.scope});
    out.push_back(value(cursor, {WatchKind::Slot, runtime::ring_of(r.tasks.id[t]) % runtime::kRingCount, r.tasks.slot[t]}));
  }
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    const RingUse use = ring_use(cursor, ring);
    out.insert(out.end(), {use.slots_used, use.heap_used.value_or(-1), use.dep_used.value_or(-1), use.spill_used.value_or(-1)});
    for (const HeapBlock& b : heap_map(cursor, ring))
      out.insert(out.end(), {b.task, static_cast<std::int64_t>(b.begin), static_cast<std::int64_t>(b.end),
                             static_cast<std::int64_t>(b.state)});
  }
  if (const auto entries = tensormap_entries(cursor, 10000)) {
    out.push_back(entries->total);
    add(entries->rows);
  }
  for (const OpenScope& s : open_scopes(cursor)) out.insert(out.end(), {s.scope, s.submitted, s.live});
  if (const auto cores = busy_cores(cursor)) {
    for (const CoreUse& c : *cores) out.insert(out.end(), {c.core, c.running, c.pending});
  }
  return out;
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  /// 0 for a bound of 0.
  std::uint32_t below(std::uint32_t bound) { return bound == 0 ? 0 : static_cast<std::uint32_t>(engine_() % bound); }

 private:
  std::mt19937 engine_;
};

/// A watch that the recording can answer; none if the draw has no row or is not told.
std::optional<Watch> random_watch(const Cursor& cursor, Random& random) {
  const Recording& r = cursor.recording();
  const State& s = cursor.state();
  Watch out;
  out.kind = static_cast<WatchKind>(random.below(static_cast<std::uint32_t>(WatchKind::Config) + 1));
  const auto row_of = [&](std::size_t rows) {
    out.row = random.below(static_cast<std::uint32_t>(rows));
    return rows != 0;
  };
  bool there = true;
  switch (out.kind) {
    case WatchKind::Task:
      there = row_of(r.tasks.rows());
      out.part = random.below(12);
      break;
    case WatchKind::TasksInState: there = row_of(6); break;
    case WatchKind::Slot:
      there = row_of(r.tasks.rows());
      if (!there) break;
      out.part = r.tasks.slot[out.row];
      out.row = runtime::ring_of(r.tasks.id[out.row]) % runtime::kRingCount;
      break;
    case WatchKind::Ring:
      there = row_of(runtime::kRingCount);
      out.part = random.below(18);
      break;
    case WatchKind::Edge: there = row_of(r.edges.rows()); break;
    case WatchKind::Scope: there = row_of(r.scopes.rows()); break;
    case WatchKind::Queue: there = row_of(runtime::kQueueCount); break;
    case WatchKind::Core:
      there = row_of(s.core_task.size());
      out.part = random.below(2);
      break;
    case WatchKind::TensorMap: break;
    case WatchKind::TensorMapEntry: there = row_of(r.accesses.rows()); break;
    case WatchKind::Buffered: there = row_of(s.buffered_releases.size()); break;
    case WatchKind::Config:
      row_of(runtime::kConfigItemCount);
      there = !runtime::is_ring_limit(static_cast<runtime::ConfigItem>(out.row));
      break;
  }
  if (!there) return std::nullopt;
  try {
    // Several edges between two tasks, or an argument twice, cannot be told apart by name.
    if (parse_watch(cursor, to_text(r, out)) != out && out.kind != WatchKind::TensorMapEntry) return std::nullopt;
  } catch (const QueryError&) {
    return std::nullopt;  // a summary
  }
  return out;
}

void random_move(Cursor& cursor, Random& random) {
  const Recording& r = cursor.recording();
  const std::uint32_t any = random.below(cursor.size() + 1);
  const auto kind = static_cast<EventKind>(random.below(runtime::kEventKindCount));
  const bool tasks = random.below(2) == 0;
  switch (random.below(14)) {
    case 0:
    case 1: cursor.seek(any); break;
    case 2:
      for (std::uint32_t k = random.below(30); k > 0; --k) cursor.step();
      break;
    case 3:
      for (std::uint32_t k = random.below(30); k > 0; --k) cursor.back();
      break;
    case 4: cursor.next(kind); break;
    case 5: cursor.previous(kind); break;
    case 6: cursor.next_of_task(random.below(r.tasks.rows())); break;
    case 7: cursor.previous_of_task(random.below(r.tasks.rows())); break;
    case 8: cursor.next_of_scope(random.below(r.scopes.rows()), tasks); break;
    case 9: cursor.previous_of_scope(random.below(r.scopes.rows()), tasks); break;
    case 10: cursor.next_of_tensor(random.below(r.tensors.rows()), tasks); break;
    case 11: cursor.previous_of_tensor(random.below(r.tensors.rows()), tasks); break;
    case 12:
      if (const auto watch = random_watch(cursor, random)) next_change(cursor, *watch);
      break;
    default:
      if (const auto watch = random_watch(cursor, random)) previous_change(cursor, *watch);
      break;
  }
}

/// Position after the first of `events` at or behind `from`; none if there is none.
std::optional<std::uint32_t> after(const std::vector<std::uint32_t>& events, std::uint32_t from) {
  const auto found = std::lower_bound(events.begin(), events.end(), from);
  if (found == events.end()) return std::nullopt;
  return *found + 1;
}

std::optional<std::uint32_t> before(const std::vector<std::uint32_t>& events, std::uint32_t from) {
  const auto found = std::lower_bound(events.begin(), events.end(), from);
  if (found == events.begin()) return std::nullopt;
  return *(found - 1);
}

std::string compare_move(const Cursor& cursor, bool moved, std::uint32_t from, std::optional<std::uint32_t> expected) {
  if (moved == expected.has_value() && cursor.position() == expected.value_or(from)) return "";
  return fmt::format("from {} to {}, moved: {}, expected: {}", from, cursor.position(), moved,
                     expected ? fmt::format("{}", *expected) : "no move");
}

/// Both ways from a random place, against the list of events.
template <class Next, class Previous>
std::string both_ways(Cursor& cursor, Random& random, const std::vector<std::uint32_t>& events, Next&& next,
                      Previous&& previous) {
  const std::uint32_t from = random.below(cursor.size() + 1);
  cursor.seek(from);
  const bool forward = next();
  std::string error = compare_move(cursor, forward, from, after(events, from));
  if (!error.empty()) return "forward " + error;
  cursor.seek(from);
  const bool backward = previous();
  error = compare_move(cursor, backward, from, before(events, from));
  return error.empty() ? "" : "backward " + error;
}

template <class Holds>
std::vector<std::uint32_t> events_where(const Recording& r, Holds&& holds) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (holds(i)) out.push_back(i);
  }
  return out;
}

bool is_kind(const Recording& r, std::uint32_t i, std::string_view prefix) {
  return runtime::event_kind_name(static_cast<EventKind>(r.events.kind[i])).starts_with(prefix);
}

std::vector<std::uint32_t> events_of_scope(const Recording& r, std::uint32_t scope, bool tasks) {
  return events_where(r, [&](std::uint32_t i) {
    const std::uint32_t subject = r.events.subject[i];
    if (is_kind(r, i, "scope-begin") || is_kind(r, i, "scope-end")) return subject == scope;
    const std::uint32_t task = task_of_event(r, i);
    const bool mine = task != kNoRow && r.tasks.scope[task] == scope;
    if (!tasks) return mine && is_kind(r, i, "scope-release");
    return mine || (is_kind(r, i, "submit-begin") && r.events.object[i] == scope);
  });
}

std::vector<std::uint32_t> events_of_tensor(const Recording& r, std::uint32_t tensor, bool tasks) {
  const auto accesses = [&](std::uint32_t access) { return access != kNoRow && r.accesses.tensor[access] == tensor; };
  return events_where(r, [&](std::uint32_t i) {
    const std::uint32_t subject = r.events.subject[i];
    if (is_kind(r, i, "tm-") && !is_kind(r, i, "tm-sync") &&
        (accesses(subject) || (is_kind(r, i, "tm-hit") && accesses(r.events.object[i]))))
      return true;
    if (is_kind(r, i, "edge-")) {
      for (std::uint32_t k = 0; k < r.edge_reasons.rows(); ++k) {
        if (r.edge_reasons.edge[k] == subject &&
            (accesses(r.edge_reasons.consumer_access[k]) || accesses(r.edge_reasons.producer_access[k])))
          return true;
      }
    }
    const std::uint32_t task = task_of_event(r, i);
    if (!tasks || task == kNoRow) return false;
    for (std::uint32_t a = 0; a < r.accesses.rows(); ++a) {
      if (r.accesses.task[a] == task && accesses(a)) return true;
    }
    return false;
  });
}

}  // namespace

std::string error_of_walks(const Recording& r, std::uint32_t seed, int walks) {
  Random random(seed);
  Cursor cursor(r, random.below(3) == 0 ? 0 : 1 + random.below(r.events.rows() / 3 + 2));
  std::vector<Answers> ends;
  for (int walk = 0; walk < walks; ++walk) {
    for (std::uint32_t k = 1 + random.below(8); k > 0; --k) random_move(cursor, random);
    ends.push_back(answers_of(cursor));
  }
  std::sort(ends.begin(), ends.end());
  Cursor plain(r);
  for (const Answers& end : ends) {
    while (plain.position() < end[0]) plain.step();
    if (answers_of(plain) != end) return fmt::format("seed {}: other answers at {}", seed, end[0]);
  }
  return "";
}

std::string error_of_answers(const Recording& r, std::uint32_t every) {
  Cursor cursor(r);
  StateOracle oracle(r);
  for (;;) {
    if (cursor.position() % every == 0 || cursor.position() == cursor.size()) {
      const std::string difference = oracle.difference(cursor);
      if (!difference.empty()) return fmt::format("at {}: {}", cursor.position(), difference);
    }
    if (!cursor.step()) return "";
    oracle.apply(cursor.position() - 1);
  }
}

std::string error_of_watches(const Recording& r, std::uint32_t seed, int watches) {
  Random random(seed);
  Cursor cursor(r, 1 + random.below(r.events.rows() / 3 + 2));
  for (int k = 0; k < watches; ++k) {
    const auto watch = random_watch(cursor, random);
    if (!watch) continue;
    const std::string name = to_text(r, *watch);
    cursor.seek(0);
    std::vector<std::int64_t> values{value(cursor, *watch)};
    while (cursor.step()) values.push_back(value(cursor, *watch));
    std::vector<std::uint32_t> changes;
    for (std::uint32_t i = 0; i + 1 < values.size(); ++i) {
      if (values[i] != values[i + 1]) changes.push_back(i);
    }
    for (int turn = 0; turn < 6; ++turn) {
      std::optional<Change> found;
      const auto told = [&] {
        return !found || (*found == Change{found->event, values[found->event], values[found->event + 1]} &&
                          !value_text(r, *watch, found->before).empty() &&
                          value_text(r, *watch, found->before) != value_text(r, *watch, found->after));
      };
      const auto move = [&](auto&& f) { return (found = f(cursor, *watch)).has_value() && told(); };
      const std::string error = both_ways(
          cursor, random, changes, [&] { return move(next_change); }, [&] { return move(previous_change); });
      if (!error.empty()) return fmt::format("seed {}: {} {}", seed, name, error);
      const std::uint32_t at = random.below(cursor.size() + 1);
      const std::uint32_t stays = cursor.position();
      found = change_at(cursor, *watch, at);
      if (cursor.position() != stays || !told() || found.has_value() != (at < cursor.size() && values[at] != values[at + 1]))
        return fmt::format("seed {}: {} changed by event {}", seed, name, at);
    }
  }
  return "";
}

std::string error_of_moves(const Recording& r, std::uint32_t seed, int moves) {
  Random random(seed);
  Cursor cursor(r, 1 + random.below(r.events.rows() / 3 + 2));
  for (int k = 0; k < moves; ++k) {
    cursor.impl().near = random.below(3) == 0 ? 1U << 16U : random.below(40);
    const bool tasks = random.below(2) == 0;
    std::string error;
    if (r.scopes.rows() != 0) {
      const std::uint32_t scope = random.below(r.scopes.rows());
      error = both_ways(
          cursor, random, events_of_scope(r, scope, tasks), [&] { return cursor.next_of_scope(scope, tasks); },
          [&] { return cursor.previous_of_scope(scope, tasks); });
      if (!error.empty()) return fmt::format("seed {}: scope {} {}: {}", seed, scope, tasks, error);
    }
    if (r.tensors.rows() != 0) {
      const std::uint32_t tensor = random.below(r.tensors.rows());
      error = both_ways(
          cursor, random, events_of_tensor(r, tensor, tasks), [&] { return cursor.next_of_tensor(tensor, tasks); },
          [&] { return cursor.previous_of_tensor(tensor, tasks); });
      if (!error.empty()) return fmt::format("seed {}: tensor {} {}: {}", seed, tensor, tasks, error);
    }
    const std::uint32_t least = random.below(9);
    const auto wanted = [&](std::uint32_t i) { return r.events.new_value[i] - r.events.old_value[i] > least; };
    error = both_ways(
        cursor, random, events_where(r, wanted), [&] { return cursor.next_if(wanted); },
        [&] { return cursor.previous_if(wanted); });
    if (!error.empty()) return fmt::format("seed {}: predicate: {}", seed, error);
    if (r.tasks.rows() == 0) continue;
    // All sorts of queries, as text.
    const std::uint32_t task = random.below(r.tasks.rows());
    const std::uint32_t actor = random.below(3);
    const auto kind = static_cast<EventKind>(random.below(runtime::kEventKindCount));
    const auto other = static_cast<EventKind>(random.below(runtime::kEventKindCount));
    std::string query = fmt::format("kind={}", runtime::event_kind_name(kind));
    const bool two = random.below(2) == 0;
    const bool of_task = random.below(2) == 0;
    const bool of_actor = random.below(3) == 0;
    if (two) query += fmt::format(",{}", runtime::event_kind_name(other));
    if (of_task) query += fmt::format("  task={}", task_row_name(r, task));
    if (of_actor) query += fmt::format(" actor={}", actor);
    const auto expected = events_where(r, [&](std::uint32_t i) {
      return (r.events.kind[i] == static_cast<std::uint8_t>(kind) ||
              (two && r.events.kind[i] == static_cast<std::uint8_t>(other))) &&
             (!of_task || task_of_event(r, i) == task) && (!of_actor || r.events.actor[i] == actor);
    });
    error = both_ways(
        cursor, random, expected, [&] { return perform(cursor, parse_move(cursor, "next " + query)).moved; },
        [&] { return perform(cursor, parse_move(cursor, "previous " + query)).moved; });
    if (!error.empty()) return fmt::format("seed {}: {}: {}", seed, query, error);
  }
  return "";
}

}  // namespace depscope::replay
