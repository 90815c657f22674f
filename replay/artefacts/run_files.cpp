#include "depscope/replay/artefacts/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "depscope/base/diagnostics.h"
#include "depscope/base/json_reader.h"

namespace depscope::replay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 4096;

[[noreturn]] void refuse(const std::string& path, std::string message) {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}
bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// Names in a directory, sorted.
std::vector<std::string> entries(const fs::path& directory) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (out.size() == kMaxDirectoryEntries) refuse(directory.string(), fmt::format("more than {} entries", kMaxDirectoryEntries));
    out.push_back(it->path().filename().string());
  }
  if (error) refuse(directory.string(), fmt::format("cannot be read: {}", error.message()));
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<ArtefactKind> kind_by_name(std::string_view name) {
  if (name == "deps.json") return ArtefactKind::Deps;
  if (name == "chip_swimlane_records.json" || name == "l2_swimlane_records.json" || name == "l2_perf_records.json")
    return ArtefactKind::Swimlane;
  if (name == "scope_stats.jsonl") return ArtefactKind::ScopeStats;
  if (name == "args_dump.json" || name == "tensor_dump.json") return ArtefactKind::Args;
  if (name == "pmu.csv") return ArtefactKind::Pmu;
  if (name == "host_phase_records.jsonl") return ArtefactKind::HostPhases;
  if (name.starts_with("name_map") && name.ends_with(".json")) return ArtefactKind::NameMap;
  if (name.starts_with("merged_swimlane") && name.ends_with(".json")) return ArtefactKind::Merged;
  if (name.starts_with("pmu.csv.shard") && name.ends_with(".tmp")) return ArtefactKind::PmuShard;
  if (name.ends_with(".log")) return ArtefactKind::Log;
  return std::nullopt;
}

/// By the words that only one kind of file has; a file under another name.
std::optional<ArtefactKind> kind_by_content(const fs::path& path) {
  std::string head(kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const auto says = [&head](std::string_view word) { return head.find(word) != std::string::npos; };
  if (says("\"task_window_max\"")) return ArtefactKind::ScopeStats;
  if (says("\"chip_swimlane_level\"") || says("\"l2_swimlane_level\"") || says("\"l2_perf_level\"") || says("\"aicore_tasks\"") ||
      says("\"start_time_us\""))
    return ArtefactKind::Swimlane;
  if (says("\"traceEvents\"")) return ArtefactKind::Merged;
  if (says("\"dump_args_level\"") || says("\"total_args\"") || says("\"total_tensors\"")) return ArtefactKind::Args;
  if (says("\"callable_id_to_name\"")) return ArtefactKind::NameMap;
  if (head.starts_with("thread_id,core_id,task_id")) return ArtefactKind::Pmu;
  if (says("\"host_monotonic_ns\"") && says("\"records\"")) return ArtefactKind::HostPhases;
  if (says("[STRACE]") || says("[STALL ") || says("[CLOCK_ANCHOR]") || says("sched_start=")) return ArtefactKind::Log;
  if (says("\"tasks\"") || says("\"edges\"") || says("\"tensors\"")) return ArtefactKind::Deps;
  return std::nullopt;
}

RunFiles files_in(const fs::path& directory, std::string where) {
  RunFiles out;
  out.where = std::move(where);
  const auto take = [&out](const fs::path& folder) {
    if (!is_folder(folder)) return;
    for (const std::string& name : entries(folder)) {
      if (const auto kind = kind_by_name(name); kind && is_file(folder / name))
        out.paths[static_cast<std::size_t>(*kind)].push_back((folder / name).string());
    }
  };
  take(directory);
  for (const char* folder : {"scope_stats", "args_dump", "tensor_dump"}) take(directory / folder);
  // The newest name of the timing comes first in the alphabet, and holds.
  for (const ArtefactKind kind : {ArtefactKind::Swimlane, ArtefactKind::ScopeStats, ArtefactKind::Args}) {
    auto& paths = out.paths[static_cast<std::size_t>(kind)];
    if (paths.size() > 1) paths.resize(1);
  }
  return out;
}

bool any(const RunFiles& files) {
  for (const ArtefactKind kind : {ArtefactKind::Deps, ArtefactKind::Swimlane, ArtefactKind::ScopeStats, ArtefactKind::Args,
                                  ArtefactKind::Pmu, ArtefactKind::PmuShard, ArtefactKind::HostPhases, ArtefactKind::Merged}) {
    if (!files.of(kind).empty()) return true;
  }
  return false;
}

/// "rank12" with the prefix "rank": 12.
std::optional<std::uint32_t> number_behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::string program_of(const fs::path& directory) {
  const fs::path file = directory / "dispatch_program.json";
  if (!is_file(file)) return {};
  const SourceFile source = SourceFile::read(file.string(), std::uint64_t{1} << 20U);
  std::string program;
  try {
    JsonReader reader(source);
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      if (key == "program" && reader.is_string()) {
        program = reader.string();
      } else {
        reader.skip();
      }
    }
  } catch (const InputError&) {
    return {};  // malformed counts as missing (artefacts.md 11.4)
  }
  return program;
}

