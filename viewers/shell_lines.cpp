// The title line above the panels, the status line below them, and what stands between them while nothing is open.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

std::string_view name_of(const Document& document) {
  const auto& recording = document.recording();
  return recording.program_name.empty() ? std::string_view(recording.input_name) : std::string_view(recording.program_name);
}

std::string counts_of(const Document& document) {
  const auto& r = document.recording();
  return fmt::format("{} pass{}, {}, {}, {}, {}", r.passes.rows(), r.passes.rows() == 1 ? "" : "es",
                     count_of(r.tasks.rows(), "task"), count_of(r.edges.rows(), "edge"), count_of(r.events.rows(), "event"),
                     count_of(r.findings.rows(), "finding"));
}

std::string short_counts_of(const Document& document) {
  const auto& r = document.recording();
  return fmt::format("{}, {}, {}", count_of(r.tasks.rows(), "task"), count_of(r.edges.rows(), "edge"),
                     count_of(r.events.rows(), "event"));
}

float room_left() { return ImGui::GetWindowContentRegionMax().x - ImGui::GetCursorPosX(); }

}  // namespace

void Shell::draw_title_line() {
  action_button(context_, "Open…", "Open a file");
  ImGui::SameLine();
  action_button(context_, "Commands", "Command palette");
  ImGui::SameLine();
  action_button(context_, "Why…", "Why does one task wait for another?");
  ImGui::SameLine();
  action_button(context_, "Keys", "Keys");
  ImGui::SameLine();
  action_button(context_, "Legends", "Show or hide legends");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  if (documents_[0] == nullptr) {
    text("DepScope", colour::dim());
  } else if (comparison_ == nullptr) {
    ImGui::PushFont(context_.theme.bold);
    text(elided(name_of(*documents_[0]), room_left() * 0.4F));
    ImGui::PopFont();
    ImGui::SameLine();
    text(elided(fmt::format("from {}: {}", documents_[0]->recording().input_name, counts_of(*documents_[0])), room_left()),
         colour::dim());
  } else {
    const bool swapped = comparison_->swapped();
    for (std::size_t side = 0; side < 2; ++side) {
      const Document& document = *documents_[side];
      const bool here = (side == 1) == swapped;
      const ImU32 colour = here ? comparison_->here_colour() : comparison_->there_colour();
      const float share = side == 0 ? room_left() * 0.5F : room_left();
      const float left = ImGui::GetCursorPosX();
      if (side == 1) {
        text("|", colour::faint());
        ImGui::SameLine();
      }
      ImGui::PushFont(here ? context_.theme.bold : context_.theme.text);
      text(elided(fmt::format("{} {}{}", side == 0 ? "a" : "b", name_of(document), here ? " (shown)" : ""), share * 0.6F),
           colour);
      ImGui::PopFont();
      context_.elements.add_item(side == 0 ? "shell/side a" : "shell/side b");
      ImGui::SameLine();
      text(elided(short_counts_of(document), share - (ImGui::GetCursorPosX() - left) - context_.theme.px(10)), colour::dim());
      if (side == 0) ImGui::SameLine();
    }
  }
  if (loading() && job_ != nullptr) {
    const std::string& path = job_->request().path;
    const std::size_t slash = path.rfind('/', path.size() < 2 ? 0 : path.size() - 2);
    ImGui::SameLine();
    text(elided(fmt::format("opening {} …", slash == std::string::npos ? path : path.substr(slash + 1)), room_left()),
         colour::warning());
  }
}

void Shell::draw_empty() {
  ImGui::BeginChild("empty", {0, -ImGui::GetFrameHeightWithSpacing()});
  if (loading()) {
    empty_state("Opening …");
  } else {
    empty_state(
        "No recording open: press Ctrl+O, drop a file onto this window, or give one on the command line.\n\n"
        "Recordings, bundles, programs (*.py), traces, deps.json and directories of pass dumps can be opened. "
        "Ctrl+P lists all commands.");
  }
  ImGui::EndChild();
}

void Shell::draw_status() {
  ImGui::SetCursorPosY(ImGui::GetIO().DisplaySize.y - ImGui::GetFrameHeight() - context_.theme.px(1));
  ImGui::AlignTextToFramePadding();
  const float gap = context_.theme.px(16);
  const std::string_view hint = context_.document == nullptr ? "F1 lists all keys" : "F1 keys";
  const float hint_width = ImGui::CalcTextSize(hint.data(), hint.data() + hint.size()).x;
  const float hint_at = ImGui::GetWindowContentRegionMax().x - hint_width;
  bool first = true;
  if (context_.document != nullptr) {
    const auto& transport = context_.transport;
    const auto& state = context_.document->cursor().state();
    const std::uint32_t event = transport.current_event();
    const std::uint32_t time = event == kNoRow ? 0 : context_.document->recording().events.time[event];
    const Document& document = *context_.document;
    const std::string when = document.time_text(time);
    text(fmt::format("event {} of {}   {}", transport.position(), transport.size(),
                     document.unit_us() == 0 ? "time " + when : when + " us"));
    ImGui::SameLine(0, gap);
    text("tasks:", colour::dim());
    for (std::size_t i = 0; i < state.tasks_in_state.size(); ++i) {
      const auto& entry = colour::state_legend()[i];
      badge(fmt::format("{} {}", state.tasks_in_state[i], entry.name), entry.colour);
      tooltip_for_item(entry.meaning);
    }
    first = false;
  }
  if (!context_.status.empty()) {
    if (!first) ImGui::SameLine(0, gap);
    const std::string shown = elided(context_.status, hint_at - gap - ImGui::GetCursorPosX());
    text(shown, colour::warning());
    if (shown != context_.status) tooltip_for_item(context_.status);
    context_.elements.add_item("shell/status", context_.status);
    first = false;
  }
  if (!first) ImGui::SameLine();
  ImGui::SetCursorPosX(hint_at);
  text(hint, colour::faint());
}

}  // namespace depscope::viewers
