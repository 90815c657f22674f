// `depscope bundle`, and what opening a bundle does.
#include "bundle_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command_outcome.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "dump_directories.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Outcome run_words(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return run(arguments);
}

class BundleCommandTest : public TemporaryFolder {
 protected:
  /// Bundles an input with options and proves that running the bundle elsewhere gives the recording in it and the one of running
  /// the input.
  void reproduces(const std::string& input, const std::vector<std::string>& options = {}) {
    SCOPED_TRACE(input);
    const std::string zip = (folder_ / "b.zip").string();
    std::vector<std::string> words{"bundle", input, "-o", zip, "--no-screenshots"};
    words.insert(words.end(), options.begin(), options.end());
    Outcome o = run_words(words);
    ASSERT_EQ(o.status, kDone) << o.err;
    EXPECT_THAT(o.out, HasSubstr("run it again with: depscope run"));
    const replay::Bundle bundle = replay::read_bundle(zip);
    EXPECT_EQ(bundle.difference, "");
    EXPECT_EQ(bundle.error, "");
    o = run_words({"run", zip, "-o", (folder_ / "again.depscope").string()});
    EXPECT_EQ(o.status, kDone) << o.err;
    EXPECT_TRUE(text_of(folder_ / "again.depscope") == bundle.recording) << "the bundle gives another recording";
    if (fs::is_directory(input)) return;  // whose name is recorded where something is wrong with it
    words = {"run", input, "-o", (folder_ / "first.depscope").string()};
    words.insert(words.end(), options.begin(), options.end());
    run_words(words);
    EXPECT_TRUE(text_of(folder_ / "first.depscope") == bundle.recording) << "the input gives another recording";
    // A recording is as good as its input.
    o = run_words({"bundle", (folder_ / "first.depscope").string(), "-o", zip, "--no-screenshots"});
    EXPECT_EQ(o.status, kDone) << o.err;
    EXPECT_EQ(replay::read_bundle(zip).difference, "");
    o = run_words({"run", zip, "-o", (folder_ / "again.depscope").string()});
    EXPECT_TRUE(text_of(folder_ / "again.depscope") == bundle.recording) << "the bundle of the recording gives another one";
  }
};

TEST_F(BundleCommandTest, SamplesRunAgain) {
  for (const auto& entry : fs::directory_iterator(DEPSCOPE_SAMPLES)) {
    if (entry.path().extension() != ".py") continue;
    const fs::path data = fs::path(DEPSCOPE_SAMPLES) / "data" / entry.path().filename().replace_extension(".json");
    reproduces(entry.path().string(),
               fs::exists(data) ? std::vector<std::string>{"--data", data.string()} : std::vector<std::string>{});
  }
}

