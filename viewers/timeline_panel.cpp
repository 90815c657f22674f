#include "timeline_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr std::string_view kFit = "Fit the timeline";
constexpr std::string_view kZoom = "Zoom to the selection";
constexpr std::string_view kByEvent = "Logical time or event positions";

/// The next of 1, 2, 5, 10, 20, 50, … from `least` on, at least 1: time and positions are whole numbers.
double round_step(double least) {
  double step = 1.0;
  for (int i = 0; step < least && i < 64; ++i) step *= i % 3 == 1 ? 2.5 : 2.0;
  return step;
}

}  // namespace

void TimelinePanel::add_actions(Context& c) {
  c.actions.add("Timeline", std::string(kFit), "Shift+Z", [this] { fit_ = true; });
  c.actions.add("Timeline", std::string(kZoom), "Shift+X", [this, &c] { zoom_to_selection(c); });
  c.actions.add("Timeline", std::string(kByEvent), "Shift+E", [this] { set_by_event(!by_event_); });
}

void TimelinePanel::opened(Context& context) {
  for (auto& side : sides_) side.reset();
  for (PixelColumns& columns : columns_) columns = {};
  rows_ = {};  // which are asked for before they are made anew, as the lanes in view are when they are copied
  rows_stale_ = fit_ = true;
  scroll_ = 0.0;
  seen_selection_ = context.selection.revision();
  if (context.document != nullptr) prepare(context);
}

/// Makes the sides that are missing: a comparison may begin, end or be turned while a recording is open.
void TimelinePanel::prepare(Context& context) {
  Document* const here = context.document;
  Document* const there = context.comparison == nullptr ? nullptr : &context.comparison->there();
  const auto shows = [](const std::unique_ptr<TimelineSide>& side, const Document* document) {
    return (side == nullptr ? nullptr : side->document) == document;
  };
  if (shows(sides_[0], here) && shows(sides_[1], there)) return;
  if (sides_[1] != nullptr && sides_[1]->document == here) std::swap(sides_[0], sides_[1]);
  if (!shows(sides_[0], here)) sides_[0] = std::make_unique<TimelineSide>(*here);
  if (!shows(sides_[1], there)) sides_[1] = there == nullptr ? nullptr : std::make_unique<TimelineSide>(*there);
  // Measured times of both stand on one axis.
  if (sides_[1] != nullptr && sides_[0]->unit_us != 0 && sides_[1]->unit_us != 0)
    sides_[1]->scale.factor = sides_[1]->unit_us / sides_[0]->unit_us;
  if (sides_[0] != nullptr) sides_[0]->scale.factor = 1.0;
  for (PixelColumns& columns : columns_) columns = {};
  rows_stale_ = fit_ = true;
}

void TimelinePanel::set_by_event(bool by_event) {
  if (by_event == by_event_) return;
  // What is in the middle stays there, with its surroundings.
  if (sides_[0] != nullptr && sides_[0]->scale.events() > 0 && !fit_) {
    TimelineScale& scale = sides_[0]->scale;
    const std::uint32_t first = scale.first_at(axis_.begin());
    const std::uint32_t last = std::max(first + 1, scale.position_at(axis_.end()));
    fit_ = first == 0 && last == scale.events();
    scale.by_event = by_event;
    const double begin = scale.of_event(first);
    const double end = scale.of_event(last);
    axis_.limit(0.0, std::max(1.0, scale.end()), 1.0);
    axis_.show(begin, std::max(end, begin + 1.0));
  }
  by_event_ = by_event;
}

void TimelinePanel::show_all() {
  double end = 1.0;
  for (const auto& side : sides_) end = side == nullptr ? end : std::max(end, side->scale.end());
  axis_.show(-0.02 * end, 1.02 * end);
}

void TimelinePanel::zoom_to_selection(const Context& context) {
  if (sides_[0] == nullptr) return;
  const TimelineSide& side = *sides_[0];
  const Item& item = context.selection.current();
  const std::uint32_t task = context.selection.row(ItemKind::Task);
  double begin = 0.0;
  double end = 0.0;
  if (item.kind == ItemKind::Scope) {
    begin = side.scale.of_event(side.document->moments().scope_begin[item.row]);
    end = side.scale.of_event(side.document->moments().scope_end[item.row]);
  } else if (task != kNoRow && side.lifetimes.slot(task).born()) {
    const Life life = side.lifetimes.buffer(task);
    begin = side.scale.of_event(life.begin[0]);
    end = side.scale.of_event(life.end());
  } else if (item.kind == ItemKind::Event) {
    begin = end = side.scale.of_event(item.row);
  } else {
    return;
  }
  const double margin = std::max((end - begin) * 0.1, by_event_ ? 5.0 : 1.0);
  axis_.show(begin - margin, end + margin);
  fit_ = false;
}

