#include "view_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace depscope::viewers {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62U;

bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product) && product < kMostBytes;
}

/// Whether the copies of dimension `rank` - 1 and inwards at `base` share a byte with [low, high). Nested views only.
bool meets(const ByteView& view, std::uint8_t rank, std::uint64_t extent, std::uint64_t base, std::uint64_t low,
           std::uint64_t high) {
  if (base >= high || base + extent <= low) return false;
  if (rank == 0) return true;
  const auto [count, stride] = view.dimensions[rank - 1U];
  const std::uint64_t inner = extent - (count - 1) * stride;
  const std::uint64_t first = low < base + inner ? 0 : (low - base - inner) / stride + 1;
  const std::uint64_t last = std::min(count - 1, (high - 1 - base) / stride);
  if (first > last) return false;
  if (last - first >= 2) return true;  // the copy between them lies inside whole
  const auto below = static_cast<std::uint8_t>(rank - 1U);
  return meets(view, below, inner, base + first * stride, low, high) ||
         (last != first && meets(view, below, inner, base + last * stride, low, high));
}

/// Calls f(begin) for every run, until it says true.
template <class F>
bool any_run(const ByteView& view, F&& f) {
  std::array<std::uint64_t, runtime::kMaxRank> index{};
  for (;;) {
    std::uint64_t at = view.begin;
    for (std::uint8_t d = 0; d < view.rank; ++d) at += index[d] * view.dimensions[d].stride;
    if (f(at)) return true;
    std::uint8_t d = 0;
    for (; d < view.rank && ++index[d] == view.dimensions[d].count; ++d) index[d] = 0;
    if (d == view.rank) return false;
  }
}

bool lists_meet(const ByteView& a, const ByteView& b) {
  const auto list = [](const ByteView& view) {
    std::vector<ByteRun> runs;
    any_run(view, [&](std::uint64_t at) {
      runs.emplace_back(at, at + view.run);
      return false;
    });
    std::sort(runs.begin(), runs.end());
    return runs;
  };
  const auto x = list(a);
  const auto y = list(b);
  // All runs of one view are equally long, so that both ends ascend.
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].first < y[j].second && y[j].first < x[i].second) return true;
    if (x[i].second <= y[j].first) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

}  // namespace

std::uint64_t ByteView::runs() const {
  std::uint64_t product = run == 0 ? 0 : 1;
  for (std::uint8_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(product, dimensions[d].count, &product)) return std::numeric_limits<std::uint64_t>::max();
  }
  return product;
}

ByteView byte_view(std::uint64_t start_offset, std::span<const std::uint32_t> words, std::uint32_t element_bytes) {
  ByteView view;
  const std::size_t rank = words.size() / 3;
  if (rank == 0 || rank > runtime::kMaxRank || element_bytes == 0) return view;
  if (!multiply(start_offset, element_bytes, view.begin)) return view;
  const auto shape = words.first(rank);
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) {
    view.known = true;
    return view;
  }
  std::array<ByteView::Dimension, runtime::kMaxRank> steps{};
  std::size_t used = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::uint64_t stride = words[rank + 2 * i] | std::uint64_t{words[rank + 2 * i + 1]} << 32U;
    if (shape[i] == 1 || stride == 0) continue;  // the same element again and again
    std::uint64_t bytes = 0;
    if (!multiply(stride, element_bytes, bytes)) return view;
    steps[used++] = {shape[i], bytes};
  }
  std::sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(used),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  view.run = element_bytes;
  view.extent = element_bytes;
  for (std::size_t i = 0; i < used; ++i) {
    std::uint64_t reach = 0;
    if (!multiply(steps[i].count - 1, steps[i].stride, reach) || view.extent + reach >= kMostBytes) return view;
    const bool solid = view.rank == 0 && steps[i].stride <= view.run;
    if (!solid) {
      view.nested = view.nested && steps[i].stride >= view.extent;
      view.dimensions[view.rank++] = steps[i];
    }
    view.extent += reach;
    if (solid) view.run = view.extent;
  }
  view.known = true;
  return view;
}

