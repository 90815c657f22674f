// What holds for every program, whatever it does: random orchestrations through the whole pipeline.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "decision_log.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "random_orchestration.h"

namespace depscope::pass::testing {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;

ir::Program read_program(const std::string& text) {
  ir::ReadResult result = ir::read_text(std::make_shared<SourceFile>("random.py", text));
  for (const Diagnostic& d : result.diagnostics) RC_LOG() << d.text() << "\n";
  RC_ASSERT(result.ok);
  return result.programs.at(0);
}

Options random_options() {
  Options options;
  options.analyze_auto_scopes = *rc::gen::element(true, true, true, false);
  options.profile = *rc::gen::arbitrary<bool>() ? Profile::Seed : Profile::Upstream202608;
  return options;
}

/// The programs after each pass.
struct Steps {
  std::vector<std::string> names;
  std::vector<ir::Program> programs;
};

class StepObserver final : public PassObserver {
 public:
  explicit StepObserver(Steps& steps) : steps_(steps) {}
  void after_pass(std::uint32_t, const Pass* pass, const ir::Program& program, bool, const std::vector<Diagnostic>&) override {
    steps_.names.emplace_back(pass == nullptr ? "frontend" : pass->name());
    steps_.programs.push_back(program);
  }

 private:
  Steps& steps_;
};

/// Runs the default pipeline; the manager verifies after every pass and throws when a rule is broken.
Steps run_pipeline(const ir::Program& program, const Options& options, DecisionSink& sink) {
  Steps steps;
  PassManager manager(default_passes(program), options);
  StepObserver observer(steps);
  manager.add_observer(observer);
  try {
    (void)manager.run(program, sink);
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics()) RC_LOG() << d.text() << "\n";
    // The one thing that the compiler refuses among these: it cannot size the array of a parallel loop's ids.
    RC_PRE(std::string(error.what()).find("needs a constant number of iterations") == std::string::npos);
    RC_FAIL("a pass broke its verifier or refused a good program");
  }
  return steps;
}

/// Callee and names of the user edges of every task site and barrier of main, in order.
using UserEdges = std::vector<std::pair<std::string, std::vector<std::string>>>;
UserEdges user_edges_of(const ir::Program& program) {
  UserEdges out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, program.find("main")->body, [&](StmtId stmt) {
    const ir::Stmt& s = store.stmt(stmt);
    if (s.kind != StmtKind::Assign && s.kind != StmtKind::Eval) return;
    const ExprId value(s.kind == StmtKind::Assign ? s.b : s.a);
    if (store.expr(value).kind != ir::ExprKind::Call) return;
    const ir::Call& call = store.call(value);
    std::vector<std::string> deps;
    for (const ExprId dep : store.list<ExprId>(call.deps)) deps.emplace_back(store.name(store.as_var(dep)));
    const bool site = call.form == ir::CallForm::Function || call.form == ir::CallForm::Submit;
    if (site || !deps.empty()) out.emplace_back(store.text(call.callee), std::move(deps));
  });
  return out;
}

void without_versions(UserEdges& edges) {
  for (auto& [callee, deps] : edges) {
    for (std::string& dep : deps) dep = ir::source_name(dep);
  }
}

/// Callees and numbers of edges of `after` are among those of `before`, in the same order (Simplify drops and copies bodies).
bool counts_are_a_subsequence(const UserEdges& before, const UserEdges& after) {
  std::size_t at = 0;
  for (const auto& [callee, deps] : after) {
    while (at < before.size() && (before[at].first != callee || before[at].second.size() != deps.size())) ++at;
    if (at == before.size()) return false;
    ++at;
  }
  return true;
}

RC_GTEST_PROP(PassProperty, EveryStepPrintsAndReadsBackAsItself, ()) {
  const std::string text = random_program();
  RC_LOG() << text;
  CountingSink sink;
  const Steps steps = run_pipeline(read_program(text), random_options(), sink);
  for (std::size_t i = 0; i < steps.programs.size(); ++i) {
    RC_LOG() << "after " << steps.names[i] << "\n";
    const std::string printed = ir::print_program(steps.programs[i]);
    const ir::Program again = read_program(printed);
    RC_ASSERT(ir::print_program(again) == printed);
    RC_ASSERT(ir::first_difference(steps.programs[i], again) == "");
  }
}

