// The passes on dumps of the compiler: what they give for the text before a pass must be the text after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "depscope/ir/text.h"
#include "pass_test.h"
#include "token_comparison.h"

namespace depscope::pass::testing {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The file of a dump directory with this number, or an empty path.
fs::path numbered(const fs::path& directory, const std::string& number) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(number + "_") && name.ends_with(".py")) return entry.path();
  }
  return {};
}

std::vector<fs::path> dump_directories() {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(DEPSCOPE_TEST_DATA) / "dumps")) {
    if (entry.is_directory()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Runs the passes over dump `from` of every directory and compares with dump `to`.
void compare(const std::string& from, const std::vector<std::string>& passes, const std::string& to) {
  std::size_t compared = 0;
  for (const fs::path& directory : dump_directories()) {
    const fs::path before = numbered(directory, from);
    const fs::path expected = numbered(directory, to);
    if (before.empty() || expected.empty()) continue;
    SCOPED_TRACE(directory.filename().string());
    const ir::Program result = run(read(read_all(before)), passes);
    EXPECT_EQ(token_difference(read_all(expected), ir::print_program(result)), "");
    ++compared;
  }
  EXPECT_GE(compared, 10U);
}

TEST(Dumps, ConvertToSSA) { compare("03", {"ConvertToSSA"}, "04"); }
TEST(Dumps, Simplify) { compare("04", {"Simplify"}, "05"); }
TEST(Dumps, NormalizeStmtStructure) { compare("05", {"NormalizeStmtStructure"}, "05"); }
TEST(Dumps, FlattenCallExpr) { compare("05", {"FlattenCallExpr"}, "07"); }
TEST(Dumps, WholeFront) { compare("03", {"ConvertToSSA", "Simplify", "NormalizeStmtStructure", "FlattenCallExpr"}, "07"); }
// The last Simplify changed nothing in any of these programs.
TEST(Dumps, LastSimplify) { compare("44", {"Simplify"}, "44"); }

}  // namespace
}  // namespace depscope::pass::testing
