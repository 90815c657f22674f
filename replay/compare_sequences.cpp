#include "compare_sequences.h"

#include <algorithm>
#include <span>

#include "depscope/base/edit_script.h"

namespace depscope::replay {
namespace {

constexpr std::uint32_t kMaxEdits = 2000;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Part {
  std::uint32_t a_begin, a_end, b_begin, b_end;
};

void match_part(const std::vector<SequenceKeys>& keys, std::size_t level, const Part& part, Leftover leftover, Pairs& out) {
  const std::uint32_t na = part.a_end - part.a_begin;
  const std::uint32_t nb = part.b_end - part.b_begin;
  if (na == 0 || nb == 0) return;
  if (level == keys.size()) {
    if (leftover == Leftover::Unmatched || (leftover == Leftover::InOrderIfAsMany && na != nb)) return;
    for (std::uint32_t i = 0; i < std::min(na, nb); ++i) out.emplace_back(part.a_begin + i, part.b_begin + i);
    return;
  }
  bool limited = false;
  auto pairs = common_entries(std::span(keys[level].a).subspan(part.a_begin, na),
                              std::span(keys[level].b).subspan(part.b_begin, nb), kMaxEdits, limited);
  pairs.emplace_back(na, nb);
  Part gap{part.a_begin, part.a_begin, part.b_begin, part.b_begin};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    gap.a_end = part.a_begin + pairs[i].first;
    gap.b_end = part.b_begin + pairs[i].second;
    match_part(keys, level + 1, gap, leftover, out);
    if (i + 1 < pairs.size()) out.emplace_back(gap.a_end, gap.b_end);
    gap.a_begin = gap.a_end + 1;
    gap.b_begin = gap.b_end + 1;
  }
}

}  // namespace

Pairs match_sequences(const std::vector<SequenceKeys>& keys, Leftover leftover) {
  Pairs out;
  if (keys.empty()) return out;
  match_part(keys, 0, {0, static_cast<std::uint32_t>(keys[0].a.size()), 0, static_cast<std::uint32_t>(keys[0].b.size())},
             leftover, out);
  return out;
}

}  // namespace depscope::replay
