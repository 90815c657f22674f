// The regions that the analysis looked at: what became of each, and for those that fell back the call, the argument and the way
// that led there.
#pragma once

#include <string>
#include <vector>

#include "depscope/viewers/panel.h"
#include "depscope/viewers/regions_model.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

class RegionsPanel final : public View {
 public:
  [[nodiscard]] std::string_view title() const override { return "Regions"; }
  [[nodiscard]] Place place() const override { return Place::Main; }
  [[nodiscard]] std::string_view purpose() const override {
    return "What the analysis made of each region, where it gave up, and why; fences, scopes and carried values too.";
  }
  void add_actions(Context& context) override;
  void opened(Context& context) override;
  [[nodiscard]] std::string copy_text(const Context& context) const override;
  [[nodiscard]] std::string copy_json(const Context& context) const override;
  void save(Settings& settings) const override;
  void restore(const Settings& settings) override;
  void draw(Context& context) override;

 private:
  /// What is listed, from above: the tree, then each section of decisions with a heading.
  struct Line {
    enum class Kind : std::uint8_t { Function, Region, Heading, Fence, Scope, Carry, There } kind = Kind::Function;
    /// Of the table that the kind says; There: regions of the other recording; Heading: 0 fences, 1 scopes, 2 carried values,
    /// 3 regions of the other recording.
    std::uint32_t row = 0;
    std::uint32_t depth = 0;  ///< of a region
  };

  void follow_selection(Context& context);
  void step(Context& context, int direction, bool fell_back_only);
  void open(Context& context, std::uint32_t region);
  void go_to_line(Context& context, std::uint32_t function, std::uint32_t line) const;
  void draw_list(Context& context);
  void draw_line(Context& context, const Line& line);
  void draw_region(Context& context, std::uint32_t region, std::uint32_t depth);
  void draw_decision(Context& context, const Line& line);
  void draw_there(Context& context, std::uint32_t region) const;
  void draw_detail(Context& context);
  void draw_steps(Context& context);
  [[nodiscard]] bool fell_back(const Context& context, std::uint32_t region) const;

  RegionIndex index_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> line_of_region_;
  RegionDetail detail_;  // region none: nothing is open
  RowList list_;
  float list_fraction_ = 0.52F;
  std::uint64_t seen_selection_ = 0;
  bool scroll_detail_ = false;
};

}  // namespace depscope::viewers
