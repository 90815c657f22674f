// Which calls of the program begin and end scopes, when scopes are moved (ScopeMoves).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "state.h"

namespace depscope::runtime {

class ScopePlan {
 public:
  explicit ScopePlan(const ScopeMoves& moves) : moves_(moves), any_(moves.any()) {}

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] const ScopeMoves& moves() const { return moves_; }
  /// A scope begins: true if it is the one that does not.
  bool leave_out() {
    if (!any_) return false;
    const bool out = moves_.left_out == scopes_;
    ++scopes_;
    open_.push_back(out);
    return out;
  }
  /// A scope ends: true if it had not begun.
  bool end_left_out() {
    if (open_.empty()) return false;
    const bool out = open_.back();
    open_.pop_back();
    return out;
  }
  std::uint64_t next_submit() { return submits_++; }
  /// The depth from which scopes end and begin again before the submit, none if they stay.
  std::optional<std::uint32_t> split_before(std::uint64_t submit, const State& s) {
    if (next_split_ < moves_.splits.size() && moves_.splits[next_split_].submit == submit)
      return moves_.splits[next_split_++].depth;
    if (!moves_.part_depth || s.scopes.empty()) return std::nullopt;
    const ScopeState& scope = s.scopes.back();
    const bool full = scope.depth == *moves_.part_depth && s.scope_tasks.size() - scope.first_task >= moves_.part_tasks;
    return full ? moves_.part_depth : std::nullopt;
  }

 private:
  const ScopeMoves& moves_;
  bool any_;
  std::vector<bool> open_;  ///< by open call: left out
  std::uint64_t scopes_ = 0, submits_ = 0;
  std::size_t next_split_ = 0;
};

}  // namespace depscope::runtime