RC_GTEST_PROP(PassProperty, EveryPassKeepsWhatItPromises, ()) {
  const std::string text = random_program();
  RC_LOG() << text;
  CountingSink sink;
  const Steps steps = run_pipeline(read_program(text), random_options(), sink);
  // The manager checks a property once; here all that was produced and not invalidated must still hold at every later step.
  PropertySet held = 0;
  for (std::size_t i = 1; i < steps.programs.size(); ++i) {
    const std::unique_ptr<Pass> pass = make_pass(steps.names[i]);
    held = (held & ~pass->invalidated()) | pass->produced();
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      if ((held & (1U << bit)) == 0) continue;
      for (const Diagnostic& d : verify_property(steps.programs[i], static_cast<Property>(1U << bit))) {
        RC_LOG() << "after " << steps.names[i] << ": " << property_names(1U << bit) << ": " << d.text() << "\n"
                 << ir::print_program(steps.programs[i]);
        RC_ASSERT(d.severity != Severity::Error);
      }
    }
  }
}

RC_GTEST_PROP(PassProperty, AutoDeriveIsTheIdentityWhenSwitchedOff, ()) {
  const std::string text = random_program();
  RC_LOG() << text;
  Options options = random_options();
  options.analyze_auto_scopes = false;
  CountingSink sink;
  const Steps steps = run_pipeline(read_program(text), options, sink);
  const auto at = std::find(steps.names.begin(), steps.names.end(), "AutoDeriveTaskDependencies") - steps.names.begin();
  const auto i = static_cast<std::size_t>(at);
  RC_ASSERT(i < steps.programs.size());
  RC_ASSERT(ir::print_program(steps.programs[i]) == ir::print_program(steps.programs[i - 1]));
  RC_ASSERT(ir::first_difference(steps.programs[i - 1], steps.programs[i]) == "");
}

RC_GTEST_PROP(PassProperty, UserEdgesStayAsTheyAre, ()) {
  const std::string text = random_program();
  RC_LOG() << text;
  CountingSink sink;
  const Steps steps = run_pipeline(read_program(text), random_options(), sink);
  for (std::size_t i = 1; i < steps.programs.size(); ++i) {
    const std::string& name = steps.names[i];
    UserEdges before = user_edges_of(steps.programs[i - 1]);
    UserEdges after = user_edges_of(steps.programs[i]);
    if (name == "ExpandManualPhaseFence" || name == "InlineFunctions" || name == "UnrollLoops") continue;  // may change or copy
    RC_LOG() << "after " << name << "\n";
    if (name == "Simplify") {
      RC_ASSERT(counts_are_a_subsequence(before, after));
      continue;
    }
    if (name == "ConvertToSSA") {  // only versions come in
      without_versions(before);
      without_versions(after);
    }
    RC_ASSERT(after == before);
  }
}

RC_GTEST_PROP(PassProperty, ARewrittenArgumentHasAnEdgeForEachOfItsHazards, ()) {
  const std::string text = random_program();
  RC_LOG() << text;
  Options options;
  options.analyze_auto_scopes = true;
  options.profile = Profile::Seed;
  DecisionLog log;
  const Steps steps = run_pipeline(read_program(text), options, log);
  const auto at = std::find(steps.names.begin(), steps.names.end(), "AutoDeriveTaskDependencies") - steps.names.begin();
  const ir::NodeStore& store = *steps.programs[static_cast<std::size_t>(at)].store;

  // What stands on the sites: in the program before, for user edges, and in the records, for compiler edges.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> compiler;  // (function, site) -> ids
  for (const EdgeRecord& e : log.edges) compiler[{e.function, e.site.value}].insert(e.id.value);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<const HazardRecord*>> hazards;
  for (const HazardRecord& h : log.hazards) hazards[{h.function, h.current_site.value, h.current_arg}].push_back(&h);
  std::size_t rewritten = 0;
  for (const RewriteRecord& r : log.rewrites) {
    if (r.before == r.after) continue;
    ++rewritten;
    RC_ASSERT(r.reason == RewriteReason::Rewritten);
    const bool to_no_dep = r.before == ArgDirection::Input && r.after == ArgDirection::NoDep;
    const bool to_output = r.before == ArgDirection::InOut && r.after == ArgDirection::OutputExisting;
    RC_ASSERT(to_no_dep || to_output);
    const ir::Stmt& s = store.stmt(r.site);
    const ir::Call& call = store.call(ExprId(s.kind == StmtKind::Assign ? s.b : s.a));
    std::size_t justified = 0;
    for (const HazardRecord* h : hazards[{r.function, r.site.value, r.arg}]) {
      switch (h->verdict) {
        case HazardVerdict::Disjoint: break;
        case HazardVerdict::CompilerEdge:
          RC_ASSERT(compiler[std::make_pair(r.function, r.site.value)].count(h->edge.value) == 1);
          ++justified;
          break;
        case HazardVerdict::UserEdge:
          RC_ASSERT(call.deps.count > 0);
          ++justified;
          break;
        default: RC_FAIL("a hazard of a rewritten argument that nothing covers");
      }
    }
    RC_ASSERT(justified > 0);
  }
  RC_TAG(rewritten == 0 ? "no rewrite" : "rewrites");
}

}  // namespace
}  // namespace depscope::pass::testing
