#include "why_pair.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/runtime/submission.h"
#include "explain_advice.h"
#include "explain_words.h"
#include "why_words.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

namespace {

constexpr std::uint8_t kUserOwned = 0;  // ir_scopes.owner
constexpr std::uint8_t kBarrier = 2;    // call_sites.kind

bool in_conflict(const ArgumentPair& pair) { return pair.overlaps && pair.shown.kinds != 0; }

}  // namespace

WhyPair::WhyPair(const Recording& recording, const WhyProgram& of_program)
    : r(recording),
      program(of_program),
      rows(recording),
      accesses(groups_of(recording.pass_accesses.call_site, recording.call_sites.rows())),
      lineage_(groups_of(recording.lineage.region, recording.regions.rows())) {}

std::vector<EdgeAsked> WhyPair::edges_between(std::uint32_t first_site, std::uint32_t second_site) const {
  std::vector<EdgeAsked> out;
  for (EdgeAsked& edge : rows.edges_of(second_site)) {
    bool names = edge.producer == first_site;
    if (!names && edge.producer == kNoRow) {  // an array, or an id that nobody traced
      const auto producers = program.producers(second_site, text(edge.id));
      names = std::binary_search(producers.begin(), producers.end(), first_site);
    }
    if (names) out.push_back(edge);
  }
  return out;
}

bool WhyPair::kept_between(std::uint32_t first_site, std::uint32_t second_site) const {
  if (r.call_sites.function[first_site] != r.call_sites.function[second_site]) return false;
  const auto found = edges_between(first_site, second_site);
  return std::any_of(found.begin(), found.end(), [](const EdgeAsked& edge) { return edge.status == pass::EdgeStatus::Kept; });
}

void WhyPair::choose(std::uint32_t first_site, std::uint32_t second_site) {
  first = first_site;
  second = second_site;
  run = run_between(r, first, second);
  hazards = rows.hazards_between(first, second);
  edges = edges_between(first, second);
  meetings = meetings_on_record(r, program, accesses, hazards, first, second);
  if (first == second) {  // two tasks of one call, if there are two
    const bool once = r.call_sites.loop_depth[first] == 0;
    std::erase_if(meetings, [&](const ArgumentPair& m) { return once || m.first_access > m.second_access; });
  }
  if (meetings.empty() && run) meetings = meetings_of_run(r, *run, first, second);
}

std::string WhyPair::callee(std::uint32_t site) const {
  return r.call_sites.kind[site] == kBarrier ? "barrier" : std::string(text(r.call_sites.callee[site]));
}

std::uint32_t WhyPair::region_of(std::uint32_t site) const {
  for (const std::uint32_t access : accesses.of(site)) {
    if (r.pass_accesses.region[access] != kNoRow) return r.pass_accesses.region[access];
  }
  // A call without accesses: the region is the user's innermost scope around it, or the whole body.
  const auto& s = r.call_sites;
  std::uint32_t line = 0;
  for (std::uint32_t k = 0; k < s.scope_begin_count[site]; ++k) {
    const std::uint32_t scope = r.pool[s.scope_begin[site] + k];
    if (r.ir_scopes.owner[scope] == kUserOwned && r.ir_scopes.line[scope] != 0) line = r.ir_scopes.line[scope];
  }
  std::uint32_t body = kNoRow;
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    if (r.regions.function[region] != s.function[site]) continue;
    if (r.regions.line[region] == line && line != 0) return region;
    if (body == kNoRow) body = region;
  }
  return body;
}

bool WhyPair::in_manual_scope(std::uint32_t site) const {
  const auto& s = r.call_sites;
  for (std::uint32_t k = 0; k < s.scope_begin_count[site]; ++k) {
    const std::uint32_t scope = r.pool[s.scope_begin[site] + k];
    if (r.ir_scopes.manual[scope] != 0 && r.ir_scopes.owner[scope] == kUserOwned) return true;
  }
  return false;
}

bool WhyPair::runs_manual(std::uint32_t site) const {
  const auto& s = r.call_sites;
  return s.scope_begin_count[site] != 0 && r.ir_scopes.manual[r.pool[s.scope_begin[site] + s.scope_begin_count[site] - 1]] != 0;
}

bool WhyPair::any_argument(std::uint32_t site, pass::RewriteReason reason) const {
  for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k) {
    if (r.arguments.rewrite[r.call_sites.argument_begin[site] + k] == static_cast<std::uint8_t>(reason)) return true;
  }
  return false;
}

bool WhyPair::has_tensors(std::uint32_t site) const {
  for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k) {
    const std::uint32_t row = r.call_sites.argument_begin[site] + k;
    if (r.arguments.derived[row] != static_cast<std::uint8_t>(pass::ArgDirection::Scalar)) return true;
  }
  return false;
}

bool WhyPair::gives(std::uint32_t site, std::string_view name) const {
  const auto& names = program.results(site);
  return std::any_of(names.begin(), names.end(), [&](const std::string& result) { return result == name; });
}

bool WhyPair::uses(std::uint32_t site, std::string_view name) const {
  if (gives(site, name)) return true;
  for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k) {
    if (text(r.arguments.name[r.call_sites.argument_begin[site] + k]) == name) return true;
  }
  return false;
}

bool WhyPair::conflict() const { return std::any_of(meetings.begin(), meetings.end(), in_conflict); }

