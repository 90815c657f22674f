#include "summary_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "depscope/replay/artefacts/clock_alignment.h"
#include "depscope/replay/row_names.h"
#include "note_words.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kShownRows = 20;
constexpr double kNsPerUs = 1000.0;

std::string function_name(const ImportedRun& run, std::uint64_t function) {
  if (function == kUnknownFunction) return "unknown";
  const std::string_view name =
      function <= static_cast<std::uint64_t>(kMaxFuncId) ? run.kernels.name_of(static_cast<std::int32_t>(function)) : "";
  return name.empty() ? fmt::format("func {}", function) : std::string(name);
}

SummarySection arguments(const ArgsDump& args) {
  SummarySection out{"arguments", {}};
  for (std::uint32_t row = 0; row < args.rows() && row < kShownRows; ++row) {
    std::string what{arg_form_name(args.kind[row])};
    if (!args.value(row).empty()) what += fmt::format(" = {}", shown(args.value(row)));
    std::string shape;
    for (const std::uint32_t d : args.shape(row)) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", d);
    if (!shape.empty()) what += fmt::format(" [{}]", shape);
    out.lines.push_back(fmt::format("{:<8} argument {} {} ({}), {}{}{}", short_id(args.task[row]), args.arg_index[row],
                                    arg_role_name(args.role[row]), arg_stage_name(args.stage[row]), what,
                                    args.truncated[row] != 0 ? ", truncated" : "",
                                    args.overwritten[row] != 0 ? ", overwritten" : ""));
  }
  if (args.rows() > kShownRows) out.lines.push_back(fmt::format("and {} more", args.rows() - kShownRows));
  return out;
}

SummarySection counters(const ImportedRun& run) {
  SummarySection out{"counters", {}};
  const PmuSums sums = pmu_by_function(*run.pmu);
  for (std::size_t i = 0; i < sums.key.size() && i < kShownRows; ++i) {
    std::string line =
        fmt::format("{:<24} {:>12}, {} cycles", function_name(run, sums.key[i]), counted(sums.rows[i], "row"), sums.cycles[i]);
    for (std::size_t c = 0; c < run.pmu->counters.size(); ++c) {
      const std::uint64_t value = sums.values[i * run.pmu->counters.size() + c];
      if (value != 0) line += fmt::format(", {} {}", shown(run.pmu->counters[c]), value);
    }
    out.lines.push_back(std::move(line));
  }
  if (sums.key.size() > kShownRows) out.lines.push_back(fmt::format("and {} more functions", sums.key.size() - kShownRows));
  return out;
}

void add_phases(std::vector<std::string>& lines, const HostPhaseSums& sums) {
  for (std::size_t i = 0; i < sums.passes.size() && i < kShownRows; ++i) {
    const HostPass& pass = sums.passes[i];
    lines.push_back(fmt::format("pass {} of {}: {:.2f} us of control plane{}{}", pass.inv, pass.of,
                                static_cast<double>(pass.control_plane_ns) / kNsPerUs, pass.warm_up ? ", warm-up" : "",
                                pass.complete ? "" : ", cut"));
  }
  for (std::size_t i = 0; i < sums.phases.size() && i < kShownRows; ++i) {
    const PhaseSum& p = sums.phases[i];
    lines.push_back(fmt::format("{:<24} {:>12}, {:.2f} us in all, at most {:.2f} us", shown(p.phase), counted(p.count, "time"),
                                static_cast<double>(p.total_ns) / kNsPerUs, static_cast<double>(p.longest_ns) / kNsPerUs));
  }
}

std::optional<ClockAlignment> clocks(const ImportedRun& run) {
  if (!run.swimlane || !run.swimlane->host_orchestrator) return std::nullopt;
  return align_clocks(*run.swimlane);
}

SummarySection clock_lines(const ImportedRun& run, const ClockAlignment& alignment) {
  SummarySection out{"clocks", {}};
  if (!alignment.calibrated()) {
    out.lines.push_back(
        fmt::format("host and device have no common time: {}; the device is shown behind the host", alignment.reason()));
    return out;
  }
  out.lines.push_back(fmt::format("device times are known on the host's clock to {:.2f} us",
                                  static_cast<double>(alignment.uncertainty()) / kNsPerUs));
  const Dispatches& d = run.times.joined;
  if (d.rows() != 0)
    out.lines.push_back(fmt::format("{} was received {:.2f} us after the host began", short_id(d.task[0]),
                                    alignment.since_origin_us(d.receive[0])));
  if (!host_capture_complete(*run.swimlane))
    out.lines.emplace_back("the host's records are not complete: no latency across the two clocks");
  return out;
}

SummarySection log_lines(const ImportedLog& log) {
  SummarySection out{"log " + log.path, {}};
  for (std::size_t t = 0; t < kRoundTimes; ++t) {
    const RoundAverage& average = log.rounds.averages[t];
    if (average.rounds == 0) continue;
    std::string line = fmt::format("{:<10} {:.2f} us in the mean of {}", round_time_name(static_cast<RoundTime>(t)),
                                   average.mean / kNsPerUs, counted(average.rounds, "round"));
    if (average.trimmed) line += fmt::format(", {:.2f} us without the extremes", *average.trimmed / kNsPerUs);
    out.lines.push_back(std::move(line));
  }
  for (const std::vector<std::string>& hang : log.hangs) out.lines.insert(out.lines.end(), hang.begin(), hang.end());
  add_phases(out.lines, host_phase_sums(log.log));
  return out;
}

