// NormalizeStmtStructure: statement lists are flat by construction; what is left is placeholders among real statements.
#include <vector>

#include "depscope/pass/pass.h"
#include "not_modelled.h"

namespace depscope::pass {
namespace {

using ir::ForData;
using ir::IfData;
using ir::NodeStore;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::WhileData;

/// Drops `pass` from a body; returns the same range if there were none in it or below it.
Range normalise(NodeStore& store, Range body) {
  std::vector<StmtId> out;
  out.reserve(body.count);
  bool changed = false;
  for (StmtId id : store.list<StmtId>(body)) {
    const Stmt s = store.stmt(id);
    StmtId now = id;
    switch (s.kind) {
      case StmtKind::Pass: changed = true; continue;
      case StmtKind::If: {
        IfData d = store.if_data(id);
        const Range then_body = normalise(store, d.then_body);
        const Range else_body = normalise(store, d.else_body);
        if (then_body == d.then_body && else_body == d.else_body) break;
        d.then_body = then_body;
        d.else_body = else_body;
        now = store.make_if(d, s.span, s.comments);
        break;
      }
      case StmtKind::For: {
        ForData d = store.for_data(id);
        const Range inner = normalise(store, d.body);
        if (inner == d.body) break;
        d.body = inner;
        now = store.make_for(d, s.span, s.comments);
        break;
      }
      case StmtKind::While: {
        WhileData d = store.while_data(id);
        const Range inner = normalise(store, d.body);
        if (inner == d.body) break;
        d.body = inner;
        now = store.make_while(d, s.span, s.comments);
        break;
      }
      case StmtKind::Scope: {
        ScopeData d = store.scope_data(id);
        const Range inner = normalise(store, d.body);
        if (inner == d.body) break;
        d.body = inner;
        now = store.make_scope(d, s.span, s.comments);
        break;
      }
      default: break;
    }
    changed |= now != id;
    out.push_back(now);
  }
  return changed ? store.make_list(out) : body;
}

class NormalizeStmtStructurePass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "NormalizeStmtStructure"; }
  [[nodiscard]] PropertySet produced() const override { return static_cast<PropertySet>(Property::NormalizedStmtStructure); }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink&) const override {
    Program out = program;
    for (ir::Function& f : out.functions) {
      if (!is_opaque(*program.store, f)) f.body = normalise(*program.store, f.body);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> NormalizeStmtStructure() { return std::make_unique<NormalizeStmtStructurePass>(); }

}  // namespace depscope::pass
