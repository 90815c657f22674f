#include "depscope/viewers/comparison.h"

#include <fmt/format.h>

#include <utility>

#include "comparison_lines.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"
#include "depscope/viewers/colours.h"

namespace depscope::viewers {

namespace {

/// Hazards by the million that all differ are left out, as everything else can still be shown.
replay::Comparison compare(const Document& a, const Document& b, replay::Matching& rows) {
  replay::CompareOptions options;
  try {
    return replay::compare(a.recording(), b.recording(), options, rows);
  } catch (const InputError&) {
    options.ignored[static_cast<std::size_t>(replay::DifferenceKind::Coverage)] = true;
    return replay::compare(a.recording(), b.recording(), options, rows);
  }
}

}  // namespace

Item compared_item(const recording::Recording& recording, std::uint32_t event) {
  const std::uint32_t subject = recording.events.subject[event];
  switch (static_cast<runtime::EventKind>(recording.events.kind[event])) {
    case runtime::EventKind::EdgeAdd:
    case runtime::EventKind::EdgeReduce:
    case runtime::EventKind::EdgeLost: return {ItemKind::Edge, subject};
    case runtime::EventKind::ScopeBegin:
    case runtime::EventKind::ScopeEnd: return {ItemKind::Scope, subject};
    default: break;
  }
  const std::uint32_t task = replay::task_of_event(recording, event);
  return task == kNoRow ? Item{} : Item{ItemKind::Task, task};
}

Comparison::Comparison(Document& a, Document& b) : a_(&a), b_(&b) {
  replay::Matching matching;
  report_ = compare(a, b, matching);
  texts_ = std::move(matching.texts);
  fill(ItemKind::Task, std::move(matching.tasks));
  fill(ItemKind::Edge, std::move(matching.edges));
  fill(ItemKind::Scope, std::move(matching.scopes));
  fill(ItemKind::CallSite, std::move(matching.call_sites));
  fill(ItemKind::Pass, std::move(matching.passes));
  fill(ItemKind::Region, std::move(matching.regions));
  fill(ItemKind::Hazard, std::move(matching.hazards));
  fill(ItemKind::Tensor, std::move(matching.tensors));
  fill(ItemKind::Argument, std::move(matching.arguments));
  fill(ItemKind::Access, std::move(matching.accesses));
  const auto tasks = static_cast<std::size_t>(ItemKind::Task);
  life_ = {LifeEvents(a.recording(), sides_[0][tasks].counterpart), LifeEvents(b.recording(), sides_[1][tasks].counterpart)};
}

void Comparison::fill(ItemKind kind, replay::MatchedRows&& rows) {
  if (!rows.compared) return;
  const auto k = static_cast<std::size_t>(kind);
  Rows& a = sides_[0][k];
  Rows& b = sides_[1][k];
  a.mark.assign(rows.b_of_a.size(), Mark::Same);
  b.mark.assign(rows.a_of_b.size(), Mark::Same);
  for (const std::uint32_t row : rows.only_a) a.mark[row] = Mark::OnlyHere;
  for (const std::uint32_t row : rows.only_b) b.mark[row] = Mark::OnlyHere;
  for (std::uint32_t row = 0; row < rows.differs.size(); ++row) {
    if (rows.differs[row] != 0 && rows.b_of_a[row] != kNoRow) a.mark[row] = b.mark[rows.b_of_a[row]] = Mark::Differs;
  }
  a.counterpart = std::move(rows.b_of_a);
  b.counterpart = std::move(rows.a_of_b);
  a.only_there = std::move(rows.only_b);
  b.only_there = std::move(rows.only_a);
  differs_[k] = std::move(rows.differs);
  for (const std::size_t side : {0U, 1U}) {
    for (const Mark mark : sides_[side][k].mark) ++counts_[side][k][static_cast<std::size_t>(mark)];
  }
}

void Comparison::swap() { swapped_ = !swapped_; }

ImU32 Comparison::here_colour() const { return colour::side_legend()[swapped_ ? 1 : 0].colour; }
ImU32 Comparison::there_colour() const { return colour::side_legend()[swapped_ ? 0 : 1].colour; }

ImU32 Comparison::colour(Mark mark) const {
  switch (mark) {
    case Mark::Same: return 0;
    case Mark::Differs: return colour::side_legend()[2].colour;
    case Mark::OnlyHere: return here_colour();
  }
  return 0;
}

std::string Comparison::words(Mark mark) const {
  switch (mark) {
    case Mark::Same: return {};
    case Mark::Differs: return "differs";
    case Mark::OnlyHere: return fmt::format("only in {}", here_name());
  }
  return {};
}

Mark Comparison::mark(ItemKind kind, std::uint32_t row) const {
  const auto& marks = rows(kind).mark;
  return row < marks.size() ? marks[row] : Mark::Same;
}

std::uint32_t Comparison::counterpart(ItemKind kind, std::uint32_t row) const {
  const auto& counterparts = rows(kind).counterpart;
  return row < counterparts.size() ? counterparts[row] : kNoRow;
}

std::uint32_t Comparison::counterpart_there(ItemKind kind, std::uint32_t row_there) const {
  const auto& counterparts = sides_[swapped_ ? 0 : 1][static_cast<std::size_t>(kind)].counterpart;
  return row_there < counterparts.size() ? counterparts[row_there] : kNoRow;
}

std::vector<std::string> Comparison::differences(ItemKind kind, std::uint32_t row) const {
  if (mark(kind, row) != Mark::Differs) return {};
  const std::uint32_t other = counterpart(kind, row);
  const RowPair pair{.a = swapped_ ? other : row, .b = swapped_ ? row : other};
  const auto k = static_cast<std::size_t>(kind);
  return difference_lines({*a_, *b_, sides_[0], texts_}, kind, pair, differs_[k][pair.a]);
}

std::uint32_t Comparison::position_there(std::uint32_t position_here) const {
  return matching_position(life_[swapped_ ? 1 : 0], life_[swapped_ ? 0 : 1], position_here);
}

}  // namespace depscope::viewers
