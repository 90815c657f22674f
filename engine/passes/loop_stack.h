// Loops around the walk of AutoDerive, and what happens to recorded accesses when one ends (passes.md 5.8).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "access_log.h"
#include "task_id_lineage.h"

namespace depscope::pass {

enum class LoopClass : std::uint8_t {
  SingleTrip,  ///< constant bounds, exactly one iteration
  FixedTrip,   ///< constant bounds, positive step, any other number of iterations
  Dynamic,     ///< everything else, and every while loop
};

struct OpenLoop {
  ir::StmtId stmt;
  LoopClass loop_class = LoopClass::Dynamic;
  bool parallel = false;
  std::uint32_t serial = 0;        ///< counts all loops of the function from 1
  std::uint32_t depth = 0;         ///< loops around and including this one, single-trip loops left out
  std::uint32_t first_access = 0;  ///< size of the access log at entry
  std::int64_t trips = 0;          ///< SingleTrip and FixedTrip
  Range iter_args, results, body;
};

class LoopStack {
 public:
  /// With `outer_results`, an access that an inner constant loop already summed up gets the outer loop's result too.
  LoopStack(const ir::NodeStore& store, const StorageLineage& lineage, const TaskIdLineage& ids, AccessLog& log,
            bool outer_results)
      : store_(store), lineage_(lineage), ids_(ids), log_(log), outer_results_(outer_results) {}

  void clear();
  void enter_for(ir::StmtId stmt);
  void enter_while(ir::StmtId stmt);
  /// Ends the innermost loop: renames the producers of accesses that its results stand for. Returns the loop that ended.
  OpenLoop leave();

  [[nodiscard]] bool in_loop() const { return depth_ > 0; }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  /// Innermost open dynamic loop, null if none.
  [[nodiscard]] const OpenLoop* dynamic() const { return dynamic_.empty() ? nullptr : &loops_[dynamic_.back()]; }
  [[nodiscard]] bool is_open_dynamic(std::uint32_t serial) const;
  /// Was the access recorded in the current iteration of an open loop that is no single-trip loop?
  /// The walk is inside some loop.
  [[nodiscard]] bool any_open() const { return !loops_.empty(); }
  [[nodiscard]] bool in_open_loop(std::uint32_t access) const;
  /// Serial of the open loop that carries `var`, 0 if none does.
  [[nodiscard]] std::uint32_t carrying_loop(ir::VarId var) const;
  /// Accesses that kept the result of an inner loop when an outer loop ended, since the last call.
  [[nodiscard]] std::vector<std::uint32_t> take_kept_inner() { return std::exchange(kept_inner_, {}); }

 private:
  void enter(OpenLoop loop);
  void rename_by_id(const OpenLoop& loop, bool in_loop_only);
  void rename_by_storage(const OpenLoop& loop);
  /// Gives one access the loop's result, unless this loop end already did.
  void rename(const OpenLoop& loop, std::uint32_t index, ir::VarId result);
  [[nodiscard]] bool eligible(const OpenLoop& loop, std::uint32_t index) const;

  const ir::NodeStore& store_;
  const StorageLineage& lineage_;
  const TaskIdLineage& ids_;
  AccessLog& log_;
  bool outer_results_;
  std::vector<OpenLoop> loops_;
  std::vector<std::uint32_t> dynamic_;  // positions in loops_
  VarTable<std::uint32_t> carried_by_;
  std::uint32_t depth_ = 0;
  std::uint32_t serials_ = 0;
  std::vector<std::uint32_t> found_;
  std::vector<std::uint32_t> kept_inner_;
};

}  // namespace depscope::pass
