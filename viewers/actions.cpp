#include "depscope/viewers/actions.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {

void Actions::add(std::string group, std::string name, std::string_view key, std::function<void()> run) {
  const auto parsed = key_from_name(key);
  if (!parsed) throw InternalError(fmt::format("action '{}': '{}' is not a key", name, key));
  for (const Action& action : actions_) {
    if (action.name == name) throw InternalError(fmt::format("action '{}' is added twice", name));
    if (action.key == *parsed) throw InternalError(fmt::format("actions '{}' and '{}' share the key {}", action.name, name, key));
  }
  actions_.push_back({std::move(group), std::move(name), *parsed, std::move(run)});
}

void Actions::run_pressed() const {
  const ImGuiIO& io = ImGui::GetIO();
  for (const Action& action : actions_) {
    const Key& key = action.key;
    const bool function_key = key.code >= GLFW_KEY_F1 && key.code <= GLFW_KEY_F12;
    if (io.WantTextInput && !key.ctrl && !key.alt && !function_key && key.code != GLFW_KEY_ESCAPE) continue;
    if (io.KeyCtrl != key.ctrl || io.KeyShift != key.shift || io.KeyAlt != key.alt) continue;
    if (ImGui::IsKeyPressed(key.code)) action.run();
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

void Actions::run(std::string_view name) const {
  if (const Action* action = find(name)) action->run();
}

}  // namespace depscope::viewers
