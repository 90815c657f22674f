#include "imported_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "command.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/artefacts/run_summary.h"
#include "input_description.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownRuns = 8;

}  // namespace

void choose_run(replay::RunTree& tree, const std::string& where) {
  if (where.empty()) return;
  const auto at =
      std::find_if(tree.runs.begin(), tree.runs.end(), [&](const replay::RunFiles& run) { return run.where == where; });
  if (at == tree.runs.end())
    throw UsageError(fmt::format("--run {}: there is no such run; {}", where,
                                 tree.runs.size() > 1 ? give_one(tree) : "the input is a single one"));
  replay::RunFiles only = std::move(*at);
  tree.runs.clear();
  tree.runs.push_back(std::move(only));
}

std::string give_one(const replay::RunTree& tree) {
  std::string out = "give one of them with --run: ";
  for (std::size_t i = 0; i < std::min(tree.runs.size(), kShownRuns); ++i) out += (i == 0 ? "" : ", ") + tree.runs[i].where;
  if (tree.runs.size() > kShownRuns) out += ", …";
  return out;
}

void describe_run(const replay::RunTree& tree, const replay::RunHealth& health, recording::Recording& recording) {
  const std::vector<std::string> files = run_files(tree);
  if (files.size() == 1 && health.files.size() == 1) {
    const replay::FileHealth& only = health.files.front();
    recording.input_name = fs::path(files.front()).filename().string();
    recording.input_digest = only.digest;
    if (only.bytes <= kKeptInputBytes)
      recording.input_text = std::string(SourceFile::read(files.front(), replay::kMaxDepsBytes).text());
    return;
  }
  std::string digests;
  for (const replay::FileHealth& file : health.files) digests += file.digest;
  recording.input_name = fs::path(tree.root).lexically_normal().filename().string();
  if (recording.input_name.empty())
    recording.input_name = fs::path(tree.root).lexically_normal().parent_path().filename().string();
  recording.input_digest = digest_of(digests);
}

std::vector<std::string> run_files(const replay::RunTree& tree) {
  std::vector<std::string> out;
  for (const replay::RunFiles& run : tree.runs) {
    for (const auto& paths : run.paths) out.insert(out.end(), paths.begin(), paths.end());
  }
  // Runs of one program share the files of its build.
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

recording::Recording read_run(const std::string& path) {
  const replay::RunTree tree = replay::find_runs(path);
  if (tree.runs.size() > 1) {
    Diagnostic d;
    d.file = path;
    d.message =
        fmt::format("{} runs are there: give the directory of one of them ({}, …)", tree.runs.size(), tree.runs.front().where);
    throw InputError(std::move(d));
  }
  replay::ImportedRun run = replay::import_run(tree.runs.front(), path, {.digests = true});
  add_quantities(run);
  add_run_notes(run);
  describe_run(tree, run.health, run.recording);
  return std::move(run.recording);
}

}  // namespace depscope::app
