// One run of a program as its files tell it: read, joined by the identities of artefacts.md 2, with a page that says what can be
// trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/graph_views.h"
#include "depscope/replay/artefacts/run_files.h"
#include "depscope/replay/artefacts/run_quantities.h"
#include "depscope/replay/artefacts/scope_stats.h"
#include "depscope/replay/deps_json_reader.h"

namespace depscope::replay {

enum class FileState : std::uint8_t { Complete, Cut, Unreadable };
[[nodiscard]] std::string_view file_state_name(FileState state);

struct FileHealth {
  ArtefactKind kind = ArtefactKind::Deps;
  std::string path;  ///< below what was opened
  FileState state = FileState::Complete;
  std::string version;             ///< as people call it: "current", "level 4, raw, 6 columns"; empty if the file has none
  std::vector<std::string> facts;  ///< what it has: "7 tasks", "14 edges"
  std::vector<std::string> notes;  ///< what is odd about it
};

/// A file that is not there, or cannot be read, and what is therefore not known.
struct MissingFile {
  ArtefactKind kind = ArtefactKind::Deps;
  std::string hides;
};

struct RunHealth {
  std::vector<FileHealth> files;  ///< by kind
  std::vector<MissingFile> missing;
  std::vector<std::string> assumed;                   ///< sentences about what the files do not say
  std::uint64_t timed_tasks = 0, timed_in_graph = 0;  ///< tasks with times; those that the task graph has
};

/// A consumer that started before its producer ended.
struct BackwardPair {
  std::uint32_t edge = 0;                                                    ///< edges row
  std::uint64_t producer_end = 0, consumer_start = 0, consumer_receive = 0;  ///< ticks of the file's clock
};

struct ImportedRun {
  std::string where;
  RunHealth health;
  /// The task graph, with measured_dispatches, measured_phases, scope_samples, and what was found; empty tables for files that
  /// are not there.
  recording::Recording recording;
  bool has_graph = false;
  std::optional<Swimlane> swimlane;
  RunTimes times;
  RunQuantities quantities;
  GraphViews views;
  std::optional<ScopeStats> scopes;
  ScopePeaks peaks;
  std::vector<BackwardPair> backward;  ///< by edge
};

/// Ticks by which a consumer may seem to start early before that is told (artefacts.md 14.5).
inline constexpr std::uint64_t kClockTolerance = 2;
inline constexpr std::uint32_t kMaxBackwardFindings = 1'000;

/// Reads all files of the run. A file that ends early gives what it has; one that cannot be read is told and left out. `root` is
/// what paths are told relative to. Throws InputError if no file can be read at all.
[[nodiscard]] ImportedRun import_run(const RunFiles& files, const std::string& root);

}  // namespace depscope::replay
