#include "check_bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace depscope::replay {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62U;
constexpr std::uint32_t kSearchSteps = 1U << 16U;  // of one comparison with three or more different strides

/// Sum of x[i] * stride[i], 0 <= x[i] < count[i], is to lie in [low, high].
struct Term {
  Wide stride = 0;
  Wide count = 0;
};

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Wide ceil_div(Wide a, Wide b) { return -floor_div(-a, b); }

/// Smallest t >= 0 with low <= a * t mod m <= high, where 0 <= low <= high < m and 0 <= a < m; -1 if there is none.
Wide first_in_range(Wide a, Wide m, Wide low, Wide high) {
  if (low == 0) return 0;
  if (a == 0) return -1;
  const Wide t = ceil_div(low, a);
  if (a * t <= high) return t;
  // a * t - m * y in [low, high]: no multiple of a lies there, so m * y mod a in [-high mod a, -low mod a].
  const Wide y = first_in_range(m % a, a, a - high % a, a - low % a);
  return y < 0 ? -1 : ceil_div(low + m * y, a);
}

class Search {
 public:
  explicit Search(std::span<const Term> terms) : terms_(terms) {}

  /// Terms [0, count), ascending by stride; every stride is larger than the width of the interval.
  Meeting solve(std::size_t count, Wide low, Wide high) {
    if (count == 0) return low <= 0 && high >= 0 ? Meeting::Yes : Meeting::No;
    if (count == 1) return one(terms_[0], low, high);
    if (count == 2) return two(terms_[1], terms_[0], low, high);
    Wide rest = 0;
    Wide divisor = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + 1 < count) rest += (terms_[i].count - 1) * terms_[i].stride;
      divisor = std::gcd(static_cast<std::uint64_t>(divisor), static_cast<std::uint64_t>(terms_[i].stride));
    }
    if (floor_div(high, divisor) * divisor < low) return Meeting::No;
    const Term& term = terms_[count - 1];
    const Wide first = std::max<Wide>(0, ceil_div(low - rest, term.stride));
    const Wide last = std::min<Wide>(term.count - 1, floor_div(high, term.stride));
    for (Wide x = first; x <= last; ++x) {
      if (steps_++ == kSearchSteps) return Meeting::Unknown;
      const Meeting found = solve(count - 1, low - x * term.stride, high - x * term.stride);
      if (found != Meeting::No) return found;
    }
    return Meeting::No;
  }

 private:
  static Meeting one(const Term& term, Wide low, Wide high) {
    const Wide first = std::max<Wide>(0, ceil_div(low, term.stride));
    return first <= std::min<Wide>(term.count - 1, floor_div(high, term.stride)) ? Meeting::Yes : Meeting::No;
  }

  /// x * big + y * small. With y = 0 the first term alone has to do it; otherwise, in the range of x where the bounds of y do not
  /// matter, (high - x * big) mod small has to be at most the width.
  static Meeting two(const Term& big, const Term& small, Wide low, Wide high) {
    if (one(big, low, high) == Meeting::Yes) return Meeting::Yes;
    const Wide first = std::max<Wide>(0, floor_div(high - small.count * small.stride, big.stride) + 1);
    const Wide last = std::min<Wide>(big.count - 1, floor_div(low, big.stride));
    if (first > last) return Meeting::No;
    const Wide m = small.stride;
    const Wide width = high - low;
    const Wide at = ((high - first * big.stride) % m + m) % m;
    if (at <= width) return Meeting::Yes;
    const Wide step = (m - big.stride % m) % m;
    const Wide from = m - at;  // at + step * t is to be 0 … width modulo m
    const Wide t = first_in_range(step, m, from, from + width);
    return t >= 0 && t <= last - first ? Meeting::Yes : Meeting::No;
  }

  std::span<const Term> terms_;
  std::uint32_t steps_ = 0;
};

}  // namespace

std::uint64_t ByteShape::runs() const {
  if (empty()) return 0;
  std::uint64_t out = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(out, dimensions[i].count, &out)) return std::numeric_limits<std::uint64_t>::max();
  }
  return out;
}

