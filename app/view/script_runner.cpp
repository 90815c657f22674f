#include "script_runner.h"

#include <fmt/format.h>
#include <imgui.h>

#include <utility>

namespace depscope::app {

using viewers::ScriptCommand;
using viewers::ScriptVerb;

namespace {

/// Code points of UTF-8 text; a broken byte is taken as it is.
std::vector<unsigned int> code_points(std::string_view text) {
  std::vector<unsigned int> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    unsigned int code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    codes.push_back(code);
    i += length;
  }
  return codes;
}

}  // namespace

ScriptRunner::ScriptRunner(std::string file, std::vector<ScriptCommand> commands, viewers::Shell& shell,
                           std::function<void(const std::string&)> screenshot)
    : file_(std::move(file)), commands_(std::move(commands)), shell_(shell), screenshot_(std::move(screenshot)) {
  settle(3);  // tables and tabs take their sizes in the first frames
}

bool ScriptRunner::before_frame() {
  ImGui::GetIO().MouseWheel = 0.0F;
  while (steps_.empty()) {
    if (quit_ || !failure_.empty() || next_ == commands_.size()) return false;
    start(commands_[next_++]);
  }
  steps_.front()();
  steps_.pop_front();
  return true;
}

void ScriptRunner::after_frame() { text_.collect(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts); }

void ScriptRunner::settle(std::uint32_t frames) {
  for (std::uint32_t i = 0; i < frames; ++i) frame([] {});
}

void ScriptRunner::fail(const ScriptCommand& command, const std::string& message) {
  failure_ = fmt::format("{}:{}: {}", file_, command.line, message);
}

void ScriptRunner::point(float x, float y) {
  frame([x, y] { ImGui::GetIO().MousePos = {x, y}; });
}

void ScriptRunner::click(float x, float y) {
  point(x, y);
  frame([] { ImGui::GetIO().MouseDown[0] = true; });
  frame([] { ImGui::GetIO().MouseDown[0] = false; });
  settle(2);
}

void ScriptRunner::drag(const ScriptCommand& command) {
  constexpr int kMoves = 8;
  point(command.x, command.y);
  frame([] { ImGui::GetIO().MouseDown[0] = true; });
  for (int i = 1; i <= kMoves; ++i) {
    const float part = static_cast<float>(i) / kMoves;
    point(command.x + (command.to_x - command.x) * part, command.y + (command.to_y - command.y) * part);
  }
  frame([] { ImGui::GetIO().MouseDown[0] = false; });
  settle(2);
}

void ScriptRunner::press(const ScriptCommand& command) {
  const viewers::Key key = command.key;
  const auto set = [key](bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = key.ctrl && down;
    io.KeyShift = key.shift && down;
    io.KeyAlt = key.alt && down;
    io.KeysDown[key.code] = down;
  };
  frame([this, set, key] {
    set(true);
    shell_.context().actions.press(key);
  });
  frame([set] { set(false); });
  settle(2);
}

void ScriptRunner::start(const ScriptCommand& command) {
  switch (command.verb) {
    case ScriptVerb::Key: press(command); break;
    case ScriptVerb::Mouse:
      point(command.x, command.y);
      settle(1);
      break;
    case ScriptVerb::Click: click(command.x, command.y); break;
    case ScriptVerb::ClickLabel:
    case ScriptVerb::HoverLabel:
      if (const auto at = text_.centre_of(command.text)) {
        if (command.verb == ScriptVerb::ClickLabel) {
          click(at->x, at->y);
        } else {
          point(at->x, at->y);
          settle(2);
        }
      } else {
        fail(command, fmt::format("no label \"{}\" is drawn", command.text));
      }
      break;
    case ScriptVerb::Drag: drag(command); break;
    case ScriptVerb::Wheel:
      frame([y = command.y] { ImGui::GetIO().MouseWheel = y; });
      settle(2);
      break;
    case ScriptVerb::Type:
      for (const unsigned int code : code_points(command.text)) {
        frame([code] { ImGui::GetIO().AddInputCharacter(code); });
      }
      settle(2);
      break;
    case ScriptVerb::Wait: settle(command.count); break;
    case ScriptVerb::Screenshot: screenshot_(command.text); break;
    case ScriptVerb::Panel:
      if (!shell_.show_panel(command.text))
        fail(command, fmt::format("no panel '{}'; there are {}", command.text, shell_.panel_names()));
      settle(2);
      break;
    case ScriptVerb::Select:
      if (!shell_.context().selection.select(command.item)) {
        fail(command, fmt::format("no {} {}: the recording has {}", viewers::item_kind_name(command.item.kind), command.item.row,
                                  shell_.context().selection.rows_of(command.item.kind)));
      }
      settle(2);
      break;
    case ScriptVerb::Seek:
      shell_.context().transport.seek(command.count);
      settle(2);
      break;
    case ScriptVerb::Expect:
      if (!text_.contains(command.text)) fail(command, fmt::format("the text \"{}\" is not drawn", command.text));
      break;
    case ScriptVerb::ExpectNot:
      if (text_.contains(command.text)) fail(command, fmt::format("the text \"{}\" is drawn", command.text));
      break;
    case ScriptVerb::Quit: quit_ = true; break;
  }
}

}  // namespace depscope::app
