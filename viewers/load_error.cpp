#include "depscope/viewers/load_error.h"

#include <array>
#include <utility>

#include "depscope/viewers/file_list.h"

namespace depscope::viewers {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAdvice{{
    {"--data",
     "Open it again and give the contents of the tensor in the field \"options\": --data FILE.json or --data NAME=[…]."},
    {"--arg", "Open it again and give the value in the field \"options\": --arg NAME=VALUE."},
    {"--max-tasks", "Open it again with a larger --max-tasks in the field \"options\", or with a smaller program."},
    {"says how a program is run", "Open it again with an empty field \"options\"."},
    {"No such file", "Check the path: the file or directory is not there."},
    {"Permission denied", "Check who may read it."},
    {"out of memory", "Open a smaller run, or record it with --events summary."},
}};

bool is_caret(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string_view::npos && line[at] == '^' && line.find_first_not_of("^~ \t", at) == std::string_view::npos;
}

}  // namespace

LoadError explain_load_error(const std::string& path, std::string_view text) {
  constexpr std::string_view kPrefix = "depscope: error: ";
  LoadError error;
  error.path = path;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    const bool caret = is_caret(line);
    if (caret && !error.lines.empty()) error.lines.back().code = true;
    error.lines.push_back({std::string(line), caret});
    error.text += std::string(line) + '\n';
  }
  bool has_code = false;
  for (const LoadError::Line& line : error.lines) has_code = has_code || line.code;
  for (const auto& [part, advice] : kAdvice) {
    if (error.advice.empty() && error.text.find(part) != std::string::npos) error.advice = advice;
  }
  if (!error.advice.empty()) return error;
  if (has_code) {
    error.advice = "Change the text at the caret, then press F5 to open it again.";
  } else if (file_kind(path) == FileKind::Recording || file_kind(path) == FileKind::Bundle) {
    error.advice = "Make it again: depscope run PROGRAM.py -o FILE.depscope, or depscope bundle.";
  } else {
    error.advice = "What can be opened: recordings, bundles, programs (*.py), traces, deps.json, directories of pass dumps.";
  }
  return error;
}

}  // namespace depscope::viewers
