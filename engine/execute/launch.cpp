// Tasks: arguments, results and allocations (passes.md 9.2, 9.3, 9.7).
#include <fmt/format.h>

#include <algorithm>

#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;
using runtime::ArgKind;

namespace {

constexpr std::size_t kMaxAllocations = 16;  // tensors of one alloc_tensors (passes.md 9.7)

ArgKind kind_of(pass::ArgDirection direction) {
  switch (direction) {
    case pass::ArgDirection::Output:
    case pass::ArgDirection::OutputExisting: return ArgKind::OutputExisting;
    case pass::ArgDirection::InOut: return ArgKind::InOut;
    case pass::ArgDirection::NoDep: return ArgKind::NoDep;
    case pass::ArgDirection::Scalar: return ArgKind::Scalar;
    default: return ArgKind::Input;
  }
}

ArgKind kind_of(ir::ParamDirection direction) {
  return direction == ir::ParamDirection::Out     ? ArgKind::OutputExisting
         : direction == ir::ParamDirection::InOut ? ArgKind::InOut
                                                  : ArgKind::Input;
}

bool is_comm_context(const ir::NodeStore& store, ir::TypeId type) {
  const ir::Type& t = store.type(type);
  return t.kind == ir::TypeKind::Named && store.text(t.name) == "pld.CommCtxType";
}

}  // namespace

// ---------------------------------------------------------------- allocations

// All tensor.create statements directly in one sequence are one allocation at its start, except those whose shape depends on a
// value that the sequence itself defines earlier.
const std::vector<StmtId>& Interpreter::batch_of(Range stmts) {
  const auto [known, added] = batches_.try_emplace(stmts.begin);
  std::vector<StmtId>& creates = known->second;
  if (!added) return creates;
  std::unordered_set<std::uint32_t> defined;
  for (std::uint32_t i = 0; i < stmts.count; ++i) {
    const StmtId id = store_.at<StmtId>(stmts, i);
    const ir::Stmt& s = store_.stmt(id);
    if (s.kind == ir::StmtKind::Assign && store_.is_op(ExprId(s.b), "tensor.create")) {
      need_operands(ExprId(s.b));
      bool early = true;
      for (const ExprId dim : ir::children(store_, store_.at<ExprId>(store_.call(ExprId(s.b)).args, 0))) {
        std::vector<ExprId> open{dim};
        while (early && !open.empty()) {
          const ExprId e = open.back();
          open.pop_back();
          if (store_.is_var(e) && defined.contains(store_.as_var(e).value)) early = false;
          for (const ExprId c : ir::children(store_, e)) open.push_back(c);
        }
      }
      if (early) creates.push_back(id);
    }
    if (s.kind == ir::StmtKind::Assign) {
      defined.insert(s.a);
    } else if (s.kind == ir::StmtKind::For) {
      for (const VarId v : store_.list<VarId>(store_.for_data(id).result_vars)) defined.insert(v.value);
    } else if (s.kind == ir::StmtKind::If) {
      for (const VarId v : store_.list<VarId>(store_.if_data(id).result_vars)) defined.insert(v.value);
    } else if (s.kind == ir::StmtKind::While) {
      for (const VarId v : store_.list<VarId>(store_.while_data(id).result_vars)) defined.insert(v.value);
    }
  }
  return creates;
}

void Interpreter::create_batch(Range stmts) {
  if (stmts.empty()) return;
  const std::vector<StmtId>& creates = batch_of(stmts);
  for (std::size_t i = 0; i < creates.size(); i += kMaxAllocations) {
    allocate({creates.begin() + static_cast<std::ptrdiff_t>(i),
              creates.begin() + static_cast<std::ptrdiff_t>(std::min(i + kMaxAllocations, creates.size()))});
  }
  for (const StmtId id : creates) allocated_.insert(id.value);
}

