// Pieces of `depscope.replay/1` that several answers have. Tasks are ids in decimal, (ring << 32) | local index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/cursor.h"
#include "depscope/replay/state_queries.h"

namespace depscope::app {

[[nodiscard]] std::string state_name(runtime::TaskState state);
/// The id of a tasks row.
[[nodiscard]] std::string task_id_json(const recording::Recording& recording, std::uint32_t task);
/// task, row, callee.
[[nodiscard]] nlohmann::ordered_json task_json(const recording::Recording& recording, std::uint32_t task);
/// task, row, callee, state.
[[nodiscard]] nlohmann::ordered_json task_state_json(const replay::Cursor& cursor, std::uint32_t task);
/// ["wait", "retain"].
[[nodiscard]] nlohmann::ordered_json flags_json(std::uint8_t flags);
/// row, flags discovered, now and final, provenance.
[[nodiscard]] nlohmann::ordered_json edge_json(const replay::Cursor& cursor, std::uint32_t edge);
/// task, argument, access; tensor and name where they are known.
[[nodiscard]] nlohmann::ordered_json access_json(const recording::Recording& recording, std::uint32_t access);

/// Errors of the run.
[[nodiscard]] nlohmann::ordered_json errors_json(const recording::Recording& recording);
/// total, entries; null for a summary.
[[nodiscard]] nlohmann::ordered_json tensormap_json(const replay::Cursor& cursor, std::size_t limit);
[[nodiscard]] nlohmann::ordered_json rings_json(const replay::Cursor& cursor);
/// total and blocks of a ring.
[[nodiscard]] nlohmann::ordered_json heap_json(const replay::Cursor& cursor, std::uint32_t ring, std::size_t limit);
/// Of every ring with allocations.
[[nodiscard]] nlohmann::ordered_json heaps_json(const replay::Cursor& cursor, std::size_t limit);
[[nodiscard]] nlohmann::ordered_json open_scopes_json(const replay::Cursor& cursor);
[[nodiscard]] nlohmann::ordered_json holders_json(const replay::Cursor& cursor, const std::vector<replay::Holder>& holders,
                                                  std::size_t limit);
/// State, what it waits for, what keeps it.
[[nodiscard]] nlohmann::ordered_json task_detail_json(const replay::Cursor& cursor, std::uint32_t task);

}  // namespace depscope::app
