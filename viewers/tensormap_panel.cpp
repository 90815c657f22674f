#include "tensormap_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/replay/state_queries.h"
#include "memory_model.h"
#include "view_bytes.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

constexpr std::string_view kSummary =
    "This recording is a summary: it does not tell which writes are in the TensorMap, nor what was looked up, registered and "
    "removed. Record it again with --events full. What it tells stands at the right: edges that were found by lookups.";
constexpr std::string_view kMeasured =
    "This run was measured: what stands in the TensorMap at a time is not recorded. What deps.json tells stands at the right: "
    "edges "
    "that were found by lookups.";

std::string_view not_told(const Document& document) { return document.cursor().measured() ? kMeasured : kSummary; }

}  // namespace

std::string access_name(const Document& document, std::uint32_t access) {
  const auto& accesses = document.recording().accesses;
  return fmt::format("{} #{}", document.task_label(accesses.task[access]), accesses.arg[access]);
}

void TensorMapPanel::add_actions(Context& c) {
  c.actions.add("TensorMap", "Next change of the TensorMap", "U", [this, &c] { step_change(c, 1); });
  c.actions.add("TensorMap", "Previous change of the TensorMap", "Shift+U", [this, &c] { step_change(c, -1); });
  c.actions.add("TensorMap", "Submit of the selected task", "Ctrl+Shift+U", [this] {
    of_selection_ = !of_selection_;
    position_ = kNoRow;
  });
}

void TensorMapPanel::opened(Context& context) {
  buffers_ = {};
  model_ = {};
  entries_.clear();
  there_.clear();
  submit_ = {};
  lines_.clear();
  position_ = kNoRow;
  seen_selection_ = context.selection.revision();
  if (context.document == nullptr) return;
  buffers_ = Buffers(*context.document);
  model_ = TensorMapModel(*context.document, buffers_);
}

void TensorMapPanel::step_change(Context& context, int direction) {
  if (context.document == nullptr) return;
  const auto& changes = model_.changes();
  const std::uint32_t position = context.transport.position();
  const auto at = std::lower_bound(changes.begin(), changes.end(), position);
  const bool found = direction > 0 ? at != changes.end() : at != changes.begin();
  context.status =
      found ? std::string() : fmt::format("no change of the TensorMap {} from here", direction > 0 ? "follows" : "before");
  if (found) context.transport.seek(direction > 0 ? *at + 1 : *(at - 1));
}

void TensorMapPanel::update(Context& context) {
  const bool selected = of_selection_ && context.selection.revision() != seen_selection_;
  seen_selection_ = context.selection.revision();
  if (position_ == context.transport.position() && !selected) return;
  position_ = context.transport.position();
  entries_ = model_.entries(context.document->cursor(), total_);
  const std::uint32_t before = submit_.begin;
  submit_ = shown_submit(context);
  update_there(context);
  make_lines(context);
  if (submit_.begin != before) line_list_.reveal(0);
}

SubmitView TensorMapPanel::shown_submit(const Context& context) const {
  if (!of_selection_) return model_.submit_at(context.document->cursor().position());
  const std::uint32_t task = context.selection.row(ItemKind::Task);
  return task == kNoRow ? SubmitView() : model_.submit_of(task);
}

/// Entries that the other recording has at its position and this one has not.
void TensorMapPanel::update_there(Context& context) {
  there_.clear();
  if (context.comparison == nullptr) return;
  Document& there = context.comparison->there();
  there.cursor().seek(context.comparison->position_there(position_));
  const auto found = replay::tensormap_entries(there.cursor(), kMaxEntries);
  if (!found) return;
  std::vector<std::uint32_t> here;  // rows there that have their entry here
  for (const EntryRow& row : entries_) {
    if (row.access == kNoRow) continue;
    const std::uint32_t counterpart = context.comparison->counterpart(ItemKind::Access, row.access);
    if (counterpart != kNoRow) here.push_back(counterpart);
  }
  if (context.comparison->rows(ItemKind::Access).counterpart.empty()) return;  // accesses are not compared
  std::sort(here.begin(), here.end());
  std::set_difference(found->rows.begin(), found->rows.end(), here.begin(), here.end(), std::back_inserter(there_));
}

