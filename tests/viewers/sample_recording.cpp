#include "sample_recording.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using NamedText = std::pair<std::string, std::string>;

constexpr std::string_view kHead = R"(# pypto.program: Demo
import pypto.language as pl

@pl.program
class Demo:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def fill(x: pl.Tensor[[64, 64], pl.FP32], o: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[64, 64], pl.FP32] = pl.tile.load(x, [0, 0], [64, 64])
        return pl.tile.store(t, [0, 0], o)
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::vector<NamedText> demo_passes() {
  const std::string head(kHead);
  const std::string input =
      head + R"(    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], o: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        # the scratch buffer is written first and read afterwards
        with pl.scope():
            scratch: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.create([64, 64], dtype=pl.FP32)
            scratch, fill_tid = pl.submit(self.fill, x, scratch)
            o: pl.Tensor[[64, 64], pl.FP32] = pl.submit(self.copy, scratch, o, deps=[fill_tid])
        return o
)";
  std::string ssa = replaced(input, "            scratch: pl.Tensor[[64, 64], pl.FP32] =",
                             "            scratch__ssa_v0: pl.Tensor[[64, 64], pl.FP32] =");
  ssa = replaced(ssa, "            scratch, fill_tid = pl.submit(self.fill, x, scratch)",
                 "            scratch__ssa_v1: pl.Tensor[[64, 64], pl.FP32] = pl.submit(self.fill, x__ssa_v0, scratch__ssa_v0)\n"
                 "            fill_tid: pl.Scalar[pl.TASK_ID] = scratch__ssa_v1[1]");
  ssa = replaced(ssa, "            o: pl.Tensor[[64, 64], pl.FP32] = pl.submit(self.copy, scratch, o,",
                 "            o__ssa_v1: pl.Tensor[[64, 64], pl.FP32] = pl.submit(self.copy, scratch__ssa_v1, o__ssa_v0,");
  ssa = replaced(ssa, "return o\n", "return o__ssa_v1\n");
  ssa = replaced(ssa, "def main(self, x: ", "def main(self, x__ssa_v0: ");
  std::string directions =
      replaced(ssa, "scratch__ssa_v0)\n            fill",
               "scratch__ssa_v0, attrs={\"arg_directions\": [pl.adir.input, pl.adir.output_existing]})\n            fill");
  directions =
      replaced(directions, "deps=[fill_tid])", "deps=[fill_tid], attrs={\"arg_directions\": [pl.adir.input, pl.adir.inout]})");
  const std::string derived = replaced(directions, "[pl.adir.input, pl.adir.inout]})",
                                       "[pl.adir.no_dep, pl.adir.inout], \"compiler_manual_dep_edges\": [fill_tid], "
                                       "\"__compiler_auto_manual_scope_candidate\": True})");
  return {{"frontend", input},
          {"UnrollLoops", input},
          {"ConvertToSSA", ssa},
          {"Simplify", ssa},
          {"DeriveCallDirections", directions},
          {"AutoDeriveTaskDependencies", derived}};
}

std::vector<NamedText> read_dumps(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<NamedText> passes;
  for (const auto& path : files) {
    const std::string stem = path.stem().string();  // NN_after_Name
    const std::size_t after = stem.find("_after_");
    std::ifstream file(path);
    passes.emplace_back(after == std::string::npos ? stem.substr(3) : stem.substr(after + 7),
                        std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return passes;
}

}  // namespace

recording::Recording sample_recording(std::uint32_t tasks, const std::string& dump_directory) {
  replay::SyntheticOptions options;
  options.tasks = tasks;
  recording::Recording r = replay::synthetic_recording(options);
  const auto passes = dump_directory.empty() ? demo_passes() : read_dumps(dump_directory);
  r.passes = {};
  for (const auto& [name, text] : passes) {
    const std::uint32_t before = r.passes.rows() == 0 ? recording::kNoRow : r.passes.text.back();
    r.passes.name.push_back(r.strings.add(name));
    r.passes.text.push_back(r.strings.add(text));
    r.passes.changed.push_back(before != recording::kNoRow && before != r.passes.text.back() ? 1 : 0);
    r.passes.required.push_back(0);
    r.passes.produced.push_back(0);
    r.passes.invalidated.push_back(0);
    r.passes.message_begin.push_back(0);
    r.passes.message_begin_count.push_back(0);
  }
  // Each call site stands on the line of each text that names its callee.
  for (std::uint32_t site = 0; site < r.call_sites.rows(); ++site) {
    const std::string call = "self." + std::string(r.text(r.call_sites.callee[site]));
    r.call_sites.pass_line_begin[site] = static_cast<std::uint32_t>(r.pool.size());
    r.call_sites.pass_line_begin_count[site] = static_cast<std::uint32_t>(passes.size());
    for (const auto& pass : passes) {
      const std::size_t at = pass.second.find(call);
      r.pool.push_back(at == std::string::npos
                           ? 0
                           : 1 + static_cast<std::uint32_t>(std::count(
                                     pass.second.begin(), pass.second.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
    }
  }
  return r;
}

}  // namespace depscope::viewers
