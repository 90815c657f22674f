#include "why_words.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "depscope/ir/text.h"
#include "explain_words.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

std::string why_call_text(const Recording& r, std::uint32_t site) {
  const auto& s = r.call_sites;
  std::string out = fmt::format("{} ({}:{}", s.kind[site] == 2 ? "barrier" : r.text(s.callee[site]),
                                r.text(r.functions.name[s.function[site]]), s.index[site]);
  if (s.line[site] != 0) out += fmt::format(", line {}", s.line[site]);
  return out + ")";
}

std::string why_place(const Recording& r, std::uint32_t site) {
  const auto& s = r.call_sites;
  if (s.line[site] != 0) return fmt::format("{}:{}", r.input_name, s.line[site]);
  return fmt::format("{}:{}", r.text(r.functions.name[s.function[site]]), s.index[site]);
}

std::string why_argument(const Recording& r, std::uint32_t site, std::uint32_t arg) {
  std::string out = fmt::format("argument {}", argument_text(r, site, arg));
  if (site == kNoRow || arg >= r.call_sites.argument_count[site]) return out;
  const std::uint32_t row = r.call_sites.argument_begin[site] + arg;
  const auto derived = static_cast<pass::ArgDirection>(r.arguments.derived[row]);
  const auto final = static_cast<pass::ArgDirection>(r.arguments.direction[row]);
  if (derived == pass::ArgDirection::None) return out;
  out += fmt::format(", {} ({})", pass::arg_direction_name(derived),
                     pass::direction_rule_name(static_cast<pass::DirectionRule>(r.arguments.rule[row])));
  if (final == derived) return out;
  out += fmt::format(", then {}", pass::arg_direction_name(final));
  if (const auto words = rewrite_words(static_cast<pass::RewriteReason>(r.arguments.rewrite[row])); !words.empty())
    out += fmt::format(": {}", words);
  return out;
}

std::string_view why_verb(std::uint8_t mode) {
  constexpr std::array<std::string_view, 4> kVerbs = {"passes on", "reads", "writes", "reads and writes"};
  return kVerbs[mode & 3U];
}

std::string why_region(const Recording& r, std::uint32_t region) {
  if (region == kNoRow) return "";
  const auto& g = r.regions;
  std::string out =
      fmt::format("region {} {}{}: {}", g.index[region], pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region])),
                  at_line(g.line[region]), pass::region_outcome_name(static_cast<pass::RegionOutcome>(g.outcome[region])));
  if (const std::string_view reason = r.text(g.reason[region]); !reason.empty()) out += fmt::format(", {}", reason);
  if (g.offending_site[region] != kNoRow) {
    out += fmt::format(" at {}, argument {}", call_text(r, g.offending_site[region]),
                       argument_text(r, g.offending_site[region], g.offending_arg[region]));
  }
  return out;
}

std::string_view why_rule(std::string_view code) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 39> kRules = {{
      {"compiler_edge", "passes.md 5.6: an access that conflicts with one on record gets an edge to that producer"},
      {"compiler_edge_made_up", "passes.md 5.6, 5.7: the edge names the variable that stands for a call without a task id"},
      {"compiler_edge_of_loop", "passes.md 5.8.1, 9.5: an edge on what a loop leaves waits for the producers of all iterations"},
      {"else_sees_then",
       "passes.md 5.6: both branches are scanned into one record; the other one does not run, so its id is invalid or old"},
      {"user_edge", "passes.md 9.4: deps= are part of the submission, in AUTO and MANUAL scopes alike"},
      {"user_edge_covers", "passes.md 5.8.3: a user edge that names the producer covers the conflict"},
      {"user_edge_partial", "passes.md 5.8.3: some slots of an array do not cover a producer in a loop"},
      {"ordered_through", "passes.md 5.6: edges are not transitive; what runs waits for all of a path"},
      {"fence_edge", "passes.md 6.5: a barrier stands for N producers before a loop of consumers"},
      {"replaced_by_fence", "passes.md 6.5: the consumers of a loop wait for one barrier instead of N producers"},
      {"runtime_edge", "passes.md 9.8: in AUTO scopes the runtime looks up what a task reads and waits for its last producer"},
      {"creator_edge", "passes.md 9.7: the runtime links every argument to the task that created the buffer"},
      {"windowed", "passes.md 5.8.3: a task id of unknown origin is taken to cover producers in loops (windowed)"},
      {"user_edge_lost", "passes.md 9.4, step 3: a user edge whose id has no binding at this point is refused"},
      {"lost_edge", "passes.md 9.4, step 3: a compiler edge whose id has no binding is skipped"},
      {"region_fell_back", "passes.md 5.9: a region that falls back loses its compiler edges and rewrites"},
      {"call_fell_back", "passes.md 5.9: a call at which its region falls back gets no edges"},
      {"producer_without_task_id", "passes.md 5.7, 5.9: a reader without result has no id that an edge could name"},
      {"prior_in_closed_dynamic_loop", "passes.md 5.8.2: a producer in a closed loop of unknown length cannot be named"},
      {"prior_in_loop_without_summary",
       "passes.md 5.8.2: a producer in a loop of constant length is known only by what the loop leaves, also in its own "
       "iteration"},
      {"unresolved_storage.unknown", "passes.md 5.2, 5.9: a tensor whose buffer is not followed makes its region fall back"},
      {"unresolved_storage.dynamic_access", "passes.md 5.2, 5.9: gathers and scatters are not followed"},
      {"unresolved_storage.mixed_merge", "passes.md 5.2, 5.9: a merge with a value whose buffer is not followed"},
      {"unresolved_storage.too_many_roots", "passes.md 5.2, 5.9: at most 4 buffers are followed for one value"},
      {"fallback_invisible", "passes.md 5.9, 13: accesses of a fallen back region are not on record (fallback_invisible)"},
      {"manual_scope", "passes.md 5.1: MANUAL scopes are not analysed; 9.8: nothing is looked up there"},
      {"manual_invisible", "passes.md 13: accesses in MANUAL scopes are not on record (manual_invisible)"},
      {"container_invisible", "passes.md 5.1, 13: calls directly in a container are not analysed (container_invisible)"},
      {"switch_off", "passes.md 5.1: with the analysis off no compiler edges are derived"},
      {"not_modelled", "passes.md 5.1: the function is not analysed"},
      {"no_dep", "passes.md 0.3, 13: a no_dep argument is invisible to the analysis and to the runtime (no_dep_invisible)"},
      {"read_read", "passes.md 5.6: two reads do not conflict"},
      {"disjoint_boxes", "passes.md 5.3: two windows overlap only if they meet in every dimension"},
      {"different_roots", "passes.md 5.4: different buffers are one memory only if their MemRefs meet"},
      {"no_shared_storage", "passes.md 5.6: only tensor arguments are accesses"},
      {"other_branch", "passes.md 2: of two branches only one runs"},
      {"same_call", "passes.md 5.6: a call is judged against those before it, a loop body once (13: loop_carried_unchecked)"},
      {"different_functions", "passes.md 5.1: every function is analysed by itself"},
      {"not_a_task", "passes.md 0.1: only calls and submits of an orchestration are tasks"},
  }};
  for (const auto& [name, rule] : kRules) {
    if (name == code) return rule;
  }
  return "passes.md 9.8: the runtime keeps record of writers, and looks up only what a task reads";
}

}  // namespace depscope::replay
