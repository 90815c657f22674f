// The Memory panel's strips: the slots of a ring, and the addresses of its heap.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "depscope/viewers/widgets.h"
#include "memory_panel.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

constexpr float kNarrow = 4.0F;  // pixels below which slots become ranges
constexpr float kRange = 44.0F;  // pixels that a range has at least
constexpr float kFold = 3.0F;    // pixels below which blocks join

bool is_marked(const Context& context, std::uint32_t task, ImU32& colour) {
  if (context.comparison == nullptr) return false;
  const Mark mark = context.comparison->mark(ItemKind::Task, task);
  colour = context.comparison->colour(mark);
  return mark != Mark::Same;
}

std::string states_words(const SlotCell& cell) {
  std::string words;
  for (std::size_t state = 0; state < cell.in_state.size(); ++state) {
    if (cell.in_state[state] == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", cell.in_state[state],
                         runtime::task_state_name(static_cast<TaskState>(state)));
  }
  return words;
}

/// The states with the letters that stand for them in narrow cells.
void draw_state_legend(const Context& context) {
  constexpr std::array<std::string_view, 5> kNames{"P pending", "R ready", "X running", "C completed", "Z consumed"};
  std::array<LegendEntry, 5> entries{};
  const auto states = colour::state_legend();
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {states[i + 1].colour, kNames[i], states[i + 1].meaning};
  legend(context, "state", entries, true);
  side_legend(context, true);
}

/// Sizes come with the first events of a run; before them nothing is wrong with the recording.
std::string not_told(const Context& context, std::string_view what) {
  return context.transport.position() == 0 ? fmt::format("the first events tell {}", what)
                                           : fmt::format("the recording does not tell {}", what);
}

}  // namespace

void MemoryPanel::draw_pointer(Context& context, Canvas& canvas, float x, float edge, bool above, const char* name,
                               const std::string& words) {
  const float half = context.theme.px(4);
  const float reach = context.theme.px(7) * (above ? -1.0F : 1.0F);
  canvas.triangle({x - half, edge + reach}, {x + half, edge + reach}, {x, edge}, colour::cursor_line());
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float right = canvas.origin().x + canvas.size().x;
  const float left =
      x + half + width + context.theme.px(6) < right ? x + half + context.theme.px(2) : x - half - width - context.theme.px(2);
  const float top = above ? edge - ImGui::GetFontSize() - context.theme.px(1) : edge + context.theme.px(1);
  canvas.label({std::max(left, canvas.origin().x), top}, width + 1, colour::cursor_line(), words);
  if (context.elements.recording()) {
    context.elements.add(fmt::format("memory/pointer {}", name), {x - half, std::min(edge, edge + reach)},
                         {x + half, std::max(edge, edge + reach)}, words);
  }
}

void MemoryPanel::draw_slots(Context& context) {
  const replay::RingUse& use = view_.use;
  ImGui::PushFont(context.theme.bold);
  text(fmt::format("Slots of ring {}", ring_));
  ImGui::PopFont();
  ImGui::SameLine();
  const std::uint32_t seen = tasks_.slots_seen(ring_);
  text(use.slots > 0
           ? fmt::format("{} of {} taken; this run uses slots 0 to {}", view_.taken.size(), grouped(view_.slots), seen - 1)
           : fmt::format("{} taken; {}", view_.taken.size(), not_told(context, "how many there are")),
       colour::dim());
  if (context.show_legends) draw_state_legend(context);
  const float edge = context.theme.px(17);
  const float height = context.theme.px(24);
  Canvas canvas(context.cost, "slots", {ImGui::GetContentRegionAvail().x, height + 2 * edge});
  canvas.navigate(&slots_axis_, nullptr, false);
  const float top = canvas.origin().y + edge;
  const auto x_of = [&](double slot) { return canvas.origin().x + slots_axis_.to_pixel(slot); };
  const auto slot_pixels = static_cast<float>(1.0 / slots_axis_.per_pixel());
  std::uint32_t per_cell = 1;
  if (slot_pixels < kNarrow * context.theme.scale) {
    while (static_cast<float>(per_cell) * slot_pixels < kRange * context.theme.scale) per_cell *= 2;
  }
  const auto first = static_cast<std::uint32_t>(std::max(0.0, slots_axis_.begin()));
  const auto last = static_cast<std::uint32_t>(std::clamp(std::ceil(slots_axis_.end()), 0.0, static_cast<double>(view_.slots)));
  for (const SlotCell& cell : slot_cells(view_, context.document->cursor().state(), first, last, per_cell))
    draw_slot_cell(context, canvas, cell, top, height);
  // next is the slot that the next task gets; the watermark the oldest one that is not given back.
  draw_pointer(context, canvas, x_of(view_.next_slot + 0.5), top, true, "next", fmt::format("next {}", use.next));
  draw_pointer(context, canvas, x_of(view_.watermark_slot + 0.5), top + height, false, "watermark",
               fmt::format("watermark {}", use.watermark));
  canvas.end();
}

