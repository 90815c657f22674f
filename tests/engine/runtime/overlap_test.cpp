#include "depscope/runtime/overlap.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace depscope::runtime {
namespace {

struct Tensor : TensorDescriptor {
  Tensor(std::vector<std::uint32_t> shape_, std::vector<std::uint64_t> strides_, std::uint64_t offset, std::uint64_t buffer) {
    rank = static_cast<std::uint8_t>(shape_.size());
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      shape[i] = shape_[i];
      strides[i] = strides_[i];
    }
    start_offset = offset;
    buffer_elements = buffer;
  }
  Tensor of(ElementType type) const {
    Tensor t = *this;
    t.dtype = type;
    return t;
  }
  Tensor with_version(std::int32_t v) const {
    Tensor t = *this;
    t.version = v;
    return t;
  }
};

Tensor rows_of_8x8(std::uint32_t first, std::uint32_t count) { return {{count, 8}, {8, 1}, 8 * first, 64}; }
Tensor columns_of_8x8(std::uint32_t first, std::uint32_t count) { return {{8, count}, {8, 1}, first, 64}; }
Tensor flat(std::uint32_t count, std::uint64_t offset = 0, std::uint64_t buffer = 64) { return {{count}, {1}, offset, buffer}; }

struct Row {
  const char* name;
  Tensor written, requested;
  Overlap expected;
};

// The table of runtime.md 4.4, in its order.
const std::vector<Row> kTable{
    {"rows 0-3, rows 4-7", rows_of_8x8(0, 4), rows_of_8x8(4, 4), Overlap::None},
    {"rows 0-3, whole", rows_of_8x8(0, 4), rows_of_8x8(0, 8), Overlap::Covered},
    {"rows 0-3, columns 0-3", rows_of_8x8(0, 4), columns_of_8x8(0, 4), Overlap::Other},
    {"columns 0-3, columns 4-7", columns_of_8x8(0, 4), columns_of_8x8(4, 4), Overlap::None},
    {"even, odd", {{8}, {2}, 0, 16}, {{8}, {2}, 1, 16}, Overlap::Other},
    {"4x8, transpose", {{4, 8}, {8, 1}, 0, 32}, {{8, 4}, {1, 8}, 0, 32}, Overlap::Other},
    {"2x8, flat", {{2, 8}, {8, 1}, 0, 16}, flat(16, 0, 16), Overlap::Other},
    {"unit dimension's stride", {{1, 8}, {8, 1}, 0, 16}, {{1, 8}, {16, 1}, 0, 16}, Overlap::Other},
    {"newer version elsewhere", flat(16), flat(4, 32).with_version(1), Overlap::Other},
    {"3x5 padded", {{3, 5}, {5, 1}, 0, 256}, {{3, 5}, {5, 1}, 0, 256}, Overlap::Other},
    {"4x4 padded", {{4, 4}, {4, 1}, 0, 256}, {{4, 4}, {4, 1}, 0, 256}, Overlap::Covered},
    {"empty view at 0", flat(16), flat(0), Overlap::None},
    {"empty view at 8", flat(16), flat(0, 8), Overlap::Other},
    {"bytes 32-47 as INT8", flat(16), flat(16, 32, 64).of(ElementType::Int8), Overlap::None},
};

TEST(Overlap, VerifiedTable) {
  for (const Row& row : kTable) EXPECT_EQ(classify_overlap(row.written, row.requested), row.expected) << row.name;
}

TEST(Overlap, BytesFindWhatElementsMiss) {
  const Row& alias = kTable.back();
  EXPECT_EQ(classify_overlap(alias.written, alias.requested, RangeUnit::Bytes), Overlap::Other);
  const Tensor beyond = flat(16, 64, 128).of(ElementType::Int8);
  EXPECT_EQ(classify_overlap(alias.written, beyond, RangeUnit::Bytes), Overlap::None);
}

TEST(Overlap, OlderRequestFallsThroughToGeometry) {
  EXPECT_EQ(classify_overlap(flat(16).with_version(2), flat(16)), Overlap::Covered);
  EXPECT_EQ(classify_overlap(flat(16).with_version(2), flat(16, 32)), Overlap::None);
}

TEST(Overlap, CoveredNeedsTheRequestToContainTheWrite) {
  EXPECT_EQ(classify_overlap(rows_of_8x8(2, 2), rows_of_8x8(1, 4)), Overlap::Covered);
  EXPECT_EQ(classify_overlap(rows_of_8x8(1, 4), rows_of_8x8(2, 2)), Overlap::Other);
}

TEST(Overlap, ABoxThatRunsPastItsDimensionIsOther) {
  EXPECT_EQ(classify_overlap(columns_of_8x8(6, 4), columns_of_8x8(0, 4)), Overlap::Other);
}

TEST(Overlap, TypeOfUnknownSizeIsOther) {
  const Tensor t = flat(16).of(ElementType::Unknown);
  EXPECT_EQ(classify_overlap(t, t), Overlap::Other);
}

TEST(Overlap, ExtentCountsFirstToLastElement) {
  EXPECT_EQ(extent_of(Tensor({3, 4}, {10, 2}, 7, 100)), 27U);
  EXPECT_EQ(extent_of(Tensor({3, 0}, {10, 2}, 7, 100)), 0U);
  EXPECT_EQ(end_of(Tensor({3, 4}, {10, 2}, 7, 100)), 34U);
}

TEST(Overlap, HugeExtentsSaturate) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const Tensor huge({most, most, most, most, most}, {most, most, most, most, most}, std::numeric_limits<std::uint64_t>::max(), 1);
  EXPECT_EQ(end_of(huge), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(classify_overlap(huge, huge), Overlap::None);  // begins at the last address, no end beyond it
}

}  // namespace
}  // namespace depscope::runtime
