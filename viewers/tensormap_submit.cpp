// The right half of the TensorMap panel: one submit.
#include <fmt/format.h>
#include <imgui.h>

#include "tensormap_panel.h"
#include "view_bytes.h"

namespace depscope::viewers {
namespace {

ImU32 verdict_colour(Verdict verdict) {
  switch (verdict) {
    case Verdict::Overlaps:
    case Verdict::Covers: return colour::provenance(runtime::kTensorMap);
    case Verdict::Removes: return colour::warning();
    case Verdict::Disjoint:
    case Verdict::Stale:
    case Verdict::NotTold:
    case Verdict::NoLookup: return colour::dim();
    case Verdict::Miss: return colour::link();
  }
  return colour::dim();
}

std::string_view element_kind(Verdict verdict) {
  switch (verdict) {
    case Verdict::Overlaps:
    case Verdict::Covers:
    case Verdict::Removes: return "hit";
    case Verdict::Disjoint: return "disjoint";
    case Verdict::Stale: return "stale";
    case Verdict::Miss: return "miss";
    case Verdict::NoLookup: return "no-lookup";
    case Verdict::NotTold: return "not-told";
  }
  return {};
}

std::string_view explained(Verdict verdict) {
  switch (verdict) {
    case Verdict::Overlaps: return "The access may share an element with the write: an edge with WAIT from the write's task.";
    case Verdict::Covers: return "The access contains the whole write. It only reads, so that the entry stays.";
    case Verdict::Removes: return "The access contains the whole write and writes it again: later readers find the new entry.";
    case Verdict::Disjoint: return "The entry is of the same address; in one dimension at least the two boxes do not meet.";
    case Verdict::Stale: return "The entry's task is below the watermark that the TensorMap has seen: the lookup skips it.";
    case Verdict::Miss: return "No earlier write that is still registered overlaps this access.";
    case Verdict::NoLookup: return "Nothing is looked up for this argument.";
    case Verdict::NotTold: return "A summary tells only hits that gave an edge, and this argument gave none.";
  }
  return {};
}

}  // namespace

void TensorMapPanel::draw_submit(Context& context) {
  const Document& document = *context.document;
  ImGui::PushFont(context.theme.bold);
  text("Submit");
  ImGui::PopFont();
  ImGui::SameLine();
  if (submit_.task != kNoRow) {
    link(context, {ItemKind::Task, submit_.task}, document.task_label(submit_.task));
    if (context.elements.recording()) context.elements.add_item("tensormap/submit", document.task_label(submit_.task));
    ImGui::SameLine();
    const bool manual = (document.recording().tasks.flags[submit_.task] & 1U) != 0;
    badge(manual ? "MANUAL" : "AUTO", manual ? colour::warning() : colour::good(), false);
    ImGui::SameLine();
  }
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));  // as high as the texts beside them
  if (ImGui::RadioButton("at the cursor", !of_selection_)) of_selection_ = false, position_ = kNoRow;
  ImGui::SameLine();
  if (ImGui::RadioButton("selected task", of_selection_)) of_selection_ = true, position_ = kNoRow;
  ImGui::PopStyleVar();
  tooltip_for_item(context.actions.tooltip("Submit of the selected task"));
  if (submit_.begin == kNoRow) {
    return empty_state(of_selection_ ? "Select a task that was submitted: what its submit looked up is shown here."
                                     : "No submit has begun at the cursor. N goes to the next one.");
  }
  if (submit_.task == kNoRow) return empty_state("This submit got no task: it was blocked, or ignored after a fatal error.");
  if (!document.cursor().full()) text("A summary tells only the hits that gave an edge.", colour::warning());
  const float row_height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const RowList::Visible visible = line_list_.begin("lines", lines_.size(), row_height, 0.0F);
  for (std::uint64_t i = visible.first; i < visible.last; ++i) {
    const float top = ImGui::GetCursorPosY();
    draw_line(context, lines_[i]);
    ImGui::SetCursorPosY(top + row_height);
  }
  line_list_.end();
}

