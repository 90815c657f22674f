// The Memory panel's drawing of heap addresses over time.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "depscope/viewers/widgets.h"
#include "memory_panel.h"

namespace depscope::viewers {
namespace {

constexpr std::size_t kMaxBoxes = 5000;
constexpr double kFold = 3.0;  // pixels

/// A round step for about `count` marks on an axis: 1, 2, 5 × a power of ten, or a power of two for bytes.
double round_step(double extent, double count, bool binary) {
  const double raw = std::max(extent / std::max(count, 1.0), 1.0);
  if (binary) return std::exp2(std::ceil(std::log2(raw)));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= raw) return power * factor;
  }
  return power * 10.0;
}

}  // namespace

void MemoryPanel::draw_history(Context& context) {
  const HeapHistory& history = history_[ring_];
  ImGui::PushFont(context.theme.bold);
  text("Heap addresses over time");
  ImGui::PopFont();
  ImGui::SameLine();
  text(history.tasks().empty() ? ""
                               : fmt::format("{} of ring {}; double click moves the cursor there",
                                             count_of(history.tasks().size(), "allocation"), ring_),
       colour::dim());
  if (history.tasks().empty()) {
    empty_state(fmt::format("No task of ring {} takes bytes of the heap: only tasks with OUTPUT arguments do.", ring_));
    return;
  }
  const float gutter = context.theme.px(66);
  const float below = ImGui::GetTextLineHeight() + context.theme.px(4);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(room.x - gutter, std::max(room.y - below, context.theme.px(40)));
  ImGui::SetCursorScreenPos({at.x + gutter, at.y});
  Canvas canvas(context.cost, "history", size);
  canvas.navigate(&time_axis_, &address_axis_, true);
  const double scale = static_cast<double>(context.theme.scale);
  history.boxes({time_axis_.begin(), time_axis_.end(), address_axis_.begin(), address_axis_.end(),
                 time_axis_.per_pixel() * kFold * scale, address_axis_.per_pixel() * kFold * scale},
                kMaxBoxes, boxes_);
  for (const HeapBox& box : boxes_) draw_history_box(context, canvas, box);
  const float cursor = canvas.origin().x + time_axis_.to_pixel(context.transport.position());
  canvas.line({cursor, canvas.origin().y}, {cursor, canvas.origin().y + size.y}, colour::cursor_line(), context.theme.px(1.5F));
  if (context.elements.recording()) {
    context.elements.add("memory/cursor", {cursor - 1, canvas.origin().y}, {cursor + 1, canvas.origin().y + size.y},
                         fmt::format("event {}", context.transport.position()));
  }
  if (canvas.hovered()) {
    const double position = time_axis_.to_world(canvas.mouse().x);
    const double byte = address_axis_.to_world(canvas.mouse().y);
    const std::uint32_t task = history.at(position, byte);
    if (task != kNoRow) {
      hover_task(context, task, true);
      if (canvas.clicked()) context.selection.select({ItemKind::Task, task});
    }
    if (canvas.double_clicked()) {
      context.transport.seek(
          static_cast<std::uint32_t>(std::clamp(position, 0.0, static_cast<double>(context.transport.size()))));
    }
  }
  canvas.end();
  draw_history_ticks(context, at, size, gutter);
}

