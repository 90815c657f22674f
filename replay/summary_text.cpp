#include "depscope/replay/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "depscope/runtime/submission.h"
#include "markdown_text.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::size_t kMaxPadding = 60;  // longer cells push their row out of line, not every row

using Row = std::vector<std::string>;

/// A fixed list of rows with a heading per column, as plain columns or as a Markdown table.
class Table {
 public:
  explicit Table(Row headings) : headings_(std::move(headings)) {}
  void add(Row row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  void print(std::string& out, const SummaryOptions& options) const {
    const std::size_t shown = std::min<std::size_t>(rows_.size(), options.max_rows);
    if (options.markdown) {
      out += markdown_row(headings_);
      out += "|" + [&] {
        std::string rule;
        for (std::size_t i = 0; i < headings_.size(); ++i) rule += " --- |";
        return rule;
      }() + "\n";
      for (std::size_t i = 0; i < shown; ++i) out += markdown_row(rows_[i]);
      if (shown < rows_.size()) out += fmt::format("\n… and {} more\n", rows_.size() - shown);
      return;
    }
    std::vector<std::size_t> widths(headings_.size(), 0);
    for (std::size_t i = 0; i < shown; ++i) {
      for (std::size_t c = 0; c < rows_[i].size(); ++c)
        widths[c] = std::max(widths[c], std::min(rows_[i][c].size(), kMaxPadding));
    }
    for (std::size_t i = 0; i < shown; ++i) {
      std::string line = " ";
      for (std::size_t c = 0; c < rows_[i].size(); ++c) line += fmt::format(" {:<{}}", rows_[i][c], widths[c]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    if (shown < rows_.size()) out += fmt::format("  … and {} more\n", rows_.size() - shown);
  }

 private:
  static std::string markdown_row(const Row& row) {
    std::string line = "|";
    for (const std::string& cell : row) line += " " + markdown_text(cell) + " |";
    return line + "\n";
  }

  Row headings_;
  std::vector<Row> rows_;
};

class Summary {
 public:
  Summary(const Recording& recording, const SummaryOptions& options) : r_(recording), o_(options) {}

  std::string run() {
    head();
    passes();
    dumps();
    regions();
    sites();
    tasks();
    edges();
    findings();
    return std::move(out_);
  }

 private:
  void section(std::string_view title, const Table& table) {
    if (table.empty()) return;
    out_ += o_.markdown ? fmt::format("\n## {}\n\n", title) : fmt::format("{}\n", title);
    table.print(out_, o_);
  }

  void head() {
    const std::string title = r_.program_name.empty() ? r_.input_name : fmt::format("{} ({})", r_.program_name, r_.input_name);
    out_ += o_.markdown ? fmt::format("# {}\n\n", markdown_text(title)) : title + "\n";
    std::string options;
    for (std::uint32_t i = 0; i < r_.options.rows(); ++i) {
      if (r_.text(r_.options.value[i]).empty()) continue;
      if (!options.empty()) options += ", ";
      options += fmt::format("{}={}", r_.text(r_.options.name[i]), r_.text(r_.options.value[i]));
    }
    if (o_.markdown) {
      out_ += fmt::format("Recorded by DepScope from {} (digest {}).\n", markdown_code(r_.input_name),
                          markdown_text(r_.input_digest));
      if (!options.empty()) out_ += fmt::format("Options: {}.\n", markdown_text(options));
    }
  }

  void passes() {
    Table table({"pass", "result"});
    for (std::uint32_t i = 0; i < r_.passes.rows(); ++i) {
      const char* result = i == 0 ? "input" : r_.passes.changed[i] != 0 ? "changed" : "no-op";
      table.add({std::string(r_.text(r_.passes.name[i])), result});
    }
    section("Passes", table);
  }

  /// How the passes compare with the later dumps of a dump directory.
  void dumps() {
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) {
      if (r_.text(r_.findings.kind[i]) != "agreement") continue;
      const std::string summary(r_.text(r_.findings.summary[i]));
      out_ += o_.markdown ? fmt::format("\n{}\n", markdown_text(summary)) : summary + "\n";
    }
  }

  void regions() {
    Table table({"function", "region", "outcome", "reason", "at"});
    for (std::uint32_t i = 0; i < r_.regions.rows(); ++i) {
      const auto& g = r_.regions;
      std::string at;
      const std::uint32_t site = g.offending_site[i];
      if (site != kNoRow) at = fmt::format("call {} of {}", r_.call_sites.index[site], r_.text(r_.call_sites.callee[site]));
      if (site != kNoRow && r_.call_sites.line[site] != 0) at += fmt::format(", line {}", r_.call_sites.line[site]);
      table.add({std::string(r_.text(r_.functions.name[g.function[i]])),
                 fmt::format("{} {}", pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[i])), g.index[i]),
                 std::string(pass::region_outcome_name(static_cast<pass::RegionOutcome>(g.outcome[i]))),
                 std::string(r_.text(g.reason[i])), at});
    }
    section("Regions", table);
  }

