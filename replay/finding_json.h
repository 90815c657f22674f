// A finding as the object of the findings contract. Private.
#pragma once

#include <string>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "json_writer.h"

namespace depscope::replay {

/// `fields` is the text of an object without kind, severity and summary.
[[nodiscard]] inline std::string finding_json(std::string_view kind, Severity severity, std::string_view summary,
                                              std::string_view fields) {
  std::string out;
  const TextOutput keep = [&out](std::string_view piece) { out.append(piece); };
  JsonWriter writer(keep);
  writer.begin_object()
      .field("kind", kind)
      .field("severity", to_string(severity))
      .field("summary", summary)
      .end_object()
      .finish();
  out.resize(out.size() - 2);  // the bracket and the line end
  return fields.size() <= 2 ? out + "}" : out.append(",").append(fields.substr(1));
}

}  // namespace depscope::replay
