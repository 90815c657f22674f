// The tasks with their buffers, the edges with their reasons, and how many edges lead from kernel to kernel.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check_geometry.h"
#include "depscope/runtime/submission.h"
#include "html_retainers.h"
#include "html_sections.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

std::string place_text(const HtmlPage& page, std::uint32_t access) {
  const auto& a = page.r.accesses;
  std::string out = page.names.buffer(access);
  if (a.geometry_begin_count[access] != 0)
    out += box_text(page.r, a.start_offset[access], a.geometry_begin[access], a.geometry_begin_count[access]);
  return out;
}

void time_cell(const HtmlPage& page, HtmlTable& table, std::uint32_t time) {
  if (time == kNever) {
    table.open(" class=\"n dim\"").close();
  } else if (page.unit_us == 0) {
    table.number(time);
  } else {
    table.open(" class=\"n\"");
    page.out.text(fmt::format("{:.2f}", time * page.unit_us));
    table.close();
  }
}

void task_row(const HtmlPage& page, HtmlTable& table, std::uint32_t t, std::uint32_t access, const Retainers& retainers) {
  const Recording& r = page.r;
  const TaskTimes& times = page.times;
  table.row(fmt::format("task-{}", t)).cell(page.names.text(t)).number(r.tasks.id[t]).open();
  page.line(page.names.line(t));
  table.close();
  if (const std::uint32_t scope = r.tasks.scope[t]; scope == kNoRow) {
    table.cell("");
  } else {
    table.cell(fmt::format("{} {}", scope, r.scopes.manual[scope] != 0 ? "MANUAL" : "AUTO"));
  }
  table.open();
  std::uint32_t listed = 0;
  std::uint32_t end = access;
  for (; end < r.accesses.rows() && r.accesses.task[end] == t; ++end) {
    if (++listed > page.o.max_items) continue;
    page.out.raw("<span class=\"arg\">")
        .text(runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[end])))
        .raw("</span> ");
    page.text(place_text(page, end));
    page.out.raw("<br>");
  }
  if (listed > page.o.max_items) page.out.text(fmt::format("… and {} more", listed - page.o.max_items));
  table.close();
  if (r.events.rows() == 0) return;
  table.cell(page.measured ? std::to_string(runtime::ring_of(r.tasks.id[t]))
                           : fmt::format("{}.{}", runtime::ring_of(r.tasks.id[t]), r.tasks.slot[t]));
  for (const auto* column :
       {&times.submitted, &times.dispatched, &times.completed, &times.last_reader, &times.consumed, &times.reclaimed})
    time_cell(page, table, (*column)[t]);
  table.open(" class=\"wrap names\"");
  const Retainers::List& list = retainers.of(t);
  for (std::size_t i = 0; i < list.first.size(); ++i) {
    page.out.raw(i == 0 ? "" : ", ");
    page.task(list.first[i]);
  }
  if (list.count > list.first.size()) page.out.text(fmt::format(" … and {} more", list.count - list.first.size()));
  table.close();
}

void kernel_pairs(const HtmlPage& page) {
  const Recording& r = page.r;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // only looked up
  std::vector<std::uint32_t> kernel(r.tasks.rows());
  std::vector<std::uint32_t> first;  // by number: first task
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const auto [at, added] = numbers.try_emplace(page.names.kernel_key(t), static_cast<std::uint32_t>(first.size()));
    if (added) first.push_back(t);
    kernel[t] = at->second;
  }
  struct Pair {
    std::uint64_t key = 0, edges = 0, waiting = 0, retaining = 0;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> index;  // only looked up
  std::vector<Pair> pairs;
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
    const std::uint64_t key = std::uint64_t{kernel[r.edges.producer[e]]} << 32U | kernel[r.edges.consumer[e]];
    const auto [at, added] = index.try_emplace(key, static_cast<std::uint32_t>(pairs.size()));
    if (added) pairs.push_back({key});
    Pair& pair = pairs[at->second];
    ++pair.edges;
    pair.waiting += (r.edges.flags_final[e] & runtime::kWait) != 0 ? 1U : 0U;
    pair.retaining += (r.edges.flags_final[e] & runtime::kRetain) != 0 ? 1U : 0U;
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.edges != b.edges ? a.edges > b.edges : a.key < b.key; });
  page.out.raw("<h3>Edges from kernel to kernel</h3>\n");
  HtmlTable table(page.out, "kernel-pairs", "Edges from kernel to kernel",
                  {{"Producer"}, {"Consumer"}, {"Edges", true}, {"wait", true}, {"retain", true}}, true);
  const std::size_t shown = std::min<std::size_t>(pairs.size(), page.o.max_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Pair& pair = pairs[i];
    table.row().cell(page.names.kernel(first[pair.key >> 32U])).cell(page.names.kernel(first[pair.key & 0xffffffffU]));
    table.number(pair.edges).number(pair.waiting).number(pair.retaining);
  }
  table.end();
  left_out(page.out, shown, pairs.size(), "pairs of kernels", "those with most edges",
           "depscope export FILE --format csv --table edges -o OUT");
}