void TensorMapPanel::make_lines(const Context& context) {
  lines_.clear();
  if (submit_.begin == kNoRow) return;
  const bool full = context.document->cursor().full();
  std::uint32_t argument = kNoRow;
  for (std::uint32_t i = 0; i < submit_.lookups.size(); ++i) {
    const std::uint32_t access = submit_.lookups[i].access;
    if (access != argument) lines_.push_back({Line::Kind::Argument, access, {}});
    argument = access;
    lines_.push_back({Line::Kind::Lookup, i, {}});
  }
  if (submit_.lookups.empty()) lines_.push_back({Line::Kind::Note, 0, "It has no tensor arguments."});
  if (submit_.not_listed > 0)
    lines_.push_back({Line::Kind::Note, 0, fmt::format("and {} more that gave no hit", submit_.not_listed)});
  if (!full) return;
  lines_.push_back({Line::Kind::Heading, 0, "What it changed in the TensorMap"});
  for (std::uint32_t i = 0; i < submit_.changes.size(); ++i) lines_.push_back({Line::Kind::Change, i, {}});
  if (submit_.changes.empty()) lines_.push_back({Line::Kind::Note, 0, "Nothing was registered or removed."});
}

void TensorMapPanel::draw(Context& context) {
  if (context.document->recording().accesses.rows() == 0) {
    empty_state(
        "This recording has no tensor arguments, so that nothing is looked up. Run the program again without --stop-after: "
        "depscope run PROGRAM -o FILE.depscope");
    return;
  }
  update(context);
  draw_bar(context);
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetContentRegionAvail().y;
  ImGui::BeginChild("entries", {width * left_, height});
  draw_entries(context);
  ImGui::EndChild();
  ImGui::SameLine(0, 0);
  splitter(context, "between", true, height, width, left_, 0.25F, 0.7F);
  ImGui::SameLine(0, 0);
  ImGui::BeginChild("submit", {0, height});
  draw_submit(context);
  ImGui::EndChild();
}

void TensorMapPanel::draw_bar(Context& context) {
  const bool glyphs = context.theme.font_note.empty();  // the built-in font has no arrows
  const bool full = context.document->cursor().full();
  ImGui::BeginDisabled(!full);
  action_button(context, glyphs ? "◀ change" : "< change", "Previous change of the TensorMap");
  context.elements.add_item("tensormap/previous change");
  ImGui::SameLine();
  action_button(context, glyphs ? "change ▶" : "change >", "Next change of the TensorMap");
  context.elements.add_item("tensormap/next change");
  ImGui::EndDisabled();
  ImGui::SameLine();
  const auto& state = context.document->cursor().state();
  const std::int64_t capacity = state.config[static_cast<std::size_t>(runtime::ConfigItem::TensorMapEntries)];
  std::string use = context.document->cursor().measured() ? "not recorded" : "not told by a summary";
  if (full) {
    use = fmt::format("{}{} entries in use, most {}", total_,
                      capacity > 0 ? fmt::format(" of {}", grouped(static_cast<std::uint64_t>(capacity))) : "",
                      context.document->moments().tensormap);
  }
  ImGui::AlignTextToFramePadding();
  text(use, colour::dim());
  context.elements.add_item("tensormap/use", use);
  if (context.show_legends && full) legend(context, "producer", colour::state_legend().subspan(1), true);
  side_legend(context, true);
}

