// What was run, with which options, and the figures of the run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "depscope/runtime/submission.h"
#include "html_sections.h"

namespace depscope::replay {
namespace {

using recording::Recording;

/// Options whose value is not worth a line: the defaults of DESIGN §4, and those that the heading names.
bool is_default(const Recording& r, std::string_view name, std::string_view value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kDefaults{{
      {"passes", "default"},
      {"analyze-auto-scopes", "off"},
      {"profile", "seed"},
      {"platform", "a2a3"},
      {"edges", "split"},
      {"reduce", "bitmap:64"},
      {"hazards", "fixed"},
      {"schedule", "canonical"},
      {"seed", "1"},
      {"granularity", "coarse"},
      {"ring-task-window", "16384,16384,16384,16384"},
      {"ring-heap", "268435456,268435456,268435456,268435456"},
      {"ring-dep-pool", "16384,16384,16384,16384"},
      {"events", "full"},
      {"check-invariants", "off"},
  }};
  const bool trace = r.passes.rows() == 0;
  if (trace && (name == "reduce" || name.starts_with("ring-"))) return value == "none" || value.starts_with("unlimited,");
  const auto* at = std::find_if(kDefaults.begin(), kDefaults.end(), [&](const auto& d) { return d.first == name; });
  return at == kDefaults.end() ? value.empty() : at->second == value;
}

void option_list(const HtmlPage& page, bool defaults) {
  const Recording& r = page.r;
  page.out.raw(defaults ? "<ul class=\"options\">" : R"(<ul class="options" id="options">)");
  for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
    const std::string_view name = r.text(r.options.name[i]);
    const std::string_view value = r.text(r.options.value[i]);
    if (is_default(r, name, value) != defaults) continue;
    page.out.raw("<li><code>").text(name).raw("</code> ");
    if (value.empty()) {
      page.out.raw("<span class=\"dim\">not given</span>");
    } else {
      page.text(value);
    }
    page.out.raw("</li>");
  }
  page.out.raw("</ul>");
}

void options(const HtmlPage& page) {
  const Recording& r = page.r;
  std::uint32_t defaults = 0;
  for (std::uint32_t i = 0; i < r.options.rows(); ++i)
    defaults += is_default(r, r.text(r.options.name[i]), r.text(r.options.value[i])) ? 1U : 0U;
  page.out.raw("<h3>Options that are not default</h3>\n");
  if (defaults == r.options.rows()) {
    page.out.raw("<p id=\"options\">None.</p>\n");
  } else {
    option_list(page, false);
  }
  if (defaults == 0) return;
  page.out.raw("<details><summary>").text(counted(defaults, "option", "options")).raw(" at the default</summary>");
  option_list(page, true);
  page.out.raw("</details>\n");
}

void tile(const HtmlPage& page, std::uint64_t value, std::string_view what) {
  page.out.raw("<div class=\"tile\"><b>").number(value).raw("</b> ").text(what).raw("</div>");
}

void tasks_by_kernel(const HtmlPage& page) {
  const Recording& r = page.r;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> counts;  // by key of the kernel: first task, tasks
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    auto& count = counts.try_emplace(page.names.kernel_key(t), t, 0).first->second;
    ++count.second;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [key, count] : counts) sorted.push_back(count);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  HtmlTable table(page.out, "tasks-by-kernel", "Tasks by kernel", {{"Kernel"}, {"Tasks", true}});
  const std::size_t shown = std::min<std::size_t>(sorted.size(), page.o.max_rows);
  for (std::size_t i = 0; i < shown; ++i) table.row().cell(page.names.kernel(sorted[i].first)).number(sorted[i].second);
  table.end();
  left_out(page.out, shown, sorted.size(), "kernels", "those with most tasks",
           "depscope export FILE --format csv --table tasks -o OUT");
}