ByteShape byte_shape(std::span<const std::uint32_t> words, std::uint32_t element_bytes) {
  ByteShape out;
  const std::size_t rank = std::min<std::size_t>(words.size() / 3, runtime::kMaxRank);
  if (element_bytes == 0) return out;
  std::array<ByteShape::Dimension, runtime::kMaxRank> all{};
  std::size_t count = 0;
  Wide extent = element_bytes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (words[i] == 0) return out;
    const std::uint64_t stride = words[rank + 2 * i] | std::uint64_t{words[rank + 2 * i + 1]} << 32U;
    if (words[i] == 1 || stride == 0) continue;
    if (stride > kMaxBytes / element_bytes) return out;
    all[count++] = {words[i], stride * element_bytes};
    extent += Wide{words[i] - 1} * (stride * element_bytes);
    if (extent > kMaxBytes) return out;
  }
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  out.run = element_bytes;
  out.extent = static_cast<std::uint64_t>(extent);
  std::size_t i = 0;
  // Sorted by stride: once one leaves a gap, all later ones do.
  for (; i < count && all[i].stride <= out.run; ++i) out.run += (all[i].count - 1) * all[i].stride;
  std::uint64_t inner = out.run;
  for (; i < count; ++i) {
    ByteShape::Dimension& next = all[i];
    out.overlaps_itself = out.overlaps_itself || next.stride < inner;
    inner += (next.count - 1) * next.stride;
    if (out.rank > 0 && next.stride == out.dimensions[out.rank - 1U].stride * out.dimensions[out.rank - 1U].count) {
      out.dimensions[out.rank - 1U].count *= next.count;  // goes on where the one before ends
    } else {
      out.dimensions[out.rank++] = next;
    }
  }
  std::reverse(out.dimensions.begin(), out.dimensions.begin() + out.rank);
  return out;
}

Meeting meet(std::uint64_t a_begin, const ByteShape& a, std::uint64_t b_begin, const ByteShape& b) {
  if (a.empty() || b.empty()) return Meeting::No;
  const Wide distance = Wide{b_begin} - Wide{a_begin};
  if (distance >= Wide{a.extent} || -distance >= Wide{b.extent}) return Meeting::No;
  if (a.rank == 0 && b.rank == 0) return Meeting::Yes;
  // Run i of a and run j of b meet if i's place minus j's lies in (distance - a.run, distance + b.run). Counting j from the other
  // end turns the difference into a sum.
  const Wide shift = Wide{b.extent} - Wide{b.run};
  Wide low = distance - Wide{a.run} + 1 + shift;
  Wide high = distance + Wide{b.run} - 1 + shift;
  std::array<Term, 2 * std::size_t{runtime::kMaxRank}> terms;
  std::size_t count = 0;
  for (const ByteShape* shape : {&a, &b}) {
    for (std::size_t i = 0; i < shape->rank; ++i) terms[count++] = {shape->dimensions[i].stride, shape->dimensions[i].count};
  }
  std::sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count),
            [](const Term& x, const Term& y) { return x.stride < y.stride; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept > 0 && terms[kept - 1].stride == terms[i].stride) {
      terms[kept - 1].count += terms[i].count - 1;
    } else {
      terms[kept++] = terms[i];
    }
  }
  // Steps that are not wider than the interval leave no gap between its copies.
  std::size_t wide = 0;
  for (; wide < kept && terms[wide].stride <= high - low + 1; ++wide) low -= (terms[wide].count - 1) * terms[wide].stride;
  return Search(std::span(terms).subspan(wide, kept - wide)).solve(kept - wide, low, high);
}

bool append_runs(std::uint64_t begin, const ByteShape& shape, std::uint64_t limit, std::vector<ByteRun>& out) {
  if (shape.empty()) return true;
  if (shape.runs() > limit) return false;
  const std::size_t first = out.size();
  std::array<std::uint64_t, runtime::kMaxRank> at{};
  std::uint64_t place = begin;
  for (bool more = true; more;) {
    out.emplace_back(place, place + shape.run);
    more = false;
    for (std::size_t i = shape.rank; i-- > 0;) {
      place += shape.dimensions[i].stride;
      if (++at[i] < shape.dimensions[i].count) {
        more = true;
        break;
      }
      place -= shape.dimensions[i].stride * shape.dimensions[i].count;
      at[i] = 0;
    }
  }
  if (!shape.overlaps_itself) return true;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  std::size_t last = first;
  for (std::size_t i = first + 1; i < out.size(); ++i) {
    if (out[i].first <= out[last].second) {
      out[last].second = std::max(out[last].second, out[i].second);
    } else {
      out[++last] = out[i];
    }
  }
  out.resize(last + 1);
  return true;
}

}  // namespace depscope::replay
