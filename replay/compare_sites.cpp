#include "compare_sites.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "compare_sequences.h"
#include "depscope/ir/text.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

bool is_orchestration(const Recording& r, std::uint32_t function) {
  return r.text(r.functions.kind[function]) == "Orchestration";
}

/// Callee, arguments and depth of loops; names without version suffix.
std::string whole_key(const Recording& r, std::uint32_t site) {
  const auto& s = r.call_sites;
  std::string key = fmt::format("{} {} {}", s.kind[site], r.text(s.callee[site]), s.loop_depth[site]);
  for (std::uint32_t k = 0; k < s.argument_count[site]; ++k) {
    key += ' ';
    key += ir::source_name(r.text(r.arguments.name[s.argument_begin[site] + k]));
  }
  for (std::uint32_t k = 0; s.kind[site] == 3 && k < s.result_begin_count[site]; ++k) {  // an allocation is what it names
    key += ' ';
    key += ir::source_name(r.text(r.pool[s.result_begin[site] + k]));
  }
  return key;
}

std::string callee_key(const Recording& r, std::uint32_t site) {
  return fmt::format("{} {}", r.call_sites.kind[site], r.text(r.call_sites.callee[site]));
}

/// What a renamed kernel leaves: kind and number of arguments.
std::string kind_key(const Recording& r, std::uint32_t site) {
  return fmt::format("{} {}", r.call_sites.kind[site], r.call_sites.argument_count[site]);
}

void match_functions(const Recording& a, const Recording& b, SiteAlignment& out) {
  out.function_b_of_a.assign(a.functions.rows(), kNoRow);
  out.function_a_of_b.assign(b.functions.rows(), kNoRow);
  std::unordered_map<std::string_view, std::uint32_t> by_name;  // only looked up
  for (std::uint32_t f = 0; f < b.functions.rows(); ++f) by_name.emplace(b.text(b.functions.name[f]), f);
  const auto match = [&out](std::uint32_t fa, std::uint32_t fb) {
    out.function_b_of_a[fa] = fb;
    out.function_a_of_b[fb] = fa;
  };
  for (std::uint32_t f = 0; f < a.functions.rows(); ++f) {
    if (const auto at = by_name.find(a.text(a.functions.name[f])); at != by_name.end()) match(f, at->second);
  }
  // A renamed entry: the only orchestration that is left on each side.
  const auto left = [](const Recording& r, const std::vector<std::uint32_t>& matched) {
    std::uint32_t only = kNoRow;
    for (std::uint32_t f = 0; f < r.functions.rows(); ++f) {
      if (matched[f] != kNoRow || !is_orchestration(r, f)) continue;
      if (only != kNoRow) return kNoRow;
      only = f;
    }
    return only;
  };
  const std::uint32_t fa = left(a, out.function_b_of_a);
  const std::uint32_t fb = left(b, out.function_a_of_b);
  if (fa != kNoRow && fb != kNoRow) match(fa, fb);
}

void list_functions(SiteAlignment& out) {
  out.functions.clear();
  for (std::uint32_t f = 0; f < out.function_b_of_a.size(); ++f) {
    if (out.function_b_of_a[f] != kNoRow) out.functions.emplace_back(f, out.function_b_of_a[f]);
  }
}

/// Kernels that were renamed: what matched call sites call, where only one side has a function of that name.
void match_callees(const Recording& a, const Recording& b, SiteAlignment& out) {
  const auto by_name = [](const Recording& r) {
    std::unordered_map<std::uint32_t, std::uint32_t> functions;  // by string, only looked up
    for (std::uint32_t f = 0; f < r.functions.rows(); ++f) functions.emplace(r.functions.name[f], f);
    return functions;
  };
  const auto functions_a = by_name(a);
  const auto functions_b = by_name(b);
  for (std::uint32_t site = 0; site < a.call_sites.rows(); ++site) {
    const std::uint32_t other = out.b_of_a[site];
    if (other == kNoRow) continue;
    const auto fa = functions_a.find(a.call_sites.callee[site]);
    const auto fb = functions_b.find(b.call_sites.callee[other]);
    if (fa == functions_a.end() || fb == functions_b.end()) continue;
    if (out.function_b_of_a[fa->second] != kNoRow || out.function_a_of_b[fb->second] != kNoRow) continue;
    out.function_b_of_a[fa->second] = fb->second;
    out.function_a_of_b[fb->second] = fa->second;
  }
}

}  // namespace

SiteAlignment align_sites(const Side& side_a, const Side& side_b) {
  const Recording& a = side_a.r;
  const Recording& b = side_b.r;
  SiteAlignment out;
  match_functions(a, b, out);
  list_functions(out);
  out.b_of_a.assign(a.call_sites.rows(), kNoRow);
  out.a_of_b.assign(b.call_sites.rows(), kNoRow);
  const RowGroups sites_a = groups_of(a.call_sites.function, a.functions.rows());
  const RowGroups sites_b = groups_of(b.call_sites.function, b.functions.rows());
  for (const auto& [fa, fb] : out.functions) {
    const auto rows_a = sites_a.of(fa);
    const auto rows_b = sites_b.of(fb);
    if (rows_a.empty() || rows_b.empty()) continue;
    KeyNumbers numbers;
    std::vector<SequenceKeys> keys(3);
    for (const std::uint32_t site : rows_a) {
      keys[0].a.push_back(numbers.of(whole_key(a, site)));
      keys[1].a.push_back(numbers.of(callee_key(a, site)));
      keys[2].a.push_back(numbers.of(kind_key(a, site)));
    }
    for (const std::uint32_t site : rows_b) {
      keys[0].b.push_back(numbers.of(whole_key(b, site)));
      keys[1].b.push_back(numbers.of(callee_key(b, site)));
      keys[2].b.push_back(numbers.of(kind_key(b, site)));
    }
    // A kernel that was renamed stands where the old one stood: only there the number of arguments is enough.
    std::vector<SequenceKeys> by_name(keys.begin(), keys.begin() + 2);
    auto pairs = match_sequences(by_name, Leftover::Unmatched);
    pairs.emplace_back(rows_a.size(), rows_b.size());
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    for (const auto& [next_i, next_j] : pairs) {
      if (next_i - i == next_j - j) {
        for (; i < next_i; ++i, ++j) {
          if (keys[2].a[i] != keys[2].b[j]) continue;
          out.b_of_a[rows_a[i]] = rows_b[j];
          out.a_of_b[rows_b[j]] = rows_a[i];
        }
      }
      if (next_i < rows_a.size() && next_j < rows_b.size()) {
        out.b_of_a[rows_a[next_i]] = rows_b[next_j];
        out.a_of_b[rows_b[next_j]] = rows_a[next_i];
      }
      i = next_i + 1;
      j = next_j + 1;
    }
  }
  match_callees(a, b, out);
  list_functions(out);
  return out;
}

}  // namespace depscope::replay
