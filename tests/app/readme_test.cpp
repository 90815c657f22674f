// README.md, "Five minutes", and the examples of docs/redaction.md and docs/export.md: what stands there works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "depscope/replay/bundle.h"
#include "document_examples.h"
#include "dump_directories.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(DEPSCOPE_SAMPLES).parent_path();

/// The text between two marks, and what comes behind it.
std::string take_between(std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t first = text.find(begin);
  const std::size_t last = first == std::string::npos ? first : text.find(end, first + begin.size());
  if (last == std::string::npos) return "";
  std::string out = text.substr(first + begin.size(), last - first - begin.size());
  text.erase(0, last + end.size());
  return out;
}

class Readme : public DocumentExamples {
 protected:
  void SetUp() override {
    DocumentExamples::SetUp();
    before_ = fs::current_path();
    fs::current_path(kRoot);
  }
  void TearDown() override {
    fs::current_path(before_);
    DocumentExamples::TearDown();
  }

  /// Command lines, in code spans and on lines of their own, without "depscope". Those that are not meant as they stand are left
  /// out: the window, and DIR for a directory of the reader's.
  static std::vector<std::string> commands(std::string text) {
    text = take_between(text, "## Five minutes", "## What is in the box");
    std::replace(text.begin(), text.end(), '`', '\n');
    std::vector<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
      if (line.rfind("depscope ", 0) != 0 || line.rfind("depscope view", 0) == 0 || line.find("DIR") != std::string::npos)
        continue;
      line.erase(0, line.find(' ') + 1);
      if (line.find(' ') != std::string::npos) out.push_back(line);
    }
    return out;
  }

  /// Files that the commands write, and read again, stand in a folder of their own.
  [[nodiscard]] std::string place(const std::string& word) const {
    for (const char* ending : {".depscope", ".html", ".zip"}) {
      if (word.ends_with(ending)) return (folder_ / word).string();
    }
    return word;
  }

 private:
  fs::path before_;
};

TEST_F(Readme, EveryCommandWorks) {
  const std::vector<std::string> all = commands(text_of(kRoot / "README.md"));
  EXPECT_GE(all.size(), 15U);
  for (const std::string& command : all) {
    std::vector<std::string> words = words_of(command);
    for (std::string& word : words) word = place(word);
    if (words[0] == "bundle") words.emplace_back("--no-screenshots");
    const Outcome o = run_words(words);
    const bool finds = words[0] == "check" || words[0] == "diff" || words[0] == "import";
    EXPECT_EQ(o.status, finds ? kFindings : kDone) << command << "\n" << o.err;
  }
}

TEST_F(Readme, TheExampleOfRedaction) {
  std::string text = text_of(kRoot / "docs/redaction.md");
  const std::string program = write("prefill.py", take_between(text, "```python\n", "```"));
  const std::string zip = (folder_ / "b.zip").string();
  ASSERT_EQ(run_words({"bundle", program, "-o", zip, "--redact", "--no-screenshots"}).status, kDone);
  EXPECT_EQ(replay::read_bundle(zip).run.input.at(0).text, take_between(text, "```python\n", "```"));
}

TEST_F(Readme, TheExampleOfCsv) {
  std::string text = text_of(kRoot / "docs/export.md");
  const std::string command = take_between(text, "$ depscope ", " -o /dev/stdout | head -4\n");
  ASSERT_NE(command, "");
  std::vector<std::string> words = words_of(command);
  const std::string out = (folder_ / "edges.csv").string();
  words.insert(words.end(), {"-o", out});
  ASSERT_EQ(run_words(words).status, kDone);
  const std::string shown = take_between(text, "", "```");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 4);
  EXPECT_EQ(text_of(out).substr(0, shown.size()), shown);
}

}  // namespace
}  // namespace depscope::app
