// The worked cases of the pass specification (section 11): a body in, a one-line summary out.
#pragma once

#include <string>
#include <string_view>

#include "depscope/pass/pass.h"

namespace depscope::pass::testing {

/// How the body is placed in `main(self, a, b, c, d, e, n, k0)`.
enum class Frame {
  Default,  ///< auto_scope: the virtual body is analysed
  Auto,     ///< one hand-placed AUTO scope in a function with auto_scope=False
  Manual,   ///< one MANUAL scope in a default function
  Plain,    ///< the body as it is in a function with auto_scope=False
};

struct Summary {
  std::string edges;     ///< "get:[t]" for every site with compiler edges, in order
  std::string user;      ///< the same for user edges
  std::string before;    ///< directions of every site before AutoDerive: "put E, get I"
  std::string after;     ///< and after it
  std::string scopes;    ///< runtime scopes at the end: A, M, M* (compiler-owned leaf), M! (whole body), nested in parentheses
  std::string fallback;  ///< "reason@callee.argument" of regions that fell back
  std::string notices;   ///< names, in order, once each
  std::string loops;     ///< "get:[1]": nesting depth of the loop whose result each compiler edge names, "-" if it is none
};

/// A program text: the kernels of section 11 and `main` with the body in its frame. `parameters` replaces the tensors a to e.
[[nodiscard]] std::string case_text(std::string_view body, Frame frame, std::string_view parameters = {});

/// Letters: I input, O output, E output_existing, IO inout, N no_dep, S scalar. Names are without version suffix; a loop result
/// is "rv(name)".
[[nodiscard]] Summary run_case(std::string_view body, Frame frame, const Options& options, std::string_view parameters = {},
                               bool simplify = true);

}  // namespace depscope::pass::testing
