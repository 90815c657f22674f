#include "depscope/viewers/text_diff.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "depscope/base/edit_script.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;

constexpr std::uint32_t kMaxTokenEdits = 400;     // per line; a line that needs more is marked whole
constexpr std::size_t kMaxPairingCells = 200000;  // lines removed times lines added that are compared by likeness
constexpr double kAlike = 0.35;                   // share of common tokens above which two lines are versions of one line

/// Gives equal texts equal ids, in order of first use.
class Numbering {
 public:
  std::uint32_t id(std::string_view text) {
    return ids_.try_emplace(text, static_cast<std::uint32_t>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> ids_;  // only looked up, never walked
};

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<TextSpan> tokens_of(std::string_view line) {
  std::vector<TextSpan> tokens;
  const auto size = static_cast<std::uint32_t>(line.size());
  for (std::uint32_t at = 0; at < size;) {
    std::uint32_t end = at + 1;
    if (word_char(line[at])) {
      while (end < size && word_char(line[end])) ++end;
    } else if (static_cast<unsigned char>(line[at]) >= 0x80) {
      while (end < size && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) ++end;  // one code point
    } else if (line[at] == ' ') {
      while (end < size && line[end] == ' ') ++end;
    }
    tokens.push_back({at, end});
    at = end;
  }
  return tokens;
}

std::string_view piece(std::string_view line, TextSpan span) { return line.substr(span.begin, span.end - span.begin); }

/// Appends a span, joined with the last one if they touch.
void mark(std::vector<TextSpan>& marks, std::uint32_t begin, std::uint32_t end) {
  if (begin >= end) return;
  if (!marks.empty() && marks.back().end == begin) {
    marks.back().end = end;
  } else {
    marks.push_back({begin, end});
  }
}

/// Marks what differs between two runs of tokens that replace each other: without their common beginning and end.
void mark_replaced(std::string_view before, TextSpan b, std::string_view after, TextSpan a, LineMarks& marks) {
  while (b.begin < b.end && a.begin < a.end && before[b.begin] == after[a.begin]) ++b.begin, ++a.begin;
  while (b.begin < b.end && a.begin < a.end && before[b.end - 1] == after[a.end - 1]) --b.end, --a.end;
  mark(marks.before, b.begin, b.end);
  mark(marks.after, a.begin, a.end);
}

/// Sorted token ids of a line, for comparing lines by likeness; the base of a generated name counts as the name, because
/// renaming is the change that most often touches every line.
std::vector<std::uint32_t> bag_of(std::string_view line, Numbering& numbering) {
  std::vector<std::uint32_t> bag;
  for (const TextSpan span : tokens_of(line)) {
    std::string_view token = piece(line, span);
    if (token.find_first_not_of(" ,()[]:=.") == std::string_view::npos) continue;
    if (const std::size_t split = token.find("__", 1); split != std::string_view::npos) token = token.substr(0, split);
    bag.push_back(numbering.id(token));
  }
  std::sort(bag.begin(), bag.end());
  return bag;
}

double likeness(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  if (a.empty() && b.empty()) return 1.0;
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      ++common, ++i, ++j;
    } else if (a[i] < b[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

struct Hunk {
  std::uint32_t before_begin, before_end, after_begin, after_end;
};

/// Pairs of lines (before, after) of a hunk that are versions of each other: the ascending pairing of greatest total likeness.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pair_lines(const TextDiff& diff, const Hunk& hunk) {
  const std::size_t n = hunk.before_end - hunk.before_begin;
  const std::size_t m = hunk.after_end - hunk.after_begin;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  if (n == 0 || m == 0) return pairs;
  if (n * m > kMaxPairingCells) {  // halve both sides in proportion until they are small enough
    const auto half_n = hunk.before_begin + static_cast<std::uint32_t>(n / 2);
    const auto half_m = hunk.after_begin + static_cast<std::uint32_t>(m / 2);
    pairs = pair_lines(diff, {hunk.before_begin, half_n, hunk.after_begin, half_m});
    const auto rest = pair_lines(diff, {half_n, hunk.before_end, half_m, hunk.after_end});
    pairs.insert(pairs.end(), rest.begin(), rest.end());
    return pairs;
  }
  Numbering numbering;
  std::vector<std::vector<std::uint32_t>> before(n);
  std::vector<std::vector<std::uint32_t>> after(m);
  for (std::size_t i = 0; i < n; ++i) before[i] = bag_of(diff.before[hunk.before_begin + i], numbering);
  for (std::size_t j = 0; j < m; ++j) after[j] = bag_of(diff.after[hunk.after_begin + j], numbering);
  std::vector<float> best((n + 1) * (m + 1), 0.0F);  // best total of the lines from i and j on
  const auto cell = [m](std::size_t i, std::size_t j) { return i * (m + 1) + j; };
  std::vector<float> like(n * m);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      const double alike = likeness(before[i], after[j]);
      like[i * m + j] = alike >= kAlike ? static_cast<float>(alike) : 0.0F;
      const float paired = like[i * m + j] > 0.0F ? like[i * m + j] + best[cell(i + 1, j + 1)] : 0.0F;
      best[cell(i, j)] = std::max({paired, best[cell(i + 1, j)], best[cell(i, j + 1)]});
    }
  }
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    const float alike = like[i * m + j];
    if (alike > 0.0F && best[cell(i, j)] == alike + best[cell(i + 1, j + 1)]) {
      pairs.emplace_back(hunk.before_begin + i, hunk.after_begin + j);
      ++i, ++j;
    } else if (best[cell(i, j)] == best[cell(i + 1, j)]) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

void add_changed(TextDiff& diff, std::uint32_t before, std::uint32_t after) {
  DiffRow row{before, after, LineChange::Changed};
  const LineMarks marks = diff_line(diff.before[before], diff.after[after]);
  row.before_marks = static_cast<std::uint32_t>(diff.marks.size());
  row.before_mark_count = static_cast<std::uint32_t>(marks.before.size());
  diff.marks.insert(diff.marks.end(), marks.before.begin(), marks.before.end());
  row.after_marks = static_cast<std::uint32_t>(diff.marks.size());
  row.after_mark_count = static_cast<std::uint32_t>(marks.after.size());
  diff.marks.insert(diff.marks.end(), marks.after.begin(), marks.after.end());
  diff.rows.push_back(row);
}

void add_hunk(TextDiff& diff, const Hunk& hunk) {
  std::uint32_t i = hunk.before_begin;
  std::uint32_t j = hunk.after_begin;
  const auto up_to = [&](std::uint32_t before_end, std::uint32_t after_end) {
    for (; i < before_end; ++i) diff.rows.push_back({i, kNoRow, LineChange::Removed});
    for (; j < after_end; ++j) diff.rows.push_back({kNoRow, j, LineChange::Added});
  };
  for (const auto& [before, after] : pair_lines(diff, hunk)) {
    up_to(before, after);
    add_changed(diff, i++, j++);
  }
  up_to(hunk.before_end, hunk.after_end);
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return lines;
}

LineMarks diff_line(std::string_view before, std::string_view after) {
  const std::vector<TextSpan> before_tokens = tokens_of(before);
  const std::vector<TextSpan> after_tokens = tokens_of(after);
  Numbering numbering;
  std::vector<std::uint32_t> before_ids;
  std::vector<std::uint32_t> after_ids;
  for (const TextSpan span : before_tokens) before_ids.push_back(numbering.id(piece(before, span)));
  for (const TextSpan span : after_tokens) after_ids.push_back(numbering.id(piece(after, span)));
  bool limited = false;
  auto same = common_entries(before_ids, after_ids, kMaxTokenEdits, limited);
  same.emplace_back(before_tokens.size(), after_tokens.size());  // the end of both
  LineMarks marks;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  const auto offset = [](const std::vector<TextSpan>& tokens, std::uint32_t index, std::string_view line) {
    return index < tokens.size() ? tokens[index].begin : static_cast<std::uint32_t>(line.size());
  };
  for (const auto& [next_i, next_j] : same) {
    mark_replaced(before, {offset(before_tokens, i, before), offset(before_tokens, next_i, before)}, after,
                  {offset(after_tokens, j, after), offset(after_tokens, next_j, after)}, marks);
    i = next_i + 1;
    j = next_j + 1;
  }
  return marks;
}

TextDiff diff_text(std::string_view before, std::string_view after) {
  TextDiff diff;
  diff.before = split_lines(before);
  diff.after = split_lines(after);
  Numbering numbering;
  std::vector<std::uint32_t> before_ids;
  std::vector<std::uint32_t> after_ids;
  for (const std::string_view line : diff.before) before_ids.push_back(numbering.id(line));
  for (const std::string_view line : diff.after) after_ids.push_back(numbering.id(line));
  auto same = common_entries(before_ids, after_ids, kMaxLineEdits, diff.limited);
  same.emplace_back(diff.before.size(), diff.after.size());
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  for (const auto& [next_i, next_j] : same) {
    add_hunk(diff, {i, next_i, j, next_j});
    if (next_i < diff.before.size()) diff.rows.push_back({next_i, next_j, LineChange::Same});
    i = next_i + 1;
    j = next_j + 1;
  }
  for (std::uint32_t row = 0; row < diff.rows.size(); ++row) {
    const bool changed = diff.rows[row].change != LineChange::Same;
    if (changed && (row == 0 || diff.rows[row - 1].change == LineChange::Same)) diff.change_starts.push_back(row);
  }
  return diff;
}

}  // namespace depscope::viewers