void TensorMapPanel::draw_entries(Context& context) {
  ImGui::PushFont(context.theme.bold);
  text("Entries at the cursor");
  ImGui::PopFont();
  if (!context.document->cursor().full()) return empty_state(not_told(*context.document));
  if (total_ > kMaxEntries) text(fmt::format("the first {} of {}", grouped(kMaxEntries), grouped(total_)), colour::warning());
  if (entries_.empty() && there_.empty()) {
    return empty_state(
        "The TensorMap is empty at the cursor. INOUT and OUTPUT_EXISTING arguments of tasks in AUTO scopes are registered; U "
        "goes "
        "to the next change.");
  }
  const float row_height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const std::uint64_t extra = there_.empty() ? 0 : there_.size() + 1;
  const RowList::Visible visible = entry_list_.begin("rows", entries_.size() + extra, row_height, row_height);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  if (ImGui::BeginTable("entries", 4, kFlags, {entry_list_.content_width(), 0})) {
    ImGui::TableSetupColumn("write", ImGuiTableColumnFlags_WidthStretch, 1.35F);
    ImGui::TableSetupColumn("box", ImGuiTableColumnFlags_WidthStretch, 1.0F);
    if (context.comparison == nullptr) {
      ImGui::TableSetupColumn("version", ImGuiTableColumnFlags_WidthFixed, context.theme.px(50));
    } else {
      ImGui::TableSetupColumn("compared", ImGuiTableColumnFlags_WidthFixed, context.theme.px(70));
    }
    ImGui::TableSetupColumn("producer", ImGuiTableColumnFlags_WidthFixed, context.theme.px(74));
    ImGui::TableHeadersRow();
    for (std::uint64_t i = visible.first; i < visible.last; ++i) {
      if (i < entries_.size()) {
        draw_entry(context, entries_[i]);
      } else if (i == entries_.size()) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        text(fmt::format("only in {}", context.comparison->there_name()), context.comparison->there_colour());
      } else {
        draw_there(context, there_[i - entries_.size() - 1]);
      }
    }
    ImGui::EndTable();
  }
  entry_list_.end();
}

void TensorMapPanel::draw_entry(Context& context, const EntryRow& row) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (row.access == kNoRow) {
    const std::uint32_t tensor = buffers_.first_tensor(row.buffer);
    const std::string name = buffers_.name(document, row.buffer);
    link(context, {ItemKind::Tensor, tensor}, name);
    ImGui::TableNextColumn();
    text(fmt::format("{} entr{}", row.count, row.count == 1 ? "y" : "ies"), colour::dim());
    tooltip_for_item(fmt::format("{} at address 0x{:x}", name, r.tensors.address[tensor]));
    return;
  }
  if (context.selection.is(ItemKind::Access, row.access) || context.selection.is(ItemKind::Task, r.accesses.task[row.access]))
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::selected_row());
  const std::string box = box_words(descriptor_of_access(r, row.access));
  const std::int32_t version = r.tensors.version[r.accesses.tensor[row.access]];
  const auto state = static_cast<TaskState>(document.cursor().state().task_state[r.accesses.task[row.access]]);
  ImGui::Indent(context.theme.px(12));
  link(context, {ItemKind::Access, row.access}, access_name(document, row.access));
  if (context.elements.recording()) {
    context.elements.add_item(fmt::format("tensormap/entry {}", row.access),
                              fmt::format("{} {} {} v{} {}", buffers_.name(document, row.buffer),
                                          access_name(document, row.access), box, version, runtime::task_state_name(state)));
  }
  ImGui::Unindent(context.theme.px(12));
  ImGui::TableNextColumn();
  text(elided(box, ImGui::GetContentRegionAvail().x));
  tooltip_for_item(fmt::format("element box {} of {}, version {}", box, buffers_.name(document, row.buffer), version));
  ImGui::TableNextColumn();
  if (context.comparison == nullptr) {
    text(fmt::format("v{}", version), colour::dim());
  } else {
    mark_badge(context, ItemKind::Access, row.access, false);
  }
  ImGui::TableNextColumn();
  badge(runtime::task_state_name(state), colour::state(state), false);
}

