// `depscope bundle --redact`: every word of the user's has the letters "zq" in it here, and none may be left in any member.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "command_outcome.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "dump_directories.h"
#include "zip_members.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Where the mark stands, with what is around it.
std::string places(const std::map<std::string, std::string>& members) {
  std::string out;
  for (const auto& [name, bytes] : members) {
    if (lower(name).find("zq") != std::string::npos) out += "name of " + name + "\n";
    const std::string text = lower(bytes);
    const std::size_t at = text.find("zq");
    if (at != std::string::npos && name != "recording.depscope")  // whose members were looked at
      out += name + ": …" + bytes.substr(at < 30 ? 0 : at - 30, 70) + "…\n";
  }
  return out;
}

constexpr const char* kProgram = R"(# zq comment before all, from /home/zquser/secret
"""zq docstring of the file: see https://zq.example/ticket"""
import pypto.language as pl

ZQ_ROWS = 64  # zq trailing comment
ZQ_COLS = 64
ZqN = pl.dynamic("ZQN")


@pl.program
class ZqSecretModel:
    """zq docstring of the class"""

    @pl.function(type=pl.FunctionType.InCore)
    def zq_produce(
        self,
        zq_in: pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32],
        zq_out: pl.Out[pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]],
    ) -> pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]:
        zq_t = pl.load(zq_in, [0, 0], [ZQ_ROWS, ZQ_COLS])
        zq_out = pl.store(pl.add(zq_t, 1.0), [0, 0], zq_out)
        return zq_out

    @pl.function(type=pl.FunctionType.AIV, external_source="/home/zquser/kernels/zq_consume.cpp")
    def zq_external(self, zq_in: pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]):
        ...

    @pl.function(type=pl.FunctionType.InCore)
    def zq_bump(self, zq_b: pl.InOut[pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]]) -> pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]:
        zq_t = pl.load(zq_b, [0, 0], [ZQ_ROWS, ZQ_COLS])
        zq_b = pl.store(pl.add(zq_t, zq_t), [0, 0], zq_b)
        return zq_b

    @pl.function(type=pl.FunctionType.Orchestration)
    def zq_main(
        self,
        zq_x: pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32],
        zq_cfg: pl.Tensor[[4], pl.INT32],
        zq_count: pl.Scalar[pl.INDEX],
        zq_o: pl.Out[pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]],
    ) -> pl.Tensor[[ZQ_ROWS, ZQ_COLS], pl.FP32]:
        zq_trips = pl.cast(pl.tensor.read(zq_cfg, [1]), pl.INDEX)
        zq_tmp = pl.create_tensor([ZQ_ROWS, ZQ_COLS], dtype=pl.FP32)
        for zq_i in pl.range(zq_count):
            zq_tmp, zq_task = pl.submit(self.zq_produce, zq_x, zq_tmp)
            zq_tmp, zq_other = pl.submit(self.zq_bump, zq_tmp, deps=[zq_task])
        for zq_j in pl.range(zq_trips):
            zq_o = self.zq_produce(zq_tmp, zq_o)
        return zq_o


@pl.program
class ZqOther:
    @pl.function(type=pl.FunctionType.Orchestration)
    def zq_nothing(self, zq_y: pl.Tensor[[ZQ_ROWS], pl.FP32]) -> pl.Tensor[[ZQ_ROWS], pl.FP32]:
        return zq_y
)";