void write_phases(JsonWriter& out, const HostPhaseSums& sums) {
  out.begin_object().key("passes").begin_list();
  for (const HostPass& pass : sums.passes)
    out.begin_object()
        .field("of", pass.of)
        .field("inv", pass.inv)
        .field("warm_up", pass.warm_up)
        .field("complete", pass.complete)
        .field("control_plane_ns", pass.control_plane_ns)
        .end_object();
  out.end_list().key("phases").begin_list();
  for (const PhaseSum& p : sums.phases)
    out.begin_object()
        .field("phase", std::string_view(shown(p.phase)))
        .field("count", p.count)
        .field("total_ns", p.total_ns)
        .field("longest_ns", p.longest_ns)
        .field("warm_up_ns", p.warm_up_ns)
        .end_object();
  out.end_list().end_object();
}

void write_log(JsonWriter& out, const ImportedLog& log) {
  out.begin_object().field("path", std::string_view(log.path)).field("spans", log.log.spans.rows());
  out.key("rounds_us").begin_object();
  for (std::size_t t = 0; t < kRoundTimes; ++t) {
    const auto time = static_cast<RoundTime>(t);
    if (log.rounds.averages[t].rounds == 0) continue;
    out.key(round_time_name(time)).begin_list();
    for (const SpanRound& round : log.rounds.rounds)
      out.json(fmt::format("{:.3f}", static_cast<double>(round.of(time)) / kNsPerUs));
    out.end_list();
  }
  out.end_object().key("hangs").begin_list();
  for (const std::vector<std::string>& hang : log.hangs) {
    out.begin_list();
    for (const std::string& sentence : hang) out.value(std::string_view(sentence));
    out.end_list();
  }
  out.end_list().key("host_phases");
  write_phases(out, host_phase_sums(log.log));
  out.end_object();
}

}  // namespace

std::vector<SummarySection> detail_sections(const ImportedRun& run) {
  std::vector<SummarySection> out;
  if (run.args && run.args->rows() != 0) out.push_back(arguments(*run.args));
  if (run.pmu && run.pmu->rows() != 0) out.push_back(counters(run));
  if (run.host_phases) {
    out.push_back({"host phases", {}});
    add_phases(out.back().lines, host_phase_sums(*run.host_phases));
  }
  if (const auto alignment = clocks(run)) out.push_back(clock_lines(run, *alignment));
  for (const ImportedLog& log : run.logs) out.push_back(log_lines(log));
  std::erase_if(out, [](const SummarySection& section) { return section.lines.empty(); });
  return out;
}

void write_details(JsonWriter& out, const ImportedRun& run) {
  if (run.args) {
    const ArgsDump& a = *run.args;
    out.key("args").begin_list();
    for (std::uint32_t row = 0; row < a.rows(); ++row) {
      out.begin_object().field("task", std::to_string(a.task[row])).field("index", a.arg_index[row]);
      out.field("role", arg_role_name(a.role[row]))
          .field("stage", arg_stage_name(a.stage[row]))
          .field("kind", arg_form_name(a.kind[row]));
      out.field("dtype", runtime::element_type_name(a.dtype[row])).field("elements", a.numel[row]);
      if (!a.value(row).empty()) out.key("value").json(a.value(row));
      out.end_object();
    }
    out.end_list();
  }
  if (run.pmu) {
    const PmuSums sums = pmu_by_function(*run.pmu);
    out.key("pmu").begin_object().field("rows", run.pmu->rows());
    if (run.pmu->rows() != 0) out.field("event_type", std::string_view(pmu_event_name(run.pmu->event_type.front())));
    out.key("counters").begin_list();
    for (const std::string& counter : run.pmu->counters) out.value(std::string_view(shown(counter)));
    out.end_list().key("functions").begin_list();
    for (std::size_t i = 0; i < sums.key.size(); ++i) {
      out.begin_object()
          .field("func_id", sums.key[i])
          .field("rows", sums.rows[i])
          .field("cycles", sums.cycles[i])
          .key("sums")
          .begin_list();
      for (std::size_t c = 0; c < run.pmu->counters.size(); ++c) out.value(sums.values[i * run.pmu->counters.size() + c]);
      out.end_list().end_object();
    }
    out.end_list().end_object();
  }
  if (run.host_phases) {
    out.key("host_phases");
    write_phases(out, host_phase_sums(*run.host_phases));
  }
  if (const auto alignment = clocks(run)) {
    out.key("clocks").begin_object().field("calibrated", alignment->calibrated());
    if (alignment->calibrated()) {
      out.field("uncertainty_ns", alignment->uncertainty());
    } else {
      out.field("reason", std::string_view(alignment->reason()));
    }
    const Dispatches& d = run.times.joined;
    if (d.rows() != 0)
      out.field("first_task", std::to_string(d.task[0]))
          .key("received_us")
          .json(fmt::format("{:.3f}", alignment->since_origin_us(d.receive[0])));
    out.end_object();
  }
  if (!run.logs.empty()) {
    out.key("logs").begin_list();
    for (const ImportedLog& log : run.logs) write_log(out, log);
    out.end_list();
  }
}

}  // namespace depscope::replay
