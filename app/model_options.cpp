#include "model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "finding.h"

namespace depscope::app {
namespace {

using runtime::ReductionKind;
using runtime::ReductionOptions;

std::array<std::optional<std::string>, runtime::kRingResources> ring_environment(bool used) {
  std::array<std::optional<std::string>, runtime::kRingResources> out;
  if (!used) return out;
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
  model.scope_list_entries = options.scope_list;
  model.check_invariants = options.check_invariants;
  const runtime::EffectiveRingLimits limits = ring_limits(options, input, ring_environment(options.environment));
  model.limits = limits.limits;
  if (options.lift_limits) model.lift_limits();
  model.scope_moves = options.scope_moves;
  record_options(options, model, profile, recording);
  for (const std::string& warning : limits.warnings)
    add_finding(recording, {.kind = "configuration", .severity = Severity::Warning, .summary = warning});
  return model;
}

void take_limits_of_environment(const RunOptions& options, ModelInput input, OptionTexts& texts) {
  const runtime::EffectiveRingLimits limits = ring_limits(options, input, ring_environment(options.environment));
  const auto take = [&](runtime::RingResource resource, std::uint64_t runtime::RingLimits::*member, std::string& text) {
    const auto& source = limits.source[static_cast<std::size_t>(resource)];
    if (std::find(source.begin(), source.end(), runtime::LimitSource::Environment) == source.end()) return;
    text.clear();
    for (std::size_t ring = 0; ring < source.size(); ++ring) {
      const bool set = source[ring] != runtime::LimitSource::Default;
      text += fmt::format("{}{}", ring == 0 ? "" : ",", set ? limits.limits[ring].*member : 0);
    }
  };
  take(runtime::RingResource::TaskWindow, &runtime::RingLimits::task_window, texts.ring_task_window);
  take(runtime::RingResource::Heap, &runtime::RingLimits::heap, texts.ring_heap);
  take(runtime::RingResource::DepPool, &runtime::RingLimits::dep_pool, texts.ring_dep_pool);
}

}  // namespace depscope::app
