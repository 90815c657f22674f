// Collects differences: all are counted, the first ones of each kind are kept. Private.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "compare_alignment.h"
#include "compare_side.h"
#include "compare_sites.h"
#include "depscope/replay/compare.h"
#include "depscope/replay/match.h"

namespace depscope::replay {

using Fields = nlohmann::ordered_json;

/// What every part of the comparison sees.
struct ComparisonInput {
  const Side& a;
  const Side& b;
  const SiteAlignment& sites;
  const TaskAlignment& tasks;
  Matching& rows;  ///< tables of matched rows; those of tasks, call sites and functions hold `differs` only
};

/// How findings refer to tasks and call sites (cases/book contract).
class ComparisonNames {
 public:
  explicit ComparisonNames(const ComparisonInput& input);

  /// {"task", "callee" | "kernel_ids" | "alloc" | "dummy", "occurrence"}. With `other`, the id there if it is another one.
  [[nodiscard]] Fields task(const Side& side, std::uint32_t task) const;
  /// "fill #3 (r1t7)".
  [[nodiscard]] std::string task_text(const Side& side, std::uint32_t task) const;
  /// A task by its row on side a, or, from side a's number of tasks on, by that on side b.
  [[nodiscard]] Fields common(std::uint32_t task) const;
  [[nodiscard]] std::string common_text(std::uint32_t task) const;
  [[nodiscard]] std::uint32_t common_of(const Side& side, std::uint32_t task) const;

  /// {"callee", "occurrence", "index", "line"}; `occurrence` counts submitted tasks of the callee before its first one.
  [[nodiscard]] Fields call(const Side& side, std::uint32_t site) const;
  [[nodiscard]] std::string call_text(const Side& side, std::uint32_t site) const;
  [[nodiscard]] std::string argument(const Side& side, std::uint32_t site, std::uint32_t arg) const;

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& call_occurrence(const Side& side) const {
    return side.letter == 'a' ? occurrence_a_ : occurrence_b_;
  }

  const ComparisonInput& in_;
  std::vector<std::uint32_t> occurrence_a_, occurrence_b_;  // by call site
};

class ComparisonReport {
 public:
  ComparisonReport(const CompareOptions& options, Comparison& out) : options_(options), out_(out) {}

  [[nodiscard]] bool wants(DifferenceKind kind) const { return !options_.ignored[index(kind)]; }
  /// Counts a difference; true if its row is to be given to `add`.
  bool count(DifferenceKind kind, std::uint64_t number = 1);
  /// `covers`: differences that the row stands for. Null if there is no room for it; valid until the next call.
  Difference* add(DifferenceKind kind, const Difference::Subject& subject, const std::string& summary, Fields fields,
                  Severity severity = Severity::Warning, std::uint64_t covers = 1);
  /// A difference of two numbers: false, and counted apart, if it is below the threshold of the kind.
  bool exceeds(DifferenceKind kind, double a, double b);
  [[nodiscard]] bool room(DifferenceKind kind) const { return out_.counts[index(kind)].listed < options_.max_listed; }

  void assume(char side, std::string what, std::string why, std::uint64_t equal, std::uint64_t differs);
  void gap(std::string what, std::string why);

 private:
  static std::size_t index(DifferenceKind kind) { return static_cast<std::size_t>(kind); }

  const CompareOptions& options_;
  Comparison& out_;
  std::array<std::uint32_t, kDifferenceKinds> informed_{};
};

/// The parts, each of which writes the kinds in its name.
void compare_options(const ComparisonInput& in, ComparisonReport& report);
void compare_texts(const ComparisonInput& in, ComparisonReport& report);  // pass, pass_text, loop_kind
void compare_decisions(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report);
void compare_tasks(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report);
void compare_arguments(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report);
void compare_edges(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report,
                   std::vector<Comparison::KernelPair>& kernel_pairs);
/// Differences that are counted elsewhere, as each row has them: calls, scopes of the run. Only marks rows.
void mark_rows(const ComparisonInput& in);
void compare_runs(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report);

}  // namespace depscope::replay
