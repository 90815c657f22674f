// One row of `edges`, `pairs` or `submissions` of a deps.json, and what rows of all sections have in common. Private.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "deps_json_tables.h"
#include "depscope/base/json_reader.h"

namespace depscope::replay {

inline constexpr std::int64_t kMaxUInt32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

struct DepsSubmission {
  std::uint64_t id = 0;
  runtime::TaskKind kind = runtime::TaskKind::Kernel;
  std::string callee;
};

/// A number of 64 bits, as text or plain.
[[nodiscard]] std::uint64_t read_deps_id(JsonReader& reader);

/// A list of at most kMaxRank numbers up to `high`; returns how many.
template <class T>
std::size_t read_deps_extents(JsonReader& reader, std::array<T, runtime::kMaxRank>& extents, std::int64_t high) {
  std::size_t rank = 0;
  reader.begin_array();
  while (reader.next_element()) {
    const std::int64_t value = reader.integer(0, high);
    if (rank == runtime::kMaxRank) reader.fail_value("more than " + std::to_string(runtime::kMaxRank) + " dimensions");
    extents[rank++] = static_cast<T>(value);
  }
  return rank;
}

/// False if the row is no edge; it is read to its end then, too. Without flags `edge` has those that its source stands for.
[[nodiscard]] bool read_deps_edge(JsonReader& reader, DepsEdge& edge);
[[nodiscard]] DepsPair read_deps_pair(JsonReader& reader);
void read_deps_submission(JsonReader& reader, DepsSubmission& submission);

}  // namespace depscope::replay