void MemoryPanel::draw_slot_cell(Context& context, Canvas& canvas, const SlotCell& cell, float top, float height) {
  const float x0 = canvas.origin().x + slots_axis_.to_pixel(cell.first);
  const float x1 = canvas.origin().x + slots_axis_.to_pixel(cell.last) - 1.0F;
  const ImVec2 min(x0, top);
  const ImVec2 max(x1, top + height);
  const Document& document = *context.document;
  const float middle = top + (height - ImGui::GetFontSize()) * 0.5F;
  std::string words;
  if (!cell.single()) {
    float left = x0;
    for (std::size_t state = 0; state < cell.in_state.size(); ++state) {
      if (cell.in_state[state] == 0) continue;
      const float width = (x1 - x0) * static_cast<float>(cell.in_state[state]) / static_cast<float>(cell.last - cell.first);
      canvas.box({left, top}, {left + std::max(width, 1.0F), max.y},
                 colour::with_alpha(colour::state(static_cast<TaskState>(state)), 120));
      left += width;
    }
    canvas.frame(min, max, colour::grid());
    if (cell.taken > 0)
      canvas.label({x0 + context.theme.px(4), middle}, x1 - x0 - context.theme.px(4), colour::text(), grouped(cell.taken));
    words = fmt::format("slots {} to {}: {} taken{}{}", cell.first, cell.last - 1, cell.taken, cell.taken > 0 ? ": " : "",
                        states_words(cell));
  } else if (cell.taken == 0) {
    canvas.frame(min, max, colour::grid());
    words = fmt::format("slot {}: free", cell.first);
  } else {
    const TaskState state = cell.state();
    const ImU32 hue = colour::state(state);
    canvas.box(min, max, colour::with_alpha(hue, 90));
    ImU32 border = hue;
    const bool marked = is_marked(context, cell.task, border);
    const bool selected = context.selection.is(ItemKind::Task, cell.task);
    canvas.frame(min, max, selected ? colour::text() : border, 0.0F, selected || marked ? context.theme.px(2) : 1.0F);
    const float room = x1 - x0 - context.theme.px(6);
    std::string name = fitting_task_name(document, cell.task, room - context.theme.px(14));
    const std::string letter(1, state_letter(state));
    name = name.empty() ? letter : letter + " " + name;
    const float width = ImGui::CalcTextSize(name.c_str()).x;
    if (width <= room + context.theme.px(4))
      canvas.label({x0 + (x1 - x0 - width) * 0.5F, middle}, width + 1, colour::text(), name);
    words = fmt::format("slot {}: {}, {}", cell.first, document.task_label(cell.task), runtime::task_state_name(state));
    if (marked) words += ", " + context.comparison->words(context.comparison->mark(ItemKind::Task, cell.task));
  }
  if (context.elements.recording()) context.elements.add(fmt::format("memory/slot {}", cell.first), min, max, words);
  const ImVec2 mouse(canvas.origin().x + canvas.mouse().x, canvas.origin().y + canvas.mouse().y);
  if (!canvas.hovered() || mouse.x < x0 || mouse.x >= x1 + 1.0F || mouse.y < top || mouse.y >= max.y) return;
  if (cell.single() && cell.taken > 0) {
    hover_task(context, cell.task, false);
  } else {
    ImGui::SetTooltip("%s", words.c_str());
  }
  if (canvas.clicked() && cell.taken > 0) context.selection.select({ItemKind::Task, cell.task});
}

