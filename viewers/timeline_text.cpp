// What the timeline calls things: names of rows, labels, tooltips, and the table for the clipboard.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "depscope/viewers/widgets.h"
#include "timeline_panel.h"

namespace depscope::viewers {
namespace {

using replay::Holder;
using replay::HolderKind;
using replay::kNever;

constexpr std::size_t kMaxHoldersTold = 12;
constexpr std::size_t kMaxCopied = 20'000;  // lives in the clipboard

}  // namespace

/// "b " before what belongs to the second recording. Texts name both sides while two are open, elements only the other one.
std::string TimelinePanel::prefix(const Context& context, std::uint8_t side, bool element) const {
  if (context.comparison == nullptr || (element && side == 0)) return {};
  return std::string(side == 0 ? context.comparison->here_name() : context.comparison->there_name()) + " ";
}

std::string TimelinePanel::row_name(const Context& context, const TimelineRow& row, bool element) const {
  std::string name = prefix(context, row.side, element);
  switch (row.kind) {
    case TimelineRowKind::Ready: return name + "ready";
    case TimelineRowKind::Running: return name + "running";
    case TimelineRowKind::Header: return name + timeline_group_name(row.group);
    case TimelineRowKind::Lane: break;
  }
  const TimelineSide& side = *sides_[row.side];
  const Lane& lane = side.lanes.lanes()[row.lane];
  if (element || (lane.kind != LaneKind::Slots && lane.kind != LaneKind::Buffers)) return name + lane_name(side, lane);
  // The header above says which ring.
  return name + fmt::format("{} {}", side.lanes.packed(lane.number) || lane.kind == LaneKind::Buffers ? "row" : "slot", lane.row);
}

std::string TimelinePanel::row_text(const Context& context, const TimelineRow& row) const {
  (void)context;
  const TimelineSide& side = *sides_[row.side];
  const auto& lanes = side.lanes.lanes();
  if (row.kind == TimelineRowKind::Lane) return count_of(lanes[row.lane].count, "bar");
  std::uint32_t count = 0;
  std::string_view missing;
  for (const Lane& lane : lanes) {
    if (timeline_group_of(lane) != row.group) continue;
    ++count;
    const std::string_view told = TimelineLanes::missing(lane.kind, side.document->cursor());
    if (!told.empty()) missing = told;
  }
  std::string out = count_of(count, "lane");
  if (row.group >= kRingsGroup && (row.group - kRingsGroup) % 2 == 0 && !side.document->cursor().measured())
    out += fmt::format(
        ", at most {} in use",
        count_of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, side.curves.slots[(row.group - kRingsGroup) / 2U].most())),
                 "slot"));
  if (!missing.empty()) out += fmt::format("; {}", missing);
  return out;
}

std::string TimelinePanel::bar_label(const TimelineSide& side, const Lane& lane, std::uint32_t bar) const {
  const Document& document = *side.document;
  const auto& r = document.recording();
  const std::uint32_t item = side.lanes.bars().item[bar];
  const std::uint32_t detail = side.lanes.bars().detail[bar];
  switch (lane.kind) {
    case LaneKind::Submits: return item == kNoRow ? std::string("submit") : document.task_label(item);
    case LaneKind::Waits: {
      const auto resource = static_cast<runtime::Resource>(detail);
      const std::uint32_t ring = r.events.object[item];
      return fmt::format("waits for {}{}", runtime::resource_name(resource),
                         ring < runtime::kRingCount ? fmt::format(" of ring {}", ring) : std::string());
    }
    case LaneKind::Scopes: return document.scope_label(item);
    case LaneKind::Scheduler: {
      const std::string_view kind = runtime::event_kind_name(static_cast<runtime::EventKind>(r.events.kind[detail]));
      return item == kNoRow ? std::string(kind) : fmt::format("{} t{}", kind, item);
    }
    case LaneKind::Core:
      if (detail != kNoRow && r.tasks.block_num[item] > 1) return fmt::format("{} block {}", document.task_label(item), detail);
      return document.task_label(item);
    case LaneKind::Slots: return document.task_label(item);
    case LaneKind::Buffers:
      return fmt::format("{}, {} bytes", document.task_label(item), r.tasks.heap_end[item] - r.tasks.heap_begin[item]);
  }
  return {};
}

