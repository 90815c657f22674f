// What the files of a real run say of it, and how far they can be trusted.
#include <string_view>

#include "html_sections.h"

namespace depscope::replay {

void html_real_run(const HtmlPage& page) {
  const recording::Recording& r = page.r;
  std::string_view open;
  for (std::uint32_t i = 0; i < r.run_notes.rows(); ++i) {
    const std::string_view section = r.text(r.run_notes.section[i]);
    if (i == 0 || section != open) {
      if (i != 0) page.out.raw("</pre>\n");
      page.out.element("h3", "", section).raw("\n<pre>");
      open = section;
    }
    page.text(r.text(r.run_notes.text[i]));
    page.out.raw("\n");
  }
  if (r.run_notes.rows() != 0) page.out.raw("</pre>\n");
}

}  // namespace depscope::replay
