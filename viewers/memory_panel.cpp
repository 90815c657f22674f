#include "memory_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

using runtime::kRingCount;

/// One bar of the overview: how much of something is used.
struct Bar {
  std::string name;  ///< of its element
  std::int64_t used = 0, capacity = 0, most = 0;
  std::string words;  ///< in the bar
};

constexpr std::string_view kNotTold = "not told by a summary";

void draw_bar(Context& context, Canvas& canvas, const Bar& bar, ImVec2 min, ImVec2 max) {
  canvas.frame(min, max, colour::grid(), 2.0F);
  const float width = max.x - min.x;
  const auto x_of = [&](std::int64_t value) {
    const double share = static_cast<double>(value) / static_cast<double>(std::max<std::int64_t>(bar.capacity, 1));
    return min.x + static_cast<float>(std::clamp(share, 0.0, 1.0)) * width;
  };
  if (bar.capacity > 0) {
    const float used = bar.used > 0 ? std::max(x_of(bar.used), min.x + 2.0F) : min.x;
    const bool full = bar.used * 10 >= bar.capacity * 9;
    canvas.box(min, {used, max.y}, colour::with_alpha(full ? colour::warning() : colour::link(), 90), 2.0F);
    if (bar.most > 0) {
      const float x = std::max(x_of(bar.most), min.x + 2.0F);
      canvas.line({x, min.y - 1}, {x, max.y + 1}, colour::warning(), context.theme.px(1.5F));
    }
  }
  canvas.label({min.x + context.theme.px(5), min.y + (max.y - min.y - ImGui::GetFontSize()) * 0.5F}, width - context.theme.px(8),
               colour::text(), bar.words);
  if (context.elements.recording()) context.elements.add(bar.name, min, max, bar.words);
  const ImVec2 mouse(canvas.origin().x + canvas.mouse().x, canvas.origin().y + canvas.mouse().y);
  if (canvas.hovered() && mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y)
    ImGui::SetTooltip("%s", bar.words.c_str());
}

std::string slots_words(const replay::RingUse& use, std::int64_t most) {
  const std::string of = use.slots > 0 ? fmt::format(" of {}", grouped(static_cast<std::uint64_t>(use.slots))) : " slots";
  return fmt::format("{}{}, most {}", use.slots_used, of, most);
}

std::string heap_words(const replay::RingUse& use, std::int64_t most) {
  const std::string used = use.heap_used ? bytes_words(static_cast<std::uint64_t>(*use.heap_used)) : "not known";
  const std::string of = use.heap_bytes > 0 ? fmt::format(" of {}", bytes_words(static_cast<std::uint64_t>(use.heap_bytes))) : "";
  return fmt::format("{}{}, most {}", used, of, bytes_words(static_cast<std::uint64_t>(most)));
}

std::string pool_words(std::optional<std::int64_t> used, std::int64_t capacity) {
  if (!used) return std::string(kNotTold);
  return capacity > 0 ? fmt::format("{} of {}", *used, grouped(static_cast<std::uint64_t>(capacity))) : fmt::format("{}", *used);
}

std::string tensormap_words(const Document& document) {
  if (!document.cursor().full()) return std::string(kNotTold);
  const auto& state = document.cursor().state();
  const std::int64_t capacity = state.config[static_cast<std::size_t>(runtime::ConfigItem::TensorMapEntries)];
  const std::string of = capacity > 0 ? fmt::format(" of {}", grouped(static_cast<std::uint64_t>(capacity))) : " entries";
  return fmt::format("{}{}, most {}", state.tensormap_entries, of, document.moments().tensormap);
}

}  // namespace

std::string fitting_task_name(const Document& document, std::uint32_t task, float room) {
  std::string whole = document.task_label(task);
  if (ImGui::CalcTextSize(whole.c_str()).x <= room) return whole;
  std::string number = fmt::format("t{}", task);
  return ImGui::CalcTextSize(number.c_str()).x <= room ? number : std::string();
}

void MemoryPanel::add_actions(Context& c) {
  c.actions.add("Memory", "Next ring", "M", [this] { step_ring(1); });
  c.actions.add("Memory", "Previous ring", "Shift+M", [this] { step_ring(-1); });
  c.actions.add("Memory", "Show all slots and bytes", "Alt+M", [this] { show_all(); });
}

void MemoryPanel::opened(Context& context) {
  tasks_ = {};
  history_ = {};
  used_ = {};
  position_ = kNoRow;
  seen_selection_ = context.selection.revision();
  if (context.document == nullptr) return;
  const Document& document = *context.document;
  tasks_ = RingTasks(document);
  for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
    used_[ring] = !tasks_.tasks(ring).empty();
    if (used_[ring]) history_[ring] = HeapHistory(document, ring);
  }
  if (!used_[ring_]) {
    const auto first = std::find(used_.begin(), used_.end(), true);
    ring_ = first == used_.end() ? 0 : static_cast<std::uint32_t>(first - used_.begin());
  }
  events_ = document.cursor().size();
  show_all();
}

