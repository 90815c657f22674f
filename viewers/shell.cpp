#include "depscope/viewers/shell.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <utility>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr ImGuiWindowFlags kPlain = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollbar |
                                    ImGuiWindowFlags_NoScrollWithMouse;

constexpr ImGuiWindowFlags kContent =
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysUseWindowPadding;

bool equal_fold(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

Shell::Shell(Theme theme) {
  context_.theme = std::move(theme);
  context_.status = context_.theme.font_note;
  views_ = make_views();
  add_actions();
  for (auto& view : views_) {
    view->add_actions(context_);
    View*& front = in_front_[static_cast<std::size_t>(view->place())];
    if (front == nullptr) front = view.get();
  }
}

Shell::~Shell() {
  if (loading_.valid()) loading_.wait();
}

void Shell::add_actions() {
  auto& actions = context_.actions;
  actions.add("Window", "Keys", "F1", [this] { show_help_ = !show_help_; });
  actions.add("Window", "Open a recording", "Ctrl+O", [this] { ask_path_ = true; });
  actions.add("Window", "Read the file again", "F5", [this] {
    if (document_ != nullptr && !document_->path().empty()) open(document_->path());
  });
  actions.add("Window", "Show or hide legends", "L", [this] { context_.show_legends = !context_.show_legends; });
  actions.add("Window", "Quit", "Ctrl+Q", [this] { quit_ = true; });
  actions.add("Selection", "Back to the previous selection", "Alt+Left", [this] { context_.selection.back(); });
  actions.add("Selection", "Forward to the next selection", "Alt+Right", [this] { context_.selection.forward(); });
  actions.add("Selection", "Close, or select nothing", "Escape", [this] {
    if (show_help_) {
      show_help_ = false;
    } else if (!error_.empty()) {
      error_.clear();
    } else {
      context_.selection.clear();
    }
  });
  for (std::size_t i = 0; i < views_.size() && i < 9; ++i) {
    const std::string title(views_[i]->title());
    actions.add("Panels", title, std::to_string(i + 1), [this, title] { show_panel(title); });
  }
}

void Shell::open(const std::string& path) {
  if (loading_.valid()) return;
  error_.clear();
  loading_path_ = path;
  loading_ = std::async(std::launch::async, [path]() -> Loaded {
    try {
      return {Document::load(path), {}};
    } catch (const std::exception& problem) {
      return {nullptr, problem.what()};
    }
  });
}

void Shell::open(std::unique_ptr<Document> document) { finish_loading({std::move(document), {}}); }

std::string Shell::wait_until_open() {
  if (loading_.valid()) finish_loading(loading_.get());
  return error_;
}

void Shell::finish_loading(Loaded loaded) {
  error_ = loaded.error;
  if (loaded.document == nullptr) return;  // what was open stays open
  std::unique_ptr<Document> old = std::exchange(document_, std::move(loaded.document));
  context_.document = document_.get();
  context_.selection.attach(&document_->recording());
  context_.transport.attach(document_.get(), &context_.selection);
  for (auto& view : views_) view->opened(context_);
  context_.status = fmt::format("opened {}", base_name(document_->path()));
}

bool Shell::show_panel(std::string_view title) {
  for (auto& view : views_) {
    if (!equal_fold(view->title(), title)) continue;
    const auto place = static_cast<std::size_t>(view->place());
    in_front_[place] = view.get();
    bring_to_front_[place] = true;
    return true;
  }
  return false;
}

std::string Shell::panel_names() const {
  std::string names;
  for (const auto& view : views_) names += (names.empty() ? "" : ", ") + std::string(view->title());
  return names;
}

void Shell::draw(double seconds) {
  if (loading_.valid() && loading_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finish_loading(loading_.get());
  context_.actions.run_pressed();
  context_.transport.tick(seconds);

  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context_.theme.px(6), context_.theme.px(4)));
  ImGui::Begin("DepScope", nullptr, kPlain);
  ImGui::PopStyleVar();
  draw_title_line();
  if (document_ == nullptr) {
    draw_empty();
  } else {
    draw_panels();
  }
  draw_status();
  ImGui::End();
  draw_help();
  draw_open_dialog();
}

