// docs/hazards.md: every command in it prints what stands there, in the order of the page.
#include "document_examples.h"

namespace depscope::app {
namespace {

class HazardsDocument : public DocumentExamples {};

TEST_F(HazardsDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/hazards.md"));
  EXPECT_GE(examples_.size(), 30U);
  check_all();
}

/// Every hazard has a section, a row of the table, and a sample; every sample has its place on the page.
TEST_F(HazardsDocument, NamesEverySample) {
  std::ifstream file(DEPSCOPE_SAMPLES "/../docs/hazards.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (int hazard = 1; hazard <= 11; ++hazard) {
    EXPECT_NE(page.find("\n## H" + std::to_string(hazard) + ": "), std::string::npos) << hazard;
    EXPECT_NE(page.find("\n| [H" + std::to_string(hazard) + "](#"), std::string::npos) << hazard;
  }
  std::size_t samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DEPSCOPE_SAMPLES "/hazards")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".py") && !name.ends_with(".trace.json")) continue;
    ++samples;
    EXPECT_NE(page.find("samples/hazards/" + name), std::string::npos) << name;
  }
  EXPECT_EQ(samples, 11U);
}

/// The rows of H9, which no command prints.
TEST_F(HazardsDocument, QuotesTheExportedTypes) {
  std::ifstream page_file(DEPSCOPE_SAMPLES "/../docs/hazards.md");
  const std::string page{std::istreambuf_iterator<char>(page_file), {}};
  for (const auto& [hazards, type] : {std::pair{"fixed", "NO_DEP"}, std::pair{"fixed,H9=faithful", "UNKNOWN"}}) {
    const std::string path = (folder_ / "deps.json").string();
    const std::string sample = DEPSCOPE_SAMPLES "/hazards/H09_unknown_type.py";
    ASSERT_EQ(run_words({"export", sample, "--format", "deps-json", "-o", path, "--hazards", hazards}).status, kDone);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string quoted = std::string(R"("args":[{"idx":0,"type":")") + type + R"(","tensor_id":)";
    EXPECT_NE(text.find(quoted), std::string::npos);
    EXPECT_NE(page.find(quoted), std::string::npos);
  }
}

TEST(DocumentExamplesOfAPage, LeavesOutOnlyWhatThePageLeavesOut) {
  EXPECT_EQ(DocumentExamples::abridged("a\nb\nc\nd\n", "a\n…\nd\n"), "a\n…\nd\n");
  EXPECT_EQ(DocumentExamples::abridged("a\nb\nc\n", "a\n…\n"), "a\n…\n");
  EXPECT_NE(DocumentExamples::abridged("a\nb\nc\n", "a\nb\n"), "a\nb\n");
  EXPECT_NE(DocumentExamples::abridged("a\nb\nc\n", "a\n…\nd\n"), "a\n…\nd\n");
  EXPECT_NE(DocumentExamples::abridged("a\nx\n", "a\nb\n"), "a\nb\n");
}

}  // namespace
}  // namespace depscope::app
