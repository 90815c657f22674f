#include "depscope/base/edit_script.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace depscope {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b, std::uint32_t max_edits = 1000) {
  bool limited = true;
  Pairs pairs = common_entries(a, b, max_edits, limited);
  EXPECT_FALSE(limited);
  return pairs;
}

TEST(EditScript, EqualAndEmptySequences) {
  EXPECT_EQ(common({1, 2, 3}, {1, 2, 3}), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(common({}, {1, 2}), Pairs{});
  EXPECT_EQ(common({}, {}), Pairs{});
  EXPECT_EQ(common({1, 2}, {3, 4}), Pairs{});
}

TEST(EditScript, InsertedRemovedAndReplacedEntries) {
  EXPECT_EQ(common({1, 2, 3}, {1, 9, 2, 3}), (Pairs{{0, 0}, {1, 2}, {2, 3}}));
  EXPECT_EQ(common({1, 9, 2, 3}, {1, 2, 3}), (Pairs{{0, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(common({1, 2, 3}, {1, 7, 3}), (Pairs{{0, 0}, {2, 2}}));
}

/// As long as the longest common subsequence that a table finds, and really common.
TEST(EditScript, FindsTheMostThatIsCommon) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> a(random() % 12);
    std::vector<std::uint32_t> b(random() % 12);
    for (auto* list : {&a, &b}) {
      for (std::uint32_t& entry : *list) entry = random() % 4;
    }
    std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;)
        best[i][j] = a[i] == b[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
    }
    const Pairs pairs = common(a, b);
    ASSERT_EQ(pairs.size(), best[0][0]);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      ASSERT_EQ(a[pairs[k].first], b[pairs[k].second]);
      if (k > 0) {
        ASSERT_LT(pairs[k - 1].first, pairs[k].first);
        ASSERT_LT(pairs[k - 1].second, pairs[k].second);
      }
    }
  }
}

TEST(EditScript, BeyondTheBoundOnlyBeginningAndEnd) {
  const std::vector<std::uint32_t> a{1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> b{1, 12, 3, 14, 15, 6};
  bool limited = false;
  EXPECT_EQ(common_entries(a, b, 2, limited), (Pairs{{0, 0}, {5, 5}}));
  EXPECT_TRUE(limited);
}

}  // namespace
}  // namespace depscope
