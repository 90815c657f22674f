#include "depscope/viewers/attributes.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace depscope::viewers {
namespace {

constexpr std::array<std::string_view, 17> kKeywords{"def",    "class",  "with", "for", "in",  "if", "else", "elif", "while",
                                                     "return", "import", "from", "as",  "and", "or", "not",  "pass"};
constexpr std::array<std::string_view, 3> kConstants{"True", "False", "None"};
constexpr std::string_view kManualCandidate = "__compiler_auto_manual_scope_candidate";

bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Splitter {
 public:
  Splitter(std::string_view line, const LineStyle& style, std::vector<Segment>& out) : line_(line), style_(style), out_(out) {}

  void run() {
    if (style_.fold_types) find_annotation();
    while (at_ < line_.size()) {
      if (at_ == fold_begin_ && fold_end_ > fold_begin_) {
        add(SegmentKind::FoldedType, fold_end_, "…");
      } else if (!(style_.badges && badge())) {
        token();
      }
    }
  }

 private:
  void add(SegmentKind kind, std::size_t end, std::string_view shown) {
    out_.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), shown});
    at_ = end;
  }
  void add(SegmentKind kind, std::size_t end) { add(kind, end, line_.substr(at_, end - at_)); }
  void hide(std::size_t end) {
    if (end > at_) add(SegmentKind::Hidden, end, {});
  }
  [[nodiscard]] bool here(std::string_view text) const { return line_.substr(at_).starts_with(text); }
  [[nodiscard]] char previous() const { return at_ == 0 ? '\0' : line_[at_ - 1]; }

  /// The end of a quoted string that begins at `at` (after its closing quote, or the end of the line).
  [[nodiscard]] std::size_t string_end(std::size_t at) const {
    const char quote = line_[at];
    for (std::size_t i = at + 1; i < line_.size(); ++i) {
      if (line_[i] == '\\') {
        ++i;
      } else if (line_[i] == quote) {
        return i + 1;
      }
    }
    return line_.size();
  }

  /// Position of the bracket that closes the one at `open`, or the end of the line.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < line_.size();) {
      const char c = line_[i];
      if (c == '"' || c == '\'') {
        i = string_end(i);
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
      ++i;
    }
    return line_.size();
  }

  /// The `: Type` of `name: Type = value`; leaves the fold empty if the line is no annotated assignment.
  void find_annotation() {
    std::size_t i = line_.find_first_not_of(' ');
    if (i == std::string_view::npos || digit(line_[i])) return;
    const std::size_t name = i;
    while (i < line_.size() && word_char(line_[i])) ++i;
    if (i == name || !line_.substr(i).starts_with(": ")) return;
    const std::size_t type = i + 2;
    for (i = type; i < line_.size();) {
      const char c = line_[i];
      if (c == '"' || c == '\'') {
        i = string_end(i);
      } else if (c == '(' || c == '[' || c == '{') {
        i = closing(i) + 1;
      } else if (line_.substr(i).starts_with(" = ")) {
        fold_begin_ = type;
        fold_end_ = i;
        return;
      } else {
        ++i;
      }
    }
  }

  void token() {
    const char c = line_[at_];
    std::size_t end = at_ + 1;
    if (c == '#') return add(SegmentKind::Comment, line_.size());
    if (c == '"' || c == '\'') return add(SegmentKind::String, string_end(at_));
    if (digit(c)) {
      while (end < line_.size() && (word_char(line_[end]) || line_[end] == '.')) ++end;
      return add(SegmentKind::Number, end);
    }
    if (word_char(c)) {
      while (end < line_.size() && word_char(line_[end])) ++end;
      const std::string_view word = line_.substr(at_, end - at_);
      const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
      if (keyword && previous() != '.') return add(SegmentKind::Keyword, end);
      if (std::find(kConstants.begin(), kConstants.end(), word) != kConstants.end()) return add(SegmentKind::Number, end);
      // Members and keyword arguments are not variables: `pl.range`, `dtype=`.
      const bool member = previous() == '.' || (end < line_.size() && (line_[end] == '.' || line_[end] == '('));
      const bool argument = end + 1 < line_.size() && line_[end] == '=' && line_[end + 1] != ' ';
      return add(member || argument ? SegmentKind::Text : SegmentKind::Name, end);
    }
    while (end < line_.size() && !word_char(line_[end]) && line_[end] != '"' && line_[end] != '\'' && line_[end] != '#' &&
           !(end == fold_begin_ && fold_end_ > fold_begin_)) {
      ++end;
    }
    add(SegmentKind::Text, end);
  }

  /// One dependency attribute, or the braces around them. False if there is none here.
  bool badge() {
    if (here("attrs={")) {
      const std::size_t open = at_ + 6;
      const std::size_t close = closing(open);
      if (!all_known(open + 1, close)) return false;
      hide(open + 1);
      entries(close);
      hide(std::min(close + 1, line_.size()));
      return true;
    }
    if (here("deps=[") && (previous() == ' ' || previous() == '(' || previous() == ',')) {
      return list(SegmentKind::UserDep, at_ + 5);
    }
    return entry();
  }

  /// True if every key between the braces is one that becomes badges, so that the braces can go.
  [[nodiscard]] bool all_known(std::size_t begin, std::size_t end) const {
    bool any = false;
    for (std::size_t i = begin; i < end;) {
      if (line_[i] == '"') {
        const std::size_t stop = string_end(i);
        const std::string_view key = line_.substr(i + 1, stop - i - 2);
        if (!known(key)) return false;
        any = true;
        i = stop;
      } else if (line_[i] == '[' || line_[i] == '{' || line_[i] == '(') {
        i = closing(i) + 1;
      } else {
        ++i;
      }
    }
    return any;
  }
  [[nodiscard]] static bool known(std::string_view key) {
    return key == "arg_directions" || key == "compiler_manual_dep_edges" || key == "manual_dep_edges" || key == kManualCandidate;
  }

  void entries(std::size_t end) {
    while (at_ < end) {
      if (!entry()) hide(at_ + 1);
    }
  }

  /// `"arg_directions": [...]`, `"compiler_manual_dep_edges": [...]`, … or one loose `pl.adir.NAME` of a wrapped list.
  bool entry() {
    if (here("\"arg_directions\": [")) return list(SegmentKind::Direction, at_ + 18);
    if (here("\"compiler_manual_dep_edges\": [")) return list(SegmentKind::CompilerDep, at_ + 29);
    if (here("\"manual_dep_edges\": [")) return list(SegmentKind::UserDep, at_ + 20);
    if (here("\"__compiler_auto_manual_scope_candidate\": True")) {
      add(SegmentKind::Marker, at_ + kManualCandidate.size() + 8, "MANUAL candidate");
      return true;
    }
    return !word_char(previous()) && direction(line_.size());
  }

  /// `NAME.adir.DIRECTION` here becomes one badge.
  bool direction(std::size_t end) {
    std::size_t i = at_;
    while (i < end && word_char(line_[i])) ++i;
    if (i == at_ || !line_.substr(i).starts_with(".adir.")) return false;
    const std::size_t name = i + 6;
    i = name;
    while (i < end && word_char(line_[i])) ++i;
    add(SegmentKind::Direction, i, line_.substr(name, i - name));
    return true;
  }

  /// The entries of the list whose bracket is at `open`; everything around them is hidden.
  bool list(SegmentKind kind, std::size_t open) {
    const std::size_t close = closing(open);
    hide(open + 1);
    while (at_ < close) {
      if (line_[at_] == ' ' || line_[at_] == ',') {
        hide(at_ + 1);
        continue;
      }
      if (kind == SegmentKind::Direction && direction(close)) continue;
      std::size_t end = at_;
      while (end < close && line_[end] != ',') {
        const char c = line_[end];
        end = c == '[' || c == '(' ? std::min(closing(end) + 1, close) : end + 1;
      }
      add(kind, end);
    }
    hide(std::min(close + 1, line_.size()));
    return true;
  }

  std::string_view line_;
  const LineStyle& style_;
  std::vector<Segment>& out_;
  std::size_t at_ = 0;
  std::size_t fold_begin_ = 0, fold_end_ = 0;
};

}  // namespace

void split_line(std::string_view line, const LineStyle& style, std::vector<Segment>& segments) {
  segments.clear();
  Splitter(line, style, segments).run();
}

}  // namespace depscope::viewers
