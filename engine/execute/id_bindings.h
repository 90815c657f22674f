// Which task ids a variable stands for as a dependency, and for how long (passes.md 9.4). Private to engine/execute.
//
// Ids live in rows and lists; variables are bound to them. A binding ends with the block it was made in (a scope, a branch, one
// iteration), as a name of the generated code does. Two exceptions: bindings to a list that was made outside the block live on,
// and hoisted ids belong to the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/runtime/model.h"

namespace depscope::execute {

struct IdBinding {
  enum class Kind : std::uint8_t { None, Id, List };
  Kind kind = Kind::None;
  bool hidden = false;    ///< edges of the user do not see it
  std::uint32_t row = 0;  ///< of the ids or of the lists
  [[nodiscard]] bool bound() const { return kind != Kind::None; }
  [[nodiscard]] bool is_id() const { return kind == Kind::Id; }
  [[nodiscard]] bool is_list() const { return kind == Kind::List; }
  /// The same; edges of the user see it only if `visible`.
  [[nodiscard]] IdBinding for_users(bool visible) const { return {kind, hidden || !visible, row}; }
};

struct IdList {
  std::vector<runtime::TaskId> ids;
  std::vector<bool> stored;  ///< arrays of numbers, whose bits stand in ids: which slots have a value; may be shorter
  std::int64_t slots = 0;    ///< it was declared with; ids of loops hold only what is valid
  std::uint32_t block = 0;   ///< it was made in
  bool lost = false;         ///< an id without a binding was stored
  std::uint64_t named = 0;   ///< the last task that waits for it, counted from 1
};

class IdBindings {
 public:
  explicit IdBindings(std::size_t vars) : bindings_(vars) {}

  void enter() { blocks_.push_back({next_block_++, log_.size(), ids_.size()}); }
  void leave();

  [[nodiscard]] const IdBinding& of(ir::VarId var) const { return bindings_[var.value]; }
  void bind(ir::VarId var, IdBinding binding);
  /// Gives the variable an id: into the row that was hoisted for it, else into a new one of this block.
  void assign(ir::VarId var, runtime::TaskId id, bool hidden = false);
  /// target = source, for variables of any type.
  void copy(ir::VarId target, ir::VarId source);
  /// An id of the function for a variable that edges of the compiler name; invalid until it is assigned.
  void hoist(ir::VarId var);

  [[nodiscard]] runtime::TaskId id(std::uint32_t row) const { return ids_[row].id; }
  void set_id(std::uint32_t row, runtime::TaskId id) { ids_[row].id = id; }
  /// A list of `slots` invalid ids; -1: it grows.
  std::uint32_t new_list(std::int64_t slots);
  /// Makes a list anew, as part of the block that is open now.
  void reset_list(std::uint32_t row);
  [[nodiscard]] IdList& list(std::uint32_t row) { return lists_[row]; }
  [[nodiscard]] const IdList& list(std::uint32_t row) const { return lists_[row]; }
  /// True the first time that the row or list is named among what `task` (counted from 1) waits for.
  bool name(const IdBinding& binding, std::uint64_t task);
  /// The valid ids behind a binding, in order.
  void append_ids(const IdBinding& binding, std::vector<runtime::TaskId>& out) const;

 private:
  struct Row {
    runtime::TaskId id = runtime::kInvalidTask;
    ir::VarId hoisted;        ///< none unless it is the function's id for this variable
    std::uint64_t named = 0;  ///< as in IdList
  };
  struct Block {
    std::uint32_t serial;
    std::size_t log, ids;
  };
  [[nodiscard]] std::uint32_t block() const { return blocks_.empty() ? 0 : blocks_.back().serial; }

  std::vector<IdBinding> bindings_;                   // by VarId
  std::vector<std::pair<ir::VarId, IdBinding>> log_;  // what bindings replaced
  std::vector<Row> ids_;
  std::vector<IdList> lists_;
  std::vector<Block> blocks_;
  std::uint32_t next_block_ = 1;
};

}  // namespace depscope::execute
