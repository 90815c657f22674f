// The inspector's page of a task: state at the cursor, why it waits, why it is alive, arguments, producers and consumers.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

std::string_view kind_name(std::uint8_t kind) {
  switch (static_cast<runtime::TaskKind>(kind)) {
    case runtime::TaskKind::Kernel: return "kernel";
    case runtime::TaskKind::Alloc: return "alloc";
    case runtime::TaskKind::Dummy: return "dummy barrier";
  }
  return "?";
}

std::string kernels_of(const recording::TasksTable& tasks, std::uint32_t task) {
  std::string text;
  const auto add = [&](std::string_view core, std::int32_t kernel) {
    if (kernel >= 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", core, kernel);
  };
  add("AIC", tasks.kernel_aic[task]);
  add("AIV0", tasks.kernel_aiv0[task]);
  add("AIV1", tasks.kernel_aiv1[task]);
  return text.empty() ? "none" : text;
}

std::string iteration_of(const recording::Recording& recording, std::uint32_t task) {
  std::string text;
  for (std::uint32_t i = 0; i < recording.tasks.iteration_begin_count[task]; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", recording.pool[recording.tasks.iteration_begin[task] + i]);
  }
  return text.empty() ? "not in a loop" : "[" + text + "]";
}

/// Bytes in the heap of its ring. The runtime gives them out again once the task is reclaimed, so that tasks share numbers.
std::string heap_of(const recording::TasksTable& tasks, std::uint32_t task) {
  const std::uint64_t begin = tasks.heap_begin[task];
  const std::uint64_t end = tasks.heap_end[task];
  if (begin == end) return "no buffer";
  return fmt::format("bytes {} to {} ({}) of ring {}", begin, end, end - begin, runtime::ring_of(tasks.id[task]));
}

}  // namespace

void InspectorPanel::draw_task(Context& context, std::uint32_t task) {
  update_task(context, task);
  const auto& r = context.document->recording();
  const auto& state = context.document->cursor().state();
  const auto now = static_cast<TaskState>(state.task_state[task]);
  field(context, "state");
  badge(runtime::task_state_name(now), colour::state(now), false);
  tooltip_for_item(colour::state_legend()[static_cast<std::size_t>(now)].meaning);
  ImGui::SameLine();
  text(fmt::format("at event {}", context.transport.position()), colour::dim());
  field(context, "id");
  text(fmt::format("ring {}, local {}{}", runtime::ring_of(r.tasks.id[task]), runtime::local_of(r.tasks.id[task]),
                   context.document->cursor().measured() ? "" : fmt::format(", slot {}", r.tasks.slot[task])));
  field(context, "kind");
  const std::uint8_t flags = r.tasks.flags[task];
  text(fmt::format("{}{}{}{}", kind_name(r.tasks.kind[task]), (flags & 1U) != 0 ? ", in a MANUAL scope" : "",
                   (flags & 2U) != 0 ? ", early dispatch" : "", (flags & 4U) != 0 ? ", sync start" : ""));
  field(context, "kernels");
  text(fmt::format("{}; {}", kernels_of(r.tasks, task), count_of(r.tasks.block_num[task], "block")));
  field(context, "iteration");
  text(iteration_of(r, task));
  if (!context.document->cursor().measured()) {
    field(context, "heap");
    text(heap_of(r.tasks, task));
  }
  if (now != TaskState::Unborn && (state.block_cursor[task] != 0 || state.subtasks_done[task] != 0)) {
    field(context, "blocks");
    text(fmt::format("{} of {} handed out, {} done", state.block_cursor[task], r.tasks.block_num[task],
                     count_of(state.subtasks_done[task], "subtask")));
  }
  draw_measured(context, task);
  action_button(context, "< event", "Previous event of the selected task");
  ImGui::SameLine();
  action_button(context, "event >", "Next event of the selected task");
  ImGui::Spacing();
  draw_answers(context);
  draw_arguments(context, task);
  if (section(context, fmt::format("Producers ({})###fanin", fanin_.size()).c_str())) draw_edges(context, "fanin", fanin_, true);
  if (section(context, fmt::format("Consumers ({})###fanout", fanout_.size()).c_str()))
    draw_edges(context, "fanout", fanout_, false);
  if (const Item before = context.selection.previous();
      before.kind == ItemKind::Task && context.selection.current().kind == before.kind)
    draw_pair(context, r.tasks.call_site[before.row], r.tasks.call_site[task]);
  if (context.show_legends) {
    ImGui::Spacing();
    legend(context, "asked for by", colour::provenance_legend());
    legend(context, "flags", colour::flag_legend());
  }
}

