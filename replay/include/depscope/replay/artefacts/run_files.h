// Which files of a run are where (artefacts.md 1): a directory as the tool chain leaves it, or one file alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::replay {

enum class ArtefactKind : std::uint8_t {
  Deps,             ///< deps.json
  Swimlane,         ///< chip_swimlane_records.json and its former names
  ScopeStats,       ///< scope_stats.jsonl
  Args,             ///< args_dump.json, tensor_dump.json
  Pmu,              ///< pmu.csv
  HostPhases,       ///< host_phase_records.jsonl
  NameMap,          ///< name_map*.json
  Merged,           ///< merged_swimlane*.json
  PmuShard,         ///< pmu.csv.shard*.tmp: rows of a merge that failed
  Log,              ///< *.log of the host or the device
  KernelConfig,     ///< kernel_config.py of the program that ran
  CompiledMeta,     ///< compiled_meta.json of the program that ran
  DistributedMeta,  ///< distributed_meta.json of the build
};
inline constexpr std::size_t kArtefactKinds = 13;
[[nodiscard]] std::string_view artefact_name(ArtefactKind kind);  ///< its file name today

/// Of one run (one dispatch of one chip). Paths can be opened as they are.
struct RunFiles {
  std::string where;    ///< "" or "rank0/d1"
  std::string program;  ///< which program of a build ran there; empty if not told
  /// By ArtefactKind, sorted; more than one of NameMap, Merged, PmuShard and Log only.
  std::array<std::vector<std::string>, kArtefactKinds> paths;

  [[nodiscard]] const std::vector<std::string>& of(ArtefactKind kind) const { return paths[static_cast<std::size_t>(kind)]; }
};

enum class RunPlace : std::uint8_t {
  File,       ///< one file
  Directory,  ///< the diagnostic output of one run
  Build,      ///< a build of one program, with the output of its run
  DistributedBuild,
  DistributedRuns,  ///< rank*/d*
};
[[nodiscard]] std::string_view run_place_name(RunPlace place);

struct RunTree {
  RunPlace place = RunPlace::File;
  std::string root;            ///< as given
  std::vector<RunFiles> runs;  ///< by rank, then by number of the dispatch
};

inline constexpr std::size_t kMaxDirectoryEntries = 100'000;

/// Throws InputError: nothing there, no file of a run, several programs without a run of their own, more entries than the limit.
[[nodiscard]] RunTree find_runs(const std::string& path);
/// Whether a directory has anything that find_runs takes for the output of a run.
[[nodiscard]] bool has_run_files(const std::string& directory);

}  // namespace depscope::replay
