// Core kinds of kernels.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depscope/execute/program_runner.h"

namespace depscope::execute {
namespace {

constexpr std::size_t kMaxWrapperNesting = 200;  // deeper wrappers have no kernel

struct Cores {
  bool matrix = false;
  bool vector = false;
};

/// Name of a tile or tensor operation behind its namespace; empty for others.
std::string_view operation(std::string_view op) {
  for (const std::string_view space : {"tile.", "tensor."}) {
    if (op.starts_with(space)) return op.substr(space.size());
  }
  return {};
}

bool is_matrix_op(std::string_view name) {
  return name.starts_with("matmul") || name.starts_with("batch_matmul") || name.starts_with("gemv");
}

/// Moving data between memories, and looking at it in another shape, runs on either core kind.
bool is_neutral_op(std::string_view name) {
  for (const std::string_view neutral : {"load",  "store",    "move",      "alloc",          "create",           "read",
                                         "write", "dim",      "reshape",   "view",           "reinterpret_view", "transpose_view",
                                         "slice", "assemble", "window",    "set_validshape", "get_block_idx",    "tpush",
                                         "tpop",  "tfree",    "aiv_shard", "aic_gather"}) {
    if (name.starts_with(neutral)) return true;
  }
  return false;
}

/// Functions that a body calls or launches, in the order of the calls.
std::vector<const ir::Function*> members(const ir::Program& program, const ir::Function& f) {
  std::vector<const ir::Function*> out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, f.body, [&](ir::StmtId s) {
    for (const ir::ExprId e : ir::expressions(store, s)) {
      if (store.expr(e).kind != ir::ExprKind::Call) continue;
      const ir::Call& c = store.call(e);
      if (c.form != ir::CallForm::Function && c.form != ir::CallForm::Submit) continue;
      if (const ir::Function* callee = program.find(c.callee)) out.push_back(callee);
    }
  });
  return out;
}

/// What the operations of a body run on, without those of the functions it calls.
Cores cores_of_body(const ir::Program& program, const ir::Function& f) {
  const ir::NodeStore& store = *program.store;
  Cores out;
  const std::function<void(ir::ExprId)> visit = [&](ir::ExprId e) {
    if (!e.valid()) return;
    if (store.expr(e).kind == ir::ExprKind::Call && store.call(e).form == ir::CallForm::Op) {
      const std::string_view name = operation(store.callee(e));
      out.matrix = out.matrix || is_matrix_op(name);
      out.vector = out.vector || !(name.empty() || is_matrix_op(name) || is_neutral_op(name));
    }
    for (const ir::ExprId c : ir::children(store, e)) visit(c);
  };
  ir::for_each_stmt(store, f.body, [&](ir::StmtId s) {
    for (const ir::ExprId e : ir::expressions(store, s)) visit(e);
  });
  return out;
}

/// Of a function whose type does not say it: its own operations and those of all functions that it calls, directly or not.
Cores cores_of(const ir::Program& program, const ir::Function& f) {
  if (f.kind == ir::FunctionKind::Aic) return {.matrix = true, .vector = false};
  if (f.kind == ir::FunctionKind::Aiv) return {.matrix = false, .vector = true};
  Cores out;
  std::vector<const ir::Function*> open{&f};
  std::unordered_set<const ir::Function*> seen{&f};
  while (!open.empty()) {
    const ir::Function* next = open.back();
    open.pop_back();
    const bool matrix = next->kind == ir::FunctionKind::Aic;
    const bool vector = next->kind == ir::FunctionKind::Aiv;
    const Cores cores = matrix || vector ? Cores{matrix, vector} : cores_of_body(program, *next);
    out.matrix = out.matrix || cores.matrix;
    out.vector = out.vector || cores.vector;
    for (const ir::Function* callee : members(program, *next)) {
      if (seen.insert(callee).second) open.push_back(callee);
    }
  }
  // What only moves data runs on vector cores.
  if (!out.matrix) out.vector = true;
  return out;
}

/// Adds the lanes of a member to those of its wrapper: a second vector kernel takes the second vector core of the cluster. What
/// finds no free lane is left out.
void add_member(std::array<std::int32_t, 3>& ids, const std::array<std::int32_t, 3>& member) {
  if (ids[0] < 0) ids[0] = member[0];
  for (const std::int32_t vector : {member[1], member[2]}) {
    if (vector < 0 || vector == ids[1] || vector == ids[2]) continue;
    if (ids[1] < 0) {
      ids[1] = vector;
    } else if (ids[2] < 0) {
      ids[2] = vector;
    }
  }
}

}  // namespace

KernelTable::KernelTable(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  std::vector<const ir::Function*> sorted;
  for (const ir::Function& f : program.functions) sorted.push_back(&f);
  std::sort(sorted.begin(), sorted.end(),
            [&](const ir::Function* a, const ir::Function* b) { return store.text(a->name) < store.text(b->name); });
  std::unordered_map<const ir::Function*, std::int32_t> numbers;
  std::unordered_set<const ir::Function*> wrappers;
  for (const ir::Function* f : sorted) {
    const bool wraps = f->kind == ir::FunctionKind::Group || f->kind == ir::FunctionKind::Spmd;
    // A wrapper without a kernel behind it does its work itself.
    if (wraps && !members(program, *f).empty()) {
      wrappers.insert(f);
    } else {
      numbers.emplace(f, static_cast<std::int32_t>(numbers.size()));
    }
  }
  // Wrappers combine what they launch. Each is resolved once; one that is still open launches itself and adds nothing.
  std::unordered_map<const ir::Function*, std::array<std::int32_t, 3>> known;
  const std::function<std::array<std::int32_t, 3>(const ir::Function&, std::size_t)> resolve = [&](const ir::Function& f,
                                                                                                   std::size_t depth) {
    if (const auto it = known.find(&f); it != known.end()) return it->second;
    std::array<std::int32_t, 3> ids{-1, -1, -1};
    known[&f] = ids;
    if (!wrappers.contains(&f)) {
      const Cores cores = cores_of(program, f);
      if (cores.matrix) ids[0] = numbers.at(&f);
      if (cores.vector) ids[1] = numbers.at(&f);
    } else if (depth < kMaxWrapperNesting) {
      for (const ir::Function* m : members(program, f)) add_member(ids, resolve(*m, depth + 1));
    }
    known[&f] = ids;
    return ids;
  };
  for (const ir::Function* f : sorted) kernels_.emplace_back(f->name, resolve(*f, 0));
  std::sort(kernels_.begin(), kernels_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::array<std::int32_t, 3> KernelTable::kernel_ids(NameId function) const {
  const auto it =
      std::lower_bound(kernels_.begin(), kernels_.end(), function, [](const auto& k, NameId n) { return k.first < n; });
  if (it == kernels_.end() || it->first != function) return {-1, -1, -1};
  return it->second;
}

}  // namespace depscope::execute
