// The direction of every argument: as the callee declares it, as derived, as it is in the end, and why.
#pragma once

#include <string>

#include "depscope/viewers/directions_model.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

class DirectionsPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Directions"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "The direction of every argument: declared, derived, final, and why it was rewritten or not.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  void apply(Context& context);
  void draw_filter(Context& context);
  void draw_rows(Context& context);
  void draw_row(Context& context, std::uint32_t index);
  void draw_row_there(Context& context, std::uint32_t argument);
  void select(Context& context, const DirectionRow& row);

  std::string text_;
  std::string error_;
  bool only_rewritten_ = false;
  FilteredDirections rows_;
  RowList list_;
  std::uint64_t seen_selection_ = 0;
  bool focus_ = false;
};

}  // namespace depscope::viewers
