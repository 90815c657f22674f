// The submission plan of a program and what it says, on the way into a recording.
#pragma once

#include <string>

#include "depscope/ir/program.h"
#include "depscope/lower/plan.h"
#include "depscope/recording/tables.h"
#include "program_input.h"

namespace depscope::app {

/// True if the recorded passes went as far as a plan needs: runtime scopes and carried values are settled.
[[nodiscard]] bool ready_to_lower(const recording::Recording& recording);

/// Adds what the plan found. Before an execution (`depth` Run) functions without a plan are left out: the execution says what
/// it does not model.
void add_plan_findings(recording::Recording& recording, const ir::Program& program, const lower::Plan& plan, Depth depth);

/// True if a finding of this kind at this line is in the recording already.
[[nodiscard]] bool is_said(const recording::Recording& recording, const std::string& kind, std::uint32_t line);

/// The plan of the entry function as text, its findings behind it as comments. Throws InputError if there is no such function
/// or the passes did not go far enough.
[[nodiscard]] std::string entry_plan_text(const ProgramRun& run, const std::string& entry);

}  // namespace depscope::app
