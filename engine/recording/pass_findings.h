// Findings about regions, fences and notices, as rows of the findings table (cases/book contract). Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "call_findings.h"
#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/findings.h"
#include "depscope/recording/tables.h"

namespace depscope::recording {

/// Kind "fallback", severity info, for every row of `regions` whose outcome is not Analysed, with what was lost.
void add_fallbacks(Recording& recording, const CallNames& calls);
/// Severity warning, or info where nothing is lost; the kind is the notice's name. `site` is a call_sites row or none.
void add_notice(Recording& recording, std::string_view function, const std::string& name, const std::string& message,
                std::uint32_t site, std::uint32_t line);
/// Kind "rewrite", what "phase_fence", severity info.
void add_fence(Recording& recording, std::string_view function, std::string_view array, const pass::FenceRecord& record,
               std::uint32_t line);

}  // namespace depscope::recording
