// How the runtime model is set up for a run: the same for programs and for traces.
#pragma once

#include <cstdint>

#include "depscope/recording/tables.h"
#include "depscope/runtime/options.h"
#include "depscope/runtime/ring_limits.h"
#include "options.h"

namespace depscope::app {

/// What is submitted. The scopes of a trace are not known, so that its rings have only the limits that are asked for.
enum class ModelInput : std::uint8_t { Program, Trace };

/// Fills in what depends on the input and on the profile in force, and records every option with its effective value; a variable
/// of the environment that is ignored gives a finding. `events` is what `--events auto` stands for. Throws InputError: limits of
/// the rings beyond their range.
[[nodiscard]] runtime::ModelOptions model_options(const RunOptions& options, ModelInput input, Profile profile,
                                                  runtime::EventLevel events, recording::Recording& recording);

/// The limits alone. `environment` as in RingLimitSources.
[[nodiscard]] runtime::EffectiveRingLimits ring_limits(
    const RunOptions& options, ModelInput input,
    const std::array<std::optional<std::string>, runtime::kRingResources>& environment);

/// Gives `texts` the limits that the environment would give, so that they hold in another environment too.
void take_limits_of_environment(const RunOptions& options, ModelInput input, OptionTexts& texts);

}  // namespace depscope::app
