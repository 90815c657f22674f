#include "why_path.h"

namespace depscope::replay {

using recording::kNoRow;

std::vector<std::uint32_t> calls_between(const recording::Recording& r, const WhyProgram& program, const PairRows& rows,
                                         std::uint32_t first, std::uint32_t second) {
  std::vector<std::uint32_t> after(r.call_sites.rows(), kNoRow);  // the next call on the way to the second one
  std::vector<std::uint32_t> queue{second};
  for (std::size_t i = 0; i < queue.size() && after[first] == kNoRow; ++i) {
    for (const EdgeAsked& edge : rows.edges_of(queue[i])) {
      if (edge.status != pass::EdgeStatus::Kept) continue;
      const std::vector<std::uint32_t> producers =
          edge.producer == kNoRow ? program.producers(queue[i], r.text(edge.id)) : std::vector{edge.producer};
      for (const std::uint32_t producer : producers) {
        if (producer >= queue[i] || producer < first || after[producer] != kNoRow) continue;
        after[producer] = queue[i];
        queue.push_back(producer);
      }
    }
  }
  std::vector<std::uint32_t> out;
  if (after[first] == kNoRow) return out;
  for (std::uint32_t s = after[first]; s != second; s = after[s]) out.push_back(s);
  return out;
}

}  // namespace depscope::replay