TEST_F(BundleCommandTest, OptionsAreKept) {
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/04_paged_attention_decode.py";
  const std::string data = std::string(DEPSCOPE_SAMPLES) + "/data/04_paged_attention_decode.json";
  reproduces(sample, {"--data",
                      data,
                      "--platform",
                      "a5",
                      "--edges=coupled",
                      "--reduce",
                      "exact",
                      "--hazards",
                      "faithful,H3=fixed",
                      "--schedule",
                      "random",
                      "--seed",
                      "7",
                      "--granularity",
                      "fine",
                      "--ring-task-window",
                      "16,32,16,16",
                      "--events",
                      "summary",
                      "--check-invariants",
                      "--profile",
                      "upstream-2026-08"});
  reproduces(sample, {"--data", data, "--passes", "", "--entry", "decode"});
  reproduces(sample, {"--data", data, "--stop-after", "Simplify#2", "--analyze-auto-scopes", "--max-tasks", "500"});
  reproduces(std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py", {"--program", "SoftmaxTilesDynamic", "--arg", "n=4"});
}

TEST_F(BundleCommandTest, FilesOfOptionsAreKept) {
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py";
  const std::string timing = write("kernel times.json", R"({"kernels": {"centre_tile": 3}})");
  const std::string choices = (folder_ / "choices.txt").string();
  ASSERT_EQ(run_words({"run", sample, "--schedule", "random", "--seed", "9", "--save-schedule", choices}).status, kDone);
  reproduces(sample, {"--timing", timing, "--schedule", "list:" + choices});
  const std::string decode = std::string(DEPSCOPE_SAMPLES) + "/04_paged_attention_decode.py";
  const auto data = nlohmann::json::parse(text_of(fs::path(DEPSCOPE_SAMPLES) / "data/04_paged_attention_decode.json"));
  std::vector<std::string> options;
  for (const auto& [name, values] : data.items()) {
    if (options.empty()) {
      options = {"--data", name + "=" + values.dump()};
    } else {
      const fs::path folder = folder_ / name;  // files of one name in two folders
      fs::create_directories(folder);
      std::ofstream(folder / "values.json") << values.dump();
      options.insert(options.end(), {"--data", name + "=" + (folder / "values.json").string()});
    }
  }
  reproduces(decode, options);
}

TEST_F(BundleCommandTest, TracesAndTaskGraphsAndDirectories) {
  reproduces(std::string(DEPSCOPE_SAMPLES) + "/traces/diamond.trace.json");
  reproduces(std::string(DEPSCOPE_SAMPLES) + "/traces/diamond.trace.json",
             {"--platform", "a5", "--reduce=bitmap:8", "--ring-heap", "4096,0,0,0"});
  ASSERT_EQ(
      run_words({"run", std::string(DEPSCOPE_SAMPLES) + "/09_scopes_and_lifetimes.py", "-o", (folder_ / "x.depscope").string()})
          .status,
      kDone);
  ASSERT_EQ(
      run_words({"export", (folder_ / "x.depscope").string(), "--format", "deps-json", "-o", (folder_ / "deps.json").string()})
          .status,
      kDone);
  reproduces((folder_ / "deps.json").string());
  int directories = 0;
  for (const fs::path& tail : folders_in(fs::path(DEPSCOPE_TEST_DATA) / "dumps/tails")) {
    restore_tail(tail, folder_ / "build" / "passes_dump");
    // Where a value is missing the run is refused, which the bundle shows.
    if (run_words({"run", (folder_ / "build").string()}).status == kDone) {
      reproduces((folder_ / "build").string());
      ++directories;
    }
    fs::remove_all(folder_ / "build");
  }
  EXPECT_GE(directories, 3);
}

TEST_F(BundleCommandTest, TheEnvironmentIsPartOfTheRun) {
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/09_scopes_and_lifetimes.py";
  const std::string zip = (folder_ / "b.zip").string();
  ::setenv("PTO2_RING_TASK_WINDOW", "64", 1);
  Outcome o = run_words({"bundle", sample, "-o", zip, "--no-screenshots"});
  ::setenv("PTO2_RING_TASK_WINDOW", "8", 1);
  ASSERT_EQ(o.status, kDone) << o.err;
  o = run_words({"run", zip, "-o", (folder_ / "again.depscope").string()});
  ::unsetenv("PTO2_RING_TASK_WINDOW");
  const replay::Bundle bundle = replay::read_bundle(zip);
  EXPECT_TRUE(text_of(folder_ / "again.depscope") == bundle.recording);
  ASSERT_EQ(bundle.run.options.size(), 1U);
  EXPECT_EQ(bundle.run.options[0].option + "=" + bundle.run.options[0].value, "--ring-task-window=64,64,64,64");
}

TEST_F(BundleCommandTest, EveryCommandOpensABundle) {
  const std::string zip = (folder_ / "b.zip").string();
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/08_fused_mlp_war.py";
  ASSERT_EQ(run_words({"bundle", sample, "-o", zip, "--no-screenshots"}).status, kDone);
  EXPECT_EQ(run_words({"explain", zip}).out, run_words({"explain", sample}).out);
  EXPECT_EQ(run_words({"check", zip, "--json"}).out, run_words({"check", sample, "--json"}).out);
  EXPECT_EQ(run_words({"replay", zip, "--to", "40"}).out, run_words({"replay", sample, "--to", "40"}).out);
  EXPECT_EQ(run_words({"diff", zip, sample}).status, kDone);
  // Options run its input again, on top of its own.
  EXPECT_EQ(run_words({"run", zip, "--platform", "a5", "--json"}).out,
            run_words({"run", sample, "--platform", "a5", "--json"}).out);
  EXPECT_EQ(run_words({"explain", zip, "--analyze-auto-scopes"}).out,
            run_words({"explain", sample, "--analyze-auto-scopes"}).out);
  EXPECT_EQ(run_words({"run", zip, "--print-ir"}).out, run_words({"run", sample, "--print-ir"}).out);
  EXPECT_EQ(run_words({"run", zip, "--print-plan"}).out, run_words({"run", sample, "--print-plan"}).out);
  // And a bundle of a bundle is one with other options.
  const std::string again = (folder_ / "c.zip").string();
  ASSERT_EQ(run_words({"bundle", zip, "-o", again, "--platform", "a5", "--no-screenshots"}).status, kDone);
  EXPECT_EQ(replay::read_bundle(again).run.options.at(0).value, "a5");
  EXPECT_EQ(replay::read_bundle(again).run.input.at(0).text, text_of(sample));
}

TEST_F(BundleCommandTest, ARefusedRunIsAReportToo) {
  const std::string bad = write("bad.py", "import pypto.language as pl\n\n@pl.program\nclass P:\n  def (\n");
  const std::string zip = (folder_ / "b.zip").string();
  Outcome o = run_words({"bundle", bad, "-o", zip});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out, HasSubstr("the run was refused, which the bundle shows: depscope: error: bad.py:5:7"));
  const std::string shown = run_words({"run", zip}).err;
  EXPECT_THAT(shown, HasSubstr("error: bad.py:5:7: '(' was never closed"));
  EXPECT_THAT(shown, Not(HasSubstr(fs::temp_directory_path().string())));
  EXPECT_THAT(replay::read_bundle(zip).error, Not(HasSubstr(fs::temp_directory_path().string())));
  EXPECT_EQ(run_words({"check", zip}).status, kBadInput);
  EXPECT_EQ(run_words({"bundle", bad, "-o", (folder_ / "r.zip").string(), "--redact"}).status, kBadInput);
  EXPECT_FALSE(fs::exists(folder_ / "r.zip"));
}

