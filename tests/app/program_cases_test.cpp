// Whole programs against what the observed compiler's output submitted when it was executed, and against the edges that the
// real replay derived from those submits; through the same path as `depscope run --json`.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/deps_json.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> cases_in(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().string().ends_with(".expected.json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// The options of a case; "@file" is a file beside it.
RunOptions options_of(const json& expected, const fs::path& folder) {
  std::vector<std::string> arguments;
  for (const json& option : expected["options"]) {
    const auto text = option.get<std::string>();
    arguments.push_back(text.starts_with('@') ? (folder / text.substr(1)).string() : text);
  }
  std::reverse(arguments.begin(), arguments.end());
  CLI::App parser;
  OptionTexts texts;
  add_run_options(parser, texts);
  parser.parse(arguments);
  return parse(texts);
}

json kept(const json& object, const std::vector<const char*>& keys) {
  json out = json::object();
  for (const char* key : keys) {
    if (object.contains(key) && !object[key].is_null()) out[key] = object[key];
  }
  return out;
}

std::vector<std::string> submissions_of(const json& object) {
  std::vector<std::string> out;
  for (const json& s : object["submissions"]) {
    json submission = kept(s, {"task_id", "kind", "callee", "explicit_deps", "scope_modes"});
    submission["args"] = json::array();
    for (const json& a : s["args"]) {
      // Of a created buffer only the kind is known to both sides.
      submission["args"].push_back(
          a["kind"] == "OUTPUT" ? kept(a, {"kind"}) : kept(a, {"kind", "root", "start_offset", "shape", "strides", "owner"}));
    }
    out.push_back(submission.dump());
  }
  return out;
}

std::vector<std::string> edges_of(const json& object) {
  std::vector<std::string> out;
  for (const json& e : object["edges"]) {
    out.push_back(kept(e, {"pred", "succ", "arg", "source", "flags", "overlap", "consumer_shape", "consumer_start_offset",
                           "consumer_strides", "producer_shape", "producer_start_offset", "producer_strides"})
                      .dump());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string difference(const fs::path& path) {
  const json expected = read_json(path);
  try {
    const Opened opened = open_input((path.parent_path() / expected["input"]).string(), options_of(expected, path.parent_path()));
    const json got = json::parse(replay::deps_json(opened.recording));
    const std::vector<std::string> have = submissions_of(got);
    const std::vector<std::string> want = submissions_of(expected);
    for (std::size_t i = 0; i < std::min(have.size(), want.size()); ++i) {
      if (have[i] != want[i]) return "submission " + std::to_string(i) + ": " + have[i] + " instead of " + want[i];
    }
    if (have.size() != want.size()) return std::to_string(have.size()) + " submissions instead of " + std::to_string(want.size());
    if (edges_of(got) != edges_of(expected)) return "the edges differ";
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

class ProgramRun : public ::testing::TestWithParam<fs::path> {};

TEST_P(ProgramRun, SubmitsWhatTheCompiledProgramSubmits) { EXPECT_EQ(difference(GetParam()), ""); }

std::string name_of(const fs::path& path) {
  std::string name = path.filename().string();
  name.resize(name.size() - std::string(".expected.json").size());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Data, ProgramRun, ::testing::ValuesIn(cases_in(fs::path(DEPSCOPE_TEST_DATA) / "e2e")),
                         [](const auto& info) { return name_of(info.param); });

TEST(ProgramRuns, TheSelectionIsWhole) {
  std::set<std::string> inputs;
  for (const fs::path& path : cases_in(fs::path(DEPSCOPE_TEST_DATA) / "e2e")) inputs.insert(read_json(path)["input"]);
  EXPECT_GE(inputs.size(), 40U);
}

/// Stepping through a recorded program and back restores the start; at the end every task is consumed.
TEST(ProgramRuns, TheRecordingPlaysBothWays) {
  for (const fs::path& path : cases_in(fs::path(DEPSCOPE_TEST_DATA) / "e2e")) {
    SCOPED_TRACE(path.filename().string());
    const json expected = read_json(path);
    const Opened opened = open_input((path.parent_path() / expected["input"]).string(), options_of(expected, path.parent_path()));
    replay::Cursor cursor(opened.recording);
    const std::uint64_t start = cursor.state().digest();
    while (cursor.step()) {
    }
    for (const std::uint8_t state : cursor.state().task_state)
      ASSERT_EQ(state, static_cast<std::uint8_t>(runtime::TaskState::Consumed));
    while (cursor.back()) {
    }
    EXPECT_EQ(cursor.state().digest(), start);
  }
}

TEST(ProgramRuns, CasesOutsideTheProject) {
  const auto cases = cases_in(fs::path(DEPSCOPE_SHARED) / "cases" / "e2e");
  if (cases.empty()) GTEST_SKIP() << "no cases here";
  for (const fs::path& path : cases) EXPECT_EQ(difference(path), "") << path;
}

}  // namespace
}  // namespace depscope::app
