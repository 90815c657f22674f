// The recording that the passes leave of a short orchestration body, in the kernels of passes.md 11.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "depscope/pass/pass.h"
#include "depscope/recording/tables.h"

namespace depscope::recording::testing {

/// How the body is placed in `main(self, a, b, c, d, e, n, k0)`.
enum class Frame {
  Default,  ///< auto_scope: the virtual body is analysed
  Auto,     ///< one hand-placed AUTO scope in a function with auto_scope=False
  Manual,   ///< one MANUAL scope in a default function
  Plain,    ///< the body as it is in a function with auto_scope=False
};

/// Runs the default passes (or those given) with the analysis on.
[[nodiscard]] Recording record_case(std::string_view body, Frame frame, pass::Profile profile = pass::Profile::Seed,
                                    const std::vector<std::string>& passes = {});

/// "2 compiler t <- 0 kept": consumer, origin, id without version suffix, producer, status; "stripped by 1", "through 0" and
/// "synthetic" where they apply.
[[nodiscard]] std::vector<std::string> edges_of(const Recording& r);
/// "RAW 0.0 1.0 compiler_edge #0": kinds, prior call and argument, current ones, verdict, pass_edges row ("-" if none).
[[nodiscard]] std::vector<std::string> hazards_of(const Recording& r);
/// "1.0 R a recorded": call and argument, kind, root, outcome; "in_loop" where it applies.
[[nodiscard]] std::vector<std::string> accesses_of(const Recording& r);
/// Fields of the findings of a kind, in order.
[[nodiscard]] std::vector<nlohmann::json> findings_of(const Recording& r, std::string_view kind);

}  // namespace depscope::recording::testing
