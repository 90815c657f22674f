#include "depscope/viewers/timeline_lanes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "depscope/replay/cursor.h"
#include "depscope/replay/event_sets.h"
#include "depscope/runtime/submission.h"

namespace depscope::viewers {
namespace {

using replay::kNever;
using runtime::EventKind;

/// How much an event says about what a scheduler thread is doing: its run of events is named after the one that says most.
int weight(EventKind kind) {
  switch (kind) {
    case EventKind::Error: return 9;
    case EventKind::Complete: return 8;
    case EventKind::Dispatch: return 7;
    case EventKind::Ready: return 6;
    case EventKind::Consume: return 5;
    case EventKind::Release: return 4;
    case EventKind::Watermark:
    case EventKind::Place: return 3;
    case EventKind::Observe:
    case EventKind::PinRelease: return 2;
    default: return 1;
  }
}

/// Bars of one lane while they are collected.
struct Draft {
  Lane lane;
  LaneBars bars;

  void add(std::uint32_t begin, std::uint32_t end, std::uint32_t item, std::uint32_t detail) {
    // A recording may contradict itself; lanes stay in order all the same.
    if (!bars.begin.empty()) {
      std::uint32_t& last = bars.end.back();
      if (begin < bars.begin.back()) return;
      last = std::min(last, begin);
    }
    bars.begin.push_back(begin);
    bars.end.push_back(std::max(begin, end));
    bars.item.push_back(item);
    bars.detail.push_back(detail);
  }
};

/// A block in one of the two places of a core.
struct Place {
  std::uint32_t task = kNoRow, block = kNoRow;
  std::uint32_t begin = kNever;  // kNever while it waits for the block before it
};

struct Core {
  Draft draft;
  std::array<Place, 2> places;  // running, pending
};

}  // namespace

/// What one pass over the events finds.
struct TimelineLanes::Found {
  Draft submits{{.kind = LaneKind::Submits}, {}};
  Draft waits{{.kind = LaneKind::Waits}, {}};
  std::vector<Draft> scopes, schedulers;
  std::vector<Core> cores;
  std::array<std::vector<Draft>, runtime::kRingCount> slots, buffers;

