// Which call site a text names. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"
#include "why_program.h"

namespace depscope::replay {

struct NamedCall {
  std::uint32_t site = recording::kNoRow;  ///< call_sites row; none if what is named is no task
  std::string no_task;                     ///< then: what it is, as the end of "'x' is …"
  std::uint32_t line = 0;                  ///< of what is no task, 0 if not known
};

/// Throws WhyError with the candidates or with what may be said. `function` (functions row, none: any) narrows the choice.
[[nodiscard]] NamedCall named_call(const recording::Recording& recording, const WhyProgram& program, std::string_view text,
                                   std::uint32_t function);

}  // namespace depscope::replay
