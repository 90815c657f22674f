// Printed names (ir-text.md 2.1), whole programs and the public entry points of the printer.
#include "printer.h"

#include <algorithm>
#include <functional>

#include "depscope/ir/text.h"

namespace depscope::ir {

void Printer::define(VarId var) {
  if (var.valid() && defined_.insert(var.value).second) definition_order_.push_back(var);
}

// The results of a loop or an if are defined where its trailing yield prints them.
void Printer::define_yields(Range body, Range result_vars) {
  define_in(body);
  for (std::uint32_t i = 0; i < result_vars.count; ++i) define(store_.at<VarId>(result_vars, i));
}

void Printer::define_in(Range body) {
  for (std::uint32_t k = 0; k < body.count; ++k) {
    const StmtId id = store_.at<StmtId>(body, k);
    const Stmt& s = store_.stmt(id);
    switch (s.kind) {
      case StmtKind::Assign: define(VarId(s.a)); break;
      case StmtKind::If: {
        const IfData& d = store_.if_data(id);
        define_yields(d.then_body, d.result_vars);
        define_in(d.else_body);
        break;
      }
      case StmtKind::For: {
        const ForData& d = store_.for_data(id);
        define(d.counter);
        for (std::uint32_t i = 0; i < d.iter_args.count; ++i) define(store_.at<VarId>(d.iter_args, i));
        define_yields(d.body, d.result_vars);
        break;
      }
      case StmtKind::While: {
        const WhileData& d = store_.while_data(id);
        for (std::uint32_t i = 0; i < d.iter_args.count; ++i) define(store_.at<VarId>(d.iter_args, i));
        define_yields(d.body, d.result_vars);
        break;
      }
      case StmtKind::Scope: {
        const ScopeData& d = store_.scope_data(id);
        define(d.as_var);
        define(d.loop_var);
        define_in(d.body);
        break;
      }
      default: break;
    }
  }
}

void Printer::name_variables(const Function& f) {
  renamed_.clear();
  defined_.clear();
  definition_order_.clear();
  for (const Param& p : f.params) define(p.var);
  define_in(f.body);
  std::unordered_set<std::uint32_t> taken_ids;
  std::unordered_set<std::string> taken;
  for (const VarId v : definition_order_) taken_ids.insert(store_.var(v).name.value);
  std::unordered_set<std::uint32_t> first_seen;
  std::unordered_map<std::uint32_t, std::uint32_t> next_suffix;
  for (const VarId v : definition_order_) {
    const NameId name = store_.var(v).name;
    if (first_seen.insert(name.value).second) continue;
    std::string candidate;
    std::uint32_t& k = next_suffix[name.value];
    do {
      candidate = std::string(store_.text(name)) + "_" + std::to_string(++k);
      const NameId known = store_.names.find(candidate);
      if (!(known.valid() && taken_ids.contains(known.value)) && !taken.contains(candidate)) break;
    } while (true);
    taken.insert(candidate);
    renamed_[v.value] = std::move(candidate);
  }
}

void Printer::name_dynamic_dims(const std::vector<VarId>& dims) {
  std::unordered_set<std::string> taken;
  for (const VarId v : dims) taken.insert(std::string(store_.name(v)));
  std::unordered_map<std::uint32_t, int> next_suffix;
  for (const VarId v : dims) {
    std::string name(store_.name(v));
    int& k = next_suffix[store_.var(v).name.value];
    if (k++ != 0) {
      for (int suffix = k - 1;; ++suffix, ++k) {
        name = std::string(store_.name(v)) + "_" + std::to_string(suffix);
        if (taken.insert(name).second) break;
      }
    }
    if (name != store_.name(v)) renamed_dims_[v.value] = name;
  }
}

std::string Printer::var_name(VarId id) const {
  const auto it = renamed_.find(id.value);
  if (it != renamed_.end()) return it->second;
  const auto dim = renamed_dims_.find(id.value);
  if (dim != renamed_dims_.end()) return dim->second;
  return std::string(store_.name(id));
}

namespace {

/// Callee-first order by name; plain name order if the call graph has a cycle (ir-text 1.3).
std::vector<const Function*> print_order(const Program& program) {
  const NodeStore& store = *program.store;
  std::vector<const Function*> by_name;
  by_name.reserve(program.functions.size());
  for (const Function& f : program.functions) by_name.push_back(&f);
  std::sort(by_name.begin(), by_name.end(),
            [&](const Function* a, const Function* b) { return store.text(a->name) < store.text(b->name); });
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (std::size_t i = 0; i < by_name.size(); ++i) index[by_name[i]->name.value] = i;

  std::vector<std::vector<std::size_t>> callees(by_name.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) {
    const std::function<void(ExprId)> visit = [&](ExprId e) {
      if (!e.valid()) return;
      const Expr& x = store.expr(e);
      if (x.kind == ExprKind::Var || x.kind == ExprKind::Int) return;
      if (x.kind == ExprKind::Call) {
        const Call& c = store.call(e);
        if (c.form == CallForm::Function || c.form == CallForm::Submit) {
          const auto it = index.find(c.callee.value);
          if (it != index.end()) callees[i].push_back(it->second);
        }
      }
      for (const ExprId child : children(store, e)) visit(child);
    };
    for_each_stmt(store, by_name[i]->body, [&](StmtId s) {
      for (const ExprId e : expressions(store, s)) visit(e);
    });
    std::sort(callees[i].begin(), callees[i].end());
    callees[i].erase(std::unique(callees[i].begin(), callees[i].end()), callees[i].end());
  }

  std::vector<const Function*> order;
  std::vector<std::uint8_t> state(by_name.size(), 0);  // 1 = on the path, 2 = printed
  for (std::size_t root = 0; root < by_name.size(); ++root) {
    if (state[root] != 0) continue;
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
    state[root] = 1;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next < callees[at].size()) {
        const std::size_t callee = callees[at][next++];
        if (state[callee] == 1) return by_name;
        if (state[callee] == 0) {
          state[callee] = 1;
          path.emplace_back(callee, 0);
        }
        continue;
      }
      state[at] = 2;
      order.push_back(by_name[at]);
      path.pop_back();
    }
  }
  return order;
}

}  // namespace

