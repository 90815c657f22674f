#include "submission_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "depscope/base/diagnostics.h"
#include "finding.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

ordered_json call_of(const lower::Finding& f) {
  return {{"callee", f.callee}, {"occurrence", f.occurrence}, {"index", f.site}, {"line", f.line}};
}

Finding finding_of(const ir::Program& program, const lower::Finding& f) {
  Finding out;
  out.kind = lower::finding_kind_name(f.kind);
  out.severity = f.severity;
  out.summary = f.message;
  out.line = f.line;
  ordered_json& fields = out.fields;
  fields["function"] = std::string(program.store->text(program.functions[f.function].name));
  const bool edge = f.var.valid();
  if (edge) {
    fields["consumer"] = call_of(f);
    fields["dep"] = f.name;
    fields["pass"] = "codegen";
    if (f.producer_line != 0) fields["producer_line"] = f.producer_line;
  } else {
    if (f.site != lower::kNone) fields["call"] = call_of(f);
    fields["what"] = f.name;
    if (f.argument != lower::kNone) fields["argument_index"] = f.argument;
  }
  if (!f.reason.empty()) fields["reason"] = f.reason;
  if (f.line == 0) return out;
  if (program.source) fields["file"] = std::filesystem::path(program.source->name()).filename().string();
  fields["line"] = f.line;
  if (f.column != 0) fields["column"] = f.column;
  return out;
}

}  // namespace

bool ready_to_lower(const recording::Recording& recording) {
  constexpr std::array<std::string_view, 2> kNeeded = {"MaterializeRuntimeScopes", "ClassifyIterArgCarry"};
  const auto& names = recording.passes.name;
  return std::all_of(kNeeded.begin(), kNeeded.end(), [&](std::string_view needed) {
    return std::any_of(names.begin(), names.end(), [&](std::uint32_t name) { return recording.text(name) == needed; });
  });
}

bool is_said(const recording::Recording& recording, const std::string& kind, std::uint32_t line) {
  const auto& f = recording.findings;
  for (std::size_t i = 0; i < f.kind.size(); ++i) {
    if (f.line[i] == line && recording.text(f.kind[i]) == kind) return true;
  }
  return false;
}

void add_plan_findings(recording::Recording& recording, const ir::Program& program, const lower::Plan& plan, Depth depth) {
  for (const lower::Finding& f : plan.findings) {
    const bool no_plan = f.kind == lower::FindingKind::NotModelled;
    if (no_plan && (depth == Depth::Run || is_said(recording, "not_modelled", f.line))) continue;
    add_finding(recording, finding_of(program, f));
  }
}

std::string entry_plan_text(const ProgramRun& run, const std::string& entry) {
  if (!run.plan) refuse("there is a plan only behind the passes MaterializeRuntimeScopes and ClassifyIterArgCarry");
  const ir::Program& program = run.last;
  const ir::NodeStore& store = *program.store;
  const lower::FunctionPlan* chosen = nullptr;
  std::string known;
  for (const lower::FunctionPlan& f : run.plan->functions) {
    const std::string_view name = store.text(program.functions[f.function].name);
    known += (known.empty() ? "" : ", ") + std::string(name);
    if (chosen == nullptr && (entry.empty() || name == entry)) chosen = &f;
  }
  if (chosen == nullptr && !entry.empty()) {
    refuse(fmt::format("--entry {}: no such function (Orchestration functions: {})", entry, known.empty() ? "none" : known));
  }
  if (chosen == nullptr) return "# the program has no Orchestration function\n";
  std::string out = fmt::format("# plan of {}\n", store.text(program.functions[chosen->function].name));
  out += lower::plan_text(*run.plan, program, *chosen);
  for (const lower::Finding& f : run.plan->findings) {
    if (f.function != chosen->function || f.kind == lower::FindingKind::NotModelled) continue;
    out += fmt::format("# {} at {}:{}: {}\n", lower::finding_kind_name(f.kind), f.line, f.column, f.message);
  }
  return out;
}

}  // namespace depscope::app
