#include "recorded_case.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>

#include "depscope/ir/text.h"
#include "depscope/recording/recorder.h"
#include "depscope/recording/runs.h"

namespace depscope::recording::testing {
namespace {

constexpr std::string_view kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, b: pl.InOut[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return b

    @pl.function(type=pl.FunctionType.InCore)
    def map(self, i: pl.Tensor[[128], pl.FP32], o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def new(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = pl.create_tensor([128], dtype=pl.FP32)
        return r

    @pl.function(type=pl.FunctionType.InCore)
    def puth(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def geth(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def nop(self):
        pass

    @pl.function(type=pl.FunctionType.Group)
    def grp(self, i: pl.Tensor[[128], pl.FP32], o: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = self.map(i, o)
        return r
)";

std::string text_of(std::string_view body, Frame frame) {
  const bool scoped = frame == Frame::Auto || frame == Frame::Manual;
  const bool placed = frame == Frame::Auto || frame == Frame::Plain;
  std::ostringstream out;
  out << kKernels << "\n    @pl.function(type=pl.FunctionType.Orchestration" << (placed ? ", auto_scope=False" : "") << ")\n";
  out << "    def main(self, ";
  for (const char* name : {"a", "b", "c", "d", "e"}) out << name << ": pl.Tensor[[128], pl.FP32], ";
  out << "n: pl.Scalar[pl.INDEX], k0: pl.Scalar[pl.BOOL]) -> pl.Tensor[[128], pl.FP32]:\n";
  if (scoped) out << "        with " << (frame == Frame::Manual ? "pl.manual_scope()" : "pl.scope()") << ":\n";
  std::istringstream lines{std::string(body)};
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty()) out << (scoped ? "            " : "        ") << line << "\n";
  }
  out << "        return a\n";
  return out.str();
}

std::string index_of(const Recording& r, std::uint32_t site) {
  return site == kNoRow ? "?" : std::to_string(r.call_sites.index[site]);
}

}  // namespace

Recording record_case(std::string_view body, Frame frame, pass::Profile profile, const std::vector<std::string>& passes) {
  const ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("case.py", text_of(body, frame)));
  for (const Diagnostic& d : read.diagnostics) ADD_FAILURE() << d.text();
  const ir::Program& program = read.programs.at(0);
  Recording r;
  PassRecorder recorder(r);
  pass::Options options;
  options.analyze_auto_scopes = true;
  options.profile = profile;
  pass::PassManager manager(passes.empty() ? pass::default_passes(program) : passes, options);
  manager.add_observer(recorder);
  recorder.finish(manager.run(program, recorder));
  return r;
}

std::vector<std::string> edges_of(const Recording& r) {
  const auto& e = r.pass_edges;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < e.rows(); ++i) {
    for_each_edge(r, i, [&](const EdgePart& part) {
      std::string text =
          fmt::format("{} {} {} <- {} {}", index_of(r, e.consumer[i]),
                      pass::edge_origin_name(static_cast<pass::EdgeOrigin>(e.origin[i])), ir::source_name(r.text(part.id)),
                      index_of(r, part.producer), pass::edge_status_name(static_cast<pass::EdgeStatus>(e.status[i])));
      if (e.stripped_by[i] != kNoRow) text += fmt::format(" by {}", r.regions.index[e.stripped_by[i]]);
      if (e.imported_from[i] != kNoRow) text += fmt::format(" through {}", r.regions.index[e.imported_from[i]]);
      if (e.synthetic[i] != 0) text += " synthetic";
      out.push_back(text);
    });
  }
  return out;
}

std::vector<std::string> hazards_of(const Recording& r) {
  const auto& h = r.hazards;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < h.rows(); ++i) {
    for_each_hazard(r, i, [&](const HazardPart& part) {
      out.push_back(fmt::format("{} {}.{} {}.{} {} {}", fmt::join(pass::hazard_kind_names(h.kinds[i]), "+"),
                                index_of(r, part.prior), part.prior_arg, index_of(r, h.current[i]), h.current_arg[i],
                                pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(h.verdict[i])),
                                h.edge_row[i] == kNoRow ? "-" : "#" + std::to_string(h.edge_row[i])));
    });
  }
  return out;
}

std::vector<std::string> accesses_of(const Recording& r) {
  const auto& a = r.pass_accesses;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < a.rows(); ++i) {
    std::string text = fmt::format("{}.{} {} {} {}", index_of(r, a.call_site[i]), a.arg[i], pass::access_kind_name(a.kind[i]),
                                   a.storage[i] == kNoRow ? "?" : ir::source_name(r.text(r.storage.root[a.storage[i]])),
                                   pass::access_outcome_name(static_cast<pass::AccessOutcome>(a.outcome[i])));
    if (a.in_loop[i] != 0) text += fmt::format(" in_loop {}", a.dynamic_serial[i]);
    out.push_back(text);
  }
  return out;
}

std::vector<nlohmann::json> findings_of(const Recording& r, std::string_view kind) {
  std::vector<nlohmann::json> out;
  for (std::uint32_t i = 0; i < r.findings.rows(); ++i) {
    if (r.text(r.findings.kind[i]) != kind) continue;
    out.push_back(nlohmann::json::parse(r.text(r.findings.fields[i])));
  }
  return out;
}

}  // namespace depscope::recording::testing
