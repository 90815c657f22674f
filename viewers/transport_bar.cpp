#include "transport_bar.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "depscope/viewers/event_filter.h"
#include "depscope/viewers/widgets.h"
#include "foreign_text.h"

namespace depscope::viewers {
namespace {

using runtime::EventKind;

std::string_view kind_name(EventKind kind) { return runtime::event_kind_name(kind); }

std::string speed_name(double speed) {
  if (speed >= 1e6) return fmt::format("{:.0f}M/s", speed / 1e6);
  if (speed >= 1e3) return fmt::format("{:.0f}k/s", speed / 1e3);
  return fmt::format("{:.0f}/s", speed);
}

/// Says in the status line that there was nothing to go to.
void told(Context& context, bool moved, std::string_view what) {
  context.status = moved ? std::string() : fmt::format("no {} from here", what);
}

void bar_button(Context& context, const char* label, std::string_view action) {
  action_button(context, label, action);
  if (context.elements.recording()) context.elements.add_item(fmt::format("transport/{}", action));
  ImGui::SameLine(0, context.theme.px(3));
}

void gap(const Context& context) { ImGui::SameLine(0, context.theme.px(12)); }

}  // namespace

void TransportBar::add_actions(Context& c) {
  auto& transport = c.transport;
  c.actions.add("Time", "First event", "Home", [&] { transport.first(); });
  c.actions.add("Time", "Step back", "Left", [&] { transport.back(); });
  c.actions.add("Time", "Play or pause", "Space", [&] { transport.toggle_play(); });
  c.actions.add("Time", "Step forward", "Right", [&] { transport.step(); });
  c.actions.add("Time", "Last event", "End", [&] { transport.last(); });
  c.actions.add("Time", "Next event of the kind", "N",
                [&] { told(c, transport.next(transport.kind), fmt::format("{} event follows", kind_name(transport.kind))); });
  c.actions.add("Time", "Previous event of the kind", "Shift+N",
                [&] { told(c, transport.previous(transport.kind), fmt::format("{} event before", kind_name(transport.kind))); });
  c.actions.add("Time", "Next event of the selection", "T",
                [&] { told(c, transport.next_of_selection(), "event of what is selected follows"); });
  c.actions.add("Time", "Previous event of the selection", "Shift+T",
                [&] { told(c, transport.previous_of_selection(), "event of what is selected before"); });
  c.actions.add("Time", "Run to the next breakpoint", "F9", [&] { transport.run(true); });
  c.actions.add("Time", "Run back to a breakpoint", "Shift+F9", [&] { transport.run(false); });
  c.actions.add("Time", "Breakpoints", "Ctrl+B", [this] { open_breakpoints_ = true; });
  c.actions.add("Time", "Break on the selection", "F8", [this, &c] {
    const auto suggested = c.transport.suggested_breakpoints();
    if (suggested.empty()) {
      c.status = "select a task, an edge, a scope or a tensor to break on";
    } else {
      add(c, suggested.front());
    }
  });
  c.actions.add("Time", "Go to an event by its number", "Ctrl+G", [this] { go_to_ = true; });
  c.actions.add("Time", "Play faster", "]", [&] { transport.faster(); });
  c.actions.add("Time", "Play slower", "[", [&] { transport.slower(); });
  c.actions.add("Time", "Select the current event", "E", [&] {
    c.selection.select({ItemKind::Event, transport.current_event()});
  });
}

void TransportBar::add(Context& context, const std::string& text) {
  problem_ = context.transport.add_breakpoint(text);
  context.status = problem_.empty() ? fmt::format("breakpoint {}; F9 runs to it", text) : problem_;
}

void TransportBar::draw(Context& context) {
  const Transport& transport = context.transport;
  if (transport.running()) {
    context.status = fmt::format("running to a breakpoint, at event {}; Space stops", transport.position());
    told_.clear();
  } else if (transport.stopped_at() != told_) {
    told_ = transport.stopped_at();
    if (!told_.empty()) context.status = told_;
  }
  draw_moves(context);
  draw_kind(context);
  draw_breakpoints(context);
  draw_position(context);
}

void TransportBar::draw_moves(Context& context) {
  Transport& transport = context.transport;
  const bool glyphs = context.theme.font_note.empty();  // the built-in font has no arrows
  bar_button(context, glyphs ? "|◀##first" : "|<##first", "First event");
  bar_button(context, glyphs ? "◀##back" : "<##back", "Step back");
  bar_button(context, transport.playing() || transport.running() ? "Pause###play" : "Play###play", "Play or pause");
  bar_button(context, glyphs ? "▶##step" : ">##step", "Step forward");
  bar_button(context, glyphs ? "▶|##last" : ">|##last", "Last event");
  const std::string speed = speed_name(transport.speed());
  ImGui::SetNextItemWidth(context.theme.px(72));
  if (ImGui::BeginCombo("##speed", speed.c_str())) {
    for (std::size_t i = 0; i < Transport::kSpeeds.size(); ++i) {
      if (ImGui::Selectable(speed_name(Transport::kSpeeds[i]).c_str(), Transport::kSpeeds[i] == transport.speed())) {
        while (transport.speed() > Transport::kSpeeds[i]) transport.slower();
        while (transport.speed() < Transport::kSpeeds[i]) transport.faster();
      }
    }
    ImGui::EndCombo();
  }
  tooltip_for_item("Events per second of playing. " + context.actions.tooltip("Play faster") + ", " +
                   context.actions.tooltip("Play slower"));
  gap(context);
}

void TransportBar::draw_kind(Context& context) {
  Transport& transport = context.transport;
  const bool glyphs = context.theme.font_note.empty();
  bar_button(context, glyphs ? "◀##previous" : "<##previous", "Previous event of the kind");
  ImGui::SetNextItemWidth(context.theme.px(132));
  if (ImGui::BeginCombo("##kind", std::string(kind_name(transport.kind)).c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const EventGroup& group : event_groups()) {
      text(group.name, colour::dim());
      for (const EventKind kind : group.kinds) {
        if (ImGui::Selectable(std::string(kind_name(kind)).c_str(), kind == transport.kind)) transport.kind = kind;
      }
    }
    ImGui::EndCombo();
  }
  tooltip_for_item("The kind of events that the arrows beside it look for");
  ImGui::SameLine(0, context.theme.px(3));
  bar_button(context, glyphs ? "▶##next" : ">##next", "Next event of the kind");
  gap(context);
  bar_button(context, glyphs ? "◀##previous-selected" : "<##previous-selected", "Previous event of the selection");
  ImGui::AlignTextToFramePadding();
  text("selection", colour::dim());
  ImGui::SameLine(0, context.theme.px(3));
  bar_button(context, glyphs ? "▶##next-selected" : ">##next-selected", "Next event of the selection");
  gap(context);
}

void TransportBar::draw_breakpoints(Context& context) {
  const auto& points = context.transport.breakpoints();
  const bool glyphs = context.theme.font_note.empty();
  bar_button(context, glyphs ? "◀◀##run-back" : "<<##run-back", "Run back to a breakpoint");
  const std::string label = fmt::format("{}###breakpoints", points.empty() ? "Break…" : fmt::format("Break ({})", points.size()));
  if (ImGui::Button(label.c_str()) || open_breakpoints_) ImGui::OpenPopup("breakpoints");
  open_breakpoints_ = false;
  tooltip_for_item(context.actions.tooltip("Breakpoints"));
  const ImVec2 corner = ImGui::GetItemRectMin();
  ImGui::SameLine(0, context.theme.px(3));
  bar_button(context, glyphs ? "▶▶##run" : ">>##run", "Run to the next breakpoint");
  gap(context);
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {0.0F, 1.0F});
  ImGui::SetNextWindowSize({context.theme.px(520), 0});
  if (!ImGui::BeginPopup("breakpoints")) return;
  draw_breakpoint_list(context);
  ImGui::EndPopup();
}

