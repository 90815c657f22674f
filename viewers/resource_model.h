// What the Resource panel shows: the accesses of one buffer in order of submission, which of them conflict with a chosen one, and
// what orders the two. No drawing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.h"
#include "depscope/viewers/document.h"
#include "view_bytes.h"

namespace depscope::viewers {

/// Bits: what a pair of accesses is, the earlier one first.
enum ConflictBits : std::uint8_t { kRaw = 1, kWar = 2, kWaw = 4 };

/// What a task does with the bytes of an access: as declared, or what its kernel really touches where the recording tells it.
struct Footprint {
  std::uint8_t mode = 0;  ///< 1 reads, 2 writes, 3 both
  ByteView view;
};
[[nodiscard]] std::vector<Footprint> footprints_of(const recording::Recording& recording, std::uint32_t access);

/// How two tasks are ordered.
enum class Order : std::uint8_t {
  None,      ///< no path of WAIT edges leads from the earlier to the later one
  Edge,      ///< an edge with WAIT
  Path,      ///< through other tasks
  SameTask,  ///< the two accesses are of one task
  Unknown,   ///< not found within kMaxSearch edges
};
struct Ordering {
  Order order = Order::None;
  std::uint32_t edge = kNoRow;     ///< Edge: edges row; None: the edge without WAIT between the two, none if there is none
  std::uint32_t through = kNoRow;  ///< Path: tasks row before the later one
  std::uint32_t steps = 0;         ///< edges of the path
};
inline constexpr std::uint32_t kMaxSearch = 20'000;
/// Searches backwards from the later task along edges that have WAIT after reduction, the shortest path first.
[[nodiscard]] Ordering ordering_of(const Document& document, std::uint32_t earlier_task, std::uint32_t later_task);

/// An access against the chosen one.
struct Conflict {
  std::uint8_t kinds = 0;      ///< ConflictBits of pairs of bytes that both use; 0: no conflict
  Shared shared = Shared::No;  ///< bytes that both use, whatever they do with them
  Ordering ordering;           ///< only where there is a conflict
};
[[nodiscard]] Conflict conflict_of(const Document& document, std::uint32_t chosen, std::uint32_t other);
/// "RAW", "WAR WAW".
[[nodiscard]] std::string conflict_words(std::uint8_t kinds);
/// "edge 3: creator", "through t7 (2 edges)", "no path".
[[nodiscard]] std::string ordering_words(const Document& document, const Ordering& ordering);

/// Conflicts of rows with one chosen access, each judged once, when it is first asked for.
class Conflicts {
 public:
  void choose(const Document* document, std::uint32_t chosen);
  [[nodiscard]] std::uint32_t chosen() const { return chosen_; }
  [[nodiscard]] const Conflict& of(std::uint32_t access);

 private:
  const Document* document_ = nullptr;
  std::uint32_t chosen_ = kNoRow;
  std::vector<std::uint32_t> known_;  // accesses rows, ascending
  std::vector<Conflict> conflicts_;   // of known_
};

/// Buffers whose name contains a text, in order of first use.
[[nodiscard]] std::vector<std::uint32_t> buffers_named(const Document& document, const Buffers& buffers, std::string_view words);

}  // namespace depscope::viewers
