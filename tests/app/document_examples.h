// A page of docs/ whose commands are run: every "```console" block is a command and what it prints, or several of them, every
// "```python NAME" (or "```script NAME") block a file that commands may name. Names that begin with samples/ are those of the
// clone. A line with "…" alone stands for lines that are left out.
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
  int status = kDone;
};

class DocumentExamples : public TemporaryFolder {
 protected:
  void read(const std::string& path) {
    std::ifstream file(path);
    ASSERT_TRUE(file) << "no " << path;
    const std::string kFile = "```python ";
    const std::string kScript = "```script ";
    const std::string kCommand = "$ depscope ";
    for (std::string line; std::getline(file, line);) {
      const bool script = line.rfind(kScript, 0) == 0;
      const bool program = script || line.rfind(kFile, 0) == 0;
      if (!program && line != "```console") continue;
      std::string text;
      bool first = true;
      for (std::string inside; std::getline(file, inside) && inside != "```"; first = false) {
        if (program) {
          text += inside + "\n";
        } else if (inside.rfind("$ ", 0) == 0) {
          ASSERT_EQ(inside.rfind(kCommand, 0), 0U) << inside;
          examples_.push_back({inside.substr(kCommand.size()), ""});
        } else {
          ASSERT_FALSE(first) << "no command before: " << inside;
          examples_.back().output += inside + "\n";
        }
      }
      if (!program) continue;
      programs_.push_back(line.substr(script ? kScript.size() : kFile.size()));
      ASSERT_FALSE(write(programs_.back(), text).empty());
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

  /// What a program printed, with "…" for what the page leaves out; the same if every line of the page is there, in order.
  static std::string abridged(const std::string& printed, const std::string& page) {
    const std::string kGap = "…";
    const std::vector<std::string> all = lines_of(printed);
    const std::vector<std::string> wanted = lines_of(page);
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] != kGap) {
        if (at < all.size()) out += all[at++] + "\n";
        continue;
      }
      out += kGap + "\n";
      if (i + 1 == wanted.size()) return out;
      while (at < all.size() && all[at] != wanted[i + 1]) ++at;
    }
    for (; at < all.size(); ++at) out += all[at] + "\n";
    return out;
  }

 protected:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream rest(text);
    for (std::string line; std::getline(rest, line);) out.push_back(line);
    return out;
  }

  /// Where a word of a command lies: samples and data of the tests in the clone, files without a folder beside the programs of
  /// the page.
  [[nodiscard]] std::string placed(const std::string& word) const {
    const std::string kSamples = "samples/";
    if (const std::size_t at = word.find(kSamples); at != std::string::npos && (at == 0 || word[at - 1] == ':')) {
      return word.substr(0, at) + DEPSCOPE_SAMPLES "/" + word.substr(at + kSamples.size());
    }
    const std::string kData = "tests/data/";
    if (word.starts_with(kData)) return DEPSCOPE_TEST_DATA "/" + word.substr(kData.size());
    const bool file = word.ends_with(".json") && word.find('/') == std::string::npos;
    return file ? (folder_ / word).string() : word;
  }

  /// Commands whose exit status says that something was found.
  static bool reports(const std::string& command) { return command == "check" || command == "diff" || command == "import"; }

  /// Every command prints what stands there, and every program is used.
  void check_all() {
    std::vector<std::string> unused = programs_;
    for (const Example& example : examples_) {
      SCOPED_TRACE(example.command);
      std::vector<std::string> arguments = words_of(example.command);
      for (std::string& word : arguments) {
        word = placed(word);
        if (std::find(programs_.begin(), programs_.end(), word) == programs_.end()) continue;
        unused.erase(std::remove(unused.begin(), unused.end(), word), unused.end());
        word = (folder_ / word).string();
      }
      std::vector<const char*> pointers;
      for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
      const Outcome outcome = app::run(pointers);
      EXPECT_TRUE(outcome.status == kDone || (outcome.status == kFindings && reports(arguments.front()))) << outcome.err;
      EXPECT_EQ(abridged(outcome.out, example.output), example.output);
    }
    EXPECT_TRUE(unused.empty()) << unused.front();
  }

  std::vector<std::string> programs_;
  std::vector<Example> examples_;
};

}  // namespace depscope::app
