#include "depscope/lower/function_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "ir_questions.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

constexpr std::uint32_t kNoLoop = 0xffffffffU;
constexpr int kMaxChain = 1000;  // steps from a carried id back to its task

}  // namespace

std::string_view FunctionFacts::base(VarId var) const { return ir::source_name(store_.name(var)); }

void FunctionFacts::build(const ir::Function& function) {
  vars_.resize(store_.var_count());
  for (const VarId var : defined_) vars_[var.value] = {};
  defined_.clear();
  loops_.clear();
  loop_index_.clear();
  loop_ = kNoLoop;
  edge_vars_.clear();
  noted_.clear();
  edge_bases_.clear();
  result_bases_.clear();
  edge_sites_.clear();
  counts_.clear();
  for (std::uint32_t i = 0; i < function.params.size(); ++i) define(function.params[i].var, Definition::Param, {}, kNoLoop, i);
  walk(function.body);
  for (const VarId var : edge_vars_) need(var);
  spread_needs();
  count_edge_uses();
}

void FunctionFacts::define(VarId var, Definition definition, StmtId stmt, std::uint32_t loop, std::uint32_t position) {
  if (!var.valid()) return;
  VarFacts& facts = vars_[var.value];
  if (facts.definition == Definition::None) defined_.push_back(var);
  facts.definition = definition;
  facts.statement = stmt;
  facts.loop = loop;
  facts.position = position;
  facts.root = var;
}

void FunctionFacts::use(ExprId id) {
  for_each_variable(store_, id, [&](VarId var) {
    VarFacts& facts = vars_[var.value];
    if (facts.definition == Definition::None && !facts.used) defined_.push_back(var);  // so that it is cleared again
    facts.used = true;
  });
}

void FunctionFacts::use_all(Range list) {
  for (std::uint32_t i = 0; i < list.count; ++i) use(store_.at<ExprId>(list, i));
}

void FunctionFacts::note_edges(ExprId call) {
  const ir::Call& site = store_.call(call);
  if (site.attrs.empty()) return;
  const auto note = [&](VarId var) {
    if (!var.valid()) return;
    if (loop_ != kNoLoop) edge_sites_.emplace_back(var, loop_);  // only loops ask for them
    if (vars_[var.value].edge) return;
    if (vars_[var.value].definition == Definition::None && !vars_[var.value].used) defined_.push_back(var);
    vars_[var.value].edge = true;
    edge_vars_.push_back(var);
    edge_bases_.insert(base(var));
  };
  const ExprId list = store_.find_pair(site.attrs, kCompilerEdges);
  if (loop_ != kNoLoop) {
    store_.for_each_listed_var(list, note);
    return;
  }
  // Outside loops it is enough to have seen each id.
  store_.for_each_listed(list, note, [&](const ir::VarRun& run) {
    noted_.each_new(store_, run, [&](VarId var, std::uint32_t) {
      note(var);
      return true;
    });
  });
}

void FunctionFacts::walk(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    const ir::Stmt& s = store_.stmt(id);
    switch (s.kind) {
      case StmtKind::Assign: visit_assign(id); break;
      case StmtKind::Eval:
        use(ExprId(s.a));
        if (site_call(store_, id).valid()) note_edges(ExprId(s.a));
        break;
      case StmtKind::Return:
      case StmtKind::Yield: use_all({s.a, s.b}); break;
      case StmtKind::If: visit_if(id); break;
      case StmtKind::For: {
        const ir::ForData& d = store_.for_data(id);
        LoopFacts loop;
        loop.parallel = d.kind == ir::ForKind::Parallel;
        loop.trips = trip_count(store_, d);
        loop.inits = d.inits;
        loop.iter_args = d.iter_args;
        loop.results = d.result_vars;
        for (const ExprId bound : {d.start, d.stop, d.step}) use(bound);
        define(d.counter, Definition::Counter, id, static_cast<std::uint32_t>(loops_.size()));
        visit_loop(id, std::move(loop), d.body);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData& d = store_.while_data(id);
        LoopFacts loop;
        loop.is_while = true;
        loop.inits = d.inits;
        loop.iter_args = d.iter_args;
        loop.results = d.result_vars;
        use(d.cond);
        visit_loop(id, std::move(loop), d.body);
        break;
      }
      case StmtKind::Scope: walk(store_.scope_data(id).body); break;
      default: break;
    }
  }
}

