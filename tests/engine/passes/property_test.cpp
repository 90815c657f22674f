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

/// Those of `a` that are in `b` too.
std::vector<std::string> common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> out;
  for (const std::string& name : a) {
    if (std::find(b.begin(), b.end(), name) != b.end()) out.push_back(name);
  }
  return out;
}

/// Callees and numbers of edges of `after` are among those of `before`, in the same order, and so are the ids that kept their
/// names (Simplify drops and copies bodies, and replaces names that a collapsed loop or branch had).
bool is_a_subsequence(const UserEdges& before, const UserEdges& after) {
  std::size_t at = 0;
  const auto fits = [&](const std::string& callee, const std::vector<std::string>& deps) {
    return before[at].first == callee && before[at].second.size() == deps.size() &&
           common(before[at].second, deps) == common(deps, before[at].second);
  };
  for (const auto& [callee, deps] : after) {
    while (at < before.size() && !fits(callee, deps)) ++at;
    if (at == before.size()) return false;
    ++at;
  }
  return true;
}

struct SiteAttributes {
  std::vector<std::uint32_t> compiler_edges;  ///< VarId
  bool marked = false;
};

/// What AutoDerive left on the task sites of a program, by statement.
std::map<std::uint32_t, SiteAttributes> attributes_of_sites(const ir::Program& program) {
  std::map<std::uint32_t, SiteAttributes> out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, program.find("main")->body, [&](StmtId stmt) {
    const ir::Stmt& s = store.stmt(stmt);
    if (s.kind != StmtKind::Assign && s.kind != StmtKind::Eval) return;
    const ExprId value(s.kind == StmtKind::Assign ? s.b : s.a);
    if (store.expr(value).kind != ir::ExprKind::Call) return;
    const ir::Call& call = store.call(value);
    if (call.form != ir::CallForm::Function && call.form != ir::CallForm::Submit) return;
    SiteAttributes& site = out[stmt.value];
    site.marked = store.find_pair(call.attrs, "__compiler_auto_manual_scope_candidate").valid();
    const ExprId edges = store.find_pair(call.attrs, "compiler_manual_dep_edges");
    if (!edges.valid()) return;
    for (const ExprId item : ir::children(store, edges)) site.compiler_edges.push_back(store.as_var(item).value);
  });
  return out;
}

/// The task sites of main in order.
std::vector<StmtId> sites_of(const ir::Program& program) {
  std::vector<StmtId> out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, program.find("main")->body, [&](StmtId stmt) {
    const ir::Stmt& s = store.stmt(stmt);
    if (s.kind != StmtKind::Assign && s.kind != StmtKind::Eval) return;
    const ExprId value(s.kind == StmtKind::Assign ? s.b : s.a);
    if (store.expr(value).kind != ir::ExprKind::Call) return;
    const ir::CallForm form = store.call(value).form;
    if (form == ir::CallForm::Function || form == ir::CallForm::Submit) out.push_back(stmt);
  });
  return out;
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
      RC_ASSERT(is_a_subsequence(before, after));
      continue;
    }
    if (name == "ConvertToSSA") {  // only versions come in
      without_versions(before);
      without_versions(after);
    }
    RC_ASSERT(after == before);
  }
}

/// AutoDerive on a random program: before, after, and what it said. Sites keep their order.
struct Derived {
  ir::Program before, after;
  DecisionLog log;
  std::map<std::uint32_t, SiteAttributes> attributes;  ///< by statement of `after`
  std::map<std::uint32_t, StmtId> site_after;          ///< by statement of `before`
};

void derive(Profile profile, Derived& out) {
  const std::string text = random_program();
  RC_LOG() << text;
  Options options;
  options.analyze_auto_scopes = true;
  options.profile = profile;
  const Steps steps = run_pipeline(read_program(text), options, out.log);
  const auto at = std::find(steps.names.begin(), steps.names.end(), "AutoDeriveTaskDependencies") - steps.names.begin();
  const auto i = static_cast<std::size_t>(at);
  out.before = steps.programs.at(i - 1);
  out.after = steps.programs.at(i);
  out.attributes = attributes_of_sites(out.after);
  const std::vector<StmtId> sites_before = sites_of(out.before);
  const std::vector<StmtId> sites_after = sites_of(out.after);
  RC_ASSERT(sites_before.size() == sites_after.size());
  for (std::size_t s = 0; s < sites_before.size(); ++s) out.site_after[sites_before[s].value] = sites_after[s];
}

