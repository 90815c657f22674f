#include "depscope/viewers/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace depscope::viewers {
namespace {

struct Case {
  std::vector<LayoutSize> sizes;
  std::vector<LayoutEdge> edges;
};

Case random_case(std::uint32_t seed, std::uint32_t boxes, std::uint32_t edges) {
  std::mt19937 random(seed);
  Case c;
  for (std::uint32_t i = 0; i < boxes; ++i) {
    c.sizes.push_back({50.0F + static_cast<float>(random() % 200), 20.0F + static_cast<float>(random() % 300)});
  }
  const auto box = [&] { return static_cast<std::uint32_t>(random() % boxes); };
  for (std::uint32_t i = 0; i < edges; ++i) {
    const std::uint32_t from = box();
    c.edges.push_back({from, box()});
  }
  return c;
}

void check(const Case& c, const LayoutStyle& style) {
  const LevelLayout layout = lay_out_level(c.sizes, c.edges, style);
  ASSERT_EQ(layout.x.size(), c.sizes.size());
  for (const LayoutEdge& edge : c.edges) {
    if (edge.from >= edge.to) continue;
    EXPECT_LT(layout.layer[edge.from], layout.layer[edge.to]);
    if (style.top_to_bottom) {
      EXPECT_LT(layout.y[edge.from] + c.sizes[edge.from].height, layout.y[edge.to]);
    } else {
      EXPECT_LT(layout.x[edge.from] + c.sizes[edge.from].width, layout.x[edge.to]);
    }
  }
  for (std::size_t a = 0; a < c.sizes.size(); ++a) {
    EXPECT_GE(layout.x[a], 0.0F);
    EXPECT_GE(layout.y[a], 0.0F);
    EXPECT_LE(layout.x[a] + c.sizes[a].width, layout.width + 0.01F);
    EXPECT_LE(layout.y[a] + c.sizes[a].height, layout.height + 0.01F);
    for (std::size_t b = 0; b < a; ++b) {
      const bool apart = layout.x[a] + c.sizes[a].width <= layout.x[b] || layout.x[b] + c.sizes[b].width <= layout.x[a] ||
                         layout.y[a] + c.sizes[a].height <= layout.y[b] + 0.01F ||
                         layout.y[b] + c.sizes[b].height <= layout.y[a] + 0.01F;
      EXPECT_TRUE(apart) << a << " on " << b;
    }
  }
}

TEST(GraphLayout, EdgesGoForwardAndNoBoxStandsOnAnother) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Case c = random_case(seed, 5 + seed * 4, seed * 8);
    check(c, {});
    check(c, {.top_to_bottom = true});
    check(c, {.most = 400});
  }
  check({}, {});
}

TEST(GraphLayout, LayersAreLongestPaths) {
  const Case c{std::vector<LayoutSize>(5, {10, 10}), {{0, 1}, {1, 2}, {0, 2}, {3, 2}, {2, 1}}};
  const LevelLayout layout = lay_out_level(c.sizes, c.edges, {});
  EXPECT_EQ(layout.layer, (std::vector<std::uint32_t>{0, 1, 2, 0, 0}));
}

TEST(GraphLayout, OrderFollowsTheNeighbours) {
  // 0 and 1 lead to 3 and 2: straight lines need the second layer the other way round.
  const Case c{std::vector<LayoutSize>(4, {10, 10}), {{0, 3}, {1, 2}}};
  const LevelLayout layout = lay_out_level(c.sizes, c.edges, {});
  EXPECT_LT(layout.y[3], layout.y[2]);
  EXPECT_FLOAT_EQ(layout.y[3], layout.y[0]);
  EXPECT_FLOAT_EQ(layout.y[2], layout.y[1]);
}

TEST(GraphLayout, SameInputSamePlaces) {
  const Case c = random_case(7, 200, 600);
  const LevelLayout a = lay_out_level(c.sizes, c.edges, {});
  const LevelLayout b = lay_out_level(c.sizes, c.edges, {});
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
}

TEST(GraphLayout, LongLayersGoOnBesideThemselves) {
  const Case c{std::vector<LayoutSize>(100, {10, 30}), {}};
  const LevelLayout layout = lay_out_level(c.sizes, c.edges, {.most = 500});
  EXPECT_LE(layout.height, 500.0F);
  EXPECT_GT(layout.width, 50.0F);
  EXPECT_EQ(*std::max_element(layout.layer.begin(), layout.layer.end()), 0U);
}

}  // namespace
}  // namespace depscope::viewers
