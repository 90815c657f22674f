// docs/explain.md: every command in it, run on the programs in it, prints what stands there.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "command_outcome.h"

namespace depscope::app {
namespace {

struct Example {
  std::string command;  ///< without "$ depscope "
  std::string output;
};

class ExplainDocument : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    std::ifstream file(DEPSCOPE_SAMPLES "/../docs/explain.md");
    ASSERT_TRUE(file) << "no docs/explain.md";
    const std::string kFile = "```python ";
    const std::string kCommand = "$ depscope ";
    for (std::string line; std::getline(file, line);) {
      const bool program = line.rfind(kFile, 0) == 0;
      if (!program && line != "```console") continue;
      Example example;
      if (!program) {
        ASSERT_TRUE(std::getline(file, example.command));
        ASSERT_EQ(example.command.rfind(kCommand, 0), 0U) << example.command;
        example.command.erase(0, kCommand.size());
      }
      std::string text;
      for (std::string inside; std::getline(file, inside) && inside != "```";) text += inside + "\n";
      if (program) {
        programs_.push_back(line.substr(kFile.size()));
        ASSERT_FALSE(write(programs_.back(), text).empty());
      } else {
        example.output = text;
        examples_.push_back(example);
      }
    }
  }

  std::vector<std::string> programs_;
  std::vector<Example> examples_;
};

TEST_F(ExplainDocument, EveryCommandPrintsWhatStandsThere) {
  EXPECT_GE(programs_.size(), 6U);
  EXPECT_GE(examples_.size(), 8U);
  std::vector<std::string> unused = programs_;
  for (const Example& example : examples_) {
    SCOPED_TRACE(example.command);
    std::vector<std::string> arguments;
    std::istringstream words(example.command);
    for (std::string word; words >> word;) {
      if (std::find(programs_.begin(), programs_.end(), word) != programs_.end()) {
        unused.erase(std::remove(unused.begin(), unused.end(), word), unused.end());
        word = (folder_ / word).string();
      }
      arguments.push_back(word);
    }
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    const Outcome outcome = app::run(pointers);
    EXPECT_EQ(outcome.status, kDone) << outcome.err;
    EXPECT_EQ(outcome.out, example.output);
  }
  EXPECT_TRUE(unused.empty()) << unused.front();
}

}  // namespace
}  // namespace depscope::app
