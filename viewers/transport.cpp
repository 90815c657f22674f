#include "depscope/viewers/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "depscope/replay/row_names.h"

namespace depscope::viewers {

void Transport::attach(Document* document, Selection* selection) {
  stop();
  wish_.reset();
  stopped_at_.clear();
  document_ = document;
  selection_ = selection;
  owed_ = 0.0;
  std::vector<StopPoint> old = std::exchange(breakpoints_, {});
  for (const StopPoint& point : old) {
    if (add_breakpoint(point.breakpoint.text).empty()) breakpoints_.back().enabled = point.enabled;
  }
}

std::uint32_t Transport::position() const { return document_ == nullptr ? 0 : document_->cursor().position(); }
std::uint32_t Transport::size() const { return document_ == nullptr ? 0 : document_->cursor().size(); }

void Transport::first() { seek(0); }
void Transport::last() { seek(std::numeric_limits<std::uint32_t>::max()); }

void Transport::seek(std::uint32_t position) {
  if (document_ == nullptr) return;
  run_.reset();
  stopped_at_.clear();
  wish_ = std::min(position, size());
}

void Transport::back() {
  playing_ = false;
  if (target() > 0) seek(target() - 1);
}

void Transport::step() {
  playing_ = false;
  seek(std::min(target(), std::numeric_limits<std::uint32_t>::max() - 1) + 1);
}

void Transport::toggle_play() {
  if (document_ == nullptr) return;
  if (running()) {
    stop();
    return;
  }
  playing_ = !playing_;
  owed_ = 0.0;
  if (playing_ && target() == size()) seek(0);  // play at the end starts again
}

void Transport::stop() {
  playing_ = false;
  run_.reset();
}

template <class Move>
bool Transport::look(Move&& move) {
  if (document_ == nullptr) return false;
  replay::Cursor& cursor = document_->cursor();
  const std::uint32_t from = cursor.position();
  cursor.seek(target());
  const bool found = move(cursor);
  const std::uint32_t to = cursor.position();
  cursor.seek(from);
  if (found) seek(to);
  return found;
}

bool Transport::next(runtime::EventKind wanted) {
  return look([&](replay::Cursor& cursor) { return cursor.next(wanted); });
}
bool Transport::previous(runtime::EventKind wanted) {
  return look([&](replay::Cursor& cursor) { return cursor.previous(wanted); });
}

bool Transport::next_of_selection() { return of_selection(true); }
bool Transport::previous_of_selection() { return of_selection(false); }

bool Transport::for_selection(std::uint32_t event) const {
  const auto& r = document_->recording();
  const std::uint32_t row = selection_->current().row;
  using runtime::EventKind;
  if (selection_->current().kind == ItemKind::Edge) {
    const auto kind = static_cast<EventKind>(r.events.kind[event]);
    const bool of_edges = kind == EventKind::EdgeAdd || kind == EventKind::EdgeReduce || kind == EventKind::EdgeLost;
    if (of_edges) return r.events.subject[event] == row;
    // What the edge does for its ends: counted by the consumer, given back to the producer.
    const bool counted = kind == EventKind::WaitCount && r.events.subject[event] == r.edges.consumer[row] &&
                         r.events.object[event] == r.edges.producer[row];
    const bool pinned = (kind == EventKind::PinClaim || kind == EventKind::PinRelease) &&
                        r.events.subject[event] == r.edges.producer[row] && r.events.object[event] == r.edges.consumer[row];
    return counted || pinned;
  }
  const std::uint32_t task = replay::task_of_event(r, event);
  return task != kNoRow && r.tasks.call_site[task] == row;
}

bool Transport::of_selection(bool forward) {
  if (document_ == nullptr || selection_ == nullptr) return false;
  const Item item = selection_->current();
  return look([&](replay::Cursor& cursor) {
    switch (item.kind) {
      case ItemKind::Scope: return forward ? cursor.next_of_scope(item.row, true) : cursor.previous_of_scope(item.row, true);
      case ItemKind::Tensor: return forward ? cursor.next_of_tensor(item.row) : cursor.previous_of_tensor(item.row);
      case ItemKind::Edge:
      case ItemKind::CallSite: {
        const auto matches = [this](std::uint32_t event) { return for_selection(event); };
        return forward ? cursor.next_if(matches) : cursor.previous_if(matches);
      }
      default: break;
    }
    const std::uint32_t task = selection_->row(ItemKind::Task);
    if (task == kNoRow) return false;
    return forward ? cursor.next_of_task(task) : cursor.previous_of_task(task);
  });
}

void Transport::faster() { speed_ = std::min(speed_ + 1, kSpeeds.size() - 1); }
void Transport::slower() { speed_ = speed_ == 0 ? 0 : speed_ - 1; }

std::string Transport::add_breakpoint(std::string_view text) {
  if (document_ == nullptr) return "open a recording first";
  if (breakpoints_.size() == kMaxBreakpoints) return fmt::format("there can be {} breakpoints", kMaxBreakpoints);
  try {
    replay::Breakpoint breakpoint = replay::parse_breakpoint(document_->cursor(), text);
    const auto same = [&](const StopPoint& point) { return point.breakpoint.text == breakpoint.text; };
    if (const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(), same); found != breakpoints_.end()) {
      found->enabled = true;
      return {};
    }
    breakpoints_.push_back({std::move(breakpoint), true});
    return {};
  } catch (const replay::QueryError& error) {
    return error.what();
  }
}