  void core_event(const recording::EventsTable& events, std::uint32_t e, bool full);
  void close_submit() {
    if (submit_begin != kNever) submits.add(submit_begin, submit_end, submit_task, submit_begin);
    submit_begin = kNever;
    submit_task = kNoRow;
  }
  std::uint32_t submit_begin = kNever, submit_end = kNever, submit_task = kNoRow;
  std::uint32_t wait_begin = kNever;
};

void TimelineLanes::Found::core_event(const recording::EventsTable& events, std::uint32_t e, bool full) {
  const auto kind = static_cast<EventKind>(events.kind[e]);
  const std::uint32_t number = events.object[e];
  if (number == kNoRow) return;
  // A summary has no places: the first block of a task stands for all.
  const bool begins = kind == (full ? EventKind::Place : EventKind::Dispatch);
  const bool ends = kind == (full ? EventKind::Finish : EventKind::Complete);
  if (!begins && !ends && kind != EventKind::Observe) return;
  if (number >= cores.size()) cores.resize(number + std::size_t{1});
  Core& core = cores[number];
  if (!full) {
    if (begins) {
      core.draft.add(e, kNever, events.subject[e], kNoRow);
    } else if (ends) {
      // Two blocks may be on the core; the second one ends the first in `add`.
      auto& bars = core.draft.bars;
      for (std::size_t i = bars.item.size(); i-- > 0 && i + 2 >= bars.item.size();) {
        if (bars.item[i] == events.subject[e]) bars.end[i] = std::min(bars.end[i], e);
      }
    }
    return;
  }
  const std::size_t which = events.extra[e] & 1U;
  Place& place = core.places[which];
  if (begins) {
    const bool waits = which == 1 && core.places[0].task != kNoRow;
    place = {events.subject[e], static_cast<std::uint32_t>(events.new_value[e]), waits ? kNever : e};
  } else if (ends) {
    if (place.task != kNoRow) core.draft.add(place.begin == kNever ? e : place.begin, e, place.task, place.block);
    place = {};
    if (which == 0 && core.places[1].task != kNoRow && core.places[1].begin == kNever) core.places[1].begin = e;
  } else if (which == 0) {
    core.places[0] = std::exchange(core.places[1], {});
  }
}

void TimelineLanes::read_events(const Document& document, Found& found) {
  const auto& r = document.recording();
  const auto& events = r.events;
  const bool full = document.cursor().full();
  const bool blocks = full || document.cursor().measured();
  struct Run {
    std::uint32_t first = kNever, last = 0, task = kNoRow, telling = 0;
  };
  std::vector<Run> runs;
  const auto close = [&](std::size_t actor) {
    Run& run = runs[actor];
    if (run.first != kNever) found.schedulers[actor].add(run.first, run.last, run.task, run.telling);
    run = {};
  };
  for (std::uint32_t e = 0; e < events.rows(); ++e) {
    const auto kind = static_cast<EventKind>(events.kind[e]);
    const std::uint8_t actor = events.actor[e];
    found.core_event(events, e, blocks);
    if (kind == EventKind::Block) found.wait_begin = e;
    if (kind == EventKind::Unblock && found.wait_begin != kNever)
      found.waits.add(std::exchange(found.wait_begin, kNever), e, e, events.extra[e]);
    if (actor == 0) {
      const bool begins = kind == EventKind::SubmitBegin || (!full && kind == EventKind::Submit);
      if (begins || kind == EventKind::ScopeBegin || kind == EventKind::ScopeEnd || kind == EventKind::RunEnd)
        found.close_submit();
      if (begins) found.submit_begin = e;
      if (found.submit_begin != kNever) found.submit_end = e;
      if (kind == EventKind::Submit) found.submit_task = events.subject[e];
    } else if (actor != runtime::kCoreActor) {
      if (actor >= runs.size()) runs.resize(actor + std::size_t{1}), found.schedulers.resize(actor + std::size_t{1});
      Run& run = runs[actor];
      const std::uint32_t task = replay::task_of_event(r, e);
      // What a thread does between two measured moments is not among the events.
      if (run.first == kNever || run.task != task || document.cursor().measured()) {
        close(actor);
        run = {e, e, task, e};
      } else {
        run.last = e;
        if (weight(kind) > weight(static_cast<EventKind>(events.kind[run.telling]))) run.telling = e;
      }
    }
  }
  found.close_submit();
  if (found.wait_begin != kNever) found.waits.add(found.wait_begin, kNever, found.wait_begin, events.extra[found.wait_begin]);
  for (std::size_t actor = 0; actor < runs.size(); ++actor) close(actor);
  for (Core& core : found.cores) {
    for (const Place& place : core.places) {
      if (place.task != kNoRow && place.begin != kNever) core.draft.add(place.begin, kNever, place.task, place.block);
    }
  }
  const auto& moments = document.moments();
  std::vector<std::uint32_t> order;
  for (std::uint32_t scope = 0; scope < r.scopes.rows(); ++scope) {
    if (moments.scope_begin[scope] != kNever) order.push_back(scope);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return moments.scope_begin[a] < moments.scope_begin[b]; });
  for (const std::uint32_t scope : order) {
    // Deeper than any program nests: one lane for the rest.
    const std::uint32_t depth = std::min(r.scopes.depth[scope], std::uint32_t{64});
    if (depth >= found.scopes.size()) found.scopes.resize(depth + std::size_t{1});
    found.scopes[depth].add(moments.scope_begin[scope], moments.scope_end[scope], scope, kNoRow);
  }
}

void TimelineLanes::add_lives(const Document& document, const Lifetimes& lifetimes, Found& found) {
  const auto& r = document.recording();
  const auto& submitted = document.moments().submitted;
  std::vector<std::uint32_t> order;
  std::array<std::uint32_t, runtime::kRingCount> slots{};
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    if (submitted[task] == kNever) continue;
    order.push_back(task);
    std::uint32_t& most = slots[runtime::ring_of(r.tasks.id[task]) % runtime::kRingCount];
    most = std::max(most, r.tasks.slot[task] < kNever ? r.tasks.slot[task] + 1 : kNever);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return submitted[a] < submitted[b]; });
  // The rows that are free now, lowest first, and those that will be, by when.
  struct Rows {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<std::uint32_t, std::uint32_t>>,
                        std::greater<>>
        taken;
    std::uint32_t count = 0;
    std::uint32_t take(std::uint32_t begin, std::uint32_t end) {
      for (; !taken.empty() && taken.top().first <= begin; taken.pop()) free.push(taken.top().second);
      if (free.empty()) free.push(count++);
      const std::uint32_t row = free.top();
      free.pop();
      taken.emplace(std::max(end, begin), row);
      return row;
    }
  };
  std::array<Rows, runtime::kRingCount> slot_rows, buffer_rows;
  const auto add = [&](std::vector<Draft>& lanes, std::uint32_t row, const Life& life, std::uint32_t task) {
    if (row >= lanes.size()) lanes.resize(row + std::size_t{1});
    lanes[row].add(life.begin[0], life.end(), task, kNoRow);
  };
  // Which slots a real run has taken is not recorded.
  for (std::size_t ring = 0; ring < runtime::kRingCount; ++ring)
    packed_[ring] = slots[ring] > kMaxSlotLanes || document.cursor().measured();
  for (const std::uint32_t task : order) {
    const std::size_t ring = runtime::ring_of(r.tasks.id[task]) % runtime::kRingCount;
    const Life slot = lifetimes.slot(task);
    const std::uint32_t row = packed_[ring] ? slot_rows[ring].take(slot.begin[0], slot.end()) : r.tasks.slot[task];
    add(found.slots[ring], row, slot, task);
    if (!lifetimes.has_buffer(task)) continue;
    const Life buffer = lifetimes.buffer(task);
    add(found.buffers[ring], buffer_rows[ring].take(buffer.begin[0], buffer.end()), buffer, task);
  }
}

