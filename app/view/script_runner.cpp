#include "script_runner.h"

#include <fmt/format.h>
#include <imgui.h>

#include <nlohmann/json.hpp>

#include <utility>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "depscope/replay/output_file.h"

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

/// Texts and elements of a frame as JSON, for tools and for those who write scripts.
void write_drawn(const std::string& path, const viewers::FrameText& text, const viewers::Elements& elements) {
  const auto corners = [](ImVec2 min, ImVec2 max) { return nlohmann::json::array({min.x, min.y, max.x, max.y}); };
  nlohmann::json drawn = {{"texts", nlohmann::json::array()}, {"elements", nlohmann::json::array()}};
  for (const viewers::DrawnText& run : text.runs())
    drawn["texts"].push_back({{"text", run.text}, {"box", corners(run.min, run.max)}});
  for (const viewers::Element& element : elements.all()) {
    drawn["elements"].push_back({{"name", element.name}, {"text", element.text}, {"box", corners(element.min, element.max)}});
  }
  replay::OutputFile file(path);
  file.write(drawn.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace

ScriptRunner::ScriptRunner(std::string file, std::vector<ScriptCommand> commands, viewers::Shell& shell,
                           std::function<void(const std::string&)> screenshot)
    : file_(std::move(file)), commands_(std::move(commands)), shell_(shell), screenshot_(std::move(screenshot)) {
  shell_.context().elements.record(true);
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

void ScriptRunner::write(const ScriptCommand& command, const std::function<void()>& work) const {
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.line = command.line;
  diagnostic.column = 1;
  try {
    work();
    return;
  } catch (const InputError& problem) {
    diagnostic.message = problem.diagnostics().front().headline();
  } catch (const replay::FileError& problem) {
    diagnostic.message = problem.what();
  }
  throw InputError(std::move(diagnostic));
}

void ScriptRunner::point(float x, float y) {
  frame([x, y] { ImGui::GetIO().MousePos = {x, y}; });
}

void ScriptRunner::click(float x, float y, int button, int times) {
  point(x, y);
  for (int i = 0; i < times; ++i) {
    frame([button] { ImGui::GetIO().MouseDown[button] = true; });
    frame([button] { ImGui::GetIO().MouseDown[button] = false; });
  }
  settle(2);
}

const viewers::Element* ScriptRunner::element(const ScriptCommand& command) {
  const viewers::Element* found = shell_.context().elements.find(command.text);
  if (found == nullptr) {
    fail(command, fmt::format("no element \"{}\" is drawn", command.text));
  } else if (found->text.find(command.second_text) == std::string::npos) {
    fail(command, fmt::format("the element \"{}\" says \"{}\", not \"{}\"", command.text, found->text, command.second_text));
    return nullptr;
  }
  return found;
}

void ScriptRunner::wait_for(const ScriptCommand& command, std::uint32_t frames_left) {
  if (text_.contains(command.text)) return;
  if (frames_left == 0) {
    fail(command, fmt::format("the text \"{}\" was not drawn in {} frames", command.text, viewers::kMaxScriptFrames));
    return;
  }
  frame([this, command, frames_left] { wait_for(command, frames_left - 1); });
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

void ScriptRunner::open(const ScriptCommand& command) {
  opens_meanwhile_ = command.verb == ScriptVerb::OpenAsync;
  switch (command.verb) {
    case ScriptVerb::OpenB: shell_.open_for_comparison({command.text, {}}); break;
    case ScriptVerb::Drop:
      shell_.drop(command.second_text.empty() ? std::vector<std::string>{command.text}
                                              : std::vector<std::string>{command.text, command.second_text});
      break;
    default: shell_.open(command.text);
  }
  settle(4);
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
    case ScriptVerb::Screenshot: write(command, [&] { screenshot_(command.text); }); break;
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
    case ScriptVerb::Action:
      if (!shell_.context().actions.run(command.text))
        fail(command, fmt::format("no action \"{}\"; F1 lists them", command.text));
      settle(2);
      break;
    case ScriptVerb::WaitFor: wait_for(command, viewers::kMaxScriptFrames); break;
    case ScriptVerb::Dump: write(command, [&] { write_drawn(command.text, text_, shell_.context().elements); }); break;
    case ScriptVerb::ExpectLegible:
      if (const auto overlap = text_.overlap()) {
        fail(command, fmt::format("\"{}\" and \"{}\" stand on one another", overlap->first, overlap->second));
      }
      break;
    case ScriptVerb::ClickElement:
    case ScriptVerb::RightClickElement:
    case ScriptVerb::DoubleClickElement:
    case ScriptVerb::HoverElement:
    case ScriptVerb::DragElement:
      if (const viewers::Element* found = element(command)) {
        const float x = (found->min.x + found->max.x) * 0.5F;
        const float y = (found->min.y + found->max.y) * 0.5F;
        if (command.verb == ScriptVerb::DragElement) {
          const float scale = shell_.context().theme.scale;
          ScriptCommand moved = command;
          moved.x = x;
          moved.y = y;
          moved.to_x = x + command.to_x * scale;
          moved.to_y = y + command.to_y * scale;
          drag(moved);
        } else if (command.verb == ScriptVerb::HoverElement) {
          point(x, y);
          settle(2);
        } else {
          click(x, y, command.verb == ScriptVerb::RightClickElement ? 1 : 0,
                command.verb == ScriptVerb::DoubleClickElement ? 2 : 1);
        }
      }
      break;
    case ScriptVerb::ExpectElement: static_cast<void>(element(command)); break;
    case ScriptVerb::ExpectNoElement:
      if (shell_.context().elements.find(command.text) != nullptr)
        fail(command, fmt::format("the element \"{}\" is drawn", command.text));
      break;
    case ScriptVerb::Open:
    case ScriptVerb::OpenB:
    case ScriptVerb::OpenAsync:
    case ScriptVerb::Drop: open(command); break;
    case ScriptVerb::ExpectClipboard: {
      const char* clipboard = ImGui::GetClipboardText();
      if (clipboard == nullptr || std::string_view(clipboard).find(command.text) == std::string_view::npos)
        fail(command, fmt::format("the clipboard says \"{}\", not \"{}\"", clipboard == nullptr ? "" : clipboard, command.text));
      break;
    }
    case ScriptVerb::Quit: quit_ = true; break;
  }
}

}  // namespace depscope::app
