#include "program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

#include "depscope/ir/text.h"

namespace depscope::app {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Tokens of a printed text: words, strings, single characters, and for each line a newline with its indentation. Comment lines
/// are left out, but for those that stand for a communication domain (ir-text.md 5.8).
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// False at the end.
  bool next() {
    while (at_ == line_begin_ && skip_comment() && at_ < text_.size()) {
      line_begin_ = ++at_;
      ++line_;
    }
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size()) return false;
    after_dot = token == ".";
    std::size_t begin = at_;
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      while (skip_comment() && at_ < text_.size()) {
        begin = at_++;
        ++line_;
      }
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    } else if (c == '"' || c == '\'') {
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
    } else if (is_word(c)) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    token = text_.substr(begin, at_ - begin);
    return true;
  }

  std::string_view token;
  bool after_dot = false;  ///< the token before this one was a dot
  [[nodiscard]] std::uint32_t line() const { return line_; }

 private:
  /// At the begin of a line: goes to the end of it if it is a comment that says nothing.
  bool skip_comment() {
    const std::size_t first = text_.find_first_not_of(' ', at_);
    if (first == std::string_view::npos || text_[first] != '#' || text_.substr(first).starts_with("# pld.")) return false;
    at_ = std::min(text_.find('\n', first), text_.size());
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;  // of the first line that is no comment
  std::uint32_t line_ = 0;
};

