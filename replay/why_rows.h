// What the tables `pass_edges` and `hazards` say of two call sites. Nothing else behind --why reads these two tables. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "depscope/recording/tables.h"
#include "row_groups.h"

namespace depscope::replay {

struct EdgeAsked {
  std::uint32_t id = 0;  ///< string
  std::uint32_t producer = recording::kNoRow;
  pass::EdgeOrigin origin = pass::EdgeOrigin::User;
  pass::EdgeStatus status = pass::EdgeStatus::Kept;
  bool synthetic = false;
  std::uint32_t stripped_by = recording::kNoRow;    ///< regions row
  std::uint32_t imported_from = recording::kNoRow;  ///< regions row
};

struct HazardAsked {
  std::uint32_t prior = recording::kNoRow;  ///< call_sites row
  std::uint32_t prior_arg = 0, current_arg = 0;
  std::uint32_t prior_storage = recording::kNoRow, current_storage = recording::kNoRow;
  std::uint8_t kinds = 0;
  pass::HazardVerdict verdict = pass::HazardVerdict::None;
  std::uint32_t edge = 0;    ///< string: the id variable that covers it, "" if none
  std::uint32_t reason = 0;  ///< string
  bool by_memref = false;
};

/// Look-ups by consumer; a look-up takes as long as the consumer has rows.
class PairRows {
 public:
  explicit PairRows(const recording::Recording& recording);

  /// All edges of a consumer, whatever became of them, user edges first.
  [[nodiscard]] std::vector<EdgeAsked> edges_of(std::uint32_t consumer) const;
  /// Those of them that name this producer.
  [[nodiscard]] std::vector<EdgeAsked> edges_between(std::uint32_t producer, std::uint32_t consumer) const;
  /// Pairs of accesses that were judged.
  [[nodiscard]] std::vector<HazardAsked> hazards_between(std::uint32_t prior, std::uint32_t current) const;
  /// The conflict at which a call made its region fall back, none if there is none.
  [[nodiscard]] std::optional<HazardAsked> refused_of(std::uint32_t current) const;
  /// The call before the offending one that made a region fall back, none if it was no conflict.
  [[nodiscard]] std::uint32_t offending_prior(std::uint32_t region) const;

 private:
  [[nodiscard]] HazardAsked hazard(std::uint32_t row, const recording::HazardPart& part) const;

  const recording::Recording& r_;
  RowGroups edges_, hazards_;  // by consumer
};

}  // namespace depscope::replay