void Shell::draw_title_line() {
  action_button(context_, "Open…", "Open a recording");
  ImGui::SameLine();
  action_button(context_, "Keys", "Keys");
  ImGui::SameLine();
  action_button(context_, "Legends", "Show or hide legends");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  if (document_ == nullptr) {
    text("DepScope", colour::kDim);
  } else {
    const auto& recording = document_->recording();
    ImGui::PushFont(context_.theme.bold);
    text(recording.program_name.empty() ? base_name(recording.input_name) : std::string_view(recording.program_name));
    ImGui::PopFont();
    ImGui::SameLine();
    const std::string passes = fmt::format("{} pass{}", recording.passes.rows(), recording.passes.rows() == 1 ? "" : "es");
    text(fmt::format("from {}: {}, {}, {}, {}, {}", recording.input_name, passes, count_of(recording.tasks.rows(), "task"),
                     count_of(recording.edges.rows(), "edge"), count_of(recording.events.rows(), "event"),
                     count_of(recording.findings.rows(), "finding")),
         colour::kDim);
  }
  if (loading_.valid()) {
    ImGui::SameLine();
    text(fmt::format("opening {} …", base_name(loading_path_)), colour::kWarning);
  }
  if (!error_.empty()) {
    text(fmt::format("Cannot open the file. {}  (Escape hides this)", error_), colour::kError);
  }
}

void Shell::draw_empty() {
  ImGui::BeginChild("empty", {0, -ImGui::GetFrameHeightWithSpacing()});
  if (loading_.valid()) {
    empty_state("Opening the recording …");
  } else {
    empty_state(
        "No recording open: pass a .depscope file on the command line, drop one onto this window, or press Ctrl+O.\n\n"
        "To make one from a program:  depscope run PROGRAM.py -o FILE.depscope");
  }
  ImGui::EndChild();
}

void Shell::draw_panels() {
  const float status = ImGui::GetFrameHeightWithSpacing();
  const float thickness = context_.theme.px(6);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = room.y - status;
  const float left = (room.x - thickness) * side_fraction_;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginGroup();
  draw_place(Place::Main, {left, (height - thickness) * bottom_fraction_});
  splitter(context_, "main-bottom", false, left, height, bottom_fraction_, 0.15F, 0.85F);
  draw_place(Place::Bottom, {left, (height - thickness) * (1.0F - bottom_fraction_)});
  ImGui::EndGroup();
  ImGui::SameLine();
  splitter(context_, "left-side", true, height, room.x, side_fraction_, 0.3F, 0.88F);
  ImGui::SameLine();
  draw_place(Place::Side, {room.x - thickness - left, height});
  ImGui::PopStyleVar();
}

void Shell::draw_place(Place place, ImVec2 size) {
  const auto index = static_cast<std::size_t>(place);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context_.theme.px(6), context_.theme.px(4)));
  ImGui::PushID(static_cast<int>(index));
  ImGui::BeginChild("place", size, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_NoCloseWithMiddleMouseButton)) {
    for (auto& view : views_) {
      if (view->place() != place) continue;
      const bool front = bring_to_front_[index] && in_front_[index] == view.get();
      const std::string title(view->title());
      const bool open = ImGui::BeginTabItem(title.c_str(), nullptr, front ? ImGuiTabItemFlags_SetSelected : 0);
      tooltip_for_item(fmt::format("{}\n{}", context_.actions.tooltip(title), view->purpose()));
      if (!open) continue;
      if (!bring_to_front_[index]) in_front_[index] = view.get();
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context_.theme.px(6), context_.theme.px(3)));
      ImGui::BeginChild("content", {0, 0}, false, kContent);
      ImGui::PopStyleVar();
      view->draw(context_);
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    bring_to_front_[index] = false;
    ImGui::EndTabBar();
  }
  ImGui::EndChild();
  ImGui::PopID();
  ImGui::PopStyleVar();
}

