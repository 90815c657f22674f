// One run of a program as its files tell it: read, joined by the identities of artefacts.md 2, with a page that says what can be
// trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/args_dump.h"
#include "depscope/replay/artefacts/graph_views.h"
#include "depscope/replay/artefacts/host_phases.h"
#include "depscope/replay/artefacts/kernel_names.h"
#include "depscope/replay/artefacts/pmu.h"
#include "depscope/replay/artefacts/run_files.h"
#include "depscope/replay/artefacts/run_quantities.h"
#include "depscope/replay/artefacts/scope_stats.h"
#include "depscope/replay/artefacts/span_rounds.h"
#include "depscope/replay/deps_json_reader.h"

namespace depscope::replay {

enum class FileState : std::uint8_t { Complete, Cut, Unreadable };
[[nodiscard]] std::string_view file_state_name(FileState state);

struct FileHealth {
  ArtefactKind kind = ArtefactKind::Deps;
  std::string path;    ///< below what was opened
  std::string digest;  ///< of its bytes (ImportOptions::digests); empty if it cannot be read
  std::uint64_t bytes = 0;
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
  std::vector<FileHealth> files;  ///< in the order in which they were read
  std::vector<MissingFile> missing;
  std::vector<std::string> assumed;                   ///< sentences about what the files do not say
  std::uint64_t timed_tasks = 0, timed_in_graph = 0;  ///< tasks with times; those that the task graph has
};

/// A consumer that started before its producer ended.
struct BackwardPair {
  std::uint32_t edge = 0;                                                    ///< edges row
  std::uint64_t producer_end = 0, consumer_start = 0, consumer_receive = 0;  ///< ticks of the file's clock
};

/// What one log of a run tells (run_log.h, span_rounds.h, stall_report.h).
struct ImportedLog {
  std::string path;  ///< below what was opened
  RunLog log;
  SpanRounds rounds;
  std::vector<std::vector<std::string>> hangs;  ///< sentences, by hang
};

struct ImportedRun {
  std::string where;
  RunHealth health;
  /// The task graph, with measured_dispatches, measured_phases, scope_samples, and what was found; empty tables for files that
  /// are not there.
  recording::Recording recording;
  bool has_graph = false;
  KernelNames kernels;   ///< none, if no file tells them
  std::string platform;  ///< of the build: "a2a3", "a5sim", …; empty if not told
  std::optional<Swimlane> swimlane;
  RunTimes times;
  RunQuantities quantities;  ///< of add_quantities
  GraphViews views;          ///< of add_quantities
  std::optional<ScopeStats> scopes;
  ScopePeaks peaks;
  std::vector<BackwardPair> backward;  ///< by edge
  std::optional<ArgsDump> args;
  std::optional<Pmu> pmu;  ///< with the rows of merges that failed
  std::optional<HostPhases> host_phases;
  std::vector<ImportedLog> logs;
  std::vector<std::string> join;  ///< what joining it with a run of the model gave, line by line; empty without that
};

struct ImportOptions {
  bool digests = false;  ///< of every file, for a recording's description
};

inline constexpr std::uint32_t kMaxBackwardFindings = 1'000;

/// Reads all files of the run. A file that ends early gives what it has; one that cannot be read is told and left out. `root` is
/// what paths are told relative to. Throws InputError if no file can be read at all.
[[nodiscard]] ImportedRun import_run(const RunFiles& files, const std::string& root, const ImportOptions& options = {});
/// What the tools of the tool chain compute (artefacts.md 14); its notes go to the health page.
void add_quantities(ImportedRun& run);

}  // namespace depscope::replay
