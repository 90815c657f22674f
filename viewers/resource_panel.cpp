#include "resource_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "foreign_text.h"

namespace depscope::viewers {

void ResourcePanel::add_actions(Context& c) {
  c.actions.add("Resource", "Next access of the tensor", "Ctrl+Down", [this, &c] { step_access(c, 1); });
  c.actions.add("Resource", "Previous access of the tensor", "Ctrl+Up", [this, &c] { step_access(c, -1); });
}

void ResourcePanel::opened(Context& context) {
  buffers_ = {};
  there_buffers_ = {};
  filter_.clear();
  listed_.clear();
  listed_there_.clear();
  there_.clear();
  buffer_ = chosen_ = hovered_ = seen_position_ = kNoRow;
  conflicts_ = {};
  seen_selection_ = context.selection.revision();
  if (context.document == nullptr) return;
  buffers_ = Buffers(*context.document);
  if (context.comparison != nullptr) there_buffers_ = Buffers(context.comparison->there());
  list_buffers(context);
  // What is used most by the conflicts that one looks for: the first buffer that is written and read.
  for (std::uint32_t buffer = 0; buffer < buffers_.size() && buffer_ == kNoRow; ++buffer) {
    if (buffers_.writes(buffer) > 0 && buffers_.reads(buffer) > 0) show_buffer(context, buffer);
  }
  if (buffer_ == kNoRow && buffers_.size() > 0) show_buffer(context, 0);
}

void ResourcePanel::show_buffer(Context& context, std::uint32_t buffer) {
  if (buffer == buffer_) return;
  buffer_ = buffer;
  chosen_ = kNoRow;
  hovered_ = kNoRow;
  seen_position_ = kNoRow;
  there_.clear();
  if (context.document == nullptr || buffer >= buffers_.size()) return;
  const auto& r = context.document->recording();
  bytes_ = buffers_.bytes(buffer);
  for (const std::uint32_t access : buffers_.accesses(buffer)) {
    for (const Footprint& footprint : footprints_of(r, access)) {
      if (footprint.view.known) bytes_ = std::max(bytes_, footprint.view.end());
    }
  }
  bytes_ = std::max<std::uint64_t>(bytes_, 1);
  if (context.comparison == nullptr) return;
  const std::uint32_t tensor = context.comparison->counterpart(ItemKind::Tensor, buffers_.first_tensor(buffer));
  if (tensor == kNoRow) return;
  for (const std::uint32_t access : there_buffers_.accesses(there_buffers_.of_tensor(tensor))) {
    if (context.comparison->counterpart_there(ItemKind::Access, access) == kNoRow) there_.push_back(access);
  }
}

void ResourcePanel::list_buffers(const Context& context) {
  listed_ = buffers_named(*context.document, buffers_, filter_);
  listed_there_.clear();
  if (context.comparison == nullptr) return;
  listed_there_ = buffers_named(context.comparison->there(), there_buffers_, filter_);
  std::erase_if(listed_there_, [&](std::uint32_t buffer) {
    return context.comparison->counterpart_there(ItemKind::Tensor, there_buffers_.first_tensor(buffer)) != kNoRow;
  });
}

void ResourcePanel::step_access(Context& context, int direction) {
  if (context.document == nullptr || buffer_ >= buffers_.size()) return;
  const auto accesses = buffers_.accesses(buffer_);
  if (accesses.empty()) return;
  const std::uint32_t selected = context.selection.row(ItemKind::Access);
  auto at = std::lower_bound(accesses.begin(), accesses.end(), selected);  // none: behind all
  const bool inside = at != accesses.end() && *at == selected;
  if (selected == kNoRow || !inside) {
    at = direction > 0 ? accesses.begin() : accesses.end() - 1;
  } else if (direction > 0) {
    if (++at == accesses.end()) {
      context.status = "no access of the tensor follows";
      return;
    }
  } else if (at == accesses.begin()) {
    context.status = "no access of the tensor before";
    return;
  } else {
    --at;
  }
  context.status.clear();
  context.selection.select({ItemKind::Access, *at});
}

void ResourcePanel::follow(Context& context) {
  const Selection& selection = context.selection;
  if (seen_selection_ != selection.revision()) {
    seen_selection_ = selection.revision();
    const std::uint32_t tensor = selection.row(ItemKind::Tensor);
    if (tensor != kNoRow) {
      const std::uint32_t buffer = buffers_.of_tensor(tensor);
      show_buffer(context, buffer);
      const auto at = std::lower_bound(listed_.begin(), listed_.end(), buffer);
      if (at != listed_.end() && *at == buffer) buffer_list_.reveal(static_cast<std::uint64_t>(at - listed_.begin()));
    }
    if (buffer_ < buffers_.size()) {
      const auto accesses = buffers_.accesses(buffer_);
      const std::uint32_t access = selection.row(ItemKind::Access);
      const std::uint32_t task = selection.row(ItemKind::Task);
      const auto& tasks = context.document->recording().accesses.task;
      const auto at = access != kNoRow ? std::lower_bound(accesses.begin(), accesses.end(), access)
                                       : std::partition_point(accesses.begin(), accesses.end(),
                                                              [&](std::uint32_t row) { return tasks[row] < task; });
      const bool found = at != accesses.end() && (access != kNoRow ? *at == access : task != kNoRow && tasks[*at] == task);
      if (found) {
        row_list_.reveal(static_cast<std::uint64_t>(at - accesses.begin()));
        seen_position_ = context.transport.position();
      }
    }
  }
  const std::uint32_t access = selection.row(ItemKind::Access);
  chosen_ = access != kNoRow && buffer_ < buffers_.size() && buffers_.of_access(access) == buffer_ ? access : kNoRow;
  if (hovered_ != kNoRow) chosen_ = hovered_;
  conflicts_.choose(context.document, chosen_);
}

void ResourcePanel::draw(Context& context) {
  if (context.document->recording().accesses.rows() == 0) {
    empty_state(
        "This recording has no tensor arguments. Run the program again without --stop-after, so that its tasks are submitted: "
        "depscope run PROGRAM -o FILE.depscope");
    return;
  }
  next_hovered_ = kNoRow;
  follow(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::BeginChild("tensors", {room.x * left_, room.y});
  draw_list(context);
  ImGui::EndChild();
  ImGui::SameLine(0, 0);
  splitter(context, "between", true, room.y, room.x, left_, 0.15F, 0.5F);
  ImGui::SameLine(0, 0);
  ImGui::BeginChild("accesses", {0, room.y});
  draw_buffer(context);
  ImGui::EndChild();
  hovered_ = next_hovered_;
}

void ResourcePanel::draw_list(Context& context) {
  const Document& document = *context.document;
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::InputTextWithHint("##filter", "filter tensors by name", &filter_)) list_buffers(context);
  context.elements.add_item("resource/filter", filter_);
  if (listed_.empty() && listed_there_.empty()) return empty_state("No tensor has this name.");
  const float row_height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const RowList::Visible visible = buffer_list_.begin("buffers", listed_.size() + listed_there_.size(), row_height, row_height);
  if (ImGui::BeginTable("buffers", 3, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit,
                        {buffer_list_.content_width(), 0})) {
    ImGui::TableSetupColumn("tensor", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("reads", ImGuiTableColumnFlags_WidthFixed, context.theme.px(40));
    ImGui::TableSetupColumn("writes", ImGuiTableColumnFlags_WidthFixed, context.theme.px(42));
    ImGui::TableHeadersRow();
    for (std::uint64_t i = visible.first; i < visible.last; ++i) {
      if (i >= listed_.size()) {
        draw_list_there(context, listed_there_[i - listed_.size()]);
        continue;
      }
      const std::uint32_t buffer = listed_[i];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(buffer));
      const std::string name = buffers_.name(document, buffer);
      if (selectable(name, buffer == buffer_, ImGuiSelectableFlags_SpanAllColumns)) {
        show_buffer(context, buffer);
        context.selection.select({ItemKind::Tensor, buffers_.first_tensor(buffer)});
      }
      if (context.elements.recording()) {
        context.elements.add_item(fmt::format("resource/tensor {}", buffers_.first_tensor(buffer)),
                                  fmt::format("{} {} {}", name, buffers_.reads(buffer), buffers_.writes(buffer)));
      }
      mark_badge(context, ItemKind::Tensor, buffers_.first_tensor(buffer));
      ImGui::PopID();
      ImGui::TableNextColumn();
      text(fmt::format("{}", buffers_.reads(buffer)), colour::dim());
      ImGui::TableNextColumn();
      text(fmt::format("{}", buffers_.writes(buffer)), colour::dim());
    }
    ImGui::EndTable();
  }
  buffer_list_.end();
}

void ResourcePanel::draw_list_there(Context& context, std::uint32_t buffer) {
  const Document& there = context.comparison->there();
  const float badge_room = badge_size(fmt::format("only in {}", context.comparison->there_name())).x + context.theme.px(8);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string name = there_buffers_.name(there, buffer);
  text(elided(name, ImGui::GetContentRegionAvail().x - badge_room), context.comparison->there_colour());
  tooltip_for_item(name);
  only_there_badge(context, ItemKind::Tensor, there_buffers_.first_tensor(buffer));
  ImGui::TableNextColumn();
  text(fmt::format("{}", there_buffers_.reads(buffer)), colour::dim());
  ImGui::TableNextColumn();
  text(fmt::format("{}", there_buffers_.writes(buffer)), colour::dim());
}

std::string ResourcePanel::copy_text(const Context& context) const {
  if (context.document == nullptr || buffer_ >= buffers_.size()) return {};
  const Document& document = *context.document;
  const auto& r = document.recording();
  std::string out = fmt::format("{}: {} reads, {} writes\n", buffers_.name(document, buffer_), buffers_.reads(buffer_),
                                buffers_.writes(buffer_));
  for (const std::uint32_t access : buffers_.accesses(buffer_)) {
    out += fmt::format("{} #{} {} {}", document.task_label(r.accesses.task[access]), r.accesses.arg[access],
                       runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access])),
                       box_words(descriptor_of_access(r, access)));
    if (chosen_ != kNoRow && access != chosen_) {
      const Conflict conflict = conflict_of(document, chosen_, access);
      if (conflict.kinds != 0)
        out += fmt::format(": {}, {}", conflict_words(conflict.kinds), ordering_words(document, conflict.ordering));
    }
    out += "\n";
  }
  return out;
}