void InspectorPanel::draw_arguments(Context& context, std::uint32_t task) {
  const auto [first, last] = context.document->accesses_of_task(task);
  if (!section(context, fmt::format("Tensor arguments ({})###arguments", last - first).c_str())) return;
  const auto& r = context.document->recording();
  if (first == last) {
    text("none", colour::dim());
    return;
  }
  if (!ImGui::BeginTable("arguments", 3,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings))
    return;
  ImGui::TableSetupColumn("#");
  ImGui::TableSetupColumn("direction");
  ImGui::TableSetupColumn("tensor", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  constexpr std::string_view kNames[] = {"input",           "output", "inout",
                                         "output_existing", "no_dep", "scalar"};  // by runtime::ArgKind
  for (std::uint32_t access = first; access < last; ++access) {
    ImGui::TableNextColumn();
    text(fmt::format("{}", r.accesses.arg[access]));
    ImGui::TableNextColumn();
    const std::string_view name = kNames[std::min<std::size_t>(r.accesses.kind[access], std::size(kNames) - 1)];
    badge(name, colour::direction(name), false);
    ImGui::TableNextColumn();
    link(context, {ItemKind::Access, access}, access_label(*context.document, access));
  }
  ImGui::EndTable();
}

void InspectorPanel::draw_edges(Context& context, const char* id, const std::vector<std::uint32_t>& edges, bool producers) {
  if (edges.empty()) {
    text("none", colour::dim());
    return;
  }
  const auto& r = context.document->recording();
  const auto& state = context.document->cursor().state();
  constexpr std::size_t kMaxVisible = 10;
  const float row = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const float height = row * static_cast<float>(std::min(edges.size(), kMaxVisible) + 1) + context.theme.px(4);
  const ImGuiTableFlags scroll = edges.size() > kMaxVisible ? ImGuiTableFlags_ScrollY : 0;
  if (!ImGui::BeginTable(id, 4,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingFixedFit |
                             ImGuiTableFlags_NoSavedSettings | scroll,
                         {0, scroll != 0 ? height : 0})) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(producers ? "producer" : "consumer", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("edge", ImGuiTableColumnFlags_WidthFixed, context.theme.px(44));
  ImGui::TableSetupColumn("asked for by", ImGuiTableColumnFlags_WidthFixed, context.theme.px(105));
  ImGui::TableSetupColumn("flags", ImGuiTableColumnFlags_WidthFixed, context.theme.px(112));
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(edges.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const std::uint32_t edge = edges[static_cast<std::size_t>(i)];
      const std::uint32_t other = producers ? r.edges.producer[edge] : r.edges.consumer[edge];
      const auto other_state = static_cast<TaskState>(state.task_state[other]);
      ImGui::PushID(static_cast<int>(edge));
      ImGui::TableNextColumn();
      link(context, {ItemKind::Task, other}, context.document->task_label(other));
      tooltip_for_item(fmt::format("{} at this event", runtime::task_state_name(other_state)));
      ImGui::TableNextColumn();
      link(context, {ItemKind::Edge, edge}, fmt::format("{}", edge));
      tooltip_for_item("Select the edge: who asked for it, and what became of it");
      ImGui::TableNextColumn();
      provenance_badges(r.edges.provenance[edge], false);
      ImGui::TableNextColumn();
      flag_badges(r.edges.flags_final[edge], r.edges.flags[edge], false);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace depscope::viewers
