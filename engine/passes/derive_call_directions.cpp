// DeriveCallDirections (passes.md 4): one direction per argument of every task site.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "buffer_roots.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "kernel_writes.h"
#include "not_modelled.h"
#include "prior_writers.h"
#include "property_verifiers.h"
#include "task_sites.h"
#include "wrapper_signatures.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::Function;
using ir::ParamDirection;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

class Deriver {
 public:
  Deriver(const ir::Program& program, DecisionSink& sink)
      : program_(program), store_(*program.store), functions_(program), roots_(program, functions_), sink_(sink) {}

  Range run(FunctionIndex index) {
    const Function& function = program_.functions[index];
    index_ = index;
    // Text that was not understood may write anything: the directions of the rest are given, with that said.
    if (!function.foreign_body && function.kind == ir::FunctionKind::Orchestration && is_opaque(store_, function)) {
      sink_.notice(
          {index,
           "not_modelled",
           fmt::format("'{}' has text that was not understood; directions are derived as if it launched and wrote nothing",
                       store_.text(function.name)),
           {}});
    }
    for (const UndeclaredWrite& write : undeclared_writes(store_, function)) {
      sink_.notice({index_, "wrong_kernel_direction",
                    fmt::format("'{}' writes its parameter '{}', which it declares as read only: no pass sees that write",
                                store_.text(function.name), ir::source_name(store_.name(function.params[write.param].var))),
                    write.where});
    }
    roots_.build(function);
    written_.clear();
    inout_parameters_.clear();
    for (const ir::Param& param : function.params) {
      if (param.direction == ParamDirection::InOut) inout_parameters_[param.var] = 1;
    }
    replacements_.clear();
    sequential_depth_ = 0;
    visit(function.body);
    return replacements_.empty() ? function.body : replace_statements(store_, function.body, replacements_);
  }

