#include "depscope/replay/check.h"

#include <algorithm>

#include "check_analysis.h"
#include "check_findings.h"

namespace depscope::replay {

using recording::kNoRow;

class Check::Impl {
 public:
  Impl(const recording::Recording& recording, TaskReference reference) : analysis_(recording, reference), findings_(analysis_) {}

  [[nodiscard]] const CheckCounts& counts() const { return analysis_.counts; }

  void each(const CheckOptions& options, const std::function<void(const CheckFinding&)>& tell) const {
    const auto recorded = [&](bool infos) {
      for (std::uint32_t row = 0; row < analysis_.severities.size(); ++row) {
        if ((analysis_.severities[row] == Severity::Info) == infos) tell(findings_.recorded(row));
      }
    };
    recorded(false);
    std::uint32_t breaches = 0;
    for (const LifetimeBreach& b : analysis_.lifetimes.breaches) {
      if (b.harmless) continue;
      if (!options.all && breaches++ == kMaxPairFindings) break;
      tell(findings_.lifetime(b));
    }
    groups(analysis_.missing_groups, options,
           [&](std::uint32_t pair, std::uint32_t group) { tell(findings_.missing(pair, group)); });
    groups(analysis_.false_groups, options,
           [&](std::uint32_t found, std::uint32_t group) { tell(findings_.false_order(found, group)); });
    if (!options.facts) return;
    recorded(true);
    const PairGroup& idle = analysis_.idle_falses;
    const std::size_t told = options.all ? idle.size() : std::min<std::size_t>(idle.size(), kMaxPairFindings);
    for (std::size_t i = 0; i < told; ++i) tell(findings_.false_order(idle[i], kNoRow));
    const std::size_t most = options.all ? ~std::size_t{0} : kMaxProvenance;
    const Lifetimes& lifetimes = analysis_.lifetimes;
    std::size_t harmless = 0;
    for (const LifetimeBreach& b : lifetimes.breaches) {
      if (b.harmless && harmless++ < most) tell(findings_.lifetime(b));
    }
    for (std::size_t i = 0; i < std::min(most, lifetimes.held.size()); ++i) tell(findings_.lifetime(lifetimes.held[i]));
    for (std::size_t i = 0; i < std::min(most, lifetimes.kept.size()); ++i) tell(findings_.kept_alive(lifetimes.kept[i]));
    for (std::size_t i = 0; i < std::min(most, analysis_.reduced.size()); ++i) tell(findings_.reduction(analysis_.reduced[i]));
    provenance(options, tell);
  }

 private:
  template <class Tell>
  static void groups(const std::vector<PairGroup>& groups, const CheckOptions& options, Tell&& tell) {
    std::uint32_t told = 0;
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      std::uint32_t of_group = 0;
      for (const std::uint32_t member : groups[g]) {
        if (!options.all && (of_group == kMaxPairsOfGroup || told == kMaxPairFindings)) break;
        tell(member, g);
        ++of_group;
        ++told;
      }
    }
  }

  void provenance(const CheckOptions& options, const std::function<void(const CheckFinding&)>& tell) const {
    const recording::Recording& r = analysis_.r;
    const std::uint32_t edges = options.all ? r.edges.rows() : std::min(r.edges.rows(), kMaxProvenance);
    std::uint32_t reason = 0;
    for (std::uint32_t edge = 0; edge < edges; ++edge) {
      while (reason < r.edge_reasons.rows() && r.edge_reasons.edge[reason] < edge) ++reason;
      tell(findings_.provenance(edge, reason));
    }
  }

  CheckAnalysis analysis_;
  CheckFindings findings_;
};

Check::Check(const recording::Recording& recording, TaskReference reference)
    : impl_(std::make_unique<Impl>(recording, reference)) {}

Check::~Check() = default;

const CheckCounts& Check::counts() const { return impl_->counts(); }

void Check::each(const CheckOptions& options, const std::function<void(const CheckFinding&)>& tell) const {
  impl_->each(options, tell);
}

}  // namespace depscope::replay