void Transport::remove_breakpoint(std::size_t index) {
  if (index >= breakpoints_.size()) return;
  run_.reset();
  breakpoints_.erase(breakpoints_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::vector<std::string> Transport::suggested_breakpoints() const {
  std::vector<std::string> out;
  if (document_ == nullptr || selection_ == nullptr) return out;
  const auto& r = document_->recording();
  const auto name = [&](std::uint32_t task) { return replay::task_row_name(r, task); };
  if (const std::uint32_t edge = selection_->row(ItemKind::Edge); edge != kNoRow)
    out.push_back(fmt::format("edge:{}->{}", name(r.edges.producer[edge]), name(r.edges.consumer[edge])));
  if (const std::uint32_t task = selection_->row(ItemKind::Task); task != kNoRow) {
    out.push_back(fmt::format("task:{}", name(task)));
    out.push_back(fmt::format("task:{} = consumed", name(task)));
  }
  if (const std::uint32_t scope = selection_->row(ItemKind::Scope); scope != kNoRow)
    out.push_back(fmt::format("scope:{}", scope));
  if (const std::uint32_t tensor = selection_->row(ItemKind::Tensor); tensor != kNoRow)
    out.push_back(fmt::format("tensor={}", tensor));
  return out;
}

void Transport::run(bool forward) {
  if (document_ == nullptr) return;
  go_to(target());
  playing_ = false;
  run_points_.clear();
  std::vector<replay::Breakpoint> points;
  for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
    if (!breakpoints_[i].enabled) continue;
    run_points_.push_back(i);
    points.push_back(breakpoints_[i].breakpoint);
  }
  stopped_at_.clear();
  if (points.empty()) {
    stopped_at_ = "there is no breakpoint to run to: add one in the Events panel";
    return;
  }
  run_ = std::make_unique<replay::BreakpointRun>(document_->cursor(), std::move(points), forward);
}

void Transport::run_on(std::uint32_t budget) {
  const auto hit = run_->advance(budget);
  if (hit) {
    const replay::Breakpoint& point = breakpoints_[run_points_[hit->breakpoint]].breakpoint;
    stopped_at_ = hit->change ? replay::change_text(document_->recording(), *point.watch, *hit->change) : point.text;
  } else if (run_->over()) {
    stopped_at_ = run_->forward() ? "no breakpoint was hit up to the end" : "no breakpoint was hit back to the start";
  }
  if (run_->over()) run_.reset();
  moved();
}

void Transport::tick(double seconds, std::uint32_t budget) {
  if (document_ == nullptr) return;
  if (wish_) go_to(*wish_);
  if (running()) run_on(budget);
  if (!playing_) return;
  owed_ += std::min(seconds, 0.25) * speed();  // after a stall, go on rather than jump
  const auto events = static_cast<std::uint32_t>(owed_);
  if (events == 0) return;
  owed_ -= events;
  go_to(position() + std::min(events, size() - position()));
  if (position() == size()) playing_ = false;
}

void Transport::go_to(std::uint32_t position) {
  wish_.reset();
  if (position == document_->cursor().position()) return;
  document_->cursor().seek(position);
  moved();
}

void Transport::moved() {
  // A selected event follows the cursor; any other selection is what the user wants to watch, and stays.
  if (selection_ != nullptr && selection_->current().kind == ItemKind::Event && current_event() != kNoRow) {
    selection_->select({ItemKind::Event, current_event()}, false);
  }
}

}  // namespace depscope::viewers
