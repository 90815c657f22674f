// State shared by the parts of the reader: the text, its syntax tree, the store that is being filled, and what the module
// around the programs defines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/ir/text.h"
#include "syntax.h"

namespace depscope::ir {

/// Ends the statement (or signature) that is being lowered; becomes one diagnostic.
struct ReadFailure {
  std::uint32_t offset;
  std::string message;
};

/// What a module-level name stands for.
struct ModuleBinding {
  enum class Kind : std::uint8_t { Constant, Dynamic, Syntax, Function };
  Kind kind = Kind::Syntax;
  ExprId constant = {};   ///< Constant: Int, Float, Bool, Str, Name or List of such
  VarId dynamic = {};     ///< Dynamic: pl.dynamic("NAME")
  SynExprId syntax = {};  ///< Syntax: the right side, lowered again at each use
  SynStmtId function = {};
};

/// What a call needs to know of its callee before its body is read.
struct Signature {
  NameId name = {};
  SynStmtId syntax = {};
  FunctionKind kind = FunctionKind::Opaque;
  std::vector<TypeId> results;
  std::uint32_t params = 0;
};

struct ReaderContext {
  ReaderContext(std::shared_ptr<const SourceFile> source_file, const ReadLimits& read_limits)
      : source(std::move(source_file)), limits(read_limits), store(std::make_shared<NodeStore>()) {}

  std::shared_ptr<const SourceFile> source;
  const ReadLimits& limits;
  std::shared_ptr<NodeStore> store;
  SyntaxTree tree;
  std::vector<Diagnostic> diagnostics;
  std::uint32_t errors = 0;
  std::uint32_t warnings = 0;
  std::unordered_map<std::uint32_t, std::string_view> prefixes;   ///< NameId of an alias -> "pl" or "pld"
  std::unordered_map<std::uint32_t, ModuleBinding> module_names;  ///< by NameId
  std::unordered_map<std::uint32_t, Signature> signatures;        ///< functions of the program being read, by NameId
  bool printed_text = false;                                      ///< the file begins like a dump
  std::unordered_map<std::uint32_t, VarId> invented_dims;         ///< of the program being read, by NameId

  /// What a name stands for, in the function whose reader made the entry. One table for all functions: a table of all names
  /// for each function would grow with their product.
  struct Binding {
    std::uint32_t reader = 0;
    VarId var = {};
  };
  std::vector<Binding> bindings;  ///< by NameId
  std::uint32_t readers = 0;

  /// Keeps the first max_diagnostics errors, and as many warnings: warnings never end the reading.
  void report(Severity severity, std::uint32_t offset, std::string message) {
    std::uint32_t& count = severity == Severity::Error ? errors : warnings;
    if (++count <= limits.max_diagnostics) diagnostics.push_back(source->diagnostic(severity, offset, std::move(message)));
  }
  [[nodiscard]] bool full() const { return errors >= limits.max_diagnostics; }
};

[[noreturn]] inline void read_fail(Span at, std::string message) { throw ReadFailure{at.begin, std::move(message)}; }

}  // namespace depscope::ir
