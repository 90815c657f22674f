#include "depscope/replay/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "depscope/replay/measured_run.h"
#include "html_sections.h"

namespace depscope::replay {

using recording::Recording;

namespace {

constexpr std::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src )"
    "'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    R"(<meta name="generator" content="DepScope )" DEPSCOPE_VERSION "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>";

struct Section {
  std::string_view id, title;
  void (*write)(const HtmlPage&);
  bool of_passes = false;  ///< left out where no pass was run; the section of the passes says so
  bool of_files = false;   ///< only where the recording was made from the files of a real run
};
constexpr std::array<Section, 10> kSections{{
    {"summary", "Summary", html_summary},
    {"run", "Real run", html_real_run, false, true},
    {"findings", "Findings", html_findings},
    {"passes", "Passes", html_passes},
    {"regions", "Regions", html_regions, true},
    {"directions", "Directions", html_directions, true},
    {"lifetimes", "Lifetimes", html_lifetimes},
    {"tasks", "Tasks", html_tasks},
    {"edges", "Edges", html_edges},
    {"events", "Events", html_events},
}};

/// Only a program is listed: a trace or a task graph is data.
std::uint32_t listed_lines(const Recording& r, const HtmlOptions& o) {
  if (r.passes.rows() == 0) return 0;
  const auto ends = static_cast<std::uint64_t>(std::count(r.input_text.begin(), r.input_text.end(), '\n'));
  const bool open_end = !r.input_text.empty() && r.input_text.back() != '\n';
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(ends + (open_end ? 1 : 0), o.max_rows));
}

}  // namespace

void HtmlPage::task(std::uint32_t row) const {
  if (row == recording::kNoRow) return;
  if (!has_task_row(row)) {
    out.text(names.text(row));
    return;
  }
  out.raw("<a href=\"#task-").number(row).raw("\">").text(names.text(row)).raw("</a>");
}

void HtmlPage::text(std::string_view text) const {
  const std::string_view begin = cut_text(text, o.max_text);
  out.text(begin);
  if (begin.size() < text.size()) out.text(fmt::format("… ({} bytes more)", text.size() - begin.size()));
}

void HtmlPage::line(std::uint32_t number) const {
  if (number == 0) return;
  if (number > input_lines) {
    out.raw("line ").number(number);
  } else {
    out.raw("<a href=\"#line-").number(number).raw("\">line ").number(number).raw("</a>");
  }
}

void HtmlPage::begin_section(std::string_view id, std::string_view title) const {
  out.raw("<section id=\"").raw(id).raw("\">\n<h2>").text(title).raw("</h2>\n");
}

void HtmlPage::end_section() const { out.raw("</section>\n"); }

void write_html_page(const Recording& recording, const HtmlOptions& options, const TextOutput& output) {
  HtmlWriter out(output);
  const HtmlPage page{recording,
                      options,
                      out,
                      TaskNames(recording),
                      TaskTimes(recording),
                      listed_lines(recording, options),
                      has_measured_events(recording),
                      microseconds_per_unit(recording)};
  std::string title = options.title;
  if (title.empty()) {
    title = recording.program_name.empty() ? recording.input_name
                                           : fmt::format("{} ({})", recording.program_name, recording.input_name);
  }
  if (title.empty()) title = "recording";
  out.raw(kHead);
  page.text(title);
  out.raw(" – DepScope</title>\n<style>").raw(html_style()).raw("</style>\n</head>\n<body>\n<header>\n<h1>");
  page.text(title);
  out.raw("</h1>\n<nav aria-label=\"Sections\">");
  const auto shown = [&](const Section& section) {
    return (!section.of_passes || recording.passes.rows() != 0) && (!section.of_files || recording.run_notes.rows() != 0);
  };
  for (const Section& section : kSections) {
    if (!shown(section)) continue;
    out.raw("<a href=\"#").raw(section.id).raw("\">").raw(section.title).raw("</a> ");
  }
  out.raw("</nav>\n</header>\n<main>\n");
  for (const Section& section : kSections) {
    if (!shown(section)) continue;
    page.begin_section(section.id, section.title);
    section.write(page);
    page.end_section();
  }
  out.raw("</main>\n<footer>Written by DepScope " DEPSCOPE_VERSION
          ". This page is complete without script and loads nothing.</footer>\n<script>");
  out.raw(html_script()).raw("</script>\n</body>\n</html>\n");
  out.finish();
}

}  // namespace depscope::replay
