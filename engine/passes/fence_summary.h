// What a for loop does with dependency arrays (passes.md 6.1, 6.2, 6.4): who waits on them, and whether the body changes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// Submits of one loop body that wait on exactly one dependency, an array of task ids.
struct ArrayUse {
  ir::VarId array;
  std::int64_t consumers = 0;  ///< submits of one iteration of the loop, nested constant loops multiplied out
};

/// A submit that is no candidate, because of how it names its dependencies.
struct RejectedUse {
  ir::VarId array;
  std::string_view reason;  ///< "mixed_or_multiple_deps"
};

struct LoopSummary {
  std::unordered_set<ir::VarId> defined;  ///< variables the body defines, nested statements included
  std::vector<ir::VarId> updated;         ///< arrays that some array.update_element of the body starts from
  std::vector<ArrayUse> uses;             ///< in first-seen order; nested loops count only in a sequential loop
  std::vector<RejectedUse> rejected;
};

/// Summaries of loops, each computed once.
class LoopSummaries {
 public:
  explicit LoopSummaries(const ir::NodeStore& store) : store_(store) {}
  [[nodiscard]] const LoopSummary& of(ir::StmtId loop);

 private:
  void scan(Range body, bool sequential, LoopSummary& summary);
  void scan_call(ir::ExprId value, LoopSummary& summary) const;

  const ir::NodeStore& store_;
  std::unordered_map<ir::StmtId, std::unique_ptr<LoopSummary>> summaries_;
};

/// The array that a candidate submit waits on, or none.
[[nodiscard]] ir::VarId fence_candidate(const ir::NodeStore& store, ir::ExprId value);
/// True for loops whose nested loops count (passes.md 6.2).
[[nodiscard]] inline bool is_sequential(const ir::ForData& loop) { return loop.kind != ir::ForKind::Parallel; }
/// a * b, or the largest number if that is too much.
[[nodiscard]] std::int64_t saturating_product(std::int64_t a, std::int64_t b);

}  // namespace depscope::pass
