#include "parameter_reads.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace depscope::app {
namespace {

using ir::CallForm;
using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

using Functions = std::unordered_map<NameId, const ir::Function*>;

/// Operations whose result is their first operand's buffer and which look at no element of it.
constexpr std::array<std::string_view, 9> kViews = {
    "slice", "view", "reshape", "reinterpret_view", "transpose", "transpose_view", "set_validshape", "squeeze", "unsqueeze"};

bool is_view(std::string_view op) {
  return op.starts_with("tensor.") && std::find(kViews.begin(), kViews.end(), op.substr(7)) != kViews.end();
}

/// The operand that an operation writes, -1 if it writes none.
int written_operand(std::string_view op) {
  if (op == "tile.store") return 2;
  return op == "tensor.assemble" || op == "tensor.write" ? 0 : -1;
}

/// Questions about the shape or the place of a tensor, not about its elements.
bool is_about_the_tensor(std::string_view op) { return op == "tensor.dim" || op == "pld.system.get_comm_ctx"; }

class Body {
 public:
  Body(const ir::NodeStore& store, const Functions& functions, VarId parameter) : store_(store), functions_(functions) {
    same_buffer_.insert(parameter.value);
  }

  std::optional<bool> run(const ir::Function& function) {
    // A loop hands a buffer on to its next iteration: repeat until nothing new is known to be the same buffer.
    for (std::size_t before = 0; before != same_buffer_.size() && !reads_;) {
      before = same_buffer_.size();
      visit(function.body);
    }
    if (reads_) return true;
    return unknown_ ? std::nullopt : std::optional<bool>(false);
  }

 private:
  void add(VarId var) {
    if (var.valid()) same_buffer_.insert(var.value);
  }
  [[nodiscard]] bool is_same(VarId var) const { return var.valid() && same_buffer_.contains(var.value); }

  /// The value of this expression is the parameter's buffer.
  [[nodiscard]] bool is_same(ExprId id) const {
    if (!id.valid()) return false;
    const ir::Expr& e = store_.expr(id);
    if (e.kind == ExprKind::Var) return is_same(VarId(e.a));
    if (e.kind == ExprKind::TupleGet) {
      const auto call = tuples_.find(store_.as_var(ExprId(e.a)).value);
      return call != tuples_.end() && result_is_same(call->second, e.b);
    }
    if (e.kind != ExprKind::Call) return false;
    const ir::Call& call = store_.call(id);
    if (call.form == CallForm::Function || call.form == CallForm::Submit) return result_is_same(id, 0);
    const std::string_view op = store_.text(call.callee);
    const int written = is_view(op) ? 0 : written_operand(op);
    return written >= 0 && static_cast<std::uint32_t>(written) < call.args.count &&
           is_same(store_.at<ExprId>(call.args, static_cast<std::uint32_t>(written)));
  }

  /// Result k of a launch is the buffer of its k-th written parameter.
  [[nodiscard]] bool result_is_same(ExprId launch, std::uint32_t k) const {
    const ir::Call& call = store_.call(launch);
    const ir::Function* callee = find(call.callee);
    if (callee == nullptr) return false;
    for (std::uint32_t i = 0; i < call.args.count && i < callee->params.size(); ++i) {
      if (callee->params[i].direction == ir::ParamDirection::In) continue;
      if (k-- == 0) return is_same(store_.at<ExprId>(call.args, i));
    }
    return false;
  }

  void read(ExprId id) {
    if (!id.valid() || reads_) return;
    const ir::Expr& e = store_.expr(id);
    if (e.kind == ExprKind::Opaque) unknown_ = true;
    if (e.kind != ExprKind::Call) {
      for (const ExprId child : ir::children(store_, id)) read(child);
      return;
    }
    const ir::Call call = store_.call(id);
    const bool launch = call.form == CallForm::Function || call.form == CallForm::Submit;
    const ir::Function* callee = launch ? find(call.callee) : nullptr;
    for (std::uint32_t i = 0; i < call.args.count; ++i) {
      const ExprId arg = store_.at<ExprId>(call.args, i);
      read(arg);
      if (is_same(arg) && operand_is_read(call, callee, i)) reads_ = true;
    }
    for (const ir::NamedExpr& kwarg : store_.pairs(call.kwargs)) {
      if (store_.text(kwarg.name) != "dumps") read(kwarg.value);  // a list of names
    }
  }

