#include "ir_questions.h"

#include <algorithm>

#include "depscope/lower/plan.h"

namespace depscope::lower {

using ir::ExprId;
using ir::NodeStore;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

void append_list(const NodeStore& store, ExprId list, std::vector<VarId>& out) {
  store.for_each_listed_var(list, [&](VarId var) { out.push_back(var); });
}

}  // namespace

ExprId statement_value(const NodeStore& store, StmtId stmt) {
  const ir::Stmt& s = store.stmt(stmt);
  if (s.kind == StmtKind::Assign) return ExprId(s.b);
  if (s.kind == StmtKind::Eval) return ExprId(s.a);
  return {};
}

bool is_launch(const ir::Call& call) { return call.form == ir::CallForm::Function || call.form == ir::CallForm::Submit; }

ExprId site_call(const NodeStore& store, StmtId stmt) {
  const ExprId value = statement_value(store, stmt);
  if (!value.valid() || store.expr(value).kind != ir::ExprKind::Call) return {};
  return is_launch(store.call(value)) || store.is_op(value, "system.task_dummy") ? value : ExprId();
}

std::vector<VarId> user_edges(const NodeStore& store, const ir::Call& call) {
  std::vector<VarId> out;
  for (std::uint32_t i = 0; i < call.deps.count; ++i) out.push_back(store.as_var(store.at<ExprId>(call.deps, i)));
  if (!call.attrs.empty()) append_list(store, store.find_pair(call.attrs, kManualDepEdges), out);
  return out;
}

std::vector<VarId> compiler_edges(const NodeStore& store, const ir::Call& call) {
  std::vector<VarId> out;
  if (!call.attrs.empty()) append_list(store, store.find_pair(call.attrs, kCompilerEdges), out);
  return out;
}

Range trailing_yield(const NodeStore& store, Range body) {
  while (!body.empty()) {
    const StmtId last = store.at<StmtId>(body, body.count - 1);
    const ir::Stmt& s = store.stmt(last);
    if (s.kind == StmtKind::Yield) return {s.a, s.b};
    if (s.kind != StmtKind::Scope || store.scope_data(last).kind != ir::ScopeKind::Runtime) return {};
    body = store.scope_data(last).body;
  }
  return {};
}

std::optional<std::int64_t> trip_count(const NodeStore& store, const ir::ForData& loop) {
  const auto start = store.as_int(loop.start);
  const auto stop = store.as_int(loop.stop);
  const auto step = store.as_int(loop.step);
  if (!start || !stop || !step || *step == 0) return std::nullopt;
  // Distances without sign: they always fit.
  const bool up = *step > 0;
  if (up ? *stop <= *start : *stop >= *start) return 0;
  const std::uint64_t distance = up ? static_cast<std::uint64_t>(*stop) - static_cast<std::uint64_t>(*start)
                                    : static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(*stop);
  const std::uint64_t stride = up ? static_cast<std::uint64_t>(*step) : 0 - static_cast<std::uint64_t>(*step);
  const std::uint64_t trips = (distance - 1) / stride + 1;
  if (trips > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(trips);
}

std::vector<pass::ArgDirection> read_directions(const NodeStore& store, const ir::Call& call) {
  std::vector<pass::ArgDirection> out;
  const ExprId list = call.attrs.empty() ? ExprId() : store.find_pair(call.attrs, kArgDirections);
  if (!list.valid() || store.expr(list).kind != ir::ExprKind::List) return out;
  constexpr std::string_view kPrefix = "pl.adir.";
  const Range items{store.expr(list).a, store.expr(list).b};
  for (std::uint32_t i = 0; i < items.count; ++i) {
    const ir::Expr& item = store.expr(store.at<ExprId>(items, i));
    const std::string_view name = item.kind == ir::ExprKind::Name ? store.text(NameId(item.a)) : std::string_view();
    out.push_back(name.starts_with(kPrefix) ? pass::arg_direction_from_name(name.substr(kPrefix.size()))
                                            : pass::ArgDirection::None);
  }
  return out;
}

ExprId launch_option(const NodeStore& store, const ir::Call& call, std::string_view key) {
  const ExprId kwarg = call.kwargs.empty() ? ExprId() : store.find_pair(call.kwargs, key);
  return kwarg.valid() || call.attrs.empty() ? kwarg : store.find_pair(call.attrs, key);
}

bool is_true(const NodeStore& store, ExprId id) {
  return id.valid() && store.expr(id).kind == ir::ExprKind::Bool && store.expr(id).a != 0;
}

FunctionIndex::FunctionIndex(const ir::Program& program) {
  by_name_.reserve(program.functions.size());
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) by_name_.try_emplace(program.functions[i].name, i);
}

std::optional<std::uint32_t> FunctionIndex::find(NameId name) const {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

ParameterMap::ParameterMap(const NodeStore& store, const ir::Call& call, const ir::Function& callee) {
  const auto params = static_cast<std::uint32_t>(callee.params.size());
  split_ = call.args.count;
  if (call.args.count == params) return;
  if (call.args.count > params || call.form != ir::CallForm::Submit) {
    fits_ = false;
    return;
  }
  gap_ = params - call.args.count;
  std::uint32_t contexts = 0;
  while (contexts < params) {
    const ir::TypeId type = callee.params[params - 1 - contexts].type;
    const bool context =
        type.valid() && store.type(type).kind == ir::TypeKind::Named && store.text(store.type(type).name) == "pld.CommCtxType";
    if (!context) break;
    ++contexts;
  }
  split_ = call.args.count - std::min(contexts, call.args.count);
}

std::uint32_t ParameterMap::argument(std::uint32_t parameter) const {
  if (parameter < split_) return parameter;
  return parameter < split_ + gap_ ? kNone : parameter - gap_;
}

}  // namespace depscope::lower