void Interpreter::allocate(const std::vector<StmtId>& creates) {
  submission_.kind = runtime::TaskKind::Alloc;
  submission_.deps.clear();
  submission_.args.clear();
  submission_.scalar_count = 0;
  submission_.callee = 0;
  submission_.kernel_ids = {-1, -1, -1};
  submission_.block_num = 1;
  submission_.call_site = 0xffffffffU;
  submission_.early_dispatch = submission_.sync_start = false;
  std::vector<TensorValue> values;
  for (const StmtId id : creates) {
    const ir::Stmt s = store_.stmt(id);
    const std::string name(source_name(store_.name(VarId(s.a))));
    TensorValue v = tensor_of(store_.expr(ExprId(s.b)).type, name, s.span);
    const ExprId manual = store_.find_pair(store_.call(ExprId(s.b)).kwargs, "manual_dep");
    v.descriptor.manual_dep = manual.valid() && store_.expr(manual).kind == ir::ExprKind::Bool && store_.expr(manual).a != 0;
    v.data = data_of(name);
    values.push_back(v);
    submission_.args.push_back({ArgKind::Output, v.descriptor, v.name});
  }
  submit(store_.stmt(creates.front()).span);
  for (std::size_t i = 0; i < creates.size(); ++i) {
    const bool manual = values[i].descriptor.manual_dep;
    values[i].descriptor = result_outputs_[i];
    values[i].descriptor.manual_dep = manual;
    assign(VarId(store_.stmt(creates[i]).a), temporary_tensor(values[i]));
  }
}

/// What is about to be submitted, in words.
std::string Interpreter::submitted_name() const {
  if (submission_.kind == runtime::TaskKind::Alloc) return "an allocation";
  if (submission_.kind == runtime::TaskKind::Dummy) return "a barrier";
  return fmt::format("a task of '{}'", callee_);
}

/// The id that the model will give: the ring of the innermost scope (runtime.md 1.2), the next index there.
runtime::TaskId Interpreter::next_id() const {
  const std::uint32_t depth = std::max(model_.open_scopes(), 1U) - 1;
  const std::uint32_t ring = std::min(depth, runtime::kRingCount - 1);
  return runtime::make_task_id(ring, next_local_[ring]);
}

void Interpreter::submit(Span at) {
  if (tasks_ == input_.limits.stop_after_tasks) {
    result_.too_long = true;
    throw Stop{};
  }
  if (++tasks_ > input_.limits.max_tasks) {
    if (at.known()) last_known_ = at;
    fail(last_known_, fmt::format("more than the limit of {} tasks (--max-tasks): {} would be one more", input_.limits.max_tasks,
                                  submitted_name()));
  }
  submission_.manual_scope = in_manual();
  submission_.iteration = iteration_;
  const runtime::TaskId expected = next_id();
  const bool timed = input_.durations != nullptr && submission_.kind == runtime::TaskKind::Kernel;
  submission_.duration = timed ? input_.durations->of(expected, callee_) : 1;
  const runtime::SubmitResult r = at_place(at, [&] { return model_.submit(submission_); });
  submitted_ = r.id;
  if (r.id != runtime::kInvalidTask) {
    next_local_[runtime::ring_of(r.id)] = runtime::local_of(r.id) + 1;
    if (timed && r.id != expected && !input_.moved_scopes)
      throw InternalError("a task got another id than its duration was looked up by");
  }
  result_outputs_.assign(r.outputs.begin(), r.outputs.end());
  if (model_.error_code() != 0) {
    result_.notices.push_back({"runtime_error",
                               fmt::format("the runtime refuses this task with error {}", model_.error_code()),
                               fmt::format("error_{}", model_.error_code()),
                               {},
                               line(at)});
    throw Stop{};
  }
}

// ---------------------------------------------------------------- launches

