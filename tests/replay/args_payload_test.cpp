// Elements of args.bin, and the bit patterns of half and bfloat16 (artefacts.md 7).
#include "depscope/replay/artefacts/args_payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using runtime::ElementType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Bytes of the elements, the lowest first.
template <class Element>
std::string bytes_of(const std::vector<Element>& elements) {
  std::string out;
  for (const Element element : elements) {
    for (std::size_t i = 0; i < sizeof(Element); ++i)
      out += static_cast<char>(static_cast<std::uint64_t>(element) >> (8 * i) & 0xffU);
  }
  return out;
}
std::string floats(const std::vector<float>& elements) {
  std::vector<std::uint32_t> bits;
  for (const float element : elements) bits.push_back(std::bit_cast<std::uint32_t>(element));
  return bytes_of(bits);
}

TEST(HalfFloat, ExactBitPatterns) {
  const auto bits_of = [](std::uint16_t half) { return std::bit_cast<std::uint32_t>(half_to_float(half)); };
  EXPECT_EQ(bits_of(0x0000), 0x00000000U);
  EXPECT_EQ(bits_of(0x8000), 0x80000000U);  // -0
  EXPECT_EQ(bits_of(0x0001), 0x33800000U);  // 2^-24, the smallest
  EXPECT_EQ(bits_of(0x8001), 0xb3800000U);
  EXPECT_EQ(bits_of(0x03ff), 0x387fc000U);  // the largest subnormal
  EXPECT_EQ(bits_of(0x0400), 0x38800000U);  // 2^-14, the smallest normal
  EXPECT_EQ(bits_of(0x3555), 0x3eaaa000U);  // about a third
  EXPECT_EQ(bits_of(0x3c00), 0x3f800000U);  // 1
  EXPECT_EQ(bits_of(0x3c01), 0x3f802000U);
  EXPECT_EQ(bits_of(0xc000), 0xc0000000U);  // -2
  EXPECT_EQ(bits_of(0x7bff), 0x477fe000U);  // 65504
  EXPECT_EQ(half_to_float(0x7bff), 65504.0F);
  EXPECT_EQ(bits_of(0x7c00), 0x7f800000U);  // infinity
  EXPECT_EQ(bits_of(0xfc00), 0xff800000U);
  EXPECT_EQ(bits_of(0x7e00), 0x7fc00000U);  // NaN
  EXPECT_EQ(bits_of(0xfe01), 0xffc02000U);
}

TEST(HalfFloat, EveryFiniteOneIsItsFormula) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const int exponent = static_cast<int>(bits >> 10U & 31U);
    const double mantissa = bits & 0x3ffU;
    const float got = half_to_float(static_cast<std::uint16_t>(bits));
    if (exponent == 31) {
      ASSERT_EQ(std::isnan(got), mantissa != 0) << bits;
      ASSERT_EQ(std::isinf(got), mantissa == 0) << bits;
    } else {
      const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
      ASSERT_EQ(static_cast<double>(got), (bits & 0x8000U) != 0 ? -magnitude : magnitude) << bits;
      ASSERT_EQ(std::signbit(got), (bits & 0x8000U) != 0) << bits;
    }
  }
}

TEST(BFloat16, ExactBitPatterns) {
  const auto bits_of = [](std::uint16_t bits) { return std::bit_cast<std::uint32_t>(bfloat16_to_float(bits)); };
  EXPECT_EQ(bits_of(0x0000), 0x00000000U);
  EXPECT_EQ(bits_of(0x8000), 0x80000000U);
  EXPECT_EQ(bits_of(0x0001), 0x00010000U);  // subnormal
  EXPECT_EQ(bfloat16_to_float(0x0001), 0x1p-133F);
  EXPECT_EQ(bfloat16_to_float(0x3f80), 1.0F);
  EXPECT_EQ(bfloat16_to_float(0x4049), 3.140625F);
  EXPECT_EQ(bfloat16_to_float(0x4780), 65536.0F);
  EXPECT_EQ(bits_of(0x7f7f), 0x7f7f0000U);  // the largest
  EXPECT_EQ(bfloat16_to_float(0x7f80), std::numeric_limits<float>::infinity());
  EXPECT_EQ(bfloat16_to_float(0xff80), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(bfloat16_to_float(0x7fc0)));
}

