// Takes program texts through the default pipeline and lowers them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/lower/plan.h"
#include "depscope/pass/pass.h"
#include "engine/passes/worked_case.h"

namespace depscope::lower::testing {

using pass::testing::Frame;

struct Setup {
  bool analyze = false;  ///< --analyze-auto-scopes
  pass::Profile profile = pass::Profile::Upstream202608;
  std::string entry = {};
  std::string parameters = {};  ///< of main, see case_text
};
inline constexpr pass::Profile kSeed = pass::Profile::Seed;
inline constexpr pass::Profile kUpstream = pass::Profile::Upstream202608;

struct Lowered {
  ir::Program program;
  Plan plan;

  /// The operations of `main` (or another function) as text; names keep no version suffix, so "prev__iter_v1" reads "prev".
  [[nodiscard]] std::string text(std::string_view function = "main") const;
  /// "codegen_abort x@7 main" per finding: kind, name, line, function; several are separated by blanks and a bar.
  [[nodiscard]] std::string findings() const;
  /// Rows of kernel and wrapper tasks of `main`, in order.
  [[nodiscard]] std::vector<std::uint32_t> kernels() const;
  /// Names that a task waits for, in order: "t? tids[0:4]?"; '?' behind a guarded one.
  [[nodiscard]] std::string deps(std::uint32_t task) const;
  /// "add_input a, add_output b, add_scalar 1" of a task.
  [[nodiscard]] std::string arguments(std::uint32_t task) const;
  /// Edges that got lost without a word; must be empty.
  [[nodiscard]] std::size_t loose() const { return reconcile(plan, program).size(); }
};

/// Throws InputError as the passes do.
[[nodiscard]] Lowered lower_text(const std::string& text, const Setup& setup = {});
[[nodiscard]] Lowered lower_file(const std::string& path, const Setup& setup = {});
/// A body of section 11, see case_text.
[[nodiscard]] Lowered lower_case(std::string_view body, Frame frame, const Setup& setup = {});

/// `name` without version suffixes wherever they stand in a text.
[[nodiscard]] std::string without_versions(const std::string& text);

}  // namespace depscope::lower::testing
