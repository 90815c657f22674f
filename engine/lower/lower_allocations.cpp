// tensor.create statements become batches at the start of their sequence (passes.md 9.7).
#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

constexpr std::size_t kMaxBatch = 16;  // tensors of one alloc_tensors

}  // namespace

void Lowering::allocate_batch(Range body) {
  std::vector<std::uint32_t> vars;
  std::unordered_set<std::uint32_t> defined;  // earlier in this sequence: what depends on it cannot move to the front
  const auto define = [&](Range list) {
    for (std::uint32_t k = 0; k < list.count; ++k) defined.insert(store_.at(list, k));
  };
  StmtId first;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    const ir::Stmt& s = store_.stmt(id);
    switch (s.kind) {
      case StmtKind::Assign: {
        const ExprId value(s.b);
        if (store_.is_op(value, "tensor.create")) {
          bool early = true;
          const Range args = store_.call(value).args;
          if (!args.empty()) {
            for_each_variable(store_, store_.at<ExprId>(args, 0),
                              [&](VarId var) { early = early && !defined.contains(var.value); });
          }
          if (early) {
            if (!first.valid()) first = id;
            vars.push_back(s.a);
            batched_.insert(id.value);
          }
        }
        defined.insert(s.a);
        break;
      }
      case StmtKind::For: define(store_.for_data(id).result_vars); break;
      case StmtKind::While: define(store_.while_data(id).result_vars); break;
      case StmtKind::If: define(store_.if_data(id).result_vars); break;
      default: break;
    }
  }
  for (std::size_t begin = 0; begin < vars.size(); begin += kMaxBatch) {
    const std::size_t end = std::min(begin + kMaxBatch, vars.size());
    const Rows words =
        add_words({vars.begin() + static_cast<std::ptrdiff_t>(begin), vars.begin() + static_cast<std::ptrdiff_t>(end)});
    emit(OpKind::AllocTensors, first, words.begin, words.end);
  }
}

}  // namespace depscope::lower
