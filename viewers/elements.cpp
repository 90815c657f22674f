#include "depscope/viewers/elements.h"

#include <algorithm>

namespace depscope::viewers {

void Elements::add(std::string_view name, ImVec2 min, ImVec2 max, std::string_view text) {
  if (!on_) return;
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 clip_min = list.GetClipRectMin();
  const ImVec2 clip_max = list.GetClipRectMax();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 least(std::max({min.x, clip_min.x, 0.0F}), std::max({min.y, clip_min.y, 0.0F}));
  const ImVec2 most(std::min({max.x, clip_max.x, display.x}), std::min({max.y, clip_max.y, display.y}));
  if (least.x >= most.x || least.y >= most.y) return;
  all_.push_back({std::string(name), std::string(text), least, most});
}

void Elements::add_item(std::string_view name, std::string_view text) {
  if (on_) add(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), text);
}

const Element* Elements::find(std::string_view name) const {
  const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const Element& element) { return element.name == name; });
  return found == all_.rend() ? nullptr : &*found;
}

}  // namespace depscope::viewers
