#include "depscope/viewers/shell.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "command_palette.h"
#include "depscope/viewers/widgets.h"
#include "error_panel.h"
#include "file_dialog.h"
#include "text_fields.h"
#include "transport_bar.h"

namespace depscope::viewers {
namespace {

constexpr ImGuiWindowFlags kPlain = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollbar |
                                    ImGuiWindowFlags_NoScrollWithMouse;

std::vector<Layout::Panel> panels_of(const std::vector<std::unique_ptr<View>>& views) {
  std::vector<Layout::Panel> panels;
  for (const auto& view : views) panels.push_back({std::string(view->title()), view->place()});
  return panels;
}

}  // namespace

Shell::Shell(Theme theme, LoadWork work)
    : work_(std::move(work)),
      views_(make_views()),
      transport_bar_(std::make_unique<TransportBar>()),
      layout_(panels_of(views_)),
      dialog_(std::make_unique<FileDialog>()),
      palette_(std::make_unique<CommandPalette>()),
      error_(std::make_unique<ErrorPanel>()) {
  context_.theme = std::move(theme);
  context_.status = context_.theme.font_note;
  bring_to_front_.fill(true);
  add_window_actions();
  add_question_actions();
  add_layout_actions();
  add_panel_actions();
  transport_bar_->add_actions(context_);
  for (auto& view : views_) view->add_actions(context_);
}

Shell::~Shell() {
  views_.clear();  // first: a panel may still be reading the document on another thread
}  // jobs cancel and wait

bool Shell::show_panel(std::string_view title) {
  const auto panel = layout_.find(title);
  if (!panel) return false;
  layout_.bring_to_front(*panel);
  bring_to_front_[static_cast<std::size_t>(layout_.area(*panel))] = true;
  clicked_panel_ = *panel;
  return true;
}

std::string Shell::panel_names() const {
  std::string names;
  for (const auto& view : views_) names += (names.empty() ? "" : ", ") + std::string(view->title());
  return names;
}

void Shell::draw(double seconds) {
  poll();
  forget_left_field();
  context_.elements.begin_frame();
  context_.cost = {};
  if (tab_key_ < 0) tab_key_ = ImGui::GetIO().KeyMap[ImGuiKey_Tab];
  context_.actions.run_pressed();
  context_.transport.tick(seconds, context_.run_budget);

  show_wanted_side();
  if (!context_.wanted_panel.empty()) show_panel(std::exchange(context_.wanted_panel, {}));
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context_.theme.px(6), context_.theme.px(4)));
  ImGui::Begin("DepScope", nullptr, kPlain);
  ImGui::PopStyleVar();
  draw_title_line();
  if (context_.document == nullptr) {
    draw_empty();
  } else {
    draw_panels();
    transport_bar_->draw(context_);
  }
  draw_status();
  ImGui::End();
  draw_loading();
  error_->draw(context_);
  draw_help();
  if (auto chosen = dialog_->draw(context_)) {
    run_options_ = chosen->options;
    if (dialog_compares_) {
      open_for_comparison(std::move(*chosen));
    } else {
      open(std::move(*chosen));
    }
  }
  if (const auto chosen = palette_->draw(context_)) jump(*chosen);
  // Plain Tab swaps the sides; Dear ImGui would go to the next text field. In a field or a dialog it stays what it is there.
  const bool tab_is_ours = !ImGui::GetIO().WantTextInput && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  ImGui::GetIO().KeyMap[ImGuiKey_Tab] = tab_is_ours ? -1 : tab_key_;
}

Settings Shell::settings() const {
  Settings settings;
  layout_.save(settings);
  settings.set("legends", context_.show_legends);
  settings.set("recent", recent_.paths());
  settings.set("palette.recent", palette_->model().recent());
  settings.set("window.scale", static_cast<double>(chosen_scale_));
  settings.set("window.ground", chosen_ground_);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (size.x > 0.0F && size.y > 0.0F) {
    settings.set("window.width", static_cast<double>(size.x));
    settings.set("window.height", static_cast<double>(size.y));
  }
  for (const auto& view : views_) view->save(settings);
  return settings;
}

void Shell::restore(const Settings& settings) {
  layout_.restore(settings);
  bring_to_front_.fill(true);
  context_.show_legends = settings.truth("legends", true);
  recent_.set(settings.list("recent"));
  palette_->model().set_recent(settings.list("palette.recent"));
  chosen_scale_ = static_cast<float>(settings.number("window.scale", 0.0, 0.0, 8.0));
  chosen_ground_ = settings.text("window.ground");
  for (auto& view : views_) view->restore(settings);
}

}  // namespace depscope::viewers