// Which parameter each result of a callee is: by its return statement, traced through stores and copies.
std::vector<std::int32_t> Interpreter::returned_params(const ir::Function& callee) const {
  std::vector<std::int32_t> out(callee.return_types.size(), -1);
  std::unordered_map<std::uint32_t, std::int32_t> origin;  // VarId -> parameter
  for (std::size_t i = 0; i < callee.params.size(); ++i) origin[callee.params[i].var.value] = static_cast<std::int32_t>(i);
  const auto of = [&](ExprId e) {
    const VarId v = store_.as_var(e);
    const auto it = v.valid() ? origin.find(v.value) : origin.end();
    return it == origin.end() ? -1 : it->second;
  };
  std::vector<ExprId> returned;
  const auto visit = [&](auto&& self, Range body) -> void {
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const StmtId id = store_.at<StmtId>(body, i);
      const ir::Stmt& s = store_.stmt(id);
      switch (s.kind) {
        case ir::StmtKind::Assign: {
          const ExprId e(s.b);
          std::int32_t from = of(e);
          if (store_.is_op(e, "tile.store") && store_.call(e).args.count > 2)
            from = of(store_.at<ExprId>(store_.call(e).args, 2));
          if ((store_.is_op(e, "tensor.assemble") || store_.is_op(e, "tile.assemble")) && store_.call(e).args.count > 0)
            from = of(store_.at<ExprId>(store_.call(e).args, 0));
          if (from >= 0) origin[s.a] = from;
          break;
        }
        case ir::StmtKind::For: {
          const ir::ForData d = store_.for_data(id);
          for (std::uint32_t k = 0; k < d.iter_args.count && k < d.inits.count; ++k) {
            const std::int32_t from = of(store_.at<ExprId>(d.inits, k));
            if (from < 0) continue;
            origin[store_.at(d.iter_args, k)] = from;
            if (k < d.result_vars.count) origin[store_.at(d.result_vars, k)] = from;
          }
          self(self, d.body);
          break;
        }
        case ir::StmtKind::If: {
          const ir::IfData d = store_.if_data(id);
          self(self, d.then_body);
          const std::vector<ExprId> yields = trailing_yield(d.then_body);
          for (std::uint32_t k = 0; k < d.result_vars.count && k < yields.size(); ++k) {
            const std::int32_t from = of(yields[k]);
            if (from >= 0) origin[store_.at(d.result_vars, k)] = from;
          }
          self(self, d.else_body);
          break;
        }
        case ir::StmtKind::Scope: self(self, store_.scope_data(id).body); break;
        case ir::StmtKind::Return: returned = store_.list<ExprId>(Range{s.a, s.b}); break;
        default: break;
      }
    }
  };
  visit(visit, callee.body);
  std::vector<std::int32_t> written;
  for (std::size_t i = 0; i < callee.params.size(); ++i) {
    if (callee.params[i].direction != ir::ParamDirection::In) written.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i < returned.size()) out[i] = of(returned[i]);
    if (out[i] >= 0) continue;
    if (written.size() == 1) {
      out[i] = written[0];
    } else if (i < written.size()) {
      out[i] = written[i];
    }
  }
  return out;
}

void Interpreter::add_tensor_argument(ArgKind kind, const Value& v, Span at) {
  if (v.kind == ValueKind::Missing) needs_data(v, "a tensor argument", at);
  if (v.kind != ValueKind::Tensor) fail(at, "a tensor argument was expected");
  const TensorValue& t = tensor(v);
  submission_.args.push_back({kind, t.descriptor, t.name});
}

