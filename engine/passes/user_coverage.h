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
  std::uint32_t edge = 0;   ///< position of the user edge that covers it; of several (slots of one array) the first
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
    const Named* named = named_.find(id);
    return named != nullptr && named->site == site_;
  }
  /// A dependency array counts as filled although nothing proves it.
  [[nodiscard]] bool partial_fill() const { return partial_fill_; }
  void clear() {
    named_.clear();
    site_ = 0;
  }

 private:
  /// A canonical user edge: the site that named it last, and the position of the edge there.
  struct Named {
    std::uint32_t site = 0, edge = 0;
  };
  struct Array {
    ir::VarId id;
    std::uint32_t edge = 0;
  };

  void add(ir::VarId id, std::uint32_t edge) {
    if (!id.valid()) return;
    Named& named = named_[id];
    if (named.site != site_) named = {site_, edge};
    if (!windowed_ && ir::is_task_id(store_, store_.var(id).type) && !lineage_.is_tail(id)) {
      windowed_ = true;
      windowed_edge_ = edge;
    }
  }
  void add_all(const std::vector<ir::VarId>& ids, std::uint32_t edge) {
    for (const ir::VarId id : ids) add(id, edge);
  }
  /// The first of these arrays that holds `id`, or null.
  [[nodiscard]] const Array* holder(const std::vector<Array>& arrays, ir::VarId id) const;

  const ir::NodeStore& store_;
  const TaskIdLineage& lineage_;
  bool allow_windowed_;
  VarTable<Named> named_;
  std::uint32_t site_ = 0;
  bool windowed_ = false;
  std::uint32_t windowed_edge_ = 0;
  bool partial_fill_ = false;
  std::vector<Array> complete_arrays_, whole_slot_arrays_, partial_slot_arrays_;
};

}  // namespace depscope::pass
