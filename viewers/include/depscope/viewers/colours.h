// What every colour means, for a dark and a light ground. Every colour that carries a meaning is in a legend, so that no panel
// invents one; and beside every colour stands a text or a shape, so that nothing depends on colour vision.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "depscope/pass/decisions.h"
#include "depscope/runtime/sink.h"

namespace depscope::viewers {

struct LegendEntry {
  ImU32 colour = 0;
  std::string_view name;
  std::string_view meaning;
};

namespace colour {

enum class Ground : std::uint8_t { Dark, Light };
/// Changes all colours below from now on. The window has one ground for all panels.
void use(Ground ground);
[[nodiscard]] Ground ground();

[[nodiscard]] ImU32 provenance(std::uint8_t bit);      ///< of one runtime::Provenance bit
[[nodiscard]] ImU32 direction(std::string_view name);  ///< of an ArgDirection name, "input", …
[[nodiscard]] ImU32 state(runtime::TaskState state);
[[nodiscard]] ImU32 event(runtime::EventKind kind);
[[nodiscard]] ImU32 flag(std::uint8_t dep_flag);      ///< of WAIT or RETAIN
[[nodiscard]] ImU32 severity(std::uint8_t severity);  ///< of depscope::Severity
[[nodiscard]] ImU32 outcome(std::uint8_t outcome);    ///< of pass::RegionOutcome

[[nodiscard]] std::span<const LegendEntry> provenance_legend();
[[nodiscard]] std::span<const LegendEntry> direction_legend();
[[nodiscard]] std::span<const LegendEntry> state_legend();
[[nodiscard]] std::span<const LegendEntry> flag_legend();
/// Only in a, only in b, in both and different.
[[nodiscard]] std::span<const LegendEntry> side_legend();
/// Segments of the life of a slot and its buffers: allocated, completed, last reader, consumed, reused.
[[nodiscard]] std::span<const LegendEntry> lifetime_legend();

// Texts.
[[nodiscard]] ImU32 text();
[[nodiscard]] ImU32 dim();
[[nodiscard]] ImU32 faint();
[[nodiscard]] ImU32 link();
[[nodiscard]] ImU32 warning();
[[nodiscard]] ImU32 error();
[[nodiscard]] ImU32 good();
// Classes of program text.
[[nodiscard]] ImU32 plain_code();
[[nodiscard]] ImU32 keyword();
[[nodiscard]] ImU32 number();
[[nodiscard]] ImU32 string();
// Grounds of rows and marks.
[[nodiscard]] ImU32 selected_row();
[[nodiscard]] ImU32 cursor_row();
[[nodiscard]] ImU32 added_line();
[[nodiscard]] ImU32 removed_line();
[[nodiscard]] ImU32 changed_line();
[[nodiscard]] ImU32 added_mark();
[[nodiscard]] ImU32 removed_mark();
[[nodiscard]] ImU32 absent_line();
[[nodiscard]] ImU32 name_mark();
// Drawings.
[[nodiscard]] ImU32 canvas();       ///< ground of a drawing
[[nodiscard]] ImU32 grid();         ///< lines and frames that only structure it
[[nodiscard]] ImU32 node();         ///< ground of a box
[[nodiscard]] ImU32 cursor_line();  ///< where the event cursor stands
[[nodiscard]] ImU32 critical();     ///< of the critical path
[[nodiscard]] ImU32 handle();       ///< of a splitter under the pointer

/// The same colour with another opacity, 0 to 255.
[[nodiscard]] constexpr ImU32 with_alpha(ImU32 colour, std::uint32_t alpha) {
  return (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
}

}  // namespace colour
}  // namespace depscope::viewers
