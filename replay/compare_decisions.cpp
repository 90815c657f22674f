// What the passes decided: functions and call sites, directions of arguments, regions, scopes, and what covers a hazard.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

std::string mode_name(std::uint8_t manual) { return manual != 0 ? "MANUAL" : "AUTO"; }

std::string owner_name(std::uint8_t owner) {
  constexpr const char* kOwners[] = {"user", "compiler", "materialised"};
  return owner < 3 ? kOwners[owner] : "unknown";
}

std::string direction_name(std::uint8_t direction) {
  const std::string_view name = pass::arg_direction_name(static_cast<pass::ArgDirection>(direction));
  return name.empty() ? "none" : std::string(name);
}

class DecisionComparison {
 public:
  DecisionComparison(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report)
      : in_(in), a_(in.a.r), b_(in.b.r), names_(names), report_(report) {}

  void run() {
    functions();
    sites(in_.a, in_.sites.b_of_a);
    sites(in_.b, in_.sites.a_of_b);
    directions();
    const RowGroups regions_a = groups_of(a_.regions.function, a_.functions.rows());
    const RowGroups regions_b = groups_of(b_.regions.function, b_.functions.rows());
    const RowGroups scopes_a = groups_of(a_.ir_scopes.function, a_.functions.rows());
    const RowGroups scopes_b = groups_of(b_.ir_scopes.function, b_.functions.rows());
    for (const auto& [fa, fb] : in_.sites.functions) {
      regions(fa, regions_a.of(fa), regions_b.of(fb));
      scopes(fa, fb, scopes_a.of(fa), scopes_b.of(fb));
    }
    coverage(regions_a, regions_b);
  }

 private:
  [[nodiscard]] std::string function_name(std::uint32_t fa) const { return std::string(a_.text(a_.functions.name[fa])); }

  static Difference::Subject only(DifferenceSubject kind, const Side& side, std::uint32_t row) {
    return side.letter == 'a' ? Difference::Subject{kind, row, kNoRow} : Difference::Subject{kind, kNoRow, row};
  }

  void functions() {
    for (const auto& [side, matched] :
         {std::pair{&in_.a, &in_.sites.function_b_of_a}, std::pair{&in_.b, &in_.sites.function_a_of_b}}) {
      for (std::uint32_t f = 0; f < side->r.functions.rows(); ++f) {
        if ((*matched)[f] != kNoRow || !report_.count(DifferenceKind::Function)) continue;
        const std::string name(side->r.text(side->r.functions.name[f]));
        const bool in_a = side->letter == 'a';
        report_.add(DifferenceKind::Function, only(DifferenceSubject::Function, *side, f),
                    fmt::format("{}: only in {}", name, side->letter),
                    {{"function", name}, {"a", in_a ? Fields(name) : Fields()}, {"b", in_a ? Fields() : Fields(name)}});
      }
    }
    for (const auto& [fa, fb] : in_.sites.functions) {
      const std::string a = function_name(fa);
      const std::string b(b_.text(b_.functions.name[fb]));
      if (a == b) continue;
      in_.rows.functions.mark(fa, DifferenceKind::Function);
      if (!report_.count(DifferenceKind::Function)) continue;
      report_.add(DifferenceKind::Function, {DifferenceSubject::Function, fa, fb}, fmt::format("{} is {} in b", a, b),
                  {{"function", a}, {"a", a}, {"b", b}, {"renamed", true}});
    }
  }

  void sites(const Side& side, const std::vector<std::uint32_t>& matched) {
    for (std::uint32_t site = 0; site < side.r.call_sites.rows(); ++site) {
      if (matched[site] != kNoRow || !report_.count(DifferenceKind::CallSite)) continue;
      const bool in_a = side.letter == 'a';
      const std::string callee(side.r.text(side.r.call_sites.callee[site]));
      report_.add(DifferenceKind::CallSite, only(DifferenceSubject::CallSite, side, site),
                  fmt::format("{}: only in {}", names_.call_text(side, site), side.letter),
                  {{"call", names_.call(side, site)},
                   {"function", std::string(side.r.text(side.r.functions.name[side.r.call_sites.function[site]]))},
                   {"a", in_a ? Fields(callee) : Fields()},
                   {"b", in_a ? Fields() : Fields(callee)}});
    }
  }

