// Names of passes and properties, and the default pipeline (DESIGN §4, passes.md 1.1).
#include "depscope/pass/pass.h"

#include <array>

namespace depscope::pass {
namespace {

struct KnownPass {
  std::string_view name;
  std::unique_ptr<Pass> (*make)();
};

constexpr std::array<KnownPass, 12> kPasses = {{
    {"InlineFunctions", InlineFunctions},
    {"UnrollLoops", UnrollLoops},
    {"ConvertToSSA", ConvertToSSA},
    {"Simplify", Simplify},
    {"NormalizeStmtStructure", NormalizeStmtStructure},
    {"FlattenCallExpr", FlattenCallExpr},
    {"DeriveCallDirections", DeriveCallDirections},
    {"AutoDeriveTaskDependencies", AutoDeriveTaskDependencies},
    {"ExpandManualPhaseFence", ExpandManualPhaseFence},
    {"CollectCommGroups", CollectCommGroups},
    {"MaterializeRuntimeScopes", MaterializeRuntimeScopes},
    {"ClassifyIterArgCarry", ClassifyIterArgCarry},
}};

/// What upstream runs in the place of CollectCommGroups (passes.md, section 7).
constexpr std::array<std::string_view, 4> kCommPasses = {"SynthesizeAllReduceSignals", "MaterializeCommDomainScopes",
                                                         "LowerHostTensorCollectives", "MaterializeDistTensorCtx"};

struct KnownProperty {
  Property property;
  std::string_view name;
};

constexpr std::array<KnownProperty, 8> kProperties = {{
    {Property::SSAForm, "SSAForm"},
    {Property::NoNestedCalls, "NoNestedCalls"},
    {Property::NormalizedStmtStructure, "NormalizedStmtStructure"},
    {Property::SplitIncoreOrch, "SplitIncoreOrch"},
    {Property::CallDirectionsResolved, "CallDirectionsResolved"},
    {Property::RuntimeScopesMaterialized, "RuntimeScopesMaterialized"},
    {Property::IterArgCarryClassified, "IterArgCarryClassified"},
    {Property::ReturnParamsExplicit, "ReturnParamsExplicit"},
}};

bool has_unrolled_loop(const ir::Program& program) {
  bool found = false;
  for (const ir::Function& f : program.functions) {
    ir::for_each_stmt(*program.store, f.body, [&](ir::StmtId id) {
      found =
          found || (program.store->stmt(id).kind == ir::StmtKind::For && program.store->for_data(id).kind == ir::ForKind::Unroll);
    });
  }
  return found;
}

bool has_inline_function(const ir::Program& program) {
  for (const ir::Function& f : program.functions) {
    if (f.kind == ir::FunctionKind::Inline) return true;
  }
  return false;
}

}  // namespace

std::string_view profile_name(Profile profile) { return profile == Profile::Seed ? "seed" : "upstream-2026-08"; }

std::string property_names(PropertySet set) {
  std::string out;
  for (const KnownProperty& known : kProperties) {
    if ((set & static_cast<PropertySet>(known.property)) == 0) continue;
    if (!out.empty()) out += ", ";
    out += known.name;
  }
  return out;
}

std::unique_ptr<Pass> make_pass(std::string_view name) {
  for (const KnownPass& known : kPasses) {
    if (known.name == name) return known.make();
  }
  for (const std::string_view upstream : kCommPasses) {
    if (upstream == name) return CollectCommGroups();
  }
  return nullptr;
}

std::vector<std::string_view> known_passes() {
  std::vector<std::string_view> out;
  out.reserve(std::size(kPasses));
  for (const KnownPass& known : kPasses) out.push_back(known.name);
  return out;
}

std::vector<std::string> default_passes(const ir::Program& program) {
  std::vector<std::string> out;
  if (has_inline_function(program)) out.emplace_back("InlineFunctions");
  if (has_unrolled_loop(program)) out.emplace_back("UnrollLoops");
  for (const std::string_view name : {"ConvertToSSA", "Simplify", "NormalizeStmtStructure", "FlattenCallExpr",
                                      "DeriveCallDirections", "AutoDeriveTaskDependencies", "ExpandManualPhaseFence",
                                      "CollectCommGroups", "Simplify", "MaterializeRuntimeScopes", "ClassifyIterArgCarry"}) {
    out.emplace_back(name);
  }
  return out;
}

}  // namespace depscope::pass