class BundleRedaction : public TemporaryFolder {
 protected:
  /// Bundles what there is, redacted; nothing marked may be left, and the run must be like that of the original.
  void expect_clean(const std::string& input, std::vector<std::string> options) {
    const std::string zip = (folder_ / "zq_out.zip").string();  // the report names the bundle
    std::vector<std::string> words{"bundle", input, "-o", zip, "--redact", "--no-screenshots"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome o = run_words(words);
    ASSERT_EQ(o.status, kDone) << o.err;
    const auto members = members_of(zip);
    ASSERT_EQ(replay::read_bundle(zip).error, "");
    ASSERT_GE(members.size(), 5U);
    ASSERT_TRUE(members.contains("page.html"));
    EXPECT_EQ(places(members), "");
    const replay::Bundle bundle = replay::read_bundle(zip);
    EXPECT_TRUE(bundle.redacted);
    EXPECT_EQ(bundle.error, "");
    EXPECT_EQ(bundle.difference, "");
    // It runs, to the same recording.
    const std::string again = (folder_ / "again.depscope").string();
    EXPECT_EQ(run_words({"run", zip, "-o", again}).status, kDone);
    EXPECT_TRUE(text_of(again) == bundle.recording);
    // And as the original does.
    const std::string plain = (folder_ / "plain.depscope").string();
    words = {"run", input, "-o", plain};
    words.insert(words.end(), options.begin(), options.end());
    if (fs::path(input).extension() != ".depscope") {
      ASSERT_EQ(run_words(words).status, kDone);
    } else {
      fs::copy_file(input, plain, fs::copy_options::overwrite_existing);
    }
    const recording::Recording a = replay::load(plain);
    const recording::Recording b = replay::load(again);
    EXPECT_GT(a.tasks.rows(), 0U);
    EXPECT_EQ(a.tasks.rows(), b.tasks.rows());
    EXPECT_EQ(a.edges.producer, b.edges.producer);
    EXPECT_EQ(a.edges.consumer, b.edges.consumer);
    EXPECT_EQ(a.edges.flags_final, b.edges.flags_final);
    EXPECT_EQ(a.edges.provenance, b.edges.provenance);
    EXPECT_EQ(a.events.kind, b.events.kind);
    EXPECT_EQ(a.call_sites.line, b.call_sites.line);
    EXPECT_EQ(a.regions.outcome, b.regions.outcome);
    EXPECT_EQ(a.hazards.rows(), b.hazards.rows());
    EXPECT_EQ(a.findings.severity, b.findings.severity);
    EXPECT_EQ(a.findings.line, b.findings.line);
    EXPECT_EQ(a.passes.changed, b.passes.changed);
  }
};

TEST_F(BundleRedaction, AProgramWithEverythingThatHasAName) {
  fs::create_directories(folder_ / "zq_private");
  const std::string program = write("zq_private/zq_model.py", kProgram);
  const std::string data = write("zq_private/zq_lengths.json", R"({"zq_cfg": [0, 3, 0, 0]})");
  const std::string timing = write("zq_private/zq_times.json", R"({"kernels": {"zq_produce": 5, "zq_bump": 2}})");
  expect_clean(program, {"--data", data, "--arg", "zq_count=3", "--timing", timing, "--program", "ZqSecretModel", "--entry",
                         "zq_main", "--analyze-auto-scopes"});
  expect_clean(program, {"--data", "zq_cfg=[0,2,0,0]", "--arg", "zq_count=2", "--platform", "a5"});
  const std::string one = write("zq_private/zq_one.json", "[0, 2, 0, 0]");
  expect_clean(program, {"--data", "zq_cfg=" + one, "--arg", "zq_count=2"});
}

TEST_F(BundleRedaction, ARecording) {
  const std::string program = write("zq_model.py", kProgram);
  const std::string data = write("zq_lengths.json", R"({"zq_cfg": [0, 3, 0, 0]})");
  const std::string recording = (folder_ / "zq.depscope").string();
  ASSERT_EQ(run_words({"run", program, "--data", data, "--arg", "zq_count=2", "-o", recording}).status, kDone);
  expect_clean(recording, {});
}

TEST_F(BundleRedaction, ATraceAndATaskGraph) {
  const std::string trace = write("zq.trace.json", R"({"comment": "zq words of /home/zquser", "tasks": [
    {"task_id": "0", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, 0, -1], "block_num": 1, "explicit_deps": [], "args": [{"type": "OUTPUT"}]},
    {"task_id": "1", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, 1, -1], "block_num": 1, "explicit_deps": ["0"], "args": [
      {"type": "INPUT", "addr": "4096", "version": 0, "dtype": "FLOAT32", "buffer_numel": "256", "shape": [256],
       "start_offset": "0", "strides": [1], "owner_task_id": "0", "manual_dep": false}]}]})");
  expect_clean(trace, {"--reduce", "bitmap:8"});
  const std::string program = write("zq_model.py", kProgram);
  const Outcome graph = run_words({"run", program, "--data", "zq_cfg=[0,2,0,0]", "--arg", "zq_count=2", "--json"});
  const std::string deps = write("zq_deps.json", graph.out);
  ASSERT_EQ(run_words({"run", deps}).status, kDone) << deps;
  expect_clean(deps, {});
}

TEST_F(BundleRedaction, ADumpDirectory) {
  const std::string program = write("zq_model.py", kProgram);
  const std::string dumps = (folder_ / "zq_dumps").string();
  ASSERT_EQ(run_words({"run", program, "--data", "zq_cfg=[0,2,0,0]", "--arg", "zq_count=2", "--analyze-auto-scopes",
                       "--dump-passes", dumps})
                .status,
            kDone);
  expect_clean(dumps, {"--data", "zq_cfg=[0,2,0,0]", "--arg", "zq_count=2"});
}

/// The test itself sees a word that is left.
TEST_F(BundleRedaction, WithoutItTheWordsAreThere) {
  const std::string program = write("zq_model.py", kProgram);
  const std::string zip = (folder_ / "plain.zip").string();
  ASSERT_EQ(
      run_words({"bundle", program, "-o", zip, "--data", "zq_cfg=[0,2,0,0]", "--arg", "zq_count=2", "--no-screenshots"}).status,
      kDone);
  const std::string found = places(members_of(zip));
  for (const char* member :
       {"report.md", "bundle.json", "name of input/zq_model.py", "page.html", "recording.depscope/manifest.json",
        "recording.depscope/tables/strings", "recording.depscope/passes/00_frontend.py"})
    EXPECT_THAT(found, ::testing::HasSubstr(member));
}

TEST_F(BundleRedaction, WhatCannotBeRedacted) {
  recording::Recording r;
  r.input_name = "x.py";
  r.input_digest = "0123456789abcdef";
  const std::string recording = (folder_ / "x.depscope").string();
  replay::save(r, recording);
  const Outcome o = run_words({"bundle", recording, "-o", (folder_ / "x.zip").string(), "--redact"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, ::testing::HasSubstr("does not hold it: give the program"));
  EXPECT_FALSE(fs::exists(folder_ / "x.zip"));
}

}  // namespace
}  // namespace depscope::app
