// One option of a recording by its name. Private.
#pragma once

#include <string_view>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// The value of the first option of that name, empty if there is none. Looks at all options: not for loops over rows.
[[nodiscard]] inline std::string_view recorded_option(const recording::Recording& recording, std::string_view name) {
  for (std::uint32_t i = 0; i < recording.options.rows(); ++i) {
    if (recording.text(recording.options.name[i]) == name) return recording.text(recording.options.value[i]);
  }
  return {};
}

}  // namespace depscope::replay
