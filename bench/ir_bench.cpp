// Speed of the IR reader and printer on printed text: bytes per second of one core.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "depscope/ir/text.h"

namespace {

using namespace depscope;

/// A printed program of `functions` orchestration functions, each with `submits` launches, in the style of a late dump.
std::string printed_program(int functions, int submits) {
  std::string text =
      "# pypto.program: Bench\nimport pypto.language as pl\n\n@pl.program\nclass Bench:\n"
      "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
      "    def work(x: pl.Tensor[[512, 128], pl.FP32], p: pl.Scalar[pl.INDEX], o: pl.InOut[pl.Tensor[[512, 128], pl.FP32]]) -> "
      "pl.Tensor[[512, 128], pl.FP32]:\n"
      "        t: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [p * 64, 0], [64, 128], [64, 128], "
      "target_memory=pl.Mem.Vec)\n"
      "        o: pl.Tensor[[512, 128], pl.FP32] = pl.tile.store(pl.tile.add(t, t), [p * 64, 0], o)\n"
      "        return o\n";
  for (int f = 0; f < functions; ++f) {
    const std::string n = std::to_string(f);
    text += "    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)\n    def main" +
            n +
            "(self, x__ssa_v0: pl.Tensor[[512, 128], pl.FP32], o__ssa_v0: pl.InOut[pl.Tensor[[512, 128], pl.FP32]]) -> "
            "pl.Tensor[[512, 128], pl.FP32]:\n";
    for (int i = 0; i < submits; ++i) {
      const std::string a = std::to_string(i);
      const std::string b = std::to_string(i + 1);
      text += "        _submit_tmp__ssa_v" + a +
              ": pl.Tuple[pl.Tensor[[512, 128], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.work, x__ssa_v0, " + a +
              ", o__ssa_v" + a + ", attrs={\"arg_directions\": [pl.adir.input, pl.adir.scalar, pl.adir.inout]})\n";
      text += "        o__ssa_v" + b + ": pl.Tensor[[512, 128], pl.FP32] = _submit_tmp__ssa_v" + a + "[0]\n";
      text += "        t__ssa_v" + a + ": pl.Scalar[pl.TASK_ID] = _submit_tmp__ssa_v" + a + "[1]\n";
    }
    text += "        return o__ssa_v" + std::to_string(submits) + "\n";
  }
  return text;
}

void read(benchmark::State& state, const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("bench.py", text);
  for (auto _ : state) {
    const ir::ReadResult result = ir::read_text(source);
    if (!result.ok) state.SkipWithError("the text does not read");
    benchmark::DoNotOptimize(result.programs.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

void ReadPrinted(benchmark::State& state) { read(state, printed_program(8, static_cast<int>(state.range(0)))); }
BENCHMARK(ReadPrinted)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void ReadSample(benchmark::State& state) {
  std::ifstream in(std::string(DEPSCOPE_SAMPLES) + "/05_decoder_layer.py");
  std::ostringstream all;
  all << in.rdbuf();
  read(state, all.str());
}
BENCHMARK(ReadSample)->Unit(benchmark::kMicrosecond);

void Print(benchmark::State& state) {
  const std::string text = printed_program(8, 1000);
  const ir::ReadResult result = ir::read_text(std::make_shared<const SourceFile>("bench.py", text));
  for (auto _ : state) benchmark::DoNotOptimize(ir::print_program(result.programs.at(0)).size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(Print)->Unit(benchmark::kMillisecond);

}  // namespace
