// Where a run over the events is to stop.
//
//   WATCH            at every event that changes the value (watch.h): task:t5, edge:t1->t4, ring:0.watermark, tasks:ready
//   WATCH OP VALUE   at an event that makes the condition true: tasks:ready >= 4, task:t5 = completed, tensormap > 100.
//                    OP is = != < <= > >=; VALUE is a number, or a name as `depscope replay --watch` prints it
//   WHAT             at every event of which all of WHAT holds (moves.h): kind=complete task=t5
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/cursor.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/watch.h"

namespace depscope::replay {

enum class CompareOp : std::uint8_t { Changes, Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

struct Breakpoint {
  std::string text;            ///< as it was given, without blanks around it
  std::optional<Watch> watch;  ///< none: a query for events
  CompareOp op = CompareOp::Changes;
  std::int64_t value = 0;
  EventQuery query;
};

/// Throws QueryError.
[[nodiscard]] Breakpoint parse_breakpoint(const Cursor& cursor, std::string_view text);

/// Whether a condition (WATCH OP VALUE) holds at the cursor; false for breakpoints that are none.
[[nodiscard]] bool holds(const Cursor& cursor, const Breakpoint& breakpoint);
/// The breakpoint for the opposite condition: a run backward with it stops where `condition` held last. What is no condition
/// stays as it is.
[[nodiscard]] Breakpoint opposite(Breakpoint condition);

struct BreakpointHit {
  std::uint32_t breakpoint = 0;  ///< index of the first one that was hit
  std::uint32_t event = 0;
  std::optional<Change> change;  ///< of its watch
};

/// Moves a cursor over the events, one after another, until a breakpoint is hit; a slice at a time, so that a window stays alive.
/// Forward it stops just after the event, backward just before it: both ways an event is a hit or it is not.
class BreakpointRun {
 public:
  /// The cursor must outlive the run and is not to be moved by others meanwhile.
  BreakpointRun(Cursor& cursor, std::vector<Breakpoint> breakpoints, bool forward);

  /// Goes on by at most `events`. The hit, if there is one; the run is over then.
  std::optional<BreakpointHit> advance(std::uint32_t events);
  /// Hit, or at the end (start) of the events.
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool forward() const { return forward_; }

 private:
  [[nodiscard]] std::optional<BreakpointHit> hit(std::uint32_t event);

  Cursor* cursor_;
  std::vector<Breakpoint> breakpoints_;
  std::vector<EventMatcher> matchers_;  // of those without a watch, in order
  std::vector<std::int64_t> values_;    // of those with a watch, at the cursor
  std::vector<EventKinds> kinds_;       // that may change them
  bool forward_;
  bool over_ = false;
};

}  // namespace depscope::replay
