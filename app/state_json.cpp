#include "state_json.h"

#include <algorithm>
#include <optional>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/facts_json.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using recording::Recording;
using runtime::TaskState;

std::string_view holder_name(replay::HolderKind kind) {
  switch (kind) {
    case replay::HolderKind::Unfinished: return "unfinished";
    case replay::HolderKind::Scope: return "scope";
    case replay::HolderKind::Consumer: return "consumer";
    case replay::HolderKind::OlderTask: return "older_task";
    case replay::HolderKind::HeapTail: return "heap_tail";
  }
  return "";
}

}  // namespace

std::string state_name(TaskState state) { return std::string(runtime::task_state_name(state)); }

std::string task_id_json(const Recording& r, std::uint32_t task) { return std::to_string(r.tasks.id[task]); }

ordered_json task_json(const Recording& r, std::uint32_t task) {
  ordered_json out{{"task", task_id_json(r, task)}, {"row", task}};
  if (const std::string_view callee = r.text(r.tasks.callee[task]); !callee.empty()) out["callee"] = callee;
  return out;
}

ordered_json task_state_json(const replay::Cursor& cursor, std::uint32_t task) {
  ordered_json out = task_json(cursor.recording(), task);
  out["state"] = state_name(static_cast<TaskState>(cursor.state().task_state[task]));
  return out;
}

ordered_json flags_json(std::uint8_t flags) {
  ordered_json out = ordered_json::array();
  for (const std::string_view name : runtime::dep_flag_names(flags)) out.push_back(name);
  return out;
}

ordered_json edge_json(const replay::Cursor& cursor, std::uint32_t edge) {
  const auto& e = cursor.recording().edges;
  return {{"row", edge},
          {"discovered", flags_json(e.flags[edge])},
          {"now", flags_json(cursor.state().edge_flags[edge])},
          {"final", flags_json(e.flags_final[edge])},
          {"provenance", runtime::provenance_names(e.provenance[edge])}};
}

ordered_json access_json(const Recording& r, std::uint32_t access) {
  ordered_json out{{"task", task_id_json(r, r.accesses.task[access])}, {"argument", r.accesses.arg[access]}, {"access", access}};
  const std::uint32_t tensor = r.accesses.tensor[access];
  if (tensor != kNoRow) {
    out["tensor"] = tensor;
    out["name"] = r.text(r.tensors.name[tensor]);
  }
  return out;
}

ordered_json errors_json(const Recording& r) {
  ordered_json out = ordered_json::array();
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    if (r.findings.severity[f] != static_cast<std::uint8_t>(Severity::Error)) continue;
    out.push_back(ordered_json::parse(replay::finding_json(r, f)));
  }
  return out;
}

ordered_json tensormap_json(const replay::Cursor& cursor, std::size_t limit) {
  const auto list = tensormap_entries(cursor, limit);
  if (!list) return nullptr;
  ordered_json entries = ordered_json::array();
  for (const std::uint32_t access : list->rows) entries.push_back(access_json(cursor.recording(), access));
  return {{"total", list->total}, {"entries", std::move(entries)}};
}

ordered_json rings_json(const replay::Cursor& cursor) {
  ordered_json out = ordered_json::array();
  const auto number = [](const std::optional<std::int64_t>& value) { return value ? ordered_json(*value) : ordered_json(); };
  const auto& rings = cursor.state().rings;
  for (std::uint32_t i = 0; i < rings.size(); ++i) {
    ordered_json ring{{"ring", i}};
    replay::RingState::fields(rings[i], [&](std::string_view name, std::int64_t value) { ring[std::string(name)] = value; });
    if (cursor.measured()) {  // what is free again is not recorded
      out.push_back(
          {{"ring", i}, {"next", rings[i].next}, {"task_window", rings[i].task_window}, {"heap_bytes", rings[i].heap_bytes}});
      continue;
    }
    const replay::RingUse use = ring_use(cursor, i);
    ring["slots_used"] = use.slots_used;
    ring["heap_used"] = number(use.heap_used);
    ring["heap_wrapped"] = use.heap_wrapped;
    ring["dep_used"] = number(use.dep_used);
    ring["spill_used"] = number(use.spill_used);
    out.push_back(std::move(ring));
  }
  return out;
}

ordered_json heap_json(const replay::Cursor& cursor, std::uint32_t ring, std::size_t limit) {
  const auto map = heap_map(cursor, ring);
  ordered_json blocks = ordered_json::array();
  for (std::size_t i = 0; i < std::min(map.size(), limit); ++i) {
    blocks.push_back({{"task", task_id_json(cursor.recording(), map[i].task)},
                      {"begin", map[i].begin},
                      {"end", map[i].end},
                      {"state", state_name(map[i].state)}});
  }
  return {{"ring", ring}, {"total", map.size()}, {"blocks", std::move(blocks)}};
}

ordered_json heaps_json(const replay::Cursor& cursor, std::size_t limit) {
  ordered_json out = ordered_json::array();
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    ordered_json heap = heap_json(cursor, ring, limit);
    if (heap["total"] != 0) out.push_back(std::move(heap));
  }
  return out;
}

ordered_json open_scopes_json(const replay::Cursor& cursor) {
  const Recording& r = cursor.recording();
  ordered_json out = ordered_json::array();
  for (const replay::OpenScope& scope : open_scopes(cursor)) {
    out.push_back({{"scope", scope.scope},
                   {"mode", r.scopes.manual[scope.scope] != 0 ? "MANUAL" : "AUTO"},
                   {"ring", r.scopes.ring[scope.scope]},
                   {"submitted", scope.submitted},
                   {"live", scope.live}});
  }
  return out;
}

ordered_json holders_json(const replay::Cursor& cursor, const std::vector<replay::Holder>& holders, std::size_t limit) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < std::min(holders.size(), limit); ++i) {
    const replay::Holder& h = holders[i];
    ordered_json holder{{"kind", holder_name(h.kind)}};
    if (h.task != kNoRow) holder.update(task_json(cursor.recording(), h.task));
    if (h.scope != kNoRow) holder["scope"] = h.scope;
    out.push_back(std::move(holder));
  }
  return out;
}

ordered_json task_detail_json(const replay::Cursor& cursor, std::uint32_t task) {
  ordered_json out = task_state_json(cursor, task);
  ordered_json waits = ordered_json::array();
  for (const std::uint32_t edge : cursor.waiting_for(task))
    waits.push_back(task_state_json(cursor, cursor.recording().edges.producer[edge]));
  out["waits_for"] = std::move(waits);
  const auto holders = holders_of(cursor, task);
  out["kept_by"] = holders_json(cursor, holders, holders.size());
  return out;
}

}  // namespace depscope::app
