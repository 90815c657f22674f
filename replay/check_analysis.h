// All that a check finds out, as rows. Private.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "check_false.h"
#include "check_lifetime.h"
#include "check_names.h"
#include "check_order.h"
#include "check_reach.h"
#include "check_touches.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/check.h"

namespace depscope::replay {

/// Pairs with the same kernels and the same buffer.
using PairGroup = std::vector<std::uint32_t>;

class CheckAnalysis {
 public:
  CheckAnalysis(const recording::Recording& recording, TaskReference reference);

  const recording::Recording& r;
  Touches touches;
  LoopNest loops;
  TaskNames names;

  OrderResult missing;
  std::size_t first_reduced = 0;  ///< pairs from here on are unordered in the reduced graph only
  std::vector<std::pair<std::uint32_t, std::uint32_t>> missing_touches;  ///< by pair: places in touches.all() that meet
  std::map<std::uint32_t, std::uint32_t> lacking;                        ///< by consumer: missing pairs
  std::vector<PairGroup> missing_groups;                                 ///< of missing.pairs

  std::vector<FalseEdge> falses;
  std::vector<PairGroup> false_groups;  ///< of falses that wait after the reduction
  PairGroup idle_falses;                ///< the others: what they order other edges order, too

  Lifetimes lifetimes;
  std::vector<std::uint32_t> reduced;  ///< edges rows whose WAIT the reduction cleared

  std::vector<Severity> severities;  ///< by findings row
  CheckCounts counts;

  [[nodiscard]] bool waits(std::uint32_t edge) const { return (r.edges.flags_final[edge] & runtime::kWait) != 0; }

 private:
  using GroupKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  using GroupNumbers = std::map<GroupKey, std::uint32_t>;

  void find_missing();
  [[nodiscard]] bool reduction_holds(Reach& built) const;
  void group_missing();
  void group_falses();
  void find_reduced();
  void count();
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> meeting(const UnorderedPair& pair) const;
  static void add(GroupNumbers& numbers, const GroupKey& key, std::vector<PairGroup>& groups, std::uint32_t member);
};

}  // namespace depscope::replay
