#include "program_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "compare_sequences.h"
#include "depscope/base/edit_script.h"

namespace depscope::replay {
namespace {

constexpr std::uint32_t kMaxLineEdits = 2000;
constexpr std::uint32_t kContext = 2;  // equal lines shown around a difference
constexpr std::size_t kIndentation = 4;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Words that stand for themselves in the language.
bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 22> kWords{"and", "as",     "class", "def",    "elif",  "else", "False", "for",
                                                           "if",  "in",     "is",    "lambda", "None",  "not",  "or",    "pass",
                                                           "pl",  "return", "self",  "True",   "while", "with"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// The next token: a word, a number, a string, or one character; `from` moves behind it.
std::string_view token(std::string_view text, std::size_t& from) {
  const std::size_t begin = from++;
  const char c = text[begin];
  if (word_char(c)) {
    while (from < text.size() && word_char(text[from])) ++from;
  } else if (c == '"' || c == '\'') {
    while (from < text.size() && text[from] != c) from += text[from] == '\\' && from + 1 < text.size() ? 2 : 1;
    from = std::min(from + 1, text.size());
  }
  return text.substr(begin, from - begin);
}

/// A line of the difference with its place: "@@ 12 | 14 @@", lines of the functions from 1.
std::string place(std::size_t a, std::size_t b) { return fmt::format("@@ line {} | {}", a + 1, b + 1); }

}  // namespace

ProgramPieces::ProgramPieces(std::string_view program) {
  const std::string_view decorator = "    @";
  const std::string_view definition = "    def ";
  std::size_t begin = std::string_view::npos;  // of the function at hand
  std::string_view name;
  bool decorated = false;
  const auto close = [&](std::size_t end) {
    if (begin != std::string_view::npos && !name.empty() && functions_.emplace(name, program.substr(begin, end - begin)).second)
      names_.push_back(name);
  };
  for (std::size_t at = 0; at < program.size();) {
    const std::size_t end = std::min(program.find('\n', at), program.size());
    const std::string_view line = program.substr(at, end - at);
    if (line.starts_with(decorator) || (line.starts_with(definition) && !decorated)) {
      if (!decorated) {  // several decorators belong to one function
        close(at);
        begin = at;
        name = {};
      }
      decorated = line.starts_with(decorator);
    }
    if (line.starts_with(definition)) {
      name = line.substr(definition.size(), line.find('(') - definition.size());
      decorated = false;
    }
    at = end + 1;
  }
  close(program.size());
}

std::string_view ProgramPieces::function(std::string_view name) const {
  const auto at = functions_.find(name);
  return at == functions_.end() ? std::string_view() : at->second;
}

std::vector<LoopLine> loops_of(std::string_view function) {
  std::vector<LoopLine> out;
  for (const std::string_view line : lines_of(function)) {
    std::string_view text = trimmed(line);
    const bool is_for = text.starts_with("for ");
    if (!is_for && !text.starts_with("while ")) continue;
    LoopLine loop;
    loop.depth = static_cast<std::uint32_t>((line.size() - text.size()) / kIndentation);
    loop.depth -= std::min(loop.depth, 2U);  // the class, and the body of the function
    if (text.ends_with(':')) text.remove_suffix(1);
    loop.text = std::string(text);
    if (is_for) {
      const std::size_t in = text.find(" in ");
      if (in == std::string_view::npos) continue;
      loop.variables = std::string(text.substr(4, in - 4));
      std::string_view iterator = text.substr(in + 4);
      if (iterator.starts_with("pl.")) iterator.remove_prefix(3);
      const std::size_t end = iterator.find('(');
      loop.kind = std::string(iterator.substr(0, end));
      if (loop.kind == "while_") loop.kind = "while";
    } else {
      loop.kind = "while";
      loop.variables = std::string(text.substr(6));
    }
    out.push_back(std::move(loop));
  }
  return out;
}

bool equal_but_for_names(std::string_view a, std::string_view b, const RenamedFunctions& functions) {
  std::unordered_map<std::string_view, std::string_view> to_b;
  std::unordered_map<std::string_view, std::string_view> to_a;
  std::size_t i = 0;
  std::size_t j = 0;
  char before = '\n';
  while (i < a.size() && j < b.size()) {
    const std::string_view x = token(a, i);
    const std::string_view y = token(b, j);
    const bool names = word_start(x.front()) && word_start(y.front()) && before != '.' && !is_keyword(x) && !is_keyword(y);
    const auto renamed = before == '.' ? functions.find(x) : functions.end();
    if (names && renamed == functions.end()) {
      if (to_b.emplace(x, y).first->second != y || to_a.emplace(y, x).first->second != x) return false;
    } else if (renamed != functions.end() ? renamed->second != y : x != y) {
      return false;
    }
    before = x.back();
  }
  return i == a.size() && j == b.size();
}

LineDifference difference_of_lines(std::string_view a, std::string_view b) {
  LineDifference out;
  const std::vector<std::string_view> lines_a = lines_of(a);
  const std::vector<std::string_view> lines_b = lines_of(b);
  KeyNumbers numbers;
  std::vector<std::uint32_t> ids_a;
  std::vector<std::uint32_t> ids_b;
  ids_a.reserve(lines_a.size());
  ids_b.reserve(lines_b.size());
  for (const std::string_view line : lines_a) ids_a.push_back(numbers.of(line));
  for (const std::string_view line : lines_b) ids_b.push_back(numbers.of(line));
  bool limited = false;
  auto same = common_entries(ids_a, ids_b, kMaxLineEdits, limited);
  same.emplace_back(lines_a.size(), lines_b.size());

  const auto show = [&out](char mark, std::string_view line) {
    if (out.lines.size() < kDifferenceLines) {
      out.lines.push_back(mark + std::string(line));
    } else if (out.lines.size() == kDifferenceLines) {
      out.lines.emplace_back("…");
    }
  };
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  std::uint32_t shown = 0;  // lines of a up to here stand in `lines`
  for (const auto& [next_i, next_j] : same) {
    if (i < next_i || j < next_j) {
      if (out.removed + out.added == 0) {
        if (i < next_i) out.first_a = std::string(trimmed(lines_a[i]));
        if (j < next_j) out.first_b = std::string(trimmed(lines_b[j]));
      }
      const std::uint32_t from = std::max(shown, i - std::min(i, kContext));
      if (out.lines.size() < kDifferenceLines && (out.lines.empty() || from > shown))
        out.lines.push_back(place(from, j - (i - from)));
      for (std::uint32_t k = from; k < i; ++k) show(' ', lines_a[k]);
      out.removed += next_i - i;
      out.added += next_j - j;
      for (; i < next_i; ++i) show('-', lines_a[i]);
      for (; j < next_j; ++j) show('+', lines_b[j]);
      shown = i;
      for (std::uint32_t k = 0; k < kContext && i + k < lines_a.size() && next_i < lines_a.size(); ++k) {
        // Context behind, unless the next difference begins there.
        const auto at = std::lower_bound(same.begin(), same.end(), std::pair(i + k, 0U));
        if (at == same.end() || at->first != i + k || at->second != j + k || at->first == lines_a.size()) break;
        show(' ', lines_a[i + k]);
        shown = i + k + 1;
      }
    }
    i = next_i + 1;
    j = next_j + 1;
  }
  return out;
}

}  // namespace depscope::replay
