// Cost of the dependency passes on the program shapes that others have figures for: one Orchestration function, one AUTO scope,
// straight-line submits, analysis on. Two shapes more have windows of one buffer that do not meet. docs/performance.md says what
// came out.
#include <benchmark/benchmark.h>

#include <string>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace {

using namespace depscope;

enum class Shape { Stages, Independent, Chain, PingPong, Slices, Tiles };

std::string program_text(Shape shape, std::int64_t submits) {
  std::string text =
      "import pypto.language as pl\n\n@pl.program\nclass Bench:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def step(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
      "        return o\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def fill(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
      "        return o\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def put(self, o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:\n"
      "        return o\n"
      "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
      "    def main(self, x: pl.Tensor[[64], pl.FP32], a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], "
      "m: pl.Tensor[[1000000, 4096], pl.FP32]) -> "
      "pl.Tensor[[64], pl.FP32]:\n"
      "        with pl.scope():\n";
  std::string last = "x";
  for (std::int64_t i = 0; i < submits; ++i) {
    const std::string n = std::to_string(i);
    switch (shape) {
      case Shape::Stages:
      case Shape::Independent:
        text += "            w" + n + " = pl.create_tensor([64], dtype=pl.FP32)\n";
        text += "            r" + n + ", t" + n + " = pl.submit(self.step, " + (shape == Shape::Stages ? last : "x") + ", w" + n +
                ")\n";
        last = "r" + n;
        break;
      case Shape::Chain: text += "            r" + n + ", t" + n + " = pl.submit(self.fill, a)\n"; break;
      case Shape::PingPong:
        text += "            r" + n + ", t" + n + " = pl.submit(self.step, " + (i % 2 == 0 ? "a, b" : "b, a") + ")\n";
        break;
      case Shape::Slices:
      case Shape::Tiles: {
        // Rows of the matrix, or tiles of 256 in a row.
        const std::int64_t row = shape == Shape::Slices ? i : i / 256;
        const std::int64_t column = shape == Shape::Slices ? 0 : i % 256;
        text += "            s" + n + " = pl.slice(m, [16, 16], [" + std::to_string(16 * row) + ", " +
                std::to_string(16 * column) + "])\n";
        text += "            r" + n + ", t" + n + " = pl.submit(self.put, s" + n + ")\n";
        break;
      }
    }
  }
  return text + "        return x\n";
}

void run(benchmark::State& state, Shape shape) {
  const auto source = std::make_shared<const SourceFile>("bench.py", program_text(shape, state.range(0)));
  pass::Options options;
  options.analyze_auto_scopes = true;
  const auto directions = pass::DeriveCallDirections();
  const auto derive = pass::AutoDeriveTaskDependencies();
  std::uint64_t edges = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const ir::ReadResult read = ir::read_text(source);
    if (!read.ok) state.SkipWithError("the program does not read");
    pass::CountingSink sink;
    state.ResumeTiming();
    const ir::Program with_directions = directions->run(read.programs.at(0), options, sink);
    benchmark::DoNotOptimize(derive->run(with_directions, options, sink).functions.size());
    edges = sink.edges;
  }
  state.counters["edges"] = static_cast<double>(edges);
}

void Stages(benchmark::State& state) { run(state, Shape::Stages); }
void Independent(benchmark::State& state) { run(state, Shape::Independent); }
void Chain(benchmark::State& state) { run(state, Shape::Chain); }
void PingPong(benchmark::State& state) { run(state, Shape::PingPong); }
void Slices(benchmark::State& state) { run(state, Shape::Slices); }
void Tiles(benchmark::State& state) { run(state, Shape::Tiles); }

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t submits : {100, 1'000, 5'000, 50'000}) bench->Arg(submits);
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK(Stages)->Apply(sizes);
BENCHMARK(Independent)->Apply(sizes);
BENCHMARK(Chain)->Apply(sizes);
BENCHMARK(PingPong)->Apply(sizes);
BENCHMARK(Slices)->Apply(sizes);
BENCHMARK(Tiles)->Apply(sizes);

}  // namespace
