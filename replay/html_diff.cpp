#include "html_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "compare_sequences.h"
#include "depscope/base/edit_script.h"
#include "depscope/ir/text.h"
#include "html_table.h"

namespace depscope::replay {
namespace {

constexpr std::uint32_t kMaxTokenEdits = 400;  // a line that needs more is marked whole
constexpr std::size_t kContext = 2;            // unchanged lines shown on each side of a change
constexpr std::size_t kLeastFolded = 3;

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool inside_sequence(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Words, runs of spaces, and single characters.
std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    if (word_char(line[at])) {
      while (end < line.size() && word_char(line[end])) ++end;
    } else if (line[at] == ' ') {
      while (end < line.size() && line[end] == ' ') ++end;
    } else {
      while (end < line.size() && inside_sequence(line[end])) ++end;
    }
    tokens.push_back(line.substr(at, end - at));
    at = end;
  }
  return tokens;
}

/// The line with names as the source has them.
std::string without_suffixes(std::string_view line) {
  std::string out;
  for (const std::string_view token : tokens_of(line)) out += word_char(token.front()) ? ir::source_name(token) : token;
  return out;
}

/// Target and callee of an assignment, else the first words: what a line keeps when its arguments change.
std::string head_of(const std::string& line) {
  const std::size_t annotation = line.find(": ");
  const std::size_t assignment = line.find(" = ");
  if (assignment == std::string::npos) return line.substr(0, line.find('('));
  const std::size_t call = line.find('(', assignment);
  return line.substr(0, std::min(annotation, assignment)) +
         line.substr(assignment, call == std::string::npos ? call : call - assignment);
}

void add_span(std::vector<ByteSpan>& spans, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  if (!spans.empty() && spans.back().end == begin) {
    spans.back().end = end;
  } else {
    spans.push_back({begin, end});
  }
}

/// Leaves out what the beginnings and ends of two spans have in common, in whole characters.
void add_replaced(std::string_view before, ByteSpan b, std::string_view after, ByteSpan a, std::vector<ByteSpan>& of_before,
                  std::vector<ByteSpan>& of_after) {
  const ByteSpan whole_b = b;
  const ByteSpan whole_a = a;
  while (b.begin < b.end && a.begin < a.end && before[b.begin] == after[a.begin]) ++b.begin, ++a.begin;
  const auto cuts = [](std::string_view text, std::size_t at) { return at < text.size() && inside_sequence(text[at]); };
  while (b.begin > whole_b.begin && (cuts(before, b.begin) || cuts(after, a.begin))) --b.begin, --a.begin;
  while (b.begin < b.end && a.begin < a.end && before[b.end - 1] == after[a.end - 1]) --b.end, --a.end;
  while (b.end < whole_b.end && a.end < whole_a.end && (cuts(before, b.end) || cuts(after, a.end))) ++b.end, ++a.end;
  add_span(of_before, b.begin, b.end);
  add_span(of_after, a.begin, a.end);
}

void write_line(HtmlWriter& out, std::string_view side, std::string_view mark, std::string_view line,
                const std::vector<ByteSpan>& spans, std::string_view element, std::size_t max_text) {
  out.raw("<div class=\"l ").raw(side).raw(R"("><span class="m">)").raw(mark).raw("</span>");
  const std::string_view shown = cut_text(line, max_text);
  std::size_t at = 0;
  for (const ByteSpan& span : spans) {
    if (span.begin >= shown.size()) break;
    out.text(shown.substr(at, span.begin - at));
    at = std::min(span.end, shown.size());
    out.element(element, "", shown.substr(span.begin, at - span.begin));
  }
  out.text(shown.substr(at));
  if (shown.size() < line.size())
    out.raw("<span class=\"dim\">… (").number(line.size() - shown.size()).raw(" bytes more)</span>");
  out.raw("</div>\n");
}

void write_line(HtmlWriter& out, const DiffLine& line, std::size_t max_text) {
  switch (line.kind) {
    case DiffLine::Kind::Same: return write_line(out, "same", " ", line.before, {}, "", max_text);
    case DiffLine::Kind::Removed: return write_line(out, "del", "−", line.before, {}, "", max_text);
    case DiffLine::Kind::Added: return write_line(out, "ins", "+", line.after, {}, "", max_text);
    case DiffLine::Kind::Changed: break;
  }
  const auto [before, after] = changed_characters(line.before, line.after);
  write_line(out, "del", "−", line.before, before, "del", max_text);
  write_line(out, "ins", "+", line.after, after, "ins", max_text);
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> lines_b = split(before);
  const std::vector<std::string_view> lines_a = split(after);
  KeyNumbers numbers;
  std::vector<SequenceKeys> keys(3);
  const auto add = [&](const std::vector<std::string_view>& lines, std::vector<std::uint32_t> SequenceKeys::*side) {
    for (const std::string_view line : lines) {
      const std::string plain = without_suffixes(line);
      (keys[0].*side).push_back(numbers.of(line));
      (keys[1].*side).push_back(numbers.of("names " + plain));
      (keys[2].*side).push_back(numbers.of("head " + head_of(plain)));
    }
  };
  add(lines_b, &SequenceKeys::a);
  add(lines_a, &SequenceKeys::b);
  auto pairs = match_sequences(keys, Leftover::InOrderIfAsMany);
  pairs.emplace_back(static_cast<std::uint32_t>(lines_b.size()), static_cast<std::uint32_t>(lines_a.size()));
  std::vector<DiffLine> out;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  for (const auto& [next_i, next_j] : pairs) {
    for (; i < next_i; ++i) out.push_back({DiffLine::Kind::Removed, lines_b[i], {}});
    for (; j < next_j; ++j) out.push_back({DiffLine::Kind::Added, {}, lines_a[j]});
    if (i == lines_b.size() || j == lines_a.size()) break;
    const bool same = lines_b[i] == lines_a[j];
    out.push_back({same ? DiffLine::Kind::Same : DiffLine::Kind::Changed, lines_b[i++], lines_a[j++]});
  }
  return out;
}

std::pair<std::vector<ByteSpan>, std::vector<ByteSpan>> changed_characters(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> tokens_b = tokens_of(before);
  const std::vector<std::string_view> tokens_a = tokens_of(after);
  KeyNumbers numbers;
  std::vector<std::uint32_t> ids_b;
  std::vector<std::uint32_t> ids_a;
  ids_b.reserve(tokens_b.size());
  ids_a.reserve(tokens_a.size());
  for (const std::string_view token : tokens_b) ids_b.push_back(numbers.of(token));
  for (const std::string_view token : tokens_a) ids_a.push_back(numbers.of(token));
  bool limited = false;
  auto pairs = common_entries(ids_b, ids_a, kMaxTokenEdits, limited);
  pairs.emplace_back(static_cast<std::uint32_t>(tokens_b.size()), static_cast<std::uint32_t>(tokens_a.size()));
  std::pair<std::vector<ByteSpan>, std::vector<ByteSpan>> out;
  const auto offset = [](std::string_view line, const std::vector<std::string_view>& tokens, std::size_t token) {
    return token < tokens.size() ? static_cast<std::size_t>(tokens[token].data() - line.data()) : line.size();
  };
  std::size_t i = 0;
  std::size_t j = 0;
  for (const auto& [next_i, next_j] : pairs) {
    add_replaced(before, {offset(before, tokens_b, i), offset(before, tokens_b, next_i)}, after,
                 {offset(after, tokens_a, j), offset(after, tokens_a, next_j)}, out.first, out.second);
    i = next_i + std::size_t{1};
    j = next_j + std::size_t{1};
  }
  return out;
}

std::uint64_t html_diff(HtmlWriter& out, const std::vector<DiffLine>& lines, std::uint32_t& lines_left, std::size_t max_text) {
  out.raw("<div class=\"code diff\" tabindex=\"0\">\n");
  std::uint64_t no_room = 0;
  const auto write = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (lines_left == 0) {
        ++no_room;
        continue;
      }
      --lines_left;
      write_line(out, lines[i], max_text);
    }
  };
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i;
    while (end < lines.size() && lines[end].kind == DiffLine::Kind::Same) ++end;
    const std::size_t head = i == 0 ? 0 : kContext;
    const std::size_t tail = end == lines.size() ? 0 : kContext;
    if (end - i >= head + tail + kLeastFolded && lines_left != 0) {
      write(i, i + head);
      out.raw("<details class=\"fold\"><summary>").text(counted(end - i - head - tail, "unchanged line", "unchanged lines"));
      out.raw("</summary>\n");
      write(i + head, end - tail);
      out.raw("</details>\n");
      write(end - tail, end);
    } else {
      write(i, end);
    }
    i = end;
    while (end < lines.size() && lines[end].kind != DiffLine::Kind::Same) ++end;
    write(i, end);
    i = end;
  }
  out.raw("</div>\n");
  return no_room;
}

}  // namespace depscope::replay
