// The command palette: a line to type in, and what fits it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "depscope/viewers/palette.h"
#include "depscope/viewers/panel.h"

struct ImGuiInputTextCallbackData;

namespace depscope::viewers {

class CommandPalette {
 public:
  /// With a query to begin with.
  void ask(std::string_view query = {}) {
    opening_ = true;
    initial_ = query;
  }
  /// Gives what was chosen, once, when the palette is closed again.
  [[nodiscard]] std::optional<PaletteEntry> draw(Context& context);
  [[nodiscard]] Palette& model() { return model_; }
  [[nodiscard]] const Palette& model() const { return model_; }

 private:
  static int edit(ImGuiInputTextCallbackData* data);
  void draw_rows(Context& context, float height);
  void take(std::size_t row);

  Palette model_;
  bool opening_ = false;
  std::string initial_, text_;
  std::optional<std::string> new_text_;
  std::size_t highlighted_ = 0;
  bool reveal_ = false, focus_ = false;
  std::optional<PaletteEntry> chosen_;
};

}  // namespace depscope::viewers
