// Ranges that meet a range, against a list that is looked through.
#include "depscope/runtime/range_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace depscope::runtime {
namespace {

using Key = RangeIndex::Key;

std::vector<std::uint32_t> found(const RangeIndex& index, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint32_t> out;
  index.each(begin, end, [&](std::uint32_t entry) { out.push_back(entry); });
  return out;
}

std::vector<std::uint32_t> looked_through(std::vector<Key> keys, std::uint64_t begin, std::uint64_t end) {
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.before(b); });
  std::vector<std::uint32_t> out;
  for (const Key& key : keys) {
    if (key.begin < end && key.end > begin) out.push_back(key.entry);
  }
  return out;
}

TEST(RangeIndex, EmptyAndTouchingRanges) {
  RangeIndex index;
  EXPECT_TRUE(found(index, 0, 100).empty());
  index.insert({.begin = 10, .end = 20, .serial = 1, .entry = 7});
  EXPECT_TRUE(found(index, 0, 10).empty());
  EXPECT_TRUE(found(index, 20, 30).empty());
  EXPECT_EQ(found(index, 19, 20), (std::vector<std::uint32_t>{7}));
  index.remove({.begin = 10, .end = 20, .serial = 1, .entry = 7});
  EXPECT_TRUE(found(index, 0, 100).empty());
  EXPECT_EQ(index.size(), 0U);
  index.insert({.begin = 0, .end = 5, .serial = 2, .entry = 8});
  EXPECT_EQ(found(index, 0, 1), (std::vector<std::uint32_t>{8}));
}

struct Shape {
  const char* name;
  std::uint64_t space, longest;
  bool ascending;
};

class RangeIndexShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(RangeIndexShapes, AgreesWithAList) {
  const Shape shape = GetParam();
  std::mt19937_64 random(42);
  RangeIndex index;
  std::vector<Key> keys;
  std::uint32_t serial = 0;
  for (int step = 0; step < 4000; ++step) {
    const bool remove = !keys.empty() && random() % 100 < (step > 3000 ? 70U : 25U);
    if (remove) {
      const std::size_t which = random() % keys.size();
      index.remove(keys[which]);
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      Key key;
      key.begin = shape.ascending ? std::uint64_t{serial} * 3 : random() % shape.space;
      key.end = key.begin + random() % (shape.longest + 1);
      key.serial = serial++;
      key.entry = key.serial * 2;
      keys.push_back(key);
      index.insert(key);
    }
    ASSERT_EQ(index.size(), keys.size());
    const std::uint64_t begin = random() % (shape.space + 10);
    const std::uint64_t end = begin + random() % (shape.longest + 2);
    ASSERT_EQ(found(index, begin, end), looked_through(keys, begin, end)) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RangeIndexShapes,
                         ::testing::Values(Shape{"Disjoint", 100'000, 8, false}, Shape{"SameBegins", 12, 40, false},
                                           Shape{"LongAmongShort", 5000, 4000, false}, Shape{"Ascending", 9000, 3, true}),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace depscope::runtime
