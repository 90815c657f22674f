// The sections of the page, one file each, and what they share. Private.
#pragma once

#include <string>
#include <string_view>

#include "check_names.h"
#include "depscope/recording/tables.h"
#include "depscope/replay/html_page.h"
#include "html_table.h"
#include "html_writer.h"
#include "task_times.h"

namespace depscope::replay {

struct HtmlPage {
  const recording::Recording& r;
  const HtmlOptions& o;
  HtmlWriter& out;
  TaskNames names;
  TaskTimes times;
  std::uint32_t input_lines;  ///< lines of the program that the page lists
  bool measured;              ///< the events are those of a real run
  double unit_us;             ///< microseconds of a unit of time, 0 for logical time

  [[nodiscard]] bool has_task_row(std::uint32_t task) const { return task < o.max_rows; }
  /// Name of a task, as a link to its row where it has one.
  void task(std::uint32_t row) const;
  /// A text of the recording, cut where it is too long.
  void text(std::string_view text) const;
  /// "line 12", as a link to the line where the page lists it; nothing for 0.
  void line(std::uint32_t number) const;
  void begin_section(std::string_view id, std::string_view title) const;
  void end_section() const;
};

void html_summary(const HtmlPage& page);
/// Only for recordings with run_notes.
void html_real_run(const HtmlPage& page);
void html_findings(const HtmlPage& page);
void html_passes(const HtmlPage& page);
/// Not for recordings without passes.
void html_regions(const HtmlPage& page);
/// Not for recordings without passes.
void html_directions(const HtmlPage& page);
void html_lifetimes(const HtmlPage& page);
void html_tasks(const HtmlPage& page);
void html_edges(const HtmlPage& page);
void html_events(const HtmlPage& page);

/// Contents of the elements `style` and `script`.
[[nodiscard]] std::string_view html_style();
[[nodiscard]] std::string_view html_script();

}  // namespace depscope::replay