void Shell::draw_status() {
  ImGui::SetCursorPosY(ImGui::GetIO().DisplaySize.y - ImGui::GetFrameHeight() - context_.theme.px(1));
  ImGui::AlignTextToFramePadding();
  if (document_ == nullptr) {
    text("F1 lists all keys", colour::kDim);
    if (!context_.status.empty()) {
      ImGui::SameLine(0, context_.theme.px(16));
      text(context_.status, colour::kWarning);
    }
    return;
  }
  const auto& transport = context_.transport;
  const auto& state = document_->cursor().state();
  const std::uint32_t event = transport.current_event();
  const std::uint32_t time = event == kNoRow ? 0 : document_->recording().events.time[event];
  text(fmt::format("event {} of {}   time {}", transport.position(), transport.size(), time));
  ImGui::SameLine(0, context_.theme.px(16));
  text("tasks:", colour::kDim);
  for (std::size_t i = 0; i < state.tasks_in_state.size(); ++i) {
    const auto& entry = colour::state_legend()[i];
    badge(fmt::format("{} {}", state.tasks_in_state[i], entry.name), entry.colour);
    tooltip_for_item(entry.meaning);
  }
  if (!context_.status.empty()) {
    ImGui::SameLine(0, context_.theme.px(16));
    text(context_.status, colour::kWarning);
  }
  const std::string_view hint = "F1 keys";
  const float width = ImGui::CalcTextSize(hint.data(), hint.data() + hint.size()).x;
  ImGui::SameLine(std::max(ImGui::GetItemRectMax().x + context_.theme.px(12), ImGui::GetWindowContentRegionMax().x - width));
  text(hint, colour::kFaint);
}

void Shell::draw_help() {
  if (!show_help_) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.5F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(display.x * 0.94F, context_.theme.px(980)), 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y * 0.96F});
  ImGui::SetNextWindowFocus();
  if (ImGui::Begin(
          "Keys", &show_help_,
          ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize)) {
    std::vector<std::string_view> groups;
    for (const Action& action : context_.actions.all()) {
      if (std::find(groups.begin(), groups.end(), action.group) == groups.end()) groups.push_back(action.group);
    }
    if (ImGui::BeginTable("columns", 2)) {
      // Groups go to the column that is shorter so far.
      std::array<std::vector<std::string_view>, 2> columns;
      std::array<std::size_t, 2> length{};
      for (const std::string_view group : groups) {
        const auto count = static_cast<std::size_t>(std::count_if(context_.actions.all().begin(), context_.actions.all().end(),
                                                                  [&](const Action& a) { return a.group == group; }));
        const std::size_t column = length[0] <= length[1] ? 0 : 1;
        columns[column].push_back(group);
        length[column] += count + 2;
      }
      for (const auto& column : columns) {
        ImGui::TableNextColumn();
        for (const std::string_view group : column) {
          ImGui::PushFont(context_.theme.bold);
          text(group);
          ImGui::PopFont();
          for (const Action& action : context_.actions.all()) {
            if (action.group != group) continue;
            const float left = ImGui::GetCursorPosX();
            text(key_name(action.key), colour::kWarning);
            ImGui::SameLine();
            ImGui::SetCursorPosX(left + context_.theme.px(120));
            text(action.name);
          }
          ImGui::Spacing();
        }
      }
      ImGui::EndTable();
    }
    text(
        "Click a line of a program to select its call site, a name to follow it, an event to go there. Mouse wheel scrolls; "
        "drag the gaps between panels to resize them.",
        colour::kDim);
  }
  ImGui::End();
}

void Shell::draw_open_dialog() {
  constexpr const char* kTitle = "Open a recording";
  if (ask_path_) {
    ask_path_ = false;
    if (document_ != nullptr) path_text_ = document_->path();
    ImGui::OpenPopup(kTitle);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.4F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(display.x * 0.9F, context_.theme.px(640)), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoSavedSettings)) return;
  text("Path of a .depscope file:");
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputText("##path", &path_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool chosen = ImGui::Button("Open") || entered;
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
  if (chosen && !path_text_.empty()) open(path_text_);
  if ((chosen && !path_text_.empty()) || cancelled) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace depscope::viewers