  void directions() {
    const auto& sa = a_.call_sites;
    const auto& sb = b_.call_sites;
    for (std::uint32_t site = 0; site < sa.rows(); ++site) {
      const std::uint32_t other = in_.sites.b_of_a[site];
      if (other == kNoRow) continue;
      for (std::uint32_t k = 0; k < std::min(sa.argument_count[site], sb.argument_count[other]); ++k)
        direction(site, other, k, sa.argument_begin[site] + k, sb.argument_begin[other] + k);
    }
  }

  void direction(std::uint32_t site, std::uint32_t other, std::uint32_t k, std::uint32_t x, std::uint32_t y) {
    const auto& ta = a_.arguments;
    const auto& tb = b_.arguments;
    const bool final = ta.direction[x] != tb.direction[y];
    const bool derived = ta.derived[x] != tb.derived[y];
    if (!final && !derived) return;
    if (final) {
      in_.rows.arguments.mark(x, DifferenceKind::Direction);
      in_.rows.call_sites.mark(site, DifferenceKind::Direction);
    }
    if (final && !report_.count(DifferenceKind::Direction)) return;
    const std::string argument = names_.argument(in_.a, site, k);
    const auto rule = [](const recording::ArgumentsTable& t, std::uint32_t row) {
      return std::string(pass::direction_rule_name(static_cast<pass::DirectionRule>(t.rule[row])));
    };
    const auto rewrite = [](const recording::ArgumentsTable& t, std::uint32_t row) {
      return std::string(pass::rewrite_reason_name(static_cast<pass::RewriteReason>(t.rewrite[row])));
    };
    const std::string a = direction_name(final ? ta.direction[x] : ta.derived[x]);
    const std::string b = direction_name(final ? tb.direction[y] : tb.derived[y]);
    Fields fields{{"function", function_name(a_.call_sites.function[site])},
                  {"call", names_.call(in_.a, site)},
                  {"argument", argument},
                  {"a", a},
                  {"b", b},
                  {"rule_a", rule(ta, x)},
                  {"rule_b", rule(tb, y)},
                  {"derived_a", direction_name(ta.derived[x])},
                  {"derived_b", direction_name(tb.derived[y])},
                  {"rewrite_a", rewrite(ta, x)},
                  {"rewrite_b", rewrite(tb, y)},
                  {"line_b", b_.call_sites.line[other]}};
    // The rule where the derived directions part, else what AutoDerive did with an equal one.
    const std::string why_a = derived ? rule(ta, x) : rewrite(ta, x);
    const std::string why_b = derived ? rule(tb, y) : rewrite(tb, y);
    report_.add(DifferenceKind::Direction, {DifferenceSubject::Argument, x, y},
                fmt::format("{}, argument {}: {}{} ({}) | {} ({})", names_.call_text(in_.a, site), argument,
                            final ? "" : "derived ", a, why_a, b, why_b),
                std::move(fields), final ? Severity::Warning : Severity::Info);
  }

  using Rows = std::span<const std::uint32_t>;

  void regions(std::uint32_t fa, Rows rows_a, Rows rows_b) {
    const MatchedRows& matched = in_.rows.regions;
    for (const std::uint32_t row : rows_a) {
      if (matched.b_of_a[row] == kNoRow) region(fa, row, kNoRow);
    }
    for (const std::uint32_t row : rows_b) region(fa, matched.a_of_b[row], row);
  }

