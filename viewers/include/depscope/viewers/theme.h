// Fonts, colours and what the colours mean. Every colour that carries a meaning is in a legend, so that no panel invents one.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "depscope/pass/decisions.h"
#include "depscope/runtime/sink.h"

namespace depscope::viewers {

struct LegendEntry {
  ImU32 colour = 0;
  std::string_view name;
  std::string_view meaning;
};

/// The colours of a meaning: chosen to differ in lightness too, so that they can be told apart without colour vision.
namespace colour {
[[nodiscard]] ImU32 provenance(std::uint8_t bit);      ///< of one runtime::Provenance bit
[[nodiscard]] ImU32 direction(std::string_view name);  ///< of an ArgDirection name, "input", …
[[nodiscard]] ImU32 state(runtime::TaskState state);
[[nodiscard]] ImU32 event(runtime::EventKind kind);
[[nodiscard]] ImU32 flag(std::uint8_t dep_flag);  ///< of WAIT or RETAIN

[[nodiscard]] std::span<const LegendEntry> provenance_legend();
[[nodiscard]] std::span<const LegendEntry> direction_legend();
[[nodiscard]] std::span<const LegendEntry> state_legend();
[[nodiscard]] std::span<const LegendEntry> flag_legend();

inline constexpr ImU32 kText = IM_COL32(226, 229, 235, 255);
inline constexpr ImU32 kDim = IM_COL32(150, 157, 170, 255);
inline constexpr ImU32 kFaint = IM_COL32(122, 129, 143, 255);
inline constexpr ImU32 kLink = IM_COL32(120, 180, 255, 255);
inline constexpr ImU32 kWarning = IM_COL32(245, 190, 80, 255);
inline constexpr ImU32 kError = IM_COL32(255, 120, 110, 255);
inline constexpr ImU32 kGood = IM_COL32(110, 205, 140, 255);
inline constexpr ImU32 kSelectedRow = IM_COL32(70, 120, 200, 90);
inline constexpr ImU32 kCursorRow = IM_COL32(235, 190, 70, 70);
inline constexpr ImU32 kAddedLine = IM_COL32(60, 150, 90, 55);
inline constexpr ImU32 kRemovedLine = IM_COL32(190, 70, 70, 55);
inline constexpr ImU32 kChangedLine = IM_COL32(120, 120, 160, 36);
inline constexpr ImU32 kAddedMark = IM_COL32(70, 190, 110, 105);
inline constexpr ImU32 kRemovedMark = IM_COL32(225, 85, 85, 105);
inline constexpr ImU32 kAbsentLine = IM_COL32(255, 255, 255, 9);
inline constexpr ImU32 kNameMark = IM_COL32(255, 215, 90, 85);
}  // namespace colour

struct ThemeOptions {
  float scale = 1.0F;          ///< 1 = 96 dots per inch
  std::string font_directory;  ///< with DejaVuSans.ttf, DejaVuSansMono.ttf; empty: DEPSCOPE_FONTS or the system's directory
};

/// What fonts there are, owned by the ImGui context's atlas.
struct Theme {
  float scale = 1.0F;
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;
  std::string font_note;  ///< why the built-in font is used, empty if it is not

  /// A length in pixels of a screen with 96 dots per inch.
  [[nodiscard]] float px(float length) const { return length * scale; }
};

/// Sets the style of the current ImGui context and adds the fonts. Call once, before the first frame.
[[nodiscard]] Theme install_theme(const ThemeOptions& options);

}  // namespace depscope::viewers
