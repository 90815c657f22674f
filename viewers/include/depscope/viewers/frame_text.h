// The text that a frame really drew, read back from the glyphs in ImGui's draw lists. Scripts use it to expect texts and to
// click on labels, so that a clipped or missing text fails a test, whatever widget should have drawn it.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depscope::viewers {

struct DrawnText {
  std::string text;
  ImVec2 min, max;  ///< pixels, clipped to what is visible
};

class FrameText {
 public:
  /// Collects the runs of text of a finished frame. Only glyphs inside their clip rectangle and the display count.
  void collect(const ImDrawData& data, const ImFontAtlas& atlas);

  /// After the fonts of the atlas were replaced.
  void forget_fonts() { atlas_width_ = atlas_height_ = 0; }

  [[nodiscard]] const std::vector<DrawnText>& runs() const { return runs_; }
  /// True if a run, or neighbouring runs of one line joined with a blank, contain the text.
  [[nodiscard]] bool contains(std::string_view text) const;
  /// Two runs that stand on one another, the first found from above; none in a legible frame. Popups cover what is below them:
  /// ask while none is open.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> overlap() const;
  /// Where a label stands: the last drawn run that equals it, else the last that contains it.
  [[nodiscard]] std::optional<ImVec2> centre_of(std::string_view label) const;

 private:
  void index_glyphs(const ImFontAtlas& atlas);

  std::vector<std::uint32_t> glyph_at_;  // per texel of the atlas: 1-based index in glyphs_, 0 = none
  std::vector<const ImFontGlyph*> glyphs_;
  std::vector<const ImFont*> fonts_;  // of glyphs_
  std::vector<DrawnText> runs_;
  int atlas_width_ = 0, atlas_height_ = 0;
};

}  // namespace depscope::viewers
