// What a recording keeps of its input.
#pragma once

#include <cstdint>

#include "depscope/base/diagnostics.h"
#include "depscope/base/digest.h"
#include "depscope/recording/tables.h"

namespace depscope::app {

/// Inputs above this size are not kept inside the recording, only their name and digest, in bytes.
inline constexpr std::uint64_t kKeptInputBytes = std::uint64_t{64} << 20U;

/// Name (without directories), digest and, unless it is very large, text of the input.
void describe_input(const SourceFile& source, recording::Recording& recording);

}  // namespace depscope::app