void TensorMapPanel::draw_there(Context& context, std::uint32_t access) {
  const Document& there = context.comparison->there();
  const auto& r = there.recording();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImU32 hue = context.comparison->there_colour();
  text(elided(fmt::format("  {}", access_name(there, access)), ImGui::GetContentRegionAvail().x), hue);
  if (context.elements.recording())
    context.elements.add_item(fmt::format("tensormap/there {}", access),
                              fmt::format("only in {}", context.comparison->there_name()));
  ImGui::TableNextColumn();
  const std::string box =
      fmt::format("{} {}", r.text(r.tensors.name[r.accesses.tensor[access]]), box_words(descriptor_of_access(r, access)));
  text(elided(box, ImGui::GetContentRegionAvail().x), hue);
  tooltip_for_item(box);
  ImGui::TableNextColumn();
  only_there_badge(context, ItemKind::Access, access, false);
}

std::string TensorMapPanel::copy_text(const Context& context) const {
  if (context.document == nullptr) return {};
  const Document& document = *context.document;
  const auto& r = document.recording();
  // The panel may not have been drawn since the cursor moved.
  std::uint32_t total = 0;
  const auto entries = model_.entries(document.cursor(), total);
  const SubmitView submit = shown_submit(context);
  std::string out = fmt::format("TensorMap at event {}\n", document.cursor().position());
  if (!document.cursor().full()) out += "entries: not told by a summary\n";
  for (const EntryRow& row : entries) {
    if (row.access == kNoRow) {
      out += fmt::format("{}: {}\n", buffers_.name(document, row.buffer), row.count);
      continue;
    }
    out += fmt::format("  {} {} v{}\n", access_name(document, row.access), box_words(descriptor_of_access(r, row.access)),
                       r.tensors.version[r.accesses.tensor[row.access]]);
  }
  if (submit.task == kNoRow) return out;
  out += fmt::format("submit of {}\n", document.task_label(submit.task));
  for (const LookupRow& row : submit.lookups) {
    out += fmt::format("  {} {}: {}", access_name(document, row.access), box_words(descriptor_of_access(r, row.access)),
                       row.verdict == Verdict::NoLookup ? no_lookup_words(r, row.access) : verdict_words(row.verdict));
    if (row.entry != kNoRow)
      out += fmt::format(" {} {}", access_name(document, row.entry), box_words(descriptor_of_access(r, row.entry)));
    out += "\n";
  }
  for (const MapChange& change : submit.changes)
    out += fmt::format("  {} {}\n", runtime::event_kind_name(change.kind), access_name(document, change.entry));
  return out;
}

std::string TensorMapPanel::copy_json(const Context& context) const {
  if (context.document == nullptr) return {};
  using Json = nlohmann::ordered_json;
  const auto row_or_null = [](std::uint32_t row) { return row == kNoRow ? Json() : Json(row); };
  Json out{{"position", context.document->cursor().position()}};
  std::uint32_t total = 0;
  Json listed = Json::array();
  for (const EntryRow& row : model_.entries(context.document->cursor(), total)) {
    if (row.access != kNoRow) listed.push_back(row.access);
  }
  out["entries"] = context.document->cursor().full() ? std::move(listed) : Json();
  const SubmitView submit = shown_submit(context);
  Json lookups = Json::array();
  for (const LookupRow& row : submit.lookups) {
    lookups.push_back({{"access", row.access},
                       {"entry", row_or_null(row.entry)},
                       {"verdict", verdict_words(row.verdict)},
                       {"edge", row_or_null(row.edge)}});
  }
  Json changes = Json::array();
  for (const MapChange& change : submit.changes)
    changes.push_back({{"event", change.event}, {"kind", runtime::event_kind_name(change.kind)}, {"entry", change.entry}});
  out["submit"] = {{"task", row_or_null(submit.task)}, {"lookups", std::move(lookups)}, {"changes", std::move(changes)}};
  return out.dump();
}

void TensorMapPanel::save(Settings& settings) const {
  settings.set("tensormap.left", static_cast<double>(left_));
  settings.set("tensormap.of_selection", of_selection_);
}

void TensorMapPanel::restore(const Settings& settings) {
  left_ = static_cast<float>(settings.number("tensormap.left", static_cast<double>(left_), 0.25, 0.7));
  of_selection_ = settings.truth("tensormap.of_selection", of_selection_);
  position_ = kNoRow;
}

}  // namespace depscope::viewers
