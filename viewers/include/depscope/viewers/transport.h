// The transport bar's model: moves the one cursor that all panels show. What is asked for is a wish until tick(), before the
// frame: a newer wish replaces an older one, so that dragging never queues up work. Runs to a breakpoint go on a slice a frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/breakpoint.h"
#include "depscope/runtime/sink.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

class Transport {
 public:
  /// Events per second of playing.
  static constexpr std::array<double, 9> kSpeeds{1, 4, 10, 30, 100, 1000, 10000, 100000, 1000000};
  static constexpr std::size_t kMaxBreakpoints = 50;

  struct StopPoint {
    replay::Breakpoint breakpoint;
    bool enabled = true;
  };

  /// Both must stay alive until the next attach. Breakpoints stay where the new recording has what they name.
  void attach(Document* document, Selection* selection);

  void first();
  void back();
  void toggle_play();
  void step();
  void last();
  void seek(std::uint32_t position);  ///< clamped to size()
  /// Next (previous) event of the kind. False if there is none.
  bool next(runtime::EventKind kind);
  bool previous(runtime::EventKind kind);
  /// Next (previous) event of what is selected: of a task, or of the task behind an access or event; of a scope and its tasks; of
  /// a tensor; of an edge; of the tasks of a call site. False if nothing of the kind is selected or has no more events.
  bool next_of_selection();
  bool previous_of_selection();
  void faster();
  void slower();

  /// What is wrong with it, empty if nothing (replay/breakpoint.h has the forms). The same breakpoint twice is one.
  std::string add_breakpoint(std::string_view text);
  void remove_breakpoint(std::size_t index);
  [[nodiscard]] std::vector<StopPoint>& breakpoints() { return breakpoints_; }
  /// Breakpoints that the selection suggests: "task:r0t5", "edge:r0t1->r0t5".
  [[nodiscard]] std::vector<std::string> suggested_breakpoints() const;
  /// Goes on to the next breakpoint that is enabled, or to the end (start).
  void run(bool forward);
  /// Ends playing and running, where the cursor is.
  void stop();
  [[nodiscard]] bool running() const { return run_ != nullptr; }
  /// Why the last run ended: "tasks:ready: 3 -> 4", "no breakpoint was hit". Empty before the first and after other moves.
  [[nodiscard]] const std::string& stopped_at() const { return stopped_at_; }

  /// Carries out the wish; plays on by `seconds`, stopping at the end; runs on by at most `budget` events.
  void tick(double seconds, std::uint32_t budget);

  [[nodiscard]] bool playing() const { return playing_; }
  [[nodiscard]] double speed() const { return kSpeeds[speed_]; }
  [[nodiscard]] std::uint32_t position() const;
  [[nodiscard]] std::uint32_t size() const;
  /// Where the cursor is going: position() unless something was asked for since the last tick.
  [[nodiscard]] std::uint32_t target() const { return wish_.value_or(position()); }
  /// The event that was applied last, none at the start.
  [[nodiscard]] std::uint32_t current_event() const { return position() == 0 ? kNoRow : position() - 1; }
  /// The kind that "next of kind" looks for.
  runtime::EventKind kind = runtime::EventKind::Submit;

 private:
  void go_to(std::uint32_t position);
  void moved();
  /// Looks from target() on, by moving the cursor there and back to where it was.
  template <class Move>
  bool look(Move&& move);
  bool of_selection(bool forward);
  [[nodiscard]] bool for_selection(std::uint32_t event) const;
  void run_on(std::uint32_t budget);

  Document* document_ = nullptr;
  Selection* selection_ = nullptr;
  std::optional<std::uint32_t> wish_;
  bool playing_ = false;
  std::size_t speed_ = 2;
  double owed_ = 0.0;  // fraction of an event that is still to be played
  std::vector<StopPoint> breakpoints_;
  std::unique_ptr<replay::BreakpointRun> run_;
  std::vector<std::size_t> run_points_;  // breakpoints_ of the run, by its own numbers
  std::string stopped_at_;
};

}  // namespace depscope::viewers