/// "x" of "x_1".
std::string_view without_suffix(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  return end < name.size() && end > 1 && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

std::string_view line_of(std::string_view text, std::uint32_t line) {
  std::size_t begin = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

/// Lines before this position.
std::uint32_t line_number(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  return static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// Finds lines of a printed program in the file that it was read from.
class DumpLines {
 public:
  explicit DumpLines(const ir::Program& program) : program_(program), printed_(ir::print_program_with_lines(program)) {}

  [[nodiscard]] const ir::PrintedProgram& printed() const { return printed_; }

  /// Line of the file for a line of the print, both from 1, within the function whose `def` is at `def_line`.
  [[nodiscard]] std::uint32_t in_file(std::uint32_t line, const ir::Function& function, std::uint32_t def_line) const {
    if (!program_.source) return 0;
    const std::string_view wanted = trimmed(line_of(printed_.text, line - 1));
    if (trimmed(program_.source->line_text(line)) == wanted) return line;  // the usual case: the file is laid out as our print
    // Otherwise the statement (or the `def`) at or before it, and from there the same line, before the next statement.
    std::uint32_t from = program_.line(function.span);
    std::uint32_t to = from;
    for (const auto& [statement, at] : printed_.statement_lines) {
      if (at < def_line) continue;
      const std::uint32_t in_source = program_.line(program_.store->stmt(statement).span);
      if (in_source == 0) continue;
      to = in_source;
      if (at > line) break;
      from = in_source;
    }
    for (std::uint32_t k = from; k < to; ++k) {
      if (trimmed(program_.source->line_text(k)) == wanted) return k;
    }
    return from;
  }

 private:
  const ir::Program& program_;
  ir::PrintedProgram printed_;
};

}  // namespace

ProgramText program_text(const ir::Program& program) {
  ProgramText out;
  out.head = program.name;
  for (const ir::VarId dimension : program.dynamic_dims) out.head += fmt::format(" {}", program.store->name(dimension));
  for (const ir::Function& f : program.functions)
    out.functions.emplace(program.store->text(f.name), ir::print_function(program, f));
  return out;
}

std::optional<Mismatch> first_mismatch(std::string_view a, std::string_view b) {
  if (a == b) return std::nullopt;
  Tokens left(a);
  Tokens right(b);
  std::unordered_map<std::string_view, std::string_view> to_right, to_left;  // looked up only
  for (;;) {
    const bool more_left = left.next();
    const bool more_right = right.next();
    if (!more_left && !more_right) return std::nullopt;
    const Mismatch here{left.line(), right.line()};
    if (more_left != more_right) return here;
    const std::string_view x = left.token;
    const std::string_view y = right.token;
    // What stands behind a dot is no variable: operations, functions, constants.
    const bool names = is_word(x[0]) && !is_digit(x[0]) && is_word(y[0]) && !is_digit(y[0]) && !left.after_dot;
    if (!names) {
      if (x != y) return here;
      continue;
    }
    if (x != y && without_suffix(x) != without_suffix(y)) return here;
    if (to_right.emplace(x, y).first->second != y || to_left.emplace(y, x).first->second != x) return here;
  }
}

std::vector<std::string> changed_functions(const ProgramText& before, const ProgramText& after) {
  std::vector<std::string> out;
  auto a = before.functions.begin();
  auto b = after.functions.begin();
  while (a != before.functions.end() || b != after.functions.end()) {
    const bool only_before = b == after.functions.end() || (a != before.functions.end() && a->first < b->first);
    const bool only_after = !only_before && (a == before.functions.end() || b->first < a->first);
    if (only_before || only_after || first_mismatch(a->second, b->second)) out.push_back(only_after ? b->first : a->first);
    if (!only_after) ++a;
    if (!only_before) ++b;
  }
  return out;
}

bool same_program(const ProgramText& a, const ProgramText& b) { return a.head == b.head && changed_functions(a, b).empty(); }

std::optional<TextDifference> first_text_difference(const ir::Program& ours, const ir::Program& theirs) {
  const ProgramText left = program_text(ours);
  const ProgramText right = program_text(theirs);
  if (same_program(left, right)) return std::nullopt;
  const DumpLines lines(theirs);
  std::unordered_map<NameId, const ir::Function*> by_name;  // looked up only
  for (const ir::Function& f : theirs.functions) by_name.emplace(f.name, &f);
  for (const auto& [name_id, def_line] : lines.printed().function_lines) {
    const std::string name(theirs.store->text(name_id));
    const ir::Function& function = *by_name.at(name_id);
    const std::string& text = right.functions.at(name);
    const auto found = left.functions.find(name);
    if (found == left.functions.end()) {
      const std::string_view def = line_of(lines.printed().text, def_line - 1);
      return TextDifference{name, lines.in_file(def_line, function, def_line), "", std::string(trimmed(def))};
    }
    const std::optional<Mismatch> at = first_mismatch(found->second, text);
    if (!at) continue;
    // The text of a function begins with its decorator; the `def` is the line that both sides know.
    const std::uint32_t def_in_text = line_number(text, text.find("\n    def ") + 1);
    const std::string_view theirs_line = trimmed(line_of(text, at->line_b));
    const std::uint32_t printed_line = def_line + at->line_b - def_in_text;
    return TextDifference{name,
                          theirs_line.empty() ? lines.in_file(printed_line - 1, function, def_line)
                                              : lines.in_file(printed_line, function, def_line),
                          std::string(trimmed(line_of(found->second, at->line_a))), std::string(theirs_line)};
  }
  for (const auto& [name, text] : left.functions) {
    if (!right.functions.contains(name)) return TextDifference{name, 0, fmt::format("def {}", name), ""};
  }
  return TextDifference{"", 1, left.head, right.head};
}

std::string side_by_side(const TextDifference& d) {
  constexpr std::size_t kBefore = 24;
  constexpr std::size_t kShown = 96;
  const auto same = static_cast<std::size_t>(std::mismatch(d.ours.begin(), d.ours.end(), d.theirs.begin(), d.theirs.end()).first -
                                             d.ours.begin());
  const auto cut = [&](const std::string& line) {
    if (line.empty()) return std::string("(nothing)");
    std::size_t begin = line.size() <= kShown || same <= kBefore ? 0 : std::min(same - kBefore, line.size());
    std::size_t end = std::min(begin + kShown, line.size());
    const auto inside = [&](std::size_t i) { return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xc0U) == 0x80; };
    while (inside(begin)) --begin;
    while (inside(end)) --end;
    return fmt::format("{}{}{}", begin == 0 ? "" : "…", line.substr(begin, end - begin), end == line.size() ? "" : "…");
  };
  return fmt::format("{} | {}", cut(d.ours), cut(d.theirs));
}

}  // namespace depscope::app
