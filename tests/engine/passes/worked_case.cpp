#include "worked_case.h"

#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"

namespace depscope::pass::testing {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

constexpr std::string_view kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, b: pl.InOut[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return b

    @pl.function(type=pl.FunctionType.InCore)
    def map(self, i: pl.Tensor[[128], pl.FP32], o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def put2(self, o: pl.Out[pl.Tensor[[128], pl.FP32]], p: pl.Out[pl.Tensor[[128], pl.FP32]]) -> tuple[pl.Tensor[[128], pl.FP32], pl.Tensor[[128], pl.FP32]]:
        return o, p

    @pl.function(type=pl.FunctionType.InCore)
    def new(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = pl.create_tensor([128], dtype=pl.FP32)
        return r

    @pl.function(type=pl.FunctionType.InCore)
    def puth(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def geth(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def putr(self, o: pl.Out[pl.Tensor[[2, 16], pl.FP32]]) -> pl.Tensor[[2, 16], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def getr(self, i: pl.Tensor[[2, 16], pl.FP32]) -> pl.Tensor[[2, 16], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def nop(self):
        pass

    @pl.function(type=pl.FunctionType.Group)
    def grp(self, i: pl.Tensor[[128], pl.FP32], o: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = self.map(i, o)
        return r
)";

}  // namespace

std::string case_text(std::string_view body, Frame frame, std::string_view parameters) {
  const bool scoped = frame == Frame::Auto || frame == Frame::Manual;
  const bool placed = frame == Frame::Auto || frame == Frame::Plain;
  std::ostringstream out;
  out << kKernels << "\n    @pl.function(type=pl.FunctionType.Orchestration" << (placed ? ", auto_scope=False" : "") << ")\n";
  out << "    def main(self, ";
  if (parameters.empty()) {
    for (const char* name : {"a", "b", "c", "d", "e"}) out << name << ": pl.Tensor[[128], pl.FP32], ";
  } else {
    out << parameters << ", ";
  }
  out << "n: pl.Scalar[pl.INDEX], k0: pl.Scalar[pl.BOOL]) -> pl.Tensor[[128], pl.FP32]:\n";
  if (scoped) out << "        with " << (frame == Frame::Manual ? "pl.manual_scope()" : "pl.scope()") << ":\n";
  std::istringstream lines{std::string(body)};
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty()) out << (scoped ? "            " : "        ") << line << "\n";
  }
  out << "        return a\n";
  return out.str();
}

namespace {

std::string short_name(std::string_view name) {
  const std::size_t mark = name.find("__");
  if (mark == std::string_view::npos || mark == 0) return std::string(name);
  const std::string base(name.substr(0, mark));
  return name.substr(mark).starts_with("__rv") ? "rv(" + base + ")" : base;
}

class FactSink final : public DecisionSink {
 public:
  FactSink(const ir::Program& program, Summary& summary) : program_(program), summary_(summary) {}
  void region(const RegionRecord& r) override {
    if (r.outcome == RegionOutcome::NotModelled) throw std::runtime_error("not modelled: " + r.reason);
    if (r.outcome != RegionOutcome::FellBack) return;
    const ir::NodeStore& store = *program_.store;
    const ir::Stmt& s = store.stmt(r.offending_site);
    const ExprId value(s.kind == StmtKind::Assign ? s.b : s.a);
    if (!summary_.fallback.empty()) summary_.fallback += ' ';
    summary_.fallback += r.reason + "@" + std::string(store.callee(value)) + "." + std::to_string(r.offending_arg);
  }
  void argument(const ArgumentRecord&) override {}
  void rewrite(const RewriteRecord&) override {}
  void storage(const StorageRecord&) override {}
  void hazard(const HazardRecord&) override {}
  void edge(const EdgeRecord&) override {}
  void fence(const FenceRecord&) override {}
  void scope(const ScopeRecord&) override {}
  void carry(const CarryRecord&) override {}
  void notice(const NoticeRecord& n) override {
    if (!seen_.insert(n.name).second) return;
    if (!summary_.notices.empty()) summary_.notices += ' ';
    summary_.notices += n.name;
  }

 private:
  const ir::Program& program_;
  Summary& summary_;
  std::set<std::string> seen_;
};

std::string letters(const ir::NodeStore& store, const ir::Call& call) {
  std::string out;
  const ExprId list = store.find_pair(call.attrs, "arg_directions");
  if (!list.valid()) return "?";
  for (std::uint32_t i = 0; i < store.expr(list).b; ++i) {
    const ExprId item = store.at<ExprId>({store.expr(list).a, store.expr(list).b}, i);
    const std::string_view full = store.text(NameId(store.expr(item).a));
    const std::string_view name = full.substr(full.rfind('.') + 1);
    if (!out.empty()) out += ' ';
    out += name == "input"             ? "I"
           : name == "output"          ? "O"
           : name == "output_existing" ? "E"
           : name == "inout"           ? "IO"
           : name == "no_dep"          ? "N"
                                       : "S";
  }
  return out;
}

std::string edge_list(const ir::NodeStore& store, Range list) {
  std::string out;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    if (!out.empty()) out += ',';
    out += short_name(store.name(store.as_var(store.at<ExprId>(list, i))));
  }
  return out;
}

/// Depth of the loop that has the variable among its results, from 0; -1 if none has.
int loop_of(const ir::NodeStore& store, Range body, VarId var, int depth = 0) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store.at<StmtId>(body, i);
    Range results;
    std::vector<Range> inner;
    int next = depth;
    switch (store.stmt(stmt).kind) {
      case StmtKind::If: inner = {store.if_data(stmt).then_body, store.if_data(stmt).else_body}; break;
      case StmtKind::For:
        results = store.for_data(stmt).result_vars;
        inner = {store.for_data(stmt).body};
        ++next;
        break;
      case StmtKind::While:
        results = store.while_data(stmt).result_vars;
        inner = {store.while_data(stmt).body};
        ++next;
        break;
      case StmtKind::Scope: inner = {store.scope_data(stmt).body}; break;
      default: break;
    }
    for (const VarId result : store.list<VarId>(results)) {
      if (result == var) return depth;
    }
    for (const Range part : inner) {
      const int found = loop_of(store, part, var, next);
      if (found >= 0) return found;
    }
  }
  return -1;
}

void append(std::string& to, const std::string& what, const char* separator) {
  if (!to.empty()) to += separator;
  to += what;
}

void describe_sites(const ir::Program& program, std::string& directions, std::string* edges, std::string* user,
                    std::string* loops) {
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, program.find("main")->body, [&](StmtId stmt) {
    const ir::Stmt& s = store.stmt(stmt);
    if (s.kind != StmtKind::Assign && s.kind != StmtKind::Eval) return;
    const ExprId value(s.kind == StmtKind::Assign ? s.b : s.a);
    if (store.expr(value).kind != ir::ExprKind::Call) return;
    const ir::Call& call = store.call(value);
    if (call.form != ir::CallForm::Function && call.form != ir::CallForm::Submit) return;
    const std::string callee(store.text(call.callee));
    append(directions, callee + (call.args.count == 0 ? "" : " " + letters(store, call)), ", ");
    const ExprId list = store.find_pair(call.attrs, "compiler_manual_dep_edges");
    if (edges != nullptr && list.valid()) {
      append(*edges, callee + ":[" + edge_list(store, {store.expr(list).a, store.expr(list).b}) + "]", " ");
    }
    if (loops != nullptr && list.valid()) {
      std::string depths;
      for (const ExprId item : ir::children(store, list)) {
        const int depth = loop_of(store, program.find("main")->body, store.as_var(item));
        append(depths, depth < 0 ? "-" : std::to_string(depth), ",");
      }
      append(*loops, callee + ":[" + depths + "]", " ");
    }
    if (user != nullptr && call.deps.count != 0) append(*user, callee + ":[" + edge_list(store, call.deps) + "]", " ");
  });
}

std::string describe_scopes(const ir::NodeStore& store, Range body) {
  std::string out;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store.at<StmtId>(body, i);
    std::string inner;
    switch (store.stmt(stmt).kind) {
      case StmtKind::If:
        inner = describe_scopes(store, store.if_data(stmt).then_body);
        if (const std::string other = describe_scopes(store, store.if_data(stmt).else_body); !other.empty())
          append(inner, other, ",");
        break;
      case StmtKind::For: inner = describe_scopes(store, store.for_data(stmt).body); break;
      case StmtKind::While: inner = describe_scopes(store, store.while_data(stmt).body); break;
      case StmtKind::Scope: {
        const ir::ScopeData d = store.scope_data(stmt);
        inner = describe_scopes(store, d.body);
        const std::string own = !d.manual ? "A" : !d.compiler_owned ? "M" : d.attrs.empty() ? "M!" : "M*";
        inner = inner.empty() ? own : own + "(" + inner + ")";
        break;
      }
      default: break;
    }
    if (!inner.empty()) append(out, inner, ",");
  }
  return out;
}

}  // namespace

