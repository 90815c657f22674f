// What can be done with the window as a whole: every entry has a key, and the palette has them all.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "command_palette.h"
#include "depscope/viewers/answers.h"
#include "depscope/viewers/frame_text.h"
#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"
#include "error_panel.h"

namespace depscope::viewers {
namespace {

constexpr float kScaleStep = 1.15F;
constexpr float kLeastScale = 0.5F;
constexpr float kMostScale = 8.0F;

/// Key of the n-th panel.
std::string panel_key(std::size_t panel) {
  if (panel < 9) return std::to_string(panel + 1);
  return panel == 9 ? "0" : "Shift+0";
}

std::size_t lines_of(const std::string& text) {
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return breaks + (text.empty() || text.back() == '\n' ? 0 : 1);
}

/// Lines of the texts that were drawn in a box.
std::vector<std::string> drawn_lines(ImVec2 min, ImVec2 max) {
  FrameText frame;
  frame.collect(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts);
  std::vector<const DrawnText*> inside;
  for (const DrawnText& run : frame.runs()) {
    const float x = (run.min.x + run.max.x) * 0.5F;
    const float y = (run.min.y + run.max.y) * 0.5F;
    if (x >= min.x && x < max.x && y >= min.y && y < max.y) inside.push_back(&run);
  }
  const auto same_line = [](const DrawnText& a, const DrawnText& b) {
    const float middle = (b.min.y + b.max.y) * 0.5F;
    return middle >= a.min.y && middle <= a.max.y;
  };
  std::stable_sort(inside.begin(), inside.end(), [](const DrawnText* a, const DrawnText* b) { return a->min.y < b->min.y; });
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < inside.size();) {
    std::size_t end = i + 1;
    while (end < inside.size() && same_line(*inside[i], *inside[end])) ++end;
    std::sort(inside.begin() + static_cast<std::ptrdiff_t>(i), inside.begin() + static_cast<std::ptrdiff_t>(end),
              [](const DrawnText* a, const DrawnText* b) { return a->min.x < b->min.x; });
    std::string line;
    for (; i < end; ++i) line += (line.empty() ? "" : "  ") + inside[i]->text;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

void Shell::add_window_actions() {
  auto& actions = context_.actions;
  actions.add("Window", "Keys", "F1", [this] { show_help_ = !show_help_; });
  actions.add("Window", "Command palette", "Ctrl+P", [this] {
    show_help_ = false;
    palette_->ask();
  });
  actions.add("Window", "Open a file", "Ctrl+O", [this] { ask_file(false); });
  actions.add("Window", "Open for comparison", "Ctrl+Shift+O", [this] { ask_file(true); });
  actions.add("Window", "Swap the sides", "Tab", [this] { swap_sides(); });
  actions.add("Window", "Close the comparison", "Ctrl+Shift+W", [this] { close_comparison(); });
  actions.add("Window", "Read the file again", "F5", [this] { reload(); });
  actions.add("Window", "Copy as text", "Ctrl+C", [this] { copy(Copy::Text); });
  actions.add("Window", "Copy as JSON", "Ctrl+Shift+C", [this] { copy(Copy::Json); });
  actions.add("Window", "Screenshot", "F12", [this] { picture_wanted_ = true; });
  actions.add("Window", "Show or hide legends", "L", [this] { context_.show_legends = !context_.show_legends; });
  actions.add("Window", "Light or dark", "Ctrl+L",
              [this] { set_ground(colour::ground() == colour::Ground::Dark ? colour::Ground::Light : colour::Ground::Dark); });
  actions.add("Window", "Larger", "Ctrl+=", [this] { set_scale(context_.theme.scale * kScaleStep); });
  actions.add("Window", "Smaller", "Ctrl+-", [this] { set_scale(context_.theme.scale / kScaleStep); });
  actions.add("Window", "Size of text as at first", "Ctrl+0", [this] { set_scale(0.0F); });
  actions.add("Window", "Quit", "Ctrl+Q", [this] { quit_ = true; });
  actions.add("Selection", "Back to the previous selection", "Alt+Left", [this] { context_.selection.back(); });
  actions.add("Selection", "Forward to the next selection", "Alt+Right", [this] { context_.selection.forward(); });
  actions.add("Selection", "Close, cancel, or select nothing", "Escape", [this] { escape(); });
}

void Shell::add_layout_actions() {
  auto& actions = context_.actions;
  actions.add("Layout", "Split the main area", "Ctrl+Shift+M", [this] {
    if (layout_.split()) {
      layout_.join_main();
    } else if (!layout_.split_main()) {
      context_.status = "the main area has one panel only";
    }
    bring_to_front_.fill(true);
  });
  constexpr std::array<std::pair<Area, const char*>, kAreaCount> kMoves{{{Area::Main, "Move the panel to the main area"},
                                                                         {Area::Right, "Move the panel to the right half"},
                                                                         {Area::Side, "Move the panel to the side"},
                                                                         {Area::Bottom, "Move the panel to the bottom"}}};
  for (std::size_t i = 0; i < kMoves.size(); ++i) {
    const Area area = kMoves[i].first;
    actions.add("Layout", kMoves[i].second, "Ctrl+Shift+" + std::to_string(i + 1), [this, area] {
      const std::size_t panel = current_panel();
      const bool moved = layout_.move(panel, area);
      context_.status = moved ? fmt::format("{} is in the {} area", layout_.title(panel), area_name(area))
                              : "the main area keeps one panel at least";
      clicked_panel_ = panel;
      bring_to_front_.fill(true);
    });
  }
  actions.add("Layout", "Reset layout", "Ctrl+Shift+L", [this] {
    layout_.reset();
    bring_to_front_.fill(true);
  });
}

void Shell::add_panel_actions() {
  for (std::size_t i = 0; i < views_.size() && i < 11; ++i) {
    const std::string title(views_[i]->title());
    context_.actions.add("Panels", title, panel_key(i), [this, title] { show_panel(title); });
  }
}

void Shell::escape() {
  if (loading()) {
    cancel_loading();
  } else if (show_help_) {
    show_help_ = false;
  } else if (error_->open()) {
    error_->close();
  } else {
    context_.selection.clear();
  }
}

void Shell::set_scale(float scale) {
  // 0: what the program began with.
  wanted_scale_ = scale == 0.0F ? 0.0F : std::clamp(scale, kLeastScale, kMostScale);
  chosen_scale_ = *wanted_scale_;
}

void Shell::set_ground(colour::Ground ground) {
  use_ground(ground);
  chosen_ground_ = ground == colour::Ground::Dark ? "dark" : "light";
}

/// The panel that was clicked last, if it is in front of its area, else what is in front of the main area.
std::size_t Shell::current_panel() const {
  if (clicked_panel_ != Layout::kNone && layout_.front(layout_.area(clicked_panel_)) == clicked_panel_) return clicked_panel_;
  return layout_.front(Area::Main);
}

void Shell::copy(Copy what) {
  if (error_->open()) {
    put_on_clipboard(error_->message(), "the error is on the clipboard");
    return;
  }
  if (context_.document == nullptr) {
    context_.status = "nothing is open: there is nothing to copy";
    return;
  }
  const View& view = *views_[current_panel()];
  const std::string copied = what == Copy::Json ? view.copy_json(context_) : view.copy_text(context_);
  if (copied.empty()) {
    wanted_copy_ = what;
  } else if (what == Copy::Json) {
    put_on_clipboard(copied, fmt::format("{} copied as JSON, {} bytes", view.title(), copied.size()));
  } else {
    put_on_clipboard(copied, fmt::format("{} of {} copied", count_of(lines_of(copied), "line"), view.title()));
  }
}

void Shell::put_on_clipboard(const std::string& text, const std::string& status) {
  ImGui::SetClipboardText(text.c_str());
  context_.status = status;
}

void Shell::after_frame() {
  const Copy what = std::exchange(wanted_copy_, Copy::None);
  if (what == Copy::None || context_.document == nullptr) return;
  const std::string title(views_[current_panel()]->title());
  const std::vector<std::string> lines = drawn_lines(panel_box_.first, panel_box_.second);
  if (lines.empty()) {
    context_.status = fmt::format("there is nothing to copy in {}", title);
    return;
  }
  std::string text;
  if (what == Copy::Json) {
    text =
        nlohmann::ordered_json{{"panel", title}, {"lines", lines}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } else {
    for (const std::string& line : lines) text += line + '\n';
  }
  put_on_clipboard(text, fmt::format("{} of {} copied{}, as drawn", count_of(lines.size(), "line"), title,
                                     what == Copy::Json ? " as JSON" : ""));
}

void Shell::jump(const PaletteEntry& entry) {
  hold_tooltips();
  if (entry.what == PaletteEntry::What::Action) {
    palette_->model().ran(entry.text);
    context_.actions.run(entry.text);
    return;
  }
  if (entry.before.kind != ItemKind::None) context_.selection.select(entry.before);
  context_.selection.select(entry.item);
  if (entry.item.kind == ItemKind::Event) context_.transport.seek(entry.item.row + 1);
  context_.status = fmt::format("{} is selected", item_label(*context_.document, entry.item));
}

}  // namespace depscope::viewers
