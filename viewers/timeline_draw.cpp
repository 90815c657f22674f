// The lanes of the timeline: bars, lives, curves, and what connects them.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "depscope/viewers/widgets.h"
#include "timeline_panel.h"

namespace depscope::viewers {
namespace {

// How a frame spends its primitives, at most: one for each record, more for lives that are drawn in detail, two for each column
// of a curve. Together they stay below kMaxPrimitives.
constexpr std::uint32_t kMaxRecords = 5000;
constexpr std::uint32_t kDetailBudget = 4500;
constexpr std::uint32_t kSegmentsBudget = 3000;
constexpr std::uint32_t kCurveBudget = 5000;
constexpr std::uint32_t kDetailCost = 9;  // two boxes for each of four segments, and the line until the slot is used again
constexpr std::uint32_t kSegmentsCost = 4;
constexpr std::uint32_t kMaxTicks = 800;
constexpr std::uint32_t kMaxMarks = 800;
constexpr std::uint32_t kMaxHolderLines = 150;
constexpr std::uint32_t kMaxReturns = 64;  // edges of one bar that are looked at for ticks

ImU32 segment_colour(std::size_t segment) { return colour::lifetime_legend()[segment].colour; }

/// A colour that can be written on: the text stays legible on both grounds.
ImU32 ground_of(ImU32 colour) { return colour::with_alpha(colour, 96); }

}  // namespace

/// Folds the rows in view, and the more the more there is, so that a large window stays within what a frame may draw.
void TimelinePanel::fold_rows(const Context& context, Layout& layout) {
  const PixelRange shown = range(layout);
  for (std::size_t side = 0; side < 2; ++side) {
    if (sides_[side] != nullptr) columns_[side].update(sides_[side]->scale, shown);
  }
  std::uint32_t curves = 0;
  std::uint32_t lanes = 0;
  layout.least = context.theme.px(3);
  for (int round = 0; round < 6; ++round) {
    records_.clear();
    row_records_.clear();
    curves = lanes = 0;
    for (std::uint32_t i = layout.first_row; i < layout.last_row; ++i) {
      row_records_.push_back(static_cast<std::uint32_t>(records_.size()));
      const TimelineRow& row = rows_.all()[i];
      if (row.kind != TimelineRowKind::Lane) {
        // Of headers, those of slots have a curve.
        const bool header = row.kind == TimelineRowKind::Header;
        curves += !header || (row.group >= kRingsGroup && (row.group - kRingsGroup) % 2 == 0) ? 1 : 0;
        continue;
      }
      ++lanes;
      const TimelineSide& side = *sides_[row.side];
      fold_lane(side.view(side.lanes.lanes()[row.lane]), side.scale, shown, columns_[row.side], layout.least,
                std::max(context.theme.px(92), 4.0F * layout.least), records_);
    }
    row_records_.push_back(static_cast<std::uint32_t>(records_.size()));
    if (records_.size() <= kMaxRecords) break;
    layout.least *= std::max(1.3F, static_cast<float>(records_.size()) / static_cast<float>(kMaxRecords));
  }
  layout.least_label = std::max(context.theme.px(34), static_cast<float>(lanes) * layout.width / 700.0F);
  layout.curve_step = std::max(1U, (curves * static_cast<std::uint32_t>(layout.width) * 2 + kCurveBudget - 1) / kCurveBudget);
  // The widest have all of it, as many as fit.
  std::array<std::uint32_t, 16> wider{};  // records of at least 2 ^ i pixels
  for (const FoldedBar& record : records_) {
    for (std::size_t i = 0; i < wider.size() && record.right - record.left >= static_cast<float>(1U << i); ++i) ++wider[i];
  }
  std::size_t detail = 2;
  while (detail + 1 < wider.size() && wider[detail] * kDetailCost > kDetailBudget) ++detail;
  std::size_t segments = 1;
  while (segments < detail && (wider[segments] - wider[detail]) * kSegmentsCost > kSegmentsBudget) ++segments;
  layout.least_detail = static_cast<float>(1U << detail);
  layout.least_segments = static_cast<float>(1U << segments);
  ticks_left_ = kMaxTicks;
  marks_left_ = kMaxMarks;
}

void TimelinePanel::draw_rows(Context& context, Canvas& canvas, const Layout& layout, Pointed& pointed) {
  const bool pointing = canvas.hovered();
  const float mouse = canvas.mouse().y;
  for (std::uint32_t i = layout.first_row; i < layout.last_row; ++i) {
    const TimelineRow& row = rows_.all()[i];
    const TimelineSide& side = *sides_[row.side];
    const float top = row_y(layout, row);
    const float y = top - layout.lanes.y;
    if (pointing && mouse >= y && mouse < y + row.height) pointed.row = i;
    canvas.line({layout.lanes.x, top + row.height - 0.5F}, {layout.lanes.x + layout.width, top + row.height - 0.5F},
                colour::with_alpha(colour::grid(), 110));
    switch (row.kind) {
      case TimelineRowKind::Ready:
        draw_curve(context, canvas, layout, row, side.curves.ready, "ready", colour::state(runtime::TaskState::Ready));
        break;
      case TimelineRowKind::Running:
        draw_curve(context, canvas, layout, row, side.curves.running, "running", colour::state(runtime::TaskState::Running));
        break;
      case TimelineRowKind::Header:
        canvas.box({layout.lanes.x, top}, {layout.lanes.x + layout.width, top + row.height},
                   colour::with_alpha(colour::node(), 120));
        if (row.group >= kRingsGroup && (row.group - kRingsGroup) % 2 == 0 && !side.document->cursor().measured()) {
          const std::uint32_t ring = (row.group - kRingsGroup) / 2U;
          draw_curve(context, canvas, layout, row, side.curves.slots[ring], "slots", colour::dim());
        } else {
          canvas.label({layout.lanes.x + context.theme.px(6), top + context.theme.px(1)}, layout.width - context.theme.px(12),
                       colour::dim(), row_text(context, row));
        }
        break;
      case TimelineRowKind::Lane: draw_lane(context, canvas, layout, row, pointed); break;
    }
  }
}

void TimelinePanel::draw_lane(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row, Pointed& pointed) {
  const TimelineSide& side = *sides_[row.side];
  const Lane& lane = side.lanes.lanes()[row.lane];
  const LaneView view = side.view(lane);
  const PixelRange shown = range(layout);
  const float top = row_y(layout, row);
  if (context.elements.recording()) {
    context.elements.add("timeline/" + row_name(context, row, true), {layout.lanes.x, top},
                         {layout.lanes.x + layout.width, top + row.height}, row_text(context, row));
  }
  const bool here = canvas.hovered() && pointed.row < rows_.all().size() && &rows_.all()[pointed.row] == &row;
  const float mouse = canvas.mouse().x;
  const float pad = context.theme.px(1);
  const auto index = static_cast<std::uint32_t>(&row - rows_.all().data()) - layout.first_row;
  for (std::uint32_t i = row_records_[index]; i < row_records_[index + 1]; ++i) {
    const FoldedBar& record = records_[i];
    if (here && mouse >= record.left - context.theme.px(2) && mouse <= record.right + context.theme.px(2))
      pointed.count = record.count;
    const float left = layout.lanes.x + std::max(record.left, -context.theme.px(4));
    const float right = layout.lanes.x + std::min(std::max(record.right, record.left + 1.0F), layout.width + context.theme.px(4));
    if (record.count == 1) {
      draw_bar(context, canvas, layout, row, record);
      continue;
    }
    canvas.box({left, top + pad}, {right, top + row.height - pad}, colour::with_alpha(colour::dim(), 90));
    const std::string_view noun = lane.kind == LaneKind::Scheduler ? "step"
                                  : lane.kind == LaneKind::Waits   ? "wait"
                                  : lane.kind == LaneKind::Scopes  ? "scope"
                                  : lane.kind == LaneKind::Submits ? "submit"
                                  : lane.kind == LaneKind::Core    ? "block"
                                                                   : "task";
    if (right - left > layout.least_label)
      canvas.label({left + context.theme.px(3), top + pad}, right - left - context.theme.px(4), colour::text(),
                   count_of(record.count, noun));
  }
  if (here) {
    const std::uint32_t bar = bar_at(view, side.scale, shown, mouse, context.theme.px(3));
    if (bar != kNoRow) pointed.bar = lane.first + bar;
  }
}

void TimelinePanel::draw_bar(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row,
                             const FoldedBar& record) {
  const TimelineSide& side = *sides_[row.side];
  const Lane& lane = side.lanes.lanes()[row.lane];
  const std::uint32_t bar = lane.first + record.first;
  const Item item = bar_item(side, lane, bar);
  const float pad = context.theme.px(1);
  const float top = row_y(layout, row) + pad;
  const float bottom = top + row.height - 2.0F * pad;
  const float left = layout.lanes.x + std::max(record.left, -context.theme.px(4));
  const float right = layout.lanes.x + std::min(std::max(record.right, record.left + 1.0F), layout.width + context.theme.px(4));
  ImU32 colour = 0;
  switch (lane.kind) {
    case LaneKind::Slots:
    case LaneKind::Buffers: draw_life(context, canvas, layout, row, record); break;
    case LaneKind::Submits: colour = colour::event(runtime::EventKind::Submit); break;
    case LaneKind::Waits: colour = colour::event(runtime::EventKind::Block); break;
    case LaneKind::Scopes: colour = colour::dim(); break;
    case LaneKind::Core: colour = colour::state(runtime::TaskState::Running); break;
    case LaneKind::Scheduler: {
      const std::uint32_t telling = side.lanes.bars().detail[bar];
      colour = colour::event(static_cast<runtime::EventKind>(side.document->recording().events.kind[telling]));
      break;
    }
  }
  if (colour != 0) {
    canvas.box({left, top}, {right, bottom}, ground_of(colour), context.theme.px(2));
    if (right - left >= context.theme.px(6)) canvas.line({left, top}, {left, bottom}, colour, context.theme.px(1));
  }
  const float shown_left = std::max(left, layout.lanes.x);
  const float shown_right = std::min(right, layout.lanes.x + layout.width);
  if (shown_right - shown_left > layout.least_label)
    canvas.label({shown_left + context.theme.px(3), top}, shown_right - shown_left - context.theme.px(4), colour::text(),
                 bar_label(side, lane, bar));
  const Mark marked = mark(context, row, item);
  if (marked != Mark::Same && marks_left_ > 0) {
    --marks_left_;
    const ImU32 edge = marked == Mark::Differs ? context.comparison->colour(marked)
                       : row.side == 0         ? context.comparison->here_colour()
                                               : context.comparison->there_colour();
    canvas.frame({left, top}, {right, bottom}, edge, context.theme.px(2), context.theme.px(1.5F));
  }
  const bool selected = row.side == 0 && item.kind != ItemKind::None && context.selection.is(item.kind, item.row);
  if (selected) canvas.frame({left - pad, top - pad}, {right + pad, bottom + pad}, colour::text(), 0.0F, context.theme.px(2));
  if (!context.elements.recording() || item.kind != ItemKind::Task) return;
  const std::string letter = prefix(context, row.side, true);
  if (lane.kind == LaneKind::Core) {
    context.elements.add(fmt::format("timeline/{}task {}", letter, item.row), {left, top}, {right, bottom},
                         bar_label(side, lane, bar));
  } else if (lane.kind == LaneKind::Slots || lane.kind == LaneKind::Buffers) {
    context.elements.add(
        fmt::format("timeline/{}{} of task {}", letter, lane.kind == LaneKind::Slots ? "slot" : "buffer", item.row), {left, top},
        {right, bottom}, segments_text(side, side.life(lane.kind, item.row)));
  }
}

void TimelinePanel::draw_life(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row,
                              const FoldedBar& record) {
  const TimelineSide& side = *sides_[row.side];
  const Lane& lane = side.lanes.lanes()[row.lane];
  const std::uint32_t task = side.lanes.bars().item[lane.first + record.first];
  const Life life = side.life(lane.kind, task);
  const PixelRange shown = range(layout);
  const std::uint32_t events = side.scale.events();
  const float pad = context.theme.px(1);
  const float top = row_y(layout, row) + pad;
  const float bottom = top + row.height - 2.0F * pad;
  const auto clamped = [&](float x) {
    return layout.lanes.x + std::clamp(x, -context.theme.px(4), layout.width + context.theme.px(4));
  };
  const float width = record.right - record.left;
  const bool detail = width >= layout.least_detail;
  if (width < layout.least_segments) {
    // Too many for more: the colour of the longest segment.
    std::size_t longest = 0;
    double most = -1.0;
    for (std::size_t segment = 0; segment + 1 < kLifeSegments && life.begin[segment] < events; ++segment) {
      const double length =
          side.scale.of_event(life.end_of(static_cast<LifeSegment>(segment), events)) - side.scale.of_event(life.begin[segment]);
      if (length > most) longest = segment, most = length;
    }
    canvas.box({clamped(record.left), top}, {clamped(std::max(record.right, record.left + 1.0F)), bottom},
               ground_of(segment_colour(longest)));
    return;
  }
  // Segments under a pixel are left to their neighbour, so that a bar has no more boxes than pixels.
  float from = record.left;
  for (std::size_t segment = 0; segment + 1 < kLifeSegments && life.begin[segment] < events; ++segment) {
    const std::uint32_t end = life.end_of(static_cast<LifeSegment>(segment), events);
    if (end <= life.begin[segment]) continue;
    const float to = shown.to_pixel(side.scale.of_event(end));
    if (to - from < 1.0F) continue;
    if (to >= 0.0F && from <= layout.width) {
      // Each segment is lower than the one before it, so that the order can be told without colours.
      const float inset = (bottom - top) * 0.2F * static_cast<float>(segment);
      canvas.box({clamped(from), top + inset}, {clamped(to), bottom}, ground_of(segment_colour(segment)));
      if (detail) canvas.box({clamped(from), bottom - context.theme.px(3)}, {clamped(to), bottom}, segment_colour(segment));
    }
    from = to;
  }
  if (!detail) return;
  // Given back: a thin line until the slot is used again.
  if (lane.kind == LaneKind::Slots && life.end() < events && !side.document->cursor().measured()) {
    const std::uint32_t next = record.first + 1;
    const float until = next < lane.count ? shown.to_pixel(side.scale.of_event(side.lanes.bars().begin[lane.first + next]))
                                          : shown.to_pixel(side.scale.end());
    if (until > record.right + 1.0F && record.right < layout.width && until > 0.0F)
      canvas.line({clamped(record.right), (top + bottom) * 0.5F}, {clamped(until), (top + bottom) * 0.5F},
                  colour::with_alpha(segment_colour(kLifeSegments - 1), 150));
  }
  if (width < context.theme.px(24)) return;
  // Where each RETAIN is given back.
  const auto edges = side.document->edges_of_producer().of(task);
  float drawn = -1e9F;
  for (std::size_t i = 0; i < edges.size() && i < kMaxReturns && ticks_left_ > 0; ++i) {
    if (!side.lifetimes.retains(edges[i]) || side.lifetimes.held_to(edges[i]) >= events) continue;
    const float x = shown.to_pixel(side.scale.of_event(side.lifetimes.held_to(edges[i])));
    if (x < 0.0F || x > layout.width || std::abs(x - drawn) < context.theme.px(2)) continue;
    drawn = x;
    --ticks_left_;
    canvas.line({layout.lanes.x + x, bottom - (bottom - top) * 0.45F}, {layout.lanes.x + x, bottom}, colour::text(),
                context.theme.px(1));
  }
}

void TimelinePanel::draw_curve(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row,
                               const StepCurve& curve, std::string_view name, ImU32 colour) {
  const TimelineSide& side = *sides_[row.side];
  const PixelRange shown = range(layout);
  const float top = row_y(layout, row) + context.theme.px(2);
  const float base = row_y(layout, row) + row.height - context.theme.px(2);
  const double most = static_cast<double>(std::max<std::int64_t>(1, curve.most()));
  const auto y_of = [&](std::int64_t value) {
    return base - static_cast<float>(static_cast<double>(value) / most) * (base - top);
  };
  // One value per column: the least and the most within it. Runs of equal columns are one box.
  const PixelColumns& columns = columns_[row.side];
  StepCurve::Walk walk(curve, columns.first(0));
  Extremes run;
  std::uint32_t run_begin = 0;
  bool running = false;
  const auto flush = [&](std::uint32_t end) {
    if (!running) return;
    const float left = layout.lanes.x + static_cast<float>(run_begin);
    const float right = layout.lanes.x + static_cast<float>(end);
    if (run.most > 0) canvas.box({left, y_of(run.most)}, {right, base}, colour::with_alpha(colour, 60));
    canvas.box({left, y_of(run.most) - 0.5F}, {right, std::max(y_of(run.least), y_of(run.most) + 1.0F)}, colour);
    running = false;
  };
  for (std::uint32_t column = 0; column < columns.size(); column += layout.curve_step) {
    const std::uint32_t next = std::min(column + layout.curve_step, columns.size());
    const Extremes here = walk.to(columns.first(next));
    const bool before = shown.to_scale(static_cast<float>(next)) <= 0.0;
    if (before || shown.to_scale(static_cast<float>(column)) > side.scale.end()) {
      flush(column);
    } else if (!running || here != run) {
      flush(column);
      running = true;
      run_begin = column;
      run = here;
    }
  }
  flush(columns.size());
  const std::uint32_t position = context.transport.position();
  const float line = ImGui::GetTextLineHeight();
  std::string label;
  if (canvas.hovered()) {
    const double x = shown.to_scale(canvas.mouse().x);
    if (x >= 0.0 && x <= side.scale.end() + 1.0) {
      label = fmt::format("{} {}", name, curve.at(side.scale.position_at(x)));
      const float width = ImGui::CalcTextSize(label.c_str()).x;
      const float left = std::min(canvas.mouse().x + context.theme.px(6), layout.width - width - context.theme.px(4));
      const float label_top = row_y(layout, row) + std::max(0.0F, (row.height - line) * 0.5F);
      canvas.box({layout.lanes.x + left - context.theme.px(2), label_top},
                 {layout.lanes.x + left + width + context.theme.px(2), label_top + line},
                 colour::with_alpha(colour::canvas(), 200));
      canvas.label({layout.lanes.x + left, label_top}, width + 1.0F, colour::text(), label);
    }
  }
  if (row.kind == TimelineRowKind::Header) return;
  if (context.elements.recording()) {
    const std::uint32_t at =
        row.side == 0 || context.comparison == nullptr ? position : context.comparison->position_there(position);
    context.elements.add(fmt::format("timeline/{}curve {}", prefix(context, row.side, true), name), {layout.lanes.x, top},
                         {layout.lanes.x + layout.width, base},
                         fmt::format("max {}, {} at the cursor{}{}", curve.most(), curve.at(at),
                                     label.empty() ? "" : ", at the pointer: ", label));
  }
}

void TimelinePanel::draw_holder_lines(Context& context, Canvas& canvas, const Layout& layout) {
  const TimelineSide& side = *sides_[0];
  const std::uint32_t task = context.selection.row(ItemKind::Task);
  if (task == kNoRow || side.document->cursor().measured()) return;
  // Along the upper edges of bars, where no label stands.
  const auto edge_of = [&](std::uint32_t bar) {
    return row_y(layout, rows_.all()[rows_.row_of_lane(0, side.lanes.lane_of(bar))]) + context.theme.px(1.5F);
  };
  const std::uint32_t own = side.lanes.slot_bar(task);
  if (own == kNoRow) return;
  const PixelRange shown = range(layout);
  const std::uint32_t position = context.transport.position();
  std::uint32_t drawn = 0;
  for (const std::uint32_t edge : side.document->edges_of_producer().of(task)) {
    if (drawn == kMaxHolderLines) return;
    const std::uint32_t other = side.lanes.slot_bar(side.document->recording().edges.consumer[edge]);
    if (other == kNoRow || !side.lifetimes.retains(edge)) continue;
    ++drawn;
    // From where the consumer takes it, along to where it gives it back.
    const float from = std::clamp(shown.to_pixel(side.scale.of_event(side.lifetimes.held_from(edge))), 0.0F, layout.width);
    const float to = std::clamp(shown.to_pixel(side.scale.of_event(side.lifetimes.held_to(edge))), 0.0F, layout.width);
    const bool holds = side.lifetimes.held_from(edge) < position && side.lifetimes.held_to(edge) >= position;
    const ImU32 colour = holds ? colour::flag(runtime::kRetain) : colour::with_alpha(colour::flag(runtime::kRetain), 110);
    const ImVec2 a(layout.lanes.x + from, edge_of(own));
    const ImVec2 b(layout.lanes.x + from, edge_of(other));
    canvas.line(a, b, colour, context.theme.px(1));
    canvas.line(b, {layout.lanes.x + to, b.y}, colour, context.theme.px(holds ? 2.0F : 1.0F));
    canvas.circle({layout.lanes.x + to, b.y}, context.theme.px(2.5F), colour, true);
  }
}

void TimelinePanel::draw_cursors(Context& context, Canvas& canvas, const Layout& layout) {
  const PixelRange shown = range(layout);
  const auto line = [&](const TimelineSide& side, std::uint32_t position, ImU32 colour) {
    const float x = layout.lanes.x + shown.to_pixel(side.scale.of_position(position));
    canvas.line({x, layout.lanes.y}, {x, layout.lanes.y + layout.height}, colour, context.theme.px(1.5F));
  };
  if (sides_[1] != nullptr) {
    line(*sides_[1], context.comparison->position_there(context.transport.position()),
         colour::with_alpha(context.comparison->there_colour(), 200));
  }
  line(*sides_[0], context.transport.position(), colour::cursor_line());
  if (canvas.hovered()) {
    const float x = layout.lanes.x + canvas.mouse().x;
    canvas.line({x, layout.lanes.y}, {x, layout.lanes.y + layout.height}, colour::with_alpha(colour::dim(), 90));
  }
}

}  // namespace depscope::viewers