Summary run_case(std::string_view body, Frame frame, const Options& options, std::string_view parameters, bool simplify) {
  const auto source = std::make_shared<SourceFile>("case.py", case_text(body, frame, parameters));
  ir::ReadResult read = ir::read_text(source);
  if (!read.ok) throw InputError(read.diagnostics);
  ir::Program program = read.programs.at(0);
  Summary summary;
  CountingSink quiet;
  for (const char* name : {"ConvertToSSA", "Simplify", "NormalizeStmtStructure", "FlattenCallExpr", "DeriveCallDirections"}) {
    if (!simplify && std::string_view(name) == "Simplify") continue;
    program = make_pass(name)->run(program, options, quiet);
  }
  describe_sites(program, summary.before, nullptr, nullptr, nullptr);
  FactSink facts(program, summary);
  program = AutoDeriveTaskDependencies()->run(program, options, facts);
  const std::vector<Diagnostic> errors = verify_property(program, Property::CallDirectionsResolved);
  if (!errors.empty()) throw InputError(errors);
  for (const char* name : {"ExpandManualPhaseFence", "Simplify", "MaterializeRuntimeScopes", "ClassifyIterArgCarry"}) {
    program = make_pass(name)->run(program, options, quiet);
  }
  describe_sites(program, summary.after, &summary.edges, &summary.user, &summary.loops);
  summary.scopes = describe_scopes(*program.store, program.find("main")->body);
  return summary;
}

}  // namespace depscope::pass::testing
