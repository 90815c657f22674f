// Which producer ids a value stands for (passes.md 5.5): tuple tails, copies, loop carries and arrays of task ids.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "task_sites.h"
#include "var_table.h"

namespace depscope::pass {

/// Element `slot` of the array variable `array`.
struct ArraySlot {
  ir::VarId array;
  std::int64_t slot = 0;
};

/// Everything known of one array value.
struct ArrayContents {
  std::int64_t extent = 0;          ///< 0 if not constant
  bool clean = true;                ///< no slot of unknown content, no unknown update
  bool complete = false;            ///< every slot has an id or is an element of another array
  bool partial_fill = false;        ///< a store with a variable index that is not proved to reach every slot
  std::vector<ir::VarId> fills;     ///< ids stored with a variable index
  std::vector<ir::VarId> expanded;  ///< sorted: the ids a dependency on the whole array waits for
};

class TaskIdLineage {
 public:
  /// With `full_fills_only`, a store with a variable index counts only when its loop provably reaches every slot.
  TaskIdLineage(const ir::Program& program, bool full_fills_only) : program_(program), full_fills_only_(full_fills_only) {}

  void build(const ir::Function& function);

  /// The variable that extracts the task id of the submit bound to this tuple variable, or none.
  [[nodiscard]] ir::VarId tail_of(ir::VarId tuple) const;
  /// True for a variable that extracts a submit's task id.
  [[nodiscard]] bool is_tail(ir::VarId var) const { return tails_.contains(var); }
  /// The id a scalar or tensor stands for, or none.
  [[nodiscard]] ir::VarId canonical(ir::VarId var) const;
  /// Ids read from an array slot; null if `var` is no such read.
  [[nodiscard]] const std::vector<ir::VarId>* ids(ir::VarId var) const { return id_lists_.find(var); }
  [[nodiscard]] const ArraySlot* slot(ir::VarId var) const { return slots_.find(var); }
  /// Null for a variable whose array content is not followed. Valid until the next call.
  [[nodiscard]] const ArrayContents* contents(ir::VarId array) const;

 private:
  enum class StepKind : std::uint8_t { Create, Store, VariableStore };
  /// Array values are chains of stores, so that filling N slots one by one does not copy N arrays.
  struct Step {
    StepKind kind = StepKind::Create;
    std::uint32_t parent = kNoStep;
    std::int64_t extent = 0;  // Create
    std::int64_t index = 0;   // Store
    bool known = true;        // the stored value has ids or is an element copy
    bool reaches_all = true;  // VariableStore
    std::vector<ir::VarId> ids;
    std::optional<ArraySlot> copy;
  };
  static constexpr std::uint32_t kNoStep = 0xffffffffU;
  /// A loop around the statement being visited, for proving what a variable store reaches.
  struct OpenLoop {
    ir::VarId counter;
    std::optional<std::int64_t> start, step, trips;
    bool straight = true;  // the statement is not inside an if or while of this loop
  };

  /// Contents without what element copies add, and those copies.
  struct Scan {
    ArrayContents contents;
    std::vector<ArraySlot> copies;
  };

  /// What array.get_element with a constant index gives.
  struct SlotRead {
    std::vector<ir::VarId> ids;
    std::optional<ArraySlot> slot;
  };

  void visit(Range body);
  [[nodiscard]] SlotRead read_slot(const ir::Call& call) const;
  void visit_assign(ir::StmtId stmt);
  void visit_array_op(ir::VarId target, const ir::Call& call);
  void carry(Range iter_args, Range results, Range body);
  [[nodiscard]] std::vector<ir::VarId> known_ids(ir::VarId var) const;
  [[nodiscard]] bool reaches_all_slots(ir::ExprId index, std::int64_t extent) const;
  [[nodiscard]] std::int64_t extent_of(std::uint32_t step) const;
  [[nodiscard]] std::uint32_t step_of(ir::VarId array) const;
  [[nodiscard]] Scan scan(std::uint32_t step) const;
  const ArrayContents& resolve(std::uint32_t step) const;

  const ir::Program& program_;
  bool full_fills_only_;
  VarTable<ir::VarId> tail_of_tuple_;
  VarTable<std::uint8_t> tails_;
  VarTable<ir::VarId> canonical_;
  VarTable<ir::VarId> element_tuple_;  // extracted value -> its tuple
  VarTable<std::vector<ir::VarId>> id_lists_;
  VarTable<ArraySlot> slots_;
  VarTable<std::uint32_t> arrays_;  // array variable -> step
  std::vector<Step> steps_;
  std::vector<OpenLoop> loops_;
  mutable std::unordered_map<std::uint32_t, ArrayContents> resolved_;
};

}  // namespace depscope::pass
