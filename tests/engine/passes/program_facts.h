// Facts of a program's Orchestration functions in the form of tests/data/programs/*/NAME.expected.json.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "depscope/ir/program.h"

namespace depscope::pass::testing {

/// {"calls": […], "scopes": […]} of one function.
[[nodiscard]] nlohmann::json function_facts(const ir::Program& program, const ir::Function& function);

/// What the check of one program gave.
struct CaseOutcome {
  enum class Verdict { Right, NotModelled, Wrong } verdict = Verdict::Right;
  std::string difference;  ///< first difference, or the construct that is not modelled
};
/// Runs every run listed in `expected_path` on the program and compares.
[[nodiscard]] CaseOutcome check_case(const std::string& program_path, const std::string& expected_path);
/// The same for a file with facts after each of several passes ("steps"), which start from this program.
[[nodiscard]] CaseOutcome check_steps(const ir::Program& start, const std::string& expected_path);

}  // namespace depscope::pass::testing
