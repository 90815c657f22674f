#include "watch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "depscope/replay/check.h"
#include "state_words.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLines = 10;  // of each sort

/// What `from` has and `without` has not, the same finding as often as it is there more often; in the order of `from`.
std::vector<WatchedFinding> left_over(const std::vector<WatchedFinding>& from, std::vector<WatchedFinding> without) {
  std::sort(without.begin(), without.end());
  std::vector<WatchedFinding> out;
  // By the place of the first of equal ones: how many of them are used up.
  std::vector<std::size_t> used(without.size(), 0);
  for (const WatchedFinding& finding : from) {
    const auto [begin, end] = std::equal_range(without.begin(), without.end(), finding);
    if (begin == end || used[static_cast<std::size_t>(begin - without.begin())] == static_cast<std::size_t>(end - begin)) {
      out.push_back(finding);
    } else {
      ++used[static_cast<std::size_t>(begin - without.begin())];
    }
  }
  return out;
}

void add_findings(std::string& out, std::string_view label, const std::vector<WatchedFinding>& findings) {
  for (std::size_t i = 0; i < std::min(findings.size(), kLines); ++i) {
    const WatchedFinding& f = findings[i];
    out += fmt::format("    {:<8}{}: {}: {}\n", label, to_string(f.severity), f.kind, f.summary);
  }
  if (findings.size() > kLines) out += fmt::format("    {:<8}{} more\n", label, findings.size() - kLines);
}

std::string state_text(const WatchedState& state) {
  return fmt::format("{}, {}; {}, {}, {}", count_text(state.recording.tasks.rows(), "task", "tasks"),
                     count_text(state.recording.edges.rows(), "edge", "edges"), count_text(state.errors, "error", "errors"),
                     count_text(state.warnings, "warning", "warnings"), count_text(state.infos, "info", "infos"));
}

ordered_json json_of(const std::vector<WatchedFinding>& findings) {
  ordered_json out = ordered_json::array();
  for (const WatchedFinding& f : findings)
    out.push_back({{"kind", f.kind}, {"severity", to_string(f.severity)}, {"summary", f.summary}});
  return out;
}

}  // namespace

WatchedState watched_state(recording::Recording recording) {
  WatchedState out;
  out.recording = std::move(recording);
  const replay::Check check(out.recording);
  out.errors = check.counts().errors;
  out.warnings = check.counts().warnings;
  out.infos = check.counts().infos;
  check.each({}, [&](const replay::CheckFinding& f) { out.findings.push_back({std::string(f.kind), f.severity, f.summary}); });
  return out;
}

void compare_with(const WatchedState* before, WatchLook& look) {
  look.first_state = before == nullptr;
  if (before == nullptr) {
    look.findings_new = look.state->findings;
    return;
  }
  look.findings_new = left_over(look.state->findings, before->findings);
  look.findings_gone = left_over(before->findings, look.state->findings);
  const replay::Comparison comparison = replay::compare(before->recording, look.state->recording, {.max_listed = 1});
  for (std::size_t k = 0; k < replay::kDifferenceKinds; ++k) {
    if (comparison.counts[k].total == 0) continue;
    WatchedDifference difference{static_cast<replay::DifferenceKind>(k), comparison.counts[k].total, ""};
    const auto listed = std::find_if(comparison.differences.begin(), comparison.differences.end(),
                                     [&](const auto& d) { return d.kind == difference.kind && d.severity != Severity::Info; });
    if (listed != comparison.differences.end()) difference.first = listed->summary;
    look.differences.push_back(std::move(difference));
  }
}

std::string watch_text(const WatchLook& look) {
  std::string out = fmt::format("look {}: ", look.number);
  if (look.state == nullptr) return out + (look.same_error ? "the same error" : "error: " + look.error) + "\n";
  out += state_text(*look.state);
  const bool same = look.differences.empty() && look.findings_new.empty() && look.findings_gone.empty();
  if (same && !look.first_state) out += "; no difference";
  out += "\n";
  for (std::size_t i = 0; i < std::min(look.differences.size(), kLines); ++i) {
    const WatchedDifference& d = look.differences[i];
    out += fmt::format("    differs {} {}{}{}\n", replay::difference_kind_name(d.kind), d.count, d.first.empty() ? "" : ": ",
                       d.first);
  }
  if (look.differences.size() > kLines) out += fmt::format("    differs {} more kinds\n", look.differences.size() - kLines);
  add_findings(out, look.first_state ? "found" : "new", look.findings_new);
  add_findings(out, "gone", look.findings_gone);
  return out;
}

std::string watch_json(const WatchLook& look) {
  ordered_json object{{"schema", "depscope.watch/1"}, {"number", look.number}};
  if (look.state != nullptr) {
    object["tasks"] = look.state->recording.tasks.rows();
    object["edges"] = look.state->recording.edges.rows();
    object["errors"] = look.state->errors;
    object["warnings"] = look.state->warnings;
    object["infos"] = look.state->infos;
  } else {
    for (const char* key : {"tasks", "edges", "errors", "warnings", "infos"}) object[key] = nullptr;
  }
  object["findings_new"] = json_of(look.findings_new);
  object["findings_gone"] = json_of(look.findings_gone);
  object["differences"] = ordered_json::array();
  for (const WatchedDifference& d : look.differences) {
    ordered_json first = d.first.empty() ? ordered_json() : ordered_json(d.first);
    object["differences"].push_back(
        {{"what", replay::difference_kind_name(d.kind)}, {"count", d.count}, {"first", std::move(first)}});
  }
  object["error"] = look.state != nullptr ? ordered_json() : ordered_json(look.error);
  // Names and messages of a broken input may hold any bytes.
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace depscope::app
