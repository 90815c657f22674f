// `depscope bundle`, and what opening a bundle does.
#include "bundle_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_outcome.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "document_examples.h"
#include "dump_directories.h"
#include "zip_members.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_THAT(run_words({"run", zip}).err, HasSubstr("this is not the recording in the bundle: another version"));
  EXPECT_EQ(run_words({"run", zip, "--platform", "a5"}).err, "");  // nobody expects it to be
  EXPECT_EQ(run_words({"explain", zip}).out, run_words({"explain", recording}).out);
}

TEST_F(BundleCommandTest, ThreeErrorsWhereverItIsOpened) {
  const std::string zip = (folder_ / "b.zip").string();
  ASSERT_EQ(run_words({"bundle", std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py", "-o", zip, "--no-screenshots"}).status,
            kDone);
  const std::string bytes = text_of(zip);
  const auto error = [&](const std::string& name, const std::string& damaged) {
    const std::string path = (folder_ / name).string();
    write_text(path, damaged);
    const std::string out = (folder_ / "out").string();
    std::string first;
    for (const char* command : {"run", "explain", "check", "replay"}) {
      const Outcome o = run_words({command, path});
      EXPECT_EQ(o.status, kBadInput) << command;
      if (first.empty()) first = o.err;
      EXPECT_EQ(o.err, first) << command;
    }
    EXPECT_EQ(run_words({"bundle", path, "-o", out}).err, first);
    EXPECT_FALSE(fs::exists(out));
    return first;
  };
  for (const char* name : {"cut.zip", "cut.attachment"})
    EXPECT_THAT(error(name, bytes.substr(0, bytes.size() / 2)), HasSubstr("truncated or damaged ZIP container"));
  EXPECT_THAT(error("junk.zip", "no container"), HasSubstr("not a recording or a bundle (no ZIP container)"));
  const std::string tables = (folder_ / "tables.zip").string();
  ASSERT_EQ(run_words({"export", zip, "--format", "csv", "-o", tables}).status, kDone);
  EXPECT_THAT(error("other.zip", text_of(tables)), HasSubstr("not a bundle: the container has no bundle.json"));
}

TEST_F(BundleCommandTest, TheReportLeadsToTheFindings) {
  const std::string zip = (folder_ / "b.zip").string();
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/03_matmul_ksplit.py";  // 11 warnings
  ASSERT_EQ(run_words({"bundle", sample, "-o", zip, "--no-screenshots", "--platform=a5"}).status, kDone);
  EXPECT_THAT(members_of(zip).at("report.md"),
              AllOf(HasSubstr("- Command: `depscope run 03_matmul_ksplit.py --platform=a5`\n"), HasSubstr("platform=a5"),
                    HasSubstr("11 warnings"), HasSubstr("schemas: depscope.bundle/1"),
                    HasSubstr("- `depscope check b.zip`: 3 more like these\n")));
}

/// Every command under "What to look at" does what it is there for.
TEST_F(BundleCommandTest, TheCommandsOfTheReportWork) {
  const fs::path samples = DEPSCOPE_SAMPLES;
  // Two writes into one buffer that nothing orders.
  const std::string trace = write("unordered.trace.json", R"({"tasks": [
    {"task_id": "0", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, 0, -1], "block_num": 1, "explicit_deps": [], "args": [
      {"type": "INPUT", "addr": "4096", "version": 0, "dtype": "FLOAT32", "buffer_numel": "256", "shape": [256],
       "start_offset": "0", "strides": [1], "owner_task_id": "18446744073709551615", "manual_dep": false}]},
    {"task_id": "1", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, 1, -1], "block_num": 1, "explicit_deps": [], "args": [
      {"type": "OUTPUT_EXISTING", "addr": "4096", "version": 0, "dtype": "FLOAT32", "buffer_numel": "256", "shape": [256],
       "start_offset": "0", "strides": [1], "owner_task_id": "18446744073709551615", "manual_dep": false}]}]})");
  const std::vector<std::vector<std::string>> inputs{
      {(samples / "03_matmul_ksplit.py").string()},
      {(samples / "08_fused_mlp_war.py").string()},
      {(samples / "10_fallbacks.py").string(), "--data", "cfg=[1,2,0,0]", "--analyze-auto-scopes"},
      {(samples / "08_fused_mlp_war.py").string(), "--ring-heap", "20480"},
      {trace}};
  const std::string zip = (folder_ / "b.zip").string();
  std::map<std::string, int> kinds;
  for (const std::vector<std::string>& input : inputs) {
    SCOPED_TRACE(input[0]);
    std::vector<std::string> words{"bundle", "-o", zip, "--no-screenshots"};
    words.insert(words.end(), input.begin(), input.end());
    ASSERT_EQ(run_words(words).status, kDone);
    std::istringstream lines(members_of(zip).at("report.md"));
    for (std::string line; std::getline(lines, line);) {
      constexpr std::string_view kBegin = "- `depscope ";
      if (!line.starts_with(kBegin)) continue;
      std::string command = line.substr(kBegin.size(), line.find('`', kBegin.size()) - kBegin.size());
      if (command.starts_with("view") || command.ends_with("--to N")) continue;
      std::replace(command.begin(), command.end(), '\'', '"');
      words = DocumentExamples::words_of(command);
      std::replace(words.begin(), words.end(), std::string("b.zip"), zip);
      const Outcome o = run_words(words);
      EXPECT_EQ(o.status, words[0] == "check" ? kFindings : kDone) << command << "\n" << o.err;
      ++kinds[words[0] + (words.size() > 2 ? " " + words[2] : "")];
    }
  }
  EXPECT_GE(kinds["explain --why"], 10);
  EXPECT_GE(kinds["explain --function"], 1);
  EXPECT_GE(kinds["replay --move"], 1);
}