Value Interpreter::launch(StmtId site, ExprId call, VarId target) {
  const ir::Call c = store_.call(call);
  const ir::Stmt st = store_.stmt(site);
  const Span at = st.span;
  const ir::Function* callee = program_.find(c.callee);
  const std::string name(store_.text(c.callee));
  if (callee == nullptr) fail(at, fmt::format("no function '{}' in the program", name));
  const auto params = static_cast<std::uint32_t>(callee->params.size());
  if (c.args.count > params || (c.form == ir::CallForm::Function && c.args.count != params)) {
    fail(at, fmt::format("'{}' takes {} arguments, {} are given", name, params, c.args.count));
  }
  submission_ = {};
  submission_.kernel_ids = kernels_.kernel_ids(c.callee);
  submission_.callee = host_.intern(name);
  callee_ = name;
  submission_.call_site = host_.call_site(site);

  // Omitted arguments are outputs that the runtime allocates; they sit before trailing CommCtx parameters (ir-text 7).
  const std::uint32_t gap = params - c.args.count;
  std::uint32_t contexts = 0;
  while (contexts < params && is_comm_context(store_, callee->params[params - 1 - contexts].type)) ++contexts;
  const auto param_of = [&](std::uint32_t arg) { return arg + contexts < c.args.count || gap == 0 ? arg : arg + gap; };

  std::vector<ExprId> directions;
  const ExprId attr = store_.find_pair(c.attrs, "arg_directions");
  if (attr.valid()) directions = ir::children(store_, attr);
  std::vector<Value> values(c.args.count);
  std::vector<ArgKind> kinds(c.args.count, ArgKind::Scalar);
  for (std::uint32_t i = 0; i < c.args.count; ++i) {
    const ExprId arg = store_.at<ExprId>(c.args, i);
    const ir::ExprKind kind = store_.expr(arg).kind;
    if ((kind == ir::ExprKind::Binary || kind == ir::ExprKind::Unary || kind == ir::ExprKind::Cast) &&
        expression_arguments_.insert(arg.value).second) {
      result_.notices.push_back({"codegen_abort",
                                 fmt::format("argument {} of '{}' is an expression: the code generator accepts variables and "
                                             "literals only (assign it to a name first)",
                                             i, name),
                                 name,
                                 {},
                                 line(at)});
    }
    values[i] = evaluate(arg);
    const ir::Param& p = callee->params[param_of(i)];
    if (!ir::is_tensor_like(store_, p.type)) continue;
    kinds[i] = i < directions.size() && store_.expr(directions[i]).kind == ir::ExprKind::Name
                   ? kind_of(pass::arg_direction_from_name(store_.text(NameId(store_.expr(directions[i]).a)).substr(8)))
                   : kind_of(p.direction);
  }
  const bool wrapper = callee->kind == ir::FunctionKind::Group || callee->kind == ir::FunctionKind::Spmd;
  argument_params_.clear();
  if (!wrapper || !wrapper_arguments(*callee, kinds, values, at)) {
    for (std::uint32_t i = 0; i < c.args.count; ++i) {
      if (kinds[i] == ArgKind::Scalar) {
        ++submission_.scalar_count;
      } else {
        add_tensor_argument(kinds[i], values[i], at);
        argument_params_.push_back(param_of(i));
      }
    }
  }
  std::vector<std::pair<std::uint32_t, std::size_t>> created;  // parameter, output position
  for (std::uint32_t k = 0; k < gap; ++k) {
    const std::uint32_t p = c.args.count - std::min(contexts, c.args.count) + k;
    if (callee->params[p].direction != ir::ParamDirection::Out || !ir::is_tensor_like(store_, callee->params[p].type)) {
      result_.notices.push_back(
          {"codegen_abort",
           fmt::format("'{}' is launched without its parameter '{}', which is no Out tensor: only those may "
                       "be left out",
                       name, source_name(store_.name(callee->params[p].var))),
           name,
           {},
           line(at)});
      throw Stop{};
    }
    const TensorValue v = tensor_of(callee->params[p].type, source_name(store_.name(callee->params[p].var)), at);
    created.emplace_back(p, created.size());
    submission_.args.push_back({ArgKind::Output, v.descriptor, v.name});
    argument_params_.push_back(p);
  }
  add_dependencies(call, name, at);

  const auto option = [&](std::string_view key) {
    const ExprId kwarg = store_.find_pair(c.kwargs, key);
    return kwarg.valid() ? kwarg : store_.find_pair(c.attrs, key);
  };
  if (const ExprId cores = option("core_num"); cores.valid()) {
    const std::int64_t blocks = need_int(cores, "core_num");
    if (blocks < 1 || blocks > 0xffffffLL) fail(at, fmt::format("core_num is {}: at least one block is needed", blocks));
    submission_.block_num = static_cast<std::uint32_t>(blocks);
  }
  const auto flag = [&](std::string_view key) {
    const ExprId e = option(key);
    return e.valid() && store_.expr(e).kind == ir::ExprKind::Bool && store_.expr(e).a != 0;
  };
  // Judged when the task becomes ready, without waiting for anybody; contents that nobody gave are taken to hold.
  if (const ExprId predicate = option("predicate"); predicate.valid()) {
    in_predicate_ = true;
    const Value holds = evaluate(predicate);
    in_predicate_ = false;
    submission_.predicate_false = holds.kind == ValueKind::Bool && holds.number == 0;
  }
  submission_.sync_start = flag("sync_start");
  submission_.early_dispatch = flag("allow_early_resolve");
  submit(at);
  const runtime::TaskId task = submitted_;
  if (host_.touched) {
    std::vector<Value> parameters(params);
    for (std::uint32_t i = 0; i < c.args.count; ++i) parameters[param_of(i)] = values[i];
    report_touches(*callee, parameters);
  }

  // Each result is the buffer of the parameter that the callee returns there.
  auto known = returned_.find(c.callee.value);
  if (known == returned_.end()) known = returned_.emplace(c.callee.value, returned_params(*callee)).first;
  const std::vector<std::int32_t>& origins = known->second;
  std::vector<Value> results;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    Value v;
    if (origins[i] >= 0) {
      const auto p = static_cast<std::uint32_t>(origins[i]);
      for (std::uint32_t a = 0; a < c.args.count; ++a) {
        if (param_of(a) == p) v = values[a];
      }
      for (const auto& [param, position] : created) {
        if (param != p) continue;
        TensorValue made;
        made.descriptor = result_outputs_[position];
        made.name = submission_.args[submission_.args.size() - created.size() + position].name;
        v = temporary_tensor(made);
      }
    } else {
      v = missing(name, line(at), true);
    }
    results.push_back(v);
  }
  bind_results(target, call, kinds, task);
  if (c.form == ir::CallForm::Submit) {
    Value id{.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(task)};
    results.push_back(id);
  } else if (results.size() == 1) {
    return results[0];
  }
  if (!target.valid() || results.empty()) return {.kind = ValueKind::Tuple, .producer = task};
  std::uint32_t& slot = tuple_slot_[target.value];
  if (slot == 0xffffffffU) {
    slot = static_cast<std::uint32_t>(tuples_.size());
    tuples_.emplace_back();
  }
  Tuple& tuple = tuples_[slot];
  tuple.items.resize(results.size());
  tuple.slots.resize(results.size(), 0xffffffffU);
  for (std::size_t i = 0; i < results.size(); ++i) tuple.items[i] = keep(results[i], tuple.slots[i]);
  return {.kind = ValueKind::Tuple, .index = slot, .producer = task};
}

