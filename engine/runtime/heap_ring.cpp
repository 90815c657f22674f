#include "heap_ring.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

constexpr std::uint64_t kGrain = 64;

}  // namespace

std::optional<HeapRing::Taken> HeapRing::place(std::uint64_t bytes) const {
  const std::uint64_t need = (bytes + kGrain - 1) / kGrain * kGrain;
  if (need == 0) return Taken{top, top, false};
  const std::uint64_t apart = mutation == Mutation::HeapMeetsTail ? 0 : 1;  // top and tail may not meet
  if (top < tail) {
    if (tail - top >= need + apart) return Taken{top, top + need, false};
    return std::nullopt;
  }
  if (size - top >= need || (mutation == Mutation::HeapCrossesEnd && size > top)) return Taken{top, top + need, false};
  if (tail >= need + apart) return Taken{0, need, false};
  if (top == tail && need <= size) return Taken{0, need, true};
  return std::nullopt;
}

std::uint64_t HeapRing::available() const {
  if (top == tail) return size;
  return top > tail ? std::max(size - top, tail) : tail - top;
}

}  // namespace depscope::runtime
