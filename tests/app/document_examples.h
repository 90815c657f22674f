// A page of docs/ whose commands are run: every "```console" block is a command and what it prints, every "```python NAME" block
// a program that commands may name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {

struct Example {
  std::string command;  ///< without "$ depscope "
  std::string output;
};

class DocumentExamples : public TemporaryFolder {
 protected:
  void read(const std::string& path) {
    std::ifstream file(path);
    ASSERT_TRUE(file) << "no " << path;
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

 public:
  /// Words of a command; double quotes keep blanks in one.
  static std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> out;
    std::istringstream rest(command);
    for (std::string word; rest >> word;) {
      if (const std::size_t quote = word.find('"'); quote != std::string::npos) {
        while (std::count(word.begin(), word.end(), '"') < 2) {
          std::string more;
          if (!(rest >> more)) break;
          word += " " + more;
        }
        word.erase(std::remove(word.begin(), word.end(), '"'), word.end());
      }
      out.push_back(word);
    }
    return out;
  }

 protected:
  /// Every command prints what stands there, and every program is used.
  void check_all() {
    std::vector<std::string> unused = programs_;
    for (const Example& example : examples_) {
      SCOPED_TRACE(example.command);
      std::vector<std::string> arguments = words_of(example.command);
      for (std::string& word : arguments) {
        if (std::find(programs_.begin(), programs_.end(), word) == programs_.end()) continue;
        unused.erase(std::remove(unused.begin(), unused.end(), word), unused.end());
        word = (folder_ / word).string();
      }
      std::vector<const char*> pointers;
      for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
      const Outcome outcome = app::run(pointers);
      EXPECT_EQ(outcome.status, kDone) << outcome.err;
      EXPECT_EQ(outcome.out, example.output);
    }
    EXPECT_TRUE(unused.empty()) << unused.front();
  }

  std::vector<std::string> programs_;
  std::vector<Example> examples_;
};

}  // namespace depscope::app