void FunctionFacts::visit_assign(StmtId stmt) {
  const VarId target(store_.stmt(stmt).a);
  const ExprId value(store_.stmt(stmt).b);
  define(target, Definition::Assign, stmt, loop_);
  use(value);
  if (site_call(store_, stmt).valid()) note_edges(value);
  if (!ir::is_task_id_array(store_, store_.var(target).type)) return;
  if (store_.is_var(value) || store_.is_op(value, "array.update_element")) vars_[target.value].root = root_of(value);
}

/// The variable whose storage an id array has; itself for what has storage of its own.
VarId FunctionFacts::root_of(ExprId value) const {
  if (store_.is_op(value, "array.update_element") && !store_.call(value).args.empty())
    value = store_.at<ExprId>(store_.call(value).args, 0);
  const VarId var = store_.as_var(value);
  if (!var.valid() || vars_[var.value].definition == Definition::None) return var;
  return vars_[var.value].root;
}

void FunctionFacts::visit_loop(StmtId stmt, LoopFacts loop, Range body) {
  const auto index = static_cast<std::uint32_t>(loops_.size());
  loop.statement = stmt;
  loop.parent = loop_;
  loop.yields = trailing_yield(store_, body);
  use_all(loop.inits);
  for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) {
    define(store_.at<VarId>(loop.iter_args, k), Definition::IterArg, stmt, index, k);
  }
  loops_.push_back(loop);
  loop_index_.emplace(stmt.value, index);
  loop_ = index;
  walk(body);
  loop_ = loop.parent;
  loops_[index].end = static_cast<std::uint32_t>(loops_.size());
  for (std::uint32_t k = 0; k < loop.results.count; ++k) {
    const VarId result = store_.at<VarId>(loop.results, k);
    define(result, Definition::LoopResult, stmt, index, k);
    result_bases_.insert(base(result));
    if (!ir::is_task_id_array(store_, store_.var(result).type) || k >= loop.yields.count || k >= loop.inits.count) continue;
    const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
    // Updated in place: the loop carries one and the same array.
    if (root_of(store_.at<ExprId>(loop.yields, k)) != iter_arg) continue;
    vars_[result.value].in_place = vars_[iter_arg.value].in_place = true;
    vars_[result.value].root = root_of(store_.at<ExprId>(loop.inits, k));
  }
}

void FunctionFacts::visit_if(StmtId stmt) {
  const ir::IfData& d = store_.if_data(stmt);
  use(d.cond);
  walk(d.then_body);
  walk(d.else_body);
  const Range then_yields = trailing_yield(store_, d.then_body);
  const Range else_yields = trailing_yield(store_, d.else_body);
  for (std::uint32_t k = 0; k < d.result_vars.count; ++k) {
    const VarId result = store_.at<VarId>(d.result_vars, k);
    define(result, Definition::IfResult, stmt, loop_, k);
    if (!ir::is_task_id_array(store_, store_.var(result).type) || k >= then_yields.count || k >= else_yields.count) continue;
    const VarId root = root_of(store_.at<ExprId>(then_yields, k));
    if (!root.valid() || root != root_of(store_.at<ExprId>(else_yields, k))) continue;
    vars_[result.value].in_place = true;
    vars_[result.value].root = root;
  }
}

ExprId FunctionFacts::yielded(VarId result, std::uint32_t branch) const {
  const VarFacts& facts = var(result);
  Range yields;
  if (facts.definition == Definition::LoopResult || facts.definition == Definition::IterArg) yields = loops_[facts.loop].yields;
  if (facts.definition == Definition::IfResult) {
    const ir::IfData& d = store_.if_data(facts.statement);
    yields = trailing_yield(store_, branch == 0 ? d.then_body : d.else_body);
  }
  return facts.position < yields.count ? store_.at<ExprId>(yields, facts.position) : ExprId();
}

void FunctionFacts::need(VarId var) {
  if (!var.valid() || vars_[var.value].needed) return;
  vars_[var.value].needed = true;
  open_needs_.push_back(var);
}

