// What the TensorMap panel shows: the entries at the cursor by buffer, and what one submit looked up, found, registered and
// removed. No drawing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.h"
#include "depscope/runtime/overlap.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// What the lookup of an argument made of an entry, or why there was none.
enum class Verdict : std::uint8_t {
  Overlaps,  ///< a hit: they may share an element
  Covers,    ///< a hit: the access contains the whole write
  Removes,   ///< the same, and as an INOUT it takes the entry's place: the entry is removed
  Disjoint,  ///< looked at, and they share nothing
  Stale,     ///< passed over: its task is below the watermark that the TensorMap has seen
  Miss,      ///< no entry of the buffer overlaps
  NoLookup,  ///< the argument's kind, its tensor or its scope wants none
  NotTold,   ///< no hit gave an edge, and a summary tells no more
};

struct LookupRow {
  std::uint32_t access = kNoRow;  ///< accesses row of the argument
  std::uint32_t entry = kNoRow;   ///< accesses row of the write that was found or looked at
  std::uint32_t edge = kNoRow;    ///< edges row from the producer of the entry, none if there is none
  std::uint32_t event = kNoRow;   ///< of a hit; none in a summary
  Verdict verdict = Verdict::Miss;
};

/// An event that changed the TensorMap.
struct MapChange {
  std::uint32_t event = kNoRow;
  std::uint32_t entry = kNoRow;  ///< accesses row of the write
  runtime::EventKind kind = runtime::EventKind::TensorMapInsert;
};

/// One submit and the TensorMap.
struct SubmitView {
  std::uint32_t begin = kNoRow;    ///< event that begins it, none if there is no submit
  std::uint32_t end = 0;           ///< one past its last event
  std::uint32_t task = kNoRow;     ///< none if it was blocked or ignored
  std::vector<LookupRow> lookups;  ///< by argument; hits as they were found, then what was only looked at
  std::vector<MapChange> changes;  ///< inserts, removals and clean-ups, in order
  std::uint32_t not_listed = 0;    ///< entries that were looked at beyond kMaxLookedAt
};
/// Entries without a hit that are listed of one argument.
inline constexpr std::uint32_t kMaxLookedAt = 50;

/// A line of the list of entries: a buffer, or an entry below it.
struct EntryRow {
  std::uint32_t buffer = kNoRow;
  std::uint32_t access = kNoRow;  ///< none: the line of the buffer
  std::uint32_t count = 0;        ///< entries of the buffer
};
inline constexpr std::size_t kMaxEntries = 20'000;

class TensorMapModel {
 public:
  TensorMapModel() = default;
  /// Reads all events once.
  TensorMapModel(const Document& document, const Buffers& buffers);

  /// Events that change the TensorMap; empty for a summary.
  [[nodiscard]] const std::vector<std::uint32_t>& changes() const { return changes_; }
  /// Entries at the cursor, at most kMaxEntries: buffers in order of first use, the newest entry first. `total` counts all.
  [[nodiscard]] std::vector<EntryRow> entries(const replay::Cursor& cursor, std::uint32_t& total) const;
  /// The last submit that has begun at the position; SubmitView::begin is none if none has.
  [[nodiscard]] SubmitView submit_at(std::uint32_t position) const;
  /// The submit of a task.
  [[nodiscard]] SubmitView submit_of(std::uint32_t task) const;

 private:
  [[nodiscard]] SubmitView submit(std::size_t index) const;
  void look_up(SubmitView& view, const std::vector<LookupRow>& hits, const std::vector<std::uint32_t>& removed_after) const;
  void looked_at(SubmitView& view, const std::vector<LookupRow>& hits, const std::vector<std::uint32_t>& removed_after,
                 std::uint32_t access) const;
  [[nodiscard]] std::vector<LookupRow> hits_of_reasons(std::uint32_t task) const;
  [[nodiscard]] std::uint32_t edge_between(std::uint32_t producer, std::uint32_t consumer) const;
  [[nodiscard]] bool looks_up(std::uint32_t access) const;

  const Document* document_ = nullptr;
  const Buffers* buffers_ = nullptr;
  std::vector<std::uint32_t> submits_;  // events that begin a submit
  std::vector<std::uint32_t> changes_;
  std::vector<std::uint32_t> inserted_;  // per accesses row: the event, kNever
  std::vector<std::uint32_t> gone_;
  Groups inserts_of_address_;           // accesses rows by number of the address, in order of insertion
  std::vector<std::uint32_t> address_;  // per tensors row: number of its address
};

/// "overlaps", "covers: entry is removed", "disjoint", …
[[nodiscard]] std::string_view verdict_words(Verdict verdict);
/// Why an argument makes no lookup; empty if it makes one.
[[nodiscard]] std::string_view no_lookup_words(const recording::Recording& recording, std::uint32_t access);

}  // namespace depscope::viewers
