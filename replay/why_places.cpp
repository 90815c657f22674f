#include "why_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "explain_words.h"
#include "storage_box.h"

namespace depscope::replay {
namespace {

using pass::StorageKind;
using recording::Recording;

struct Extent {
  std::int64_t begin = 0, end = 0;
};
using Box = std::vector<Extent>;

StorageKind kind_of(const Recording& r, std::uint32_t storage) { return static_cast<StorageKind>(r.storage.kind[storage]); }

/// The window of a Box; false if an end does not fit.
bool read_box(const Recording& r, std::uint32_t storage, Box& out) {
  const std::vector<std::int64_t> numbers = box_numbers(r, storage);
  const std::size_t rank = numbers.size() / 2;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t begin = numbers[d];
    const std::int64_t extent = numbers[rank + d];
    if (extent < 0 || begin > std::numeric_limits<std::int64_t>::max() - extent) return false;
    out.push_back({begin, begin + extent});
  }
  return true;
}

/// Product of the extents; none if it is too large.
std::optional<std::uint64_t> volume(const Box& box) {
  std::uint64_t out = 1;
  for (const Extent& e : box) {
    const auto extent = static_cast<std::uint64_t>(e.end - e.begin);
    if (extent != 0 && out > std::numeric_limits<std::uint64_t>::max() / 64 / extent) return std::nullopt;
    out *= extent;
  }
  return out;
}

std::string window_text(const Box& box) {
  std::vector<std::string> parts;
  for (const Extent& e : box) parts.push_back(fmt::format("{}:{}", e.begin, e.end));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// First and last byte of a window in a buffer with rows one behind the other, if all of it lies inside.
std::optional<std::pair<std::uint64_t, std::uint64_t>> byte_range(const Box& box, const BufferType& type) {
  if (type.shape.size() != box.size() || type.element_bits % 8 != 0 || type.element_bits == 0) return std::nullopt;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].begin < 0 || static_cast<std::uint64_t>(box[d].end) > type.shape[d]) return std::nullopt;
    if (type.shape[d] != 0 && last > (std::uint64_t{1} << 56U) / type.shape[d]) return std::nullopt;
    first = first * type.shape[d] + static_cast<std::uint64_t>(box[d].begin);
    last = last * type.shape[d] + static_cast<std::uint64_t>(box[d].end - 1);
  }
  const std::uint64_t bytes = type.element_bits / 8;
  return std::pair{first * bytes, (last + 1) * bytes - 1};
}

SharedPlace unknown(std::string because) { return {std::nullopt, std::nullopt, "not known, because " + std::move(because)}; }

SharedPlace in_common(const Box& box, const std::optional<BufferType>& type, std::string_view root, bool whole) {
  const std::optional<std::uint64_t> elements = volume(box);
  if (!elements) return unknown("the window is too large");
  SharedPlace out;
  out.elements = elements;
  if (!type) {
    out.text =
        fmt::format("not known, because no one type of '{}' is printed; {} elements, {}", root, *elements, window_text(box));
    return out;
  }
  if (type->element_bits != 0) out.bytes = (*elements * type->element_bits + 7) / 8;
  out.text =
      fmt::format("{}, {} {}", amount_text(*elements, *type), whole ? "all of" : "window", whole ? root : window_text(box));
  if (whole) return out;
  out.text += fmt::format(" of {}", root);
  if (const auto range = byte_range(box, *type)) {
    const bool one_run = range->second - range->first + 1 == out.bytes;
    out.text += fmt::format(", {}bytes {} to {}", one_run ? "" : "within ", range->first, range->second);
  }
  return out;
}

/// What the MemRefs of two buffers have in common; nothing known without both.
SharedPlace shared_memory(const std::optional<BufferType>& first, const std::optional<BufferType>& second) {
  SharedPlace out;
  if (!first || !second || first->memory.empty() || first->memory != second->memory) return out;
  const std::uint64_t begin = std::max(first->memory_begin, second->memory_begin);
  const std::uint64_t end = std::min(first->memory_begin + first->memory_bytes, second->memory_begin + second->memory_bytes);
  out.bytes = end > begin ? end - begin : 0;
  if (*out.bytes != 0)
    out.text = fmt::format("{} bytes: both are names of memory {}, bytes {} to {}", *out.bytes, first->memory, begin, end - 1);
  return out;
}

}  // namespace

std::string amount_text(std::uint64_t elements, const BufferType& type) {
  const std::string count = fmt::format("{} element{}", elements, elements == 1 ? "" : "s");
  if (type.element_bits == 0) return fmt::format("{} of {}", count, type.element);
  const std::uint64_t bytes = (elements * type.element_bits + 7) / 8;
  return fmt::format("{} byte{} ({} of {})", bytes, bytes == 1 ? "" : "s", count, type.element);
}

SharedPlace shared_place(const Recording& r, const WhyProgram& program, std::uint32_t function, std::uint32_t first,
                         std::uint32_t second) {
  if (first == recording::kNoRow || second == recording::kNoRow) return unknown("nobody knows where one of the values lies");
  const std::string_view root = ir::source_name(r.text(r.storage.root[first]));
  if (r.storage.root[first] != r.storage.root[second]) {
    SharedPlace memory = shared_memory(program.buffer(function, r.text(r.storage.root[first])),
                                       program.buffer(function, r.text(r.storage.root[second])));
    const bool whole = kind_of(r, first) == StorageKind::Full && kind_of(r, second) == StorageKind::Full;
    if (whole && !memory.text.empty()) return memory;
    return unknown(fmt::format("'{}' and '{}' have no common origin: only their MemRefs say that they may be one memory", root,
                               ir::source_name(r.text(r.storage.root[second]))));
  }
  for (const std::uint32_t storage : {first, second}) {
    switch (kind_of(r, storage)) {
      case StorageKind::Conservative: return unknown(fmt::format("which part of {} it is does not show in the program", root));
      case StorageKind::Dynamic: return unknown(fmt::format("a window of {} depends on values of the run", root));
      case StorageKind::Unknown: return unknown(fmt::format("a view of {} has strides or a layout that are not followed", root));
      default: break;
    }
  }
  const std::optional<BufferType> type = program.buffer(function, r.text(r.storage.root[first]));
  Box box;
  const bool first_full = kind_of(r, first) == StorageKind::Full;
  const bool second_full = kind_of(r, second) == StorageKind::Full;
  if (first_full && second_full) {
    if (!type || type->shape.empty())
      return unknown(fmt::format("the size of {} does not show in the program; both use all of it", root));
    for (const std::uint64_t extent : type->shape) box.push_back({0, static_cast<std::int64_t>(extent)});
    return in_common(box, type, root, /*whole=*/true);
  }
  if (!read_box(r, first_full ? second : first, box)) return unknown("the end of a window does not fit 64 bits");
  if (!first_full && !second_full) {
    Box other;
    if (!read_box(r, second, other)) return unknown("the end of a window does not fit 64 bits");
    if (other.size() != box.size()) return unknown("the windows have different numbers of dimensions");
    for (std::size_t d = 0; d < box.size(); ++d) {
      const Extent common{std::max(box[d].begin, other[d].begin), std::min(box[d].end, other[d].end)};
      if (common.begin >= common.end) {
        return {0, 0,
                fmt::format("none: windows {} and {} of {} do not meet{}", window_text(box), window_text(other), root,
                            box.size() == 1 ? std::string() : fmt::format(" in dimension {}", d))};
      }
      box[d] = common;
    }
  }
  return in_common(box, type, root, /*whole=*/false);
}

}  // namespace depscope::replay
