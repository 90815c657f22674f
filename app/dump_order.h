// Dumps that do not belong where they stand: from the compilation of another program, or under the number of another pass.
#pragma once

#include <vector>

#include "depscope/base/diagnostics.h"
#include "dump_directory.h"

namespace depscope::app {

/// Takes out the dumps whose first line names another program than most of them do, with one warning each. Texts without that
/// line are kept: what they hold shows when they are read.
void leave_out_other_programs(std::vector<Dump>& dumps, std::vector<Diagnostic>& warnings);

/// Puts dumps of passes that the compiler runs in a known order (passes.md 1.1) into that order where their numbers say
/// otherwise, with one warning. Dumps of other passes, and of Simplify, which runs twice, stay where they are.
void restore_pass_order(std::vector<Dump>& dumps, std::vector<Diagnostic>& warnings);

}  // namespace depscope::app
