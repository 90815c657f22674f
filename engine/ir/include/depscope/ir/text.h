// Reading and printing IR text (ir-text.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"

namespace depscope::ir {

/// Every limit is named in the message of the error it causes.
struct ReadLimits {
  std::uint64_t max_file_bytes = std::uint64_t{256} << 20U;
  std::uint32_t max_nesting = 200;       ///< brackets, blocks and operators inside one another
  std::uint32_t max_nodes = 64U << 20U;  ///< expressions plus statements
  std::uint32_t max_diagnostics = 20;
};

struct ReadResult {
  std::vector<Program> programs;        ///< one per @pl.program class, in file order; they share one store
  std::vector<Diagnostic> diagnostics;  ///< warnings (and, from read_text, errors)
  bool ok = false;                      ///< no diagnostic is an error
};

/// Reads P-text or U-text. U-text sugar (ir-text 5.10) is desugared; types of locals are inferred where the rules are known.
/// Never throws on bad text: errors are in `diagnostics`, in order of their position.
[[nodiscard]] ReadResult read_text(std::shared_ptr<const SourceFile> source, const ReadLimits& limits = {});
/// Reads a file; throws InputError if it cannot be read or has errors.
[[nodiscard]] ReadResult read_file(const std::string& path, const ReadLimits& limits = {});

/// Runs of variables (VarRun) with more members than this are printed by their ends where a text is only to be looked at: the
/// lists of n writers of one buffer have n(n-1)/2 names together.
inline constexpr std::uint32_t kReadableRun = 256;

/// The program in printed form (P-text, raw layout), as a dump file holds it. With `max_run`, longer runs of variables are
/// printed by their first and last names, "a, b, ... 500 more ..., c, d": such a text cannot be read again. 0 prints everything.
[[nodiscard]] std::string print_program(const Program& program, std::uint32_t max_run = 0);
/// One function as it stands inside a program's print, without the class header (indented by 4).
[[nodiscard]] std::string print_function(const Program& program, const Function& function);
[[nodiscard]] std::string print_expr(const NodeStore& store, ExprId id);
[[nodiscard]] std::string print_type(const NodeStore& store, TypeId id);

/// "x" of "x__ssa_v3" or "x__rv_v4_1": a variable's name without the suffix of ConvertToSSA (2.1).
[[nodiscard]] std::string_view source_name(std::string_view name);

/// Where the first line of each call site stands in a printed program.
struct PrintedProgram {
  std::string text;
  std::vector<std::pair<StmtId, std::uint32_t>> statement_lines;  ///< in order of printing; 1-based line of each statement
  std::vector<std::pair<NameId, std::uint32_t>> function_lines;   ///< line of each `def`
};
[[nodiscard]] PrintedProgram print_program_with_lines(const Program& program, std::uint32_t max_run = 0);

/// Structural comparison (ir-text 9, "auto mapping" mode). Empty if equal, else what differs first.
[[nodiscard]] std::string first_difference(const Program& a, const Program& b);

/// Rules that hold for every program (use before definition, arity of yields and carries, position of yields) and, with
/// `ssa`, single assignment. Each finding is an Error diagnostic with its rule name in brackets.
struct VerifyOptions {
  bool ssa = false;
};
[[nodiscard]] std::vector<Diagnostic> verify(const Program& program, const VerifyOptions& options = {});

}  // namespace depscope::ir
