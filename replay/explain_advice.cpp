#include "explain_advice.h"

#include <fmt/format.h>

#include "depscope/ir/text.h"
#include "explain_words.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::string_view kFollowed =
    "a parameter, pl.create_tensor, a slice of one of these, or what a kernel returns of its own parameters";

/// A call in a scope of its own takes nothing along when it falls back.
std::string scope_of_its_own(bool virtual_body) {
  return fmt::format("or put this call into a `with pl.scope():` of its own{}, so that nothing else falls back with it",
                     virtual_body ? " (in a function with auto_scope=False)" : "");
}

/// A value that a kernel made, or that the runtime allocates for it: nothing but its task id is known.
bool made_by_a_task(std::string_view lineage) {
  return lineage.find("that the kernel makes itself") != std::string_view::npos ||
         lineage.find("which the runtime allocates") != std::string_view::npos;
}

/// The innermost loop that holds both calls is open when the second one is judged.
bool in_one_loop(const Recording& r, std::uint32_t a, std::uint32_t b) {
  std::uint32_t first = kNoRow;
  for (std::uint32_t i = 0; i < r.site_loops.rows(); ++i) {
    if (r.site_loops.call_site[i] == a) first = r.site_loops.loop[i];  // the innermost comes last
  }
  for (std::uint32_t i = 0; i < r.site_loops.rows() && first != kNoRow; ++i) {
    if (r.site_loops.call_site[i] == b && r.site_loops.loop[i] == first) return true;
  }
  return false;
}

std::string callee(const Recording& r, std::uint32_t site) {
  return site == kNoRow ? std::string("KERNEL") : std::string(r.text(r.call_sites.callee[site]));
}

}  // namespace

std::string fallback_advice(const Recording& r, const FallbackAsked& asked) {
  const auto& [reason, site, arg, prior, lineage, virtual_body] = asked;
  const std::string name = argument_text(r, site, arg);
  if (reason == "unresolved_storage.unknown" && made_by_a_task(lineage)) {
    const bool reads = site != kNoRow && arg < r.call_sites.argument_count[site] &&
                       r.arguments.callee_direction[r.call_sites.argument_begin[site] + arg] == 0;
    std::string write = "let the kernel that makes it write a parameter declared pl.Out and return that";
    if (!reads) return write;
    return fmt::format("name its task: `{}, tid = pl.submit(...)` there and deps=[tid] here; or {}", name, write);
  }
  if (reason == "unresolved_storage.unknown")
    return fmt::format("pass a value whose buffer is followed ({}); {}", kFollowed, scope_of_its_own(virtual_body));
  if (reason == "unresolved_storage.dynamic_access")
    return fmt::format("let a kernel pick the elements: pass it the whole buffer and the indices; {}",
                       scope_of_its_own(virtual_body));
  if (reason == "unresolved_storage.mixed_merge")
    return fmt::format("let every branch give a value whose buffer is followed ({}); {}", kFollowed,
                       scope_of_its_own(virtual_body));
  if (reason == "unresolved_storage.too_many_roots")
    return fmt::format("let '{}' be one of at most 4 buffers, or of slices of one; {}", name, scope_of_its_own(virtual_body));
  if (reason == "producer_without_task_id") {
    return fmt::format("bind what {} gives: `out = self.{}(...)`, or `out, tid = pl.submit(self.{}, ...)`", call_text(r, prior),
                       callee(r, prior), callee(r, prior));
  }
  if (reason == "prior_in_closed_dynamic_loop") {
    return fmt::format(
        "let the loop carry the value (`x = self.{}(x)`) and give it a constant trip count or, if its iterations may "
        "run side by side, make it pl.parallel; or use one `with pl.manual_scope():` and name the ids in deps=",
        callee(r, prior));
  }
  if (reason == "prior_in_loop_without_summary" && prior != kNoRow && site != kNoRow && in_one_loop(r, prior, site)) {
    return fmt::format(
        "name the task of the same iteration, if both run in it: `x, tid = pl.submit(self.{}, ...)` and deps=[tid] at {}",
        callee(r, prior), call_text(r, site));
  }
  if (reason == "prior_in_loop_without_summary") {
    return fmt::format("let the loop carry the value (`x = self.{}(x)`): what it leaves behind then stands for all iterations",
                       callee(r, prior));
  }
  return "";
}

std::string region_advice(const Recording& r, std::uint32_t region, std::uint32_t prior, std::string_view lineage) {
  switch (static_cast<pass::RegionOutcome>(r.regions.outcome[region])) {
    case pass::RegionOutcome::FellBack:
      return fallback_advice(
          r, {r.text(r.regions.reason[region]), r.regions.offending_site[region], r.regions.offending_arg[region], prior, lineage,
              r.regions.kind[region] == static_cast<std::uint8_t>(pass::RegionKind::VirtualBody)});
    case pass::RegionOutcome::SkippedManual:
      return "name what a call has to wait for in its deps=, or make the scope an AUTO scope (`with pl.scope():`)";
    case pass::RegionOutcome::SwitchedOff: return "run with --analyze-auto-scopes";
    case pass::RegionOutcome::NotModelled:
      return "open the dump directory of a compilation, where what is not modelled has been taken apart";
    case pass::RegionOutcome::Analysed: break;
  }
  return "";
}

bool rewrite_refused(pass::RewriteReason reason) {
  return reason == pass::RewriteReason::UnknownRegion || reason == pass::RewriteReason::DynamicRegion ||
         reason == pass::RewriteReason::LoopProducerIncomplete || reason == pass::RewriteReason::CrossScope;
}

std::string rewrite_advice(pass::RewriteReason reason) {
  switch (reason) {
    case pass::RewriteReason::UnknownRegion:
      return "pass the buffer or a slice of it with packed rows: views with strides or another layout are not followed";
    case pass::RewriteReason::DynamicRegion: return "take the slice at constant offsets, with constant extents";
    case pass::RewriteReason::LoopProducerIncomplete: return "wait for every slot by itself: deps=[tids[k] for k in range(N)]";
    case pass::RewriteReason::CrossScope:
      return "put producer and consumer into one scope (upstream-2026-08 rewrites across scopes)";
    case pass::RewriteReason::NoHazard: return "nothing is needed: no call before it conflicts with it";
    case pass::RewriteReason::NotInputOrInOut: return "nothing is needed: it is looked up by nobody";
    case pass::RewriteReason::RegionFellBack: return "what would change its region";
    case pass::RewriteReason::ManualScope: return "nothing is needed: in a MANUAL scope nothing is looked up";
    case pass::RewriteReason::SwitchOff: return "run with --analyze-auto-scopes";
    case pass::RewriteReason::UserNoDep: return "leave pl.no_dep out";
    case pass::RewriteReason::NotModelled: return "open the dump directory of a compilation";
    case pass::RewriteReason::Container: return "put the call into a `with pl.scope():`";
    case pass::RewriteReason::Rewritten:
    case pass::RewriteReason::PassNotRun: break;
  }
  return "";
}

}  // namespace depscope::replay
