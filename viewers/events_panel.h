// The event list with filters.
#pragma once

#include <string>

#include "depscope/viewers/event_filter.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

class EventsPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Events"; }
  [[nodiscard]] Place place() const override { return Place::Bottom; }
  [[nodiscard]] std::string_view purpose() const override {
    return "Every state change of the model; move the cursor through them.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  void draw(Context& context) override;

 private:
  void draw_filter(Context& context);
  void draw_kinds(Context& context);
  bool draw_kind_boxes();
  void draw_rows(Context& context);
  void draw_row(Context& context, std::uint32_t event);
  static void draw_mark(Context& context, std::uint32_t event);
  void apply_filter(Context& context);

  std::string filter_text_;
  EventKinds kinds_ = all_event_kinds();  // chosen in the menu
  std::string filter_error_;
  FilteredEvents events_;
  RowList list_;
  std::uint32_t shown_position_ = kNoRow;  // cursor position that the list was last scrolled to
  std::uint64_t shown_selection_ = 0;
  bool focus_filter_ = false;
};

}  // namespace depscope::viewers
