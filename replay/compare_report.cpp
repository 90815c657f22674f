#include "compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "depscope/ir/text.h"
#include "depscope/replay/row_names.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::TaskKind;

/// By call site: the occurrence of its first task, or its own among the calls of the callee if it submitted none.
std::vector<std::uint32_t> call_occurrences(const Side& side) {
  const auto& sites = side.r.call_sites;
  std::vector<std::uint32_t> out(sites.rows(), kNoRow);
  for (std::uint32_t t = 0; t < side.tasks(); ++t) {
    const std::uint32_t site = side.r.tasks.call_site[t];
    if (site != kNoRow && out[site] == kNoRow) out[site] = side.occurrence[t];
  }
  std::unordered_map<std::uint64_t, std::uint32_t> seen;  // (function, callee), only looked up
  for (std::uint32_t site = 0; site < sites.rows(); ++site) {
    const std::uint32_t own = seen[std::uint64_t{sites.function[site]} << 32U | sites.callee[site]]++;
    if (out[site] == kNoRow) out[site] = own;
  }
  return out;
}

}  // namespace

ComparisonNames::ComparisonNames(const ComparisonInput& input)
    : in_(input), occurrence_a_(call_occurrences(input.a)), occurrence_b_(call_occurrences(input.b)) {}

Fields ComparisonNames::task(const Side& side, std::uint32_t task) const {
  Fields out{{"task", std::to_string(side.r.tasks.id[task])}};
  switch (side.kind(task)) {
    case TaskKind::Dummy: out["dummy"] = side.occurrence[task]; return out;
    case TaskKind::Alloc: {
      out["alloc"] = nullptr;
      const std::uint32_t access = side.access_begin[task];
      if (access < side.access_begin[task + 1]) {
        const std::uint32_t name = side.r.tensors.name[side.r.accesses.tensor[access]];
        if (name != 0) out["alloc"] = std::string(ir::source_name(side.r.text(name)));
      }
      break;
    }
    case TaskKind::Kernel: {
      const Kernel& kernel = side.kernels[side.kernel[task]];
      if (kernel.callee != 0) {
        out["callee"] = std::string(side.r.text(kernel.callee));
      } else {
        out["kernel_ids"] = kernel.ids;
      }
      break;
    }
  }
  out["occurrence"] = side.occurrence[task];
  return out;
}

std::string ComparisonNames::task_text(const Side& side, std::uint32_t task) const {
  return fmt::format("{} #{} ({})", side.kernel_label(side.kernels[side.kernel[task]]), side.occurrence[task],
                     short_id(side.r.tasks.id[task]));
}

Fields ComparisonNames::common(std::uint32_t task) const {
  if (task >= in_.a.tasks()) return this->task(in_.b, task - in_.a.tasks());
  Fields out = this->task(in_.a, task);
  const std::uint32_t other = in_.tasks.b_of_a[task];
  if (other == kNoRow) return out;
  if (in_.b.r.tasks.id[other] != in_.a.r.tasks.id[task]) out["task_b"] = std::to_string(in_.b.r.tasks.id[other]);
  return out;
}

std::string ComparisonNames::common_text(std::uint32_t task) const {
  return task < in_.a.tasks() ? task_text(in_.a, task) : task_text(in_.b, task - in_.a.tasks());
}

std::uint32_t ComparisonNames::common_of(const Side& side, std::uint32_t task) const {
  if (side.letter == 'a') return task;
  const std::uint32_t other = in_.tasks.a_of_b[task];
  return other != kNoRow ? other : in_.a.tasks() + task;
}

Fields ComparisonNames::call(const Side& side, std::uint32_t site) const {
  const auto& sites = side.r.call_sites;
  return {{"callee", std::string(side.r.text(sites.callee[site]))},
          {"occurrence", call_occurrence(side)[site]},
          {"index", sites.index[site]},
          {"line", sites.line[site]}};
}

std::string ComparisonNames::call_text(const Side& side, std::uint32_t site) const {
  const auto& sites = side.r.call_sites;
  std::string out = fmt::format("{} (call {}", side.r.text(sites.callee[site]), sites.index[site]);
  if (sites.line[site] != 0) out += fmt::format(", line {}", sites.line[site]);
  return out + ")";
}

std::string ComparisonNames::argument(const Side& side, std::uint32_t site, std::uint32_t arg) const {
  if (site == kNoRow || arg >= side.r.call_sites.argument_count[site]) return {};
  return std::string(ir::source_name(side.r.text(side.r.arguments.name[side.r.call_sites.argument_begin[site] + arg])));
}

bool ComparisonReport::count(DifferenceKind kind, std::uint64_t number) {
  if (!wants(kind)) return false;
  out_.counts[index(kind)].total += number;
  return room(kind);
}

Difference* ComparisonReport::add(DifferenceKind kind, const Difference::Subject& subject, const std::string& summary,
                                  Fields fields, Severity severity, std::uint64_t covers) {
  if (!wants(kind)) return nullptr;
  if (severity == Severity::Info) {
    if (informed_[index(kind)]++ >= options_.max_listed) return nullptr;
  } else {
    if (!room(kind)) return nullptr;
    ++out_.counts[index(kind)].listed;
  }
  Fields all{{"what", std::string(difference_kind_name(kind))}};
  for (auto& [key, value] : fields.items()) all[key] = std::move(value);
  out_.differences.push_back({.kind = kind,
                              .subject = subject,
                              .severity = severity,
                              .summary = summary,
                              .fields = all.dump(-1, ' ', false, Fields::error_handler_t::replace),
                              .covers = covers,
                              .lines = {}});
  return &out_.differences.back();
}

bool ComparisonReport::exceeds(DifferenceKind kind, double a, double b) {
  const Threshold& threshold = options_.thresholds[index(kind)];
  const double least = threshold.percent ? threshold.least / 100 * std::max(a, b) : threshold.least;
  const double difference = a < b ? b - a : a - b;
  if (difference == 0) return false;
  if (difference >= least) return true;
  if (wants(kind)) ++out_.counts[index(kind)].within_threshold;
  return false;
}

void ComparisonReport::assume(char side, std::string what, std::string why, std::uint64_t equal, std::uint64_t differs) {
  out_.assumptions.push_back({side, std::move(what), std::move(why), equal, differs});
}

void ComparisonReport::gap(std::string what, std::string why) { out_.gaps.push_back({std::move(what), std::move(why)}); }

}  // namespace depscope::replay
