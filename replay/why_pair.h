// Everything on record about two calls of one function, and questions about it. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "row_groups.h"
#include "why_meetings.h"
#include "why_program.h"
#include "why_rows.h"
#include "why_run.h"

namespace depscope::replay {

class WhyPair {
 public:
  WhyPair(const recording::Recording& recording, const WhyProgram& program);

  /// Edges that name the first call, alone or among others, whatever became of them.
  [[nodiscard]] std::vector<EdgeAsked> edges_between(std::uint32_t first, std::uint32_t second) const;
  /// One of them stayed.
  [[nodiscard]] bool kept_between(std::uint32_t first, std::uint32_t second) const;
  /// Reads what is known of a pair; both are calls of one function.
  void choose(std::uint32_t first_site, std::uint32_t second_site);

  const recording::Recording& r;
  const WhyProgram& program;
  const PairRows rows;
  const RowGroups accesses;  ///< pass_accesses by call site
  std::uint32_t first = 0, second = 0;
  std::vector<EdgeAsked> edges;
  std::vector<HazardAsked> hazards;
  std::vector<ArgumentPair> meetings;
  std::optional<RunBetween> run;

  [[nodiscard]] std::string_view text(std::uint32_t string) const { return r.text(string); }
  [[nodiscard]] std::string callee(std::uint32_t site) const;
  /// Region that a call stands in, none if it is not known.
  [[nodiscard]] std::uint32_t region_of(std::uint32_t site) const;
  /// A MANUAL scope of the user's is around the call.
  [[nodiscard]] bool in_manual_scope(std::uint32_t site) const;
  /// The innermost scope is MANUAL, whoever made it one: the runtime looks nothing up.
  [[nodiscard]] bool runs_manual(std::uint32_t site) const;
  [[nodiscard]] bool any_argument(std::uint32_t site, pass::RewriteReason reason) const;
  [[nodiscard]] bool has_tensors(std::uint32_t site) const;
  /// The variable is a result of the call, or its task id.
  [[nodiscard]] bool gives(std::uint32_t site, std::string_view name) const;
  /// The variable is an argument or a result of the call.
  [[nodiscard]] bool uses(std::uint32_t site, std::string_view name) const;
  [[nodiscard]] bool runtime_finds() const { return run && run->edges != 0; }

  /// Some pair of arguments may share an element that one of the calls writes.
  [[nodiscard]] bool conflict() const;
  /// "RAW on a".
  [[nodiscard]] std::string conflict_text() const;
  /// "put deps=[t] on get (main:1, line 17)".
  [[nodiscard]] std::string deps_advice() const;
  /// What would change the outcome of a region.
  [[nodiscard]] std::string advice(std::uint32_t region) const;
  /// The bytes of a pair without a meeting: "none: …" or "not known, because …".
  [[nodiscard]] std::string nothing_shared() const;
  /// What happened when the program ran, and what the runtime finds by itself (passes.md 9.8).
  [[nodiscard]] std::string run_words(const std::string& not_run) const;

 private:
  [[nodiscard]] std::string runtime_alone() const;

  const RowGroups lineage_;
};

}  // namespace depscope::replay
