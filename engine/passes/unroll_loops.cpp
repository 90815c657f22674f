// UnrollLoops: `for u in pl.unroll(n)` becomes n copies of its body, with the counter replaced by its value. The copies share
// their variables; ConvertToSSA gives each its own versions.
#include <string>
#include <vector>

#include "clone_statements.h"
#include "depscope/pass/pass.h"
#include "not_modelled.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::ForData;
using ir::ForKind;
using ir::IfData;
using ir::NodeStore;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using ir::WhileData;

constexpr std::uint64_t kMaxUnrolledStatements = 1'000'000;

class Unroller {
 public:
  Unroller(const Program& program, FunctionIndex function, DecisionSink& sink)
      : program_(program), store_(*program.store), function_(function), sink_(sink) {}

  Range body(Range body) {
    std::vector<StmtId> out;
    out.reserve(body.count);
    bool changed = false;
    for (std::uint32_t i = 0; i < body.count; ++i) changed |= statement(store_.at<StmtId>(body, i), out);
    return changed ? store_.make_list(out) : body;
  }

 private:
  /// Appends what becomes of the statement; true if that is something else.
  bool statement(StmtId id, std::vector<StmtId>& out);
  bool for_loop(StmtId id, std::vector<StmtId>& out);

  const Program& program_;
  NodeStore& store_;
  FunctionIndex function_;
  DecisionSink& sink_;
  std::uint64_t made_ = 0;
};

bool Unroller::statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  StmtId now = id;
  switch (s.kind) {
    case StmtKind::For: return for_loop(id, out);
    case StmtKind::If: {
      IfData d = store_.if_data(id);
      const Range then_body = body(d.then_body);
      const Range else_body = body(d.else_body);
      if (then_body == d.then_body && else_body == d.else_body) break;
      d.then_body = then_body;
      d.else_body = else_body;
      now = store_.make_if(d, s.span, s.comments);
      break;
    }
    case StmtKind::While: {
      WhileData d = store_.while_data(id);
      const Range inner = body(d.body);
      if (inner == d.body) break;
      d.body = inner;
      now = store_.make_while(d, s.span, s.comments);
      break;
    }
    case StmtKind::Scope: {
      ScopeData d = store_.scope_data(id);
      const Range inner = body(d.body);
      if (inner == d.body) break;
      d.body = inner;
      now = store_.make_scope(d, s.span, s.comments);
      break;
    }
    default: break;
  }
  out.push_back(now);
  return now != id;
}

bool Unroller::for_loop(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  ForData d = store_.for_data(id);
  const Range inner = body(d.body);
  const bool changed = inner != d.body;
  d.body = inner;
  const auto start = store_.as_int(d.start);
  const auto stop = store_.as_int(d.stop);
  const auto step = store_.as_int(d.step);
  const bool constant = start && stop && step && *step != 0;
  if (d.kind != ForKind::Unroll || !constant || !d.iter_args.empty()) {
    if (d.kind == ForKind::Unroll) {
      sink_.notice(
          {.function = function_,
           .name = "not_modelled",
           .message = std::string(constant ? "pl.unroll with carried values" : "pl.unroll with bounds that are no literals") +
                      " stays a loop, line " + std::to_string(program_.line(s.span)),
           .where = id});
    }
    out.push_back(changed ? store_.make_for(d, s.span, s.comments) : id);
    return changed;
  }
  std::uint64_t size = 0;
  ir::for_each_stmt(store_, d.body, [&](StmtId) { ++size; });
  const ir::DType dtype = static_cast<ir::DType>(store_.expr(d.start).op);
  for (std::int64_t i = *start; *step > 0 ? i < *stop : i > *stop;) {
    made_ += size + 1;
    if (made_ > kMaxUnrolledStatements) {
      const std::string message =
          "pl.unroll gives more than " + std::to_string(kMaxUnrolledStatements) + " statements (limit of UnrollLoops)";
      if (program_.source) throw InputError(program_.source->diagnostic(Severity::Error, s.span.begin, message));
      Diagnostic plain;
      plain.message = message;
      throw InputError(plain);
    }
    StatementCloner cloner(store_);
    const bool literal = store_.expr(d.start).kind == ir::ExprKind::Int;
    cloner.replace(d.counter, store_.make_int(i, literal ? dtype : ir::DType::Index, s.span));
    const std::vector<StmtId> copy = cloner.body(d.body);
    out.insert(out.end(), copy.begin(), copy.end());
    if (__builtin_add_overflow(i, *step, &i)) break;
  }
  return true;
}

class UnrollLoopsPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "UnrollLoops"; }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink& sink) const override {
    Program out = program;
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (is_opaque(*program.store, program.functions[f])) continue;
      out.functions[f].body = Unroller(program, f, sink).body(program.functions[f].body);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> UnrollLoops() { return std::make_unique<UnrollLoopsPass>(); }

}  // namespace depscope::pass
