#include "model_options.h"

#include <cstdlib>

#include "finding.h"

namespace depscope::app {
namespace {

using runtime::ReductionKind;
using runtime::ReductionOptions;

std::array<std::optional<std::string>, runtime::kRingResources> ring_environment() {
  std::array<std::optional<std::string>, runtime::kRingResources> out;
  for (std::size_t r = 0; r < runtime::kRingResources; ++r) {
    const std::string name(runtime::ring_environment_name(static_cast<runtime::RingResource>(r)));
    if (const char* value = std::getenv(name.c_str()); value != nullptr) out[r] = value;
  }
  return out;
}

/// The faulty layout knows WAIT and WAIT|RETAIN only, so that nothing can be taken from an edge.
ReductionOptions default_reduction(const RunOptions& options, ModelInput input) {
  const bool none = input == ModelInput::Trace || options.edges == runtime::EdgeRepresentation::MaskBug;
  return none ? ReductionOptions{.kind = ReductionKind::None} : ReductionOptions{.kind = ReductionKind::Bitmap, .window = 64};
}

runtime::HazardSwitches default_hazards(Profile profile) {
  return profile == Profile::Upstream2026_08 ? runtime::HazardSwitches::all_faithful() : runtime::HazardSwitches{};
}

}  // namespace

runtime::EffectiveRingLimits ring_limits(const RunOptions& options, ModelInput input,
                                         const std::array<std::optional<std::string>, runtime::kRingResources>& environment) {
  runtime::ModelOptions defaults;
  if (input == ModelInput::Trace) defaults.lift_limits();
  return runtime::effective_ring_limits({options.ring_limits, environment, defaults.limits});
}

runtime::ModelOptions model_options(const RunOptions& options, ModelInput input, Profile profile, runtime::EventLevel events,
                                    recording::Recording& recording) {
  runtime::ModelOptions model;
  if (input == ModelInput::Trace) model.lift_limits();
  model.platform = options.platform;
  model.edges = options.edges;
  model.reduction = options.reduction.value_or(default_reduction(options, input));
  model.events = events;
  model.hazards = options.hazards.value_or(default_hazards(profile));
  model.schedule = options.schedule;
  model.check_invariants = options.check_invariants;
  const runtime::EffectiveRingLimits limits = ring_limits(options, input, ring_environment());
  model.limits = limits.limits;
  record_options(options, model, profile, recording);
  for (const std::string& warning : limits.warnings)
    add_finding(recording, {.kind = "configuration", .severity = Severity::Warning, .summary = warning});
  return model;
}

}  // namespace depscope::app