  void region(std::uint32_t fa, std::uint32_t x, std::uint32_t y) {
    const auto& ta = a_.regions;
    const auto& tb = b_.regions;
    if (x != kNoRow && y != kNoRow && ta.outcome[x] == tb.outcome[y] && a_.text(ta.reason[x]) == b_.text(tb.reason[y]) &&
        ta.offending_arg[x] == tb.offending_arg[y] && same_site(ta.offending_site[x], tb.offending_site[y]))
      return;
    if (y != kNoRow) in_.rows.regions.mark(x, DifferenceKind::Fallback);
    if (!report_.count(DifferenceKind::Fallback)) return;
    const auto outcome = [](const recording::RegionsTable& t, std::uint32_t row) {
      return row == kNoRow ? Fields()
                           : Fields(std::string(pass::region_outcome_name(static_cast<pass::RegionOutcome>(t.outcome[row]))));
    };
    const std::string kind(pass::region_kind_name(static_cast<pass::RegionKind>(x != kNoRow ? ta.kind[x] : tb.kind[y])));
    Fields fields{{"function", function_name(fa)},
                  {"region", x != kNoRow ? ta.index[x] : tb.index[y]},
                  {"region_kind", kind},
                  {"a", outcome(ta, x)},
                  {"b", outcome(tb, y)}};
    std::string text = fmt::format("{}, {} {}:", function_name(fa), kind, x != kNoRow ? ta.index[x] : tb.index[y]);
    for (const auto& [side, row] : {std::pair{&in_.a, x}, std::pair{&in_.b, y}}) {
      const recording::RegionsTable& t = side->r.regions;
      text += side->letter == 'a' ? " " : " | ";
      if (row == kNoRow) {
        text += "none";
        continue;
      }
      text += pass::region_outcome_name(static_cast<pass::RegionOutcome>(t.outcome[row]));
      const std::string reason(side->r.text(t.reason[row]));
      if (!reason.empty()) {
        fields[fmt::format("reason_{}", side->letter)] = reason;
        text += fmt::format(" ({}", reason);
        const std::uint32_t site = t.offending_site[row];
        if (site != kNoRow) {
          const std::string argument = names_.argument(*side, site, t.offending_arg[row]);
          text += fmt::format(" at {}{}", names_.call_text(*side, site), argument.empty() ? "" : ", argument " + argument);
          if (!fields.contains("call")) {
            fields["call"] = names_.call(*side, site);
            if (!argument.empty()) fields["argument"] = argument;
          }
        }
        text += ')';
      }
      fields[fmt::format("line_{}", side->letter)] = t.line[row];
    }
    report_.add(DifferenceKind::Fallback, {DifferenceSubject::Region, x, y}, text, std::move(fields));
  }

  [[nodiscard]] bool same_site(std::uint32_t x, std::uint32_t y) const {
    return x == kNoRow || y == kNoRow ? x == y : in_.sites.b_of_a[x] == y;
  }

  void scopes(std::uint32_t fa, std::uint32_t fb, Rows rows_a, Rows rows_b) {
    const bool other_scope = a_.functions.auto_scope[fa] != b_.functions.auto_scope[fb];
    if (other_scope) in_.rows.functions.mark(fa, DifferenceKind::Scope);
    if (other_scope && report_.count(DifferenceKind::Scope)) {
      const bool a = a_.functions.auto_scope[fa] != 0;
      const bool b = b_.functions.auto_scope[fb] != 0;
      report_.add(DifferenceKind::Scope, {DifferenceSubject::Function, fa, fb},
                  fmt::format("{}: auto_scope {} | {}", function_name(fa), a, b),
                  {{"function", function_name(fa)}, {"aspect", "auto_scope"}, {"a", a}, {"b", b}});
    }
    const MatchedRows& matched = in_.rows.ir_scopes;
    std::size_t j = 0;
    const auto up_to = [&](std::uint32_t row_b) {  // scopes that only b has, before one that both have
      for (; j < rows_b.size() && rows_b[j] != row_b; ++j) scope(fa, kNoRow, rows_b[j]);
    };
    std::vector<std::uint32_t> before;  // scopes that only a has
    const auto flush = [&] {
      for (const std::uint32_t row : before) scope(fa, row, kNoRow);
      before.clear();
    };
    for (const std::uint32_t row : rows_a) {
      const std::uint32_t other = matched.b_of_a[row];
      if (other == kNoRow) {
        before.push_back(row);
        continue;
      }
      flush();
      up_to(other);
      scope(fa, row, other);
      ++j;
    }
    flush();
    up_to(kNoRow);
  }

  void scope(std::uint32_t fa, std::uint32_t x, std::uint32_t y) {
    const auto& ta = a_.ir_scopes;
    const auto& tb = b_.ir_scopes;
    const bool both = x != kNoRow && y != kNoRow;
    if (both && ta.manual[x] == tb.manual[y] && ta.owner[x] == tb.owner[y]) return;
    if (both) in_.rows.ir_scopes.mark(x, DifferenceKind::Scope);
    if (!report_.count(DifferenceKind::Scope)) return;
    Fields fields{{"function", function_name(fa)}};
    std::string text = fmt::format("{}, scope {}", function_name(fa), x != kNoRow ? ta.index[x] : tb.index[y]);
    const std::uint32_t line = x != kNoRow ? ta.line[x] : tb.line[y];
    if (line != 0) text += fmt::format(" (line {})", line);
    text += ':';
    for (const auto& [side, row] : {std::pair{&in_.a, x}, std::pair{&in_.b, y}}) {
      const recording::IrScopesTable& t = side->r.ir_scopes;
      const std::string letter(1, side->letter);
      text += side->letter == 'a' ? " " : " | ";
      if (row == kNoRow) {
        fields[letter] = nullptr;
        text += "none";
        continue;
      }
      fields[letter] = mode_name(t.manual[row]);
      fields["owner_" + letter] = owner_name(t.owner[row]);
      fields["index_" + letter] = t.index[row];
      fields["line_" + letter] = t.line[row];
      text += fmt::format("{} ({})", mode_name(t.manual[row]), owner_name(t.owner[row]));
    }
    report_.add(DifferenceKind::Scope, {DifferenceSubject::IrScope, x, y}, text, std::move(fields));
  }