void TimelinePanel::reveal_selection(const Context& context) {
  const TimelineSide& side = *sides_[0];
  const std::uint32_t task = context.selection.row(ItemKind::Task);
  if (task == kNoRow || !side.lifetimes.slot(task).born()) return;
  // In sight already, wherever of the task it is: nothing moves.
  const Life life = side.lifetimes.buffer(task);
  const double begin = side.scale.of_event(life.begin[0]);
  if (side.scale.of_event(life.end()) < axis_.begin() || begin > axis_.end()) axis_.reveal(begin);
  const auto row_of = [&](std::uint32_t bar) { return bar == kNoRow ? kNoRow : rows_.row_of_lane(0, side.lanes.lane_of(bar)); };
  const std::uint32_t rows[] = {row_of(side.lanes.slot_bar(task)), row_of(side.lanes.core_bar(task))};
  const auto visible = [&](std::uint32_t row) {
    if (row == kNoRow) return false;
    const TimelineRow& r = rows_.all()[row];
    return r.top >= scroll_ && r.top + static_cast<double>(r.height) <= scroll_ + static_cast<double>(last_height_);
  };
  // Cores that are folded do not show it.
  const bool on_core = visible(rows[1]) && rows_.all()[rows[1]].kind == TimelineRowKind::Lane;
  if (visible(rows[0]) || on_core || rows[0] == kNoRow) return;
  scroll_ = rows_.all()[rows[0]].top - static_cast<double>(last_height_) * 0.5;
}

PixelRange TimelinePanel::range(const Layout& layout) const {
  return {axis_.begin(), (axis_.end() - axis_.begin()) / static_cast<double>(layout.width), layout.width};
}

float TimelinePanel::row_y(const Layout& layout, const TimelineRow& row) const {
  return layout.lanes.y + static_cast<float>(row.top - scroll_);
}

void TimelinePanel::scroll_by(float pixels, float room) {
  scroll_ = std::clamp(scroll_ + static_cast<double>(pixels), 0.0, std::max(0.0, rows_.height() - static_cast<double>(room)));
}

void TimelinePanel::draw(Context& context) {
  const auto& recording = context.document->recording();
  if (recording.events.rows() == 0) {
    empty_state(
        "This recording has no events, so nothing has a time. Run the program again without --stop-after, so that its tasks are "
        "executed: depscope run PROGRAM -o FILE.depscope");
    return;
  }
  prepare(context);
  draw_toolbar(context);

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float bar_width = ImGui::GetStyle().ScrollbarSize;
  Layout layout;
  layout.names = at;
  layout.names_width = std::min(context.theme.px(132), room.x * 0.3F);
  layout.ruler_height = ImGui::GetTextLineHeight() + context.theme.px(8);
  layout.width = std::max(room.x - layout.names_width - bar_width, 1.0F);
  layout.height = std::max(room.y - layout.ruler_height, 1.0F);
  layout.ruler = {at.x + layout.names_width, at.y};
  layout.lanes = {layout.ruler.x, layout.ruler.y + layout.ruler_height};
  layout.names.y = layout.lanes.y;
  last_height_ = layout.height;

  const float line = ImGui::GetTextLineHeight();
  if (rows_stale_ || row_scale_ != line) {
    const RowHeights heights{line + context.theme.px(3), line + context.theme.px(3), line * 2.0F + context.theme.px(6)};
    rows_.build(sides_[0].get(), sides_[1].get(), folded_, heights);
    rows_stale_ = false;
    row_scale_ = line;
  }
  double end = 1.0;
  for (auto& side : sides_) {
    if (side == nullptr) continue;
    side->scale.by_event = by_event_;
    end = std::max(end, side->scale.end());
  }
  axis_.resize(layout.width);
  axis_.limit(0.0, end, by_event_ ? 4.0 : 1.0);
  if (fit_) show_all();
  fit_ = false;
  if (context.selection.revision() != seen_selection_) {
    seen_selection_ = context.selection.revision();
    reveal_selection(context);
  }
  scroll_by(0.0F, layout.height);

  draw_ruler(context, layout);
  ImGui::SetCursorScreenPos(layout.lanes);
  Canvas canvas(context.cost, "lanes", {layout.width, layout.height});
  const bool held = ImGui::IsItemActive();
  if (!ImGui::GetIO().KeyCtrl) canvas.navigate(&axis_, nullptr, false);
  if (held && (ImGui::IsMouseDragging(ImGuiMouseButton_Left) || ImGui::IsMouseDragging(ImGuiMouseButton_Middle)))
    scroll_by(-ImGui::GetIO().MouseDelta.y, layout.height);
  // Ctrl and wheel scroll, also over the names.
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over_names = ImGui::IsWindowHovered() && mouse.x >= layout.names.x && mouse.x < layout.lanes.x &&
                          mouse.y >= layout.lanes.y && mouse.y < layout.lanes.y + layout.height;
  if (over_names || (canvas.hovered() && ImGui::GetIO().KeyCtrl))
    scroll_by(-ImGui::GetIO().MouseWheel * 3.0F * line, layout.height);

  layout.first_row = rows_.row_at(scroll_);
  layout.last_row =
      std::min(rows_.row_at(scroll_ + static_cast<double>(layout.height)) + 1, static_cast<std::uint32_t>(rows_.all().size()));
  fold_rows(context, layout);
  Pointed pointed;
  draw_rows(context, canvas, layout, pointed);
  draw_holder_lines(context, canvas, layout);
  draw_cursors(context, canvas, layout);
  canvas.end();
  take_input(context, canvas, layout, pointed);
  if (canvas.hovered() && !held) draw_tooltip(context, layout, pointed);
  draw_names(context, layout);
  draw_scrollbar(context, layout);
}

