// Files of a real run as an input of every command.
#pragma once

#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/artefacts/run_files.h"

namespace depscope::app {

/// Leaves the one run that is asked for; all, if `where` is empty. Throws UsageError if there is none of that name.
void choose_run(replay::RunTree& tree, const std::string& where);
/// "give one of them with --run: rank0/d0, rank0/d1, …"
[[nodiscard]] std::string give_one(const replay::RunTree& tree);
/// Name and digest of the input: of all files that are read.
void describe_run(const replay::RunTree& tree, const replay::RunHealth& health, recording::Recording& recording);
/// All that is read of them.
[[nodiscard]] std::vector<std::string> run_files(const replay::RunTree& tree);
/// The run of a directory or file, as a recording. Throws InputError, also where there are several.
[[nodiscard]] recording::Recording read_run(const std::string& path);

}  // namespace depscope::app
