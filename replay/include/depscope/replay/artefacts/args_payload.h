// What a payload of args.bin holds (artefacts.md 7): little-endian elements, row-major and without gaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/artefacts/args_dump.h"

namespace depscope::replay {

/// IEEE 754 binary16, and the upper half of a binary32: every value is one of a float, too.
[[nodiscard]] float half_to_float(std::uint16_t bits);
[[nodiscard]] float bfloat16_to_float(std::uint16_t bits);

struct DecodedPayload {
  std::uint64_t elements = 0;      ///< that were decoded
  std::vector<std::string> first;  ///< the first of them: shortest text that gives the same value, "NaN", "Inf", "-Inf", "3f"
  std::string minimum, maximum;    ///< of the finite ones; empty if there is none, or they are shown as hexadecimal bytes
  std::uint64_t nan = 0, infinite = 0;
};

/// Decodes min(numel, bytes / element size) elements; of them `first` are kept as text. BOOL is a number of one byte. Elements of
/// a type without a known meaning (FP8E4M3FN, FP8E8M0, FP4E2M1, UNKNOWN) are single bytes, in hexadecimal.
[[nodiscard]] DecodedPayload decode_payload(runtime::ElementType type, std::uint64_t numel, std::string_view bytes,
                                            std::size_t first);

/// The bytes of one row, as far as the binary has them; none of a payload that was overwritten.
[[nodiscard]] std::string_view payload_bytes(const ArgsDump& dump, std::uint32_t row, std::string_view binary);

}  // namespace depscope::replay
