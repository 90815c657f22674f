// Names of keys, for the key table, tooltips and scripts: "F1", "ctrl+f", "alt+left", "shift+n".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace depscope::viewers {

struct Key {
  int code = 0;  ///< GLFW key code, 0 = none
  bool ctrl = false;
  bool shift = false;
  bool alt = false;

  bool operator==(const Key&) const = default;
};

/// Any case; modifiers ctrl, shift, alt in any order. Nothing if the name is not known.
[[nodiscard]] std::optional<Key> key_from_name(std::string_view name);
/// "Ctrl+F", "F1", "Alt+Left"; empty for no key.
[[nodiscard]] std::string key_name(const Key& key);

}  // namespace depscope::viewers
