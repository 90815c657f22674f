#include "run_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "depscope/replay/artefacts/build_metadata.h"

namespace depscope::replay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownParameters = 8;

struct ChosenMap {
  std::string path;
  std::string why;  ///< empty if there is no choice
};

/// What a name map of this run would be called: after the program of the dispatch, else after the build.
std::string name_wanted(const RunFiles& files, const fs::path& directory) {
  if (!files.program.empty()) return files.program;
  const bool output = directory.filename() == "dfx_outputs";
  return (output ? directory.parent_path() : directory).filename().string();
}

ChosenMap choose_map(const RunFiles& files) {
  const auto& paths = files.of(ArtefactKind::NameMap);
  if (paths.size() == 1) return {paths.front(), {}};
  const fs::path directory = fs::absolute(paths.front()).lexically_normal().parent_path();
  const std::string wanted = name_wanted(files, directory);
  for (const std::string& path : paths) {
    if (fs::path(path).filename() == fmt::format("name_map_{}.json", wanted))
      return {path, fmt::format("of {} name maps the one of {}", paths.size(), wanted)};
  }
  const auto age = [](const std::string& path) {
    std::error_code ignored;
    return std::pair(fs::last_write_time(path, ignored), path);
  };
  const auto newest =
      std::max_element(paths.begin(), paths.end(), [&](const std::string& a, const std::string& b) { return age(a) < age(b); });
  return {*newest, fmt::format("of {} name maps the newest, since none has the name of the run", paths.size())};
}

std::vector<std::string> facts_of(const KernelNames& names) {
  std::vector<std::string> out{counted(names.kernels.size(), "kernel")};
  if (!names.orchestrator.empty()) out.push_back("orchestration " + names.orchestrator);
  if (!names.runtime.empty()) out.push_back("runtime " + names.runtime);
  return out;
}

void tell_names(const KernelNames& names, FileHealth& health) {
  health.facts = facts_of(names);
  if (names.skipped != 0)
    health.notes.push_back(
        fmt::format("{} without a number or a name", names.skipped == 1 ? "1 entry" : fmt::format("{} entries", names.skipped)));
  if (names.twice != 0)
    health.notes.push_back(fmt::format("{} with the number of an earlier one, which holds", counted(names.twice, "name")));
}

/// How many kernels the two call differently.
std::uint32_t differing(const KernelNames& a, const KernelNames& b) {
  return static_cast<std::uint32_t>(std::count_if(a.kernels.begin(), a.kernels.end(), [&b](const KernelName& k) {
    const std::string_view other = b.name_of(k.func_id);
    return !other.empty() && other != k.name;
  }));
}

void name_tasks(recording::Recording& r, const KernelNames& names) {
  struct Ids {
    std::int32_t aic, aiv0, aiv1;
    bool operator==(const Ids&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Ids& ids) const {
      std::uint64_t out = 0;
      for (const std::int32_t id : {ids.aic, ids.aiv0, ids.aiv1})
        out = (out ^ static_cast<std::uint32_t>(id)) * 0x9e3779b97f4a7c15ULL;
      return static_cast<std::size_t>(out ^ out >> 32U);
    }
  };
  std::unordered_map<Ids, std::uint32_t, Hash> known;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const Ids ids{r.tasks.kernel_aic[t], r.tasks.kernel_aiv0[t], r.tasks.kernel_aiv1[t]};
    const auto [at, fresh] = known.try_emplace(ids, 0);
    if (fresh) at->second = r.strings.add(kernels_text(names, ids.aic, ids.aiv0, ids.aiv1));
    r.tasks.callee[t] = at->second;
  }
}

}  // namespace

void add_names(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  bool from_map = false;
  if (!files.of(ArtefactKind::NameMap).empty()) {
    const ChosenMap chosen = choose_map(files);
    page.file(ArtefactKind::NameMap, chosen.path, kMaxNamesBytes, [&](const SourceFile& source, FileHealth& health) {
      KernelNames names = read_name_map(source);
      tell_names(names, health);
      if (!chosen.why.empty()) health.notes.push_back(chosen.why);
      if (names.level == 3) {
        health.notes.emplace_back("numbers callables of a distributed program, not kernels: not used");
        return;
      }
      from_map = true;
      run.kernels = std::move(names);
    });
  }
  if (!files.of(ArtefactKind::KernelConfig).empty()) {
    page.file(ArtefactKind::KernelConfig, files.of(ArtefactKind::KernelConfig).front(), kMaxNamesBytes,
              [&](const SourceFile& source, FileHealth& health) {
                KernelNames names = read_kernel_config(source);
                tell_names(names, health);
                const std::uint32_t other = from_map ? differing(run.kernels, names) : 0;
                if (other != 0)
                  health.notes.push_back(
                      fmt::format("calls {} otherwise than the name map of the run, which holds", counted(other, "kernel")));
                if (!from_map) run.kernels = std::move(names);
              });
  }
  if (run.has_graph && !run.kernels.kernels.empty()) name_tasks(run.recording, run.kernels);
}

void add_build(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  for (const ArtefactKind kind : {ArtefactKind::CompiledMeta, ArtefactKind::DistributedMeta}) {
    if (files.of(kind).empty()) continue;
    page.file(kind, files.of(kind).front(), kMaxMetadataBytes, [&](const SourceFile& source, FileHealth& health) {
      const BuildMetadata build = read_build_metadata(source);
      health.version = fmt::format("schema {}", build.schema);
      health.facts.push_back(fmt::format("{}, {}", build.platform.empty() ? "platform not told" : build.platform, build.backend));
      if (!build.device_ids.empty()) health.facts.push_back(fmt::format("devices {} by rank", fmt::join(build.device_ids, ", ")));
      const std::size_t shown = std::min(build.parameters.size(), kShownParameters);
      for (std::size_t i = 0; i < shown; ++i) health.facts.push_back(parameter_text(build.parameters[i]));
      if (shown < build.parameters.size())
        health.facts.push_back(fmt::format("{} more parameters", build.parameters.size() - shown));
      if (run.platform.empty()) run.platform = build.platform;
    });
  }
}

}  // namespace depscope::replay
