// The passes on real dump directories: from the newest dump before DeriveCallDirections, each gives the compiler's text token by
// token, and `explain` says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "command_outcome.h"
#include "dump_directories.h"
#include "ir_text.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kOurs = {"DeriveCallDirections",     "AutoDeriveTaskDependencies",
                                              "ExpandManualPhaseFence",   "Simplify",
                                              "MaterializeRuntimeScopes", "ClassifyIterArgCarry"};

/// The newest dump of this pass in a directory.
fs::path newest(const fs::path& directory, const std::string& pass) {
  fs::path out;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename().string().ends_with("_after_" + pass + ".py")) out = std::max(out, entry.path());
  }
  return out;
}

/// Parts of a directory whose compiler changed something that has no model here (passes.md 7).
bool is_distributed(const fs::path& directory) {
  return text_of(newest(directory, "ExpandManualPhaseFence")) != text_of(newest(directory, "MaterializeDistTensorCtx"));
}

class DumpTails : public TemporaryFolder {
 protected:
  void expect_agreement(const fs::path& directory) {
    SCOPED_TRACE(directory.string());
    const Outcome o = run({"explain", directory.c_str(), "--json"});
    ASSERT_EQ(o.status, kDone) << o.err;
    const json findings = json::parse(o.out)["findings"];
    json agreement;
    std::vector<std::string> warnings;
    for (const json& f : findings) {
      if (f["kind"] == "agreement") agreement = f;
      if (f["kind"] == "difference" && f["severity"] != "info") warnings.push_back(f["what"]);
      if (f["kind"] == "input_error") warnings.push_back(f["summary"]);
    }
    ASSERT_TRUE(agreement.is_object());
    EXPECT_EQ(agreement["compared"], 6) << agreement;
    EXPECT_EQ(agreement["agree"], 6) << agreement;
    EXPECT_THAT(agreement["summary"].get<std::string>(), StartsWith("dumps: 6 of 6 later dumps agree"));
    for (std::size_t i = 0; i < kOurs.size(); ++i) EXPECT_EQ(agreement["passes"][i]["pass"], kOurs[i]);
    // A program that has distributed tensors goes another way from MaterializeCommDomainScopes on; the passes behind it are
    // judged on the compiler's own texts.
    const bool distributed = is_distributed(directory);
    EXPECT_EQ(warnings, distributed ? (std::vector<std::string>{"not_modelled", "not_modelled"}) : std::vector<std::string>{});
    // The compiler edges of the dumps tell whether the analysis was on; without any, both settings give the same.
    const bool edges =
        text_of(newest(directory, "AutoDeriveTaskDependencies")) != text_of(newest(directory, "DeriveCallDirections"));
    EXPECT_EQ(agreement["analyze_auto_scopes"], edges ? "on" : "off");
    if (!distributed) expect_tokens(directory, edges);
  }

  /// The texts that the passes print against the files.
  void expect_tokens(const fs::path& directory, bool edges) {
    const fs::path written = folder_ / "written";
    fs::remove_all(written);
    std::vector<const char*> arguments{"run", directory.c_str(), "--print-ir", "--dump-passes", written.c_str()};
    const Outcome o = run(arguments);
    ASSERT_EQ(o.status, kDone) << o.err;
    for (const char* pass : kOurs) {
      SCOPED_TRACE(pass);
      EXPECT_EQ(ir::testing::token_difference(text_of(newest(directory, pass)), text_of(newest(written, pass))), "");
    }
    if (!edges) return;
    // The comparison is none that cannot fail: without the analysis the text is another.
    fs::remove_all(written);
    arguments.push_back("--analyze-auto-scopes=false");
    ASSERT_EQ(run(arguments).status, kDone);
    const char* pass = "AutoDeriveTaskDependencies";
    EXPECT_NE(ir::testing::token_difference(text_of(newest(directory, pass)), text_of(newest(written, pass))), "");
  }
};

TEST_F(DumpTails, AreReproducedTokenByToken) {
  std::size_t compared = 0;
  for (const fs::path& tail : folders_in(fs::path(DEPSCOPE_TEST_DATA) / "dumps" / "tails")) {
    const fs::path directory = folder_ / tail.filename() / "passes_dump";
    restore_tail(tail, directory);
    expect_agreement(directory);
    ++compared;
  }
  EXPECT_GE(compared, 30U);
}

TEST_F(DumpTails, OutsideTheProjectToo) {
  const std::vector<fs::path> directories = outside_dump_directories();
  if (directories.empty()) GTEST_SKIP() << "no dump directories here";
  for (const fs::path& directory : directories) expect_agreement(directory);
}

}  // namespace
}  // namespace depscope::app
