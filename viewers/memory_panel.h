// Rings at the cursor: slots, heap, pools and the TensorMap with their marks; the heap of one ring over time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "depscope/viewers/panel.h"
#include "memory_history.h"
#include "memory_model.h"

namespace depscope::viewers {

class MemoryPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Memory"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Who has which slot and which bytes at the cursor, why, and how the heap fills over time.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  void step_ring(int direction);
  void show_ring(std::uint32_t ring);
  void show_all();
  void update(Context& context);
  void follow_selection(Context& context);

  void draw_overview(Context& context);
  void draw_ring_row(Context& context, Canvas& canvas, std::uint32_t ring, float top, float height);

  // memory_strips.cpp
  void draw_slots(Context& context);
  void draw_slot_cell(Context& context, Canvas& canvas, const SlotCell& cell, float top, float height);
  void draw_heap(Context& context);
  void draw_heap_cell(Context& context, Canvas& canvas, const HeapCell& cell, float top, float height);
  /// A triangle at `x` with a name, above the strip or below it.
  void draw_pointer(Context& context, Canvas& canvas, float x, float edge, bool above, const char* name,
                    const std::string& words);

  // memory_chart.cpp
  void draw_history(Context& context);
  void draw_history_box(Context& context, Canvas& canvas, const HeapBox& box);
  void draw_history_ticks(Context& context, ImVec2 at, ImVec2 size, float gutter);

  /// What is told of a task under the pointer.
  void hover_task(Context& context, std::uint32_t task, bool bytes) const;

  RingTasks tasks_;
  std::array<HeapHistory, runtime::kRingCount> history_;
  std::array<bool, runtime::kRingCount> used_{};  // rings with tasks
  std::uint32_t ring_ = 0;
  RingView view_;  // of ring_ at position_
  std::uint32_t position_ = kNoRow;
  std::pair<std::int64_t, std::int64_t> limits_;  // slots and bytes that the axes are limited to, 0 while they are not told
  Axis slots_axis_, heap_axis_, time_axis_, address_axis_;
  double events_ = 0.0;  // of the recording
  std::vector<HeapBox> boxes_;
  std::uint64_t seen_selection_ = 0;
};

/// "t3", or "fill t3" where there is room for it.
[[nodiscard]] std::string fitting_task_name(const Document& document, std::uint32_t task, float room);

}  // namespace depscope::viewers
