// A recording as one page for a bug report: everything inside, readable without script, nothing loaded from anywhere
// (docs/export.md).
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// Every list ends somewhere, and says what is left out and which command prints it.
struct HtmlOptions {
  std::string title;                     ///< empty: the program and its input
  std::uint32_t max_rows = 1000;         ///< of each table
  std::uint32_t max_findings = 300;      ///< errors and warnings; as many infos again
  std::uint32_t max_regions = 200;       ///< regions that were not analysed go first where not all fit
  std::uint32_t max_diff_lines = 6000;   ///< of all passes together, unchanged ones included
  std::uint32_t max_lifetime_rows = 80;  ///< of the picture: the tasks that held their slots longest
  std::uint32_t max_scope_rows = 24;     ///< of the picture
  std::uint32_t max_items = 8;           ///< of a list within one cell
  std::uint32_t max_text = 2000;         ///< bytes of a text from the recording, of each line of a program
};

/// Streams HTML 5 in UTF-8. Texts are escaped; what is no valid UTF-8 and control characters (but tab and line end) show as
/// U+FFFD. Sections for which the recording has nothing say why. Time and memory grow with the recording, the page does not.
void write_html_page(const recording::Recording& recording, const HtmlOptions& options, const TextOutput& output);

}  // namespace depscope::replay