TEST_F(BundleCommandTest, ARecordingThatItsInputDoesNotGive) {
  const std::string recording = (folder_ / "x.depscope").string();
  restore_tail(folders_in(fs::path(DEPSCOPE_TEST_DATA) / "dumps/tails").at(0), folder_ / "passes_dump");
  ASSERT_EQ(run_words({"run", (folder_ / "passes_dump").string(), "-o", recording}).status, kDone);
  const std::string zip = (folder_ / "b.zip").string();
  Outcome o = run_words({"bundle", recording, "-o", zip, "--no-screenshots"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, HasSubstr("running it again does not give this recording"));
  EXPECT_TRUE(replay::read_bundle(zip).recording == text_of(recording));
  EXPECT_EQ(run_words({"explain", zip}).out, run_words({"explain", recording}).out);
}

TEST_F(BundleCommandTest, SizeLimits) {
  EXPECT_EQ(parse_size_limit("25MB"), 25'000'000U);
  EXPECT_EQ(parse_size_limit("3kB"), 3'000U);
  EXPECT_EQ(parse_size_limit("7"), 7U);
  EXPECT_EQ(parse_size_limit("2GB"), 2'000'000'000U);
  EXPECT_EQ(parse_size_limit("none"), replay::kNoSizeLimit);
  for (const char* wrong : {"", "MB", "-1", "0", "1.5MB", "1mb", "99999999999999999999", "99999999999999GB"})
    EXPECT_THROW((void)parse_size_limit(wrong), UsageError) << wrong;

  const std::string zip = (folder_ / "b.zip").string();
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/05_decoder_layer.py";
  ASSERT_EQ(run_words({"bundle", sample, "-o", zip, "--no-screenshots"}).status, kDone);
  const auto all = fs::file_size(zip);
  Outcome o = run_words({"bundle", sample, "-o", zip, "--no-screenshots", "--max-size", std::to_string(all - 1)});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out, HasSubstr("left out to keep within --max-size: page.html"));
  EXPECT_LT(fs::file_size(zip), all);
  o = run_words({"bundle", sample, "-o", zip, "--no-screenshots", "--max-size", "20kB"});
  EXPECT_THAT(o.out, HasSubstr("left out to keep within --max-size: recording.depscope"));
  EXPECT_LE(fs::file_size(zip), 20'000U);
  EXPECT_EQ(run_words({"run", zip}).out, run_words({"run", sample}).out);
  o = run_words({"bundle", sample, "-o", zip, "--no-screenshots", "--max-size", "1kB"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("the limit --max-size is 1000"));
  EXPECT_EQ(run_words({"run", zip}).status, kDone);  // the one before is still there
}

TEST_F(BundleCommandTest, BadUse) {
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py";
  const std::string zip = (folder_ / "b.zip").string();
  EXPECT_EQ(run_words({"bundle", sample}).status, kBadInput);
  EXPECT_EQ(run_words({"bundle", "/nowhere.py", "-o", zip}).status, kBadInput);
  EXPECT_EQ(run_words({"bundle", sample, "-o", zip, "--max-size", "x"}).status, kBadInput);
  EXPECT_THAT(run_words({"bundle", sample, "-o", zip, "--print-ir"}).err, HasSubstr("--print-ir belongs to 'run'"));
  EXPECT_THAT(run_words({"bundle", sample, "-o", zip, "--data", "x=/nowhere.json"}).err, HasSubstr("/nowhere.json"));
  EXPECT_EQ(run_words({"bundle", folder_.string(), "-o", zip}).status, kBadInput);
  EXPECT_FALSE(fs::exists(zip));
  EXPECT_EQ(run_words({"bundle", sample, "-o", (folder_ / "no/such/b.zip").string(), "--no-screenshots"}).status, kBadInput);
}

}  // namespace
}  // namespace depscope::app