PrintedProgram print_program_with_lines(const Program& program, std::uint32_t max_run) {
  const NodeStore& store = *program.store;
  Printer p(store);
  p.max_run = max_run;
  p.out.reserve(4096);
  p.name_dynamic_dims(program.dynamic_dims);
  p.out += "# pypto.program: " + program.name;
  p.newline();
  p.out += "import pypto.language as pl";
  p.newline();
  p.newline();
  if (!program.dynamic_dims.empty()) {
    for (const VarId v : program.dynamic_dims) {
      p.out += p.var_name(v) + " = pl.dynamic(\"" + std::string(store.name(v)) + "\")";
      p.newline();
    }
    p.newline();
  }
  p.out += "@pl.program";
  p.newline();
  p.out += "class " + program.name + ":";
  p.newline();
  if (program.functions.empty()) {
    p.out += "    pass";
    p.newline();
  }
  for (const Function* f : print_order(program)) p.function(*f, 1);
  PrintedProgram printed;
  printed.text = std::move(p.out);
  printed.statement_lines = std::move(p.statement_lines);
  printed.function_lines = std::move(p.function_lines);
  return printed;
}

std::string print_program(const Program& program, std::uint32_t max_run) {
  return print_program_with_lines(program, max_run).text;
}

std::string print_function(const Program& program, const Function& function) {
  Printer p(*program.store);
  p.name_dynamic_dims(program.dynamic_dims);
  p.function(function, 1);
  return std::move(p.out);
}

std::string print_expr(const NodeStore& store, ExprId id) {
  Printer p(store);
  p.expr(id);
  return std::move(p.out);
}

std::string print_type(const NodeStore& store, TypeId id) {
  Printer p(store);
  p.type(id);
  return std::move(p.out);
}

}  // namespace depscope::ir
