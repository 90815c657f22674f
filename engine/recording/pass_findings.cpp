#include "pass_findings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "depscope/ir/text.h"

namespace depscope::recording {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& object) { return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

}  // namespace

void add_finding(Recording& recording, std::string_view kind, Severity severity, std::string_view summary,
                 std::string_view fields, std::uint32_t line) {
  recording.findings.kind.push_back(recording.strings.add(kind));
  recording.findings.severity.push_back(static_cast<std::uint8_t>(severity));
  recording.findings.summary.push_back(recording.strings.add(summary));
  recording.findings.fields.push_back(recording.strings.add(fields));
  recording.findings.line.push_back(line);
}

void add_fallback(Recording& r, std::uint32_t region, std::uint32_t occurrence) {
  const auto& g = r.regions;
  const std::string function(r.text(r.functions.name[g.function[region]]));
  const std::string kind(pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region])));
  const std::string outcome(pass::region_outcome_name(static_cast<pass::RegionOutcome>(g.outcome[region])));
  const std::string reason(r.text(g.reason[region]));
  const std::uint32_t site = g.offending_site[region];
  ordered_json fields{{"function", function}, {"region", g.index[region]}, {"region_kind", kind}, {"outcome", outcome}};
  fields["reason"] = reason.empty() ? ordered_json() : ordered_json(reason);
  std::string summary = fmt::format("{} {} of {}: {}", kind, g.index[region], function, outcome);
  if (!reason.empty()) summary += fmt::format(" ({})", reason);
  std::uint32_t line = g.line[region];
  if (site != kNoRow) {
    const std::string callee(r.text(r.call_sites.callee[site]));
    if (r.call_sites.line[site] != 0) line = r.call_sites.line[site];
    fields["call"] = {
        {"callee", callee}, {"occurrence", occurrence}, {"index", r.call_sites.index[site]}, {"line", r.call_sites.line[site]}};
    summary += fmt::format(" at call {} of {}", r.call_sites.index[site], callee);
    const std::uint32_t arg = g.offending_arg[region];
    if (arg != kNoRow && arg < r.call_sites.argument_count[site]) {
      const std::string name(ir::source_name(r.text(r.arguments.name[r.call_sites.argument_begin[site] + arg])));
      fields["argument"] = name;
      summary += fmt::format(", argument {}", name);
    }
  }
  if (g.stripped_edges[region] != 0) {
    fields["stripped_edges"] = g.stripped_edges[region];
    summary += fmt::format(", {} compiler edges taken away", g.stripped_edges[region]);
  }
  fields["line"] = line;
  add_finding(r, "fallback", Severity::Info, summary, dump(fields), line);
}

void add_notice(Recording& r, std::string_view function, const std::string& name, const std::string& message, std::uint32_t site,
                std::uint32_t line) {
  ordered_json fields{{"function", std::string(function)}, {"line", line}};
  if (site != kNoRow)
    fields["call"] = {{"callee", std::string(r.text(r.call_sites.callee[site]))}, {"index", r.call_sites.index[site]}};
  add_finding(r, name, Severity::Warning, message, dump(fields), line);
}

void add_fence(Recording& r, std::string_view function, std::string_view array, const pass::FenceRecord& record,
               std::uint32_t line) {
  const std::string name(ir::source_name(array));
  ordered_json fields{{"function", std::string(function)},
                      {"what", "phase_fence"},
                      {"array", name},
                      {"accepted", record.accepted},
                      {"N", record.producers},
                      {"M", record.consumers},
                      {"saving", record.saving}};
  std::string summary;
  if (record.accepted) {
    // A loop may have any trip count: sums and products stop at the largest number.
    std::int64_t before = 0;
    std::int64_t after = 0;
    if (__builtin_mul_overflow(record.producers, record.consumers, &before)) before = INT64_MAX;
    if (__builtin_add_overflow(record.producers, record.consumers, &after)) after = INT64_MAX;
    fields["edges_before"] = before;
    fields["edges_after"] = after;
    summary = fmt::format("phase fence on {}: {} x {} edges become {} + {}", name, record.producers, record.consumers,
                          record.producers, record.consumers);
  } else {
    fields["reason"] = record.reason;
    summary = fmt::format("no phase fence on {}: {}", name, record.reason);
  }
  fields["line"] = line;
  add_finding(r, "rewrite", Severity::Info, summary, dump(fields), line);
}

}  // namespace depscope::recording
