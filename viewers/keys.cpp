#include "depscope/viewers/keys.h"
#include "folded_case.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace depscope::viewers {
namespace {

struct Named {
  int code;
  std::string_view name;
};

// Names as shown. Letters, digits and F-keys are computed.
constexpr std::array<Named, 22> kNamed{{
    {GLFW_KEY_SPACE, "Space"},
    {GLFW_KEY_ESCAPE, "Escape"},
    {GLFW_KEY_ENTER, "Enter"},
    {GLFW_KEY_TAB, "Tab"},
    {GLFW_KEY_BACKSPACE, "Backspace"},
    {GLFW_KEY_DELETE, "Delete"},
    {GLFW_KEY_LEFT, "Left"},
    {GLFW_KEY_RIGHT, "Right"},
    {GLFW_KEY_UP, "Up"},
    {GLFW_KEY_DOWN, "Down"},
    {GLFW_KEY_PAGE_UP, "PageUp"},
    {GLFW_KEY_PAGE_DOWN, "PageDown"},
    {GLFW_KEY_HOME, "Home"},
    {GLFW_KEY_END, "End"},
    {GLFW_KEY_COMMA, ","},
    {GLFW_KEY_PERIOD, "."},
    {GLFW_KEY_LEFT_BRACKET, "["},
    {GLFW_KEY_RIGHT_BRACKET, "]"},
    {GLFW_KEY_MINUS, "-"},
    {GLFW_KEY_EQUAL, "="},
    {GLFW_KEY_SLASH, "/"},
    {GLFW_KEY_INSERT, "Insert"},
}};

int code_from_name(std::string_view name) {
  if (name.size() == 1) {
    const auto c = static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(name[0])));
    if (std::isalnum(c) != 0 && c < 128) return c;  // GLFW codes of letters and digits are their ASCII codes
  }
  if ((name.size() == 2 || name.size() == 3) && (name[0] == 'f' || name[0] == 'F')) {
    int number = 0;
    for (const char c : name.substr(1)) {
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) return 0;
      number = number * 10 + (c - '0');
    }
    return number >= 1 && number <= 12 ? GLFW_KEY_F1 + number - 1 : 0;
  }
  for (const Named& named : kNamed) {
    if (equal_fold(name, named.name)) return named.code;
  }
  return 0;
}

}  // namespace

std::optional<Key> key_from_name(std::string_view name) {
  Key key;
  for (;;) {
    const std::size_t plus = name.find('+');
    if (plus == std::string_view::npos || plus == 0) break;
    const std::string_view modifier = name.substr(0, plus);
    bool* flag = equal_fold(modifier, "ctrl")    ? &key.ctrl
                 : equal_fold(modifier, "shift") ? &key.shift
                 : equal_fold(modifier, "alt")   ? &key.alt
                                                 : nullptr;
    if (flag == nullptr || *flag) return std::nullopt;
    *flag = true;
    name.remove_prefix(plus + 1);
  }
  key.code = code_from_name(name);
  if (key.code == 0) return std::nullopt;
  return key;
}

std::string key_name(const Key& key) {
  if (key.code == 0) return {};
  std::string name;
  if (key.ctrl) name += "Ctrl+";
  if (key.alt) name += "Alt+";
  if (key.shift) name += "Shift+";
  if (key.code >= GLFW_KEY_F1 && key.code <= GLFW_KEY_F12) return name + "F" + std::to_string(key.code - GLFW_KEY_F1 + 1);
  for (const Named& named : kNamed) {
    if (named.code == key.code) return name + std::string(named.name);
  }
  return name + static_cast<char>(key.code);
}

}  // namespace depscope::viewers