std::string WhyPair::conflict_text() const {
  const auto found = std::find_if(meetings.begin(), meetings.end(), in_conflict);
  if (found == meetings.end()) return "no conflict that is on record";
  return fmt::format("{} on {}", kinds_text(found->shown.kinds), found->shown.root);
}

std::string WhyPair::deps_advice() const {
  const std::string at = why_call_text(r, second);
  if (!program.tail(first).empty()) return fmt::format("put deps=[{}] on {}", ir::source_name(program.tail(first)), at);
  if (r.call_sites.kind[first] == kBarrier && !program.results(first).empty())
    return fmt::format("put deps=[{}] on {}", ir::source_name(program.results(first).front()), at);
  return fmt::format("bind its id (`out, tid = pl.submit(self.{}, ...)`) and put deps=[tid] on {}", callee(first), at);
}

std::string WhyPair::advice(std::uint32_t region) const {
  if (region == kNoRow) return "";
  const auto steps = lineage_.of(region);
  return region_advice(r, region, rows.offending_prior(region), steps.empty() ? "" : text(r.lineage.what[steps.back()]));
}

std::string WhyPair::nothing_shared() const {
  if (first == second && r.call_sites.loop_depth[first] == 0) return "none: the call runs once";
  for (const std::uint32_t site : {first, second}) {
    if (!has_tensors(site)) return fmt::format("none: {} has no tensor argument", why_call_text(r, site));
  }
  if (run && run->first != kNoRow) return "none: when they ran, they had no buffer in common";
  const auto placed = [&](std::uint32_t site) {
    const auto own = accesses.of(site);
    return !own.empty() &&
           std::all_of(own.begin(), own.end(), [&](std::uint32_t access) { return r.pass_accesses.storage[access] != kNoRow; });
  };
  if (placed(first) && placed(second)) return "none: they have no buffer in common";
  for (const std::uint32_t site : {first, second}) {
    if (accesses.of(site).empty())
      return fmt::format("not known, because the analysis did not look at {}", why_call_text(r, site));
  }
  return "not known, because nobody knows where an argument lies";
}

std::string WhyPair::run_words(const std::string& not_run) const {
  std::string out;
  if (!run) {
    const auto& ran = r.tasks.call_site;
    if (!not_run.empty()) {
      out = fmt::format("not run: {}", not_run);
    } else if (ran.empty()) {
      out = "not run";
    } else {
      const bool first_ran = std::find(ran.begin(), ran.end(), first) != ran.end();
      out = fmt::format("no task of {} ran", why_call_text(r, first_ran ? second : first));
    }
  } else if (run->edges != 0) {
    out = fmt::format("{} of {} x {} pairs of tasks ha{} an edge ({}; {})", run->edges, run->first_tasks, run->second_tasks,
                      run->edges == 1 ? "s" : "ve", fmt::join(runtime::provenance_names(run->provenance), ", "),
                      fmt::join(runtime::dep_flag_names(run->flags), "+"));
    if (run->reduced != 0)
      out += fmt::format("; the reduction took WAIT from {} of them, {} stands for it", run->reduced, run->via);
  } else if (run->first == kNoRow) {
    out = "no task of the first ran before one of the second";
  } else {
    out = fmt::format("no edge from {} to {}", run->first_text, run->second_text);
    if (run->path_found) {
      out += fmt::format(", but a path through {}", fmt::join(run->path, ", "));
    } else if (conflict()) {
      out += ", and nothing else orders them";
    }
  }
  const std::string alone = runtime_alone();
  return alone.empty() ? out : out + "; " + alone;
}

std::string WhyPair::runtime_alone() const {
  const auto found = std::find_if(meetings.begin(), meetings.end(), [](const ArgumentPair& m) {
    return in_conflict(m) && m.first_arg != kNoRow && m.second_arg != kNoRow;
  });
  if (found == meetings.end()) return "";
  if (runs_manual(second)) return "in a MANUAL scope it looks nothing up by itself";
  if (runs_manual(first)) return "what ran in a MANUAL scope is not on its record";
  const auto direction = [&](std::uint32_t site, std::uint32_t arg) {
    return static_cast<pass::ArgDirection>(r.arguments.direction[r.call_sites.argument_begin[site] + arg]);
  };
  const auto words = [&](std::uint32_t site, std::uint32_t arg) {
    return fmt::format("{} of {} is {}", argument_text(r, site, arg), callee(site),
                       pass::arg_direction_name(direction(site, arg)));
  };
  if (direction(first, found->first_arg) == pass::ArgDirection::None ||
      direction(second, found->second_arg) == pass::ArgDirection::None)
    return "directions are not derived at this pass: what it would find by itself is not known";
  const pass::ArgDirection own = direction(second, found->second_arg);
  if (own != pass::ArgDirection::Input && own != pass::ArgDirection::InOut)
    return fmt::format("by itself it would not find the pair: {}, which is not looked up", words(second, found->second_arg));
  const pass::ArgDirection other = direction(first, found->first_arg);
  if (other == pass::ArgDirection::Input || other == pass::ArgDirection::NoDep)
    return fmt::format("by itself it would not find the pair: {}, which is not put on record", words(first, found->first_arg));
  return fmt::format("by itself it would find the pair: {} and on record, {} and looked up", words(first, found->first_arg),
                     words(second, found->second_arg));
}

}  // namespace depscope::replay
