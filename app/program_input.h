// Programs and dump directories: read, run the passes, execute, record.
#pragma once

#include <optional>
#include <string>

#include "depscope/ir/program.h"
#include "depscope/lower/plan.h"
#include "depscope/recording/tables.h"
#include "options.h"

namespace depscope::app {

/// How far a program is taken. `explain` needs no execution, so it also answers for programs whose data is not given.
enum class Depth { Passes, Run };

struct ProgramRun {
  recording::Recording recording;
  ir::Program last;                 ///< after the last pass
  std::optional<lower::Plan> plan;  ///< of `last`; none if the passes did not go far enough
};

/// Throws InputError.
[[nodiscard]] ProgramRun run_program_file(const std::string& path, const RunOptions& options, Depth depth);
[[nodiscard]] ProgramRun run_dump_directory(const std::string& path, const RunOptions& options, Depth depth);

}  // namespace depscope::app
