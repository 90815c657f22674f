#include "finding.h"

#include <filesystem>

#include "depscope/recording/findings.h"

namespace depscope::app {

using nlohmann::ordered_json;

void add_finding(recording::Recording& recording, const Finding& f) {
  recording::add_finding(recording, f.kind, f.severity, f.summary,
                         f.fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace), f.line);
}

Finding input_error(const Diagnostic& d) {
  Finding f{.kind = "input_error", .severity = d.severity, .summary = d.message, .line = d.line};
  f.fields["file"] = std::filesystem::path(d.file).filename().string();
  if (d.line != 0) {
    f.fields["line"] = d.line;
    f.fields["column"] = d.column;
  }
  return f;
}

}  // namespace depscope::app
