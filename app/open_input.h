// Whatever a command is given, as a recording: an input is run in memory, a recording file is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"
#include "options.h"

namespace depscope::app {

/// Inputs above this size are not kept inside the recording, only their name and digest, in bytes.
inline constexpr std::uint64_t kKeptInputBytes = std::uint64_t{64} << 20U;

enum class InputKind : std::uint8_t { Trace, RecordingFile, Program, Directory };

struct Opened {
  recording::Recording recording;
  InputKind kind = InputKind::Trace;
};

/// Decides by what is there: a directory, a recording file (by content), a program (*.py), else a trace (*.trace.json or text
/// that begins with '{'). Throws InputError or replay::FileError.
[[nodiscard]] InputKind kind_of_input(const std::string& path);

[[nodiscard]] Opened open_input(const std::string& path, const RunOptions& options);

}  // namespace depscope::app
