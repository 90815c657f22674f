#include "check_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace depscope::replay {
namespace {

using recording::Recording;

struct View {
  std::uint32_t rank = 0;
  std::array<std::uint64_t, runtime::kMaxRank> shape{}, strides{}, at{};
  bool box = false;  // strides divide one another down to 1, and no dimension runs past the one before it
};

View view_of(const Recording& r, std::uint64_t start, std::uint32_t geometry_begin, std::uint32_t count) {
  View v;
  v.rank = std::min<std::uint32_t>(count / 3, runtime::kMaxRank);
  const std::uint32_t* words = r.pool.data() + geometry_begin;
  for (std::uint32_t i = 0; i < v.rank; ++i) {
    v.shape[i] = words[i];
    v.strides[i] = words[v.rank + 2 * i] | std::uint64_t{words[v.rank + 2 * i + 1]} << 32U;
  }
  v.box = v.rank > 0 && v.strides[v.rank - 1] == 1;
  std::uint64_t rest = start;
  for (std::uint32_t i = 0; v.box && i < v.rank; ++i) {
    if (v.strides[i] == 0 || (i > 0 && v.strides[i - 1] % v.strides[i] != 0)) {
      v.box = false;
      break;
    }
    v.at[i] = rest / v.strides[i];
    rest %= v.strides[i];
    if (i > 0 && v.at[i] + v.shape[i] > v.strides[i - 1] / v.strides[i]) v.box = false;
  }
  return v;
}

}  // namespace

runtime::TensorDescriptor descriptor_of(const Recording& r, std::uint32_t access) {
  runtime::TensorDescriptor out;
  const std::uint32_t tensor = r.accesses.tensor[access];
  out.address = r.tensors.address[tensor];
  out.buffer_elements = r.tensors.buffer_elements[tensor];
  out.owner = r.tensors.owner[tensor];
  out.version = r.tensors.version[tensor];
  out.dtype = static_cast<runtime::ElementType>(r.tensors.dtype[tensor]);
  out.manual_dep = r.tensors.manual_dep[tensor] != 0;
  out.start_offset = r.accesses.start_offset[access];
  const View v = view_of(r, out.start_offset, r.accesses.geometry_begin[access], r.accesses.geometry_begin_count[access]);
  out.rank = static_cast<std::uint8_t>(v.rank);
  for (std::uint32_t i = 0; i < v.rank; ++i) {
    out.shape[i] = static_cast<std::uint32_t>(v.shape[i]);
    out.strides[i] = v.strides[i];
  }
  return out;
}

bool is_empty(const Recording& r, std::uint32_t access) {
  const std::uint32_t rank = r.accesses.geometry_begin_count[access] / 3;
  const auto shape = std::span(r.pool).subspan(r.accesses.geometry_begin[access], rank);
  return std::any_of(shape.begin(), shape.end(), [](std::uint32_t extent) { return extent == 0; });
}

bool same_buffer(const Recording& r, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t x = r.accesses.tensor[a];
  const std::uint32_t y = r.accesses.tensor[b];
  return x == y || (r.tensors.address[x] == r.tensors.address[y] && r.tensors.owner[x] == r.tensors.owner[y]);
}

Meeting meet_as_declared(const Recording& r, std::uint32_t a, std::uint32_t b) {
  std::array<std::uint64_t, 2> begin{};
  std::array<ByteShape, 2> shape;
  const std::array<std::uint32_t, 2> accesses{a, b};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint32_t access = accesses[i];
    const std::uint32_t tensor = r.accesses.tensor[access];
    const std::uint32_t bytes = element_size(static_cast<runtime::ElementType>(r.tensors.dtype[tensor]));
    if (r.accesses.geometry_begin_count[access] == 0 || bytes == 0) return Meeting::Unknown;
    shape[i] =
        byte_shape(std::span(r.pool).subspan(r.accesses.geometry_begin[access], r.accesses.geometry_begin_count[access]), bytes);
    if (__builtin_mul_overflow(r.accesses.start_offset[access], bytes, &begin[i]) ||
        __builtin_add_overflow(begin[i], r.tensors.address[tensor], &begin[i]))
      return Meeting::Unknown;
  }
  return meet(begin[0], shape[0], begin[1], shape[1]);
}

std::string box_json(const Recording& r, std::uint64_t start, std::uint32_t geometry_begin, std::uint32_t count) {
  const View v = view_of(r, start, geometry_begin, count);
  if (v.rank == 0) return "null";
  if (!v.box) {
    const std::span shape(v.shape.data(), v.rank);
    const std::span strides(v.strides.data(), v.rank);
    return fmt::format(R"({{"start":{},"shape":[{}],"strides":[{}]}})", start, fmt::join(shape, ","), fmt::join(strides, ","));
  }
  std::string out;
  for (std::uint32_t i = 0; i < v.rank; ++i) out += fmt::format("{}[{},{}]", i == 0 ? "" : ",", v.at[i], v.at[i] + v.shape[i]);
  return v.rank == 1 ? out : "[" + out + "]";
}

std::string box_text(const Recording& r, std::uint64_t start, std::uint32_t geometry_begin, std::uint32_t count) {
  const View v = view_of(r, start, geometry_begin, count);
  if (v.rank == 0) return "[?]";
  if (!v.box) {
    const std::span shape(v.shape.data(), v.rank);
    const std::span strides(v.strides.data(), v.rank);
    return fmt::format("[{} elements from {}, stride {}]", fmt::join(shape, "x"), start, fmt::join(strides, ","));
  }
  std::string out = "[";
  for (std::uint32_t i = 0; i < v.rank; ++i) out += fmt::format("{}{}:{}", i == 0 ? "" : ", ", v.at[i], v.at[i] + v.shape[i]);
  return out + "]";
}

}  // namespace depscope::replay
