// Whatever a command is given, as a recording: an input is run in memory, a recording file is loaded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"
#include "depscope/replay/deps_json.h"
#include "options.h"
#include "program_input.h"

namespace depscope::app {

enum class InputKind : std::uint8_t {
  Trace,
  RecordingFile,
  Program,
  Directory,  ///< of pass dumps
  Bundle,     ///< of a bug report: its recording, or the run of its input
  DepsJson,   ///< the task graph of a run (deps.json), or a directory that holds one and no dumps
};

/// Whether opening it runs something, so that run options matter.
[[nodiscard]] constexpr bool is_run(InputKind kind) { return kind != InputKind::RecordingFile && kind != InputKind::DepsJson; }

/// Name of the task graph in the output of a run.
inline constexpr const char* kDepsName = "deps.json";

struct Opened {
  recording::Recording recording;
  InputKind kind = InputKind::Trace;
};

/// Decides by what is there: a directory, a recording file or a bundle (by content), a program (*.py), a trace (*.trace.json),
/// any other container (a bundle, so that its reader says what is wrong), else text that begins with '{': a deps.json or a
/// trace, by its keys. Throws InputError or replay::FileError.
[[nodiscard]] InputKind kind_of_input(const std::string& path);

/// Throws InputError or replay::FileError, UsageError where --save-schedule would overwrite the input. A bundle is its recording
/// if it has one and no option says how to run it, else its input is run, with its own options and on top of them `options`.
/// `depth` matters for programs and dump directories only.
[[nodiscard]] Opened open_input(const std::string& path, const RunOptions& options, Depth depth = Depth::Run);

/// Options for running an input again to see how it ends: without what only writes and checks (schedule, dumps, invariants,
/// progress).
[[nodiscard]] RunOptions to_run_again(RunOptions options);

/// A trace can be streamed: its task graph does not need what only a recording tells (--save-schedule, --check-invariants, a
/// schedule of the user's).
[[nodiscard]] bool can_stream(InputKind kind, const RunOptions& options);
/// The task graph of a trace in upstream's schema, without a recording. Throws InputError; what was written before is half a
/// file.
void stream_deps_json(const std::string& path, const RunOptions& options, replay::DepsFaults faults,
                      const replay::TextOutput& output);

/// Refuses options that say how a program is run, where nothing is run. Throws UsageError.
void refuse_run_options(const std::string& path, const RunOptions& options, InputKind kind);

/// Refuses an `output` that exists and is read as well: the input, a dump in it, a file that an option of the run names. Throws
/// UsageError, which names `option`.
void refuse_overwriting(std::string_view option, const std::string& output, const std::string& input, const RunOptions& options);

}  // namespace depscope::app