std::string ResourcePanel::copy_json(const Context& context) const {
  if (context.document == nullptr || buffer_ >= buffers_.size()) return {};
  const Document& document = *context.document;
  const auto& r = document.recording();
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const std::uint32_t access : buffers_.accesses(buffer_)) {
    Json row{{"access", access},
             {"task", r.accesses.task[access]},
             {"argument", r.accesses.arg[access]},
             {"kind", runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access]))},
             {"box", box_words(descriptor_of_access(r, access))}};
    if (chosen_ != kNoRow && access != chosen_) {
      const Conflict conflict = conflict_of(document, chosen_, access);
      row["conflict"] = conflict_words(conflict.kinds);
      if (conflict.kinds != 0) row["order"] = ordering_words(document, conflict.ordering);
    }
    rows.push_back(std::move(row));
  }
  return Json{{"tensor", buffers_.name(document, buffer_)},
              {"reads", buffers_.reads(buffer_)},
              {"writes", buffers_.writes(buffer_)},
              {"chosen", chosen_ == kNoRow ? Json() : Json(chosen_)},
              {"accesses", std::move(rows)}}
      .dump();
}

void ResourcePanel::save(Settings& settings) const { settings.set("resource.left", static_cast<double>(left_)); }

void ResourcePanel::restore(const Settings& settings) {
  left_ = static_cast<float>(settings.number("resource.left", static_cast<double>(left_), 0.15, 0.5));
}

}  // namespace depscope::viewers
