#include "depscope/viewers/layout.h"
#include "folded_case.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace depscope::viewers {
namespace {

constexpr std::array<std::string_view, kAreaCount> kNames{"main", "right", "side", "bottom"};

Area area_of(Place place) { return place == Place::Main ? Area::Main : place == Place::Side ? Area::Side : Area::Bottom; }

}  // namespace

std::string_view area_name(Area area) { return kNames[static_cast<std::size_t>(area)]; }

Layout::Layout(std::vector<Panel> panels) : panels_(std::move(panels)) { reset(); }

void Layout::reset() {
  side = kSide;
  bottom = kBottom;
  middle = kMiddle;
  front_.fill(kNone);
  area_.clear();
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    area_.push_back(area_of(panels_[i].place));
    if (empty(area_.back())) bring_to_front(i);
  }
}

std::optional<std::size_t> Layout::find(std::string_view title) const {
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (equal_fold(panels_[i].title, title)) return i;
  }
  return std::nullopt;
}

/// The nearest panel of an area becomes its front one.
void Layout::choose_front(Area area, std::size_t beside) {
  std::size_t best = kNone;
  const auto distance = [&](std::size_t i) { return i > beside ? i - beside : beside - i; };
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (area_[i] == area && (best == kNone || distance(i) < distance(best))) best = i;
  }
  front_[static_cast<std::size_t>(area)] = best;
}

bool Layout::move(std::size_t panel, Area area) {
  const Area from = area_[panel];
  if (from == area) return true;
  if (from == Area::Main && std::count(area_.begin(), area_.end(), Area::Main) == 1) {
    if (!split() || area == Area::Right) return false;
    join_main();
  }
  area_[panel] = area;
  bring_to_front(panel);
  if (front(from) == panel) choose_front(from, panel);
  return true;
}

bool Layout::split_main() {
  if (split()) return true;
  const std::size_t stays = front(Area::Main);
  std::size_t moved = kNone;
  for (std::size_t step = 1; step < panels_.size() && moved == kNone; ++step) {
    const std::size_t next = (stays + step) % panels_.size();
    if (area_[next] == Area::Main) moved = next;
  }
  return moved != kNone && move(moved, Area::Right);
}

void Layout::join_main() {
  for (Area& area : area_) {
    if (area == Area::Right) area = Area::Main;
  }
  front_[static_cast<std::size_t>(Area::Right)] = kNone;
}

void Layout::save(Settings& settings) const {
  settings.set("layout.side", static_cast<double>(side));
  settings.set("layout.bottom", static_cast<double>(bottom));
  settings.set("layout.middle", static_cast<double>(middle));
  for (std::size_t i = 0; i < panels_.size(); ++i)
    settings.set("layout.place." + panels_[i].title, std::string(area_name(area_[i])));
  for (std::size_t area = 0; area < kAreaCount; ++area) {
    settings.set("layout.front." + std::string(kNames[area]),
                 front_[area] == kNone ? std::string() : panels_[front_[area]].title);
  }
}

void Layout::restore(const Settings& settings) {
  reset();
  side = static_cast<float>(settings.number("layout.side", static_cast<double>(kSide), 0.3, 0.88));
  bottom = static_cast<float>(settings.number("layout.bottom", static_cast<double>(kBottom), 0.15, 0.85));
  middle = static_cast<float>(settings.number("layout.middle", static_cast<double>(kMiddle), 0.15, 0.85));
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const std::string name = settings.text("layout.place." + panels_[i].title);
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found != kNames.end()) static_cast<void>(move(i, static_cast<Area>(found - kNames.begin())));
  }
  for (std::size_t area = 0; area < kAreaCount; ++area) {
    choose_front(static_cast<Area>(area), 0);
    const auto panel = find(settings.text("layout.front." + std::string(kNames[area])));
    if (panel && area_[*panel] == static_cast<Area>(area)) bring_to_front(*panel);
  }
}

}  // namespace depscope::viewers
