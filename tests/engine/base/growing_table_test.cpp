// A table that grows: as a vector does, across the sizes at which its memory comes from elsewhere.
#include "depscope/base/growing_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace depscope {
namespace {

struct Row {
  std::uint64_t a = 0;
  std::uint32_t b = 0;
  bool operator==(const Row&) const = default;
};

TEST(GrowingTable, HoldsWhatAVectorHolds) {
  GrowingTable<Row> table;
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < 500'000; ++i) {  // 8 MB: small, mapped, in huge pages
    const Row row{i * 7ULL, i};
    table.push_back(row);
    rows.push_back(row);
    if (i % 50'000 == 0) {
      ASSERT_TRUE(std::equal(table.begin(), table.end(), rows.begin(), rows.end())) << i;
    }
  }
  ASSERT_TRUE(std::equal(table.begin(), table.end(), rows.begin(), rows.end()));
  EXPECT_EQ(table.back(), rows.back());
  EXPECT_EQ(table[123'456], rows[123'456]);
}

TEST(GrowingTable, ResizeAndAssignSetTheNewRows) {
  GrowingTable<std::uint32_t> table;
  table.resize(3, 9);
  table.resize(100'000, 5);
  EXPECT_EQ(table[2], 9U);
  EXPECT_EQ(table[3], 5U);
  EXPECT_EQ(table[99'999], 5U);
  table.resize(2);
  table.resize(10, 1);
  EXPECT_EQ(table[1], 9U);
  EXPECT_EQ(table[2], 1U);
  table.assign(4, 8);
  EXPECT_EQ(table.size(), 4U);
  EXPECT_EQ(table[3], 8U);
  table.clear();
  EXPECT_TRUE(table.empty());
}

TEST(GrowingTable, ARowOfItsOwnMayBePushed) {
  GrowingTable<std::uint32_t> table;
  table.push_back(77);
  for (int i = 0; i < 200'000; ++i) table.push_back(table[0]);
  table.resize(300'000, table[0]);
  for (const std::uint32_t row : table) ASSERT_EQ(row, 77U);
}

TEST(GrowingTable, CopiesAndMoves) {
  GrowingTable<std::uint32_t> table;
  for (std::uint32_t i = 0; i < 100'000; ++i) table.push_back(i);
  GrowingTable<std::uint32_t> copy(table);
  copy[0] = 5;
  EXPECT_EQ(table[0], 0U);
  EXPECT_EQ(copy.size(), table.size());
  EXPECT_EQ(copy.back(), 99'999U);
  GrowingTable<std::uint32_t> moved(std::move(copy));
  EXPECT_EQ(moved[0], 5U);
  GrowingTable<std::uint32_t> small;
  small.push_back(1);
  small = table;
  EXPECT_EQ(small.size(), 100'000U);
  table = GrowingTable<std::uint32_t>();
  EXPECT_TRUE(table.empty());
  table.push_back(3);
  EXPECT_EQ(table[0], 3U);
  const GrowingTable<std::uint32_t> none(GrowingTable<std::uint32_t>{});
  EXPECT_TRUE(none.empty());
}

TEST(GrowingTable, MoreThanThereCanBeIsRefused) {
  GrowingTable<std::uint64_t> table;
  table.push_back(1);
  EXPECT_THROW(table.reserve(~std::size_t{0} / 8), std::bad_alloc);
  EXPECT_EQ(table[0], 1U);
}

}  // namespace
}  // namespace depscope
