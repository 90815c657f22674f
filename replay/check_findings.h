// Findings of a check in words and as JSON. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check_analysis.h"
#include "check_reasons.h"

namespace depscope::replay {

class CheckFindings {
 public:
  explicit CheckFindings(const CheckAnalysis& analysis) : a_(analysis), r_(analysis.r), reasons_(r_, a_.names, a_.loops) {}

  /// A findings row.
  [[nodiscard]] CheckFinding recorded(std::uint32_t row) const;
  /// A pair of missing.pairs, and its place in missing_groups.
  [[nodiscard]] CheckFinding missing(std::uint32_t pair, std::uint32_t group) const;
  /// An entry of falses, and its place in false_groups; none for an edge that does not wait.
  [[nodiscard]] CheckFinding false_order(std::uint32_t found, std::uint32_t group) const;
  /// Memory that may go too early.
  [[nodiscard]] CheckFinding lifetime(const LifetimeBreach& breach) const;
  [[nodiscard]] CheckFinding kept_alive(const KeptAlive& kept) const;
  /// An edges row whose WAIT is cleared.
  [[nodiscard]] CheckFinding reduction(std::uint32_t edge) const;
  /// An edges row; `reason` is the first edge_reasons row that does not come before those of this edge.
  [[nodiscard]] CheckFinding provenance(std::uint32_t edge, std::uint32_t reason) const;

 private:
  [[nodiscard]] CheckFinding pair_finding(std::string_view kind, std::uint32_t first, std::uint32_t second) const;
  [[nodiscard]] std::string missing_words(const UnorderedPair& pair, const std::string& buffer) const;
  void explain_false(const FalseEdge& found, const std::string& buffer, std::string& why, std::vector<std::string>& fixes) const;
  [[nodiscard]] std::uint32_t fanin(std::uint32_t task) const;
  [[nodiscard]] std::string deps_json(std::uint32_t task) const;
  [[nodiscard]] std::string place_json(std::uint32_t task, std::uint32_t access) const;
  [[nodiscard]] std::string task_text(std::uint32_t task) const;
  [[nodiscard]] std::string argument_text(std::uint32_t access) const;
  /// The parts of an argument that its task touches.
  [[nodiscard]] std::string parts_json(std::uint32_t access) const;
  [[nodiscard]] std::string parts_text(std::uint32_t access) const;
  [[nodiscard]] std::string declared_json(std::uint32_t access) const;
  [[nodiscard]] std::string end_text(std::uint32_t task, std::uint32_t access) const;
  template <class Each>
  void each_part(std::uint32_t access, Each&& each) const;

  const CheckAnalysis& a_;
  const recording::Recording& r_;
  OrderReasons reasons_;
};

}  // namespace depscope::replay
