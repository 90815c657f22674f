// Where panels stand: which area each one is in, which is in front there, and how the window is divided. No drawing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/panel.h"
#include "depscope/viewers/settings.h"

namespace depscope::viewers {

/// Right is the right half of the main area while that is split.
enum class Area : std::uint8_t { Main, Right, Side, Bottom };
inline constexpr std::size_t kAreaCount = 4;
[[nodiscard]] std::string_view area_name(Area area);  ///< "main", "right", "side", "bottom"

class Layout {
 public:
  struct Panel {
    std::string title;
    Place place;  ///< at first
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit Layout(std::vector<Panel> panels);

  [[nodiscard]] std::size_t size() const { return panels_.size(); }
  [[nodiscard]] const std::string& title(std::size_t panel) const { return panels_[panel].title; }
  [[nodiscard]] Area area(std::size_t panel) const { return area_[panel]; }
  /// The panel in front of an area, kNone for an empty one.
  [[nodiscard]] std::size_t front(Area area) const { return front_[static_cast<std::size_t>(area)]; }
  [[nodiscard]] bool empty(Area area) const { return front(area) == kNone; }
  [[nodiscard]] bool split() const { return !empty(Area::Right); }
  /// Any case.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view title) const;

  void bring_to_front(std::size_t panel) { front_[static_cast<std::size_t>(area_[panel])] = panel; }
  /// The panel comes to the front there. False, and nothing changes, for the last one of the main area.
  bool move(std::size_t panel, Area area);
  /// Puts the panel behind the one in front into the right half. False if the main area has only one.
  bool split_main();
  /// Takes the right half back.
  void join_main();
  /// As at first.
  void reset();

  void save(Settings& settings) const;
  void restore(const Settings& settings);

  // Shares of the first of two neighbours; a splitter changes them.
  static constexpr float kSide = 0.70F, kBottom = 0.66F, kMiddle = 0.5F;
  float side = kSide;      ///< width of all but Side
  float bottom = kBottom;  ///< height of Main
  float middle = kMiddle;  ///< width of Main, if it is split

 private:
  void choose_front(Area area, std::size_t beside);

  std::vector<Panel> panels_;
  std::vector<Area> area_;
  std::array<std::size_t, kAreaCount> front_{};
};

}  // namespace depscope::viewers
