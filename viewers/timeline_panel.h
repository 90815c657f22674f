// Lanes over logical time: orchestrator, schedulers, cores, and the life of slots and buffers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "depscope/viewers/panel.h"
#include "depscope/viewers/timeline_rows.h"

namespace depscope::viewers {

class TimelinePanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Timeline"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Orchestrator, schedulers and cores over time, and how long slots and buffers live.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  /// Where things are in this frame; pixels of the screen.
  struct Layout {
    ImVec2 names, ruler, lanes;  // top left corners
    float names_width = 0.0F, width = 0.0F, ruler_height = 0.0F, height = 0.0F;
    float least = 3.0F;  // bars below it are folded
    float least_label = 36.0F;
    float least_detail = 0.0F;                  // lives from this width on have all their parts
    float least_segments = 0.0F;                // narrower ones have their segments, those below it one colour
    std::uint32_t curve_step = 1;               // pixels that one value of a curve stands for
    std::uint32_t first_row = 0, last_row = 0;  // rows in view
  };
  /// What the pointer is over.
  struct Pointed {
    std::uint32_t row = kNoRow;
    std::uint32_t bar = kNoRow;  // bars row of the side
    std::uint32_t count = 0;     // bars of the record that was drawn there
  };

  // timeline_panel.cpp: what is shown, and input
  void prepare(Context& context);
  void show_all();
  void zoom_to_selection(const Context& context);
  void set_by_event(bool by_event);
  void reveal_selection(const Context& context);
  void draw_toolbar(Context& context);
  void draw_ruler(Context& context, const Layout& layout);
  void draw_names(Context& context, const Layout& layout);
  void draw_scrollbar(const Context& context, const Layout& layout);
  void take_input(Context& context, Canvas& canvas, const Layout& layout, const Pointed& pointed);
  void scroll_by(float pixels, float room);
  [[nodiscard]] PixelRange range(const Layout& layout) const;
  [[nodiscard]] float row_y(const Layout& layout, const TimelineRow& row) const;

  // timeline_draw.cpp: the lanes
  void fold_rows(const Context& context, Layout& layout);
  void draw_rows(Context& context, Canvas& canvas, const Layout& layout, Pointed& pointed);
  void draw_lane(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row, Pointed& pointed);
  void draw_bar(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row, const FoldedBar& record);
  void draw_life(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row, const FoldedBar& record);
  void draw_curve(Context& context, Canvas& canvas, const Layout& layout, const TimelineRow& row, const StepCurve& curve,
                  std::string_view name, ImU32 colour);
  void draw_holder_lines(Context& context, Canvas& canvas, const Layout& layout);
  void draw_cursors(Context& context, Canvas& canvas, const Layout& layout);

  // timeline_text.cpp: what things are called
  [[nodiscard]] std::string prefix(const Context& context, std::uint8_t side, bool element) const;
  [[nodiscard]] std::string row_name(const Context& context, const TimelineRow& row, bool element) const;
  [[nodiscard]] std::string row_text(const Context& context, const TimelineRow& row) const;
  [[nodiscard]] std::string bar_label(const TimelineSide& side, const Lane& lane, std::uint32_t bar) const;
  [[nodiscard]] Item bar_item(const TimelineSide& side, const Lane& lane, std::uint32_t bar) const;
  [[nodiscard]] std::string axis_number(double x) const;
  [[nodiscard]] std::string at_text(const TimelineSide& side, std::uint32_t event) const;
  [[nodiscard]] std::string segments_text(const TimelineSide& side, const Life& life) const;
  void draw_tooltip(Context& context, const Layout& layout, const Pointed& pointed);
  /// `x` is under the pointer; the cursor is there if it is not more than `within` away.
  [[nodiscard]] std::string bar_tooltip(Context& context, const TimelineSide& side, const Lane& lane, std::uint32_t bar, double x,
                                        double within) const;
  [[nodiscard]] std::string held_by_text(const TimelineSide& side, LaneKind kind, std::uint32_t task, std::uint32_t position,
                                         bool at_cursor) const;
  [[nodiscard]] Mark mark(const Context& context, const TimelineRow& row, Item item) const;
  template <class F>
  std::size_t for_lives(F&& f) const;

  std::unique_ptr<TimelineSide> sides_[2];  // here, and there when two recordings are open
  PixelColumns columns_[2];
  TimelineRows rows_;
  FoldedGroups folded_;
  bool by_event_ = false;
  Axis axis_;
  double scroll_ = 0.0;  // pixels above the view
  float last_height_ = 0.0F, last_width_ = 0.0F;
  float row_scale_ = 0.0F;  // of the heights in rows_
  bool rows_stale_ = true;
  bool fit_ = true;  // show everything in the next frame
  std::uint64_t seen_selection_ = 0;
  float grab_offset_ = 0.0F;
  // What fold_rows made of the rows in view; row i has the records from row_records_[i - first_row] on.
  std::vector<FoldedBar> records_;
  std::vector<std::uint32_t> row_records_;
  std::uint32_t ticks_left_ = 0, marks_left_ = 0;  // that this frame may still draw
};

}  // namespace depscope::viewers
