// Arguments of tasks as boxes, for messages and for the comparison of what was declared. Private.
#pragma once

#include <cstdint>
#include <string>

#include "check_bytes.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

/// The tensor of an access as the runtime saw it.
[[nodiscard]] runtime::TensorDescriptor descriptor_of(const recording::Recording& r, std::uint32_t access);
/// A view without elements.
[[nodiscard]] bool is_empty(const recording::Recording& r, std::uint32_t access);
/// Two arguments on one allocation: same address, same owner.
[[nodiscard]] bool same_buffer(const recording::Recording& r, std::uint32_t a, std::uint32_t b);
/// Whether the whole arguments share a byte, whatever the kernels do with them. Unknown where a place is not known.
[[nodiscard]] Meeting meet_as_declared(const recording::Recording& r, std::uint32_t a, std::uint32_t b);

/// A range of elements as a box in its buffer, seen through the strides of the view: "[16, 32]" for one dimension, "[[0, 4], [16,
/// 32]]" for more; an object with start, shape and strides where that is no box. JSON.
[[nodiscard]] std::string box_json(const recording::Recording& r, std::uint64_t start, std::uint32_t geometry_begin,
                                   std::uint32_t count);
/// The same for people: "[16:32]", "[0:4, 16:32]", "8 elements from 1, stride 2".
[[nodiscard]] std::string box_text(const recording::Recording& r, std::uint64_t start, std::uint32_t geometry_begin,
                                   std::uint32_t count);

}  // namespace depscope::replay
