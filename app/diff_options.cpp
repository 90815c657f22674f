#include "diff_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "command.h"
#include "given_options.h"

namespace depscope::app {
namespace {

using replay::DifferenceKind;
using replay::kDifferenceKinds;

std::string kind_names(bool with_threshold) {
  std::string out;
  for (std::size_t k = 0; k < kDifferenceKinds; ++k) {
    const auto kind = static_cast<DifferenceKind>(k);
    if (with_threshold && !replay::has_threshold(kind)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", replay::difference_kind_name(kind));
  }
  return out;
}

std::vector<DifferenceKind> kinds_of(std::string_view option, const std::vector<std::string>& lists) {
  std::vector<DifferenceKind> out;
  for (std::string_view list : lists) {
    for (bool more = true; more;) {
      const std::size_t comma = list.find(',');
      more = comma != std::string_view::npos;
      const std::string_view name = list.substr(0, comma);
      if (more) list.remove_prefix(comma + 1);
      const auto kind = replay::difference_kind_from_name(name);
      if (!kind) throw UsageError(fmt::format("{}: there is no kind '{}' (kinds: {})", option, name, kind_names(false)));
      out.push_back(*kind);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> split_words(const std::string& option, std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // of a word, which may be empty between quotes
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == '\0' && space) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size() &&
               (quote == '\0' || text[i + 1] == '"' || text[i + 1] == '\\')) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') throw UsageError(fmt::format("{}: the quote {} is not closed", option, quote));
  return words;
}

OptionTexts side_options(const OptionTexts& both, const std::string& option, const std::string& text) {
  return with_words(both, option, split_words(option, text));
}

void choose_kinds(const std::vector<std::string>& ignore, const std::vector<std::string>& only,
                  const std::vector<std::string>& thresholds, replay::CompareOptions& options) {
  if (!only.empty()) {
    options.ignored.fill(true);
    for (const DifferenceKind kind : kinds_of("--only", only)) options.ignored[static_cast<std::size_t>(kind)] = false;
  }
  for (const DifferenceKind kind : kinds_of("--ignore", ignore)) options.ignored[static_cast<std::size_t>(kind)] = true;
  for (const std::string& text : thresholds) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto kind = replay::difference_kind_from_name(name);
    if (!kind || !replay::has_threshold(*kind))
      throw UsageError(fmt::format("--threshold: '{}' has none (kinds with numbers: {})", name, kind_names(true)));
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    replay::Threshold& threshold = options.thresholds[static_cast<std::size_t>(*kind)];
    threshold.percent = value.ends_with('%');
    if (threshold.percent) value.pop_back();
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, threshold.least);
    if (value.empty() || error != std::errc() || stop != end || !std::isfinite(threshold.least) || threshold.least < 0)
      throw UsageError(fmt::format("--threshold {}: a number was expected behind '{}=', such as 3 or 10%", text, name));
  }
}

}  // namespace depscope::app
