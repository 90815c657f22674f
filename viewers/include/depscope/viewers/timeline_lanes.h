// The lanes of the timeline: who does what from when to when, as sorted intervals of events rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "depscope/viewers/document.h"
#include "depscope/viewers/timeline_lifetimes.h"

namespace depscope::viewers {

enum class LaneKind : std::uint8_t {
  Submits,    ///< item = tasks row, none for a submit that failed before it had one; detail = events row of its first event
  Waits,      ///< of the orchestrator; item = events row of the block; detail = runtime::Resource
  Scopes,     ///< of one depth; item = scopes row
  Scheduler,  ///< runs of events about one task; item = tasks row or none; detail = events row that tells most
  Core,       ///< item = tasks row; detail = block, none where it is not told
  Slots,      ///< of one ring; item = tasks row
  Buffers,    ///< of one ring; item = tasks row
};

struct Lane {
  LaneKind kind = LaneKind::Submits;
  std::uint32_t number = 0;            ///< Scopes: depth; Scheduler: actor; Core: core; Slots, Buffers: ring
  std::uint32_t row = 0;               ///< Slots: the slot, or the row of a packed ring; Buffers: row
  std::uint32_t first = 0, count = 0;  ///< run in the bars

  /// The bars are runs of events; those of other lanes are states that begin with one event and end with another.
  [[nodiscard]] bool of_events() const { return kind == LaneKind::Submits || kind == LaneKind::Scheduler; }
};

/// Bars of all lanes, grouped by lane and in order; bars of one lane do not overlap.
struct LaneBars {
  std::vector<std::uint32_t> begin;  ///< events row
  std::vector<std::uint32_t> end;    ///< events row, replay::kNever where it goes on to the end
  std::vector<std::uint32_t> item, detail;
};

/// A ring with more slots in use than this, over the whole run, or of a measured run, has packed rows: the first row that is free
/// takes the next task.
inline constexpr std::uint32_t kMaxSlotLanes = 64;

class TimelineLanes {
 public:
  TimelineLanes() = default;
  /// One pass over the events and a sort of the tasks. Nothing is kept of the arguments.
  TimelineLanes(const Document& document, const Lifetimes& lifetimes);

  /// In the order of LaneKind, then by ring, core, depth or actor, then by row.
  [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
  [[nodiscard]] const LaneBars& bars() const { return bars_; }
  /// True if the slots of a ring share packed rows.
  [[nodiscard]] bool packed(std::uint32_t ring) const { return packed_[ring]; }
  /// Bars row of the task's slot (buffer, first block on a core), none if it has none.
  [[nodiscard]] std::uint32_t slot_bar(std::uint32_t task) const { return slot_bar_[task]; }
  [[nodiscard]] std::uint32_t buffer_bar(std::uint32_t task) const { return buffer_bar_[task]; }
  [[nodiscard]] std::uint32_t core_bar(std::uint32_t task) const { return core_bar_[task]; }
  /// The lane of a bars row.
  [[nodiscard]] std::uint32_t lane_of(std::uint32_t bar) const;
  /// What the recording does not tell for a kind of lane, empty if it tells all.
  [[nodiscard]] static std::string_view missing(LaneKind kind, const replay::Cursor& cursor);

 private:
  struct Found;
  void read_events(const Document& document, Found& found);
  void add_lives(const Document& document, const Lifetimes& lifetimes, Found& found);
  void collect(Found& found);

  std::vector<Lane> lanes_;
  LaneBars bars_;
  std::array<bool, runtime::kRingCount> packed_{};
  std::vector<std::uint32_t> slot_bar_, buffer_bar_, core_bar_;  // per tasks row
};

}  // namespace depscope::viewers
