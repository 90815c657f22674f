// Runs of one variable list mostly repeat what runs before them had: who only asks something of each variable asks once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::ir {

/// Which stretch of each of a store's variable lists was gone through.
class SeenRuns {
 public:
  /// Calls `f(VarId, index in the run)` for the variables of a run that lie behind those gone through, until it returns false:
  /// that variable is asked about again next time. True if all of the run was gone through. A run that does not touch the stretch
  /// begins a new one.
  template <class F>
  bool each_new(const NodeStore& store, const VarRun& run, F&& f) {
    if (run.list >= lists_.size()) lists_.resize(run.list + std::size_t{1});
    Stretch& seen = lists_[run.list];
    if (run.first < seen.begin || run.first > seen.end) seen = {run.first, run.first};
    for (; seen.end < run.first + run.count; ++seen.end) {
      if (!f(store.run_var(run, seen.end - run.first), seen.end - run.first)) return false;
    }
    return true;
  }
  void clear() { lists_.clear(); }

 private:
  struct Stretch {
    std::uint32_t begin = 0, end = 0;
  };
  std::vector<Stretch> lists_;
};

}  // namespace depscope::ir
