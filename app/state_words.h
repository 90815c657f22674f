// What of the state at a cursor is said in several places, in words: rings, what tasks wait for, what keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "depscope/replay/cursor.h"
#include "depscope/replay/state_queries.h"

namespace depscope::app {

/// "1 task", "3 tasks".
[[nodiscard]] std::string count_text(std::size_t count, std::string_view one, std::string_view many);
/// "unborn", "pending", …: all states, by runtime::TaskState.
[[nodiscard]] std::span<const std::string_view> state_names();
/// "completed".
[[nodiscard]] std::string_view state_text(const replay::Cursor& cursor, std::uint32_t task);
/// How much the events tell: "full", "summary", "measured"; "none" without events.
[[nodiscard]] std::string_view level_name(const replay::Cursor& cursor);
/// What a summary or a measured run leaves out.
[[nodiscard]] std::string_view not_told_text(const replay::Cursor& cursor);
/// "wait|retain", "none".
[[nodiscard]] std::string flags_text(std::uint8_t flags);
/// "next 4, watermark 0, published 0, slots 4 of 16384, heap 0..1024 (…)".
[[nodiscard]] std::string ring_text(const replay::Cursor& cursor, std::uint32_t ring);
/// "scope s1", "r1t2 double", "the heap's tail".
[[nodiscard]] std::string holder_text(const recording::Recording& recording, const replay::Holder& holder);
/// " waits for r1t0 fill, r1t1 fill and 3 more"; empty if it waits for none.
[[nodiscard]] std::string waits_text(const replay::Cursor& cursor, std::uint32_t task);
/// " kept by scope s1, r1t2 double"; empty if nothing keeps it.
[[nodiscard]] std::string holders_text(const replay::Cursor& cursor, std::uint32_t task);
/// "argument 0 a of r1t2 double" for an accesses row.
[[nodiscard]] std::string access_text(const recording::Recording& recording, std::uint32_t access);

}  // namespace depscope::app
