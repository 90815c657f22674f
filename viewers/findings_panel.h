// What is wrong: the recording's own findings, those of a check that runs on another thread, and the differences of a comparison.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "depscope/viewers/findings_model.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

class FindingsPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Findings"; }
  [[nodiscard]] Place place() const override { return Place::Bottom; }
  [[nodiscard]] std::string_view purpose() const override {
    return "What is wrong: order that is missing or false, memory that does not live long enough, deadlocks, differences.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  void check(Context& context);
  void rebuild(Context& context);
  void filter();
  void draw_tools(Context& context);
  void draw_rows(Context& context);
  void draw_row(Context& context, std::uint32_t place);
  void draw_detail(Context& context);
  void go_to(Context& context, const FindingEntry& entry, bool show);
  [[nodiscard]] static FindingPlace found_at(const Context& context, const FindingEntry& entry);
  void draw_place_there(Context& context, Item there);

  CheckJob job_;
  const replay::Comparison* compared_ = nullptr;  // whose differences are listed
  bool asked_ = false;                            // the check was started or put off for this document
  std::vector<FindingEntry> entries_;             // by severity
  std::vector<std::uint32_t> shown_;              // entries that pass the filter
  std::array<bool, 3> severities_{false, true, true};
  std::array<std::uint64_t, 3> counts_{};
  std::string text_;
  std::uint32_t open_ = kNoRow;  // entry whose details are shown
  RowList list_;
  float list_fraction_ = 0.6F;
  bool focus_ = false;
};

}  // namespace depscope::viewers
