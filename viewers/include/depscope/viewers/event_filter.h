// Filter over the event list. A change of the filter scans the events a slice per frame, so that no frame is late even at
// twenty million events.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::viewers {

/// One bit per runtime::EventKind.
using EventKinds = std::bitset<runtime::kEventKindCount>;
[[nodiscard]] inline EventKinds all_event_kinds() { return EventKinds().set(); }

/// Kinds that are about the same, for lists to choose from. Each kind is in exactly one group.
struct EventGroup {
  std::string_view name;
  std::span<const runtime::EventKind> kinds;
};
[[nodiscard]] std::span<const EventGroup> event_groups();

struct EventFilter {
  EventKinds kinds = all_event_kinds();
  std::uint32_t task = recording::kNoRow;  ///< only events of this tasks row
  int actor = -1;                          ///< only events of this actor
  std::vector<std::string> words;          ///< lower case; all must occur in the described event

  bool operator==(const EventFilter&) const = default;
  [[nodiscard]] bool all() const { return *this == EventFilter{}; }
  [[nodiscard]] bool matches(const recording::Recording& recording, std::uint32_t event) const;
};

struct ParsedFilter {
  EventFilter filter;
  std::string error;  ///< what is wrong, empty if nothing; the filter then holds what was understood
};
/// "task:12", "kind:submit,complete", "actor:1" (255 = the cores) and free words, separated by blanks.
[[nodiscard]] ParsedFilter parse_event_filter(std::string_view text);

/// The events that pass a filter, in order. Without a filter no list is made.
class FilteredEvents {
 public:
  /// Starts again from the first event.
  void restart(const recording::Recording* recording, EventFilter filter);
  /// Scans on for about `work` units (a kind check is one, a text check kTextCost). True once complete.
  bool advance(std::uint32_t work);

  static constexpr std::uint32_t kTextCost = 200;

  [[nodiscard]] const EventFilter& filter() const { return filter_; }
  [[nodiscard]] bool complete() const { return filter_.all() || next_ == total(); }
  [[nodiscard]] std::uint32_t scanned() const { return next_; }
  [[nodiscard]] std::uint32_t total() const { return recording_ == nullptr ? 0 : recording_->events.rows(); }
  [[nodiscard]] std::uint32_t size() const { return filter_.all() ? total() : static_cast<std::uint32_t>(rows_.size()); }
  [[nodiscard]] std::uint32_t event(std::uint32_t index) const { return filter_.all() ? index : rows_[index]; }
  /// Index of the first listed event at or after `event`.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t event) const;

 private:
  const recording::Recording* recording_ = nullptr;
  EventFilter filter_;
  std::vector<std::uint32_t> rows_;
  std::uint32_t next_ = 0;
};

}  // namespace depscope::viewers
