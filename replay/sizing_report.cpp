#include "depscope/replay/sizing_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "check_names.h"
#include "json_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::uint8_t kImplicitRoot = 3;  // scopes.owner
constexpr std::array<std::string_view, 4> kOwners{"user", "compiler", "materialised", "runtime"};

/// Names of tasks and of the scopes in which they were submitted.
class Names {
 public:
  explicit Names(const Recording& r) : r_(r), tasks_(r), ir_scope_(r.scopes.rows(), kNoRow), function_(r.scopes.rows(), kNoRow) {
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
      const std::uint32_t site = r.tasks.call_site[task];
      const std::uint32_t scope = r.tasks.scope[task];
      if (site == kNoRow || scope == kNoRow || function_[scope] != kNoRow) continue;
      function_[scope] = r.call_sites.function[site];
      const std::uint32_t open = r.call_sites.scope_begin_count[site];
      if (open != 0 && r.scopes.owner[scope] != kImplicitRoot)
        ir_scope_[scope] = r.pool[r.call_sites.scope_begin[site] + open - 1];
    }
    // Allocations have no call: their scope may be known through those inside it.
    for (std::uint32_t scope = r.scopes.rows(); scope-- > 0;) {
      const std::uint32_t parent = r.scopes.parent[scope];
      if (parent == kNoRow || function_[scope] == kNoRow || function_[parent] != kNoRow) continue;
      function_[parent] = function_[scope];
      if (ir_scope_[scope] != kNoRow && r.scopes.owner[parent] != kImplicitRoot)
        ir_scope_[parent] = r.ir_scopes.parent[ir_scope_[scope]];
    }
  }

  [[nodiscard]] SizingMoment moment(const UseMoment& use) const {
    SizingMoment out;
    out.event = use.event;
    out.time = use.time;
    out.row = use.task;
    if (use.event == kNoRow || use.task >= r_.tasks.rows()) return out;
    out.task = tasks_.text(use.task);
    if (const std::uint32_t line = tasks_.line(use.task); line != 0) out.task += fmt::format(" (line {})", line);
    out.task_json = tasks_.json(use.task);
    if (const std::uint32_t scope = r_.tasks.scope[use.task]; scope != kNoRow) name_scope(scope, out);
    return out;
  }

 private:
  void name_scope(std::uint32_t scope, SizingMoment& out) const {
    if (function_[scope] == kNoRow) return;  // a trace knows no scopes
    const std::string_view mode = r_.scopes.manual[scope] != 0 ? "MANUAL" : "AUTO";
    const std::uint8_t owner = r_.scopes.owner[scope];
    const std::string function(r_.text(r_.functions.name[function_[scope]]));
    const std::uint32_t line = ir_scope_[scope] == kNoRow ? 0 : r_.ir_scopes.line[ir_scope_[scope]];
    out.scope_json = fmt::format(R"({{"mode":"{}","owner":"{}","depth":{},"function":{})", mode, kOwners[owner % kOwners.size()],
                                 r_.scopes.depth[scope], json_string(function));
    if (owner == kImplicitRoot) {
      out.scope = fmt::format("the scope of the runtime around {}", function);
    } else {
      out.scope = fmt::format("{} {} scope of {}", owner == 0 ? "the" : "the inserted", mode, function);
    }
    if (line != 0) {
      out.scope += fmt::format(" (line {})", line);
      out.scope_json += fmt::format(R"(,"line":{})", line);
    }
    out.scope_json += "}";
  }

  const Recording& r_;
  TaskNames tasks_;
  std::vector<std::uint32_t> ir_scope_, function_;  // by scopes row
};

std::optional<SizedUse> used(const ResourceUse& use, const Names& names) {
  if (!use.told) return std::nullopt;
  return SizedUse{.most = use.most, .wasted = use.wasted, .most_held = use.most_held, .at = names.moment(use.at)};
}

/// Position in the order of submits, and within one submit.
std::pair<std::uint32_t, SizedResource> place(std::uint32_t row, SizedResource resource) { return {row, resource}; }

