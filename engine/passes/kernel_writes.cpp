#include "kernel_writes.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "task_sites.h"
#include "trailing_yield.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

/// Which argument an operation writes; the result is another name of it.
std::optional<std::uint32_t> written_argument(std::string_view op) {
  if (op == "tile.store" || op == "tile.mscatter") return 2;
  if (op == "tensor.write" || op == "tensor.assemble" || op == "tensor.scatter_update") return 0;
  return std::nullopt;
}

/// Operations whose result is a part or another shape of their first argument's buffer.
bool is_view(std::string_view op) {
  return op == "tensor.slice" || op == "tensor.view" || op == "tensor.reshape" || op == "tensor.reinterpret_view";
}

class Search {
 public:
  Search(const ir::NodeStore& store, const ir::Function& function) : store_(store), found_(function.params.size()) {
    for (std::uint32_t p = 0; p < function.params.size(); ++p) {
      const ir::TypeId type = store.var(function.params[p].var).type;
      if (function.params[p].direction == ir::ParamDirection::In && type.valid() && ir::is_tensor_like(store, type)) {
        parameter_of_[function.params[p].var] = p;
      }
    }
  }

  std::vector<UndeclaredWrite> run(Range body) {
    if (!parameter_of_.empty()) visit(body);
    std::vector<UndeclaredWrite> out;
    for (std::uint32_t p = 0; p < found_.size(); ++p) {
      if (found_[p].valid()) out.push_back({p, found_[p]});
    }
    return out;
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> parameter(ExprId value) const {
    const VarId var = store_.as_var(value);
    const auto at = var.valid() ? parameter_of_.find(var) : parameter_of_.end();
    if (at == parameter_of_.end()) return std::nullopt;
    return at->second;
  }

  void name(VarId var, ExprId value) {
    const auto p = parameter(value);
    if (p && var.valid()) parameter_of_[var] = *p;
  }

  void visit(Range body) {
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const StmtId stmt = store_.at<StmtId>(body, i);
      const std::pair<Range, Range> inner = bodies(store_, stmt);
      switch (store_.stmt(stmt).kind) {
        case StmtKind::Assign:
        case StmtKind::Eval: value(stmt); break;
        case StmtKind::For: {
          const ir::ForData d = store_.for_data(stmt);
          loop(d.iter_args, d.inits, d.result_vars, d.body);
          break;
        }
        case StmtKind::While: {
          const ir::WhileData d = store_.while_data(stmt);
          loop(d.iter_args, d.inits, d.result_vars, d.body);
          break;
        }
        case StmtKind::If:
          visit(inner.first);
          visit(inner.second);
          for (const Range branch : {inner.first, inner.second}) name_results(store_.if_data(stmt).result_vars, branch);
          break;
        default:
          visit(inner.first);
          visit(inner.second);
          break;
      }
    }
  }

  void value(StmtId stmt) {
    const ExprId value = statement_value(store_, stmt);
    const VarId target = statement_target(store_, stmt);
    if (store_.expr(value).kind != ir::ExprKind::Call) {
      name(target, value);
      return;
    }
    const ir::Call& call = store_.call(value);
    const std::string_view op = store_.text(call.callee);
    if (const auto written = written_argument(op); written && *written < call.args.count) {
      const ExprId argument = store_.at<ExprId>(call.args, *written);
      if (const auto p = parameter(argument); p && !found_[*p].valid()) found_[*p] = stmt;
      name(target, argument);
    } else if (is_view(op) && call.args.count != 0) {
      name(target, store_.at<ExprId>(call.args, 0));
    }
  }

  void loop(Range iter_args, Range inits, Range results, Range body) {
    for (std::uint32_t k = 0; k < iter_args.count; ++k) {
      name(store_.at<VarId>(iter_args, k), store_.at<ExprId>(inits, k));
      name(store_.at<VarId>(results, k), store_.at<ExprId>(inits, k));
    }
    visit(body);
    name_results(results, body);
  }

  void name_results(Range results, Range body) {
    const StmtId yield = trailing_yield(store_, body);
    if (!yield.valid()) return;
    const Range values{store_.stmt(yield).a, store_.stmt(yield).b};
    for (std::uint32_t k = 0; k < std::min(values.count, results.count); ++k) {
      name(store_.at<VarId>(results, k), store_.at<ExprId>(values, k));
    }
  }

  const ir::NodeStore& store_;
  std::unordered_map<VarId, std::uint32_t> parameter_of_;  // looked up only
  std::vector<StmtId> found_;
};

}  // namespace

std::vector<UndeclaredWrite> undeclared_writes(const ir::NodeStore& store, const ir::Function& function) {
  const bool kernel = function.kind == ir::FunctionKind::InCore || function.kind == ir::FunctionKind::Aic ||
                      function.kind == ir::FunctionKind::Aiv;
  if (!kernel || function.foreign_body || function.body.empty()) return {};
  return Search(store, function).run(function.body);
}

}  // namespace depscope::pass
