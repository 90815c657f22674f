#include "depscope/viewers/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "depscope/recording/runs.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/measured_run.h"

namespace depscope::viewers {

namespace {

/// Rows that stand for many are there under each of their call sites, as long as that takes little room.
Groups hazards_by_prior(const recording::Recording& r) {
  constexpr std::uint64_t kMaxEntries = 4'000'000;
  std::uint64_t entries = 0;
  for (std::uint32_t row = 0; row < r.hazards.rows(); ++row) entries += recording::hazard_count(r, row);
  if (entries > kMaxEntries || entries == r.hazards.rows()) return {r.hazards.prior, r.call_sites.rows()};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // prior, row
  found.reserve(entries);
  for (std::uint32_t row = 0; row < r.hazards.rows(); ++row) {
    recording::for_each_hazard(r, row, [&](const recording::HazardPart& part) { found.emplace_back(part.prior, row); });
  }
  return {found, r.call_sites.rows()};
}

}  // namespace

Document::Document(recording::Recording recording, std::string path)
    : recording_(std::move(recording)),
      path_(std::move(path)),
      cursor_(recording_),
      moments_(recording_),
      unit_us_(replay::microseconds_per_unit(recording_)) {
  const auto& r = recording_;
  tasks_of_scope_ = Groups(r.tasks.scope, r.scopes.rows());
  tasks_of_call_site_ = Groups(r.tasks.call_site, r.call_sites.rows());
  reasons_of_edge_ = Groups(r.edge_reasons.edge, r.edges.rows());
  children_of_scope_ = Groups(r.scopes.parent, r.scopes.rows());
  hazards_of_prior_ = hazards_by_prior(r);
  edges_of_producer_ = Groups(r.edges.producer, r.tasks.rows());
  accesses_of_tensor_ = Groups(r.accesses.tensor, r.tensors.rows());
  hazards_of_current_ = Groups(r.hazards.current, r.call_sites.rows());
  sites_by_pass_line_.resize(r.passes.rows());
  for (std::uint32_t site = 0; site < r.call_sites.rows(); ++site) {
    for (std::uint32_t pass = 0; pass < r.passes.rows(); ++pass) {
      if (const std::uint32_t line = pass_line(site, pass); line != 0) sites_by_pass_line_[pass].emplace_back(line, site);
    }
  }
  for (auto& sites : sites_by_pass_line_) std::sort(sites.begin(), sites.end());
}

std::unique_ptr<Document> Document::load(const std::string& path) {
  return std::make_unique<Document>(replay::load_recording(path), path);
}

std::pair<std::uint32_t, std::uint32_t> Document::accesses_of_task(std::uint32_t task) const {
  const auto& column = recording_.accesses.task;  // ascending: grouped by task in submission order
  const auto [first, last] = std::equal_range(column.begin(), column.end(), task);
  return {static_cast<std::uint32_t>(first - column.begin()), static_cast<std::uint32_t>(last - column.begin())};
}

std::pair<std::uint32_t, std::uint32_t> Document::edges_of_consumer(std::uint32_t task) const {
  const auto& column = recording_.edges.consumer;  // ascending: grouped by consumer in submission order
  const auto [first, last] = std::equal_range(column.begin(), column.end(), task);
  return {static_cast<std::uint32_t>(first - column.begin()), static_cast<std::uint32_t>(last - column.begin())};
}

std::uint32_t Document::call_site_at(std::uint32_t pass, std::uint32_t line) const {
  if (pass >= sites_by_pass_line_.size()) return kNoRow;
  const auto& sites = sites_by_pass_line_[pass];
  const auto found = std::lower_bound(sites.begin(), sites.end(), std::pair{line, std::uint32_t{0}});
  return found != sites.end() && found->first == line ? found->second : kNoRow;
}

std::uint32_t Document::pass_line(std::uint32_t call_site, std::uint32_t pass) const {
  const auto& sites = recording_.call_sites;
  if (call_site >= sites.rows() || pass >= sites.pass_line_begin_count[call_site]) return 0;
  return recording_.pool[sites.pass_line_begin[call_site] + pass];
}

std::string Document::task_label(std::uint32_t task) const {
  if (task >= recording_.tasks.rows()) return "no task";
  const std::string_view callee = text(recording_.tasks.callee[task]);
  if (!callee.empty()) return fmt::format("{} t{}", callee, task);
  const auto kind = static_cast<runtime::TaskKind>(recording_.tasks.kind[task]);
  const std::string_view what = kind == runtime::TaskKind::Alloc ? "alloc " : kind == runtime::TaskKind::Dummy ? "dummy " : "";
  return fmt::format("{}t{}", what, task);
}

std::string Document::edge_label(std::uint32_t edge) const {
  if (edge >= recording_.edges.rows()) return "no edge";
  return fmt::format("edge {}: {} → {}", edge, task_label(recording_.edges.producer[edge]),
                     task_label(recording_.edges.consumer[edge]));
}

std::string Document::time_text(std::uint32_t time) const {
  return unit_us_ == 0 ? std::to_string(time) : fmt::format("{:.2f}", time * unit_us_);
}

std::string Document::scope_label(std::uint32_t scope) const {
  if (scope >= recording_.scopes.rows()) return "no scope";
  return fmt::format("scope {} {}", scope, recording_.scopes.manual[scope] != 0 ? "MANUAL" : "AUTO");
}

std::string Document::call_site_label(std::uint32_t site) const {
  const auto& sites = recording_.call_sites;
  if (site >= sites.rows()) return "no call site";
  const std::uint32_t function = sites.function[site];
  const std::string_view in = function < recording_.functions.rows() ? text(recording_.functions.name[function]) : "?";
  return fmt::format("{} call {} {}", in, sites.index[site], text(sites.callee[site]));
}

std::string Document::pass_label(std::uint32_t pass) const {
  if (pass >= recording_.passes.rows()) return "no pass";
  return fmt::format("{:02} {}", pass, text(recording_.passes.name[pass]));
}

}  // namespace depscope::viewers
