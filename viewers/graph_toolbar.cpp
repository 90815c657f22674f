// Buttons and fields above the graph, and the line of words below it.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "depscope/viewers/widgets.h"
#include "foreign_text.h"
#include "graph_panel.h"

namespace depscope::viewers {
namespace {

float button_width(const char* label) { return ImGui::CalcTextSize(label, nullptr, true).x + ImGui::GetFontSize(); }

/// A button of the toolbar: on the same line where there is room.
void tool(Context& context, const char* label, std::string_view action, bool on = false) {
  same_line_if_fits(context, button_width(label));
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, colour::selected_row());
  action_button(context, label, action);
  if (on) ImGui::PopStyleColor();
}

void words_on_line(const Context& context, std::string_view words, ImU32 colour) {
  same_line_if_fits(context, ImGui::CalcTextSize(words.data(), words.data() + words.size()).x);
  ImGui::AlignTextToFramePadding();
  text(words, colour);
}

}  // namespace

void GraphPanel::draw_toolbar(Context& context) {
  draw_search(context);
  draw_filter(context);
  action_button(context, "Fit", "Fit the graph");
  tool(context, "Open all", "Open all groups");
  tool(context, "Close all", "Close all groups");
  draw_focus(context);
  tool(context, "Critical path", "Critical path", show_critical_);
  if (show_critical_ && critical_) {
    words_on_line(context, fmt::format("{}, length {}", count_of(critical_->tasks.size(), "task"), critical_->length),
                  colour::critical());
  }
  tool(context, model_.top_to_bottom() ? "top to bottom###turn" : "left to right###turn", "Turn the graph");
  tool(context, at_cursor_ ? "edges as at the cursor###edges" : "edges as at the end###edges",
       "Edges as at the cursor or as at the end", at_cursor_);
  if (!notice_.empty()) words_on_line(context, notice_, colour::warning());
  if (focus_cut_) {
    words_on_line(context, fmt::format("the focus shows the first {} tasks only", kMaxGraphNodes), colour::warning());
  }
  if (model_.edges_left_out() > 0) {
    words_on_line(context, fmt::format("{} edges are not drawn: close groups, or focus", model_.edges_left_out()),
                  colour::warning());
  }
}

void GraphPanel::draw_search(Context& context) {
  ImGui::SetNextItemWidth(context.theme.px(170));
  if (focus_search_) ImGui::SetKeyboardFocusHere();
  focus_search_ = false;
  const bool entered =
      ImGui::InputTextWithHint("##search", "search: kernel, t12", &search_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip_for_item(context.actions.tooltip("Search the graph") + ". Enter goes to the next hit, Shift+Enter to the previous one");
  std::string found;
  if (search_text_ != searched_) {
    searched_ = search_text_;
    search(context, 0);
  } else if (entered) {
    search(context, ImGui::GetIO().KeyShift ? -1 : 1);
  }
  if (entered) focus_search_ = true;  // Enter leaves a text field; the search goes on
  if (!searched_.empty()) found = hits_.empty() ? "none" : fmt::format("{} of {}", hit_ + 1, hits_.size());
  if (context.elements.recording()) context.elements.add_item("graph/search", found);
  if (found.empty()) return;
  ImGui::SameLine();
  text(found, hits_.empty() ? colour::warning() : colour::dim());
}

void GraphPanel::draw_filter(Context& context) {
  constexpr const char* kMenu = "Choose…";
  same_line_if_fits(context, context.theme.px(230));
  const float room = ImGui::GetContentRegionAvail().x - button_width(kMenu) - context.theme.px(8);
  ImGui::SetNextItemWidth(std::clamp(room, context.theme.px(160), context.theme.px(420)));
  if (focus_filter_) ImGui::SetKeyboardFocusHere();
  focus_filter_ = false;
  if (ImGui::InputTextWithHint("##filter", "filter: kernel:NAME prov:compiler flag:retain scope:2", &filter_text_)) {
    apply_filter(context);
  }
  tooltip_for_item(context.actions.tooltip("Filter the graph") + ", " + context.actions.tooltip("Clear the graph filter") +
                   ". prov: user, compiler, fence, creator, tensormap, explicit; flag: wait, retain, removed");
  if (context.elements.recording()) context.elements.add_item("graph/filter", filter_text_);
  ImGui::SameLine();
  if (ImGui::Button(kMenu)) ImGui::OpenPopup("graph filter");
  tooltip_for_item("Choose kernels, provenance and flags");
  draw_filter_menu(context);
  if (!filter_error_.empty()) words_on_line(context, filter_error_, colour::error());
}

void GraphPanel::draw_filter_menu(Context& context) {
  if (!ImGui::BeginPopup("graph filter")) return;
  GraphFilter filter = model_.filter();
  const auto bits = [&](std::string_view title, std::span<const LegendEntry> entries, std::uint8_t& chosen) {
    text(title, colour::dim());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto bit = static_cast<std::uint8_t>(1U << i);
      bool on = (chosen & bit) != 0;
      ImGui::PushStyleColor(ImGuiCol_Text, entries[i].colour);
      if (ImGui::Checkbox(std::string(entries[i].name).c_str(), &on)) chosen ^= bit;
      ImGui::PopStyleColor();
    }
  };
  if (ImGui::BeginTable("columns", 3)) {
    ImGui::TableNextColumn();
    bits("provenance", colour::provenance_legend(), filter.provenance);
    ImGui::TableNextColumn();
    const std::array<LegendEntry, 3> fates{
        {{colour::text(), "WAIT", {}}, {colour::text(), "RETAIN", {}}, {colour::text(), "WAIT removed", {}}}};
    bits("flags", fates, filter.fates);
    ImGui::TableNextColumn();
    text("kernels", colour::dim());
    constexpr std::size_t kMost = 24;
    const auto& r = context.document->recording();
    if (menu_kernels_.empty()) menu_kernels_ = model_.kernels(0, r.tasks.rows());
    const auto& kernels = menu_kernels_;
    for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i) {
      const std::string name(r.text(kernels[i].first));
      if (name.empty()) continue;
      std::string word = name;
      std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const auto at = std::find(filter.kernels.begin(), filter.kernels.end(), word);
      bool on = at != filter.kernels.end();
      ImGui::PushID(static_cast<int>(i));
      const bool changed = checkbox(fmt::format("{} ({})", name, kernels[i].second), on);
      ImGui::PopID();
      if (!changed) continue;
      if (on) {
        filter.kernels.push_back(word);
      } else {
        filter.kernels.erase(at);
      }
    }
    if (kernels.size() > kMost) text(fmt::format("{} more: write kernel:NAME", kernels.size() - kMost), colour::dim());
    ImGui::EndTable();
  }
  if (!(filter == model_.filter())) {
    filter_text_ = filter.text();
    apply_filter(context);
  }
  ImGui::EndPopup();
}

