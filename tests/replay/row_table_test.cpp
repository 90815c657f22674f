// A row is found by its key, whatever shares its hash.
#include "row_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace depscope::replay {
namespace {

TEST(RowTable, FindsEachKeyAgainAmongEqualHashes) {
  std::mt19937 random(7);
  RowTable table;
  std::vector<std::uint64_t> keys;
  std::map<std::uint64_t, std::uint32_t> rows;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = random() % 6000;
    const auto next = static_cast<std::uint32_t>(keys.size());
    // 256 hashes in the low half, which fill neighbouring cells, and a high half that must not count.
    const std::uint64_t hash = key % 256 + (std::uint64_t{random()} << 32U);
    const std::uint32_t row = table.find_or_add(hash, next, [&](std::uint32_t r) { return keys[r] == key; });
    if (row == next) keys.push_back(key);
    const auto known = rows.emplace(key, row).first;
    ASSERT_EQ(row, known->second) << "key " << key;
  }
  EXPECT_EQ(keys.size(), rows.size());
}

}  // namespace
}  // namespace depscope::replay
