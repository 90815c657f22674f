#include "call_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/nodes.h"
#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/findings.h"
#include "depscope/recording/runs.h"
#include "json_fields.h"

namespace depscope::recording {

CallNames::CallNames(const Recording& recording) : r_(recording), occurrence_(recording.call_sites.rows(), 0) {
  std::unordered_map<std::uint64_t, std::uint32_t> seen;  // (function, callee), looked up only
  for (std::uint32_t i = 0; i < r_.call_sites.rows(); ++i) {
    occurrence_[i] = seen[(std::uint64_t{r_.call_sites.function[i]} << 32U) | r_.call_sites.callee[i]]++;
  }
}

std::string CallNames::json(std::uint32_t site) const {
  return fmt::format(R"({{"callee":{},"occurrence":{},"index":{},"line":{}}})", json_quoted(r_.text(r_.call_sites.callee[site])),
                     occurrence_[site], r_.call_sites.index[site], r_.call_sites.line[site]);
}

std::string CallNames::text(std::uint32_t site) const {
  return fmt::format("{} (call {})", r_.text(r_.call_sites.callee[site]), r_.call_sites.index[site]);
}

std::string_view CallNames::argument(std::uint32_t site, std::uint32_t arg) const {
  if (arg >= r_.call_sites.argument_count[site]) return {};
  return argument_name(r_.call_sites.argument_begin[site] + arg);
}

std::string_view CallNames::argument_name(std::uint32_t row) const { return ir::source_name(r_.text(r_.arguments.name[row])); }

namespace {

using pass::ArgDirection;
using pass::DirectionRule;
using pass::HazardVerdict;
using pass::RewriteReason;

/// Hazards of one argument, disjoint pairs left out.
struct ArgumentHazards {
  std::uint32_t first = kNoRow;
  std::uint64_t count = 0;
};

class CallFindings {
 public:
  CallFindings(Recording& r, const CallNames& calls) : r_(r), calls_(calls), hazards_(r.arguments.rows()) {
    const auto& h = r_.hazards;
    for (std::uint32_t i = 0; i < h.rows(); ++i) {
      const std::uint32_t site = h.current[i];
      if (site == kNoRow || h.verdict[i] == static_cast<std::uint8_t>(HazardVerdict::Disjoint)) continue;
      if (h.current_arg[i] >= r_.call_sites.argument_count[site]) continue;
      ArgumentHazards& of = hazards_[r_.call_sites.argument_begin[site] + h.current_arg[i]];
      if (of.count == 0) of.first = i;
      of.count += hazard_count(r_, i);
    }
  }

  void run() {
    std::uint32_t edge = 0;
    for (std::uint32_t site = 0; site < r_.call_sites.rows(); ++site) {
      for (std::uint32_t k = 0; k < r_.call_sites.argument_count[site]; ++k) {
        raised(site, r_.call_sites.argument_begin[site] + k);
        derived(site, r_.call_sites.argument_begin[site] + k);
      }
      const std::uint32_t begin = edge;
      while (edge < r_.pass_edges.rows() && r_.pass_edges.consumer[edge] == site) ++edge;
      provenance(site, begin, edge);
    }
  }

 private:
  [[nodiscard]] JsonFields about(std::uint32_t site) const {
    JsonFields fields;
    fields.add("function", r_.text(r_.functions.name[r_.call_sites.function[site]])).add_json("call", calls_.json(site));
    return fields;
  }

  void add(std::string_view kind, std::uint32_t site, const JsonFields& fields, const std::string& summary) {
    add_finding(r_, kind, Severity::Info, summary, fields.text(), r_.call_sites.line[site]);
  }

  /// DeriveCallDirections: a parameter that the kernel only writes is passed as one that is read too.
  void raised(std::uint32_t site, std::uint32_t argument) {
    const auto rule = static_cast<DirectionRule>(r_.arguments.rule[argument]);
    if (rule != DirectionRule::RSeq && rule != DirectionRule::RAmbiguous && rule != DirectionRule::RPrior &&
        rule != DirectionRule::REnclosing)
      return;
    const std::string_view name = calls_.argument_name(argument);
    const std::string_view to = pass::arg_direction_name(static_cast<ArgDirection>(r_.arguments.derived[argument]));
    JsonFields fields = about(site);
    fields.add("argument", name).add("from", "Out").add("to", to).add("rule", pass::direction_rule_name(rule));
    add("rewrite", site, fields,
        fmt::format("{}, argument {}: Out becomes {} ({})", calls_.text(site), name, to, pass::direction_rule_name(rule)));
  }

