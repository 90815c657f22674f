// Folding of integer and boolean expressions with knowledge of ranges (passes.md, section 3, step 1).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// Closed range of an integer; the extreme values stand for "no bound".
struct Interval {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

  std::int64_t low = kMin;
  std::int64_t high = kMax;

  [[nodiscard]] bool point() const { return low == high && low != kMin && low != kMax; }
  [[nodiscard]] bool known() const { return low != kMin || high != kMax; }
};

/// Simplifies one node whose children are simple already, and answers questions about values. Knows the ranges of variables;
/// what was learnt since a mark can be forgotten again.
class Folder {
 public:
  explicit Folder(ir::NodeStore& store) : store_(store) {}

  /// The node itself, or a simpler one of equal value. Floats are left alone.
  [[nodiscard]] ir::ExprId fold(ir::ExprId id);
  /// As fold, but only where all operands are literals.
  [[nodiscard]] ir::ExprId fold_constants(ir::ExprId id);
  [[nodiscard]] Interval interval(ir::ExprId id) const;
  /// b - a if it is the same number for every value of the variables.
  [[nodiscard]] std::optional<std::int64_t> difference(ir::ExprId a, ir::ExprId b) const;
  [[nodiscard]] bool is_constant(ir::ExprId id) const;           ///< Int, Float or Bool node
  [[nodiscard]] std::optional<bool> truth(ir::ExprId id) const;  ///< of a Bool node

  /// Nothing is learnt about variables with more than one definition; `counts` is by VarId and must outlive the folder.
  void ignore_reassigned(const std::vector<std::uint32_t>& counts) { definitions_ = &counts; }
  void learn(ir::VarId variable, Interval interval);
  /// What a condition says about variables while it has this value.
  void assume(ir::ExprId condition, bool value);
  [[nodiscard]] std::size_t mark() const { return trail_.size(); }
  void forget(std::size_t mark);

 private:
  struct Linear {
    std::vector<std::pair<ir::ExprId, std::int64_t>> terms;
    std::int64_t constant = 0;
    bool ok = true;
  };

  [[nodiscard]] ir::ExprId fold_unary(ir::ExprId id);
  [[nodiscard]] ir::ExprId fold_binary(ir::ExprId id);
  [[nodiscard]] ir::ExprId fold_arithmetic(ir::ExprId id, ir::BinaryOp op, ir::ExprId a, ir::ExprId b);
  [[nodiscard]] ir::ExprId fold_comparison(ir::ExprId id, ir::BinaryOp op, ir::ExprId a, ir::ExprId b);
  [[nodiscard]] ir::ExprId fold_logic(ir::ExprId id, ir::BinaryOp op, ir::ExprId a, ir::ExprId b);
  [[nodiscard]] ir::ExprId fold_cast(ir::ExprId id);
  /// An integer of the node's element type; none if it does not fit.
  [[nodiscard]] ir::ExprId integer_like(ir::ExprId node, std::int64_t value);
  [[nodiscard]] ir::ExprId binary_like(ir::ExprId node, ir::BinaryOp op, ir::ExprId a, ir::ExprId b);
  void linear(ir::ExprId id, std::int64_t factor, Linear& out) const;

  ir::NodeStore& store_;
  const std::vector<std::uint32_t>* definitions_ = nullptr;
  std::unordered_map<ir::VarId, Interval> ranges_;
  std::vector<std::pair<ir::VarId, std::optional<Interval>>> trail_;
};

}  // namespace depscope::pass
