#include "depscope/viewers/fuzzy.h"
#include "folded_case.h"

#include <algorithm>
#include <cctype>

namespace depscope::viewers {
namespace {

constexpr int kWholeWord = 40;  // the letters side by side, at the beginning of a word
constexpr int kSideBySide = 25;
constexpr int kWordStart = 6;
constexpr int kNext = 4;

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
}

std::size_t find_fold(std::string_view text, std::string_view word, std::size_t from) {
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), word.begin(), word.end(),
                                 [](char a, char b) { return lower(a) == lower(b); });
  return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

std::optional<int> score_of_word(std::string_view word, std::string_view text) {
  int best = 0;
  for (std::size_t at = find_fold(text, word, 0); at != std::string_view::npos; at = find_fold(text, word, at + 1)) {
    best = std::max(best, starts_word(text, at) ? kWholeWord : kSideBySide);
  }
  if (best > 0) return best;
  int score = 0;
  std::size_t at = 0;
  bool next = false;
  for (const char letter : word) {
    while (at < text.size() && lower(text[at]) != lower(letter)) {
      ++at;
      next = false;
    }
    if (at == text.size()) return std::nullopt;
    score += (starts_word(text, at) ? kWordStart : 0) + (next ? kNext : 0);
    ++at;
    next = true;
  }
  return std::min(score, kSideBySide - 1);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view query, std::string_view text) {
  int total = 0;
  while (true) {
    const std::size_t begin = query.find_first_not_of(' ');
    if (begin == std::string_view::npos) return total;
    query.remove_prefix(begin);
    const std::string_view word = query.substr(0, query.find(' '));
    query.remove_prefix(word.size());
    const auto score = score_of_word(word, text);
    if (!score) return std::nullopt;
    total += *score;
  }
}

}  // namespace depscope::viewers
