// A made-up recording with program texts in which the dependency attributes, renaming and no-op passes occur.
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

/// `dump_directory` empty: six passes of a small program of its own; else the texts of a passes_dump directory.
[[nodiscard]] recording::Recording sample_recording(std::uint32_t tasks, const std::string& dump_directory = {});

}  // namespace depscope::viewers