void MemoryPanel::draw_history_box(Context& context, Canvas& canvas, const HeapBox& box) {
  const ImVec2 at = canvas.origin();
  const float x0 = at.x + time_axis_.to_pixel(box.begin);
  const float x1 = std::max(x0 + 1.0F, at.x + time_axis_.to_pixel(box.end) - 1.0F);
  const float y0 = at.y + address_axis_.to_pixel(static_cast<double>(box.low));
  const float y1 = std::max(y0 + 1.0F, at.y + address_axis_.to_pixel(static_cast<double>(box.high)) - 1.0F);
  if (!canvas.visible({x0, y0}, {x1, y1})) return;
  const Document& document = *context.document;
  const std::uint32_t task = history_[ring_].tasks()[box.first];
  // What is over, holds at the cursor, or is still to come.
  const std::uint32_t position = context.transport.position();
  const bool now = box.begin <= position && position < box.end;
  const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[task]);
  const ImU32 hue = now ? colour::state(state) : colour::dim();
  canvas.box({x0, y0}, {x1, y1}, colour::with_alpha(hue, now ? 100 : 46));
  std::string words;
  if (box.count == 1) {
    const bool selected = context.selection.is(ItemKind::Task, task);
    const float thickness = selected ? context.theme.px(2) : 1.0F;
    ImU32 border = selected ? colour::text() : colour::with_alpha(hue, now ? 255 : 130);
    if (!selected && context.comparison != nullptr && context.comparison->mark(ItemKind::Task, task) != Mark::Same)
      border = context.comparison->colour(context.comparison->mark(ItemKind::Task, task));
    if ((x1 - x0 >= 3.0F && y1 - y0 >= 3.0F) || selected) canvas.frame({x0, y0}, {x1, y1}, border, 0.0F, thickness);
    const float left = std::max(x0, at.x) + context.theme.px(4);
    const float room = std::min(x1, at.x + canvas.size().x) - left - context.theme.px(2);
    // The cursor's line needs no room: texts keep to one side of it.
    if (y1 - y0 >= ImGui::GetFontSize() + 2 && room > context.theme.px(16)) {
      const std::string name = fitting_task_name(document, task, room);
      const float top = std::max(y0, at.y) + context.theme.px(1);
      if (!name.empty() && std::min(y1, at.y + canvas.size().y) - top >= ImGui::GetFontSize())
        canvas.label({left, top}, room, now ? colour::text() : colour::dim(), name);
    }
    words =
        fmt::format("{}, {}, events {} to {}", document.task_label(task), bytes_words(box.high - box.low), box.begin, box.end);
  } else {
    words = fmt::format("{} allocations, events {} to {}", box.count, box.begin, box.end);
  }
  if (context.elements.recording())
    context.elements.add(fmt::format("memory/allocation of task {}", task), {x0, y0}, {x1, y1}, words);
}

void MemoryPanel::draw_history_ticks(Context& context, ImVec2 at, ImVec2 size, float gutter) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float font = ImGui::GetFontSize();
  const auto put = [&](ImVec2 where, ImU32 hue, const std::string& words) {
    if (context.cost.labels >= kMaxLabels) return;
    ++context.cost.labels;
    list.AddText(where, hue, words.c_str());
  };
  const double bytes = round_step(address_axis_.end() - address_axis_.begin(), static_cast<double>(size.y / (font * 2.2F)), true);
  for (double byte = std::max(0.0, std::ceil(address_axis_.begin() / bytes) * bytes); byte < address_axis_.end(); byte += bytes) {
    const float y = at.y + address_axis_.to_pixel(byte);
    if (y > at.y + size.y - font * 0.5F) break;
    const std::string words = bytes_words(static_cast<std::uint64_t>(byte));
    const float width = ImGui::CalcTextSize(words.c_str()).x;
    put({at.x + gutter - width - context.theme.px(6), std::max(y - font * 0.5F, at.y)}, colour::dim(), words);
    list.AddLine({at.x + gutter - context.theme.px(4), y}, {at.x + gutter, y}, colour::dim());
  }
  const float under = at.y + size.y + context.theme.px(2);
  const std::string here = fmt::format("event {}", context.transport.position());
  const float width = ImGui::CalcTextSize(here.c_str()).x;
  const float right = at.x + gutter + size.x;
  const float cursor = at.x + gutter + time_axis_.to_pixel(context.transport.position());
  const bool shown = cursor >= at.x + gutter - 1 && cursor <= right + 1;
  const float left = std::clamp(cursor - width * 0.5F, at.x + gutter, right - width);
  if (shown) put({left, under}, colour::cursor_line(), here);
  const double step = round_step(time_axis_.end() - time_axis_.begin(), static_cast<double>(size.x / (font * 8.0F)), false);
  for (double event = std::max(0.0, std::ceil(time_axis_.begin() / step) * step); event <= time_axis_.end(); event += step) {
    const float x = at.x + gutter + time_axis_.to_pixel(event);
    const std::string words = grouped(static_cast<std::uint64_t>(event));
    const float half = ImGui::CalcTextSize(words.c_str()).x * 0.5F;
    const float gap = context.theme.px(8);
    if (x + half > right || x - half < at.x + gutter - gutter * 0.5F) continue;
    if (shown && x + half + gap > left && x - half - gap < left + width) continue;
    put({x - half, under}, colour::dim(), words);
    list.AddLine({x, under - context.theme.px(3)}, {x, under}, colour::dim());
  }
  ImGui::Dummy({size.x, ImGui::GetTextLineHeight()});
}

}  // namespace depscope::viewers
