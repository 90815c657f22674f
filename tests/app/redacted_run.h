// An input and its redacted form, run the same way; what both have to have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/redaction.h"
#include "options.h"

namespace depscope::app {

using Words = std::set<std::string>;

/// One end of a run: a recording, or the refusal.
struct RunOutcome {
  std::optional<recording::Recording> recording;
  std::vector<std::uint32_t> error_lines;
  std::vector<std::string> errors;
};

struct RedactedRun {
  RunOutcome original, redacted;
  std::map<std::string, std::string> originals;  ///< texts by file name
  std::map<std::string, std::string> texts;      ///< likewise, redacted
  Words names;                                   ///< the user's, found without the redaction's help and with it
  bool refused = false;                          ///< the redaction itself refused the input
};

/// What goes with a program: --data FILE, --arg NAME=VALUE.
struct SideInputs {
  std::string data_file;
  std::vector<std::string> args;
  std::vector<std::string> data;
  bool analyze = false;
};

/// `path`: a file, or a directory of dumps. Redacted files are written below `folder`.
[[nodiscard]] RedactedRun run_both(const std::filesystem::path& path, const SideInputs& side,
                                   const std::filesystem::path& folder);

/// Empty if both recordings are the same but for names and addresses, else what differs first.
[[nodiscard]] std::string structure_difference(const recording::Recording& a, const recording::Recording& b);

/// Words of letters, digits and underscores in the strings of a recording and in its input.
[[nodiscard]] Words words_of(const recording::Recording& recording);
[[nodiscard]] Words words_of(std::string_view text);
/// Names that a program defines, by the look of its lines.
[[nodiscard]] Words defined_names(std::string_view text);

}  // namespace depscope::app