TEST(ArgsPayload, EveryElementOfTheSample) {
  const std::string folder = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/l2_full/dfx_outputs/args_dump/";
  const ArgsDump d = read_args_dump(SourceFile::read(folder + "args_dump.json", kMaxArgsBytes));
  const std::string binary = read_bytes(folder + "args.bin");
  const auto decoded = [&](std::uint32_t row, std::size_t first) {
    return decode_payload(d.dtype[row], d.numel[row], payload_bytes(d, row, binary), first);
  };
  const DecodedPayload before = decoded(0, 3);
  EXPECT_EQ(before.elements, 128U);
  EXPECT_THAT(before.first, ElementsAre("0", "1", "2"));
  EXPECT_EQ(before.minimum, "0");
  EXPECT_EQ(before.maximum, "127");
  EXPECT_EQ(before.nan + before.infinite, 0U);
  const DecodedPayload scalar = decoded(1, 3);
  EXPECT_EQ(scalar.elements, 0U);
  EXPECT_THAT(scalar.first, IsEmpty());
  EXPECT_EQ(scalar.minimum, "");
  const DecodedPayload after = decoded(2, 1000);
  ASSERT_EQ(after.first.size(), 128U);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(after.first[static_cast<std::size_t>(i)], std::to_string(2 * i));
  EXPECT_EQ(after.maximum, "254");
  const DecodedPayload other = decoded(3, 2);
  EXPECT_EQ(other.elements, 64U);
  EXPECT_THAT(other.first, ElementsAre("128", "130"));
  EXPECT_EQ(other.minimum, "128");
  EXPECT_EQ(other.maximum, "254");
  // As far as the binary goes.
  EXPECT_EQ(payload_bytes(d, 2, std::string_view(binary).substr(0, 771)).size(), 3U);
  EXPECT_EQ(payload_bytes(d, 2, std::string_view(binary).substr(0, 10)).size(), 0U);
}

TEST(ArgsPayload, OverwrittenBytesSayNothing) {
  const ArgsDump d = read_args_dump(SourceFile(
      "a.json", R"({"args":[{"task_id":"0x0","arg_index":0,"bin_offset":0,"bin_size":4,"overwritten":true},)"
                R"({"task_id":"0x0","arg_index":0,"bin_offset":18446744073709551615,"bin_size":18446744073709551615}]})"));
  EXPECT_EQ(payload_bytes(d, 0, "abcd"), "");
  EXPECT_EQ(payload_bytes(d, 1, "abcd"), "");
}

TEST(ArgsPayload, FloatsThatAreNoNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string bytes =
      floats({std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, -0.0F, 0.1F, -1e30F, infinity, 16777216.0F});
  const DecodedPayload d = decode_payload(ElementType::Float32, 8, bytes, 8);
  EXPECT_THAT(d.first, ElementsAre("NaN", "Inf", "-Inf", "-0", "0.1", "-1e+30", "Inf", "16777216"));
  EXPECT_EQ(d.nan, 1U);
  EXPECT_EQ(d.infinite, 3U);
  EXPECT_EQ(d.minimum, "-1e+30");
  EXPECT_EQ(d.maximum, "16777216");
  const DecodedPayload none = decode_payload(ElementType::Float32, 3, bytes, 0);
  EXPECT_THAT(none.first, IsEmpty());
  EXPECT_EQ(none.elements, 3U);
  EXPECT_EQ(none.infinite, 2U);
  EXPECT_EQ(none.minimum, "");
  EXPECT_EQ(none.maximum, "");
}

