// What two storage records have in common, in elements and bytes. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "depscope/recording/tables.h"
#include "why_program.h"

namespace depscope::replay {

struct SharedPlace {
  std::optional<std::uint64_t> elements, bytes;  ///< 0: none; none: not known
  std::string text;                              ///< "256 bytes: …", "none: …", "not known, because …"
};

/// `first` and `second` are storage rows of call sites of `function`.
[[nodiscard]] SharedPlace shared_place(const recording::Recording& recording, const WhyProgram& program, std::uint32_t function,
                                       std::uint32_t first, std::uint32_t second);

/// "256 bytes (64 elements of FP32)"; "64 elements" where the element has no known size.
[[nodiscard]] std::string amount_text(std::uint64_t elements, const BufferType& type);

}  // namespace depscope::replay
