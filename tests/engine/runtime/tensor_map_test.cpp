#include "depscope/runtime/tensor_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace depscope::runtime {
namespace {

TensorDescriptor slice(std::uint64_t address, std::uint64_t begin, std::uint32_t count, std::int32_t version = 0) {
  TensorDescriptor t;
  t.address = address;
  t.start_offset = begin;
  t.buffer_elements = 1 << 20;
  t.version = version;
  t.rank = 1;
  t.shape = {count};
  t.strides = {1};
  return t;
}

TEST(TensorMap, HitsAreNewestFirst) {
  TensorMap map;
  for (std::uint32_t i = 0; i < 3; ++i) map.insert(slice(64, 8 * i, 8), i, 100 + i);
  map.insert(slice(128, 0, 64), 9, 109);
  std::vector<TensorMap::Hit> hits;
  map.lookup(slice(64, 0, 64), hits);
  ASSERT_EQ(hits.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(map.entry(hits[i].entry).producer, 2 - i);
    EXPECT_EQ(hits[i].overlap, Overlap::Covered);
  }
}

TEST(TensorMap, RemovedEntriesAreUsedAgain) {
  TensorMap map;
  const std::uint32_t first = map.insert(slice(64, 0, 8), 0, 0);
  map.insert(slice(64, 8, 8), 1, 1);
  map.remove(first);
  EXPECT_EQ(map.used(), 1U);
  EXPECT_EQ(map.insert(slice(32, 0, 8), 2, 2), first);
  EXPECT_EQ(map.used(), 2U);
  std::vector<TensorMap::Hit> hits;
  map.lookup(slice(64, 0, 64), hits);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(map.entry(hits[0].entry).producer, 1U);
}

/// The same operations on a plain list: the range index must change no answer and no order. `mixed`: of several element types,
/// and from step 4500 on with places whose bytes no 64 bits hold.
void compare_with_a_list(RangeUnit unit, bool mixed) {
  constexpr std::array kTypes{ElementType::Float32, ElementType::Int8, ElementType::Float16};
  std::mt19937 random(7);
  const auto pick = [&random](std::uint32_t below) { return random() % below; };
  struct Write {
    TensorDescriptor tensor;
    std::uint32_t entry;
  };
  TensorMap map(unit);
  std::vector<std::vector<Write>> lists(2);
  std::vector<TensorMap::Hit> hits;
  std::uint64_t compared = 0;
  for (std::uint32_t step = 0; step < 6000; ++step) {
    const std::uint32_t which = pick(2);
    std::vector<Write>& list = lists[which];
    // Versions appear late and only on one address: before that the index answers, after it the chain.
    const std::int32_t version = which == 1 && step > 4000 ? static_cast<std::int32_t>(pick(3)) : 0;
    TensorDescriptor t = slice(1000 + which, pick(4000), pick(12), version);
    if (mixed) t.dtype = kTypes[pick(kTypes.size())];
    if (mixed && step > 4500 && pick(50) == 0) t.start_offset = ~std::uint64_t{0} / 2 + pick(8);
    map.lookup(t, hits);
    std::vector<TensorMap::Hit> expected;
    for (auto w = list.rbegin(); w != list.rend(); ++w) {
      const Overlap overlap = classify_overlap(w->tensor, t, unit);
      if (overlap != Overlap::None) expected.push_back({w->entry, overlap});
    }
    ASSERT_EQ(hits.size(), expected.size()) << "step " << step;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].entry, expected[i].entry) << "step " << step;
      ASSERT_EQ(hits[i].overlap, expected[i].overlap) << "step " << step;
    }
    compared += hits.size();
    if (pick(4) == 0 && !list.empty()) {
      const std::uint32_t gone = pick(static_cast<std::uint32_t>(list.size()));
      map.remove(list[gone].entry);
      list.erase(list.begin() + gone);
    } else {
      list.push_back({t, map.insert(t, step, step)});
    }
    ASSERT_EQ(map.used(), lists[0].size() + lists[1].size());
  }
  EXPECT_GT(compared, 1000U);
}

TEST(TensorMap, LongChainsAnswerLikeAPlainList) {
  for (const RangeUnit unit : {RangeUnit::Elements, RangeUnit::Bytes}) {
    for (const bool mixed : {false, true}) compare_with_a_list(unit, mixed);
  }
}

TEST(TensorMap, ManyAddresses) {
  TensorMap map;
  for (std::uint32_t i = 0; i < 20000; ++i) map.insert(slice(std::uint64_t{i} * 4096, 0, 8), i, i);
  std::vector<TensorMap::Hit> hits;
  for (std::uint32_t i = 0; i < 20000; i += 777) {
    map.lookup(slice(std::uint64_t{i} * 4096, 0, 8), hits);
    ASSERT_EQ(hits.size(), 1U);
    EXPECT_EQ(map.entry(hits[0].entry).producer, i);
  }
}

}  // namespace
}  // namespace depscope::runtime