void reason(const HtmlPage& page, std::uint32_t row) {
  const auto& e = page.r.edge_reasons;
  provenance_tags(page.out, e.source[row]);
  const std::uint32_t access = e.consumer_access[row];
  if (access == kNoRow) {
    page.out.raw(e.arg[row] < 0 ? "named by the consumer" : "");
  } else {
    page.out.raw("argument ").number(e.arg[row]).raw(" ");
    page.text(place_text(page, access));
    if (e.producer_access[row] != kNoRow) {
      page.out.raw(e.overlap[row] == 2 ? ", which covers the write of " : ", overlaps the write of ");
      page.text(place_text(page, e.producer_access[row]));
    }
  }
  page.out.raw("<br>");
}

}  // namespace

void html_tasks(const HtmlPage& page) {
  const Recording& r = page.r;
  if (r.tasks.rows() == 0) return empty_state(page.out, "No task was submitted.");
  const std::uint32_t shown = std::min(r.tasks.rows(), page.o.max_rows);
  std::vector<std::uint32_t> rows(shown);
  std::iota(rows.begin(), rows.end(), 0U);
  const Retainers retainers(r, rows, page.o.max_items);
  const bool run = r.events.rows() != 0;
  const std::string_view caption = "Tasks with their buffers";
  if (page.measured) {
    page.out.raw(
        "<p class=\"dim\">Times are microseconds since the earliest time that was recorded. Slot: the ring; which slot a task "
        "had, and "
        "when it was free again, is not recorded in a real run.</p>\n");
  } else if (run) {
    page.out.raw(
        "<p class=\"dim\">Times are logical. Slot: ring and slot. Last read: the last consumer that retains it has released it. "
        "Free: slot and buffers can be used again.</p>\n");
  } else {
    empty_state(page.out, "The recording has no events: when what happened is not known.");
  }
  HtmlTable table =
      run ? HtmlTable(page.out, "task-table", caption,
                      {{"Task"},
                       {"Id", true},
                       {"Line"},
                       {"Scope"},
                       {"Buffers"},
                       {"Slot"},
                       {"Submit", true},
                       {"Dispatch", true},
                       {"Complete", true},
                       {"Last read", true},
                       {"Consumed", true},
                       {"Free", true},
                       {"Retained for"}},
                      true)
          : HtmlTable(page.out, "task-table", caption, {{"Task"}, {"Id", true}, {"Line"}, {"Scope"}, {"Buffers"}}, true);
  std::uint32_t access = 0;
  for (const std::uint32_t t : rows) {
    while (access < r.accesses.rows() && r.accesses.task[access] < t) ++access;
    task_row(page, table, t, access, retainers);
  }
  table.end();
  left_out(page.out, shown, r.tasks.rows(), "tasks", "the first in submission order",
           "depscope export FILE --format csv --table tasks -o OUT");
}

void html_edges(const HtmlPage& page) {
  const Recording& r = page.r;
  const auto& e = r.edges;
  if (e.rows() == 0) return empty_state(page.out, "No task waits for another one.");
  kernel_pairs(page);
  page.out.raw(
      "<h3>Every edge</h3>\n<p class=\"dim\">A flag that the reduction took away is struck out; the witness is the "
      "producer through which the consumer waits all the same.</p>\n");
  const std::uint32_t shown = std::min(e.rows(), page.o.max_rows);
  const RowGroups reasons(shown, r.edge_reasons.rows(), [&](std::uint32_t row) {
    return r.edge_reasons.edge[row] < shown ? r.edge_reasons.edge[row] : kNoRow;
  });
  HtmlTable table(page.out, "edge-table", "Edges",
                  {{"Producer"}, {"Consumer"}, {"Line"}, {"Provenance"}, {"Discovered"}, {"Final"}, {"Witness"}, {"Reasons"}},
                  true);
  for (std::uint32_t i = 0; i < shown; ++i) {
    table.row(fmt::format("edge-{}", i)).open();
    page.task(e.producer[i]);
    table.close().open();
    page.task(e.consumer[i]);
    table.close().open();
    page.line(page.names.line(e.consumer[i]));
    table.close().open();
    provenance_tags(page.out, e.provenance[i]);
    table.close().open();
    flag_tags(page.out, e.flags[i]);
    table.close().open();
    flag_tags(page.out, e.flags_final[i], e.flags[i]);
    if (static_cast<runtime::ProducerStatus>(e.at_wiring[i]) == runtime::ProducerStatus::Gone)
      page.out.raw("<span class=\"dim\">producer was gone</span>");
    table.close().open();
    page.task(e.via[i]);
    table.close().open(" class=\"wrap\"");
    const auto rows = reasons.of(i);
    for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), page.o.max_items); ++k) reason(page, rows[k]);
    if (rows.size() > page.o.max_items) page.out.text(fmt::format("… and {} more", rows.size() - page.o.max_items));
    table.close();
  }
  table.end();
  left_out(page.out, shown, e.rows(), "edges", "the first in submission order of their consumers",
           "depscope export FILE --format csv --table edges -o OUT");
}

}  // namespace depscope::replay