void TimelinePanel::draw_toolbar(Context& context) {
  action_button(context, "Fit", kFit);
  ImGui::SameLine();
  action_button(context, "Selection", kZoom);
  ImGui::SameLine();
  const bool measured = context.document->cursor().measured();
  action_button(context,
                by_event_ ? "Event positions###by-event" : (measured ? "Measured time###by-event" : "Logical time###by-event"),
                kByEvent);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const TimelineSide& shown = *sides_[0];
  text(fmt::format("{} to {} of {}{}", axis_number(std::max(0.0, axis_.begin())),
                   axis_number(std::min(axis_.end(), shown.scale.end())), axis_number(shown.scale.end()),
                   by_event_ || shown.unit_us == 0 ? "" : " us"),
       colour::dim());
  if (context.document->cursor().measured()) {
    ImGui::SameLine();
    text("measured in a real run", colour::dim());
    tooltip_for_item(
        "Submits, dispatches, starts and ends of blocks were measured. When a task was ready is worked out from its producers, "
        "and a submit that is not recorded is shown as late as it can have been. What keeps slots and buffers is not recorded.");
  } else if (!context.document->cursor().full()) {
    ImGui::SameLine();
    text("a summary: not all is told", colour::warning());
    tooltip_for_item(
        "The recording has the events of level summary. Run again with --events full to see every block on its core, what the "
        "schedulers do, and every reference.");
  }
  if (!context.show_legends) return;
  if (!measured) legend(context, "slots and buffers", colour::lifetime_legend());
  side_legend(context, true);
}