/// Values of the variables of main that a plain assignment defines.
std::map<std::uint32_t, ExprId> definitions_of(const ir::Program& program) {
  std::map<std::uint32_t, ExprId> out;
  const ir::NodeStore& store = *program.store;
  ir::for_each_stmt(store, program.find("main")->body, [&](StmtId stmt) {
    if (store.stmt(stmt).kind == StmtKind::Assign) out.emplace(store.stmt(stmt).a, ExprId(store.stmt(stmt).b));
  });
  return out;
}

/// Whether waiting for `dep` can be waiting for the task of `id`: the same id or a copy of it; an array, an element of one, or a
/// value of a loop or if may hold it.
bool may_stand_for(const ir::Program& program, const std::map<std::uint32_t, ExprId>& definitions, ir::VarId dep, ir::VarId id) {
  const ir::NodeStore& store = *program.store;
  while (dep != id) {
    if (ir::is_task_id_array(store, store.var(dep).type)) return true;
    const auto found = definitions.find(dep.value);
    if (found == definitions.end()) return true;  // of a loop or if
    const ExprId value = found->second;
    if (!store.is_var(value)) return store.is_op(value, "array.get_element");
    dep = store.as_var(value);
  }
  return true;
}

RC_GTEST_PROP(PassProperty, ARewrittenArgumentHasAnEdgeForEachOfItsHazards, ()) {
  Derived d;
  derive(Profile::Seed, d);
  const ir::NodeStore& store = *d.after.store;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const HazardRecord*>> hazards;  // by site and argument
  for (const HazardRecord& h : d.log.hazards) hazards[{h.current_site.value, h.current_arg}].push_back(&h);
  const std::map<std::uint32_t, ExprId> definitions = definitions_of(d.after);
  std::size_t rewritten = 0;
  for (const RewriteRecord& r : d.log.rewrites) {
    if (r.before == r.after || d.site_after.count(r.site.value) == 0) continue;
    ++rewritten;
    RC_ASSERT(r.reason == RewriteReason::Rewritten);
    const bool to_no_dep = r.before == ArgDirection::Input && r.after == ArgDirection::NoDep;
    const bool to_output = r.before == ArgDirection::InOut && r.after == ArgDirection::OutputExisting;
    RC_ASSERT(to_no_dep || to_output);
    const StmtId site = d.site_after[r.site.value];
    const std::vector<std::uint32_t>& edges = d.attributes[site.value].compiler_edges;
    const ir::Stmt& s = store.stmt(site);
    const ir::Call& call = store.call(ExprId(s.kind == StmtKind::Assign ? s.b : s.a));
    std::size_t justified = 0;
    for (const HazardRecord* h : hazards[{r.site.value, r.arg}]) {
      switch (h->verdict) {
        case HazardVerdict::Disjoint: break;
        case HazardVerdict::CompilerEdge:
          // It stands on the site itself, not only in the records.
          RC_ASSERT(std::find(edges.begin(), edges.end(), h->edge.value) != edges.end());
          ++justified;
          break;
        case HazardVerdict::UserEdge: {
          bool named = false;
          for (const ExprId dep : store.list<ExprId>(call.deps)) {
            named = named || may_stand_for(d.after, definitions, store.as_var(dep), h->edge);
          }
          RC_ASSERT(named);
          ++justified;
          break;
        }
        default: RC_FAIL("a hazard of a rewritten argument that nothing covers");
      }
    }
    RC_ASSERT(justified > 0);
  }
  RC_TAG(rewritten == 0 ? "no rewrite" : "rewrites");
}

RC_GTEST_PROP(PassProperty, RecordsMarkersAndAttributesSayTheSame, ()) {
  Derived d;
  derive(*rc::gen::element(Profile::Seed, Profile::Upstream202608), d);
  // Compiler edges on the sites are those of the records that were kept, in their order.
  std::map<std::uint32_t, std::vector<std::uint32_t>> recorded;
  for (const EdgeRecord& e : d.log.edges) {
    if (e.origin == EdgeOrigin::Compiler && e.status == EdgeStatus::Kept && d.site_after.count(e.site.value) != 0)
      recorded[d.site_after[e.site.value].value].push_back(e.id.value);
  }
  bool fell_back = false;
  for (const RegionRecord& r : d.log.regions) fell_back = fell_back || r.outcome == RegionOutcome::FellBack;
  for (const auto& [site, attributes] : d.attributes) {
    RC_ASSERT(attributes.compiler_edges == recorded[site]);
    if (attributes.marked) RC_ASSERT(!attributes.compiler_edges.empty());
    if (!fell_back) RC_ASSERT(attributes.marked == !attributes.compiler_edges.empty());
  }
  RC_TAG(fell_back ? "fell back" : "analysed");
}

}  // namespace
}  // namespace depscope::pass::testing
