// One value per variable. A store holds the variables of all functions and passes, a function touches few of them: the dense
// index is made once per pass run and only the touched entries are cleared between functions.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/ir/nodes.h"

namespace depscope::pass {

template <class T>
class VarTable {
 public:
  /// Null if `var` is none or has no value. Invalidated by set and operator[].
  [[nodiscard]] const T* find(ir::VarId var) const {
    if (!var.valid() || var.value >= index_.size() || index_[var.value] == 0) return nullptr;
    return &values_[index_[var.value] - 1];
  }
  [[nodiscard]] T* find(ir::VarId var) { return const_cast<T*>(static_cast<const VarTable*>(this)->find(var)); }
  [[nodiscard]] bool contains(ir::VarId var) const { return find(var) != nullptr; }

  /// The value of `var`, made on first use. `var` must be valid.
  T& operator[](ir::VarId var) {
    if (var.value >= index_.size()) index_.resize(var.value + 1 + index_.size() / 2, 0);
    std::uint32_t& slot = index_[var.value];
    if (slot == 0) {
      values_.emplace_back();
      vars_.push_back(var);
      slot = static_cast<std::uint32_t>(values_.size());
    }
    return values_[slot - 1];
  }

  void clear() {
    for (const ir::VarId var : vars_) index_[var.value] = 0;
    vars_.clear();
    values_.clear();
  }

  /// Variables with a value, in order of their first use.
  [[nodiscard]] const std::vector<ir::VarId>& vars() const { return vars_; }

 private:
  std::vector<std::uint32_t> index_;  // 1 + position in values_, 0 = none
  std::vector<T> values_;
  std::vector<ir::VarId> vars_;
};

}  // namespace depscope::pass
