#include "depscope/runtime/overlap.h"

#include <limits>

namespace depscope::runtime {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMax : sum;
}

std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMax : product;
}

bool ranges_meet(const TensorDescriptor& written, const TensorDescriptor& requested, RangeUnit unit) {
  std::uint64_t written_begin = written.start_offset;
  std::uint64_t written_end = end_of(written);
  std::uint64_t requested_begin = requested.start_offset;
  std::uint64_t requested_end = end_of(requested);
  const std::uint64_t written_size = element_size(written.dtype);
  const std::uint64_t requested_size = element_size(requested.dtype);
  if (unit == RangeUnit::Bytes && written_size != requested_size) {
    if (written_size == 0 || requested_size == 0) return true;
    written_begin = saturating_mul(written_begin, written_size);
    written_end = saturating_mul(written_end, written_size);
    requested_begin = saturating_mul(requested_begin, requested_size);
    requested_end = saturating_mul(requested_end, requested_size);
  }
  return requested_end > written_begin && written_end > requested_begin;
}

/// Both tensors as boxes in the reference shape that the common strides span over the whole buffer.
Overlap compare_boxes(const TensorDescriptor& written, const TensorDescriptor& requested) {
  const std::uint32_t rank = requested.rank;
  std::uint64_t reference = requested.buffer_elements / requested.strides[0];
  std::uint64_t written_rest = written.start_offset;
  std::uint64_t requested_rest = requested.start_offset;
  bool apart = false;
  bool contained = true;
  for (std::uint32_t i = 0; i < rank; ++i) {
    const std::uint64_t stride = requested.strides[i];
    if (i > 0) reference = requested.strides[i - 1] / stride;
    const std::uint64_t written_at = written_rest / stride;
    const std::uint64_t requested_at = requested_rest / stride;
    written_rest %= stride;
    requested_rest %= stride;
    const std::uint64_t written_shape = written.shape[i];
    const std::uint64_t requested_shape = requested.shape[i];
    // A box that runs past its dimension wraps into the next one: no box any more.
    if (written_shape > reference || written_at > reference - written_shape) return Overlap::Other;
    if (requested_shape > reference || requested_at > reference - requested_shape) return Overlap::Other;
    if (!(requested_at + requested_shape > written_at && written_at + written_shape > requested_at)) apart = true;
    if (requested_at > written_at || requested_at + requested_shape < written_at + written_shape) contained = false;
  }
  if (apart) return Overlap::None;
  return contained ? Overlap::Covered : Overlap::Other;
}

}  // namespace

std::uint64_t extent_of(const TensorDescriptor& tensor) {
  std::uint64_t extent = 1;
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    if (tensor.shape[i] == 0) return 0;
    extent = saturating_add(extent, saturating_mul(tensor.shape[i] - 1, tensor.strides[i]));
  }
  return extent;
}

std::uint64_t end_of(const TensorDescriptor& tensor) { return saturating_add(tensor.start_offset, extent_of(tensor)); }

Overlap classify_overlap(const TensorDescriptor& written, const TensorDescriptor& requested, RangeUnit unit) {
  if (requested.version > written.version) return Overlap::Other;
  if (!ranges_meet(written, requested, unit)) return Overlap::None;
  if (requested.dtype != written.dtype || requested.rank != written.rank || requested.rank == 0) return Overlap::Other;
  const std::uint32_t rank = requested.rank;
  for (std::uint32_t i = 0; i < rank; ++i) {
    if (requested.strides[i] != written.strides[i] || requested.strides[i] == 0) return Overlap::Other;
  }
  if (requested.strides[rank - 1] != 1) return Overlap::Other;
  for (std::uint32_t i = 0; i + 1 < rank; ++i) {
    if (requested.strides[i] % requested.strides[i + 1] != 0) return Overlap::Other;
  }
  if (element_size(requested.dtype) == 0) return Overlap::Other;
  if (requested.buffer_elements % requested.strides[0] != 0) return Overlap::Other;
  return compare_boxes(written, requested);
}

}  // namespace depscope::runtime
