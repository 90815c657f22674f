// What a frame drew, by name: rectangles and texts for scripts and tests, so that they can ask for a box in a drawing as they ask
// for a text. Names are "panel/thing", as in "graph/task 12" or "timeline/core 3".
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace depscope::viewers {

struct Element {
  std::string name;
  std::string text;  ///< what it says, where that is not a text of its own
  ImVec2 min, max;   ///< pixels, clipped to what is visible
};

class Elements {
 public:
  /// Nothing is noted until this is switched on: a window without a script pays one test per element.
  void record(bool on) { on_ = on; }
  [[nodiscard]] bool recording() const { return on_; }
  /// Forgets the last frame.
  void begin_frame() { all_.clear(); }
  /// Notes what was drawn, in the current ImGui window. What is clipped away, or has no extent, is not noted.
  void add(std::string_view name, ImVec2 min, ImVec2 max, std::string_view text = {});
  /// The same for the last ImGui item.
  void add_item(std::string_view name, std::string_view text = {});

  [[nodiscard]] const std::vector<Element>& all() const { return all_; }
  /// The last one of that name, null if it was not drawn.
  [[nodiscard]] const Element* find(std::string_view name) const;

 private:
  bool on_ = false;
  std::vector<Element> all_;
};

}  // namespace depscope::viewers
