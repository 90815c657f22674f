#include "depscope/viewers/selection.h"

#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;

constexpr std::array<std::string_view, kItemKindCount> kNames{
    "none", "task", "edge", "scope", "call-site", "pass", "event", "region", "hazard", "tensor", "finding", "argument", "access"};

}  // namespace

std::string_view item_kind_name(ItemKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<ItemKind> item_kind_from_name(std::string_view name) {
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ItemKind>(i);
  }
  return std::nullopt;
}

void Selection::attach(const recording::Recording* recording) {
  recording_ = recording;
  history_.clear();
  history_position_ = 0;
  set({});
}

std::uint32_t Selection::rows_of(ItemKind kind) const {
  if (recording_ == nullptr) return 0;
  switch (kind) {
    case ItemKind::None: return 0;
    case ItemKind::Task: return recording_->tasks.rows();
    case ItemKind::Edge: return recording_->edges.rows();
    case ItemKind::Scope: return recording_->scopes.rows();
    case ItemKind::CallSite: return recording_->call_sites.rows();
    case ItemKind::Pass: return recording_->passes.rows();
    case ItemKind::Event: return recording_->events.rows();
    case ItemKind::Region: return recording_->regions.rows();
    case ItemKind::Hazard: return recording_->hazards.rows();
    case ItemKind::Tensor: return recording_->tensors.rows();
    case ItemKind::Finding: return recording_->findings.rows();
    case ItemKind::Argument: return recording_->arguments.rows();
    case ItemKind::Access: return recording_->accesses.rows();
  }
  return 0;
}

bool Selection::select(Item item, bool remember) {
  if (item.row >= rows_of(item.kind)) return false;
  if (item == current_) return true;
  set(item);
  history_.resize(history_position_);  // what was ahead is forgotten
  const bool replace = !remember && !history_.empty() && history_.back().kind == item.kind;
  if (replace) {
    history_.back() = item;
  } else {
    if (history_.size() == kMaxHistory) history_.erase(history_.begin());
    history_.push_back(item);
  }
  history_position_ = history_.size();
  return true;
}

void Selection::clear() { set({}); }

bool Selection::back() {
  if (!can_go_back()) return false;
  --history_position_;
  set(history_[history_position_ - 1]);
  return true;
}

bool Selection::forward() {
  if (!can_go_forward()) return false;
  set(history_[history_position_]);
  ++history_position_;
  return true;
}

void Selection::set(Item item) {
  // The pass stays, whatever is selected: it is where the Passes panel stands.
  const std::uint32_t pass = rows_[static_cast<std::size_t>(ItemKind::Pass)];
  rows_.fill(kNoRow);
  if (pass < rows_of(ItemKind::Pass)) rows_[static_cast<std::size_t>(ItemKind::Pass)] = pass;
  current_ = item;
  ++revision_;
  if (item.kind != ItemKind::None) imply(item.kind, item.row);
}

void Selection::imply(ItemKind kind, std::uint32_t row) {
  if (row >= rows_of(kind)) return;
  rows_[static_cast<std::size_t>(kind)] = row;
  const auto& r = *recording_;
  switch (kind) {
    case ItemKind::Task:
      imply(ItemKind::CallSite, r.tasks.call_site[row]);
      imply(ItemKind::Scope, r.tasks.scope[row]);
      break;
    case ItemKind::Edge: imply(ItemKind::Task, r.edges.consumer[row]); break;
    case ItemKind::Event: {
      using runtime::EventKind;
      imply(ItemKind::Task, replay::task_of_event(r, row));
      const auto event = static_cast<EventKind>(r.events.kind[row]);
      if (event == EventKind::EdgeAdd || event == EventKind::EdgeReduce || event == EventKind::EdgeLost)
        imply(ItemKind::Edge, r.events.subject[row]);
      if (event == EventKind::ScopeBegin || event == EventKind::ScopeEnd) imply(ItemKind::Scope, r.events.subject[row]);
      break;
    }
    case ItemKind::Region: imply(ItemKind::CallSite, r.regions.offending_site[row]); break;
    case ItemKind::Hazard:
      imply(ItemKind::Region, r.hazards.region[row]);
      imply(ItemKind::CallSite, r.hazards.current[row]);
      break;
    case ItemKind::Argument: imply(ItemKind::CallSite, r.arguments.call_site[row]); break;
    case ItemKind::Access:
      imply(ItemKind::Task, r.accesses.task[row]);
      imply(ItemKind::Tensor, r.accesses.tensor[row]);
      break;
    case ItemKind::None:
    case ItemKind::Scope:
    case ItemKind::CallSite:
    case ItemKind::Pass:
    case ItemKind::Tensor:
    case ItemKind::Finding: break;
  }
}

}  // namespace depscope::viewers