  void sites() {
    Table table({"function", "call sites", "hazards", "compiler edges", "user edges"});
    const std::uint32_t functions = r_.functions.rows();
    std::vector<std::array<std::uint64_t, 4>> counts(functions);
    for (std::uint32_t i = 0; i < r_.call_sites.rows(); ++i) {
      auto& count = counts[r_.call_sites.function[i]];
      ++count[0];
      count[2] += recording::compiler_dep_count(r_, i);
      count[3] += r_.call_sites.user_dep_begin_count[i];
    }
    for (std::uint32_t i = 0; i < r_.hazards.rows(); ++i) {
      if (r_.hazards.current[i] != kNoRow)
        counts[r_.call_sites.function[r_.hazards.current[i]]][1] += recording::hazard_count(r_, i);
    }
    for (std::uint32_t f = 0; f < functions; ++f) {
      if (counts[f][0] == 0) continue;
      table.add({std::string(r_.text(r_.functions.name[f])), fmt::format("{} calls", counts[f][0]),
                 fmt::format("{} hazards", counts[f][1]), fmt::format("{} compiler deps", counts[f][2]),
                 fmt::format("{} user deps", counts[f][3])});
    }
    section("Call sites", table);
  }

  void tasks() {
    Table table({"kernel", "tasks"});
    std::map<std::string, std::uint64_t> counts;
    for (std::uint32_t i = 0; i < r_.tasks.rows(); ++i) {
      const auto kind = static_cast<runtime::TaskKind>(r_.tasks.kind[i]);
      std::string name(r_.text(r_.tasks.callee[i]));
      if (kind == runtime::TaskKind::Alloc) name = "(allocation)";
      if (kind == runtime::TaskKind::Dummy) name = "(barrier)";
      if (name.empty())
        name = fmt::format("kernel {}/{}/{}", r_.tasks.kernel_aic[i], r_.tasks.kernel_aiv0[i], r_.tasks.kernel_aiv1[i]);
      ++counts[name];
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [name, count] : sorted) table.add({name, std::to_string(count)});
    section(fmt::format("Tasks: {}", r_.tasks.rows()), table);
  }

  void edges() {
    Table table({"source", "edges", "waiting", "retaining"});
    std::array<std::array<std::uint64_t, 3>, 64> counts{};
    std::uint64_t cleared = 0;
    for (std::uint32_t i = 0; i < r_.edges.rows(); ++i) {
      auto& count = counts[r_.edges.provenance[i] & 63U];
      ++count[0];
      count[1] += (r_.edges.flags_final[i] & runtime::kWait) != 0;
      count[2] += (r_.edges.flags_final[i] & runtime::kRetain) != 0;
      cleared += (r_.edges.flags[i] & runtime::kWait) != 0 && (r_.edges.flags_final[i] & runtime::kWait) == 0;
    }
    for (std::uint32_t bits = 0; bits < counts.size(); ++bits) {
      if (counts[bits][0] == 0) continue;
      table.add({fmt::format("{}", fmt::join(runtime::provenance_names(static_cast<std::uint8_t>(bits)), "+")),
                 std::to_string(counts[bits][0]), fmt::format("{} wait", counts[bits][1]),
                 fmt::format("{} retain", counts[bits][2])});
    }
    section(fmt::format("Edges: {}, WAIT cleared by reduction on {}", r_.edges.rows(), cleared), table);
  }

  void findings() {
    Table table({"severity", "kind", "summary", "line"});
    // There may be information about every call site: what needs attention comes first.
    std::vector<std::uint32_t> rows(r_.findings.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(rows.begin(), rows.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return r_.findings.severity[a] > r_.findings.severity[b]; });
    for (const std::uint32_t i : rows) {
      table.add({std::string(to_string(static_cast<Severity>(r_.findings.severity[i]))),
                 std::string(r_.text(r_.findings.kind[i])), std::string(r_.text(r_.findings.summary[i])),
                 r_.findings.line[i] == 0 ? "" : fmt::format("line {}", r_.findings.line[i])});
    }
    section(fmt::format("Findings: {}", r_.findings.rows()), table);
  }

  const Recording& r_;
  const SummaryOptions& o_;
  std::string out_;
};

}  // namespace

std::string summary_text(const Recording& recording, const SummaryOptions& options) { return Summary(recording, options).run(); }

}  // namespace depscope::replay
