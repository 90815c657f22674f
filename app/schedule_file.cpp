#include "schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "depscope/replay/output_file.h"

namespace depscope::app {
namespace {

constexpr std::size_t kChoicesPerLine = 20;
constexpr std::string_view kSpace = " \t\r\n";

/// Begin of the first token at or after `at`, behind white space and comments; the size of the text if there is none.
std::size_t next_token(std::string_view text, std::size_t at) {
  for (;;) {
    at = text.find_first_not_of(kSpace, at);
    if (at == std::string_view::npos) return text.size();
    if (text[at] != '#') return at;
    at = std::min(text.find('\n', at), text.size());
  }
}

std::size_t token_end(std::string_view text, std::size_t at) { return std::min(text.find_first_of(" \t\r\n#", at), text.size()); }

}  // namespace

std::vector<std::uint32_t> read_choices(const SourceFile& source) {
  std::vector<std::uint32_t> choices;
  const std::string_view text = source.text();
  for (std::size_t at = next_token(text, 0); at < text.size(); at = next_token(text, token_end(text, at))) {
    const std::string_view token = text.substr(at, token_end(text, at) - at);
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || stop != token.data() + token.size()) {
      throw InputError(source.diagnostic(Severity::Error, static_cast<std::uint32_t>(at),
                                         fmt::format("\"{}\" is no choice: a number from 0 to {} was expected",
                                                     token.substr(0, 40), std::numeric_limits<std::uint32_t>::max())));
    }
    choices.push_back(value);
  }
  return choices;
}

std::uint32_t offset_of_choice(const SourceFile& source, std::size_t index) {
  const std::string_view text = source.text();
  std::size_t at = next_token(text, 0);
  for (; index > 0 && at < text.size(); --index) at = next_token(text, token_end(text, at));
  return static_cast<std::uint32_t>(at);
}

void write_choices(const std::string& path, const std::vector<std::uint32_t>& choices) {
  std::string text =
      fmt::format("# DepScope schedule: {} choices in the order they were made (--schedule list:FILE)\n", choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool last = i + 1 == choices.size() || (i + 1) % kChoicesPerLine == 0;
    text += fmt::format("{}{}", choices[i], last ? '\n' : ' ');
  }
  replay::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace depscope::app