Item TimelinePanel::bar_item(const TimelineSide& side, const Lane& lane, std::uint32_t bar) const {
  const std::uint32_t item = side.lanes.bars().item[bar];
  if (item == kNoRow) {
    // An event that is about no task, or a submit that got none.
    return {ItemKind::Event, side.lanes.bars().detail[bar]};
  }
  if (lane.kind == LaneKind::Scopes) return {ItemKind::Scope, item};
  if (lane.kind == LaneKind::Waits) return {ItemKind::Event, item};
  return {ItemKind::Task, item};
}

/// Measured times in microseconds, with as many digits as tell two units apart.
std::string TimelinePanel::axis_number(double x) const {
  const double unit_us = sides_[0]->unit_us;  // the axis is the first side's
  if (by_event_ || unit_us == 0) return fmt::format("{:.0f}", x);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(unit_us))), 0, 3);
  return fmt::format("{:.{}f}", x * unit_us, digits);
}

/// Where an event stands, in the unit of the axis.
std::string TimelinePanel::at_text(const TimelineSide& side, std::uint32_t event) const {
  return event >= side.scale.events() ? std::string("end") : axis_number(side.scale.of_event(event));
}

std::string TimelinePanel::segments_text(const TimelineSide& side, const Life& life) const {
  if (side.document->cursor().measured() && life.born())
    return fmt::format("submitted {}, completed {}", at_text(side, life.begin[0]), at_text(side, life.end()));
  std::string out;
  for (std::size_t segment = 0; segment < kLifeSegments; ++segment) {
    if (life.begin[segment] == kNever) continue;
    const std::string name(life_segment_name(static_cast<LifeSegment>(segment)));
    const std::string begin = at_text(side, life.begin[segment]);
    if (segment + 1 == kLifeSegments) {
      out += fmt::format("{}{} from {}", out.empty() ? "" : ", ", name, begin);
      continue;
    }
    const std::string end = at_text(side, life.begin[segment + 1]);
    if (begin != end) out += fmt::format("{}{} {}..{}", out.empty() ? "" : ", ", name, begin, end);
  }
  return out;
}

std::string TimelinePanel::held_by_text(const TimelineSide& side, LaneKind kind, std::uint32_t task, std::uint32_t position,
                                        bool at_cursor) const {
  const auto holders = at_cursor ? replay::holders_of(side.document->cursor(), task) : side.lifetimes.holders(task, position);
  const Document& document = *side.document;
  std::string out;
  std::size_t told = 0;
  for (const Holder& holder : holders) {
    if (told == kMaxHoldersTold) {
      out += fmt::format("\nand {} more", holders.size() - told);
      break;
    }
    ++told;
    switch (holder.kind) {
      case HolderKind::Unfinished: out += "\nheld by itself: it has not completed"; break;
      case HolderKind::Scope:
        out += fmt::format("\nheld by {} until {}", document.scope_label(holder.scope),
                           at_text(side, side.lifetimes.scope_release(task)));
        break;
      case HolderKind::Consumer: {
        const bool retain = (document.recording().edges.flags_final[holder.edge] & runtime::kRetain) != 0;
        out += fmt::format("\nheld by {} ({}) until {}", document.task_label(holder.task),
                           retain ? "RETAIN" : "WAIT, until wired", at_text(side, side.lifetimes.held_to(holder.edge)));
        break;
      }
      case HolderKind::OlderTask:
        out += holder.task == kNoRow ? std::string("\nheld by the ring: the watermark is on its way")
                                     : fmt::format("\nheld by an older task of the ring: {}", document.task_label(holder.task));
        break;
      case HolderKind::HeapTail:
        if (kind == LaneKind::Buffers) out += "\nheld by the heap's tail: the orchestrator has not moved it yet";
        break;
    }
  }
  if (out.empty()) out = "\nheld by nothing";
  return out;
}

