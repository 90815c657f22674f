#include "findings_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer_view.h"
#include "depscope/viewers/answers.h"

namespace depscope::viewers {
namespace {

/// A check of more tasks than this takes seconds and is started by hand.
constexpr std::uint32_t kMaxUnaskedTasks = 100000;
constexpr Severity kSeverities[] = {Severity::Error, Severity::Warning, Severity::Info};

}  // namespace

void FindingsPanel::add_actions(Context& c) {
  c.actions.add("Findings", "Check the recording", "Ctrl+Shift+K", [this, &c] {
    if (c.document == nullptr) return;
    check(c);
    c.wanted_panel = title();
  });
  c.actions.add("Findings", "Filter findings", "Ctrl+Shift+G", [this, &c] {
    focus_ = true;
    c.wanted_panel = title();
  });
}

void FindingsPanel::opened(Context& context) {
  job_.reset();
  asked_ = false;
  compared_ = nullptr;
  rebuild(context);
}

void FindingsPanel::save(Settings& settings) const {
  settings.set("findings.filter", text_);
  settings.set("findings.list", static_cast<double>(list_fraction_));
  settings.set("findings.infos", severities_[0]);
  settings.set("findings.warnings", severities_[1]);
  settings.set("findings.errors", severities_[2]);
}

void FindingsPanel::restore(const Settings& settings) {
  text_ = settings.text("findings.filter");
  list_fraction_ = static_cast<float>(settings.number("findings.list", 0.6, 0.2, 0.85));
  severities_ = {settings.truth("findings.infos", false), settings.truth("findings.warnings", true),
                 settings.truth("findings.errors", true)};
}

void FindingsPanel::check(Context& context) {
  asked_ = true;
  if (job_.state() == CheckJob::State::NotStarted) job_.start(context.document->recording());
}

void FindingsPanel::rebuild(Context& context) {
  const bool kept = open_ < entries_.size() && entries_[open_].source == FindingSource::Diff;
  const FindingEntry was = kept ? entries_[open_] : FindingEntry();
  entries_.clear();
  open_ = kNoRow;
  if (context.document == nullptr) {
    filter();
    return;
  }
  if (context.comparison != nullptr) {
    compared_ = &context.comparison->report();
    entries_ = diff_entries(*compared_);
  }
  std::vector<FindingEntry> found =
      job_.state() == CheckJob::State::Done ? job_.entries() : run_entries(context.document->recording());
  entries_.insert(entries_.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  sort_by_severity(entries_);
  counts_.fill(0);
  for (const FindingEntry& entry : entries_) ++counts_[static_cast<std::size_t>(entry.severity)];
  // The same differences are there after the sides were swapped.
  for (std::uint32_t i = 0; kept && i < entries_.size() && open_ == kNoRow; ++i) {
    const FindingEntry& entry = entries_[i];
    if (entry.source == was.source && entry.kind == was.kind && entry.summary == was.summary) open_ = i;
  }
  filter();
}

void FindingsPanel::filter() {
  FindingFilter filter = parse_finding_filter(text_);
  // Severities that are named in the field win over the boxes.
  if (filter.severities == std::array<bool, 3>{true, true, true}) filter.severities = severities_;
  shown_.clear();
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (filter.matches(entries_[i])) shown_.push_back(i);
  }
}

void FindingsPanel::draw(Context& context) {
  if (!asked_) {
    if (context.document->recording().tasks.rows() <= kMaxUnaskedTasks) check(context);
    asked_ = true;
  }
  const replay::Comparison* report = context.comparison == nullptr ? nullptr : &context.comparison->report();
  if (job_.poll() || report != compared_) {
    compared_ = report;
    rebuild(context);
  }
  draw_tools(context);
  if (shown_.empty()) {
    if (job_.state() == CheckJob::State::Running) {
      empty_state("Checking the recording …");
    } else if (entries_.empty()) {
      empty_state(job_.state() == CheckJob::State::Done
                      ? "Nothing was found: the check is clean."
                      : "The recording holds no findings of its own. Press Ctrl+Shift+K to check it.");
    } else {
      empty_state("No finding passes the filter. Empty the field, or switch on warnings and infos, to see more.");
    }
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool detail = open_ != kNoRow;
  ImGui::BeginChild("list", {detail ? (room.x - context.theme.px(6)) * list_fraction_ : room.x, 0});
  draw_rows(context);
  ImGui::EndChild();
  if (!detail) return;
  ImGui::SameLine(0, 0);
  splitter(context, "findings-splitter", true, room.y, room.x, list_fraction_, 0.2F, 0.85F);
  ImGui::SameLine(0, 0);
  ImGui::BeginChild("detail");
  draw_detail(context);
  ImGui::EndChild();
}

void FindingsPanel::draw_tools(Context& context) {
  const bool idle = job_.state() == CheckJob::State::NotStarted;
  ImGui::BeginDisabled(!idle);
  action_button(context, "Check", "Check the recording");
  ImGui::EndDisabled();
  ImGui::SameLine();
  std::string state;
  switch (job_.state()) {
    case CheckJob::State::NotStarted: state = "not checked yet"; break;
    case CheckJob::State::Running: state = "checking …"; break;
    case CheckJob::State::Done: state = "checked"; break;
    case CheckJob::State::Failed: state = "the check failed: " + job_.error(); break;
  }
  ImGui::AlignTextToFramePadding();
  text(state, job_.state() == CheckJob::State::Failed ? colour::error() : colour::dim());
  if (context.elements.recording()) context.elements.add_item("findings/state", state);
  for (const Severity severity : kSeverities) {
    const auto i = static_cast<std::size_t>(severity);
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, colour::severity(static_cast<std::uint8_t>(severity)));
    if (ImGui::Checkbox(fmt::format("{}###{}", count_of(counts_[i], to_string(severity)), to_string(severity)).c_str(),
                        &severities_[i]))
      filter();
    ImGui::PopStyleColor();
    if (context.elements.recording()) context.elements.add_item(fmt::format("findings/{}", to_string(severity)));
  }
  side_legend(context, true);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::max(context.theme.px(80), ImGui::GetContentRegionAvail().x));
  if (focus_) ImGui::SetKeyboardFocusHere();
  focus_ = false;
  if (ImGui::InputTextWithHint("##filter", "filter: words, kind:missing_order, error", &text_)) filter();
  tooltip_for_item(context.actions.tooltip("Filter findings"));
  if (context.elements.recording()) context.elements.add_item("findings/filter", text_);
}