  [[nodiscard]] bool operand_is_read(const ir::Call& call, const ir::Function* callee, std::uint32_t i) const {
    if (call.form != CallForm::Op) {
      return callee == nullptr || i >= callee->params.size() || callee->params[i].direction != ir::ParamDirection::Out;
    }
    const std::string_view op = store_.text(call.callee);
    if (is_about_the_tensor(op)) return false;
    if (is_view(op) && i == 0) return false;
    if (written_operand(op) != static_cast<int>(i)) return true;
    // An atomic store adds to what is there.
    const ExprId atomic = store_.find_pair(call.kwargs, "atomic");
    return atomic.valid() &&
           !(store_.expr(atomic).kind == ExprKind::Name && store_.text(NameId(store_.expr(atomic).a)).ends_with(".None_"));
  }

  void carry(Range inits, Range iter_args, Range results, Range body) {
    for (std::uint32_t i = 0; i < inits.count && i < iter_args.count; ++i) {
      if (!is_same(store_.at<ExprId>(inits, i))) continue;
      add(store_.at<VarId>(iter_args, i));
      if (i < results.count) add(store_.at<VarId>(results, i));  // no iteration: the result is the start value
    }
    merge(body, results);
    for (std::uint32_t i = 0; i < results.count && i < iter_args.count; ++i) {
      if (is_same(store_.at<VarId>(results, i))) add(store_.at<VarId>(iter_args, i));
    }
  }

  /// Visits a body; what it yields is a result of the statement around it. A runtime scope may stand around the yield.
  void merge(Range body, Range results) {
    visit(body);
    while (body.count != 0) {
      const StmtId last = store_.at<StmtId>(body, body.count - 1);
      const ir::Stmt& s = store_.stmt(last);
      if (s.kind == StmtKind::Scope) {
        body = store_.scope_data(last).body;
        continue;
      }
      if (s.kind != StmtKind::Yield) return;
      for (std::uint32_t i = 0; i < s.b && i < results.count; ++i) {
        if (is_same(store_.at<ExprId>(Range{s.a, s.b}, i))) add(store_.at<VarId>(results, i));
      }
      return;
    }
  }

  void visit(Range body) {
    for (std::uint32_t i = 0; i < body.count && !reads_; ++i) visit(store_.at<StmtId>(body, i));
  }

  void visit(StmtId id) {
    const ir::Stmt s = store_.stmt(id);
    if (s.kind == StmtKind::Opaque || s.kind == StmtKind::Ellipsis) unknown_ = true;
    if (s.kind == StmtKind::Assign) {
      const VarId target(s.a);
      const ExprId value(s.b);
      if (value.valid() && store_.expr(value).kind == ExprKind::Call) {
        const CallForm form = store_.call(value).form;
        if (form == CallForm::Function || form == CallForm::Submit) tuples_[target.value] = value;
      }
      if (is_same(value) && !(value.valid() && is_tuple(s.type))) add(target);
    }
    for (const ExprId e : ir::expressions(store_, id)) read(e);
    switch (s.kind) {
      case StmtKind::If: {
        const ir::IfData d = store_.if_data(id);
        merge(d.then_body, d.result_vars);
        merge(d.else_body, d.result_vars);
        break;
      }
      case StmtKind::For: {
        const ir::ForData d = store_.for_data(id);
        carry(d.inits, d.iter_args, d.result_vars, d.body);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData d = store_.while_data(id);
        carry(d.inits, d.iter_args, d.result_vars, d.body);
        break;
      }
      case StmtKind::Scope: visit(store_.scope_data(id).body); break;
      default: break;
    }
  }

  [[nodiscard]] bool is_tuple(ir::TypeId type) const { return type.valid() && store_.type(type).kind == ir::TypeKind::Tuple; }

  [[nodiscard]] const ir::Function* find(NameId name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
  }

  const ir::NodeStore& store_;
  const Functions& functions_;
  std::unordered_set<std::uint32_t> same_buffer_;     // VarId; looked up only
  std::unordered_map<std::uint32_t, ExprId> tuples_;  // VarId of a launch's result: the launch; looked up only
  bool reads_ = false;
  bool unknown_ = false;
};

}  // namespace

ParameterReads::ParameterReads(const ir::Program& program) : store_(*program.store) {
  for (const ir::Function& f : program.functions) functions_.emplace(f.name, &f);
}

std::optional<bool> ParameterReads::of(const ir::Function& function, std::uint32_t parameter) const {
  if (function.foreign_body || parameter >= function.params.size()) return std::nullopt;
  return Body(store_, functions_, function.params[parameter].var).run(function);
}

}  // namespace depscope::app
