// Findings that the passes' decisions give rise to, as rows of the findings table (cases/book contract). Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/findings.h"
#include "depscope/recording/tables.h"

namespace depscope::recording {

/// Kind "fallback", severity info, for a row of `regions` whose outcome is not Analysed. `occurrence` counts the call sites of
/// the offending site's callee before it in its function.
void add_fallback(Recording& recording, std::uint32_t region, std::uint32_t occurrence);
/// Severity warning; the kind is the notice's name. `site` is a call_sites row or none.
void add_notice(Recording& recording, std::string_view function, const std::string& name, const std::string& message,
                std::uint32_t site, std::uint32_t line);
/// Kind "rewrite", what "phase_fence", severity info.
void add_fence(Recording& recording, std::string_view function, std::string_view array, const pass::FenceRecord& record,
               std::uint32_t line);

}  // namespace depscope::recording
