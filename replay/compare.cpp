#include "depscope/replay/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "compare_alignment.h"
#include "compare_report.h"
#include "compare_side.h"
#include "compare_sites.h"
#include "match_tables.h"

namespace depscope::replay {
namespace {

using recording::Recording;

constexpr std::array<std::string_view, kDifferenceKinds> kKindNames{
    "option", "pass",     "pass_text", "loop_kind",  "function",    "call_site",        "direction", "fallback",
    "scope",  "coverage", "kernel",    "task_count", "task",        "argument",         "block_num", "early_dispatch",
    "edges",  "pair",     "flags",     "provenance", "final_flags", "completion_order", "lifetime",  "resources"};

Comparison::Side describe(const Side& side) {
  Comparison::Side out{.input = side.r.input_name, .detail = {}, .tasks = side.tasks(), .edges = side.r.edges.rows()};
  if (side.known.imported) {
    out.detail = side.known.version == "current"           ? "deps.json"
                 : side.known.version == "depscope.deps/1" ? side.known.version
                                                           : "deps.json of version " + side.known.version;
  } else if (side.known.program) {
    out.detail = "program " + side.r.program_name;
  } else {
    out.detail = "trace";
  }
  return out;
}

/// What only says where something lies or how much of it was recorded.
bool says_nothing(std::string_view option) { return option == "imported" || option == "deps-version" || option == "assumed"; }

}  // namespace

std::string_view difference_kind_name(DifferenceKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<DifferenceKind> difference_kind_from_name(std::string_view name) {
  const auto at = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (at == kKindNames.end()) return std::nullopt;
  return static_cast<DifferenceKind>(at - kKindNames.begin());
}

bool has_threshold(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::TaskCount:
    case DifferenceKind::Edges:
    case DifferenceKind::CompletionOrder:
    case DifferenceKind::Lifetime:
    case DifferenceKind::Resources: return true;
    default: return false;
  }
}

std::string_view aligned_by_name(AlignedBy by) {
  constexpr std::array<std::string_view, 3> kNames{"task_id", "call_site_iteration", "kernel_ordinal"};
  return kNames[static_cast<std::size_t>(by)];
}

std::uint64_t Comparison::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Count& c) { return sum + c.total; });
}

void compare_options(const ComparisonInput& in, ComparisonReport& report) {
  const auto value = [](const Recording& r, std::string_view name) -> std::optional<std::string> {
    for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
      if (r.text(r.options.name[i]) == name) return std::string(r.text(r.options.value[i]));
    }
    return std::nullopt;
  };
  // An import has none; what it cannot know is said where it matters.
  if (in.a.known.imported || in.b.known.imported) return;
  for (std::uint32_t i = 0; i < in.a.r.options.rows(); ++i) {
    const std::string name(in.a.r.text(in.a.r.options.name[i]));
    const std::string a(in.a.r.text(in.a.r.options.value[i]));
    const std::optional<std::string> b = value(in.b.r, name);
    if (says_nothing(name) || !b || *b == a) continue;
    report.add(DifferenceKind::Option, {}, fmt::format("{}: {} | {}", name, a, *b), {{"option", name}, {"a", a}, {"b", *b}},
               Severity::Info);
  }
}

namespace {

/// `want_rows`: also what only those need who show rows, with what differs in each.
Comparison compare_sides(const Recording& recording_a, const Recording& recording_b, const CompareOptions& options,
                         Matching& rows, bool want_rows) {
  Comparison out;
  const Side a(recording_a, 'a');
  const Side b(recording_b, 'b');
  out.a = describe(a);
  out.b = describe(b);
  SiteAlignment sites = align_sites(a, b);
  TaskAlignment tasks = align_tasks(a, b, sites);
  out.alignment.by = tasks.by;
  out.alignment.matched = tasks.matched;
  for (std::uint32_t t = 0; t < a.tasks(); ++t)
    out.alignment.only_a += tasks.b_of_a[t] == recording::kNoRow && TaskAlignment::must_match(a, b, t) ? 1 : 0;
  for (std::uint32_t t = 0; t < b.tasks(); ++t)
    out.alignment.only_b += tasks.a_of_b[t] == recording::kNoRow && TaskAlignment::must_match(b, a, t) ? 1 : 0;
  match_tables(a, b, sites, tasks, want_rows, rows);
  if (want_rows) prepare_marks(a, b, rows);

  const ComparisonInput in{a, b, sites, tasks, rows};
  const ComparisonNames names(in);
  ComparisonReport report(options, out);
  compare_options(in, report);
  if (a.known.program && b.known.program) {
    compare_texts(in, report);
    compare_decisions(in, names, report);
  } else if (a.known.program != b.known.program) {
    report.gap(
        "pass_text",
        fmt::format("{} has no passes: texts, loops, call sites, directions, regions, scopes and coverage are not compared",
                    a.known.program ? "b" : "a"));
  }
  if (a.known.tasks && b.known.tasks) {
    compare_tasks(in, names, report);
    compare_arguments(in, names, report);
    compare_edges(in, names, report, out.kernel_pairs);
    compare_runs(in, names, report);
  } else if (a.known.tasks != b.known.tasks) {
    report.gap("task", fmt::format("{} has no tasks: it was not run", a.known.tasks ? "b" : "a"));
  }
  std::stable_sort(out.differences.begin(), out.differences.end(),
                   [](const Difference& x, const Difference& y) { return x.kind < y.kind; });
  if (want_rows) {
    mark_rows(in);
    take_alignments(a, b, std::move(sites), std::move(tasks), rows);
  }
  return out;
}

}  // namespace

Comparison compare(const Recording& a, const Recording& b, const CompareOptions& options) {
  Matching rows;
  return compare_sides(a, b, options, rows, false);
}

Comparison compare(const Recording& a, const Recording& b, const CompareOptions& options, Matching& matching) {
  matching = {};
  return compare_sides(a, b, options, matching, true);
}

}  // namespace depscope::replay
