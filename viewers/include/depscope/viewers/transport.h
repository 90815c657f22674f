// The transport bar's model: moves the one cursor that all panels show.
#pragma once

#include <array>
#include <cstdint>

#include "depscope/runtime/sink.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

class Transport {
 public:
  /// Events per second of playing.
  static constexpr std::array<double, 9> kSpeeds{1, 4, 10, 30, 100, 1000, 10000, 100000, 1000000};

  /// Both must stay alive until the next attach.
  void attach(Document* document, Selection* selection);

  void first();
  void back();
  void toggle_play();
  void step();
  void last();
  void seek(std::uint32_t position);
  /// Next (previous) event of the kind of the current event, or of `kind`. False if there is none.
  bool next(runtime::EventKind kind);
  bool previous(runtime::EventKind kind);
  /// Next (previous) event of the selected task. False if no task is selected or it has no more events.
  bool next_of_task();
  bool previous_of_task();
  void faster();
  void slower();
  /// Plays on by `seconds`; stops at the end.
  void tick(double seconds);

  [[nodiscard]] bool playing() const { return playing_; }
  [[nodiscard]] double speed() const { return kSpeeds[speed_]; }
  [[nodiscard]] std::uint32_t position() const;
  [[nodiscard]] std::uint32_t size() const;
  /// The event that was applied last, none at the start.
  [[nodiscard]] std::uint32_t current_event() const { return position() == 0 ? kNoRow : position() - 1; }
  /// The kind that "next of kind" looks for.
  runtime::EventKind kind = runtime::EventKind::Submit;

 private:
  void moved();

  Document* document_ = nullptr;
  Selection* selection_ = nullptr;
  bool playing_ = false;
  std::size_t speed_ = 2;
  double owed_ = 0.0;  // fraction of an event that is still to be played
};

}  // namespace depscope::viewers
