// Which parts of its tensors a kernel loads and stores, from its body and the scalars of one task. Private.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/runtime/submission.h"

namespace depscope::execute {

/// Part of a parameter, in elements of the view that is passed for it; inside its shape.
struct BodyBox {
  std::uint32_t param = 0;
  bool loads = false;
  bool stores = false;
  std::uint8_t rank = 0;
  std::array<std::uint32_t, runtime::kMaxRank> at{}, extent{};
};

/// What is passed for one parameter.
struct BodyArgument {
  bool tensor = false;
  std::uint8_t rank = 0;
  std::array<std::uint32_t, runtime::kMaxRank> shape{};
  std::optional<std::int64_t> scalar{};  ///< none if its value is not known or no integer
};

/// Loads and stores are tile.load and tile.store, and reads and writes of single elements. A body is followed with the values of
/// one task: loops with known bounds run, a condition that is not known takes both ways, calls of other functions are entered
/// (so that a wrapper gives what its kernels touch), every block of an SPMD task counts. Nothing is guessed: a parameter that is
/// used in any other way, or at a place that is not known, has no boxes.
class KernelBodies {
 public:
  explicit KernelBodies(const ir::Program& program);

  /// One `arguments` entry per parameter. Boxes of parameters about which all is known, at least one each; those of one
  /// parameter stand together. Valid until the next call.
  [[nodiscard]] const std::vector<BodyBox>& boxes(const ir::Function& function, std::span<const BodyArgument> arguments,
                                                  std::uint32_t blocks);

 private:
  enum class Kind : std::uint8_t { Unknown, Int, Part, Tuple };
  /// A value in a body. Part: a view with its parameter's strides, at `at` in it.
  struct Value {
    Kind kind = Kind::Unknown;
    std::uint32_t param = 0;  // Part; Tuple: index into tuples_
    std::int64_t number = 0;
    std::array<std::int64_t, runtime::kMaxRank> at{};
  };
  struct Stop {};  // the budget is used up: nothing is known of any parameter

  void statements(Range body);
  void statement(ir::StmtId id);
  void run_if(ir::StmtId id);
  void run_for(ir::StmtId id);
  void run_while(ir::StmtId id);
  Value evaluate(ir::ExprId id);
  Value binary(const ir::Expr& e);
  Value unary(const ir::Expr& e);
  Value operation(ir::ExprId id);
  Value slice(ir::ExprId id);
  Value call(ir::ExprId id);
  std::optional<std::int64_t> integer(ir::ExprId id);
  std::vector<std::int64_t> integers(ir::ExprId list, bool& known);
  void use_children(ir::ExprId id);
  void give_up(const Value& value);
  void touch(const Value& part, ir::ExprId offsets, const std::vector<std::int64_t>& extents, bool known, bool stores);
  void add(BodyBox box);
  void join_boxes();
  std::vector<std::int64_t> tile_extents(ir::ExprId tile, bool& known);
  [[nodiscard]] Value merge(const Value& a, const Value& b);
  void bind(const ir::Function& function, std::span<const Value> values);
  void bind_dimensions(const ir::Function& function, std::span<const Value> values);
  void set(ir::VarId var, const Value& value);
  Value get(ir::VarId var) const;
  void step();

  const ir::Program& program_;
  const ir::NodeStore& store_;
  std::unordered_map<std::uint32_t, Value> values_;  // by VarId
  std::vector<std::vector<Value>> tuples_;
  std::vector<Value> yielded_, returned_;
  bool returned_here_ = false;
  std::uint32_t depth_ = 0;  // of calls
  std::uint64_t steps_ = 0;  // of this task
  std::uint64_t all_steps_ = 0;
  std::int64_t block_ = 0;
  std::int64_t blocks_ = 1;
  bool asked_block_ = false;

  std::span<const BodyArgument> arguments_;
  std::vector<std::uint8_t> unknown_;   // by parameter of the function that was asked for
  std::vector<std::uint32_t> touched_;  // by parameter: loads and stores so far
  std::vector<BodyBox> boxes_;
  std::unordered_map<std::uint32_t, bool> plain_;  // function NameId -> its body has nothing to follow
};

}  // namespace depscope::execute
