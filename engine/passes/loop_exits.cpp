#include "loop_exits.h"

namespace depscope::pass {

using ir::StmtId;
using ir::StmtKind;

StmtId break_or_continue(const ir::NodeStore& store, Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store.at<StmtId>(body, i);
    StmtId found;
    switch (store.stmt(id).kind) {
      case StmtKind::Break:
      case StmtKind::Continue: return id;
      case StmtKind::If:
        found = break_or_continue(store, store.if_data(id).then_body);
        if (!found.valid()) found = break_or_continue(store, store.if_data(id).else_body);
        break;
      case StmtKind::Scope: found = break_or_continue(store, store.scope_data(id).body); break;
      default: break;
    }
    if (found.valid()) return found;
  }
  return {};
}

StmtId nested_return(const ir::NodeStore& store, Range body) {
  StmtId found;
  ir::for_each_stmt(store, body, [&](StmtId id) {
    if (!found.valid() && store.stmt(id).kind == StmtKind::Return) found = id;
  });
  return found;
}

}  // namespace depscope::pass
