#include "run_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "depscope/recording/findings.h"
#include "depscope/replay/artefacts/span_rounds.h"
#include "depscope/replay/artefacts/stall_report.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kMaxHangs = 100;  // of one log

void append(std::vector<std::string>& to, const std::vector<std::string>& from) { to.insert(to.end(), from.begin(), from.end()); }

void arguments(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  if (files.of(ArtefactKind::Args).empty()) return;
  const std::string& path = files.of(ArtefactKind::Args).front();
  page.file(ArtefactKind::Args, path, kMaxArgsBytes, [&](const SourceFile& source, FileHealth& health) {
    ArgsDump dump = read_args_dump(source, {.salvage = true});
    if (dump.level) health.version = fmt::format("level {}", *dump.level);
    std::vector<std::uint64_t> tasks(dump.task);
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    health.facts = {fmt::format("{} of {}", counted(dump.rows(), "argument"), counted(tasks.size(), "task"))};
    const std::optional<std::string> binary = args_binary_path(dump, path);
    std::error_code error;
    std::optional<std::uint64_t> size;
    if (binary) {
      const std::uintmax_t bytes = std::filesystem::file_size(*binary, error);
      if (!error) size = bytes;
    }
    if (size) health.facts.push_back(counted(*size, "byte") + " of values");
    append(health.notes, args_notes(dump, size));
    if (dump.cut) page.cut(health, *dump.cut);
    run.args = std::move(dump);
  });
}

/// Rows of a merge that failed, behind those of the file.
void add_rows(Pmu& to, const Pmu& from) {
  const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  add(to.thread, from.thread);
  add(to.core, from.core);
  add(to.task, from.task);
  add(to.function, from.function);
  add(to.core_type, from.core_type);
  add(to.cycles, from.cycles);
  add(to.event_type, from.event_type);
  add(to.values, from.values);
}

void counters(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  const auto facts = [](const Pmu& pmu) {
    std::vector<std::string> out{counted(pmu.rows(), "row") + " of " + counted(pmu.counters.size(), "counter")};
    if (pmu.rows() != 0) out.push_back("event type " + pmu_event_name(pmu.event_type.front()));
    return out;
  };
  if (!files.of(ArtefactKind::Pmu).empty()) {
    page.file(ArtefactKind::Pmu, files.of(ArtefactKind::Pmu).front(), kMaxPmuBytes,
              [&](const SourceFile& source, FileHealth& health) {
                Pmu pmu = read_pmu(source);
                health.facts = facts(pmu);
                append(health.notes, pmu_notes(pmu));
                if (pmu.cut) page.cut(health, *pmu.cut);
                run.pmu = std::move(pmu);
              });
  }
  for (const std::string& path : files.of(ArtefactKind::PmuShard)) {
    page.file(ArtefactKind::PmuShard, path, kMaxPmuBytes, [&](const SourceFile& source, FileHealth& health) {
      if (!run.pmu) {
        health.notes.emplace_back("rows of a merge that failed; without pmu.csv nothing says what its columns are");
        return;
      }
      const Pmu shard = read_pmu_shard(source, *run.pmu);
      health.facts = {counted(shard.rows(), "row")};
      health.notes.emplace_back(
          "left behind by a merge that failed: its rows are counted with those of pmu.csv, and may be there, too");
      if (shard.cut) page.cut(health, *shard.cut);
      add_rows(*run.pmu, shard);
    });
  }
}

void host_phases(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  if (files.of(ArtefactKind::HostPhases).empty()) return;
  page.file(ArtefactKind::HostPhases, files.of(ArtefactKind::HostPhases).front(), kMaxHostPhasesBytes,
            [&](const SourceFile& source, FileHealth& health) {
              HostPhases phases = read_host_phases(source);
              health.facts = {fmt::format("{} in {}", counted(phases.records.rows(), "record"),
                                          phases.passes.rows() == 1 ? "1 pass" : fmt::format("{} passes", phases.passes.rows()))};
              std::uint64_t dropped = 0;
              for (const std::uint64_t d : phases.passes.dropped) dropped += d;
              if (dropped != 0) health.notes.push_back(fmt::format("{} found no place", counted(dropped, "record")));
              if (phases.skipped != 0)
                health.notes.push_back(fmt::format("{} left out, the first is line {}: {}",
                                                   phases.skipped == 1
                                                       ? "1 line is no record and was"
                                                       : fmt::format("{} lines are no records and were", phases.skipped),
                                                   phases.first_skipped->line, phases.first_skipped->message));
              run.host_phases = std::move(phases);
            });
}

void damaged(FileHealth& health, const DamagedRecords& records, std::string_view what) {
  if (records.count != 0)
    health.notes.push_back(
        fmt::format("{} cannot be read whole, the first in line {}", counted(records.count, what), records.first_line));
}

void logs(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  for (const std::string& path : files.of(ArtefactKind::Log)) {
    page.file(ArtefactKind::Log, path, kMaxRunLogBytes, [&](const SourceFile& source, FileHealth& health) {
      ImportedLog log;
      log.path = health.path;
      log.log = read_run_log(source);
      const RunLog& l = log.log;
      health.facts.push_back(counted(l.lines, "line"));
      if (l.spans.rows() != 0) health.facts.push_back(counted(l.spans.rows(), "span"));
      if (l.anchors.rows() != 0) health.facts.push_back(counted(l.anchors.rows(), "clock anchor"));
      if (l.bind_phases.rows() != 0) health.facts.push_back(counted(l.bind_phases.rows(), "phase") + " of the host");
      if (l.stall_rounds.rows() != 0) health.facts.push_back(counted(l.stall_rounds.rows(), "round") + " of hang diagnostics");
      damaged(health, l.torn_spans, "span");
      damaged(health, l.other_spans, "span of another version");
      damaged(health, l.torn_stalls, "hang line");
      damaged(health, l.torn_others, "other record");
      if (l.open_line != 0) health.notes.emplace_back("has no end of line at its end: its last record may be cut");
      const SpanTrees trees = span_trees(l);
      log.rounds = span_rounds(l, trees);
      std::vector<StallReport> hangs = stall_reports(l);
      if (hangs.size() > kMaxHangs) {
        health.notes.push_back(fmt::format("tells of {} hangs: the first {} are told", hangs.size(), kMaxHangs));
        hangs.resize(kMaxHangs);
      }
      for (const StallReport& report : hangs) log.hangs.push_back(stall_sentences(l, report));
      for (const StallFinding& f : stall_findings(l, hangs))
        recording::add_finding(run.recording, f.kind, f.severity, f.summary, f.fields, 0);
      run.logs.push_back(std::move(log));
    });
  }
}

}  // namespace

void add_details(ImportedRun& run, const RunFiles& files, HealthPage& page) {
  arguments(run, files, page);
  counters(run, files, page);
  host_phases(run, files, page);
  logs(run, files, page);
}

}  // namespace depscope::replay