TEST_F(BundleCommandTest, TheInputIsNotOverwritten) {
  const std::string program = write("mine.py", text_of(std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py"));
  const std::string before = text_of(program);
  for (const char* command : {"bundle", "run"}) {
    const Outcome o = run_words({command, program, "-o", (folder_ / "./mine.py").string()});
    EXPECT_EQ(o.status, kBadInput) << command;
    EXPECT_THAT(o.err, HasSubstr("mine.py: would overwrite the input")) << command;
    EXPECT_EQ(text_of(program), before) << command;
  }
  EXPECT_THAT(run_words({"bundle", program, "--output="}).err, HasSubstr("--output"));
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

/// A bundle of a sample with options and files of the reader's choice.
std::string crafted_bundle(const std::string& zip, std::vector<replay::BundleOption> options) {
  const fs::path sample = fs::path(DEPSCOPE_SAMPLES) / "02_softmax_tiles.py";
  std::ifstream in(sample, std::ios::binary);
  replay::Bundle bundle;
  bundle.run.input.push_back({"a.py", std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
  bundle.run.options = std::move(options);
  replay::write_bundle(
      std::move(bundle), [](const auto&, const auto&) { return std::string("report\n"); }, zip, replay::kNoSizeLimit);
  return zip;
}

TEST_F(BundleCommandTest, NoOptionReadsOrWritesAFileThatTheBundleDoesNotHold) {
  const std::string zip = (folder_ / "b.zip").string();
  const std::string timing = write("private.json", R"({"kernels": {"centre_tile": 3}})");
  const std::string data = write("values.json", R"({"x": [1]})");
  const std::string choices = write("choices.txt", "0\n");
  const std::vector<replay::BundleOption> readers{{"--timing", timing, std::nullopt},
                                                  {"--schedule", "list:" + choices, std::nullopt},
                                                  {"--data", "x=" + data, std::nullopt},
                                                  {"--data", data, std::nullopt}};
  for (const replay::BundleOption& option : readers) {
    SCOPED_TRACE(option.option);
    crafted_bundle(zip, {option});
    for (const char* command : {"run", "explain"}) {
      const Outcome o = run_words({command, zip});
      if (option.option != "--data") {  // which is not looked at before the program needs it
        EXPECT_EQ(o.status, kBadInput);
        EXPECT_THAT(o.err, HasSubstr("cannot open"));
      }
      EXPECT_THAT(o.err, Not(HasSubstr(folder_.string())));
      EXPECT_THAT(o.err, Not(HasSubstr("depscope-")));
    }
    const std::string again = (folder_ / "again.zip").string();
    const Outcome bundled = run_words({"bundle", zip, "-o", again, "--no-screenshots"});
    EXPECT_THAT(bundled.err, Not(HasSubstr("depscope-")));
    if (bundled.status != kDone) continue;
    for (const replay::BundleFile& file : replay::read_bundle(again).run.option_files)
      EXPECT_THAT(file.text, Not(HasSubstr("1"))) << file.name;
  }
  const std::string victim = write("victim.txt", "mine");
  for (const char* option : {"--save-schedule", "--dump-passes"}) {
    crafted_bundle(zip, {{option, victim, std::nullopt}});
    run_words({"run", zip});
    run_words({"bundle", zip, "-o", (folder_ / "again.zip").string(), "--no-screenshots"});
    EXPECT_EQ(text_of(victim), "mine");
  }
}

TEST_F(BundleCommandTest, NamesInARecordingLeadNowhere) {
  recording::Recording recording = replay::load_bytes(
      [&] {
        const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py";
        const std::string timing = write("t.json", R"({"kernels": {"centre_tile": 3}})");
        run_words({"run", sample, "--timing", timing, "-o", (folder_ / "r.depscope").string()});
        return text_of(folder_ / "r.depscope");
      }(),
      "r");
  ASSERT_EQ(recording.option_files.size(), 1U);
  const std::string input = recording.input_name;
  const std::string option = recording.option_files[0].name;
  const std::string crafted = (folder_ / "crafted.depscope").string();
  const std::string zip = (folder_ / "b.zip").string();
  const std::string outside = (folder_ / "outside.py").string();
  const std::string up = "../../" + folder_.filename().string() + "/outside.py";
  for (const std::string& name : {outside, "../" + up, up, std::string("a/b.py"), std::string(".."), std::string(256, 'x')}) {
    for (const bool of_input : {true, false}) {
      recording.input_name = of_input ? name : input;
      recording.option_files[0].name = of_input ? option : name;
      replay::save(recording, crafted);
      const Outcome o = run_words({"bundle", crafted, "-o", zip, "--no-screenshots"});
      EXPECT_EQ(o.status, kDone) << name;  // to be looked at, not to be run again
      EXPECT_THAT(o.out, HasSubstr("the recording does not hold what it was made from"));
      EXPECT_TRUE(replay::read_bundle(zip).run.input.empty()) << name;
      EXPECT_FALSE(fs::exists(outside)) << name;
      EXPECT_EQ(run_words({"bundle", crafted, "-o", (folder_ / "r.zip").string(), "--redact"}).status, kBadInput);
      EXPECT_EQ(run_words({"explain", crafted}).status, kDone);  // to look at it no file is made
    }
  }
}

TEST_F(BundleCommandTest, WhatIsReadIsNotOverwritten) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& file, const std::string& what) {
    const std::string before = text_of(file);
    const Outcome o = run_words(words);
    EXPECT_EQ(o.status, kBadInput);
    EXPECT_THAT(o.err, HasSubstr("would overwrite " + what));
    EXPECT_EQ(text_of(file), before);
  };
  const std::string sample = (folder_ / "a.py").string();
  fs::copy_file(fs::path(DEPSCOPE_SAMPLES) / "02_softmax_tiles.py", sample);
  const std::string link = (folder_ / "link").string();
  fs::create_symlink("a.py", link);
  const std::string timing = write("t.json", R"({"kernels": {"centre_tile": 3}})");
  for (const std::string& output : {sample, link}) {
    refused({"bundle", sample, "-o", output, "--no-screenshots"}, sample, "the input");
    refused({"run", sample, "-o", output}, sample, "the input");
    refused({"run", sample, "--save-schedule", output}, sample, "the input");
    refused({"check", sample, "--save-schedule", output}, sample, "the input");
  }
  for (const std::string command : {"bundle", "run"})
    refused({command, sample, "--timing", timing, "-o", timing}, timing, "the file of --timing");
  restore_tail(folders_in(fs::path(DEPSCOPE_TEST_DATA) / "dumps/tails").at(0), folder_ / "passes_dump");
  const std::string dump = fs::directory_iterator(folder_ / "passes_dump")->path().string();
  refused({"bundle", (folder_ / "passes_dump").string(), "-o", dump, "--no-screenshots"}, dump, "the input");
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
  EXPECT_THAT(run_words({"bundle", sample, "-o", ""}).err, HasSubstr("--output: the name is empty"));
  const std::string pipe = (folder_ / "pipe.py").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(run_words({"bundle", pipe, "-o", zip}).err, HasSubstr("pipe.py: is neither a file nor a directory"));
  const std::string long_name = std::string(300, 'n') + ".json";
  EXPECT_EQ(run_words({"bundle", sample, "-o", zip, "--data", long_name}).status, kBadInput);
  EXPECT_EQ(run_words({"bundle", sample, "-o", zip, "--data", "x=" + long_name}).status, kBadInput);
  EXPECT_FALSE(fs::exists(zip));
  EXPECT_EQ(run_words({"bundle", sample, "-o", (folder_ / "no/such/b.zip").string(), "--no-screenshots"}).status, kBadInput);
}

}  // namespace
}  // namespace depscope::app