  /// AutoDeriveTaskDependencies: what it did with a direction that a hazard stood at.
  void derived(std::uint32_t site, std::uint32_t argument) {
    const auto reason = static_cast<RewriteReason>(r_.arguments.rewrite[argument]);
    const bool rewritten = reason == RewriteReason::Rewritten;
    switch (reason) {
      case RewriteReason::Rewritten:
      case RewriteReason::UnknownRegion:
      case RewriteReason::DynamicRegion:
      case RewriteReason::LoopProducerIncomplete:
      case RewriteReason::CrossScope: break;
      case RewriteReason::RegionFellBack:
        if (hazards_[argument].count != 0) break;
        return;
      default: return;
    }
    const std::string_view name = calls_.argument_name(argument);
    const std::string_view from = pass::arg_direction_name(static_cast<ArgDirection>(r_.arguments.derived[argument]));
    const std::string_view to = pass::arg_direction_name(static_cast<ArgDirection>(r_.arguments.direction[argument]));
    JsonFields fields = about(site);
    fields.add("argument", name).add("from", from).add("to", rewritten ? to : from).add("accepted", rewritten);
    std::string summary;
    if (rewritten) {
      const std::string why = covered(argument);
      fields.add("why", why);
      summary = fmt::format("{}, argument {}: {} becomes {}: {}", calls_.text(site), name, from, to, why);
    } else {
      fields.add("reason", pass::rewrite_reason_name(reason));
      summary = fmt::format("{}, argument {} stays {}: {}", calls_.text(site), name, from, pass::rewrite_reason_name(reason));
    }
    if (hazards_[argument].count != 0) fields.add("hazards", hazards_[argument].count);
    add("rewrite", site, fields, summary);
  }

  /// "RAW after fill (call 0) is ordered by compiler edge t" of the first hazard, and how many more there are.
  [[nodiscard]] std::string covered(std::uint32_t argument) const {
    const ArgumentHazards& of = hazards_[argument];
    if (of.count == 0) return "";
    const auto& h = r_.hazards;
    const std::uint32_t edge = h.edge_row[of.first];
    const bool user = h.verdict[of.first] != static_cast<std::uint8_t>(HazardVerdict::CompilerEdge);
    std::string out = fmt::format("{}{} is ordered by {} edge {}", fmt::join(pass::hazard_kind_names(h.kinds[of.first]), "+"),
                                  h.prior[of.first] == kNoRow ? std::string() : " after " + calls_.text(h.prior[of.first]),
                                  user ? "user" : "compiler",
                                  ir::source_name(r_.text(!user || edge == kNoRow ? h.edge[of.first] : r_.pass_edges.id[edge])));
    if (of.count == 2) out += ", and so is one more hazard";
    if (of.count > 2) out += fmt::format(", and so are {} more hazards", of.count - 1);
    return out;
  }

  void provenance(std::uint32_t site, std::uint32_t first_edge, std::uint32_t end_edge) {
    const auto& s = r_.call_sites;
    const std::uint64_t compiler_deps = compiler_dep_count(r_, site);
    if (s.user_dep_begin_count[site] == 0 && compiler_deps == 0) return;
    JsonFields fields = about(site);
    JsonList user(kMaxListed);
    JsonList compiled(kMaxListed);
    std::vector<std::string_view> set;
    for (std::uint32_t k = 0; k < s.user_dep_begin_count[site]; ++k)
      user.add(ir::source_name(r_.text(r_.pool[s.user_dep_begin[site] + k])));
    for_first_compiler_deps(r_, site, kMaxListed, [&](std::uint32_t id) {
      set.push_back(ir::source_name(r_.text(id)));
      compiled.add(set.back());
    });
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    JsonList distinct;
    for (const std::string_view name : set) distinct.add(name);
    fields.add_json("user_deps", user.text());
    if (user.count() > kMaxListed) fields.add("user_deps_count", user.count());
    fields.add_json("compiler_deps", compiled.text()).add_json("compiler_deps_set", distinct.text());
    if (compiler_deps > kMaxListed) fields.add("compiler_deps_count", compiler_deps);
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      const std::uint32_t region = r_.pass_edges.imported_from[edge];
      if (region == kNoRow || r_.pass_edges.status[edge] != static_cast<std::uint8_t>(pass::EdgeStatus::Kept)) continue;
      fields.add("imported_from_region", r_.regions.index[region]);
      break;
    }
    add("provenance", site, fields,
        fmt::format("{} waits for {} of the user's edges and {} of the compiler's", calls_.text(site),
                    s.user_dep_begin_count[site], compiler_deps));
  }

  Recording& r_;
  const CallNames& calls_;
  std::vector<ArgumentHazards> hazards_;  // by argument
};

}  // namespace

void add_call_findings(Recording& recording, const CallNames& calls) { CallFindings(recording, calls).run(); }

}  // namespace depscope::recording