Shared shares_bytes(const ByteView& a, const ByteView& b) {
  if (a.empty() || b.empty()) return Shared::No;
  if (!a.known || !b.known) return Shared::Maybe;
  if (a.begin >= b.end() || b.begin >= a.end()) return Shared::No;
  if (a.rank == 0 && b.rank == 0) return Shared::Yes;
  const std::uint64_t a_runs = a.runs();
  const std::uint64_t b_runs = b.runs();
  const auto walk = [](const ByteView& walked, const ByteView& other) {
    const bool met = any_run(
        walked, [&](std::uint64_t at) { return meets(other, other.rank, other.extent, other.begin, at, at + walked.run); });
    return met ? Shared::Yes : Shared::No;
  };
  if (b.nested && a_runs <= kMaxRuns && (a_runs <= b_runs || !a.nested || b_runs > kMaxRuns)) return walk(a, b);
  if (a.nested && b_runs <= kMaxRuns) return walk(b, a);
  if (a_runs <= kMaxRuns && b_runs <= kMaxRuns) return lists_meet(a, b) ? Shared::Yes : Shared::No;
  return Shared::Maybe;
}

bool drawn_runs(const ByteView& view, std::uint64_t least, std::size_t limit, std::vector<ByteRun>& out) {
  out.clear();
  if (!view.known || view.run == 0) return true;
  ByteView left = view;
  bool whole = true;
  const auto close_innermost = [&] {
    left.run = left.dimensions[0].stride * (left.dimensions[0].count - 1) + left.run;
    std::move(left.dimensions.begin() + 1, left.dimensions.end(), left.dimensions.begin());
    --left.rank;
    whole = false;
  };
  while (left.rank > 0 && (left.dimensions[0].stride < left.run + least || left.runs() > limit)) close_innermost();
  any_run(left, [&](std::uint64_t at) {
    out.emplace_back(at, at + left.run);
    return false;
  });
  return whole;
}

runtime::TensorDescriptor descriptor_of_access(const recording::Recording& r, std::uint32_t access) {
  runtime::TensorDescriptor out;
  const std::uint32_t tensor = r.accesses.tensor[access];
  out.address = r.tensors.address[tensor];
  out.buffer_elements = r.tensors.buffer_elements[tensor];
  out.owner = r.tensors.owner[tensor];
  out.version = r.tensors.version[tensor];
  out.dtype = static_cast<runtime::ElementType>(r.tensors.dtype[tensor]);
  out.manual_dep = r.tensors.manual_dep[tensor] != 0;
  out.start_offset = r.accesses.start_offset[access];
  const std::uint32_t rank = std::min(r.accesses.geometry_begin_count[access] / 3, runtime::kMaxRank);
  out.rank = static_cast<std::uint8_t>(rank);
  const std::uint32_t* words = r.pool.data() + r.accesses.geometry_begin[access];
  for (std::uint32_t d = 0; d < rank; ++d) {
    out.shape[d] = words[d];
    out.strides[d] = words[rank + 2 * d] | std::uint64_t{words[rank + 2 * d + 1]} << 32U;
  }
  return out;
}

std::optional<Box> box_of(const runtime::TensorDescriptor& tensor) {
  if (tensor.rank == 0 || tensor.strides[tensor.rank - 1U] != 1) return std::nullopt;
  Box box;
  box.rank = tensor.rank;
  std::uint64_t rest = tensor.start_offset;
  std::uint64_t above = tensor.buffer_elements;
  for (std::uint8_t d = 0; d < tensor.rank; ++d) {
    const std::uint64_t stride = tensor.strides[d];
    // A buffer that was made larger than its shape ends in a row that is not whole.
    if (stride == 0 || (d > 0 && above % stride != 0)) return std::nullopt;
    box.of[d] = above / stride;
    box.begin[d] = rest / stride;
    box.end[d] = box.begin[d] + tensor.shape[d];
    if (box.end[d] > box.of[d]) return std::nullopt;
    rest %= stride;
    above = stride;
  }
  return box;
}

std::string box_words(const runtime::TensorDescriptor& tensor) {
  if (tensor.rank == 0) return "not told";
  const auto box = box_of(tensor);
  std::string words = "[";
  for (std::uint8_t d = 0; d < tensor.rank; ++d) {
    if (d > 0) words += ", ";
    words += box ? fmt::format("{}:{}", box->begin[d], box->end[d]) : fmt::format("{}", tensor.shape[d]);
  }
  words += "]";
  if (box) return words;
  if (tensor.start_offset != 0) words += fmt::format(" + {}", tensor.start_offset);
  words += ", strides ";
  for (std::uint8_t d = 0; d < tensor.rank; ++d) words += fmt::format("{}{}", d > 0 ? ", " : "", tensor.strides[d]);
  return words;
}

}  // namespace depscope::viewers
