// ClassifyIterArgCarry (passes.md 9.6): which carried values of a for loop are one buffer throughout, which are assigned anew.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "depscope/pass/pass.h"
#include "property_verifiers.h"
#include "task_sites.h"
#include "trailing_yield.h"
#include "var_table.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

class Classifier {
 public:
  Classifier(const ir::Program& program, const FunctionTable& functions, DecisionSink& sink)
      : program_(program), store_(*program.store), functions_(functions), sink_(sink) {}

  Range run(FunctionIndex index) {
    index_ = index;
    manual_depth_ = 0;
    sources_.clear();
    outputs_.clear();
    output_list_.clear();
    array_sizes_.clear();
    return rewrite(program_.functions[index].body);
  }

 private:
  Range rewrite(Range body) {
    std::vector<StmtId> statements = store_.list<StmtId>(body);
    bool changed = false;
    for (StmtId& stmt : statements) {
      StmtId next = stmt;
      const std::pair<Range, Range> inner = bodies(store_, stmt);
      switch (store_.stmt(stmt).kind) {
        case StmtKind::Assign: link(stmt); break;
        case StmtKind::For: next = rewrite_for(stmt); break;
        case StmtKind::Scope: {
          const bool manual = store_.scope_data(stmt).kind == ir::ScopeKind::Runtime && store_.scope_data(stmt).manual;
          manual_depth_ += manual ? 1 : 0;
          next = with_bodies(store_, stmt, rewrite(inner.first), {});
          manual_depth_ -= manual ? 1 : 0;
          break;
        }
        case StmtKind::If:
        case StmtKind::While: {
          const Range first = rewrite(inner.first);
          next = with_bodies(store_, stmt, first, rewrite(inner.second));
          break;
        }
        default: break;
      }
      changed = changed || next != stmt;
      stmt = next;
    }
    return changed ? store_.make_list(statements) : body;
  }

  /// Remembers of which variable the target is another name.
  void link(StmtId stmt) {
    const VarId target = statement_target(store_, stmt);
    const ExprId value = statement_value(store_, stmt);
    const ir::Expr e = store_.expr(value);
    if (e.kind == ExprKind::TupleGet) {
      const Range* outputs = outputs_.find(store_.as_var(ExprId(e.a)));
      if (outputs != nullptr && e.b < outputs->count) set_source(target, output_list_[outputs->begin + e.b]);
    } else if (e.kind == ExprKind::Call) {
      const ir::Call call = store_.call(value);
      if (is_builtin(store_, call)) {
        if (store_.text(call.callee) == "tensor.assemble" && call.args.count != 0) {
          set_source(target, store_.as_var(store_.at<ExprId>(call.args, 0)));
        }
        return;
      }
      const ir::Function* callee = functions_.find(call.callee);
      if (callee == nullptr) return;
      const ParameterMap map(store_, call, *callee);
      if (!map.fits()) return;
      const auto begin = static_cast<std::uint32_t>(output_list_.size());
      for (std::uint32_t i = 0; i < call.args.count; ++i) {
        if (callee->params[map.parameter(i)].direction == ir::ParamDirection::In) continue;
        output_list_.push_back(store_.as_var(store_.at<ExprId>(call.args, i)));
      }
      const Range outputs{begin, static_cast<std::uint32_t>(output_list_.size()) - begin};
      const ir::TypeId type = target_type(store_, stmt);
      const bool tuple = call.form == ir::CallForm::Submit || (type.valid() && store_.type(type).kind == ir::TypeKind::Tuple);
      if (tuple) {
        outputs_[target] = outputs;
      } else if (!outputs.empty()) {
        set_source(target, returned_output(call, *callee, map, outputs));
      }
    }
  }

  /// The written argument that a single result names: the one whose parameter the callee returns, else the first.
  [[nodiscard]] VarId returned_output(const ir::Call& call, const ir::Function& callee, const ParameterMap& map,
                                      Range outputs) const {
    if (!callee.body.empty()) {
      const ir::Stmt& last = store_.stmt(store_.at<StmtId>(callee.body, callee.body.count - 1));
      const VarId returned =
          last.kind == StmtKind::Return && last.b == 1 ? store_.as_var(store_.at<ExprId>({last.a, last.b}, 0)) : VarId();
      for (std::uint32_t i = 0; i < call.args.count && returned.valid(); ++i) {
        const ir::Param& param = callee.params[map.parameter(i)];
        if (param.var == returned && param.direction != ir::ParamDirection::In)
          return store_.as_var(store_.at<ExprId>(call.args, i));
      }
    }
    return output_list_[outputs.begin];
  }

