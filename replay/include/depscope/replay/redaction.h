// Inputs without their names: programs, dumps, traces, deps.json files and what options say, rewritten so that a run goes the
// same way and nothing of the user's own words is left (docs/redaction.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

/// What a name that stands outside the texts is a name of.
enum class NameUse : std::uint8_t {
  Program,   ///< --program
  Function,  ///< --entry, kernels of a timing file
  Variable,  ///< --arg, --data: parameters and dynamic dimensions
};

/// One for all files of a bundle: equal originals get equal replacements in all of them. First every text and every name is
/// learned, in any order; then `freeze`; then texts are rewritten, again in any order, learned ones only. Kinds and numbers of
/// replacements depend on the set of the names, not on the order in which they were learned; those of strings and paths follow
/// that order.
///
/// Replacements of names sort as the originals do, so that whatever a pass orders by name stays in its order. What the
/// compiler or a pass appends to a name or makes of its own ("__ssa_v3", "_inline0", "_submit_tmp", "mem_vec_2") stays.
class Redaction {
 public:
  Redaction();
  ~Redaction();
  Redaction(Redaction&&) noexcept;
  Redaction& operator=(Redaction&&) noexcept;

  // ---- learning; throws InputError for a text that cannot be taken apart, InternalError behind freeze()

  /// A .py program, or one dump of a directory.
  void learn_program(const SourceFile& text);
  /// A *.trace.json.
  void learn_trace(const SourceFile& text);
  void learn_deps_json(const SourceFile& text);
  /// The file of --data: an array, or an object of arrays by name.
  void learn_data_json(const SourceFile& text);
  /// The file of --timing, either form.
  void learn_timing(const SourceFile& text);
  /// The argument of --arg or --data. A value that is no number, truth value or JSON array is taken as a path.
  void learn_assignment(std::string_view text);
  void learn_name(NameUse use, std::string_view name);
  void learn_path(std::string_view path);

  /// Chooses the replacements. Nothing can be learned after it.
  void freeze();

  // ---- rewriting; throws InternalError before freeze() and for what was not learned

  /// Lines keep their numbers. A text that our reader refuses gives one that it refuses in the same lines; where that cannot be
  /// had (what is wrong stands outside the program and would be taken away, or a line means something else once its names are
  /// replaced), InputError.
  [[nodiscard]] std::string program(const SourceFile& text) const;
  [[nodiscard]] std::string trace(const SourceFile& text) const;
  [[nodiscard]] std::string deps_json(const SourceFile& text) const;
  [[nodiscard]] std::string data_json(const SourceFile& text) const;
  [[nodiscard]] std::string timing(const SourceFile& text) const;
  /// NAME=VALUE with the name replaced, and a value that is a path.
  [[nodiscard]] std::string assignment(std::string_view text) const;
  [[nodiscard]] std::string name(NameUse use, std::string_view name) const;
  [[nodiscard]] std::string path(std::string_view path) const;

  /// Comments of a --schedule list:FILE taken out; needs no learning.
  [[nodiscard]] static std::string schedule(const SourceFile& text);

  /// Every name, string, path and address (from 2^32 on, decimal) that has another replacement than itself, sorted: names as
  /// written and without what the compiler appended. Words of the user's that are words of ours, too ("out", "add"), are among
  /// them.
  [[nodiscard]] std::vector<std::string> originals() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace depscope::replay