void edges_by_provenance(const HtmlPage& page) {
  const auto& e = page.r.edges;
  std::array<std::array<std::uint64_t, 4>, 64> counts{};
  for (std::uint32_t i = 0; i < e.rows(); ++i) {
    auto& count = counts[e.provenance[i] & 63U];
    ++count[0];
    count[1] += (e.flags_final[i] & runtime::kWait) != 0 ? 1U : 0U;
    count[2] += (e.flags_final[i] & runtime::kRetain) != 0 ? 1U : 0U;
    count[3] += (e.flags[i] & runtime::kWait) != 0 && (e.flags_final[i] & runtime::kWait) == 0 ? 1U : 0U;
  }
  HtmlTable table(page.out, "edges-by-provenance", "Edges by provenance",
                  {{"Provenance"}, {"Edges", true}, {"wait", true}, {"retain", true}, {"wait cleared", true}});
  for (std::uint32_t bits = 0; bits < counts.size(); ++bits) {
    if (counts[bits][0] == 0) continue;
    table.row().open();
    provenance_tags(page.out, static_cast<std::uint8_t>(bits));
    table.close();
    for (const std::uint64_t n : counts[bits]) table.number(n);
  }
  table.end();
}

void peaks(const HtmlPage& page) {
  const TaskTimes& t = page.times;
  HtmlTable table(page.out, "peaks", "Peaks", {{"Most in use at one time"}, {"Value", true}});
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    if (t.tasks[ring] == 0) continue;
    table.row().cell(fmt::format("slots of ring {}", ring)).number(t.slots[ring]);
    table.row().cell(fmt::format("heap of ring {}, bytes", ring)).number(t.heap[ring]);
  }
  if (t.tensormap_known) table.row().cell("TensorMap entries").number(t.tensormap);
  table.row().cell("logical time at the end").number(t.end);
  table.end();
}

}  // namespace

void html_summary(const HtmlPage& page) {
  const Recording& r = page.r;
  page.out.raw("<p>Recorded by DepScope " DEPSCOPE_VERSION " from <code>");
  page.text(r.input_name);
  page.out.raw("</code>");
  if (!r.input_digest.empty()) page.out.raw(" (digest <code>").text(r.input_digest).raw("</code>)");
  page.out.raw(".</p>\n<div class=\"tiles\">");
  tile(page, r.tasks.rows(), r.tasks.rows() == 1 ? "task" : "tasks");
  tile(page, r.edges.rows(), r.edges.rows() == 1 ? "edge" : "edges");
  if (r.passes.rows() != 0) {
    tile(page, r.passes.rows() - std::uint64_t{1}, r.passes.rows() == 2 ? "pass" : "passes");
    tile(page, r.call_sites.rows(), r.call_sites.rows() == 1 ? "call site" : "call sites");
  }
  if (r.events.rows() != 0) tile(page, r.events.rows(), r.events.rows() == 1 ? "event" : "events");
  page.out.raw("</div>\n");
  options(page);
  if (r.tasks.rows() == 0) return empty_state(page.out, "No task was submitted.");
  page.out.raw("<div class=\"columns\"><div><h3>Tasks by kernel</h3>\n");
  tasks_by_kernel(page);
  page.out.raw("</div><div><h3>Edges by provenance</h3>\n");
  if (r.edges.rows() == 0) {
    empty_state(page.out, "No task waits for another one.");
  } else {
    edges_by_provenance(page);
  }
  page.out.raw("</div><div><h3>Peaks</h3>\n");
  if (r.events.rows() == 0) {
    empty_state(page.out, "Nothing was run: the recording has no events.");
  } else if (page.measured) {
    empty_state(page.out, "The run was measured: what its scopes used at most stands under Real run, if it was recorded.");
  } else {
    peaks(page);
  }
  page.out.raw("</div></div>\n");
}

void html_events(const HtmlPage& page) {
  const Recording& r = page.r;
  if (r.events.rows() == 0) {
    return empty_state(page.out, "The recording has no events: the input is the task graph of a run, or nothing was run.");
  }
  page.out.raw("<p>").text(counted(r.events.rows(), "event", "events"));
  page.out.raw(
      ". One by one: <code>depscope replay FILE</code>, or <code>depscope export FILE --format csv --table events -o "
      "OUT</code></p>\n<details><summary>Events by kind</summary>");
  HtmlTable table(page.out, "events-by-kind", "Events by kind", {{"Kind"}, {"Events", true}});
  for (std::size_t kind = 0; kind < page.times.count.size(); ++kind) {
    if (page.times.count[kind] == 0) continue;
    table.row().cell(runtime::event_kind_name(static_cast<runtime::EventKind>(kind))).number(page.times.count[kind]);
  }
  table.end();
  page.out.raw("</details>\n");
}

}  // namespace depscope::replay