 private:
  void visit(Range body) {
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const StmtId stmt = store_.at<StmtId>(body, i);
      switch (store_.stmt(stmt).kind) {
        case StmtKind::Assign:
        case StmtKind::Eval: visit_site(stmt); break;
        case StmtKind::If: {
          const ir::IfData d = store_.if_data(stmt);
          const WrittenRoots::Mark mark = written_.mark();
          visit(d.then_body);
          const std::vector<VarId> by_then = written_.undo(mark);
          visit(d.else_body);
          for (const VarId root : by_then) written_.add(root);
          break;
        }
        case StmtKind::For: {
          const ir::ForData d = store_.for_data(stmt);
          const bool sequential = d.kind != ir::ForKind::Parallel;
          sequential_depth_ += sequential ? 1 : 0;
          visit(d.body);
          sequential_depth_ -= sequential ? 1 : 0;
          break;
        }
        case StmtKind::While: {
          ++sequential_depth_;
          visit(store_.while_data(stmt).body);
          --sequential_depth_;
          break;
        }
        case StmtKind::Scope: visit(store_.scope_data(stmt).body); break;
        default: break;
      }
    }
  }

  void visit_site(StmtId stmt) {
    const ExprId value = task_call(store_, stmt);
    if (!value.valid()) return;
    const ir::Call call = store_.call(value);
    const Function* callee = functions_.find(call.callee);
    const bool given = has_directions(store_, call);
    if (callee == nullptr || !ParameterMap(store_, call, *callee).fits()) {
      const std::vector<ArgDirection> directions = read_directions(store_, call);
      for (std::uint32_t i = 0; i < call.args.count; ++i) {
        sink_.argument({index_, stmt, i, ParamDirection::In, i < directions.size() ? directions[i] : ArgDirection::None,
                        given ? DirectionRule::Given : DirectionRule::Unresolved});
      }
      return;
    }
    const ParameterMap map(store_, call, *callee);
    if (given) {
      const std::vector<ArgDirection> directions = read_directions(store_, call);
      for (std::uint32_t i = 0; i < call.args.count; ++i) {
        sink_.argument({index_, stmt, i, callee->params[map.parameter(i)].direction,
                        i < directions.size() ? directions[i] : ArgDirection::None, DirectionRule::Given});
      }
    } else {
      derive(stmt, call, *callee, map);
    }
    for (std::uint32_t i = 0; i < call.args.count; ++i) {
      if (callee->params[map.parameter(i)].direction == ParamDirection::In) continue;
      written_.add(roots_.of(store_.at<ExprId>(call.args, i)).root);
    }
  }

  void derive(StmtId stmt, const ir::Call& call, const Function& callee, const ParameterMap& map) {
    directions_.clear();
    std::vector<DirectionRule> rules;
    for (std::uint32_t i = 0; i < call.args.count; ++i) {
      const auto [direction, rule] = choose(store_.at<ExprId>(call.args, i), callee.params[map.parameter(i)]);
      directions_.push_back(direction);
      rules.push_back(rule);
    }
    for (const std::int64_t position : overrides(call, stmt)) {
      const auto i = static_cast<std::size_t>(position);
      if (directions_[i] == ArgDirection::Scalar) continue;
      directions_[i] = ArgDirection::NoDep;
      rules[i] = DirectionRule::Override;
    }
    for (std::uint32_t i = 0; i < call.args.count; ++i) {
      sink_.argument({index_, stmt, i, callee.params[map.parameter(i)].direction, directions_[i], rules[i]});
    }
    ir::Call changed = call;
    AttrEdit attrs(store_, call.attrs);
    attrs.set_directions(store_, nodes_.list(store_, directions_));
    changed.attrs = attrs.make(store_);
    replacements_.emplace(stmt, with_call(store_, stmt, changed));
  }

  [[nodiscard]] std::pair<ArgDirection, DirectionRule> choose(ExprId arg, const ir::Param& param) const {
    const ir::TypeId type = value_type(store_, arg);
    const bool tensor = type.valid() && (ir::is_tensor_like(store_, type) || store_.type(type).kind == ir::TypeKind::Tuple);
    if (!tensor) return {ArgDirection::Scalar, DirectionRule::Scalar};
    if (param.direction == ParamDirection::In) return {ArgDirection::Input, DirectionRule::CalleeIn};
    if (param.direction == ParamDirection::InOut) return {ArgDirection::InOut, DirectionRule::CalleeInOut};
    if (sequential_depth_ > 0) return {ArgDirection::InOut, DirectionRule::RSeq};
    const BufferRoot root = roots_.of(arg);
    if (root.ambiguous) return {ArgDirection::InOut, DirectionRule::RAmbiguous};
    if (written_.contains(root.root)) return {ArgDirection::InOut, DirectionRule::RPrior};
    if (inout_parameters_.contains(root.root)) return {ArgDirection::InOut, DirectionRule::REnclosing};
    return {ArgDirection::OutputExisting, DirectionRule::DefaultOut};
  }

  [[nodiscard]] std::vector<std::int64_t> overrides(const ir::Call& call, StmtId stmt) const {
    std::vector<std::int64_t> positions;
    const ExprId list = store_.find_pair(call.attrs, kArgDirectionOverrides);
    if (!list.valid() || store_.expr(list).kind != ir::ExprKind::List) return positions;
    const Range items{store_.expr(list).a, store_.expr(list).b};
    for (std::uint32_t i = 0; i < items.count; ++i) {
      const auto position = store_.as_int(store_.at<ExprId>(items, i));
      if (!position || *position < 0 || *position >= static_cast<std::int64_t>(call.args.count)) {
        throw InputError(error_at(program_, store_.stmt(stmt).span,
                                  fmt::format("arg_direction_overrides of the call of '{}' names an argument that is not there "
                                              "(it has {})",
                                              store_.text(call.callee), call.args.count)));
      }
      positions.push_back(*position);
    }
    return positions;
  }

  const ir::Program& program_;
  ir::NodeStore& store_;
  FunctionTable functions_;
  BufferRoots roots_;
  DecisionSink& sink_;
  FunctionIndex index_ = 0;
  WrittenRoots written_;
  VarTable<std::uint8_t> inout_parameters_;
  std::uint32_t sequential_depth_ = 0;
  std::vector<ArgDirection> directions_;
  DirectionNodes nodes_;
  StatementMap replacements_;
};

class DeriveCallDirectionsPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "DeriveCallDirections"; }
  [[nodiscard]] PropertySet required() const override { return PropertySet{} | Property::SplitIncoreOrch; }
  [[nodiscard]] PropertySet produced() const override { return PropertySet{} | Property::CallDirectionsResolved; }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& /*options*/, DecisionSink& sink) const override {
    ir::Program out = program;
    const auto directions = effective_directions(program);
    for (std::size_t f = 0; f < out.functions.size(); ++f) {
      for (std::size_t p = 0; p < out.functions[f].params.size(); ++p) out.functions[f].params[p].direction = directions[f][p];
    }
    const ir::Program signed_program = out;  // what every callee lookup sees
    Deriver deriver(signed_program, sink);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) out.functions[f].body = deriver.run(f);
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> DeriveCallDirections() { return std::make_unique<DeriveCallDirectionsPass>(); }

}  // namespace depscope::pass