void MemoryPanel::step_ring(int direction) {
  for (std::uint32_t step = 1; step < kRingCount; ++step) {
    const std::uint32_t ring = (ring_ + (direction > 0 ? step : kRingCount - step)) % kRingCount;
    if (used_[ring]) return show_ring(ring);
  }
}

void MemoryPanel::show_ring(std::uint32_t ring) {
  if (ring == ring_ || ring >= kRingCount) return;
  ring_ = ring;
  show_all();
}

/// Everything that this run uses of the ring: large windows and heaps are mostly empty.
void MemoryPanel::show_all() {
  position_ = kNoRow;
  limits_ = {};
  const auto slots = static_cast<double>(tasks_.slots_seen(ring_) + 1);  // with the slot that `next` points to at last
  const auto bytes = static_cast<double>(std::max<std::uint64_t>(tasks_.bytes_seen(ring_), 64));
  const auto whole = [](Axis& axis, double extent, double least_extent) {
    axis.limit(0, extent, least_extent);
    axis.show(-0.008 * extent, 1.008 * extent);  // marks at the ends are whole
  };
  whole(slots_axis_, slots, 4);
  whole(heap_axis_, bytes, 64);
  whole(address_axis_, bytes, 64);
  whole(time_axis_, std::max(events_, 4.0), 4);
}

void MemoryPanel::update(Context& context) {
  if (position_ == context.transport.position()) return;
  position_ = context.transport.position();
  view_ = RingView::at(context.document->cursor(), tasks_, ring_);
  // The limits of the configuration, once they are told: one can look at what is never used, too.
  const replay::RingUse& use = view_.use;
  const auto keep = [](Axis& axis, double most, double least_extent) {
    const double begin = axis.begin();
    const double end = axis.end();
    axis.limit(0, most, least_extent);
    axis.show(begin, end);
  };
  if (use.slots > 0 && use.slots != limits_.first) keep(slots_axis_, static_cast<double>(use.slots), 4);
  if (use.heap_bytes > 0 && use.heap_bytes != limits_.second) {
    keep(heap_axis_, static_cast<double>(use.heap_bytes), 64);
    keep(address_axis_, static_cast<double>(use.heap_bytes), 64);
  }
  limits_ = {use.slots, use.heap_bytes};
}

void MemoryPanel::follow_selection(Context& context) {
  if (seen_selection_ == context.selection.revision()) return;
  seen_selection_ = context.selection.revision();
  const std::uint32_t task = context.selection.row(ItemKind::Task);
  if (task == kNoRow) return;
  const auto& tasks = context.document->recording().tasks;
  const std::uint32_t ring = runtime::ring_of(tasks.id[task]);
  if (ring >= kRingCount) return;
  show_ring(ring);
  update(context);
  if (view_.task_in(tasks.slot[task]) == task) slots_axis_.reveal(tasks.slot[task] + 0.5);
  const std::uint32_t index = history_[ring].index_of(task);
  if (index == kNoRow) return;
  const double middle = static_cast<double>(tasks.heap_begin[task]) * 0.5 + static_cast<double>(tasks.heap_end[task]) * 0.5;
  heap_axis_.reveal(middle);
  address_axis_.reveal(middle);
  time_axis_.reveal((history_[ring].begin_of(index) + static_cast<double>(history_[ring].end_of(index))) * 0.5);
}

void MemoryPanel::draw(Context& context) {
  if (context.document->recording().tasks.rows() == 0) {
    empty_state(
        "This recording has no tasks, and so no memory that they use. Run the program again without --stop-after: "
        "depscope run PROGRAM -o FILE.depscope");
    return;
  }
  if (context.document->cursor().size() == 0) {
    empty_state(
        "This recording has tasks but no events: it does not tell which slots and bytes they have when. Run the program or "
        "the trace itself: depscope run INPUT -o FILE.depscope");
    return;
  }
  if (context.document->cursor().measured()) {
    empty_state(
        "This run was measured: which slots and bytes its tasks have when is not recorded. The most that its scopes used stands "
        "in "
        "the summary of depscope import; the Timeline shows its tasks.");
    return;
  }
  follow_selection(context);
  update(context);
  draw_overview(context);
  draw_slots(context);
  draw_heap(context);
  draw_history(context);
}

