// Everything a recording must fulfil so that no reader of it has to check an index (DESIGN §6).
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Row indices, pool runs, enumerations, grouping orders, parents before children, events by kind. Throws FileError (Corrupt)
/// naming `file`, table, column and row of the first fault.
void validate(const recording::Recording& recording, const std::string& file);

}  // namespace depscope::replay
