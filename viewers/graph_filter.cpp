#include "depscope/viewers/graph_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "depscope/runtime/submission.h"
#include "folded_case.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::array<std::string_view, 6> kProvenances{"user", "compiler", "fence", "creator", "tensormap", "explicit"};
constexpr std::array<std::string_view, 3> kFates{"wait", "retain", "removed"};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <std::size_t N>
std::optional<std::uint8_t> bit_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<std::uint8_t>(1U << i);
  }
  return std::nullopt;
}

template <std::size_t N>
std::string names_of(const std::array<std::string_view, N>& names, std::uint8_t bits) {
  std::string result;
  for (std::size_t i = 0; i < N; ++i) {
    if ((bits >> i & 1U) != 0) result += (result.empty() ? "" : ",") + std::string(names[i]);
  }
  return result;
}

/// Per string: it contains one of the words (all of them).
std::vector<bool> kernels_with(const Recording& r, const std::vector<std::string>& words, bool all) {
  std::vector<std::uint8_t> asked(r.strings.rows(), 0);
  std::vector<bool> found(r.strings.rows(), false);
  for (const std::uint32_t callee : r.tasks.callee) {
    if (asked[callee] != 0) continue;
    asked[callee] = 1;
    const std::string name = lower(r.text(callee));
    const auto has = [&](const std::string& word) { return name.find(word) != std::string::npos; };
    found[callee] = all ? std::all_of(words.begin(), words.end(), has) : std::any_of(words.begin(), words.end(), has);
  }
  return found;
}

}  // namespace

std::uint8_t edge_fate(const Recording& r, std::uint32_t edge) {
  const std::uint8_t now = r.edges.flags_final[edge];
  std::uint8_t fate = 0;
  if ((now & runtime::kWait) != 0) fate |= kHasWait;
  if ((now & runtime::kRetain) != 0) fate |= kHasRetain;
  if ((r.edges.flags[edge] & ~now & runtime::kWait) != 0) fate |= kWaitRemoved;
  return fate;
}

std::string GraphFilter::text() const {
  std::string result;
  const auto add = [&](std::string_view key, const std::string& values) {
    if (!values.empty()) result += fmt::format("{}{}:{}", result.empty() ? "" : " ", key, values);
  };
  add("kernel", fmt::format("{}", fmt::join(kernels, ",")));
  add("scope", fmt::format("{}", fmt::join(scopes, ",")));
  add("prov", names_of(kProvenances, provenance));
  add("flag", names_of(kFates, fates));
  return result;
}

bool GraphFilter::passes_edge(const Recording& r, std::uint32_t edge) const {
  if (provenance != 0 && (r.edges.provenance[edge] & provenance) == 0) return false;
  return fates == 0 || (edge_fate(r, edge) & fates) != 0;
}

ParsedGraphFilter parse_graph_filter(std::string_view text) {
  ParsedGraphFilter result;
  GraphFilter& filter = result.filter;
  const auto wrong = [&](std::string message) {
    if (result.error.empty()) result.error = std::move(message);
  };
  for (const std::string_view token : split(text, " \t")) {
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) {
      filter.kernels.push_back(lower(token));
      continue;
    }
    const std::string key = lower(token.substr(0, colon));
    const auto values = split(token.substr(colon + 1), ",");
    if (key != "kernel" && key != "scope" && key != "prov" && key != "flag") {
      wrong(fmt::format("'{}' is no filter: kernel, scope, prov, flag", key));
      continue;
    }
    if (values.empty()) wrong(fmt::format("'{}:' needs a value", key));
    for (const std::string_view value : values) {
      const std::string name = lower(value);
      if (key == "kernel") {
        filter.kernels.push_back(name);
      } else if (key == "scope") {
        const auto row = number_of(name);
        if (row) filter.scopes.push_back(*row);
        if (!row) wrong(fmt::format("'{}' is no number of a scope", value));
      } else if (key == "prov") {
        const auto bit = bit_of(kProvenances, name);
        if (bit) filter.provenance |= *bit;
        if (!bit) wrong(fmt::format("'{}' is no provenance: user, compiler, fence, creator, tensormap, explicit", value));
      } else {
        const auto bit = bit_of(kFates, name);
        if (bit) filter.fates |= *bit;
        if (!bit) wrong(fmt::format("'{}' is no flag: wait, retain, removed", value));
      }
    }
  }
  return result;
}

std::vector<bool> passing_tasks(const Recording& r, const GraphFilter& filter) {
  if (filter.any_task()) return {};
  std::vector<bool> kernels;
  if (!filter.kernels.empty()) kernels = kernels_with(r, filter.kernels, false);
  std::vector<bool> scopes;
  if (!filter.scopes.empty()) {
    scopes.assign(r.scopes.rows(), false);
    for (std::uint32_t scope = 0; scope < r.scopes.rows(); ++scope) {  // a parent comes before its children
      const std::uint32_t parent = r.scopes.parent[scope];
      scopes[scope] = std::find(filter.scopes.begin(), filter.scopes.end(), scope) != filter.scopes.end() ||
                      (parent < scope && scopes[parent]);
    }
  }
  std::vector<bool> passes(r.tasks.rows(), false);
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    const bool kernel = kernels.empty() || kernels[r.tasks.callee[task]];
    const std::uint32_t scope = r.tasks.scope[task];
    passes[task] = kernel && (filter.scopes.empty() || (scope < r.scopes.rows() && scopes[scope]));
  }
  return passes;
}

std::vector<std::uint32_t> search_tasks(const Recording& r, std::string_view text) {
  std::vector<std::uint32_t> found;
  std::vector<std::string> words;
  std::optional<std::uint32_t> task;
  for (const std::string_view part : split(text, " \t")) {
    std::string word = lower(part);
    const auto row = number_of(word[0] == 't' ? std::string_view(word).substr(1) : std::string_view(word));
    if (row) {
      task = row;
    } else {
      words.push_back(std::move(word));
    }
  }
  if (words.empty() && !task) return found;
  const std::vector<bool> kernels = kernels_with(r, words, true);
  const std::uint32_t first = task ? std::min(*task, r.tasks.rows()) : 0;
  const std::uint32_t last = task ? std::min(first + 1, r.tasks.rows()) : r.tasks.rows();
  for (std::uint32_t row = first; row < last; ++row) {
    if (kernels[r.tasks.callee[row]]) found.push_back(row);
  }
  return found;
}

}  // namespace depscope::viewers
