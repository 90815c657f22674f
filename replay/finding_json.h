// A finding as the object of the findings contract. Private.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "json_text.h"

namespace depscope::replay {

/// `fields` is the text of an object without kind, severity and summary.
[[nodiscard]] inline std::string finding_json(std::string_view kind, Severity severity, std::string_view summary,
                                              std::string_view fields) {
  std::string out =
      fmt::format(R"({{"kind":{},"severity":"{}","summary":{})", json_string(kind), to_string(severity), json_string(summary));
  if (fields.size() > 2) out.append(",").append(fields.substr(1));
  return fields.size() > 2 ? out : out + "}";
}

}  // namespace depscope::replay