void TransportBar::draw_breakpoint_list(Context& context) {
  Transport& transport = context.transport;
  ImGui::PushFont(context.theme.bold);
  text("Breakpoints");
  ImGui::PopFont();
  if (transport.breakpoints().empty()) text("none yet: add one below, or select something and press F8", colour::dim());
  std::size_t removed = transport.breakpoints().size();
  for (std::size_t i = 0; i < transport.breakpoints().size(); ++i) {
    Transport::StopPoint& point = transport.breakpoints()[i];
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::SmallButton("remove")) removed = i;
    ImGui::SameLine();
    checkbox(point.breakpoint.text, point.enabled);
    if (context.elements.recording())
      context.elements.add_item(fmt::format("breakpoints/{}", i), point.breakpoint.text + (point.enabled ? ", on" : ", off"));
    ImGui::PopID();
  }
  if (removed < transport.breakpoints().size()) transport.remove_breakpoint(removed);
  const auto suggested = transport.suggested_breakpoints();
  if (!suggested.empty()) text("for the selection:", colour::dim());
  for (const std::string& text : suggested) {
    same_line_if_fits(context, ImGui::CalcTextSize(text.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x);
    ImGui::PushID(text.c_str());
    if (button(text)) add(context, text);
    ImGui::PopID();
  }
  if (ImGui::IsWindowAppearing() || focus_new_) ImGui::SetKeyboardFocusHere();
  focus_new_ = false;
  ImGui::SetNextItemWidth(-context.theme.px(60));
  const bool entered = ImGui::InputTextWithHint("##new", "task:t5, edge:t1->t5, tasks:ready >= 4, kind=complete task=t5",
                                                &new_breakpoint_, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if ((ImGui::Button("Add") || entered) && !new_breakpoint_.empty()) {
    add(context, new_breakpoint_);
    if (problem_.empty()) new_breakpoint_.clear();
    focus_new_ = true;  // for one more
  }
  if (!problem_.empty()) {
    ImGui::PushTextWrapPos(0.0F);
    text(problem_, colour::error());
    ImGui::PopTextWrapPos();
  }
  ImGui::PushTextWrapPos(0.0F);
  text(
      "A breakpoint is a value of the model that changes (task:, edge:, ring:, slot:, tasks:, queue:, core:, scope:, tensormap), "
      "such a value with a condition, or what an event has to be (kind=, task=, scope=, tensor=, actor=).",
      colour::dim());
  ImGui::PopTextWrapPos();
}

void TransportBar::draw_position(Context& context) {
  Transport& transport = context.transport;
  std::uint32_t position = transport.target();
  const std::uint32_t least = 0;
  const std::uint32_t most = transport.size();
  ImGui::SetNextItemWidth(context.theme.px(90));
  if (go_to_) ImGui::SetKeyboardFocusHere();
  go_to_ = false;
  if (ImGui::InputScalar("##number", ImGuiDataType_U32, &position, nullptr, nullptr, nullptr,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll)) {
    transport.seek(position);
  }
  tooltip_for_item("Number of events applied: type one and press Enter. " +
                   context.actions.tooltip("Go to an event by its number"));
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  if (const Comparison* comparison = context.comparison; comparison != nullptr) {
    text(fmt::format("{}: {} of {}   {}: {} of {}", comparison->here_name(), position, most, comparison->there_name(),
                     comparison->position_there(position), comparison->there().cursor().size()),
         colour::dim());
    tooltip_for_item("Events applied in the recording that is shown, and where the other one is when as much has happened.");
  } else {
    text(fmt::format("of {}", most), colour::dim());
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::max(context.theme.px(40), ImGui::GetContentRegionAvail().x));
  if (ImGui::SliderScalar("##position", ImGuiDataType_U32, &position, &least, &most, "")) transport.seek(position);
  tooltip_for_item("Drag to move the cursor");
  context.elements.add_item("transport/slider");
}

}  // namespace depscope::viewers