std::string TimelinePanel::bar_tooltip(Context& context, const TimelineSide& side, const Lane& lane, std::uint32_t bar, double x,
                                       double within) const {
  const auto& r = side.document->recording();
  const LaneBars& bars = side.lanes.bars();
  const std::uint32_t item = bars.item[bar];
  const std::string unit = by_event_ ? "positions" : (sides_[0]->unit_us == 0 ? "time" : "us");
  std::string out = bar_label(side, lane, bar);
  if (lane.kind == LaneKind::Slots || lane.kind == LaneKind::Buffers) {
    const Life life = side.life(lane.kind, item);
    const std::uint32_t last = std::min(life.end(), side.scale.events() - 1);
    // The moment under the pointer, within the bar.
    const std::uint32_t position =
        std::clamp(side.scale.position_at(x), life.begin[0] + 1, std::max(life.begin[0] + 1, last + 1));
    const LifeSegment segment = life.at(position);
    const std::uint32_t cursor = context.transport.position();
    const bool at_cursor =
        side.document == context.document && std::abs(side.scale.of_position(cursor) - x) <= within && cursor > life.begin[0];
    const std::uint32_t asked = at_cursor ? cursor : position;
    if (side.document->cursor().measured())
      return out + fmt::format("\nring {}\n{}: {}", lane.number, unit, segments_text(side, life));
    out += fmt::format("\nslot {} of ring {}, {}\n{}: {}", r.tasks.slot[item], lane.number,
                       side.document->scope_label(r.tasks.scope[item]), unit, segments_text(side, life));
    out += fmt::format("\n{}: {}", at_cursor ? "at the cursor" : "at the pointer", life_segment_name(life.at(asked)));
    if (segment != LifeSegment::Reused) out += held_by_text(side, lane.kind, item, asked, at_cursor);
    return out;
  }
  out += fmt::format("\n{} {} to {}", unit, at_text(side, bars.begin[bar]), at_text(side, bars.end[bar]));
  if (lane.kind == LaneKind::Core) {
    out += fmt::format("\ncore {}", lane.number);
    if (r.tasks.block_num[item] > 1) out += fmt::format(", {} in all", count_of(r.tasks.block_num[item], "block"));
  }
  if (lane.kind == LaneKind::Scheduler) {
    out += fmt::format("\n{} from event {} on", count_of(bars.end[bar] - bars.begin[bar] + 1, "event"), bars.begin[bar]);
  }
  if (lane.kind == LaneKind::Waits) out += "\n" + replay::describe_event(r, item);
  const std::string_view missing = TimelineLanes::missing(lane.kind, side.document->cursor());
  if (!missing.empty()) out += fmt::format("\n{}", missing);
  return out;
}

