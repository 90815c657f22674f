#include "trailing_yield.h"

namespace depscope::pass {

using ir::ExprId;
using ir::ScopeData;
using ir::ScopeKind;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;

namespace {

bool is_runtime_scope(const ir::NodeStore& store, StmtId id) {
  return store.stmt(id).kind == StmtKind::Scope && store.scope_data(id).kind == ScopeKind::Runtime;
}

/// A copy of the scope statement with another body.
StmtId with_body(ir::NodeStore& store, StmtId scope, const std::vector<StmtId>& body) {
  const Stmt s = store.stmt(scope);
  ScopeData d = store.scope_data(scope);
  d.body = store.make_list(body);
  return store.make_scope(d, s.span, s.comments);
}

}  // namespace

StmtId trailing_yield(const ir::NodeStore& store, Range body) {
  while (!body.empty()) {
    const StmtId last = store.at<StmtId>(body, body.count - 1);
    if (store.stmt(last).kind == StmtKind::Yield) return last;
    if (!is_runtime_scope(store, last)) return {};
    body = store.scope_data(last).body;
  }
  return {};
}

void extend_yield(ir::NodeStore& store, std::vector<StmtId>& body, std::span<const ExprId> values, bool front) {
  if (values.empty()) return;
  if (!body.empty()) {
    const StmtId last = body.back();
    const Stmt s = store.stmt(last);
    if (s.kind == StmtKind::Yield) {
      const std::vector<ExprId> old = store.list<ExprId>(Range{s.a, s.b});
      std::vector<ExprId> all;
      all.reserve(old.size() + values.size());
      if (front) all.insert(all.end(), values.begin(), values.end());
      all.insert(all.end(), old.begin(), old.end());
      if (!front) all.insert(all.end(), values.begin(), values.end());
      body.back() = store.make_yield(all, s.span, s.comments);
      return;
    }
    if (is_runtime_scope(store, last)) {
      std::vector<StmtId> inner = store.list<StmtId>(store.scope_data(last).body);
      extend_yield(store, inner, values, front);
      body.back() = with_body(store, last, inner);
      return;
    }
  }
  body.push_back(store.make_yield(values));
}

std::optional<std::vector<ExprId>> take_yield(ir::NodeStore& store, std::vector<StmtId>& body) {
  if (body.empty()) return std::nullopt;
  const StmtId last = body.back();
  const Stmt s = store.stmt(last);
  if (s.kind == StmtKind::Yield) {
    body.pop_back();
    return store.list<ExprId>(Range{s.a, s.b});
  }
  if (!is_runtime_scope(store, last)) return std::nullopt;
  std::vector<StmtId> inner = store.list<StmtId>(store.scope_data(last).body);
  std::optional<std::vector<ExprId>> values = take_yield(store, inner);
  if (values) body.back() = with_body(store, last, inner);
  return values;
}

Range with_yield_values(ir::NodeStore& store, Range body, std::span<const ExprId> values) {
  std::vector<StmtId> list = store.list<StmtId>(body);
  if (list.empty()) return body;
  const StmtId last = list.back();
  const Stmt s = store.stmt(last);
  if (s.kind == StmtKind::Yield) {
    list.pop_back();
    if (!values.empty()) list.push_back(store.make_yield(values, s.span, s.comments));
  } else if (is_runtime_scope(store, last)) {
    const Range inner = with_yield_values(store, store.scope_data(last).body, values);
    list.back() = with_body(store, last, store.list<StmtId>(inner));
  } else {
    return body;
  }
  return store.make_list(list);
}

}  // namespace depscope::pass
