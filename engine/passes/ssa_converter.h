// The conversion of one function to SSA form (passes.md, section 2).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/pass.h"
#include "escaping.h"
#include "expr_rewriter.h"

namespace depscope::pass {

/// Converts the functions of one program, one after the other. State per source variable: its current version, how many versions
/// there are, and an undo list, so that branches and loop bodies can be left without copying the state.
class SsaConverter final : public ExprRewriter {
 public:
  SsaConverter(const ir::Program& program, Profile profile, DecisionSink& sink)
      : SsaConverter(program, *program.store, profile, sink) {}

  /// Throws InputError where a variable escapes from a loop and nothing could be its start value.
  ir::Function run(FunctionIndex index);

 protected:
  ir::ExprId var(ir::ExprId reference, ir::VarId variable) override {
    const ir::VarId now = lookup(variable);
    return !now.valid() || now == variable ? reference : store_.make_var_ref(now, store_.expr(reference).span);
  }

 private:
  SsaConverter(const ir::Program& program, ir::NodeStore& store, Profile profile, DecisionSink& sink)
      : ExprRewriter(store),
        program_(program),
        profile_(profile),
        sink_(sink),
        current_(store.var_count()),
        versions_(store.var_count(), 0),
        kept_(store.var_count(), 0),
        iter_arg_(store.var_count()) {}

  /// What one loop carries beside its own iter-args.
  struct Carried {
    std::vector<ir::VarId> variables;  ///< source variables: carried by name, then escaping by name
    std::vector<ir::ExprId> inits;
    std::vector<ir::VarId> iter_args;
    std::vector<ir::VarId> results;
  };
  using Change = std::pair<ir::VarId, ir::VarId>;  ///< source variable, version
  struct Undo {
    ir::VarId source;
    ir::VarId before;
    std::uint32_t versions_before = 0;
  };

  // Variables made by this pass are beyond the tables: they stand for themselves.
  [[nodiscard]] ir::VarId lookup(ir::VarId source) const {
    return source.value < current_.size() ? current_[source.value] : source;
  }
  void set(ir::VarId source, ir::VarId version) { set(source, version, versions_[source.value]); }
  void set(ir::VarId source, ir::VarId version, std::uint32_t versions_before) {
    trail_.push_back({source, current_[source.value], versions_before});
    current_[source.value] = version;
  }
  void roll_back(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      const Undo& undo = trail_.back();
      current_[undo.source.value] = undo.before;
      if (is_unshadowed(undo.source)) versions_[undo.source.value] = undo.versions_before;
    }
  }
  /// True where the name means an explicit iter-arg of a loop around this place. An assignment to it then makes a variable of
  /// the block it stands in: it is neither merged nor carried, and behind the block the name means the iter-arg again.
  [[nodiscard]] bool is_unshadowed(ir::VarId source) const {
    return iter_arg_[source.value].valid() && current_[source.value] == iter_arg_[source.value];
  }
  /// Enters a loop with these iter-args; gives back what to hand to leave_iter_args.
  std::vector<ir::VarId> enter_iter_args(Range sources) {
    std::vector<ir::VarId> outer;
    for (const ir::VarId source : store_.list<ir::VarId>(sources)) {
      outer.push_back(std::exchange(iter_arg_[source.value], current_[source.value]));
    }
    return outer;
  }
  void leave_iter_args(Range sources, const std::vector<ir::VarId>& outer) {
    const std::vector<ir::VarId> list = store_.list<ir::VarId>(sources);
    for (std::size_t i = list.size(); i-- > 0;) iter_arg_[list[i].value] = outer[i];
  }
  /// Source variables that changed since the mark, with their version now.
  [[nodiscard]] std::vector<Change> changes_since(std::size_t mark) const;

  ir::VarId make_version(ir::VarId source, std::string_view role, ir::TypeId type);
  ir::VarId keep_name(ir::VarId source);
  [[nodiscard]] ir::TypeId assigned_type(ir::VarId target, ir::TypeId declared, ir::ExprId value);
  [[nodiscard]] bool by_name(ir::VarId a, ir::VarId b) const {
    return store_.name(a) != store_.name(b) ? store_.name(a) < store_.name(b) : a < b;
  }

  std::vector<ir::StmtId> body(Range body);
  /// `out` is where the statement will stand: the start value of an escaping id may need one before it.
  ir::StmtId statement(ir::StmtId id, std::vector<ir::StmtId>& out);
  ir::StmtId assign(const ir::Stmt& s);
  ir::StmtId if_statement(ir::StmtId id);
  ir::StmtId for_statement(ir::StmtId id, std::vector<ir::StmtId>& out);
  ir::StmtId while_statement(ir::StmtId id, std::vector<ir::StmtId>& out);
  ir::StmtId scope(ir::StmtId id);
  Carried find_carried(ir::StmtId loop, Range body, Range iter_args, ir::VarId counter, std::vector<ir::StmtId>& before);
  void report_early_exit(ir::StmtId loop, Range body, bool carries);
  void enter(const Carried& carried);
  void leave(const Carried& carried, std::size_t mark, Range old_results, std::vector<ir::VarId>& results);
  std::vector<ir::ExprId> current_values(const std::vector<ir::VarId>& variables);
  void collect_variables();
  [[nodiscard]] ir::ExprId escaping_init(ir::VarId variable, ir::StmtId loop, std::vector<ir::StmtId>& out);

  const ir::Program& program_;
  Profile profile_;
  DecisionSink& sink_;
  std::vector<ir::VarId> current_;       ///< by source variable; none while it is not defined
  std::vector<std::uint32_t> versions_;  ///< by source variable: how many versions were made, one counter for all roles
  std::vector<char> kept_;               ///< by source variable: used once under its own name
  std::vector<ir::VarId> iter_arg_;      ///< by source variable: the iter-arg of this name, inside its loop
  std::vector<Undo> trail_;              ///< every change of current_ with the value before it
  std::unordered_map<ir::TypeId, std::vector<ir::VarId>> variables_of_type_;  ///< of the function, each list in order of identity
  const EscapingVariables* escaping_ = nullptr;
  const ir::Function* function_ = nullptr;
  FunctionIndex index_ = 0;
};

}  // namespace depscope::pass
