#include "compare_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "depscope/replay/measured_run.h"
#include "depscope/runtime/sink.h"
#include "recorded_option.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::TaskKind;

bool listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

/// Where the rows of each group begin; `group` never goes down.
std::vector<std::uint32_t> begins(const std::vector<std::uint32_t>& group, std::uint32_t groups) {
  std::vector<std::uint32_t> out(std::size_t{groups} + 1, 0);
  for (const std::uint32_t g : group) ++out[std::size_t{g} + 1];
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

std::uint64_t hash_of(const Kernel& k) {
  std::uint64_t hash = static_cast<std::uint64_t>(k.kind) << 32U | k.callee;
  for (const std::int32_t id : k.ids) hash = (hash ^ static_cast<std::uint32_t>(id)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 32U;
}

}  // namespace

Knowledge knowledge_of(const Recording& r) {
  Knowledge k;
  k.program = r.call_sites.rows() != 0 || r.passes.rows() != 0;
  k.tasks = r.tasks.rows() != 0 || r.events.rows() != 0;
  k.kernel_names = std::any_of(r.tasks.callee.begin(), r.tasks.callee.end(), [](std::uint32_t c) { return c != 0; });
  k.allocations = k.program;
  k.origins = k.program;
  k.events = r.events.rows() != 0 && !has_measured_events(r);
  k.all_events = recorded_option(r, "events") != "summary";
  if (recorded_option(r, "imported") != "deps.json") return k;

  k.imported = true;
  k.version = recorded_option(r, "deps-version");
  const bool own = k.version == "depscope.deps/1";
  const std::string_view assumed = recorded_option(r, "assumed");
  k.tasks = true;
  k.task_list = !listed(assumed, "tasks");
  k.kernel_ids = !listed(assumed, "kernel_ids");
  k.allocations = own && k.kernel_names;  // `submissions` has them
  k.all_discoveries = own;
  k.origins = own && k.kernel_names;
  k.sources = !listed(assumed, "sources");
  k.flags = !listed(assumed, "flags");
  k.explicit_retain = k.flags && !listed(assumed, "explicit_retain");
  k.final_flags = own;
  k.scope_mode = !listed(assumed, "scope");
  k.block_num = !listed(assumed, "block_num");
  k.early_dispatch = !listed(assumed, "early_dispatch");
  k.geometry = k.task_list;
  k.strides = k.geometry && !listed(assumed, "strides");
  return k;
}

Side::Side(const Recording& recording, char side) : r(recording), letter(side), known(knowledge_of(recording)) {
  // Kernels are few: a small table by hash, and what the last task ran.
  std::vector<std::uint32_t> table(1024, kNoRow);
  kernel.reserve(tasks());
  occurrence.reserve(tasks());
  std::vector<std::uint32_t> seen;
  std::uint32_t last = kNoRow;
  for (std::uint32_t t = 0; t < tasks(); ++t) {
    Kernel k;
    k.kind = kind(t);
    if (k.kind == TaskKind::Kernel) {
      k.callee = r.tasks.callee[t];
      k.ids = {r.tasks.kernel_aic[t], r.tasks.kernel_aiv0[t], r.tasks.kernel_aiv1[t]};
    }
    if (last == kNoRow || !(kernels[last] == k)) {
      if (kernels.size() * 2 >= table.size()) {
        table.assign(table.size() * 4, kNoRow);
        for (std::uint32_t i = 0; i < kernels.size(); ++i) {
          std::size_t at = hash_of(kernels[i]) & (table.size() - 1);
          while (table[at] != kNoRow) at = (at + 1) & (table.size() - 1);
          table[at] = i;
        }
      }
      std::size_t at = hash_of(k) & (table.size() - 1);
      while (table[at] != kNoRow && !(kernels[table[at]] == k)) at = (at + 1) & (table.size() - 1);
      if (table[at] == kNoRow) {
        table[at] = static_cast<std::uint32_t>(kernels.size());
        kernels.push_back(k);
        seen.push_back(0);
      }
      last = table[at];
    }
    kernel.push_back(last);
    occurrence.push_back(seen[last]++);
  }
  edge_begin = begins(r.edges.consumer, tasks());
  access_begin = begins(r.accesses.task, tasks());
}

std::string Side::kernel_label(const Kernel& k) const {
  if (k.kind == TaskKind::Alloc) return "(allocation)";
  if (k.kind == TaskKind::Dummy) return "(barrier)";
  if (k.callee != 0) return std::string(r.text(k.callee));
  if (k.ids == std::array<std::int32_t, 3>{-1, -1, -1}) return "(kernel not known)";
  return fmt::format("kernel {}/{}/{}", k.ids[0], k.ids[1], k.ids[2]);
}

}  // namespace depscope::replay
