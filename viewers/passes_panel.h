// The passes, and the program before and after one of them, side by side; or after one of them in two recordings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code_view.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/program_text.h"
#include "pass_sides.h"

namespace depscope::viewers {

class PassesPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Passes"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override { return "What each pass made of the program, line by line."; }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  void draw(Context& context) override;

 private:
  void show_pass(Context& context, std::uint32_t pass);
  void step_pass(Context& context, int direction, bool changed_only);
  void step_function(int direction);
  void step_change(Context& context, int direction);
  void scroll_to(const Context& context, std::uint32_t row, float room);
  void draw_side(Context& context, bool after, ImVec2 size);
  [[nodiscard]] std::string summary_of_changes(const Context& context) const;
  [[nodiscard]] std::string changed_elsewhere(std::string_view word) const;
  void rebuild(Context& context);
  void rebuild_rows();
  void follow(Context& context, std::string_view name);
  void reveal_call_site(Context& context);
  void draw_list(Context& context, float width);
  void draw_list_row(Context& context, const PassRow& row);
  void draw_heading(Context& context, const PassText& side, bool after, float width);
  [[nodiscard]] bool comparing(const Context& context) const;
  [[nodiscard]] PassSides sides(const Context& context) const;
  void show_there(std::uint32_t pass);
  void draw_toolbar(Context& context);
  void draw_legend(Context& context);
  void draw_sides(Context& context);

  std::uint32_t pass_ = kNoRow;
  std::uint32_t there_ = kNoRow;  // a pass that only the other recording has, shown instead of pass_
  std::vector<PassRow> list_;     // what the list shows
  bool in_both_ = false;          // the pass in both recordings instead of before and after it
  bool was_swapped_ = false;
  const Comparison* compared_ = nullptr;  // in the last call of opened()
  std::string function_;                  // empty: the whole program
  ShownTexts shown_;
  TextDiff diff_;
  std::vector<CodeRow> rows_;
  LineStyle style_{true, true};
  bool only_changes_ = false;
  bool stale_ = true;       // texts must be compared again
  bool rows_stale_ = true;  // what is shown of the comparison must be chosen again
  bool reveal_first_change_ = false;
  std::string followed_;        // base name, empty if none
  std::vector<bool> mentions_;  // per pass: its text has the followed name
  CodeScroll scroll_;
  float before_scroll_[2] = {0, 0}, after_scroll_[2] = {0, 0};
  std::size_t change_ = 0;
  CodeClick click_;       // what was clicked in this frame
  bool stacked_ = false;  // before above after, for long lines
  float text_width_ = 0;  // pixels of one side in the last frame
  std::uint64_t seen_selection_ = 0;
  float list_fraction_ = 0.26F;
  float half_fraction_ = 0.5F;
  bool scroll_list_ = false;
};

}  // namespace depscope::viewers