void MemoryPanel::draw_overview(Context& context) {
  const float height = ImGui::GetTextLineHeight() + context.theme.px(6);
  const auto rows = static_cast<std::size_t>(std::count(used_.begin(), used_.end(), true)) + 1;
  std::string unused;
  for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
    if (!used_[ring]) unused += fmt::format("{}{}", unused.empty() ? "" : ", ", ring);
  }
  Canvas canvas(context.cost, "overview", {ImGui::GetContentRegionAvail().x, height * static_cast<float>(rows + 1)});
  const ImVec2 at = canvas.origin();
  // Columns: ring, slots, heap, dep pool, spill pool.
  const float label = context.theme.px(78);
  const float room = canvas.size().x - label;
  const std::array<float, 5> left{label, label + room * 0.24F, label + room * 0.56F, label + room * 0.78F, label + room};
  constexpr std::array<const char*, 4> kHeads{"slots", "heap", "dep pool", "spill pool"};
  for (std::size_t i = 0; i < kHeads.size(); ++i)
    canvas.label({at.x + left[i] + context.theme.px(5), at.y + context.theme.px(3)}, left[i + 1] - left[i], colour::dim(),
                 kHeads[i]);
  float top = at.y + height;
  for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
    if (!used_[ring]) continue;
    draw_ring_row(context, canvas, ring, top, height);
    top += height;
  }
  const auto& state = context.document->cursor().state();
  canvas.label({at.x + context.theme.px(5), top + context.theme.px(3)}, label, colour::dim(), "TensorMap");
  draw_bar(
      context, canvas,
      {"memory/tensormap", state.tensormap_entries, state.config[static_cast<std::size_t>(runtime::ConfigItem::TensorMapEntries)],
       context.document->moments().tensormap, tensormap_words(*context.document)},
      {at.x + left[0], top + 2}, {at.x + left[1] - context.theme.px(4), top + height - 2});
  std::string note = "the line in a bar: the most that was in use";
  if (!unused.empty()) note += fmt::format("; no tasks on ring{} {}", unused.size() > 1 ? "s" : "", unused);
  canvas.label({at.x + left[1] + context.theme.px(5), top + context.theme.px(3)}, left[4] - left[1], colour::dim(), note);
  canvas.end();
}

void MemoryPanel::draw_ring_row(Context& context, Canvas& canvas, std::uint32_t ring, float top, float height) {
  const ImVec2 at = canvas.origin();
  const float label = context.theme.px(78);
  const float room = canvas.size().x - label;
  const float gap = context.theme.px(4);
  const replay::RingUse use = replay::ring_use(context.document->cursor(), ring);
  const auto& moments = context.document->moments();
  if (ring == ring_) canvas.box({at.x, top}, {at.x + canvas.size().x, top + height}, colour::selected_row());
  canvas.label({at.x + context.theme.px(5), top + context.theme.px(3)}, label, ring == ring_ ? colour::text() : colour::link(),
               fmt::format("{} ring {}", ring == ring_ ? ">" : " ", ring));
  const auto bar = [&](float from, float to, Bar what) {
    draw_bar(context, canvas, what, {at.x + label + room * from, top + 2}, {at.x + label + room * to - gap, top + height - 2});
  };
  const std::string name = fmt::format("memory/ring {}", ring);
  bar(0.0F, 0.24F, {name + " slots", use.slots_used, use.slots, moments.slots[ring], slots_words(use, moments.slots[ring])});
  bar(0.24F, 0.56F,
      {name + " heap", use.heap_used.value_or(0), use.heap_bytes, moments.heap[ring], heap_words(use, moments.heap[ring])});
  bar(0.56F, 0.78F, {name + " dep pool", use.dep_used.value_or(0), use.dep_pool, 0, pool_words(use.dep_used, use.dep_pool)});
  bar(0.78F, 1.0F, {name + " spill pool", use.spill_used.value_or(0), use.dep_pool, 0, pool_words(use.spill_used, use.dep_pool)});
  const ImVec2 min(at.x, top);
  const ImVec2 max(at.x + canvas.size().x, top + height);
  if (context.elements.recording()) context.elements.add(name, min, max, slots_words(use, moments.slots[ring]));
  const float y = at.y + canvas.mouse().y;
  if (canvas.clicked() && y >= top && y < top + height) show_ring(ring);
}