void TimelinePanel::draw_ruler(Context& context, const Layout& layout) {
  ImGui::SetCursorScreenPos(layout.ruler);
  Canvas canvas(context.cost, "ruler", {layout.width, layout.ruler_height});
  const TimelineScale& scale = sides_[0]->scale;
  const PixelRange shown = range(layout);
  if (ImGui::IsItemActive()) {
    const double x = std::floor(shown.to_scale(canvas.mouse().x) + 0.5);
    context.transport.seek(scale.position_at(x));
  }
  context.elements.add("timeline/ruler", layout.ruler, {layout.ruler.x + layout.width, layout.ruler.y + layout.ruler_height});
  const std::uint32_t position = context.transport.position();
  const std::uint32_t event = context.transport.current_event();
  const std::uint32_t time = event == kNoRow ? 0 : context.document->recording().events.time[event];
  const TimelineSide& side = *sides_[0];
  const std::string label = side.unit_us == 0 ? fmt::format("time {}, event {}", time, position)
                                              : fmt::format("{:.2f} us, event {}", time * side.unit_us, position);
  const float label_width = ImGui::CalcTextSize(label.c_str()).x;
  const float cursor_x = layout.ruler.x + shown.to_pixel(scale.of_position(position));
  const float pad = context.theme.px(3);
  const float label_left = std::clamp(cursor_x - label_width * 0.5F, layout.ruler.x + pad,
                                      std::max(layout.ruler.x + pad, layout.ruler.x + layout.width - label_width - pad));
  const float text_y = layout.ruler.y + context.theme.px(3);
  const float bottom = layout.ruler.y + layout.ruler_height;

  // Measured times have round numbers of nanoseconds.
  const double fine = by_event_ || side.unit_us == 0 ? 1.0 : side.unit_us * 1000.0;
  const double step = round_step(shown.per_pixel * static_cast<double>(context.theme.px(80)) * fine) / fine;
  for (double x = std::max(0.0, std::ceil(shown.begin / step) * step); x <= std::min(shown.end(), scale.end()); x += step) {
    const float pixel = layout.ruler.x + shown.to_pixel(x);
    canvas.line({pixel, bottom - context.theme.px(4)}, {pixel, bottom}, colour::dim());
    const std::string tick = axis_number(x);
    const float width = ImGui::CalcTextSize(tick.c_str()).x;
    const float left = pixel - width * 0.5F;
    const bool covered = left < label_left + label_width + 2.0F * pad && left + width > label_left - 2.0F * pad;
    const bool cut = left < layout.ruler.x || left + width > layout.ruler.x + layout.width;
    if (!covered && !cut) canvas.label({left, text_y}, width + 1.0F, colour::dim(), tick);
  }
  const bool in_view = cursor_x >= layout.ruler.x && cursor_x <= layout.ruler.x + layout.width;
  canvas.label({label_left, text_y}, label_width + 1.0F, in_view ? colour::cursor_line() : colour::dim(), label, nullptr);
  context.elements.add("timeline/cursor", {label_left, text_y}, {label_left + label_width, bottom}, label);
  canvas.end();
}

void TimelinePanel::draw_names(Context& context, const Layout& layout) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 far_corner(layout.names.x + layout.names_width, layout.names.y + layout.height);
  ImGui::PushClipRect(layout.names, far_corner, true);
  for (std::uint32_t i = layout.first_row; i < layout.last_row; ++i) {
    const TimelineRow& row = rows_.all()[i];
    const float top = row_y(layout, row);
    const bool foldable = row.kind != TimelineRowKind::Lane;
    const std::string name = row_name(context, row, false);
    const float text_top = top + (ImGui::GetTextLineHeight() > row.height ? 0.0F : context.theme.px(1));
    if (foldable) {
      ImGui::SetCursorScreenPos({layout.names.x, top});
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::InvisibleButton("fold", {layout.names_width, row.height})) {
        folded_.flip(row.group);
        rows_stale_ = true;
      }
      tooltip_for_item(folded_.test(row.group) ? "Click to unfold" : "Click to fold");
      const bool hovered = ImGui::IsItemHovered();
      ImGui::PopID();
      if (hovered) list.AddRectFilled({layout.names.x, top}, {far_corner.x, top + row.height}, colour::selected_row());
      if (row.kind == TimelineRowKind::Header) {
        const float size = ImGui::GetFontSize() * 0.3F;
        const ImVec2 middle(layout.names.x + size * 1.6F, top + row.height * 0.5F);
        if (folded_.test(row.group)) {
          list.AddTriangleFilled({middle.x - size * 0.7F, middle.y - size}, {middle.x - size * 0.7F, middle.y + size},
                                 {middle.x + size * 0.8F, middle.y}, colour::dim());
        } else {
          list.AddTriangleFilled({middle.x - size, middle.y - size * 0.7F}, {middle.x + size, middle.y - size * 0.7F},
                                 {middle.x, middle.y + size * 0.8F}, colour::dim());
        }
      }
    }
    const float indent = ImGui::GetFontSize() * (row.kind == TimelineRowKind::Lane ? 1.4F : 1.1F);
    const ImU32 colour = row.kind == TimelineRowKind::Lane ? colour::dim() : colour::text();
    list.AddText({layout.names.x + indent, text_top}, colour, name.c_str());
    if (row.kind == TimelineRowKind::Ready || row.kind == TimelineRowKind::Running) {
      const StepCurve& curve =
          row.kind == TimelineRowKind::Ready ? sides_[row.side]->curves.ready : sides_[row.side]->curves.running;
      const float width = ImGui::CalcTextSize(name.c_str()).x + ImGui::GetFontSize() * 0.6F;
      const std::string most = fmt::format("max {}", curve.most());
      if (!folded_.test(row.group)) {
        list.AddText({layout.names.x + indent, text_top + ImGui::GetTextLineHeight()}, colour::dim(), most.c_str());
      } else if (indent + width + ImGui::CalcTextSize(most.c_str()).x <= layout.names_width) {
        list.AddText({layout.names.x + indent + width, text_top}, colour::dim(), most.c_str());
      }
    }
    if (context.elements.recording() && row.kind == TimelineRowKind::Header) {
      context.elements.add("timeline/" + row_name(context, row, true), {layout.names.x, top}, {far_corner.x, top + row.height},
                           row_text(context, row));
    }
  }
  ImGui::PopClipRect();
}

