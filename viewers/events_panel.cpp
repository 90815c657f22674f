#include "events_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

namespace depscope::viewers {
namespace {

using runtime::EventKind;

std::string_view kind_name(EventKind kind) { return runtime::event_kind_name(kind); }

}  // namespace

void EventsPanel::add_actions(Context& c) {
  c.actions.add("Events", "Filter events", "Ctrl+F", [this] { focus_filter_ = true; });
  c.actions.add("Events", "Clear the event filter", "Ctrl+Backspace", [this, &c] {
    ImGui::ClearActiveID();  // an active text field would put its own text back
    filter_text_.clear();
    kinds_ = all_event_kinds();
    apply_filter(c);
  });
}

void EventsPanel::opened(Context& context) {
  filter_text_.clear();
  kinds_ = all_event_kinds();
  shown_position_ = kNoRow;
  apply_filter(context);
}

void EventsPanel::apply_filter(Context& context) {
  ParsedFilter parsed = parse_event_filter(filter_text_);
  parsed.filter.kinds &= kinds_;
  filter_error_ = parsed.error;
  events_.restart(context.document == nullptr ? nullptr : &context.document->recording(), std::move(parsed.filter));
  shown_position_ = kNoRow;
}

void EventsPanel::draw(Context& context) {
  if (context.document->recording().events.rows() == 0) {
    const bool graph = context.document->recording().passes.rows() == 0 && context.document->recording().tasks.rows() != 0;
    empty_state(
        graph ? "This recording has no events: it was made from a task graph, which knows tasks and edges but no time. The Graph "
                "panel shows them."
              : "This recording has no events. Run the program again without --stop-after, so that its tasks are executed: "
                "depscope run PROGRAM -o FILE.depscope");
    return;
  }
  events_.advance(context.scan_budget);
  draw_filter(context);
  if (events_.size() == 0 && events_.complete()) {
    empty_state("No event passes the filter. Ctrl+Backspace clears it.");
    return;
  }
  draw_rows(context);
}

void EventsPanel::draw_filter(Context& context) {
  ImGui::SetNextItemWidth(std::max(context.theme.px(120), ImGui::GetContentRegionAvail().x - context.theme.px(300)));
  if (focus_filter_) ImGui::SetKeyboardFocusHere();
  focus_filter_ = false;
  if (ImGui::InputTextWithHint("##filter", "filter: words, task:12, kind:submit,complete, actor:1", &filter_text_)) {
    apply_filter(context);
  }
  tooltip_for_item(context.actions.tooltip("Filter events"));
  ImGui::SameLine();
  draw_kinds(context);
  ImGui::SameLine();
  if (!filter_error_.empty()) {
    text(filter_error_, colour::error());
  } else if (!events_.complete()) {
    text(fmt::format("{} found, {} % searched", events_.size(), std::uint64_t{100} * events_.scanned() / events_.total()),
         colour::warning());
  } else {
    text(fmt::format("{} of {} events", events_.size(), events_.total()), colour::dim());
  }
}

void EventsPanel::draw_kinds(Context& context) {
  const std::string label = kinds_.all() ? "all kinds###kinds" : fmt::format("{} kinds###kinds", kinds_.count());
  if (ImGui::Button(label.c_str())) ImGui::OpenPopup("kinds");
  tooltip_for_item("Choose the kinds of events that are listed");
  if (!ImGui::BeginPopup("kinds")) return;
  bool changed = false;
  if (ImGui::Button("All")) kinds_.set(), changed = true;
  ImGui::SameLine();
  if (ImGui::Button("None")) kinds_.reset(), changed = true;
  changed |= draw_kind_boxes();
  if (changed) apply_filter(context);
  ImGui::EndPopup();
}

/// A row of boxes under the name of each group; the name switches its whole group.
bool EventsPanel::draw_kind_boxes() {
  bool changed = false;
  for (const EventGroup& group : event_groups()) {
    EventKinds in_group;
    for (const EventKind kind : group.kinds) in_group.set(static_cast<std::size_t>(kind));
    bool all = (kinds_ & in_group) == in_group;
    ImGui::PushID(group.name.data());
    ImGui::Separator();
    if (ImGui::Checkbox(std::string(group.name).c_str(), &all)) {
      kinds_ = all ? kinds_ | in_group : kinds_ & ~in_group;
      changed = true;
    }
    if (ImGui::BeginTable("boxes", 5)) {
      for (const EventKind kind : group.kinds) {
        ImGui::TableNextColumn();
        bool chosen = kinds_.test(static_cast<std::size_t>(kind));
        ImGui::PushStyleColor(ImGuiCol_Text, colour::event(kind));
        ImGui::PushID(static_cast<int>(kind));
        if (ImGui::Checkbox(std::string(kind_name(kind)).c_str(), &chosen)) {
          kinds_.set(static_cast<std::size_t>(kind), chosen);
          changed = true;
        }
        ImGui::PopID();
        ImGui::PopStyleColor();
      }
      ImGui::EndTable();
    }
    ImGui::PopID();
  }
  return changed;
}

void EventsPanel::draw_rows(Context& context) {
  const std::uint32_t current = context.transport.current_event();
  // Scroll once to what has moved: the cursor, or an event that was selected elsewhere.
  if (context.transport.position() != shown_position_ && events_.complete()) {
    shown_position_ = context.transport.position();
    if (current != kNoRow) list_.reveal(events_.index_of(current));
  }
  if (context.selection.revision() != shown_selection_) {
    shown_selection_ = context.selection.revision();
    if (context.selection.current().kind == ItemKind::Event) list_.reveal(events_.index_of(context.selection.current().row));
  }
  const float row_height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const RowList::Visible visible = list_.begin("rows", events_.size(), row_height, row_height);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  const bool comparing = context.comparison != nullptr;
  // Widths belong to a name: with one name for both, the column of the comparison would be given that of what happened.
  if (ImGui::BeginTable(comparing ? "events compared" : "events", comparing ? 6 : 5, kFlags, {list_.content_width(), 0})) {
    ImGui::TableSetupColumn("event", ImGuiTableColumnFlags_WidthFixed, context.theme.px(76));
    ImGui::TableSetupColumn(context.document->unit_us() == 0 ? "time" : "us", ImGuiTableColumnFlags_WidthFixed,
                            context.theme.px(64));
    ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed, context.theme.px(130));
    ImGui::TableSetupColumn("actor", ImGuiTableColumnFlags_WidthFixed, context.theme.px(92));
    if (comparing) ImGui::TableSetupColumn("compared", ImGuiTableColumnFlags_WidthFixed, context.theme.px(84));
    ImGui::TableSetupColumn("what happened", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    for (std::uint64_t index = visible.first; index < visible.last; ++index) {
      draw_row(context, events_.event(static_cast<std::uint32_t>(index)));
    }
    ImGui::EndTable();
  }
  list_.end();
}

/// What the comparison says of the edge, scope or task of an event.
void EventsPanel::draw_mark(Context& context, std::uint32_t event) {
  const Item item = compared_item(context.document->recording(), event);
  if (item.kind == ItemKind::None) return;
  mark_badge(context, item.kind, item.row, false);
}

void EventsPanel::draw_row(Context& context, std::uint32_t event) {
  const auto& recording = context.document->recording();
  const auto kind = static_cast<EventKind>(recording.events.kind[event]);
  const bool current = event == context.transport.current_event();
  const bool future = current ? false : event >= context.transport.position();
  ImGui::TableNextRow();
  if (current) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::cursor_row());
  } else if (const std::uint32_t task = context.selection.row(ItemKind::Task);
             task != kNoRow && replay::task_of_event(recording, event) == task) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::selected_row());
  }
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(event));
  ImGui::PushStyleColor(ImGuiCol_Header,
                        current ? 0U : ImGui::GetColorU32(ImGuiCol_Header));  // the cursor's colour shows through
  ImGui::PushStyleColor(ImGuiCol_Text, future ? colour::faint() : colour::text());
  const std::string number = fmt::format("{}", event);
  if (ImGui::Selectable(number.c_str(), context.selection.is(ItemKind::Event, event), ImGuiSelectableFlags_SpanAllColumns)) {
    context.selection.select({ItemKind::Event, event});
    context.transport.seek(event + 1);
    shown_position_ = context.transport.target();  // it is in view already
    shown_selection_ = context.selection.revision();
    context.transport.kind = kind;
  }
  ImGui::TableNextColumn();
  text(context.document->time_text(recording.events.time[event]));
  ImGui::TableNextColumn();
  const ImU32 kind_colour = colour::event(kind);
  text(kind_name(kind), future ? colour::with_alpha(kind_colour, 140) : kind_colour);
  ImGui::TableNextColumn();
  text(actor_name(recording.events.actor[event]));
  ImGui::TableNextColumn();
  if (context.comparison != nullptr) {
    draw_mark(context, event);
    ImGui::TableNextColumn();
  }
  text(elided(replay::describe_event(recording, event), ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleColor(2);
  ImGui::PopID();
}

}  // namespace depscope::viewers
