#include "depscope/viewers/timeline_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "depscope/recording/tables.h"

namespace depscope::viewers {
namespace {

struct Bars {
  std::vector<std::uint32_t> times, begin, end;
  TimelineScale scale;
  LaneView view;

  Bars(const Bars&) = delete;
  Bars& operator=(const Bars&) = delete;
  explicit Bars(std::uint32_t events) {
    for (std::uint32_t e = 0; e < events; ++e) times.push_back(e);
    scale = TimelineScale(times);
  }
  void add(std::uint32_t from, std::uint32_t to) {
    begin.push_back(from);
    end.push_back(to);
    view.begin = begin;
    view.end = end;
  }
  [[nodiscard]] bool in_view(std::uint32_t bar, const PixelRange& range) const {
    return bar_end(view, scale, bar) >= range.begin && bar_begin(view, scale, bar) <= range.end();
  }
};

/// At most `count` bars of at most `length` events, at most `gap` apart.
void add_random(Bars& bars, std::mt19937& random, std::uint32_t count, std::uint32_t gap, std::uint32_t length) {
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t begin = at + static_cast<std::uint32_t>(random()) % (gap + 1);
    const std::uint32_t end = begin + (random() % 10 == 0 ? static_cast<std::uint32_t>(random()) % (length + 1) : 1);
    bars.add(begin, end);
    at = end;
  }
}

void fold(const Bars& bars, const PixelRange& range, float least, float most, std::vector<FoldedBar>& records) {
  PixelColumns columns;
  columns.update(bars.scale, range);
  fold_lane(bars.view, bars.scale, range, columns, least, most, records);
}

TEST(TimelineFold, EveryBarInViewIsInOneRecord) {
  std::mt19937 random(3);
  constexpr float kLeast = 3.0F;
  constexpr float kMost = 60.0F;
  for (int round = 0; round < 300; ++round) {
    Bars bars(400 * 60);
    add_random(bars, random, 1 + static_cast<std::uint32_t>(random()) % 400, 1 + static_cast<std::uint32_t>(random()) % 9, 40);
    bars.view.of_events = round % 2 == 0;
    bars.scale.by_event = round % 3 == 0;
    const PixelRange range{static_cast<double>(random() % 300), 0.05 + static_cast<double>(random() % 100) / 10.0, 500.0F};
    std::vector<FoldedBar> records;
    fold(bars, range, kLeast, kMost, records);
    const auto width = [&](std::uint32_t bar) {
      return range.to_pixel(bar_end(bars.view, bars.scale, bar)) - range.to_pixel(bar_begin(bars.view, bars.scale, bar));
    };
    std::uint32_t next = 0;
    while (next < bars.begin.size() && !bars.in_view(next, range)) ++next;
    for (const FoldedBar& record : records) {
      ASSERT_EQ(record.first, next);
      ASSERT_GE(record.count, 1U);
      EXPECT_FLOAT_EQ(record.left, range.to_pixel(bar_begin(bars.view, bars.scale, record.first)));
      EXPECT_FLOAT_EQ(record.right, range.to_pixel(bar_end(bars.view, bars.scale, record.first + record.count - 1)));
      if (record.count > 1) {
        for (std::uint32_t bar = record.first; bar < record.first + record.count; ++bar) ASSERT_LT(width(bar), kLeast);
        EXPECT_LE(record.right - record.left, kMost + 3.0F * kLeast);
      }
      next += record.count;
    }
    // What follows is out of view.
    if (next < bars.begin.size()) {
      EXPECT_FALSE(bars.in_view(next, range)) << round;
    }
  }
}

TEST(TimelineFold, NarrowNeighboursAreOneRecord) {
  Bars bars(1000);
  for (std::uint32_t i = 0; i < 37; ++i) bars.add(100 + i, 101 + i);
  bars.add(500, 900);
  bars.add(920, 921);
  std::vector<FoldedBar> records;
  fold(bars, {0.0, 1.0, 1000.0F}, 3.0F, 100.0F, records);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].count, 37U);
  EXPECT_FLOAT_EQ(records[0].left, 100.0F);
  EXPECT_FLOAT_EQ(records[0].right, 137.0F);
  EXPECT_EQ(records[1].count, 1U);
  EXPECT_EQ(records[2].count, 1U);
}

