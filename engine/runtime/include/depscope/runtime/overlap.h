// Does an access touch bytes that an earlier write registered? The runtime's own, conservative answer (runtime.md 4.3).
#pragma once

#include <cstdint>

#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Values are those of EdgeReasonRow::overlap.
enum class Overlap : std::uint8_t { None = 0, Other = 1, Covered = 2 };

/// In which unit begin and end of two accesses are compared. The runtime counts elements of each tensor's own type, and so
/// misses overlaps between types of different size (hazard H3); Bytes is the intended behaviour.
enum class RangeUnit : std::uint8_t { Elements, Bytes };

/// Elements from the first to the last one a descriptor touches, 0 for a view without elements (runtime.md 2.2).
/// Saturates at the largest 64-bit value.
[[nodiscard]] std::uint64_t extent_of(const TensorDescriptor& tensor);

/// end = start_offset + extent, saturating.
[[nodiscard]] std::uint64_t end_of(const TensorDescriptor& tensor);

/// Classifies `requested` against the older write `written`; both name the same base address. Covered means that the request
/// contains the whole older write; Other that they may share something. Pure; any values are allowed.
[[nodiscard]] Overlap classify_overlap(const TensorDescriptor& written, const TensorDescriptor& requested,
                                       RangeUnit unit = RangeUnit::Elements);

}  // namespace depscope::runtime
