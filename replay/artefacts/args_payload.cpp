#include "depscope/replay/artefacts/args_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

namespace depscope::replay {
namespace {

using runtime::ElementType;

static_assert(sizeof(float) == 4 && std::numeric_limits<float>::is_iec559);

template <std::unsigned_integral Bits>
Bits little_endian(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return static_cast<Bits>(value);
}

template <class Number>
std::string text_of(Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Inf" : "Inf";
  }
  return fmt::format("{}", number);
}

/// `number_of` makes a float or a 64-bit integer of the bits of one element.
template <std::unsigned_integral Bits, class NumberOf>
DecodedPayload decode(std::uint64_t numel, std::string_view bytes, std::size_t first, const NumberOf& number_of) {
  using Number = decltype(number_of(Bits{}));
  DecodedPayload out;
  out.elements = std::min<std::uint64_t>(numel, bytes.size() / sizeof(Bits));
  bool any = false;
  Number minimum{}, maximum{};
  for (std::uint64_t i = 0; i < out.elements; ++i) {
    const Number number = number_of(little_endian<Bits>(bytes.data() + i * sizeof(Bits)));
    if (i < first) out.first.push_back(text_of(number));
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(number)) {
        ++(std::isnan(number) ? out.nan : out.infinite);
        continue;
      }
    }
    minimum = any ? std::min(minimum, number) : number;
    maximum = any ? std::max(maximum, number) : number;
    any = true;
  }
  if (any) {
    out.minimum = text_of(minimum);
    out.maximum = text_of(maximum);
  }
  return out;
}

/// Integers are widened so that they are shown as numbers.
template <std::integral Integer>
DecodedPayload decode_integers(std::uint64_t numel, std::string_view bytes, std::size_t first) {
  using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;
  using Bits = std::make_unsigned_t<Integer>;
  return decode<Bits>(numel, bytes, first, [](Bits bits) { return static_cast<Wide>(static_cast<Integer>(bits)); });
}

DecodedPayload decode_bytes(std::uint64_t numel, std::string_view bytes, std::size_t first) {
  DecodedPayload out;
  out.elements = std::min<std::uint64_t>(numel, bytes.size());
  const std::size_t kept = std::min<std::size_t>(out.elements, first);
  for (const char byte : bytes.substr(0, kept)) out.first.push_back(fmt::format("{:02x}", static_cast<unsigned char>(byte)));
  return out;
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  constexpr std::uint32_t kMantissaBits = 10, kExponents = 31;
  const std::uint32_t exponent = bits >> kMantissaBits & kExponents;
  const std::uint32_t mantissa = bits & ((1U << kMantissaBits) - 1);
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  // Below the normal ones, the exponent is that of the smallest: 2^-14, so the last bit counts 2^-24.
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  constexpr std::uint32_t kFloatMantissaBits = 23, kBiases = 127 - 15;
  const std::uint32_t float_exponent = exponent == kExponents ? 255 : exponent + kBiases;
  return std::bit_cast<float>(sign | float_exponent << kFloatMantissaBits | mantissa << (kFloatMantissaBits - kMantissaBits));
}

float bfloat16_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

DecodedPayload decode_payload(ElementType type, std::uint64_t numel, std::string_view bytes, std::size_t first) {
  switch (type) {
    case ElementType::Float32:
      return decode<std::uint32_t>(numel, bytes, first, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    case ElementType::Float16: return decode<std::uint16_t>(numel, bytes, first, half_to_float);
    case ElementType::BFloat16: return decode<std::uint16_t>(numel, bytes, first, bfloat16_to_float);
    case ElementType::Int64: return decode_integers<std::int64_t>(numel, bytes, first);
    case ElementType::Int32: return decode_integers<std::int32_t>(numel, bytes, first);
    case ElementType::Int16: return decode_integers<std::int16_t>(numel, bytes, first);
    case ElementType::Int8: return decode_integers<std::int8_t>(numel, bytes, first);
    case ElementType::UInt64: return decode_integers<std::uint64_t>(numel, bytes, first);
    case ElementType::UInt32: return decode_integers<std::uint32_t>(numel, bytes, first);
    case ElementType::UInt16: return decode_integers<std::uint16_t>(numel, bytes, first);
    case ElementType::UInt8:
    case ElementType::Bool: return decode_integers<std::uint8_t>(numel, bytes, first);
    default: return decode_bytes(numel, bytes, first);
  }
}

std::string_view payload_bytes(const ArgsDump& dump, std::uint32_t row, std::string_view binary) {
  if (dump.overwritten[row] != 0) return {};
  const std::uint64_t begin = std::min<std::uint64_t>(dump.bin_offset[row], binary.size());
  return binary.substr(begin, dump.bin_size[row]);
}

}  // namespace depscope::replay