TEST(TimelineFold, TheNumberOfRecordsFollowsThePixels) {
  constexpr std::uint32_t kBars = 1'000'000;
  Bars bars(2 * kBars + 1);
  for (std::uint32_t i = 0; i < kBars; ++i) bars.add(2 * i, 2 * i + 1);
  for (const double per_pixel : {0.1, 1.0, 100.0, 2500.0}) {
    std::vector<FoldedBar> records;
    fold(bars, {0.0, per_pixel, 800.0F}, 3.0F, 60.0F, records);
    EXPECT_LE(records.size(), 2U * 800U / 3U + 2U);
    std::uint64_t folded = 0;
    for (const FoldedBar& record : records) folded += record.count;
    EXPECT_EQ(folded, std::min<std::uint64_t>(kBars, static_cast<std::uint64_t>(800.0 * per_pixel / 2.0) + 1)) << per_pixel;
  }
}

TEST(TimelineFold, BarsAtOneTimeAreFolded) {
  Bars bars(100);
  std::fill(bars.times.begin(), bars.times.end(), 7);
  for (std::uint32_t i = 0; i < 50; ++i) bars.add(2 * i, 2 * i + 1);
  std::vector<FoldedBar> records;
  fold(bars, {0.0, 0.1, 100.0F}, 3.0F, 60.0F, records);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].count, 50U);
}

TEST(TimelineFold, ColumnsBeginWithTheirFirstEvent) {
  Bars bars(5000);
  for (std::uint32_t e = 0; e < 5000; ++e) bars.times[e] = e / 7 * 3;
  PixelColumns columns;
  for (const PixelRange& range : {PixelRange{-20.0, 1.5, 300.0F}, PixelRange{100.5, 0.1, 77.7F}, PixelRange{0.0, 40.0, 90.0F}}) {
    for (const bool by_event : {false, true}) {
      bars.scale.by_event = by_event;
      const std::uint64_t revision = columns.revision();
      columns.update(bars.scale, range);
      EXPECT_GT(columns.revision(), revision);
      ASSERT_EQ(columns.size(), static_cast<std::uint32_t>(range.pixels));
      for (std::uint32_t column = 0; column <= columns.size(); ++column) {
        std::uint32_t first = 0;
        while (first < 5000 && bars.scale.of_event(first) < range.to_scale(static_cast<float>(column))) ++first;
        ASSERT_EQ(columns.first(column), first) << column;
      }
      const std::uint64_t unchanged = columns.revision();
      columns.update(bars.scale, range);
      EXPECT_EQ(columns.revision(), unchanged);
    }
  }
}

TEST(TimelineFold, FindsTheNearestBar) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    Bars bars(60 * 50);
    add_random(bars, random, 60, 9, 30);
    const PixelRange range{10.0, 0.5, 600.0F};
    for (int i = 0; i < 50; ++i) {
      const auto pixel = static_cast<float>(random() % 6000) / 10.0F;
      const auto away = [&](std::uint32_t bar) {
        return std::max({0.0F, range.to_pixel(bar_begin(bars.view, bars.scale, bar)) - pixel,
                         pixel - range.to_pixel(bar_end(bars.view, bars.scale, bar))});
      };
      float nearest = 1e9F;
      for (std::uint32_t bar = 0; bar < bars.begin.size(); ++bar) nearest = std::min(nearest, away(bar));
      const std::uint32_t found = bar_at(bars.view, bars.scale, range, pixel, 4.0F);
      ASSERT_EQ(found != recording::kNoRow, nearest <= 4.0F) << pixel;
      if (found != recording::kNoRow) {
        ASSERT_FLOAT_EQ(away(found), nearest);
      }
    }
  }
  const LaneView none;
  EXPECT_EQ(bar_at(none, TimelineScale(), {}, 0.0F, 4.0F), recording::kNoRow);
}

}  // namespace
}  // namespace depscope::viewers
