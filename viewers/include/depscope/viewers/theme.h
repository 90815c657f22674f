// Fonts and style of the window.
#pragma once

#include <imgui.h>

#include <string>

#include "depscope/viewers/colours.h"

namespace depscope::viewers {

struct ThemeOptions {
  float scale = 1.0F;  ///< 1 = 96 dots per inch
  colour::Ground ground = colour::Ground::Dark;
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

/// Sets the style of the current ImGui context and its fonts. Between frames; the font texture has to be made anew then, and
/// fonts that were known before are gone.
[[nodiscard]] Theme install_theme(const ThemeOptions& options);

/// Changes the ground of an installed theme, between frames.
void use_ground(colour::Ground ground);

}  // namespace depscope::viewers