void TimelineLanes::collect(Found& found) {
  const auto add = [&](Draft& draft, LaneKind kind, std::size_t number, std::size_t row) {
    if (draft.bars.begin.empty()) return;
    lanes_.push_back({kind, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(row),
                      static_cast<std::uint32_t>(bars_.begin.size()), static_cast<std::uint32_t>(draft.bars.begin.size())});
    const auto append = [](std::vector<std::uint32_t>& to, std::vector<std::uint32_t>& from) {
      to.insert(to.end(), from.begin(), from.end());
      std::vector<std::uint32_t>().swap(from);  // a run of millions of bars is not kept twice
    };
    append(bars_.begin, draft.bars.begin);
    append(bars_.end, draft.bars.end);
    append(bars_.item, draft.bars.item);
    append(bars_.detail, draft.bars.detail);
  };
  const auto add_all = [&](std::vector<Draft>& drafts, LaneKind kind) {
    for (std::size_t i = 0; i < drafts.size(); ++i) add(drafts[i], kind, i, 0);
  };
  add(found.submits, LaneKind::Submits, 0, 0);
  add(found.waits, LaneKind::Waits, 0, 0);
  add_all(found.scopes, LaneKind::Scopes);
  add_all(found.schedulers, LaneKind::Scheduler);
  for (std::size_t core = 0; core < found.cores.size(); ++core) add(found.cores[core].draft, LaneKind::Core, core, 0);
  for (auto* rings : {&found.slots, &found.buffers}) {
    for (std::size_t ring = 0; ring < rings->size(); ++ring) {
      auto& rows = (*rings)[ring];
      for (std::size_t row = 0; row < rows.size(); ++row)
        add(rows[row], rings == &found.slots ? LaneKind::Slots : LaneKind::Buffers, ring, row);
    }
  }
}

TimelineLanes::TimelineLanes(const Document& document, const Lifetimes& lifetimes) {
  {
    Found found;
    read_events(document, found);
    add_lives(document, lifetimes, found);
    collect(found);
  }
  const std::uint32_t tasks = document.recording().tasks.rows();
  for (auto* column : {&slot_bar_, &buffer_bar_, &core_bar_}) column->assign(tasks, kNoRow);
  for (const Lane& lane : lanes_) {
    auto* column = lane.kind == LaneKind::Slots     ? &slot_bar_
                   : lane.kind == LaneKind::Buffers ? &buffer_bar_
                   : lane.kind == LaneKind::Core    ? &core_bar_
                                                    : nullptr;
    if (column == nullptr) continue;
    for (std::uint32_t bar = lane.first; bar < lane.first + lane.count; ++bar) {
      std::uint32_t& first = (*column)[bars_.item[bar]];
      if (first == kNoRow || bars_.begin[bar] < bars_.begin[first]) first = bar;
    }
  }
}

std::uint32_t TimelineLanes::lane_of(std::uint32_t bar) const {
  const auto after = std::partition_point(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.first <= bar; });
  return static_cast<std::uint32_t>(after - lanes_.begin()) - 1;
}

std::string_view TimelineLanes::missing(LaneKind kind, const replay::Cursor& cursor) {
  if (cursor.full()) return {};
  if (cursor.measured()) {
    switch (kind) {
      case LaneKind::Submits: return "measured: only the moment of each submit is used";
      case LaneKind::Scheduler: return "measured: dispatch and end of each block only";
      case LaneKind::Slots: return "measured: from submit to completion; what keeps a slot then is not recorded";
      default: return {};
    }
  }
  switch (kind) {
    case LaneKind::Submits: return "summary: only the moment of each submit is told";
    case LaneKind::Scheduler: return "summary: ready, dispatch, complete, release and consume only";
    case LaneKind::Core: return "summary: the first block of each task only";
    case LaneKind::Slots: return "summary: references other than RETAIN are not told";
    case LaneKind::Waits:
    case LaneKind::Scopes:
    case LaneKind::Buffers: return {};
  }
  return {};
}

}  // namespace depscope::viewers