void GraphPanel::draw_focus(Context& context) {
  tool(context, "Focus", "Focus on the selection", !focus_from_.empty());
  const std::string hops = fmt::format("{} up, {} down", up_, down_);
  same_line_if_fits(context, button_width(hops.c_str()) + context.theme.px(30));
  action_button(context, "-##hops", "Fewer hops");
  ImGui::SameLine(0, context.theme.px(3));
  if (ImGui::Button((hops + "###hops").c_str())) ImGui::OpenPopup("hops");
  tooltip_for_item("Hops of the focus, towards producers and towards consumers");
  ImGui::SameLine(0, context.theme.px(3));
  action_button(context, "+##hops", "More hops");
  if (ImGui::BeginPopup("hops")) {
    const auto row = [&](const char* words, std::string_view fewer, std::string_view more) {
      ImGui::PushID(words);
      action_button(context, "-", fewer);
      ImGui::SameLine();
      action_button(context, "+", more);
      ImGui::SameLine();
      ImGui::AlignTextToFramePadding();
      text(words);
      ImGui::PopID();
    };
    row("up, towards producers", "Fewer hops up", "More hops up");
    row("down, towards consumers", "Fewer hops down", "More hops down");
    ImGui::EndPopup();
  }
  if (!focus_from_.empty()) tool(context, "Show all", "Show everything");
}

void GraphPanel::draw_legend(const Context& context) const {
  legend(context, "edges", colour::provenance_legend());
  const std::array<LegendEntry, 3> lines{{
      {colour::dim(), "___ WAIT", "a solid line: the consumer starts only after the producer has completed"},
      {colour::dim(), "- - RETAIN", "a dashed line: the producer's slot and buffer stay until the consumer has completed"},
      {colour::dim(), ". . WAIT removed", "a dotted line: other edges order the two tasks already"},
  }};
  legend(context, "lines", lines, true);
  legend(context, "tasks", colour::state_legend(), true);
  if (show_critical_) {
    const std::array<LegendEntry, 1> path{
        {{colour::critical(), "critical path", "the longest chain of tasks that wait for one another"}}};
    legend(context, "marked", path, true);
  }
  side_legend(context, true);
}

/// One line about what the pointer is on, else about the selection.
std::string GraphPanel::information(const Context& context) const {
  const auto explanation = [&](std::uint32_t edge) -> std::string {
    for (const Explained& one : explained_) {
      if (one.edge == edge) return one.words;
    }
    return {};
  };
  const auto about_line = [&](std::uint32_t index) {
    const GraphEdge& line = model_.edges()[index];
    std::string words = line_title(context, line) + ": " + line_words(context, line);
    if (!line.there && line.count == 1 && !explanation(line.row).empty()) words += ". " + explanation(line.row);
    return words;
  };
  if (under_.line != kNoRow) return about_line(under_.line);
  const Item& current = context.selection.current();
  if (current.kind == ItemKind::Edge) {
    const std::uint32_t line = model_.line_of_edge(current.row);
    if (line != kNoRow && model_.edges()[line].count == 1) return about_line(line);
    std::string words = context.document->edge_label(current.row);
    if (!explanation(current.row).empty()) words += ". " + explanation(current.row);
    return words;
  }
  std::string words;
  for (const Explained& one : explained_) {
    const auto& edges = context.document->recording().edges;
    words +=
        fmt::format("{}t{} → t{}: {}", words.empty() ? "" : "; ", edges.producer[one.edge], edges.consumer[one.edge], one.words);
  }
  return words;
}

void GraphPanel::draw_information(Context& context) {
  std::string words = information(context);
  if (words.empty()) {
    text(fmt::format("{} tasks in {} boxes, {} lines. Click selects, double click opens or closes a group.",
                     context.document->recording().tasks.rows(), model_.nodes().size(), model_.edges().size()),
         colour::faint());
    return;
  }
  const float room = ImGui::GetContentRegionAvail().x;
  if (ImGui::CalcTextSize(words.c_str()).x <= room) {
    text(words);
    return;
  }
  const char* stop = nullptr;
  ImFont& font = *ImGui::GetFont();
  font.CalcTextSizeA(font.FontSize, room - 2.0F * ImGui::CalcTextSize("…").x, 0.0F, words.data(), words.data() + words.size(),
                     &stop);
  text(words.substr(0, static_cast<std::size_t>(stop - words.data())) + "…");
  tooltip_for_item(words);
}

}  // namespace depscope::viewers