  /// One judged pair of accesses, under the call sites of side a.
  struct Hazard {
    std::uint32_t prior, current, prior_arg, current_arg;
    std::uint8_t kinds, verdict;
    std::uint32_t row;
    [[nodiscard]] auto key() const { return std::tuple(current, prior, current_arg, prior_arg, kinds); }
  };

  /// Hazards whose call sites both sides have, in a function that the other side judged, too.
  std::vector<Hazard> hazards(const Side& side, const std::vector<std::uint32_t>* to_a,
                              const std::vector<std::uint32_t>& counterpart, const std::vector<bool>& judged,
                              const std::vector<bool>& left_out) const {
    const auto& h = side.r.hazards;
    std::vector<Hazard> out;
    for (std::uint32_t i = 0; i < h.rows(); ++i) {
      const std::uint32_t current = h.current[i];
      if (left_out[i] || current == kNoRow || counterpart[current] == kNoRow || !judged[side.r.call_sites.function[current]])
        continue;
      recording::for_each_hazard(side.r, i, [&](const recording::HazardPart& part) {
        if (part.prior == kNoRow || counterpart[part.prior] == kNoRow) return;
        out.push_back({to_a != nullptr ? (*to_a)[part.prior] : part.prior, to_a != nullptr ? (*to_a)[current] : current,
                       part.prior_arg, h.current_arg[i], h.kinds[i], h.verdict[i], i});
      });
    }
    std::sort(out.begin(), out.end(), [](const Hazard& x, const Hazard& y) {
      return std::tuple(x.key(), x.verdict, x.row) < std::tuple(y.key(), y.verdict, y.row);
    });
    return out;
  }

  /// By function: the analysis looked for hazards in it.
  static std::vector<bool> judged(const Side& side, const RowGroups& regions) {
    std::vector<bool> out(side.r.functions.rows(), false);
    for (std::uint32_t f = 0; f < out.size(); ++f) {
      for (const std::uint32_t row : regions.of(f)) {
        const auto outcome = static_cast<pass::RegionOutcome>(side.r.regions.outcome[row]);
        out[f] = out[f] || outcome == pass::RegionOutcome::Analysed || outcome == pass::RegionOutcome::FellBack;
      }
    }
    return out;
  }

  /// Rows of two sides that stand for the same hazards with the same verdict need not be written out: true for such a row.
  using SameRows = std::vector<bool>;
  void leave_out_same_runs(SameRows& same_a, SameRows& same_b) const {
    const auto& ha = in_.a.r.hazards;
    const auto& hb = in_.b.r.hazards;
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t, std::uint8_t, std::uint32_t>;
    std::map<Key, std::uint32_t> of_a;
    for (std::uint32_t i = 0; i < ha.rows(); ++i) {
      if (ha.more_count[i] == 0 || ha.current[i] == kNoRow) continue;
      of_a.emplace(
          Key{ha.current[i], ha.prior[i], ha.current_arg[i], ha.prior_arg[i], ha.kinds[i], ha.verdict[i], ha.more_count[i]}, i);
    }
    for (std::uint32_t i = 0; i < hb.rows(); ++i) {
      if (hb.more_count[i] == 0 || hb.current[i] == kNoRow || hb.prior[i] == kNoRow) continue;
      const auto found = of_a.find({in_.sites.a_of_b[hb.current[i]], in_.sites.a_of_b[hb.prior[i]], hb.current_arg[i],
                                    hb.prior_arg[i], hb.kinds[i], hb.verdict[i], hb.more_count[i]});
      if (found == of_a.end() || same_a[found->second]) continue;
      bool same = true;
      for (std::uint32_t k = 1; k <= hb.more_count[i] && same; ++k) {
        const recording::HazardPart a = recording::hazard_part(in_.a.r, found->second, k);
        const recording::HazardPart b = recording::hazard_part(in_.b.r, i, k);
        same = a.prior != kNoRow && b.prior != kNoRow && in_.sites.a_of_b[b.prior] == a.prior && a.prior_arg == b.prior_arg;
      }
      same_a[found->second] = same_b[i] = same;
    }
  }