// From what an edge names to what gives it its id: copies, yields, initial values.
void FunctionFacts::spread_needs() {
  while (!open_needs_.empty()) {
    const VarId var = open_needs_.back();
    open_needs_.pop_back();
    const VarFacts facts = vars_[var.value];
    switch (facts.definition) {
      case Definition::Assign: {
        const ExprId value(store_.stmt(facts.statement).b);
        need(store_.as_var(value));
        // The results of a plain call share the id of their tuple; those of a submit have the handle.
        if (store_.expr(value).kind != ir::ExprKind::TupleGet) break;
        const VarId tuple = store_.as_var(ExprId(store_.expr(value).a));
        if (tuple.valid() && var_is_plain_call(tuple)) need(tuple);
        break;
      }
      case Definition::LoopResult: {
        need(store_.as_var(yielded(var)));
        // A loop that collects starts with invalid ids; one that carries a single id starts with that of its initial value.
        const LoopFacts& loop = loops_[facts.loop];
        if (!collected(var) && !(loop.parallel && !loop.trips)) need(store_.at<VarId>(loop.iter_args, facts.position));
        break;
      }
      case Definition::IterArg: {
        need(store_.as_var(yielded(var)));
        const Range inits = loops_[facts.loop].inits;
        if (facts.position < inits.count) need(store_.as_var(store_.at<ExprId>(inits, facts.position)));
        break;
      }
      case Definition::IfResult:
        need(store_.as_var(yielded(var, 0)));
        need(store_.as_var(yielded(var, 1)));
        break;
      default: break;
    }
  }
}

bool FunctionFacts::var_is_plain_call(VarId id) const {
  if (var(id).definition != Definition::Assign) return false;
  const ExprId value = statement_value(store_, var(id).statement);
  return store_.expr(value).kind == ir::ExprKind::Call && store_.call(value).form == ir::CallForm::Function;
}

bool FunctionFacts::collected(VarId result) const {
  const VarFacts& facts = var(result);
  return facts.needed && facts.definition == Definition::LoopResult && loops_[facts.loop].trips.has_value() &&
         !ir::is_task_id_array(store_, store_.var(result).type);
}

std::int64_t FunctionFacts::carried_slots(VarId result) const {
  const VarFacts& facts = var(result);
  if (facts.definition != Definition::LoopResult || loops_[facts.loop].is_while) return 0;
  if (!ir::is_task_id(store_, store_.var(result).type)) return 0;
  const ExprId size =
      store_.find_pair(store_.for_data(facts.statement).attrs, fmt::format("iter_arg_array_size_{}", facts.position));
  return size.valid() ? store_.as_int(size).value_or(0) : 0;
}

namespace {

IdCount larger(IdCount a, IdCount b) {
  const bool unknown = a.slots < 0 || b.slots < 0;
  return {unknown ? -1 : std::max(a.slots, b.slots), a.list || b.list};
}

}  // namespace

/// What the count of a variable is made of: its copy, initial value and yields.
std::vector<VarId> FunctionFacts::count_sources(VarId id) const {
  if (ir::is_task_id_array(store_, store_.var(id).type)) return {};
  const VarFacts& facts = var(id);
  switch (facts.definition) {
    case Definition::Assign: return {store_.as_var(statement_value(store_, facts.statement))};
    case Definition::IfResult: return {store_.as_var(yielded(id, 0)), store_.as_var(yielded(id, 1))};
    case Definition::LoopResult:
    case Definition::IterArg: {
      const LoopFacts& loop = loops_[facts.loop];
      const VarId init =
          facts.position < loop.inits.count ? store_.as_var(store_.at<ExprId>(loop.inits, facts.position)) : VarId();
      // Iterations of a parallel loop see the initial value only.
      if (facts.definition == Definition::IterArg && loop.parallel) return {init};
      return {init, store_.as_var(yielded(id))};
    }
    default: return {};
  }
}

