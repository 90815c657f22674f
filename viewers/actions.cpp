#include "depscope/viewers/actions.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {

namespace {

/// Copy, cut, paste, undo …: what a text field does with Ctrl and a letter.
bool is_for_text(const Key& key) {
  constexpr std::string_view kLetters = "ACVXYZ";
  return key.ctrl && !key.shift && !key.alt && key.code < 128 && kLetters.find(static_cast<char>(key.code)) != kLetters.npos;
}

}  // namespace

void Actions::add(std::string group, std::string name, std::string_view key, std::function<void()> run) {
  const auto parsed = key_from_name(key);
  if (!parsed) throw InternalError(fmt::format("action '{}': '{}' is not a key", name, key));
  for (const Action& action : actions_) {
    if (action.name == name) throw InternalError(fmt::format("action '{}' is added twice", name));
    if (action.key == *parsed) throw InternalError(fmt::format("actions '{}' and '{}' share the key {}", action.name, name, key));
  }
  actions_.push_back({std::move(group), std::move(name), *parsed, std::move(run)});
}

void Actions::run_pressed() {
  const std::vector<Key> pressed = std::exchange(pressed_, {});
  const bool typing = ImGui::GetIO().WantTextInput;
  for (const Key& key : pressed) {
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
      if (key.code == GLFW_KEY_ESCAPE) ImGui::ClosePopupToLevel(0, true);
      continue;
    }
    const bool function_key = key.code >= GLFW_KEY_F1 && key.code <= GLFW_KEY_F12;
    if (typing && !key.ctrl && !key.alt && !function_key && key.code != GLFW_KEY_ESCAPE) continue;
    if (typing && is_for_text(key)) continue;
    for (const Action& action : actions_) {
      if (action.key == key) action.run();
    }
  }
}

const Action* Actions::find(std::string_view name) const {
  const auto found = std::find_if(actions_.begin(), actions_.end(), [&](const Action& action) { return action.name == name; });
  return found == actions_.end() ? nullptr : &*found;
}

std::string Actions::tooltip(std::string_view name) const {
  const Action* action = find(name);
  return action == nullptr ? std::string(name) : fmt::format("{} ({})", name, key_name(action->key));
}

bool Actions::run(std::string_view name) const {
  const Action* action = find(name);
  if (action != nullptr) action->run();
  return action != nullptr;
}

}  // namespace depscope::viewers
