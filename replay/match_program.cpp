// Rows of the program: passes, regions, scopes, arguments, hazards.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "compare_sequences.h"
#include "match_tables.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

/// Matches what stands in matched functions, in order, by keys(recording, row) from the strictest on.
template <std::size_t Keys, class KeysOf>
void match_in_functions(MatchedRows& out, const SiteAlignment& sites, const Recording& a, const Recording& b,
                        const std::vector<std::uint32_t>& function_a, const std::vector<std::uint32_t>& function_b,
                        KeysOf&& keys_of) {
  begin_matching(out, static_cast<std::uint32_t>(function_a.size()), static_cast<std::uint32_t>(function_b.size()));
  const RowGroups groups_a = groups_of(function_a, a.functions.rows());
  const RowGroups groups_b = groups_of(function_b, b.functions.rows());
  for (const auto& [fa, fb] : sites.functions) {
    std::vector<SequenceKeys> keys(Keys);
    for (const std::uint32_t row : groups_a.of(fa)) {
      const auto of = keys_of(a, row);
      for (std::size_t k = 0; k < Keys; ++k) keys[k].a.push_back(of[k]);
    }
    for (const std::uint32_t row : groups_b.of(fb)) {
      const auto of = keys_of(b, row);
      for (std::size_t k = 0; k < Keys; ++k) keys[k].b.push_back(of[k]);
    }
    for (const auto& [i, j] : match_sequences(keys, Leftover::Unmatched))
      match_if_free(out, groups_a.of(fa)[i], groups_b.of(fb)[j]);
  }
}

}  // namespace

void begin_matching(MatchedRows& rows, std::uint32_t rows_a, std::uint32_t rows_b) {
  rows.compared = true;
  rows.b_of_a.assign(rows_a, kNoRow);
  rows.a_of_b.assign(rows_b, kNoRow);
}

bool match_if_free(MatchedRows& rows, std::uint32_t a, std::uint32_t b) {
  if (rows.b_of_a[a] != kNoRow || rows.a_of_b[b] != kNoRow) return false;
  rows.b_of_a[a] = b;
  rows.a_of_b[b] = a;
  return true;
}

std::vector<std::string> pass_names(const Recording& r) {
  std::vector<std::string> out;
  std::unordered_map<std::string_view, std::uint32_t> seen;  // only looked up
  for (std::uint32_t p = 0; p < r.passes.rows(); ++p) {
    const std::string_view name = r.text(r.passes.name[p]);
    const std::uint32_t count = ++seen[name];
    out.push_back(count == 1 ? std::string(name) : fmt::format("{}#{}", name, count));
  }
  return out;
}

std::uint32_t scope_depth(const Recording& r, std::uint32_t scope) {
  std::uint32_t out = 0;
  for (std::uint32_t s = r.ir_scopes.parent[scope]; s != kNoRow; s = r.ir_scopes.parent[s]) ++out;
  return out;
}

void match_passes(const Side& a, const Side& b, Matching& out) {
  begin_matching(out.passes, a.r.passes.rows(), b.r.passes.rows());
  KeyNumbers numbers;
  SequenceKeys keys;
  for (const std::string& name : pass_names(a.r)) keys.a.push_back(numbers.of(name));
  for (const std::string& name : pass_names(b.r)) keys.b.push_back(numbers.of(name));
  for (const auto& [i, j] : match_sequences({std::move(keys)}, Leftover::Unmatched)) match_if_free(out.passes, i, j);
}

void match_regions(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out) {
  match_in_functions<1>(out.regions, sites, a.r, b.r, a.r.regions.function, b.r.regions.function,
                        [](const Recording& r, std::uint32_t row) { return std::array<std::uint32_t, 1>{r.regions.kind[row]}; });
}

void match_ir_scopes(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out) {
  match_in_functions<2>(out.ir_scopes, sites, a.r, b.r, a.r.ir_scopes.function, b.r.ir_scopes.function,
                        [](const Recording& r, std::uint32_t row) {
                          const std::uint32_t depth = scope_depth(r, row);
                          const std::uint32_t mode = std::uint32_t{r.ir_scopes.manual[row]} << 4U | r.ir_scopes.owner[row];
                          return std::array<std::uint32_t, 2>{depth << 8U | mode, depth};
                        });
}

void match_arguments(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out) {
  begin_matching(out.arguments, a.r.arguments.rows(), b.r.arguments.rows());
  const auto& sa = a.r.call_sites;
  const auto& sb = b.r.call_sites;
  for (std::uint32_t site = 0; site < sa.rows(); ++site) {
    const std::uint32_t other = sites.b_of_a[site];
    if (other == kNoRow) continue;
    for (std::uint32_t k = 0; k < std::min(sa.argument_count[site], sb.argument_count[other]); ++k)
      match_if_free(out.arguments, sa.argument_begin[site] + k, sb.argument_begin[other] + k);
  }
}

/// By the first of the hazards that a row stands for, under the call sites of a; rows of equal accesses in their order.
void match_hazards(const Side& a, const Side& b, const SiteAlignment& sites, Matching& out) {
  begin_matching(out.hazards, a.r.hazards.rows(), b.r.hazards.rows());
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t, std::uint32_t>;
  const auto keys_of = [](const Recording& r, const std::vector<std::uint32_t>* to_a) {
    const auto& h = r.hazards;
    std::vector<Key> keys;
    keys.reserve(h.rows());
    for (std::uint32_t row = 0; row < h.rows(); ++row) {
      std::uint32_t current = h.current[row];
      std::uint32_t prior = h.prior[row];
      if (current == kNoRow || prior == kNoRow) continue;
      if (to_a != nullptr) current = (*to_a)[current], prior = (*to_a)[prior];
      if (current == kNoRow || prior == kNoRow) continue;
      keys.emplace_back(current, prior, h.current_arg[row], h.prior_arg[row], h.kinds[row], row);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  const std::vector<Key> x = keys_of(a.r, nullptr);
  const std::vector<Key> y = keys_of(b.r, &sites.a_of_b);
  const auto accesses = [](const Key& k) {
    return std::tie(std::get<0>(k), std::get<1>(k), std::get<2>(k), std::get<3>(k), std::get<4>(k));
  };
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (accesses(x[i]) < accesses(y[j])) {
      ++i;
    } else if (accesses(y[j]) < accesses(x[i])) {
      ++j;
    } else {
      match_if_free(out.hazards, std::get<5>(x[i++]), std::get<5>(y[j++]));
    }
  }
}

}  // namespace depscope::replay