void FindingsPanel::draw_rows(Context& context) {
  const float height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  const RowList::Visible visible = list_.begin("rows", shown_.size(), height, height);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  if (ImGui::BeginTable("findings", 4, kFlags, {list_.content_width(), 0})) {
    ImGui::TableSetupColumn("severity", ImGuiTableColumnFlags_WidthFixed, context.theme.px(68));
    ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed, context.theme.px(142));
    ImGui::TableSetupColumn("line", ImGuiTableColumnFlags_WidthFixed, context.theme.px(40));
    ImGui::TableSetupColumn("what was found", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    for (std::uint64_t i = visible.first; i < visible.last; ++i) {
      ImGui::PushID(static_cast<int>(i));
      draw_row(context, static_cast<std::uint32_t>(i));
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  list_.end();
}

void FindingsPanel::draw_row(Context& context, std::uint32_t place) {
  const std::uint32_t index = shown_[place];
  const FindingEntry& entry = entries_[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable("##row", open_ == index, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    open_ = index;
    go_to(context, entry, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
  }
  if (context.elements.recording()) {
    context.elements.add(fmt::format("findings/row {}", place), at,
                         {at.x + context.theme.px(50), at.y + ImGui::GetTextLineHeight()}, finding_text(entry));
  }
  ImGui::SameLine(0, 0);
  badge(to_string(entry.severity), colour::severity(static_cast<std::uint8_t>(entry.severity)), false);
  ImGui::TableNextColumn();
  text(entry.kind);
  tooltip_for_item(fmt::format("told by {}", entry.source == FindingSource::Run     ? "the run and the passes"
                                             : entry.source == FindingSource::Check ? "the check"
                                                                                    : "the comparison"));
  ImGui::TableNextColumn();
  if (entry.line != 0) text(fmt::format("{}", entry.line), colour::dim());
  ImGui::TableNextColumn();
  if (entry.source == FindingSource::Diff) {
    const bool none_a = entry.subject.row_a == kNoRow;
    const bool none_b = entry.subject.row_b == kNoRow;
    const std::size_t side = none_a == none_b ? 2 : none_b ? 0 : 1;
    badge(side == 0 ? "only a" : side == 1 ? "only b" : "a | b", colour::side_legend()[side].colour, false);
    ImGui::SameLine(0, context.theme.px(6));
  }
  const std::string shown = elided(entry.summary, ImGui::GetContentRegionAvail().x);
  text(shown);
  if (shown.size() < entry.summary.size()) tooltip_for_item(entry.summary);
}

void FindingsPanel::go_to(Context& context, const FindingEntry& entry, bool show) {
  const FindingPlace place = found_at(context, entry);
  // The history keeps the finding, then the first and the second task: Alt+Left leads back through them.
  for (const Item item : place.items) {
    if (item.kind != ItemKind::Edge) context.selection.select(item);
  }
  if (place.position != kNoRow) context.transport.seek(place.position);
  if (show && place.line) context.wanted_panel = "Passes";
}

FindingPlace FindingsPanel::found_at(const Context& context, const FindingEntry& entry) {
  return entry.source == FindingSource::Diff ? place_of(*context.comparison, entry) : place_of(*context.document, entry);
}

/// What only the other side has can be selected there only.
void FindingsPanel::draw_place_there(Context& context, Item there) {
  if (there.kind == ItemKind::None) return;
  const Comparison& comparison = *context.comparison;
  text(fmt::format("only in {}", comparison.there_name()), comparison.there_colour());
  ImGui::SameLine(0, context.theme.px(6));
  text(item_label(comparison.there(), there), colour::dim());
  const std::string label = fmt::format("Show it in {}", comparison.there_name());
  if (ImGui::SmallButton(label.c_str())) context.wanted_there = there;
  tooltip_for_item("Swaps the sides and selects it there.");
  if (context.elements.recording()) context.elements.add_item("findings/show-there", label);
}

void FindingsPanel::draw_detail(Context& context) {
  const FindingEntry& entry = entries_[open_];
  badge(to_string(entry.severity), colour::severity(static_cast<std::uint8_t>(entry.severity)), false);
  ImGui::SameLine(0, context.theme.px(6));
  ImGui::PushFont(context.theme.bold);
  text(entry.kind);
  ImGui::PopFont();
  if (entry.line != 0) {
    ImGui::SameLine();
    text(fmt::format("line {}", entry.line), colour::dim());
  }
  wrapped_text(entry.summary, colour::text());
  const FindingPlace place = found_at(context, entry);
  draw_place_there(context, place.there);
  for (const Item item : place.items) {
    if (item.kind == ItemKind::Finding) continue;
    const bool first = item.kind == ItemKind::Task && item.row == entry.first;
    if (entry.source == FindingSource::Diff) {
      text(fmt::format("in {}", context.comparison->here_name()), colour::dim());
    } else {
      text(item.kind == ItemKind::Task ? (first ? "first" : "second") : item_kind_name(item.kind), colour::dim());
    }
    ImGui::SameLine(0, context.theme.px(6));
    const std::string label = item_label(*context.document, item);
    link(context, item, label);
  }
  if (entry.source != FindingSource::Diff && entry.first != kNoRow && entry.second != kNoRow &&
      edge_between(*context.document, entry.first, entry.second) == kNoRow)
    text("no edge between the two", colour::dim());
  const ImVec2 top = ImGui::GetCursorScreenPos();
  std::string words;
  for (const auto& [label, detail] : entry.details) {
    wrapped_text(fmt::format("{}: {}", label, detail), colour::text());
    if (context.elements.recording()) words += fmt::format("{}: {}\n", label, detail);
  }
  if (context.elements.recording()) {
    const ImVec2 bottom = ImGui::GetCursorScreenPos();
    context.elements.add("findings/details", top, {top.x + ImGui::GetContentRegionAvail().x, std::max(bottom.y, top.y + 1)},
                         words);
  }
}

std::string FindingsPanel::copy_text(const Context& context) const {
  if (context.document == nullptr) return {};
  std::string out;
  for (const std::uint32_t index : shown_) {
    const FindingEntry& entry = entries_[index];
    out += finding_text(entry) + '\n';
    for (const auto& [label, detail] : entry.details) out += fmt::format("    {}: {}\n", label, detail);
  }
  return out;
}

std::string FindingsPanel::copy_json(const Context& context) const {
  if (context.document == nullptr) return {};
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const std::uint32_t index : shown_) {
    const FindingEntry& entry = entries_[index];
    nlohmann::ordered_json row{{"kind", entry.kind},
                               {"severity", to_string(entry.severity)},
                               {"summary", entry.summary},
                               {"source", finding_source_name(entry.source)}};
    const auto fields = nlohmann::ordered_json::parse(entry.fields, nullptr, /*allow_exceptions=*/false);
    if (fields.is_object()) row["fields"] = fields;
    out.push_back(std::move(row));
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace depscope::viewers
