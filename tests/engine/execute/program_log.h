// Runs a small program and keeps what it submits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "depscope/execute/program_runner.h"
#include "depscope/pass/pass.h"
#include "depscope/runtime/sink.h"

namespace depscope::execute::testing {

struct ProgramLog {
  /// "put", "alloc", "dummy", … of every task in order, separated by blanks.
  [[nodiscard]] std::string submissions() const;
  /// Rows of the tasks that a task names explicitly, in order: "0 1". Flags other than WAIT and RETAIN behind a colon: "0:wait".
  [[nodiscard]] std::string deps(std::uint32_t task) const;
  /// Provenance of the explicit dependencies of a task, in order: "user compiler".
  [[nodiscard]] std::string provenance(std::uint32_t task) const;
  /// "INPUT x[64]+0" per tensor argument; strides behind '/' where they are not row-major.
  [[nodiscard]] std::string arguments(std::uint32_t task) const;

  std::vector<std::string> names{""};
  std::vector<runtime::TaskRow> tasks;
  std::vector<std::vector<std::uint32_t>> iterations;
  std::vector<runtime::AccessRow> accesses;
  std::vector<runtime::EdgeRow> edges;
  std::vector<runtime::EdgeReasonRow> reasons;
  std::vector<runtime::ScopeRow> scopes;
  std::vector<runtime::Event> events;
  RunResult result;
  std::string error;  ///< text of the InputError, else empty
};

struct ProgramSetup {
  ProgramInput input{};
  std::vector<std::string> passes = {"ConvertToSSA", "Simplify", "DeriveCallDirections", "MaterializeRuntimeScopes"};
  bool analyze = false;
  pass::Profile profile = pass::Profile::Upstream202608;
  std::string entry_attributes{};  ///< further arguments of the decorator of `main`
  std::string functions{};         ///< further functions of the class, indented by 4
};

/// The default pipeline's names.
[[nodiscard]] std::vector<std::string> all_passes();

/// `signature` is the parameter list of main behind self; `body` its statements, one a line, indented by 0. Kernels on
/// [64] FP32: put(out), get(x), mod(a: InOut), copy(x, out).
[[nodiscard]] ProgramLog interpret(const std::string& signature, const std::string& body, const ProgramSetup& setup = {});
/// A whole program text.
[[nodiscard]] ProgramLog interpret_text(const std::string& text, const ProgramSetup& setup = {});

}  // namespace depscope::execute::testing
