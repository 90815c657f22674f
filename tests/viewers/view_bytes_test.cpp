// Views in bytes against sets of bytes.
#include "view_bytes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace depscope::viewers {
namespace {

struct Sketch {
  std::uint64_t offset = 0;
  std::vector<std::uint32_t> shape;
  std::vector<std::uint64_t> strides;

  [[nodiscard]] ByteView view(std::uint32_t element) const {
    std::vector<std::uint32_t> words = shape;
    for (const std::uint64_t stride : strides) {
      words.push_back(static_cast<std::uint32_t>(stride));
      words.push_back(static_cast<std::uint32_t>(stride >> 32U));
    }
    return byte_view(offset, words, element);
  }
  [[nodiscard]] std::set<std::uint64_t> bytes(std::uint32_t element) const {
    std::set<std::uint64_t> elements{offset};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::set<std::uint64_t> more;
      for (const std::uint64_t at : elements) {
        for (std::uint64_t i = 0; i < shape[d]; ++i) more.insert(at + i * strides[d]);
      }
      elements = more;
    }
    std::set<std::uint64_t> out;
    for (const std::uint64_t at : elements) {
      for (std::uint32_t b = 0; b < element; ++b) out.insert(at * element + b);
    }
    return out;
  }
};

Sketch random_sketch(std::mt19937& random) {
  Sketch s;
  s.offset = random() % 40;
  for (std::uint32_t rank = 1 + random() % 4; rank > 0; --rank) {
    s.shape.push_back(random() % 9 == 0 ? 0 : 1 + random() % 4);
    s.strides.push_back(1 + random() % 14);
  }
  return s;
}

TEST(ViewBytes, SharedBytesAreThoseOfTheSets) {
  std::mt19937 random(7);
  int met = 0;
  for (int round = 0; round < 20000; ++round) {
    const Sketch a = random_sketch(random);
    const Sketch b = random_sketch(random);
    const std::uint32_t a_size = 1U << (random() % 3);
    const std::uint32_t b_size = 1U << (random() % 3);
    const auto x = a.bytes(a_size);
    const auto y = b.bytes(b_size);
    const bool expected = std::any_of(x.begin(), x.end(), [&](std::uint64_t byte) { return y.contains(byte); });
    const Shared found = shares_bytes(a.view(a_size), b.view(b_size));
    ASSERT_EQ(found, expected ? Shared::Yes : Shared::No) << "round " << round;
    ASSERT_EQ(shares_bytes(b.view(b_size), a.view(a_size)), found);
    met += expected ? 1 : 0;
  }
  EXPECT_GT(met, 2000);
  EXPECT_LT(met, 18000);
}

TEST(ViewBytes, DrawnRunsAreTheBytesAndNeverMoreRunsThanAsked) {
  std::mt19937 random(3);
  std::vector<ByteRun> runs;
  int closed = 0;
  for (int round = 0; round < 3000; ++round) {
    const Sketch sketch = random_sketch(random);
    const auto bytes = sketch.bytes(4);
    const bool whole = drawn_runs(sketch.view(4), round % 2 == 0 ? 1 : 24, 6, runs);
    ASSERT_LE(runs.size(), 6U);
    std::set<std::uint64_t> drawn;
    for (const ByteRun& run : runs) {
      for (std::uint64_t byte = run.first; byte < run.second; ++byte) drawn.insert(byte);
    }
    ASSERT_TRUE(std::includes(drawn.begin(), drawn.end(), bytes.begin(), bytes.end())) << round;
    if (whole) {
      ASSERT_EQ(drawn, bytes) << round;
    } else {
      ++closed;
    }
  }
  EXPECT_GT(closed, 300);
}

TEST(ViewBytes, LargeViewsAreJudgedWithoutWalkingThem) {
  // Even and odd columns of a matrix with a million rows.
  const Sketch even{0, {1'000'000, 32}, {64, 2}};
  const Sketch odd{1, {1'000'000, 32}, {64, 2}};
  const Sketch row{64 * 500'000 + 3, {1}, {1}};
  EXPECT_EQ(shares_bytes(even.view(4), row.view(4)), Shared::No);
  EXPECT_EQ(shares_bytes(odd.view(4), row.view(4)), Shared::Yes);
  EXPECT_EQ(shares_bytes(even.view(4), odd.view(4)), Shared::Maybe) << "more runs than are walked";
}

TEST(ViewBytes, UnknownPlacesAreNotGuessed) {
  EXPECT_FALSE(byte_view(0, {}, 4).known);
  EXPECT_FALSE(byte_view(0, std::vector<std::uint32_t>{4, 1, 0}, 0).known);
  EXPECT_FALSE(byte_view(0, std::vector<std::uint32_t>{4, 0, 0xf0000000U}, 4).known) << "larger than 2^62 bytes";
  EXPECT_EQ(shares_bytes(byte_view(0, {}, 4), Sketch{0, {4}, {1}}.view(4)), Shared::Maybe);
  EXPECT_EQ(shares_bytes(byte_view(0, {}, 4), Sketch{0, {0}, {1}}.view(4)), Shared::No);
}

TEST(ViewBytes, BoxesInWords) {
  runtime::TensorDescriptor t;
  t.buffer_elements = 64;
  t.rank = 2;
  t.shape = {4, 3};
  t.strides = {8, 1};
  t.start_offset = 18;
  EXPECT_EQ(box_words(t), "[2:6, 2:5]");
  t.strides = {16, 2};
  EXPECT_EQ(box_words(t), "[4, 3] + 18, strides 16, 2");
  t.strides = {8, 1};
  t.start_offset = 22;
  EXPECT_EQ(box_words(t), "[4, 3] + 22, strides 8, 1") << "the row goes on in the next one";
  t.rank = 0;
  EXPECT_EQ(box_words(t), "not told");
}

}  // namespace
}  // namespace depscope::viewers
