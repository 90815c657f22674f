#include "check_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "check_geometry.h"
#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;

namespace {

constexpr std::uint8_t kManual = 1;  // tasks.flags
constexpr std::uint8_t kCompilerOwned = 1;

std::string at_line(std::uint32_t line) { return line == 0 ? std::string() : fmt::format(" (line {})", line); }

}  // namespace

OrderReasons::OrderReasons(const Recording& recording, const TaskNames& names, const LoopNest& loops)
    : r_(recording), names_(names), loops_(loops) {
  hazards_ = groups_of(r_.hazards.current, r_.call_sites.rows());
  parameters_ = groups_of(r_.parameters.function, r_.functions.rows());
  is_wrapper_.assign(r_.strings.rows(), 0);
  function_.assign(r_.strings.rows(), kNoRow);
  for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
    const std::string_view kind = r_.text(r_.functions.kind[f]);
    function_[r_.functions.name[f]] = f;
    is_wrapper_[r_.functions.name[f]] = kind == "Group" || kind == "Spmd" ? 1 : 0;
  }
  for (std::uint32_t o = 0; o < r_.options.rows(); ++o) {
    if (r_.text(r_.options.name[o]) == "imported") imported_ = true;
  }
}

/// The row of the call's argument that became this access: tensors go first, in their order. Wrappers pass them on in another
/// order, so that nothing is known there.
std::uint32_t OrderReasons::argument_row(std::uint32_t access) const {
  const std::uint32_t task = r_.accesses.task[access];
  const std::uint32_t site = r_.tasks.call_site[task];
  if (site == kNoRow || is_wrapper_[r_.tasks.callee[task]] != 0) return kNoRow;
  std::uint32_t at = r_.accesses.arg[access];
  for (std::uint32_t k = 0; k < r_.call_sites.argument_count[site]; ++k) {
    const std::uint32_t row = r_.call_sites.argument_begin[site] + k;
    if (r_.arguments.direction[row] == static_cast<std::uint8_t>(pass::ArgDirection::Scalar)) continue;
    if (at-- == 0) return row;
  }
  return kNoRow;
}

std::string OrderReasons::argument(std::uint32_t access) const {
  const std::uint32_t row = argument_row(access);
  return row == kNoRow ? std::string() : std::string(ir::source_name(r_.text(r_.arguments.name[row])));
}

std::string OrderReasons::parameter(std::uint32_t access) const {
  const std::uint32_t row = argument_row(access);
  if (row == kNoRow) return "";
  const std::uint32_t site = r_.arguments.call_site[row];
  const std::uint32_t function = function_[r_.call_sites.callee[site]];
  if (function == kNoRow) return "";
  const auto parameters = parameters_.of(function);
  const std::uint32_t at = row - r_.call_sites.argument_begin[site];
  if (parameters.size() != r_.call_sites.argument_count[site]) return "";
  return std::string(ir::source_name(r_.text(r_.parameters.name[parameters[at]])));
}

/// The passes took an id of unknown origin for an edge from the first to the second.
bool OrderReasons::windowed(std::uint32_t first, std::uint32_t second) const {
  const std::uint32_t a = r_.tasks.call_site[first];
  const std::uint32_t b = r_.tasks.call_site[second];
  if (a == kNoRow || b == kNoRow) return false;
  const auto rows = hazards_.of(b);
  return std::any_of(rows.begin(), rows.end(), [&](std::uint32_t h) {
    return r_.hazards.verdict[h] == static_cast<std::uint8_t>(pass::HazardVerdict::Windowed) &&
           recording::hazard_has_prior(r_, h, a);
  });
}

