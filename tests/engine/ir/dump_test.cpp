// Dumps of the compiler print back token by token; sources print as their frontend dump.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> python_files(const std::string& folder) {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".py") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void expect_prints_back(const std::string& file) {
  SCOPED_TRACE(file);
  const std::string text = file_text(file);
  const ReadResult result = read(text);
  ASSERT_TRUE(result.ok) << result.diagnostics.at(0).text();
  ASSERT_EQ(result.programs.size(), 1U);
  EXPECT_EQ(token_difference(text, print_program(result.programs[0])), "");
  EXPECT_EQ(round_trip_fault(result), "");
}

TEST(Dumps, PrintBackTokenByToken) {
  const std::vector<std::string> files = python_files(data_path("dumps"));
  EXPECT_GT(files.size(), 100U);
  for (const std::string& file : files) expect_prints_back(file);
}

// The whole corpus, where it is at hand: each distinct text once.
TEST(Dumps, WholeCorpus) {
  if (!fs::exists(DEPSCOPE_SHARED "/corpus")) GTEST_SKIP() << "no corpus here";
  std::set<std::string> seen;
  for (const std::string& folder : {std::string(DEPSCOPE_SHARED "/corpus"), std::string(DEPSCOPE_SHARED "/samples/dumps")}) {
    for (const std::string& file : python_files(folder)) {
      if (file.find("passes_dump") != std::string::npos && seen.insert(file_text(file)).second) expect_prints_back(file);
    }
  }
  EXPECT_GT(seen.size(), 250U);
}

/// The program of `result` with this name; the first without one.
const Program& named(const ReadResult& result, const std::string& name) {
  const auto it = std::find_if(result.programs.begin(), result.programs.end(), [&](const Program& p) { return p.name == name; });
  return it == result.programs.end() ? result.programs.at(0) : *it;
}

TEST(Dumps, SourcesPrintAsTheirFrontendDump) {
  std::vector<std::string> sources = python_files(data_path("ir/sources"));
  for (const std::string& sample : python_files(DEPSCOPE_SAMPLES)) sources.push_back(sample);
  std::size_t compared = 0;
  for (const std::string& source : sources) {
    SCOPED_TRACE(source);
    const std::string frontend = data_path("dumps/" + fs::path(source).stem().string() + "/00_frontend.py");
    if (!fs::exists(frontend)) continue;
    const std::string expected = file_text(frontend);
    const std::string name = expected.substr(17, expected.find('\n') - 17);
    const ReadResult result = read(file_text(source));
    ASSERT_TRUE(result.ok) << result.diagnostics.at(0).text();
    EXPECT_EQ(token_difference(expected, print_program(named(result, name))), "");
    EXPECT_EQ(first_difference(named(result, name), read_one(expected)), "");
    EXPECT_EQ(round_trip_fault(result), "");
    ++compared;
  }
  EXPECT_GE(compared, 18U);
}

}  // namespace
}  // namespace depscope::ir::testing
