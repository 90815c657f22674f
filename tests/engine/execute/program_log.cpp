#include "program_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::execute::testing {
namespace {

constexpr const char* kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.AIV)
    def mod(self, a: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return a

    @pl.function(type=pl.FunctionType.AIV)
    def copy(self, x: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out

)";

class NoDecisions final : public pass::DecisionSink {
 public:
  void region(const pass::RegionRecord&) override {}
  void argument(const pass::ArgumentRecord&) override {}
  void rewrite(const pass::RewriteRecord&) override {}
  void storage(const pass::StorageRecord&) override {}
  void hazard(const pass::HazardRecord&) override {}
  void edge(const pass::EdgeRecord&) override {}
  void fence(const pass::FenceRecord&) override {}
  void scope(const pass::ScopeRecord&) override {}
  void carry(const pass::CarryRecord&) override {}
  void notice(const pass::NoticeRecord&) override {}
};

class LogSink final : public runtime::RuntimeSink {
 public:
  explicit LogSink(ProgramLog& log) : log_(log) {}
  void task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& path) override {
    log_.tasks.push_back(row);
    log_.iterations.push_back(path);
  }
  void access(const runtime::AccessRow& row) override { log_.accesses.push_back(row); }
  void edge(const runtime::EdgeRow& row) override { log_.edges.push_back(row); }
  void edge_reason(const runtime::EdgeReasonRow& row) override { log_.reasons.push_back(row); }
  void scope(const runtime::ScopeRow& row) override { log_.scopes.push_back(row); }
  void event(const runtime::Event& event) override { log_.events.push_back(event); }

 private:
  ProgramLog& log_;
};

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " ")); }

}  // namespace

std::string ProgramLog::submissions() const {
  std::vector<std::string> out;
  for (const runtime::TaskRow& t : tasks) {
    out.push_back(t.kind == runtime::TaskKind::Alloc   ? "alloc"
                  : t.kind == runtime::TaskKind::Dummy ? "dummy"
                                                       : names.at(t.callee));
  }
  return joined(out);
}

std::string ProgramLog::deps(std::uint32_t task) const {
  std::vector<std::string> out;
  for (const runtime::EdgeReasonRow& r : reasons) {
    if (edges.at(r.edge).consumer != task || r.arg >= 0) continue;
    const std::string flags =
        r.flags == runtime::kWaitRetain ? "" : fmt::format(":{}", fmt::join(runtime::dep_flag_names(r.flags), "|"));
    out.push_back(fmt::format("{}{}", edges.at(r.edge).producer, flags));
  }
  return joined(out);
}

std::string ProgramLog::provenance(std::uint32_t task) const {
  std::vector<std::string> out;
  for (const runtime::EdgeReasonRow& r : reasons) {
    if (edges.at(r.edge).consumer == task && r.arg < 0) out.emplace_back(runtime::provenance_names(r.source).at(0));
  }
  return joined(out);
}

std::string ProgramLog::arguments(std::uint32_t task) const {
  std::vector<std::string> out;
  for (const runtime::AccessRow& a : accesses) {
    if (a.task != task) continue;
    const runtime::TensorDescriptor& d = a.tensor;
    std::vector<std::uint64_t> shape(d.shape.begin(), d.shape.begin() + d.rank);
    std::vector<std::uint64_t> strides(d.strides.begin(), d.strides.begin() + d.rank);
    std::uint64_t stride = 1;
    bool row_major = true;
    for (std::size_t i = d.rank; i-- > 0; stride *= shape[i]) row_major = row_major && strides[i] == stride;
    out.push_back(fmt::format("{} {}[{}]+{}{}", runtime::arg_kind_name(a.kind), names.at(a.name), fmt::join(shape, ","),
                              d.start_offset, row_major ? "" : fmt::format("/{}", fmt::join(strides, ","))));
  }
  return joined(out);
}

std::vector<std::string> all_passes() {
  return {"ConvertToSSA",
          "Simplify",
          "NormalizeStmtStructure",
          "FlattenCallExpr",
          "DeriveCallDirections",
          "AutoDeriveTaskDependencies",
          "ExpandManualPhaseFence",
          "Simplify",
          "MaterializeRuntimeScopes",
          "ClassifyIterArgCarry"};
}

ProgramLog interpret_text(const std::string& text, const ProgramSetup& setup) {
  ProgramLog log;
  const ir::ReadResult read = ir::read_text(std::make_shared<const SourceFile>("t.py", text));
  for (const Diagnostic& d : read.diagnostics) EXPECT_NE(d.severity, Severity::Error) << d.text();
  if (!read.ok) return log;
  try {
    pass::Options options;
    options.analyze_auto_scopes = setup.analyze;
    options.profile = setup.profile;
    NoDecisions decisions;
    const ir::Program program = pass::PassManager(setup.passes, options).run(read.programs.at(0), decisions);
    LogSink sink(log);
    runtime::Model model({}, sink);
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    const RunHost host{[&](std::string_view name) {
                         const auto [it, added] = numbers.emplace(std::string(name), log.names.size());
                         if (added) log.names.emplace_back(name);
                         return it->second;
                       },
                       [](ir::StmtId) { return 0xffffffffU; }};
    log.result = run_program(program, setup.input, host, model);
    model.finish();
  } catch (const InputError& e) {
    log.error = e.diagnostics().at(0).text();
  }
  return log;
}

ProgramLog interpret(const std::string& signature, const std::string& body, const ProgramSetup& setup) {
  std::string text = kKernels + setup.functions;
  text += fmt::format("    @pl.function(type=pl.FunctionType.Orchestration{})\n    def main(self{}{}):\n", setup.entry_attributes,
                      signature.empty() ? "" : ", ", signature);
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    if (end != at) text += "        " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return interpret_text(text, setup);
}

}  // namespace depscope::execute::testing
