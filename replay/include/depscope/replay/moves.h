// Moves of a cursor as text: what `depscope replay --move` and scripts take.
//
//   to N | start | end           the position after N events
//   step [N] | back [N]          N events forward / backward, 1 without N
//   next WHAT | previous WHAT    to just after the next / just before the last event of which all of WHAT holds:
//        kind=NAME[,NAME…]         one of these kinds, named as `depscope replay` prints them
//        task=TASK                 about this task (r0t5 or t5)
//        scope=ROW[+tasks]         of this scope; with +tasks also of its tasks
//        tensor=ROW-OR-NAME[+tasks]  of this tensor; with +tasks also of tasks that access it
//        actor=N                   done by the orchestrator (0), a scheduler thread (1 and up) or a core by itself (255)
//   change WATCH | change-back WATCH   to just after the next / just before the last event that changes the value (watch.h)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "depscope/replay/cursor.h"
#include "depscope/replay/event_sets.h"
#include "depscope/replay/watch.h"

namespace depscope::replay {

/// What an event has to be; everything that is set has to hold.
struct EventQuery {
  EventKinds kinds;                        ///< none set: any
  std::uint32_t task = recording::kNoRow;  ///< tasks row
  std::uint32_t scope = recording::kNoRow, tensor = recording::kNoRow;
  bool scope_tasks = false, tensor_tasks = false;
  std::optional<std::uint8_t> actor;
};

/// Says of events whether a query holds for them. The recording must outlive it, and so must `tensor`, the events of the query's
/// tensor, which are looked up if they are not given.
class EventMatcher {
 public:
  EventMatcher(const recording::Recording& recording, const EventQuery& query, const TensorEvents* tensor = nullptr);
  [[nodiscard]] bool operator()(std::uint32_t event) const;

 private:
  const recording::Recording* recording_;
  EventQuery query_;
  std::shared_ptr<const TensorEvents> own_tensor_;
  const TensorEvents* tensor_;
};

/// Moves to just after the next (just before the previous) event that the query holds for; false and no move if there is none.
/// A query for one kind, task, scope or tensor alone is as fast as Cursor's own; others ask about one event after another.
bool next(Cursor& cursor, const EventQuery& query);
bool previous(Cursor& cursor, const EventQuery& query);

enum class MoveKind : std::uint8_t { To, Step, Back, Next, Previous, Change, ChangeBack };

struct Move {
  MoveKind kind = MoveKind::Step;
  std::uint32_t count = 1;  ///< To: position; Step, Back: events
  EventQuery query;         ///< Next, Previous
  Watch watch;              ///< Change, ChangeBack
  std::string text;         ///< as it was given
};

/// Throws QueryError with what is allowed, for rows that the recording does not have, and for positions beyond its events.
[[nodiscard]] Move parse_move(const Cursor& cursor, std::string_view text);

struct MoveOutcome {
  bool moved = false;            ///< Step and Back: all the events that were asked for were there
  std::optional<Change> change;  ///< Change, ChangeBack
};
MoveOutcome perform(Cursor& cursor, const Move& move);

}  // namespace depscope::replay
