// Names before ConvertToSSA (ir-text.md 2.1).
#include "depscope/ir/text.h"

namespace depscope::ir {

std::string_view source_name(std::string_view name) {
  for (std::size_t at = name.rfind("__"); at != std::string_view::npos && at > 0; at = name.rfind("__", at - 1)) {
    const std::string_view suffix = name.substr(at + 2);
    for (const std::string_view role : {"ssa", "iter", "rv", "phi", "idx"}) {
      if (suffix == role || (suffix.starts_with(role) && suffix.size() > role.size() && suffix[role.size()] == '_')) {
        return name.substr(0, at);
      }
    }
  }
  return name;
}

}  // namespace depscope::ir