void TimelinePanel::draw_tooltip(Context& context, const Layout& layout, const Pointed& pointed) {
  if (pointed.row == kNoRow) return;
  const TimelineRow& row = rows_.all()[pointed.row];
  std::string words;
  if (row.kind == TimelineRowKind::Header) {
    words = row_name(context, row, false) + ": " + row_text(context, row);
  } else if (row.kind == TimelineRowKind::Lane && pointed.bar != kNoRow) {
    const TimelineSide& side = *sides_[row.side];
    const Lane& lane = side.lanes.lanes()[row.lane];
    const PixelRange shown = range(layout);
    const double x = shown.to_scale(ImGui::GetIO().MousePos.x - layout.lanes.x);
    const double within = shown.per_pixel * static_cast<double>(context.theme.px(2));
    if (pointed.count > 1) words = fmt::format("{} folded here: zoom in, or click twice\n", pointed.count);
    words += prefix(context, row.side, false) + bar_tooltip(context, side, lane, pointed.bar, x, within);
    const Mark marked = mark(context, row, bar_item(side, lane, pointed.bar));
    if (marked == Mark::OnlyHere && row.side != 0) {
      words += fmt::format("\nonly in {}", context.comparison->there_name());
    } else if (marked != Mark::Same) {
      words += "\n" + context.comparison->words(marked);
    }
  }
  if (words.empty()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 34.0F);
  text(words);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

/// What the other recording has of a bar's task.
Mark TimelinePanel::mark(const Context& context, const TimelineRow& row, Item item) const {
  if (context.comparison == nullptr || item.kind != ItemKind::Task) return Mark::Same;
  if (row.side == 0) return context.comparison->mark(item.kind, item.row);
  const auto& only = context.comparison->rows(ItemKind::Task).only_there;
  if (std::binary_search(only.begin(), only.end(), item.row)) return Mark::OnlyHere;
  const std::uint32_t here = context.comparison->counterpart_there(ItemKind::Task, item.row);
  return here == kNoRow ? Mark::Same : context.comparison->mark(item.kind, here);
}

/// Calls f(side, task) for the slots in view, row by row, at most kMaxCopied times; returns how many there are in all.
template <class F>
std::size_t TimelinePanel::for_lives(F&& f) const {
  std::size_t count = 0;
  const auto& rows = rows_.all();
  for (std::uint32_t i = rows_.row_at(scroll_); i < rows.size() && rows[i].top < scroll_ + static_cast<double>(last_height_);
       ++i) {
    if (rows[i].kind != TimelineRowKind::Lane) continue;
    const TimelineSide& side = *sides_[rows[i].side];
    const Lane& lane = side.lanes.lanes()[rows[i].lane];
    if (lane.kind != LaneKind::Slots) continue;
    const LaneView view = side.view(lane);
    std::uint32_t bar = gallop(0, lane.count, [&](std::uint32_t b) { return bar_end(view, side.scale, b) >= axis_.begin(); });
    for (; bar < lane.count && bar_begin(view, side.scale, bar) <= axis_.end(); ++bar) {
      if (count++ < kMaxCopied) f(side, rows[i].side, side.lanes.bars().item[lane.first + bar]);
    }
  }
  return count;
}

std::string TimelinePanel::copy_text(const Context& context) const {
  std::string out;
  const std::size_t count = for_lives([&](const TimelineSide& side, std::uint8_t which, std::uint32_t task) {
    const auto& r = side.document->recording();
    out += fmt::format("{}{}: ring {} slot {}, {}: {}\n", prefix(context, which, false), side.document->task_label(task),
                       runtime::ring_of(r.tasks.id[task]), r.tasks.slot[task],
                       by_event_ ? "positions" : (sides_[0]->unit_us == 0 ? "time" : "us"),
                       segments_text(side, side.lifetimes.slot(task)));
  });
  if (count > kMaxCopied) out += fmt::format("and {} more\n", count - kMaxCopied);
  return out;
}

std::string TimelinePanel::copy_json(const Context& context) const {
  nlohmann::ordered_json lives = nlohmann::ordered_json::array();
  const std::size_t count = for_lives([&](const TimelineSide& side, std::uint8_t which, std::uint32_t task) {
    const auto& r = side.document->recording();
    const Life life = side.lifetimes.slot(task);
    nlohmann::ordered_json one;
    if (context.comparison != nullptr)
      one["side"] = which == 0 ? context.comparison->here_name() : context.comparison->there_name();
    one["task"] = task;
    one["name"] = side.document->task_label(task);
    one["ring"] = runtime::ring_of(r.tasks.id[task]);
    one["slot"] = r.tasks.slot[task];
    for (std::size_t segment = 0; segment < kLifeSegments; ++segment) {
      nlohmann::ordered_json moment;  // null where the segment never begins
      if (life.begin[segment] != kNever) {
        moment["time"] = r.events.time[life.begin[segment]];
        moment["position"] = life.begin[segment] + 1;
      }
      one[std::string(life_segment_name(static_cast<LifeSegment>(segment)))] = std::move(moment);
    }
    lives.push_back(std::move(one));
  });
  if (count == 0) return {};
  nlohmann::ordered_json out;
  out["lifetimes"] = std::move(lives);
  out["left_out"] = count > kMaxCopied ? count - kMaxCopied : 0;
  return out.dump();
}

}  // namespace depscope::viewers