// The kernel of a wrapper sees its own argument order (passes.md 9.2); false when the body is not a plain forwarding call.
bool Interpreter::wrapper_arguments(const ir::Function& wrapper, const std::vector<ArgKind>& kinds,
                                    const std::vector<Value>& values, Span at) {
  ExprId inner;
  ir::for_each_stmt(store_, wrapper.body, [&](StmtId s) {
    for (const ExprId e : ir::expressions(store_, s)) {
      if (!inner.valid() && store_.expr(e).kind == ir::ExprKind::Call && store_.call(e).form == ir::CallForm::Function) inner = e;
    }
  });
  if (!inner.valid()) return false;
  const ir::Call c = store_.call(inner);
  struct Forwarded {
    ArgKind kind;
    Value value;
    std::uint32_t param;
  };
  std::vector<Forwarded> tensors;
  std::uint32_t scalars = 0;
  for (std::uint32_t i = 0; i < c.args.count; ++i) {
    const ExprId arg = store_.at<ExprId>(c.args, i);
    const VarId var = store_.as_var(arg);
    if (!var.valid()) {
      ++scalars;  // literals of the wrapper
      continue;
    }
    const auto p = std::find_if(wrapper.params.begin(), wrapper.params.end(), [&](const ir::Param& q) { return q.var == var; });
    if (p == wrapper.params.end()) {
      if (ir::is_tensor_like(store_, store_.var(var).type)) return false;
      continue;  // scalars local to the wrapper are dropped
    }
    const auto index = static_cast<std::size_t>(p - wrapper.params.begin());
    if (index >= values.size()) return false;
    if (kinds[index] == ArgKind::Scalar) {
      ++scalars;
    } else {
      tensors.push_back({kinds[index], values[index], static_cast<std::uint32_t>(index)});
    }
  }
  for (const auto& [kind, value, param] : tensors) {
    add_tensor_argument(kind, value, at);
    argument_params_.push_back(param);
  }
  submission_.scalar_count = scalars;
  return true;
}

}  // namespace depscope::execute
