// Signatures of all functions, and what Group and Spmd functions call: nothing of an orchestration launches those calls one by
// one, so they are no call sites.
#include <algorithm>
#include <vector>

#include "pass_recorder_state.h"
#include "site_columns.h"

namespace depscope::recording {

void PassRecorder::State::write_parameters(const ir::Program& last) {
  const ir::Program& input = programs.front();
  auto& t = r.parameters;
  for (std::uint32_t f = 0; f < last.functions.size(); ++f) {
    const ir::Function& function = last.functions[f];
    // A dump directory starts with texts of their own: the same function has other names there.
    const ir::Function* declared =
        input.store == last.store ? input.find(function.name) : input.find(last.store->text(function.name));
    for (std::uint32_t p = 0; p < function.params.size(); ++p) {
      const bool known = declared != nullptr && p < declared->params.size();
      t.function.push_back(f);
      t.index.push_back(p);
      t.name.push_back(name_string(function.params[p].var));
      t.direction.push_back(static_cast<std::uint8_t>(function.params[p].direction));
      t.declared.push_back(known ? static_cast<std::uint8_t>(declared->params[p].direction) : t.direction.back());
    }
  }
}

void PassRecorder::State::write_wrapper_calls(const ir::Program& last) {
  const Snapshot& now = snapshots.back();
  wrapper_row_of_site.assign(now.site_count(), kNoRow);
  auto& t = r.wrapper_calls;
  for (std::uint32_t f = 0; f < now.functions.size(); ++f) {
    const ir::FunctionKind kind = last.functions[f].kind;
    if (kind != ir::FunctionKind::Group && kind != ir::FunctionKind::Spmd) continue;
    const FunctionSites& function = now.functions[f];
    for (std::uint32_t s = 0; s < function.sites.size(); ++s) {
      const TaskSite& site = function.sites[s];
      const std::uint32_t row = t.rows();
      wrapper_row_of_site[now.first_site[f] + s] = row;
      t.function.push_back(f);
      t.index.push_back(s);
      t.kind.push_back(static_cast<std::uint8_t>(site.kind));
      t.callee.push_back(r.strings.add(last.store->text(site.callee)));
      t.line.push_back(last.line(last.store->stmt(site.statement).span));
      t.loop_depth.push_back(site.loop_depth);
      std::vector<std::uint32_t> path;
      for (std::uint32_t scope = site.scope; scope != kNoRow; scope = function.scopes[scope].parent) path.push_back(scope);
      std::reverse(path.begin(), path.end());
      run_of(t.scope_begin, t.scope_begin_count, path);
      write_names(
          r, *last.store, site, t, false, [this](ir::ExprId id) { return expr_string(id); },
          [this](ir::VarId var) { return name_string(var); });
      (void)write_arguments(r, last, site, r.wrapper_arguments, r.wrapper_arguments.call, row);
    }
  }
}

}  // namespace depscope::recording