  void set_source(VarId target, VarId source) {
    if (source.valid()) sources_[target] = source;
  }

  /// The first name of the buffer, following links.
  [[nodiscard]] VarId origin(VarId var) const {
    // In SSA form links lead to earlier definitions; without it names may stand for each other in a circle.
    std::size_t links = sources_.vars().size();
    for (const VarId* source = sources_.find(var); source != nullptr && links > 0; source = sources_.find(var), --links)
      var = *source;
    return var;
  }

  StmtId rewrite_for(StmtId stmt) {
    const Range body = rewrite(store_.for_data(stmt).body);
    ir::ForData loop = store_.for_data(stmt);
    loop.body = body;
    if (loop.iter_args.empty()) return with_bodies(store_, stmt, body, {});
    const StmtId yield = trailing_yield(store_, body);
    const Range values = yield.valid() ? Range{store_.stmt(yield).a, store_.stmt(yield).b} : Range{};
    AttrEdit attrs(store_, loop.attrs);
    std::vector<std::pair<std::uint32_t, std::int64_t>> sizes;
    for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) {
      const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
      const VarId result = store_.at<VarId>(loop.result_vars, k);
      const VarId value = k < values.count ? store_.as_var(store_.at<ExprId>(values, k)) : VarId();
      const ir::TypeId type = store_.var(iter_arg).type;
      const bool task_id = ir::is_task_id(store_, type);
      CarryRecord record{index_, stmt, k, true, 0, iter_arg};
      if (!task_id) record.rebind = !value.valid() || origin(value) != iter_arg;
      if (task_id && manual_depth_ > 0) record.array_size = array_size(stmt, loop, value);
      if (record.array_size > 0) {
        array_sizes_[result] = record.array_size;
        sizes.emplace_back(k, record.array_size);
      }
      if (!ir::is_task_id_array(store_, type) && !task_id) set_source(result, store_.as_var(store_.at<ExprId>(loop.inits, k)));
      attrs.set(store_, fmt::format("iter_arg_rebind_{}", k), store_.make_bool(record.rebind));
      sink_.carry(record);
    }
    for (const auto& [k, size] : sizes) attrs.set(store_, fmt::format("iter_arg_array_size_{}", k), store_.make_int(size));
    loop.attrs = attrs.make(store_);
    const ir::Stmt s = store_.stmt(stmt);
    return store_.make_for(loop, s.span, s.comments);
  }

  /// Ids of all iterations of a parallel loop are kept side by side; a sequential loop around it carries them on.
  [[nodiscard]] std::int64_t array_size(StmtId stmt, const ir::ForData& loop, VarId value) const {
    if (loop.kind == ir::ForKind::Parallel) {
      const auto trips = trip_count(store_, loop);
      if (!trips) {
        throw InputError(
            error_at(program_, store_.stmt(stmt).span,
                     "a parallel loop in a MANUAL scope that carries a task id needs a constant number of iterations"));
      }
      return *trips;
    }
    const std::int64_t* inherited = array_sizes_.find(value);
    return inherited == nullptr ? 0 : *inherited;
  }

  const ir::Program& program_;
  ir::NodeStore& store_;
  const FunctionTable& functions_;
  DecisionSink& sink_;
  FunctionIndex index_ = 0;
  std::uint32_t manual_depth_ = 0;
  VarTable<VarId> sources_;
  VarTable<Range> outputs_;
  std::vector<VarId> output_list_;
  VarTable<std::int64_t> array_sizes_;
};

class ClassifyIterArgCarryPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "ClassifyIterArgCarry"; }
  [[nodiscard]] PropertySet required() const override {
    return Property::CallDirectionsResolved | Property::RuntimeScopesMaterialized;
  }
  [[nodiscard]] PropertySet produced() const override {
    return Property::IterArgCarryClassified | Property::RuntimeScopesMaterialized;
  }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& /*options*/, DecisionSink& sink) const override {
    ir::Program out = program;
    const FunctionTable functions(program);
    Classifier classifier(program, functions, sink);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (out.functions[f].kind == ir::FunctionKind::Orchestration) out.functions[f].body = classifier.run(f);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> ClassifyIterArgCarry() { return std::make_unique<ClassifyIterArgCarryPass>(); }

}  // namespace depscope::pass
