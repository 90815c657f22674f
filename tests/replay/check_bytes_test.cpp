// Views as sets of bytes, against sets of bytes.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

#include "check_bytes.h"

namespace depscope::replay {
namespace {

struct View {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint64_t> strides;
  std::uint32_t element = 4;
  std::uint64_t begin = 0;

  [[nodiscard]] std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> out = shape;
    for (const std::uint64_t s : strides) {
      out.push_back(static_cast<std::uint32_t>(s));
      out.push_back(static_cast<std::uint32_t>(s >> 32U));
    }
    return out;
  }
  [[nodiscard]] ByteShape bytes() const { return byte_shape(words(), element); }
  [[nodiscard]] std::set<std::uint64_t> all() const {
    std::set<std::uint64_t> starts{begin};
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::set<std::uint64_t> next;
      for (const std::uint64_t s : starts) {
        for (std::uint64_t k = 0; k < shape[i]; ++k) next.insert(s + k * strides[i] * element);
      }
      starts.swap(next);
    }
    std::set<std::uint64_t> out;
    for (const std::uint64_t s : starts) {
      for (std::uint32_t b = 0; b < element; ++b) out.insert(s + b);
    }
    return out;
  }
};

bool share(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  for (const std::uint64_t x : a) {
    if (b.contains(x)) return true;
  }
  return false;
}

View random_view() {
  View v;
  const auto rank = *rc::gen::inRange<std::size_t>(1, 5);
  for (std::size_t i = 0; i < rank; ++i) {
    v.shape.push_back(*rc::gen::inRange<std::uint32_t>(0, 5));
    v.strides.push_back(*rc::gen::inRange<std::uint64_t>(1, 24));
  }
  v.element = *rc::gen::element<std::uint32_t>(1, 2, 4, 8);
  v.begin = *rc::gen::inRange<std::uint64_t>(0, 120);
  return v;
}

RC_GTEST_PROP(CheckBytes, MeetIsExact, ()) {
  const View a = random_view();
  const View b = random_view();
  const Meeting expected = share(a.all(), b.all()) ? Meeting::Yes : Meeting::No;
  RC_ASSERT(meet(a.begin, a.bytes(), b.begin, b.bytes()) == expected);
  RC_ASSERT(meet(b.begin, b.bytes(), a.begin, a.bytes()) == expected);
}

/// Two long one-dimensional views: the closed form, where no search could look at every element.
RC_GTEST_PROP(CheckBytes, TwoStridesAreExact, ()) {
  View a{.shape = {*rc::gen::inRange<std::uint32_t>(2, 400)}, .strides = {*rc::gen::inRange<std::uint64_t>(2, 40)}, .element = 1};
  View b{.shape = {*rc::gen::inRange<std::uint32_t>(2, 400)}, .strides = {*rc::gen::inRange<std::uint64_t>(2, 40)}, .element = 1};
  a.element = *rc::gen::element<std::uint32_t>(1, 2, 4);
  b.element = *rc::gen::element<std::uint32_t>(1, 2, 4);
  a.begin = *rc::gen::inRange<std::uint64_t>(0, 4000);
  b.begin = *rc::gen::inRange<std::uint64_t>(0, 4000);
  RC_ASSERT(meet(a.begin, a.bytes(), b.begin, b.bytes()) == (share(a.all(), b.all()) ? Meeting::Yes : Meeting::No));
}

RC_GTEST_PROP(CheckBytes, RunsAreTheBytes, ()) {
  const View v = random_view();
  const ByteShape shape = v.bytes();
  std::vector<ByteRun> runs;
  RC_ASSERT(append_runs(v.begin, shape, 1U << 20U, runs));
  std::set<std::uint64_t> bytes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) RC_ASSERT(runs[i - 1].second <= runs[i].first);
    for (std::uint64_t b = runs[i].first; b < runs[i].second; ++b) bytes.insert(b);
  }
  const std::set<std::uint64_t> expected = v.shape.empty() || shape.empty() ? std::set<std::uint64_t>() : v.all();
  RC_ASSERT(bytes == expected);
  if (!bytes.empty()) RC_ASSERT(shape.extent == *bytes.rbegin() - v.begin + 1);
}

TEST(CheckBytes, RowsOfAMatrixAreOneRun) {
  const View rows{.shape = {4, 8}, .strides = {8, 1}};
  EXPECT_EQ(rows.bytes().rank, 0);
  EXPECT_EQ(rows.bytes().run, 128);
}

TEST(CheckBytes, DimensionsThatGoOnAreOne) {
  const View columns{.shape = {2, 3, 4}, .strides = {24, 8, 1}};  // 6 rows of 8, their first 4 columns
  ASSERT_EQ(columns.bytes().rank, 1);
  EXPECT_EQ(columns.bytes().dimensions[0].count, 6);
  EXPECT_EQ(columns.bytes().dimensions[0].stride, 32);
  EXPECT_EQ(columns.bytes().run, 16);
}

TEST(CheckBytes, HugeViewsAreComparedAtOnce) {
  const View even{.shape = {0x80000000U}, .strides = {2}};
  View odd = even;
  odd.begin = 4;
  EXPECT_EQ(meet(even.begin, even.bytes(), odd.begin, odd.bytes()), Meeting::No);
  odd.begin = 6;
  EXPECT_EQ(meet(even.begin, even.bytes(), odd.begin, odd.bytes()), Meeting::Yes);
  const View third{.shape = {0x80000000U}, .strides = {3}, .element = 4, .begin = 4};
  EXPECT_EQ(meet(even.begin, even.bytes(), third.begin, third.bytes()), Meeting::Yes);
  // Multiples of 6 elements against those of 4, 2 elements further: only even differences, and the smallest is 0 or 2.
  const View sixth{.shape = {0x40000000U}, .strides = {6}, .element = 4, .begin = 4};
  const View fourth{.shape = {0x40000000U}, .strides = {4}, .element = 4, .begin = 0};
  EXPECT_EQ(meet(sixth.begin, sixth.bytes(), fourth.begin, fourth.bytes()), Meeting::No);
}

TEST(CheckBytes, WhatCannotBeDecidedIsUnknown) {
  // Three and more strides that share no divisor, and no byte: the search has a limit.
  const View a{.shape = {0x7fffffffU, 0x7fffffffU}, .strides = {1000003, 999983}, .element = 1};
  const View b{.shape = {0x7fffffffU, 0x7fffffffU}, .strides = {1000037, 999979}, .element = 1, .begin = 1};
  EXPECT_NE(meet(a.begin, a.bytes(), b.begin, b.bytes()), Meeting::No);
}

TEST(CheckBytes, NothingAndTooMuchIsEmpty) {
  EXPECT_TRUE((View{.shape = {4, 0}, .strides = {1, 1}}.bytes().empty()));
  EXPECT_TRUE((View{.shape = {4}, .strides = {1}, .element = 0}.bytes().empty()));
  EXPECT_TRUE((View{.shape = {0xffffffffU}, .strides = {std::uint64_t{1} << 61U}}.bytes().empty()));
  std::vector<ByteRun> runs;
  EXPECT_FALSE(append_runs(0, View{.shape = {100}, .strides = {2}}.bytes(), 99, runs));
  EXPECT_TRUE(runs.empty());
}

}  // namespace
}  // namespace depscope::replay
