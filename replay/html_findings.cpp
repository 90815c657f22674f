// What is wrong, most severe first; then what is no alarm.
#include <fmt/format.h>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/check.h"
#include "html_sections.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

/// Severity as word, shape and colour.
void severity_tag(HtmlWriter& out, Severity severity) {
  const std::string_view name = to_string(severity);
  const std::string_view shape = severity == Severity::Error ? "✖" : severity == Severity::Warning ? "▲" : "●";
  out.raw("<span class=\"sev ").raw(name).raw(R"("><i aria-hidden="true">)").raw(shape).raw("</i>").raw(name).raw("</span> ");
}

void alarm(const HtmlPage& page, const CheckFinding& finding, std::uint32_t number) {
  HtmlWriter& out = page.out;
  out.raw("<article class=\"finding ").raw(to_string(finding.severity)).raw("\" id=\"finding-").number(number).raw("\">\n<h3>");
  severity_tag(out, finding.severity);
  out.element("code", "", finding.kind);
  if (finding.line != 0) {
    out.raw(" <small>");
    page.line(finding.line);
    out.raw("</small>");
  }
  out.raw("</h3>\n<p>");
  page.text(finding.summary);
  out.raw("</p>\n");
  if (!finding.details.empty()) {
    out.raw("<dl>");
    for (const auto& [label, text] : finding.details) {
      out.raw("<dt>").text(label).raw("</dt><dd>");
      page.text(text);
      out.raw("</dd>");
    }
    out.raw("</dl>\n");
  }
  if (finding.first != kNoRow && finding.second != kNoRow) {
    out.raw("<p class=\"dim\">Tasks: ");
    page.task(finding.first);
    out.raw(", ");
    page.task(finding.second);
    out.raw("</p>\n");
  }
  if (finding.group != kNoRow && finding.group_size > 1) {
    out.raw("<p class=\"more\">The first of ").number(finding.group_size);
    out.raw(" pairs of these kernels and this buffer. The others: <code>depscope check FILE</code></p>\n");
  }
  if (finding.fields.size() > 2) {
    out.raw("<details><summary>Fields</summary><pre>");
    page.text(finding.fields);
    out.raw("</pre></details>\n");
  }
  out.raw("</article>\n");
}

/// Returns how many there are without the further pairs of a group.
std::uint32_t alarms(const HtmlPage& page, const Check& check) {
  std::uint32_t total = 0;
  for (const Severity severity : {Severity::Error, Severity::Warning}) {
    std::uint32_t group = kNoRow;
    check.each({}, [&](const CheckFinding& finding) {
      if (finding.severity != severity) return;
      if (finding.group != kNoRow && finding.group == group) return;
      group = finding.group;
      if (total++ < page.o.max_findings) alarm(page, finding, total - 1);
    });
  }
  left_out(page.out, page.o.max_findings, total, "findings", "errors first", "depscope check FILE");
  return total;
}

void infos(const HtmlPage& page) {
  const auto& f = page.r.findings;
  std::uint32_t total = 0;
  for (std::uint32_t row = 0; row < f.rows(); ++row) total += static_cast<Severity>(f.severity[row]) == Severity::Info ? 1U : 0U;
  if (total == 0) return;
  page.out.raw("<details id=\"infos\"><summary>").text(counted(total, "fact that is no alarm", "facts that are no alarm"));
  page.out.raw("</summary>\n");
  HtmlTable table(page.out, "info-findings", "Facts", {{"Severity"}, {"Kind"}, {"What"}, {"Line"}}, true);
  std::uint32_t shown = 0;
  for (std::uint32_t row = 0; row < f.rows() && shown < page.o.max_findings; ++row) {
    if (static_cast<Severity>(f.severity[row]) != Severity::Info) continue;
    ++shown;
    table.row().open();
    severity_tag(page.out, Severity::Info);
    table.close().cell(page.r.text(f.kind[row])).open(" class=\"wrap\"");
    page.text(page.r.text(f.summary[row]));
    table.close().open();
    page.line(f.line[row]);
    table.close();
  }
  table.end();
  left_out(page.out, shown, total, "facts", "", "depscope check FILE --facts=all");
  page.out.raw("</details>\n");
}

}  // namespace

void html_findings(const HtmlPage& page) {
  const Check check(page.r);
  const CheckCounts& counts = check.counts();
  if (check.alarming()) {
    page.out.raw("<p>").text(counted(counts.errors, "error", "errors")).raw(", ");
    page.out.text(counted(counts.warnings, "warning", "warnings")).raw(", every pair of tasks counted.</p>\n");
  }
  if (alarms(page, check) == 0) {
    page.out.raw(R"(<p class="good"><i aria-hidden="true">✔</i> No error and no warning: )");
    page.out.text(fmt::format("{} of tasks on {} were judged", counted(counts.judged, "pair", "pairs"),
                              counted(counts.buffers, "shared buffer", "shared buffers")));
    page.out.raw(".</p>\n");
  }
  infos(page);
}

}  // namespace depscope::replay