void MemoryPanel::draw_heap(Context& context) {
  const replay::RingUse& use = view_.use;
  ImGui::PushFont(context.theme.bold);
  text(fmt::format("Heap of ring {}", ring_));
  ImGui::PopFont();
  ImGui::SameLine();
  std::string words = count_of(view_.heap.size(), "block");
  if (use.heap_used) words += fmt::format(", {} used", bytes_words(static_cast<std::uint64_t>(*use.heap_used)));
  if (view_.largest_free) {
    words += fmt::format(" of {}; largest free run {}", bytes_words(view_.heap_bytes), bytes_words(*view_.largest_free));
  } else {
    words += "; " + not_told(context, "how large it is");
  }
  if (use.heap_wrapped) words += "; wrapped: allocations go on at byte 0";
  text(words, colour::dim());
  if (context.elements.recording()) context.elements.add_item("memory/heap", words);
  const float edge = context.theme.px(17);
  const float height = context.theme.px(24);
  Canvas canvas(context.cost, "heap", {ImGui::GetContentRegionAvail().x, height + 2 * edge});
  canvas.navigate(&heap_axis_, nullptr, false);
  const float top = canvas.origin().y + edge;
  const auto x_of = [&](double byte) { return canvas.origin().x + heap_axis_.to_pixel(byte); };
  canvas.frame({x_of(0), top}, {x_of(static_cast<double>(view_.heap_bytes)), top + height}, colour::grid());
  const auto least =
      static_cast<std::uint64_t>(std::max(1.0, heap_axis_.per_pixel() * static_cast<double>(kFold * context.theme.scale)));
  const auto begin = static_cast<std::uint64_t>(std::max(0.0, heap_axis_.begin()));
  const auto end = static_cast<std::uint64_t>(std::max(0.0, heap_axis_.end()));
  for (const HeapCell& cell : heap_cells(view_.heap, begin, end, least)) draw_heap_cell(context, canvas, cell, top, height);
  draw_pointer(context, canvas, x_of(static_cast<double>(use.heap_top)), top, true, "top",
               fmt::format("top {}", grouped(static_cast<std::uint64_t>(use.heap_top))));
  draw_pointer(context, canvas, x_of(static_cast<double>(use.heap_tail)), top + height, false, "tail",
               fmt::format("tail {}", grouped(static_cast<std::uint64_t>(use.heap_tail))));
  canvas.end();
}

void MemoryPanel::draw_heap_cell(Context& context, Canvas& canvas, const HeapCell& cell, float top, float height) {
  const Document& document = *context.document;
  const replay::HeapBlock& block = view_.heap[cell.first];
  const float x0 = canvas.origin().x + heap_axis_.to_pixel(static_cast<double>(cell.begin));
  const float x1 = std::max(x0 + 1.0F, canvas.origin().x + heap_axis_.to_pixel(static_cast<double>(cell.end)) - 1.0F);
  const ImVec2 min(x0, top);
  const ImVec2 max(x1, top + height);
  const ImU32 hue = colour::state(block.state);
  canvas.box(min, max, colour::with_alpha(hue, cell.count > 1 ? 140 : 90));
  const float middle = top + (height - ImGui::GetFontSize()) * 0.5F;
  std::string words;
  if (cell.count == 1) {
    ImU32 border = hue;
    const bool marked = is_marked(context, block.task, border);
    const bool selected = context.selection.is(ItemKind::Task, block.task);
    canvas.frame(min, max, selected ? colour::text() : border, 0.0F, selected || marked ? context.theme.px(2) : 1.0F);
    const float left = std::max(x0, canvas.origin().x);
    const float room = std::min(x1, canvas.origin().x + canvas.size().x) - left - context.theme.px(8);
    const std::string letter(1, state_letter(block.state));
    std::string name = fmt::format("{} {}  {}", letter, document.task_label(block.task), bytes_words(block.end - block.begin));
    if (ImGui::CalcTextSize(name.c_str()).x > room)
      name = letter + " " + fitting_task_name(document, block.task, room - context.theme.px(14));
    if (name.size() == 2) name = letter;
    const float width = ImGui::CalcTextSize(name.c_str()).x;
    if (width <= room + context.theme.px(4)) canvas.label({left + context.theme.px(4), middle}, width + 1, colour::text(), name);
    words = fmt::format("{}, {}, bytes {} to {}, {}", document.task_label(block.task), bytes_words(block.end - block.begin),
                        block.begin, block.end, runtime::task_state_name(block.state));
  } else {
    words = fmt::format("{} blocks, bytes {} to {}", cell.count, cell.begin, cell.end);
  }
  if (context.elements.recording()) context.elements.add(fmt::format("memory/block of task {}", block.task), min, max, words);
  const ImVec2 mouse(canvas.origin().x + canvas.mouse().x, canvas.origin().y + canvas.mouse().y);
  if (!canvas.hovered() || mouse.x < x0 || mouse.x >= x1 + 1.0F || mouse.y < top || mouse.y >= max.y) return;
  if (cell.count == 1) {
    hover_task(context, block.task, true);
  } else {
    ImGui::SetTooltip("%s", words.c_str());
  }
  if (canvas.clicked()) context.selection.select({ItemKind::Task, block.task});
}

}  // namespace depscope::viewers