void TimelinePanel::draw_scrollbar(const Context& context, const Layout& layout) {
  const double most = rows_.height() - static_cast<double>(layout.height);
  if (most <= 0.0) return;
  const float width = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 at(layout.lanes.x + layout.width, layout.lanes.y);
  const float grab = std::clamp(layout.height * static_cast<float>(static_cast<double>(layout.height) / rows_.height()),
                                ImGui::GetFontSize() * 1.5F, layout.height);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("rows-scrollbar", {width, layout.height});
  float top = static_cast<float>(scroll_ / most) * (layout.height - grab);
  const float mouse = ImGui::GetIO().MousePos.y - at.y;
  if (ImGui::IsItemActivated()) grab_offset_ = mouse >= top && mouse <= top + grab ? mouse - top : grab * 0.5F;
  if (ImGui::IsItemActive() && layout.height > grab) {
    top = std::clamp(mouse - grab_offset_, 0.0F, layout.height - grab);
    scroll_ = most * static_cast<double>(top / (layout.height - grab));
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImGuiCol part = ImGui::IsItemActive()    ? ImGuiCol_ScrollbarGrabActive
                        : ImGui::IsItemHovered() ? ImGuiCol_ScrollbarGrabHovered
                                                 : ImGuiCol_ScrollbarGrab;
  list.AddRectFilled(at, {at.x + width, at.y + layout.height}, ImGui::GetColorU32(ImGuiCol_ScrollbarBg));
  list.AddRectFilled({at.x + context.theme.px(2), at.y + top}, {at.x + width - context.theme.px(2), at.y + top + grab},
                     ImGui::GetColorU32(part), context.theme.px(3));
}

void TimelinePanel::take_input(Context& context, Canvas& canvas, const Layout& layout, const Pointed& pointed) {
  if (!canvas.clicked() && !canvas.double_clicked()) return;
  const double x = range(layout).to_scale(canvas.mouse().x);
  if (pointed.bar == kNoRow) {
    if (canvas.clicked()) context.transport.seek(sides_[0]->scale.position_at(std::floor(x + 0.5)));
    return;
  }
  const TimelineRow& row = rows_.all()[pointed.row];
  const TimelineSide& side = *sides_[row.side];
  const Lane& lane = side.lanes.lanes()[row.lane];
  const std::uint32_t begin = side.lanes.bars().begin[pointed.bar];
  if (canvas.double_clicked() && pointed.count > 1) {
    const PixelRange shown = range(layout);
    const double half = shown.per_pixel * static_cast<double>(shown.pixels) / 16.0;
    axis_.show(x - half, x + half);
    return;
  }
  if (row.side != 0) return;  // the selection and the cursor are those of the recording that is shown
  const Item item = bar_item(side, lane, pointed.bar);
  if (item.kind != ItemKind::None) {
    context.selection.select(item);
    seen_selection_ = context.selection.revision();  // it is in view
  }
  if (!canvas.double_clicked()) return;
  std::uint32_t event = begin;
  if (lane.kind == LaneKind::Slots || lane.kind == LaneKind::Buffers) {
    const Life life = side.life(lane.kind, item.row);
    const std::uint32_t position = std::max(side.scale.position_at(x), begin + 1);
    event = life.begin[static_cast<std::size_t>(life.at(position))];
  }
  context.transport.seek(event + 1);
}

void TimelinePanel::save(Settings& settings) const {
  settings.set("timeline.by_event", by_event_);
  std::vector<std::string> folded;
  for (std::uint8_t group = 0; group < kTimelineGroups; ++group) {
    if (folded_.test(group)) folded.push_back(timeline_group_name(group));
  }
  settings.set("timeline.folded", folded);
}

void TimelinePanel::restore(const Settings& settings) {
  set_by_event(settings.truth("timeline.by_event", by_event_));
  folded_.reset();
  for (const std::string& name : settings.list("timeline.folded")) {
    if (const auto group = timeline_group_from_name(name)) folded_.set(*group);
  }
  rows_stale_ = true;
}

}  // namespace depscope::viewers
