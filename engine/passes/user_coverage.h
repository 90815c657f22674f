// Which producers the user's own dependencies of a task site already wait for (passes.md 5.5, 5.8.3).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "task_id_lineage.h"
#include "var_table.h"

namespace depscope::pass {

struct Coverage {
  bool covered = false;
  bool windowed = false;    ///< only a blanket scalar covers it
  bool whole = false;       ///< every slot of an array that holds the producer is waited for
  std::string_view detail;  ///< "direct", "whole_slots", "whole_array", "windowed"; empty if not covered
};

class UserCoverage {
 public:
  /// Without `allow_windowed`, scalars of unknown origin cover nothing.
  UserCoverage(const ir::NodeStore& store, const TaskIdLineage& lineage, bool allow_windowed)
      : store_(store), lineage_(lineage), allow_windowed_(allow_windowed) {}

  /// Takes the user edges of the next site.
  void set_site(const std::vector<ir::VarId>& edges);
  /// Is a producer known by the edge variable `id` waited for? `in_loop`: it runs in a loop that this id does not sum up.
  [[nodiscard]] Coverage of(ir::VarId id, bool in_loop) const;
  /// Is `id` itself among the canonical user edges?
  [[nodiscard]] bool names(ir::VarId id) const {
    const std::uint32_t* site = named_.find(id);
    return site != nullptr && *site == site_;
  }
  /// A dependency array counts as filled although nothing proves it.
  [[nodiscard]] bool partial_fill() const { return partial_fill_; }
  void clear() {
    named_.clear();
    site_ = 0;
  }

 private:
  void add(ir::VarId id) {
    if (!id.valid()) return;
    named_[id] = site_;
    windowed_ = windowed_ || (ir::is_task_id(store_, store_.var(id).type) && !lineage_.is_tail(id));
  }
  void add_all(const std::vector<ir::VarId>& ids) {
    for (const ir::VarId id : ids) add(id);
  }
  [[nodiscard]] bool expands_to(const std::vector<ir::VarId>& arrays, ir::VarId id) const;

  const ir::NodeStore& store_;
  const TaskIdLineage& lineage_;
  bool allow_windowed_;
  VarTable<std::uint32_t> named_;  // canonical user edges: serial of the site that last named them
  std::uint32_t site_ = 0;
  bool windowed_ = false;
  bool partial_fill_ = false;
  std::vector<ir::VarId> complete_arrays_, whole_slot_arrays_, partial_slot_arrays_;
};

}  // namespace depscope::pass