CapOutcome outcome_of(const SizingCap& cap, const RunStop& stop) {
  if (stop.stopped && stop.by_resource && stop.resource == cap.resource && stop.ring == cap.ring) return CapOutcome::Stops;
  if (cap.waits != 0) return CapOutcome::Waits;
  const auto end = place(stop.task, stop.by_resource ? stop.resource : SizedResource::Scope);
  if (stop.stopped && place(cap.at.row, cap.resource) >= end) return CapOutcome::NotReached;
  return CapOutcome::NoWait;
}

template <class F>
void each_resource(F&& f) {
  for (std::uint32_t ring = 0; ring <= kAllRings; ++ring) {
    for (std::size_t i = 0; i < kSizedResources; ++i) {
      const auto resource = static_cast<SizedResource>(i);
      if (ring == kAllRings && resource != SizedResource::TensorMap) continue;
      f(resource, ring);
    }
  }
}

std::vector<SizingCap> caps_of(const SizingReport& report, const Names& set_names, const Names& names) {
  std::vector<SizingCap> out;
  each_resource([&](SizedResource resource, std::uint32_t ring) {
    const ResourceUse& set = at(report.set.use, resource, ring);
    const ResourceUse& use = at(report.unlimited.use, resource, ring);
    // A limit can be met although it is large enough: what a heap wastes at its end, what a pool has not given back yet.
    const bool exceeded = use.exceeded.event != kNoRow;
    if (!exceeded && set.first_wait == kNoRow) return;
    SizingCap cap;
    cap.resource = resource;
    cap.ring = ring;
    cap.capacity = at(report.set.capacity, resource, ring);
    cap.needed = use.needed;
    cap.waits = set.waits;
    cap.waited = set.waited;
    if (exceeded) {
      cap.at = names.moment(use.exceeded);
    } else {
      // The same submit in either run, though the one with limits may end before it has a row. Events of waits are not named.
      const UseMoment wait{.event = 0, .time = 0, .task = set.first_wait};
      cap.at = set_names.moment(wait);
      if (cap.at.task.empty()) cap.at = names.moment(wait);
      cap.at.event = kNoRow;
    }
    cap.outcome = outcome_of(cap, report.set.stop);
    if (cap.outcome == CapOutcome::Stops) {
      cap.code = report.set.stop.code;
      cap.error_class = report.set.stop.error_class;
    }
    out.push_back(std::move(cap));
  });
  std::stable_sort(out.begin(), out.end(), [](const SizingCap& a, const SizingCap& b) {
    return place(a.at.row, a.resource) < place(b.at.row, b.resource);
  });
  return out;
}

}  // namespace

std::string_view cap_outcome_name(CapOutcome outcome) {
  switch (outcome) {
    case CapOutcome::Waits: return "waits";
    case CapOutcome::Stops: return "stops";
    case CapOutcome::NotReached: return "not_reached";
    case CapOutcome::NoWait: return "no_wait";
  }
  return "";
}

SizingReport sizing_report(const Recording& set, const RunUse& use, const Recording* unlimited, std::string no_unlimited) {
  SizingReport report;
  report.set = use;
  report.no_unlimited = std::move(no_unlimited);
  if (unlimited != nullptr) report.unlimited = use_of_run(*unlimited, &use.capacity);
  const Names set_names(set);
  const Names other_names(unlimited != nullptr ? *unlimited : set);
  each_resource([&](SizedResource resource, std::uint32_t ring) {
    const bool used_ring = ring == kAllRings || report.set.tasks[ring] != 0 || report.unlimited.tasks[ring] != 0;
    if (!used_ring || !report.set.run) return;
    const ResourceUse& here = at(report.set.use, resource, ring);
    SizingRow row;
    row.resource = resource;
    row.ring = ring;
    row.capacity = at(report.set.capacity, resource, ring);
    row.waits = here.waits;
    row.waited = here.waited;
    row.set = used(here, set_names);
    if (unlimited != nullptr) row.unlimited = used(at(report.unlimited.use, resource, ring), other_names);
    report.rows.push_back(std::move(row));
  });
  if (unlimited != nullptr) report.caps = caps_of(report, set_names, other_names);
  return report;
}

}  // namespace depscope::replay