TEST(ArgsPayload, FloatsOfTwoBytes) {
  const DecodedPayload half =
      decode_payload(ElementType::Float16, 5, bytes_of<std::uint16_t>({0x3c00, 0x7bff, 0x0001, 0xfc00, 0x7e00}), 5);
  EXPECT_THAT(half.first, ElementsAre("1", "65504", "5.9604645e-08", "-Inf", "NaN"));
  EXPECT_EQ(half.minimum, "5.9604645e-08");
  EXPECT_EQ(half.maximum, "65504");
  EXPECT_EQ(half.nan, 1U);
  EXPECT_EQ(half.infinite, 1U);
  const DecodedPayload bfloat = decode_payload(ElementType::BFloat16, 2, bytes_of<std::uint16_t>({0x3f80, 0xc049}), 2);
  EXPECT_THAT(bfloat.first, ElementsAre("1", "-3.140625"));
  EXPECT_EQ(bfloat.minimum, "-3.140625");
}

TEST(ArgsPayload, IntegersOfEveryWidthAreExact) {
  const auto all = [](ElementType type, const std::string& bytes) { return decode_payload(type, 99, bytes, 99); };
  const DecodedPayload wide = all(ElementType::Int64, bytes_of<std::uint64_t>({0x7fffffffffffffffU, 0x8000000000000000U, 1}));
  EXPECT_THAT(wide.first, ElementsAre("9223372036854775807", "-9223372036854775808", "1"));
  EXPECT_EQ(wide.minimum, "-9223372036854775808");
  EXPECT_EQ(wide.maximum, "9223372036854775807");
  EXPECT_EQ(all(ElementType::UInt64, bytes_of<std::uint64_t>({~std::uint64_t{0}, 7})).maximum, "18446744073709551615");
  EXPECT_THAT(all(ElementType::Int32, bytes_of<std::uint32_t>({0xffffffffU, 0x80000000U})).first,
              ElementsAre("-1", "-2147483648"));
  EXPECT_THAT(all(ElementType::UInt32, bytes_of<std::uint32_t>({0xffffffffU})).first, ElementsAre("4294967295"));
  EXPECT_THAT(all(ElementType::Int16, bytes_of<std::uint16_t>({0x8000, 5})).first, ElementsAre("-32768", "5"));
  EXPECT_THAT(all(ElementType::UInt16, bytes_of<std::uint16_t>({0x8000})).first, ElementsAre("32768"));
  EXPECT_THAT(all(ElementType::Int8, "\x80\x7f").first, ElementsAre("-128", "127"));
  EXPECT_THAT(all(ElementType::UInt8, "\x80\x41").first, ElementsAre("128", "65"));
  EXPECT_THAT(all(ElementType::Bool, std::string("\0\1", 2)).first, ElementsAre("0", "1"));
}

TEST(ArgsPayload, UnknownTypesAreBytes) {
  for (const ElementType type : {ElementType::Unknown, ElementType::Fp8E4M3FN, ElementType::Fp8E8M0, ElementType::Fp4E2M1}) {
    const DecodedPayload d = decode_payload(type, 3, std::string("\xff\x0a\0\x01", 4), 2);
    EXPECT_EQ(d.elements, 3U);
    EXPECT_THAT(d.first, ElementsAre("ff", "0a"));
    EXPECT_EQ(d.minimum, "");
  }
}

TEST(ArgsPayload, AsManyElementsAsThereAreBytes) {
  EXPECT_EQ(decode_payload(ElementType::Float32, 10, std::string(11, '\0'), 9).elements, 2U);
  EXPECT_EQ(decode_payload(ElementType::Float32, 10, std::string(3, '\0'), 9).elements, 0U);
  EXPECT_EQ(decode_payload(ElementType::Float16, 1, std::string(8, '\0'), 9).elements, 1U);
  EXPECT_EQ(decode_payload(ElementType::Int64, ~std::uint64_t{0}, std::string(16, '\0'), ~std::size_t{0}).elements, 2U);
  EXPECT_EQ(decode_payload(ElementType::Unknown, ~std::uint64_t{0}, "abc", 1).elements, 3U);
}

}  // namespace
}  // namespace depscope::replay