std::vector<RunFiles> distributed_runs(const fs::path& root) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>> found;
  for (const std::string& rank : entries(root)) {
    const auto r = number_behind(rank, "rank");
    if (!r || !is_folder(root / rank)) continue;
    for (const std::string& dispatch : entries(root / rank)) {
      const auto d = number_behind(dispatch, "d");
      if (d && is_folder(root / rank / dispatch)) found.emplace_back(*r, *d, rank + "/" + dispatch);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<RunFiles> out;
  for (const auto& [rank, dispatch, where] : found) {
    RunFiles files = files_in(root / where, where);
    if (!any(files)) continue;
    files.program = program_of(root / where);
    out.push_back(std::move(files));
  }
  return out;
}

void take_file(RunFiles& run, ArtefactKind kind, const fs::path& folder, const char* name) {
  if (is_file(folder / name)) run.paths[static_cast<std::size_t>(kind)].assign(1, (folder / name).string());
}

/// What the build of the program that ran says about it.
void take_build(RunFiles& run, const fs::path& build) {
  take_file(run, ArtefactKind::KernelConfig, build, "kernel_config.py");
  take_file(run, ArtefactKind::CompiledMeta, build, "compiled_meta.json");
}

/// The program of a dispatch that does not name it: the only one of the build, if it is one (artefacts.md 11.4).
std::string only_program(const fs::path& build) {
  if (!is_folder(build / "next_levels")) return {};
  std::string out;
  for (const std::string& name : entries(build / "next_levels")) {
    if (!is_file(build / "next_levels" / name / "kernel_config.py")) continue;
    if (!out.empty()) return {};
    out = name;
  }
  return out;
}

/// Each dispatch has the tables of its own program, never those of another.
void take_distributed_build(std::vector<RunFiles>& runs, const fs::path& build) {
  const std::string only = only_program(build);
  for (RunFiles& run : runs) {
    if (run.program.empty()) run.program = only;
    take_file(run, ArtefactKind::DistributedMeta, build, "distributed_meta.json");
    // A name that leads out of the build is none.
    if (run.program.empty() || fs::path(run.program).filename() != run.program) continue;
    take_build(run, build / "next_levels" / run.program);
  }
}

enum class Place : std::uint8_t { Other, Output, Dispatch };
/// dfx_outputs, or dfx_outputs/rank<r>/d<k>.
Place place_of(const fs::path& given) {
  fs::path path = fs::absolute(given).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "dfx_outputs") return Place::Output;
  const fs::path rank = path.parent_path();
  const bool dispatch = number_behind(path.filename().string(), "d") && number_behind(rank.filename().string(), "rank");
  return dispatch && rank.parent_path().filename() == "dfx_outputs" ? Place::Dispatch : Place::Other;
}

}  // namespace

std::string_view artefact_name(ArtefactKind kind) {
  constexpr std::array<std::string_view, kArtefactKinds> kNames{"deps.json",
                                                                "chip_swimlane_records.json",
                                                                "scope_stats.jsonl",
                                                                "args_dump.json",
                                                                "pmu.csv",
                                                                "host_phase_records.jsonl",
                                                                "name_map*.json",
                                                                "merged_swimlane*.json",
                                                                "pmu.csv.shard*.tmp",
                                                                "*.log",
                                                                "kernel_config.py",
                                                                "compiled_meta.json",
                                                                "distributed_meta.json"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view run_place_name(RunPlace place) {
  constexpr std::array<std::string_view, 5> kNames{"file", "run", "build", "distributed build", "distributed runs"};
  return kNames[static_cast<std::size_t>(place)];
}

bool has_run_files(const std::string& directory) {
  const fs::path path(directory);
  return is_folder(path) && (any(files_in(path, "")) || !distributed_runs(path).empty());
}

RunTree find_runs(const std::string& path) {
  RunTree out;
  out.root = path;
  const fs::path given(path);
  if (is_file(given)) {
    auto kind = kind_by_name(given.filename().string());
    if (!kind) kind = kind_by_content(given);
    if (!kind)
      refuse(path,
             "what file of a run is this? deps.json, chip_swimlane_records.json, scope_stats.jsonl, args_dump.json, pmu.csv or "
             "a directory of them was expected");
    if (*kind == ArtefactKind::NameMap)
      refuse(path, "a name map says nothing without the other files of its run: give their directory");
    out.runs.emplace_back();
    out.runs.back().paths[static_cast<std::size_t>(*kind)].push_back(path);
    return out;
  }
  if (!is_folder(given)) refuse(path, "cannot open: there is no such file or directory");
  const bool distributed = is_file(given / "orchestration" / "host_orch.py") && !is_file(given / "kernel_config.py");
  const fs::path output = is_folder(given / "dfx_outputs") ? given / "dfx_outputs" : given;
  // The output of a build belongs to it also where it is given alone.
  const Place place = place_of(given);
  const fs::path build = place == Place::Output ? given / ".." : (place == Place::Dispatch ? given / ".." / ".." / ".." : given);
  out.runs = distributed_runs(output);
  if (!out.runs.empty()) {
    out.place = distributed ? RunPlace::DistributedBuild : RunPlace::DistributedRuns;
    take_distributed_build(out.runs, build);
    return out;
  }
  RunFiles files = files_in(output, "");
  if (!any(files)) {
    if (is_folder(given / "next_levels"))
      refuse(path,
             "a build of several programs without output of its own: give the directory of one run (rank*/d* or dfx_outputs)");
    refuse(path,
           "no file of a run is there: deps.json, chip_swimlane_records.json, scope_stats/, args_dump/, pmu.csv or rank*/d* was "
           "expected");
  }
  if (place != Place::Dispatch) take_build(files, build);
  out.place = is_file(given / "kernel_config.py") ? RunPlace::Build : RunPlace::Directory;
  out.runs.push_back(std::move(files));
  if (place == Place::Dispatch) {
    out.runs.back().program = program_of(given);
    take_distributed_build(out.runs, build);
  }
  return out;
}

}  // namespace depscope::replay