  /// Runs that differ are written out, as long as memory allows it. True if that is not wanted either.
  [[nodiscard]] bool too_many(const Side& side, const SameRows& same) const {
    constexpr std::uint64_t kMaxHazards = 20'000'000;
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < side.r.hazards.rows(); ++i) count += same[i] ? 0 : recording::hazard_count(side.r, i);
    if (count <= kMaxHazards) return false;
    if (!report_.wants(DifferenceKind::Coverage)) return true;
    Diagnostic d;
    d.severity = Severity::Error;
    d.message = fmt::format(
        "{} hazards that differ between the two sides would have to be compared one by one, the limit is {}; "
        "--ignore coverage leaves them out",
        count, kMaxHazards);
    throw InputError(std::move(d));
  }

  void coverage(const RowGroups& regions_a, const RowGroups& regions_b) {
    SameRows same_a(in_.a.r.hazards.rows(), false);
    SameRows same_b(in_.b.r.hazards.rows(), false);
    leave_out_same_runs(same_a, same_b);
    if (too_many(in_.a, same_a) || too_many(in_.b, same_b)) return;
    std::vector<bool> both_a = judged(in_.a, regions_a);
    std::vector<bool> both_b = judged(in_.b, regions_b);
    for (const auto& [fa, fb] : in_.sites.functions) both_a[fa] = both_b[fb] = both_a[fa] && both_b[fb];
    const std::vector<Hazard> x = hazards(in_.a, nullptr, in_.sites.b_of_a, both_a, same_a);
    const std::vector<Hazard> y = hazards(in_.b, &in_.sites.a_of_b, in_.sites.a_of_b, both_b, same_b);
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      const bool has_a = i < x.size() && (j == y.size() || x[i].key() <= y[j].key());
      const bool has_b = j < y.size() && (i == x.size() || y[j].key() <= x[i].key());
      if (!has_a || !has_b || x[i].verdict != y[j].verdict) covered(has_a ? &x[i] : nullptr, has_b ? &y[j] : nullptr);
      i += has_a ? 1 : 0;
      j += has_b ? 1 : 0;
    }
  }

  void covered(const Hazard* x, const Hazard* y) {
    MatchedRows& rows = in_.rows.hazards;
    if (x != nullptr) rows.mark(x->row, DifferenceKind::Coverage);
    if (y != nullptr && y->row < rows.a_of_b.size()) rows.mark(rows.a_of_b[y->row], DifferenceKind::Coverage);
    if (!report_.count(DifferenceKind::Coverage)) return;
    const Hazard& h = x != nullptr ? *x : *y;
    const auto verdict = [](const Hazard* hazard) {
      return hazard == nullptr ? std::string("no hazard")
                               : std::string(pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(hazard->verdict)));
    };
    Fields kinds = Fields::array();
    for (const std::string_view kind : pass::hazard_kind_names(h.kinds)) kinds.push_back(std::string(kind));
    const Recording& r = x != nullptr ? a_ : b_;
    const std::uint32_t storage = r.hazards.current_storage[h.row];
    const std::string root = storage == kNoRow ? "" : std::string(r.text(r.storage.root[storage]));
    const std::string hazard = fmt::format("{}", fmt::join(pass::hazard_kind_names(h.kinds), "+"));
    report_.add(DifferenceKind::Coverage,
                {DifferenceSubject::Hazard, x != nullptr ? x->row : kNoRow, y != nullptr ? y->row : kNoRow},
                fmt::format("{} -> {}, {} of {}: {} | {}", names_.call_text(in_.a, h.prior), names_.call_text(in_.a, h.current),
                            hazard, root, verdict(x), verdict(y)),
                {{"first", names_.call(in_.a, h.prior)},
                 {"second", names_.call(in_.a, h.current)},
                 {"hazard", std::move(kinds)},
                 {"buffer", root},
                 {"a", x != nullptr ? Fields(verdict(x)) : Fields()},
                 {"b", y != nullptr ? Fields(verdict(y)) : Fields()}});
  }

  const ComparisonInput& in_;
  const Recording& a_;
  const Recording& b_;
  const ComparisonNames& names_;
  ComparisonReport& report_;
};

}  // namespace

void compare_decisions(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report) {
  DecisionComparison(in, names, report).run();
}

}  // namespace depscope::replay