void MemoryPanel::hover_task(Context& context, std::uint32_t task, bool bytes) const {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[task]);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32.0F);
  text(document.task_label(task));
  badge(runtime::task_state_name(state), colour::state(state));
  const std::uint64_t low = r.tasks.heap_begin[task];
  const std::uint64_t high = r.tasks.heap_end[task];
  text(fmt::format("ring {}, slot {}", runtime::ring_of(r.tasks.id[task]), r.tasks.slot[task]), colour::dim());
  text(low == high ? std::string("no bytes of the heap")
                   : fmt::format("bytes {} to {}: {}", grouped(low), grouped(high), bytes_words(high - low)));
  const auto [first, last] = document.accesses_of_task(task);
  for (std::uint32_t access = first; bytes && access < last; ++access) {
    if (static_cast<runtime::ArgKind>(r.accesses.kind[access]) != runtime::ArgKind::Output) continue;
    const std::string_view name = r.text(r.tensors.name[r.accesses.tensor[access]]);
    text(fmt::format("holds {}, argument {}", name.empty() ? "a tensor without name" : name, r.accesses.arg[access]));
  }
  const auto lines = holders_words(document, task, 6);
  if (state == runtime::TaskState::Unborn) {
    text("It is not submitted yet at the cursor.", colour::dim());
  } else if (lines.empty()) {
    text("At the cursor its slot and bytes are given back.", colour::dim());
  } else {
    text("It is still there, because", colour::dim());
    for (const std::string& line : lines) text("• " + line);
  }
  if (context.comparison != nullptr) {
    const Mark mark = context.comparison->mark(ItemKind::Task, task);
    if (mark != Mark::Same) text(context.comparison->words(mark), context.comparison->colour(mark));
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::string MemoryPanel::copy_text(const Context& context) const {
  if (context.document == nullptr) return {};
  const Document& document = *context.document;
  std::string out = fmt::format("memory at event {}\n", document.cursor().position());
  for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
    if (!used_[ring]) continue;
    const replay::RingUse use = replay::ring_use(document.cursor(), ring);
    out += fmt::format("ring {}: slots {}; heap {}; dep pool {}; spill pool {}\n", ring,
                       slots_words(use, document.moments().slots[ring]), heap_words(use, document.moments().heap[ring]),
                       pool_words(use.dep_used, use.dep_pool), pool_words(use.spill_used, use.dep_pool));
  }
  out += fmt::format("TensorMap: {}\n", tensormap_words(document));
  const RingView view = RingView::at(document.cursor(), tasks_, ring_);
  const auto& states = document.cursor().state().task_state;
  for (const TakenSlot& taken : view.taken) {
    out += fmt::format("ring {} slot {}: {}, {}\n", ring_, taken.slot, document.task_label(taken.task),
                       runtime::task_state_name(static_cast<runtime::TaskState>(states[taken.task])));
  }
  for (const replay::HeapBlock& block : view.heap)
    out += fmt::format("ring {} bytes {} to {}: {}\n", ring_, block.begin, block.end, document.task_label(block.task));
  return out;
}

std::string MemoryPanel::copy_json(const Context& context) const {
  if (context.document == nullptr) return {};
  const Document& document = *context.document;
  const auto optional = [](const auto& value) { return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(); };
  nlohmann::ordered_json out{{"position", document.cursor().position()}, {"rings", nlohmann::ordered_json::array()}};
  for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
    if (!used_[ring]) continue;
    const RingView view = RingView::at(document.cursor(), tasks_, ring);
    nlohmann::ordered_json entry{{"ring", ring},
                                 {"next", view.use.next},
                                 {"watermark", view.use.watermark},
                                 {"slots_used", view.use.slots_used},
                                 {"slots", view.use.slots},
                                 {"slots_most", document.moments().slots[ring]},
                                 {"heap_top", view.use.heap_top},
                                 {"heap_tail", view.use.heap_tail},
                                 {"heap_used", optional(view.use.heap_used)},
                                 {"heap_bytes", view.use.heap_bytes},
                                 {"heap_most", document.moments().heap[ring]},
                                 {"largest_free", optional(view.largest_free)},
                                 {"dep_used", optional(view.use.dep_used)},
                                 {"spill_used", optional(view.use.spill_used)},
                                 {"dep_pool", view.use.dep_pool}};
    auto& slots = entry["taken"] = nlohmann::ordered_json::array();
    for (const TakenSlot& taken : view.taken) slots.push_back({{"slot", taken.slot}, {"task", taken.task}});
    auto& blocks = entry["blocks"] = nlohmann::ordered_json::array();
    for (const replay::HeapBlock& block : view.heap)
      blocks.push_back({{"task", block.task}, {"begin", block.begin}, {"end", block.end}});
    out["rings"].push_back(std::move(entry));
  }
  out["tensormap"] =
      document.cursor().full() ? nlohmann::ordered_json(document.cursor().state().tensormap_entries) : nlohmann::ordered_json();
  return out.dump();
}

void MemoryPanel::save(Settings& settings) const { settings.set("memory.ring", static_cast<double>(ring_)); }

void MemoryPanel::restore(const Settings& settings) {
  show_ring(static_cast<std::uint32_t>(settings.number("memory.ring", ring_, 0, kRingCount - 1)));
}

}  // namespace depscope::viewers