void TensorMapPanel::draw_line(Context& context, const Line& line) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  switch (line.kind) {
    case Line::Kind::Argument: {
      const auto kind = static_cast<runtime::ArgKind>(r.accesses.kind[line.index]);
      const std::string_view name = runtime::arg_kind_name(kind);
      std::string lower(name);
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      badge(name, colour::direction(lower), false);
      ImGui::SameLine();
      link(context, {ItemKind::Access, line.index},
           fmt::format("#{} {} {}", r.accesses.arg[line.index], buffers_.name(document, buffers_.of_access(line.index)),
                       box_words(descriptor_of_access(r, line.index))));
      break;
    }
    case Line::Kind::Lookup: draw_lookup(context, line.index); break;
    case Line::Kind::Heading:
      ImGui::PushFont(context.theme.bold);
      text(line.words);
      ImGui::PopFont();
      break;
    case Line::Kind::Change: draw_change(context, submit_.changes[line.index]); break;
    case Line::Kind::Note: text(line.words, colour::dim()); break;
  }
}

void TensorMapPanel::draw_lookup(Context& context, std::uint32_t index) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const LookupRow& row = submit_.lookups[index];
  const ImVec2 least = ImGui::GetCursorScreenPos();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + context.theme.px(14));
  badge(verdict_words(row.verdict), verdict_colour(row.verdict), false);
  tooltip_for_item(explained(row.verdict));
  std::string words(verdict_words(row.verdict));
  if (row.verdict == Verdict::NoLookup) {
    ImGui::SameLine();
    text(no_lookup_words(r, row.access), colour::dim());
    words = no_lookup_words(r, row.access);
  }
  if (row.entry != kNoRow) {
    const std::string box = box_words(descriptor_of_access(r, row.entry));
    if (row.edge != kNoRow) {
      ImGui::SameLine();
      link(context, {ItemKind::Edge, row.edge}, fmt::format("edge {}", row.edge));
    }
    ImGui::SameLine();
    link(context, {ItemKind::Access, row.entry}, access_name(document, row.entry));
    ImGui::SameLine();
    const std::string boxes =
        row.verdict == Verdict::Disjoint ? fmt::format("{} and {}", box, box_words(descriptor_of_access(r, row.access))) : box;
    text(boxes, colour::dim());
    words += fmt::format(" {} {}", access_name(document, row.entry), boxes);
  }
  if (context.elements.recording()) {
    context.elements.add(fmt::format("tensormap/{} {}", element_kind(row.verdict), index), least,
                         {ImGui::GetItemRectMax().x, least.y + ImGui::GetTextLineHeight()}, words);
  }
}

void TensorMapPanel::draw_change(Context& context, const MapChange& change) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const bool insert = change.kind == runtime::EventKind::TensorMapInsert;
  const bool remove = change.kind == runtime::EventKind::TensorMapRemove;
  const std::string_view words = insert ? "registered" : remove ? "removed" : "freed";
  const ImVec2 least = ImGui::GetCursorScreenPos();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + context.theme.px(14));
  badge(words, insert ? colour::good() : remove ? colour::warning() : colour::dim(), false);
  tooltip_for_item(insert   ? "The write is the newest entry of its buffer now."
                   : remove ? "An INOUT of this task covers the write."
                            : "Its task is retired: the watermark has passed it.");
  ImGui::SameLine();
  link(context, {ItemKind::Event, change.event}, fmt::format("event {}", change.event));
  ImGui::SameLine();
  link(context, {ItemKind::Access, change.entry}, access_name(document, change.entry));
  ImGui::SameLine();
  text(fmt::format("{} {}", buffers_.name(document, buffers_.of_access(change.entry)),
                   box_words(descriptor_of_access(r, change.entry))),
       change.event < context.transport.position() ? colour::text() : colour::faint());
  if (context.elements.recording()) {
    context.elements.add(fmt::format("tensormap/change {}", change.event), least,
                         {ImGui::GetItemRectMax().x, least.y + ImGui::GetTextLineHeight()},
                         fmt::format("{} {}", words, access_name(document, change.entry)));
  }
}

}  // namespace depscope::viewers