void OrderReasons::explain(OrderReason& out, const UnorderedPair& pair, std::uint32_t a, std::uint32_t b) const {
  const std::string first = names_.text(pair.first);
  const std::string second = names_.text(pair.second);
  const auto say = [&](std::string code, std::string sentence) {
    out.code = std::move(code);
    out.sentence = std::move(sentence);
  };
  const std::uint32_t scope_b = r_.tasks.scope[pair.second];
  const bool manual_a = (r_.tasks.flags[pair.first] & kManual) != 0;
  const bool manual_b = (r_.tasks.flags[pair.second] & kManual) != 0;
  const auto compiled = [&](std::uint32_t scope) { return scope < r_.scopes.rows() && r_.scopes.owner[scope] == kCompilerOwned; };
  const auto kind_a = static_cast<ArgKind>(r_.accesses.kind[a]);
  const auto kind_b = static_cast<ArgKind>(r_.accesses.kind[b]);
  if (windowed(pair.first, pair.second)) {
    return say("windowed",
               fmt::format("the analysis took an id of unknown origin among the deps of {} for an edge from {}, and gave up the "
                           "runtime's own tracking; when the program runs, that id is not {}'s",
                           second, names_.kernel(pair.first), first));
  }
  if (manual_b && compiled(scope_b)) {
    const bool loop = r_.tasks.call_site[pair.first] != kNoRow && r_.tasks.iteration_begin_count[pair.first] != 0 &&
                      r_.tasks.iteration_begin_count[pair.second] != 0;
    if (loop) {
      return say("loop_carried_unchecked",
                 "the analysis scans a loop body once: it never asks what one iteration does to the next, and the scope that it "
                 "made MANUAL has no other edges than the ones it gave");
    }
    return say(
        "compiler_manual",
        fmt::format("the compiler made the scope of {} MANUAL without an edge from {}: its analysis does not see this pair",
                    second, first));
  }
  if (manual_a && !manual_b) {
    return say("manual_invisible",
               fmt::format("{} runs in a MANUAL scope: its arguments are not registered, so that later tasks do not find it, and "
                           "no deps= of {} names it",
                           first, second));
  }
  if (manual_b) {
    return say("manual_scope",
               fmt::format("{} runs in a MANUAL scope: only deps= order it, and none of them leads to {}", second, first));
  }
  if (kind_a == ArgKind::NoDep || kind_b == ArgKind::NoDep) {
    return say("no_dep", fmt::format("{} passes {} as NO_DEP: the runtime neither looks it up nor registers it",
                                     kind_b == ArgKind::NoDep ? second : first, names_.buffer(b)));
  }
  if (r_.tensors.manual_dep[r_.accesses.tensor[a]] != 0 || r_.tensors.manual_dep[r_.accesses.tensor[b]] != 0)
    return say("manual_dep", fmt::format("{} has manual_dep=True: the runtime does not track it", names_.buffer(b)));
  if (kind_b == ArgKind::OutputExisting) {
    return say("write_without_lookup",
               fmt::format("{} passes {} as OUTPUT_EXISTING: a task that only writes does not look for earlier ones", second,
                           names_.buffer(b)));
  }
  if (kind_a == ArgKind::Input) {
    return say("war_untracked",
               "the runtime keeps record of writers only: it finds read after write and write after write, never a write after "
               "a read");
  }
  if (r_.tensors.dtype[r_.accesses.tensor[a]] != r_.tensors.dtype[r_.accesses.tensor[b]]) {
    return say("element_types",
               "the runtime compares places in elements of each tensor's own type: with types of different size it misses "
               "bytes that both touch");
  }
  if (imported_) return say("not_recorded", "the file holds no edge between them, and no path of edges");
  say("no_edge", "no edge was derived and none was asked for");
}

void OrderReasons::fix(OrderReason& out, const UnorderedPair& pair, std::uint32_t a) const {
  const std::string first = names_.text(pair.first);
  const std::string second = names_.text(pair.second);
  const std::uint32_t line = names_.line(pair.second);
  if (out.loop != kNoRow) {
    out.fixes.push_back(
        fmt::format("let the iterations of the pl.parallel loop{} touch separate parts of {}, or make it a "
                    "pl.range loop",
                    at_line(r_.site_loops.line[out.loop]), names_.buffer(a)));
  }
  if (imported_) {
    out.fixes.emplace_back("look for a limit of the runtime that recorded it: the order may have been lost there");
    return;
  }
  out.fixes.push_back(fmt::format("deps= on {} naming {}{}", second, first, at_line(line)));
  if (out.code == "war_untracked") {
    const std::string parameter = this->parameter(a);
    out.fixes.push_back(fmt::format("declare {} of {} as InOut: it then counts as a writer (serialises the readers)",
                                    parameter.empty() ? "the argument" : "'" + parameter + "'", names_.kernel(pair.first)));
  } else if (out.code == "manual_invisible") {
    out.fixes.push_back(fmt::format("move {} into the MANUAL scope, or {} out of it", second, first));
  } else if (out.code == "loop_carried_unchecked") {
    out.fixes.emplace_back("carry the id of the task through the loop and name it in deps=, or switch the analysis off");
  }
}

OrderReason OrderReasons::of(const UnorderedPair& pair, std::uint32_t first_access, std::uint32_t second_access,
                             bool reduced) const {
  OrderReason out;
  out.loop = loops_.siblings(pair.first, pair.second);
  if (reduced) {
    out.code = "lost_in_reduction";
    out.sentence = "the edges as discovered order them; the reduction took a WAIT away that nothing stands for";
    out.fixes.emplace_back("run with --reduce none, and report the reduction");
    return out;
  }
  explain(out, pair, first_access, second_access);
  fix(out, pair, first_access);
  return out;
}

}  // namespace depscope::replay
