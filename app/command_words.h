// The commands and options of the program as data, for what is generated of them: completion of shells and the manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace depscope::app {

struct OptionWords {
  std::string name;                  ///< "--platform", "-o", or "FILE" of a positional one
  std::vector<std::string> others;   ///< further names, as "--output" beside "-o"
  std::string value;                 ///< "FILE", "a2a3|a5"; empty for a flag
  std::vector<std::string> choices;  ///< words among which it is chosen; empty where it is something else
  bool file = false;                 ///< the value may name a file or a directory
  bool positional = false;
  std::string help;
};

struct CommandWords {
  std::string name, help;
  std::vector<OptionWords> options;
};

/// Those of the program itself first, under an empty name; then its commands in the order of the help text.
[[nodiscard]] std::vector<CommandWords> command_words(const CLI::App& app);

}  // namespace depscope::app
