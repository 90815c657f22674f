#include "depscope/replay/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explain_words.h"
#include "why_names.h"
#include "why_pair.h"
#include "why_program.h"
#include "why_verdict.h"
#include "why_words.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

namespace {

constexpr std::size_t kMaxMeetings = 8;

WhyAnswer of_no_task(const Recording& r, std::string_view name, const NamedCall& named) {
  WhyAnswer out;
  out.code = "not_a_task";
  out.first_text = name;
  out.sentence = fmt::format("'{}' is {}", name, named.no_task);
  out.shared = "none: it is no task";
  out.rule = why_rule(out.code);
  out.where = named.line == 0 ? r.input_name : fmt::format("{}:{}", r.input_name, named.line);
  out.change = "ask about calls that an orchestration makes: a task id, a result, FUNCTION:CALL or a line";
  return out;
}

void different_functions(WhyAnswer& out) {
  out.code = "different_functions";
  out.sentence = fmt::format("{} and {} stand in different functions: no edge leads from one function into another",
                             out.first_text, out.second_text);
  out.shared = "not known, because only calls of one function are compared";
  out.rule = why_rule(out.code);
  out.change = "order the calls of the two functions where they are called, or bring both calls into one function";
}

std::string edge_words(const Recording& r, const EdgeAsked& edge) {
  std::string out = fmt::format("{} edge {}", pass::edge_origin_name(edge.origin), r.text(edge.id));
  if (edge.synthetic) out += ", id made up for a call without one";
  if (edge.imported_from != kNoRow) out += fmt::format(", through region {}", r.regions.index[edge.imported_from]);
  if (edge.status != pass::EdgeStatus::Kept) out += fmt::format(": {}", pass::edge_status_name(edge.status));
  return out;
}

/// Conflicts first, then what would be one on other elements, then reads.
int rank(const ArgumentPair& m) {
  if (m.shown.kinds == 0) return 2;
  return m.overlaps ? 0 : 1;
}

void fill(WhyAnswer& out, WhyPair& pair, const WhyOptions& options) {
  Verdict verdict = verdict_of(pair);
  out.edge = verdict.edge;
  out.runtime = !out.edge && pair.runtime_finds();
  out.rule = why_rule(verdict.code);
  out.code = std::move(verdict.code);
  out.sentence = std::move(verdict.sentence);
  out.change = std::move(verdict.change);
  out.path = std::move(verdict.path);
  if (!out.edge && out.path.empty()) out.path = path_between(pair);
  for (const EdgeAsked& edge : pair.edges) out.edges.push_back(edge_words(pair.r, edge));
  std::stable_sort(pair.meetings.begin(), pair.meetings.end(),
                   [](const ArgumentPair& a, const ArgumentPair& b) { return rank(a) < rank(b); });
  for (std::size_t i = 0; i < std::min(pair.meetings.size(), kMaxMeetings); ++i) out.meetings.push_back(pair.meetings[i].shown);
  if (out.meetings.empty()) out.shared = pair.nothing_shared();
  out.region = why_region(pair.r, verdict.region);
  out.run = pair.run_words(options.not_run);
}

}  // namespace

WhyAnswer why(const Recording& r, std::string_view first, std::string_view second, const WhyOptions& options) {
  const WhyProgram program(r);
  const NamedCall a = named_call(r, program, first, options.function);
  const NamedCall b = named_call(r, program, second, options.function);
  if (a.site == kNoRow) return of_no_task(r, first, a);
  if (b.site == kNoRow) return of_no_task(r, second, b);
  WhyPair pair(r, program);
  WhyAnswer out;
  // Edges lead forward, but for those of an id that a loop carries.
  out.swapped = a.site > b.site && !pair.kept_between(a.site, b.site);
  out.first = out.swapped ? b.site : a.site;
  out.second = out.swapped ? a.site : b.site;
  out.first_text = why_call_text(r, out.first);
  out.second_text = why_call_text(r, out.second);
  out.where = fmt::format("{} -> {}", why_place(r, out.first), why_place(r, out.second));
  if (r.call_sites.function[out.first] != r.call_sites.function[out.second]) {
    different_functions(out);
    return out;
  }
  pair.choose(out.first, out.second);
  fill(out, pair, options);
  return out;
}

}  // namespace depscope::replay
