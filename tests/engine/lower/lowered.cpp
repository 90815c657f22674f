#include "lowered.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <memory>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"

namespace depscope::lower::testing {

std::string without_versions(const std::string& text) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_name(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    out += ir::source_name(std::string_view(text).substr(i, end - i));
    i = end;
  }
  return out;
}

std::string Lowered::text(std::string_view function) const {
  const FunctionPlan* f = plan.find(program, function);
  return f == nullptr ? "no such function" : without_versions(plan_text(plan, program, *f));
}

std::string Lowered::findings() const {
  std::string out;
  for (const Finding& f : plan.findings) {
    if (!out.empty()) out += " | ";
    out += fmt::format("{} {}@{} {}", finding_kind_name(f.kind), f.name, f.line,
                       program.store->text(program.functions[f.function].name));
  }
  return out;
}

std::vector<std::uint32_t> Lowered::kernels() const {
  std::vector<std::uint32_t> out;
  const FunctionPlan* f = plan.find(program, "main");
  for (std::uint32_t t = f->tasks.begin; t < f->tasks.end; ++t) {
    if (plan.tasks.number[t] != kNone) out.push_back(t);
  }
  return out;
}

std::string Lowered::deps(std::uint32_t task) const {
  std::string out;
  for (std::uint32_t d = plan.tasks.deps[task].begin; d < plan.tasks.deps[task].end; ++d) {
    if (!out.empty()) out += ' ';
    if (plan.deps.id[d] != kNone) {
      out += ir::source_name(plan.names[plan.ids.name[plan.deps.id[d]]]);
    } else {
      const std::uint32_t array = plan.deps.array[d];
      out += fmt::format("{}[0:{}]", ir::source_name(plan.names[plan.arrays.name[array]]), plan.arrays.extent[array]);
    }
    if (plan.deps.guarded[d] != 0) out += '?';
  }
  return out;
}

std::string Lowered::arguments(std::uint32_t task) const {
  std::string out;
  for (std::uint32_t op = 0; op < plan.ops.size(); ++op) {
    if (plan.ops.statement[op] != plan.tasks.statement[task]) continue;
    const OpKind kind = plan.ops.kind[op];
    if (kind < OpKind::AddInput || kind > OpKind::AddScalar) continue;
    if (!out.empty()) out += ", ";
    out += op_name(kind);
    out += plan.ops.a[op] == kNone ? " new" : " " + without_versions(ir::print_expr(*program.store, ir::ExprId(plan.ops.a[op])));
  }
  return out;
}

namespace {

Lowered lower_read(const ir::ReadResult& read, const Setup& setup) {
  if (!read.ok) throw InputError(read.diagnostics);
  pass::CountingSink decisions;
  pass::Options options;
  options.analyze_auto_scopes = setup.analyze;
  options.profile = setup.profile;
  const ir::Program& program = read.programs.at(0);
  Lowered out{pass::PassManager(pass::default_passes(program), options).run(program, decisions), {}};
  out.plan = lower_program(out.program, {setup.profile, setup.entry});
  EXPECT_EQ(out.loose(), 0U) << "edges are lost without a word";
  for (const FunctionPlan& f : out.plan.functions) EXPECT_NE(plan_text(out.plan, out.program, f), "");
  return out;
}

}  // namespace

Lowered lower_text(const std::string& text, const Setup& setup) {
  return lower_read(ir::read_text(std::make_shared<const SourceFile>("case.py", text)), setup);
}

Lowered lower_file(const std::string& path, const Setup& setup) { return lower_read(ir::read_file(path), setup); }

Lowered lower_case(std::string_view body, Frame frame, const Setup& setup) {
  return lower_text(pass::testing::case_text(body, frame, setup.parameters), setup);
}

}  // namespace depscope::lower::testing
