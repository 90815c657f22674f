// Core kinds of kernels.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "depscope/execute/program_runner.h"

namespace depscope::execute {
namespace {

constexpr std::size_t kMaxWrapperNesting = 200;  // deeper wrappers have no kernel

struct Cores {
  bool matrix = false;
  bool vector = false;
};

bool is_matrix_op(std::string_view op) {
  return op.starts_with("tile.matmul") || op.starts_with("tile.gemv") || op.starts_with("tensor.matmul") ||
         op.starts_with("tile.batch_matmul");
}

/// Vector work: arithmetic on tiles. Moving data between memories runs on either core kind.
bool is_vector_op(std::string_view op) {
  if (!op.starts_with("tile.")) return false;
  for (const std::string_view neutral :
       {"tile.load", "tile.store", "tile.move", "tile.alloc", "tile.create", "tile.read", "tile.write", "tile.reshape",
        "tile.transpose_view", "tile.slice", "tile.assemble", "tile.get_block_idx", "tile.tpush", "tile.tpop", "tile.tfree"}) {
    if (op.starts_with(neutral)) return false;
  }
  return !is_matrix_op(op);
}

Cores cores_of_body(const ir::Program& program, const ir::Function& f) {
  const ir::NodeStore& store = *program.store;
  Cores out;
  const std::function<void(ir::ExprId)> visit = [&](ir::ExprId e) {
    if (!e.valid()) return;
    if (store.expr(e).kind == ir::ExprKind::Call && store.call(e).form == ir::CallForm::Op) {
      out.matrix = out.matrix || is_matrix_op(store.callee(e));
      out.vector = out.vector || is_vector_op(store.callee(e));
    }
    for (const ir::ExprId c : ir::children(store, e)) visit(c);
  };
  ir::for_each_stmt(store, f.body, [&](ir::StmtId s) {
    for (const ir::ExprId e : ir::expressions(store, s)) visit(e);
  });
  return out;
}

/// Functions that a wrapper launches, in the order of their calls.
std::vector<const ir::Function*> members(const ir::Program& program, const ir::Function& wrapper) {
  std::vector<const ir::Function*> out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, wrapper.body, [&](ir::StmtId s) {
    for (const ir::ExprId e : ir::expressions(store, s)) {
      if (store.expr(e).kind != ir::ExprKind::Call) continue;
      const ir::Call& c = store.call(e);
      if (c.form != ir::CallForm::Function && c.form != ir::CallForm::Submit) continue;
      if (const ir::Function* f = program.find(c.callee)) out.push_back(f);
    }
  });
  return out;
}

}  // namespace

KernelTable::KernelTable(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  std::vector<const ir::Function*> sorted;
  for (const ir::Function& f : program.functions) sorted.push_back(&f);
  std::sort(sorted.begin(), sorted.end(),
            [&](const ir::Function* a, const ir::Function* b) { return store.text(a->name) < store.text(b->name); });
  std::unordered_map<const ir::Function*, std::int32_t> numbers;
  for (const ir::Function* f : sorted) {
    const bool wrapper = f->kind == ir::FunctionKind::Group || f->kind == ir::FunctionKind::Spmd;
    if (!wrapper) numbers.emplace(f, static_cast<std::int32_t>(numbers.size()));
  }
  const auto own = [&](const ir::Function& f) {
    std::array<std::int32_t, 3> ids{-1, -1, -1};
    Cores cores;
    if (f.kind == ir::FunctionKind::Aic) {
      cores.matrix = true;
    } else if (f.kind == ir::FunctionKind::Aiv) {
      cores.vector = true;
    } else {
      cores = cores_of_body(program, f);
      if (!cores.matrix && !cores.vector) cores.vector = true;
    }
    if (cores.matrix) ids[0] = numbers.at(&f);
    if (cores.vector) ids[1] = numbers.at(&f);
    return ids;
  };
  // Wrappers combine what they launch. Each is resolved once; one that is still open launches itself and adds nothing.
  std::unordered_map<const ir::Function*, std::array<std::int32_t, 3>> known;
  const std::function<std::array<std::int32_t, 3>(const ir::Function&, std::size_t)> resolve = [&](const ir::Function& f,
                                                                                                   std::size_t depth) {
    if (const auto it = known.find(&f); it != known.end()) return it->second;
    std::array<std::int32_t, 3> ids{-1, -1, -1};
    known[&f] = ids;
    if (f.kind != ir::FunctionKind::Group && f.kind != ir::FunctionKind::Spmd) {
      ids = own(f);
    } else if (depth < kMaxWrapperNesting) {
      for (const ir::Function* m : members(program, f)) {
        const std::array<std::int32_t, 3> inner = resolve(*m, depth + 1);
        for (std::size_t i = 0; i < 3; ++i) {
          if (ids[i] < 0) ids[i] = inner[i];
        }
      }
      if (ids[0] < 0 && ids[1] < 0 && ids[2] < 0) ids[1] = 0;
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
