#include "pass_findings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "json_fields.h"

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

namespace {

/// What the fallback of one region took away or left, listed up to kMaxListed.
struct Losses {
  JsonList stripped{kMaxListed};
  JsonList undone{kMaxListed};
  JsonList kept{kMaxListed};
};

/// The `k`th of the edges of a row.
std::string edge_json(const Recording& r, const CallNames& calls, std::uint32_t edge, std::uint32_t k) {
  const auto [producer, id] = edge_part(r, edge, k);
  JsonFields fields;
  if (producer != kNoRow) fields.add_json("first", calls.json(producer));
  fields.add_json("second", calls.json(r.pass_edges.consumer[edge])).add("id", ir::source_name(r.text(id)));
  return fields.text();
}

/// By regions row.
std::vector<Losses> losses_of(const Recording& r, const CallNames& calls) {
  std::vector<Losses> losses(r.regions.rows());
  // The only region that falls back and keeps its edges is the whole body of a function.
  std::vector<std::uint32_t> keeping(r.functions.rows(), kNoRow);
  for (std::uint32_t i = 0; i < r.regions.rows(); ++i) {
    if (r.regions.kept_edges[i] != 0) keeping[r.regions.function[i]] = i;
  }
  const auto& e = r.pass_edges;
  for (std::uint32_t i = 0; i < e.rows(); ++i) {
    if (e.origin[i] != static_cast<std::uint8_t>(pass::EdgeOrigin::Compiler)) continue;
    std::uint32_t region = e.stripped_by[i];
    const bool stripped = region != kNoRow;
    if (!stripped && e.status[i] == static_cast<std::uint8_t>(pass::EdgeStatus::Kept))
      region = keeping[r.call_sites.function[e.consumer[i]]];
    if (region == kNoRow) continue;
    JsonList& list = stripped ? losses[region].stripped : losses[region].kept;
    std::uint32_t k = 0;
    for (; k < edge_count(r, i) && list.open(); ++k) list.add_json(edge_json(r, calls, i, k));
    list.skip(static_cast<std::uint32_t>(edge_count(r, i) - k));
  }
  const auto& u = r.rewrites_undone;
  for (std::uint32_t i = 0; i < u.rows(); ++i) {
    JsonList& list = losses[u.region[i]].undone;
    if (!list.open()) {
      list.skip();
      continue;
    }
    list.add_json(JsonFields()
                      .add_json("call", calls.json(r.arguments.call_site[u.argument[i]]))
                      .add("argument", calls.argument_name(u.argument[i]))
                      .add("from", pass::arg_direction_name(static_cast<pass::ArgDirection>(u.from[i])))
                      .add("to", pass::arg_direction_name(static_cast<pass::ArgDirection>(u.to[i])))
                      .text());
  }
  return losses;
}

void add_losses(JsonFields& fields, const Losses& losses) {
  fields.add_json("edges_stripped", losses.stripped.text()).add("edges_stripped_count", losses.stripped.count());
  fields.add_json("rewrites_undone", losses.undone.text()).add("rewrites_undone_count", losses.undone.count());
  if (losses.kept.count() == 0) return;
  fields.add_json("edges_kept", losses.kept.text()).add("edges_kept_count", losses.kept.count());
}

std::string lineage_json(const Recording& r, std::uint32_t& step, std::uint32_t region) {
  JsonList list;
  while (step < r.lineage.rows() && r.lineage.region[step] < region) ++step;
  for (; step < r.lineage.rows() && r.lineage.region[step] == region; ++step) {
    list.add_json(JsonFields().add("line", r.lineage.line[step]).add("what", r.text(r.lineage.what[step])).text());
  }
  return list.count() == 0 ? std::string() : list.text();
}

}  // namespace

void add_fallbacks(Recording& r, const CallNames& calls) {
  const auto& g = r.regions;
  const std::vector<Losses> losses = losses_of(r, calls);
  std::uint32_t step = 0;
  for (std::uint32_t region = 0; region < g.rows(); ++region) {
    const auto outcome = static_cast<pass::RegionOutcome>(g.outcome[region]);
    if (outcome == pass::RegionOutcome::Analysed) continue;
    const std::string_view function = r.text(r.functions.name[g.function[region]]);
    const std::string_view kind = pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region]));
    const std::string_view reason = r.text(g.reason[region]);
    const std::uint32_t site = g.offending_site[region];
    JsonFields fields;
    fields.add("function", function).add("region", g.index[region]).add("region_kind", kind);
    fields.add("outcome", pass::region_outcome_name(outcome));
    fields.add_json("reason", reason.empty() ? "null" : json_quoted(reason));
    std::string summary = fmt::format("{} {} of {}: {}", kind, g.index[region], function, pass::region_outcome_name(outcome));
    if (!reason.empty()) summary += fmt::format(" ({})", reason);
    std::uint32_t line = g.line[region];
    if (site != kNoRow) {
      if (r.call_sites.line[site] != 0) line = r.call_sites.line[site];
      fields.add_json("call", calls.json(site));
      summary += fmt::format(" at {}", calls.text(site));
      if (const std::string_view name = calls.argument(site, g.offending_arg[region]); !name.empty()) {
        fields.add("argument", name);
        summary += fmt::format(", argument {}", name);
      }
    }
    if (const std::uint32_t hazard = g.offending_hazard[region]; hazard != kNoRow && r.hazards.prior[hazard] != kNoRow)
      fields.add_json("prior", calls.json(r.hazards.prior[hazard]));
    if (g.stripped_edges[region] != 0) {
      fields.add("stripped_edges", g.stripped_edges[region]);
      summary += fmt::format(", {} compiler edges taken away", g.stripped_edges[region]);
    }
    if (g.kept_edges[region] != 0) summary += fmt::format(", {} compiler edges stay", g.kept_edges[region]);
    if (outcome == pass::RegionOutcome::FellBack) add_losses(fields, losses[region]);
    if (const std::string lineage = lineage_json(r, step, region); !lineage.empty()) fields.add_json("lineage", lineage);
    fields.add("line", line);
    add_finding(r, "fallback", Severity::Info, summary, fields.text(), line);
  }
}

void add_notice(Recording& r, std::string_view function, const std::string& name, const std::string& message, std::uint32_t site,
                std::uint32_t line) {
  ordered_json fields{{"function", std::string(function)}, {"line", line}};
  if (site != kNoRow)
    fields["call"] = {{"callee", std::string(r.text(r.call_sites.callee[site]))}, {"index", r.call_sites.index[site]}};
  // These two cost nothing but a superfluous wait.
  const bool harmless = name == "else_sees_then" || name == "redundant_edges";
  add_finding(r, name, harmless ? Severity::Info : Severity::Warning, message, dump(fields), line);
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