// Values that depend on each other around a loop stand for the same ids, so that they are counted together: Tarjan's algorithm,
// on a stack of its own because chains of merges may be as long as the program.
IdCount FunctionFacts::ids(VarId id) {
  if (!id.valid()) return {};
  const auto known = counts_.find(id.value);
  if (known != counts_.end()) return known->second;
  struct Visit {
    VarId var;
    std::vector<VarId> sources;
    std::size_t next = 0;
    std::size_t lowest = 0;
  };
  std::vector<Visit> path;
  std::vector<VarId> open;                               // not yet counted, in order of their first visit
  std::unordered_map<std::uint32_t, std::size_t> order;  // place of the first visit; looked up only
  const auto enter = [&](VarId var) {
    const std::size_t place = order.size();
    order.emplace(var.value, place);
    path.push_back({var, count_sources(var), 0, place});
    open.push_back(var);
  };
  enter(id);
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next < visit.sources.size()) {
      const VarId source = visit.sources[visit.next++];
      if (!source.valid() || counts_.contains(source.value)) continue;
      const auto seen = order.find(source.value);
      if (seen == order.end()) {
        enter(source);
      } else {
        visit.lowest = std::min(visit.lowest, seen->second);
      }
      continue;
    }
    const Visit done = std::move(visit);
    path.pop_back();
    if (!path.empty()) path.back().lowest = std::min(path.back().lowest, done.lowest);
    if (done.lowest != order[done.var.value]) continue;
    // Everything opened since is one group.
    std::size_t first = open.size();
    IdCount count;
    do {
      --first;
      count = larger(count, combine(open[first], count_sources(open[first])));
    } while (open[first] != done.var);
    for (std::size_t i = first; i < open.size(); ++i) counts_.emplace(open[i].value, count);
    open.resize(first);
  }
  return counts_[id.value];
}

IdCount FunctionFacts::combine(VarId id, const std::vector<VarId>& sources) const {
  if (ir::is_task_id_array(store_, store_.var(id).type))
    return {ir::array_extent(store_, store_.var(id).type).value_or(-1), true};
  const auto count = [&](std::size_t i) {
    const auto known = i < sources.size() && sources[i].valid() ? counts_.find(sources[i].value) : counts_.end();
    return known == counts_.end() ? IdCount{} : known->second;
  };
  const VarFacts& facts = var(id);
  if (facts.definition != Definition::LoopResult) return larger(count(0), count(1));
  const LoopFacts& loop = loops_[facts.loop];
  const bool each = collected(id) || (loop.parallel && carried_slots(id) > 0);
  if (!each) return loop.parallel ? IdCount{} : larger(count(0), count(1));
  // A place for each iteration, wide enough for what it yields; where that is not known, for a barrier over it.
  IdCount all{loop.trips.value_or(-1), true};
  const std::int64_t width = count(1).slots;
  if (width > 1 && loop.trips && __builtin_mul_overflow(width, *loop.trips, &all.slots)) all.slots = *loop.trips;
  return all;
}

StmtId FunctionFacts::producer(VarId id) const {
  for (int step = 0; step < kMaxChain && id.valid(); ++step) {
    const VarFacts& facts = var(id);
    switch (facts.definition) {
      case Definition::LoopResult:
      case Definition::IterArg:
      case Definition::IfResult: id = store_.as_var(yielded(id)); break;
      case Definition::Assign: {
        if (site_call(store_, facts.statement).valid()) return facts.statement;
        const ExprId value = statement_value(store_, facts.statement);
        const ir::Expr& e = store_.expr(value);
        id = e.kind == ir::ExprKind::TupleGet ? store_.as_var(ExprId(e.a)) : store_.as_var(value);
        break;
      }
      default: return {};
    }
  }
  return {};
}

// An edge counts for every loop around the site that does not define it. Loops are nested, so that one walk from the inside out
// finds them.
void FunctionFacts::count_edge_uses() {
  std::unordered_map<std::uint64_t, std::size_t> known;  // loop and variable -> entry; looked up only
  for (const auto& [edge, site_loop] : edge_sites_) {
    const VarFacts& facts = vars_[edge.value];
    // A loop's result belongs to what is around the loop, its iter-args to the loop itself.
    const std::uint32_t home = facts.definition == Definition::LoopResult ? loops_[facts.loop].parent : facts.loop;
    for (std::uint32_t loop = site_loop; loop != kNoLoop; loop = loops_[loop].parent) {
      if (contains(loop, home)) break;
      if (!loops_[loop].trips || *loops_[loop].trips <= 1) continue;
      const auto [entry, added] =
          known.try_emplace((static_cast<std::uint64_t>(loop) << 32U) | edge.value, loops_[loop].edge_uses.size());
      if (added) loops_[loop].edge_uses.push_back({edge, 0});
      ++loops_[loop].edge_uses[entry->second].count;
    }
  }
}

}  // namespace depscope::lower
