// Where two calls may touch one buffer. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/why.h"
#include "row_groups.h"
#include "why_program.h"
#include "why_rows.h"
#include "why_run.h"

namespace depscope::replay {

/// A meeting with what the verdict needs beside its texts.
struct ArgumentPair {
  WhyMeeting shown;
  std::uint32_t first_arg = recording::kNoRow, second_arg = recording::kNoRow;  ///< argument positions
  bool overlaps = false;                                                        ///< they may share an element
  std::uint32_t first_access = recording::kNoRow,
                second_access = recording::kNoRow;  ///< pass_accesses rows, none for one of a run
};

/// From what the analysis put on record: pairs of accesses with one root, or with a judged hazard.
[[nodiscard]] std::vector<ArgumentPair> meetings_on_record(const recording::Recording& r, const WhyProgram& program,
                                                           const RowGroups& accesses, const std::vector<HazardAsked>& hazards,
                                                           std::uint32_t first, std::uint32_t second);
/// From what two tasks touched when the program ran.
[[nodiscard]] std::vector<ArgumentPair> meetings_of_run(const recording::Recording& r, const RunBetween& run, std::uint32_t first,
                                                        std::uint32_t second);

}  // namespace depscope::replay
