// Replacements of names: by kind, numbered, and in the order of the originals.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::replay {

/// Where a name lives: names of different spaces have nothing to do with one another.
enum class NameSpace : std::uint8_t { Program, Function, Variable };

enum class NameKind : std::uint8_t {
  Program,
  Function,  ///< defined or called in a program
  Kernel,    ///< known from other files only
  Value,
  Dim,     ///< pl.dynamic, or named in a type and defined nowhere
  Tensor,  ///< known from other files only
};

/// A name and what the compiler, a pass or the printer made of it.
struct NameParts {
  std::string_view base;  ///< the user's; empty if the whole name is the compiler's
  std::string_view tail;  ///< "__l0_tile", "_inline3", "_1", …: kept
  /// Part of the tail between its "__" and its role that may be the user's; empty if it is not.
  std::string_view qualifier;
};
[[nodiscard]] NameParts name_parts(NameSpace space, std::string_view name);

/// The names of one space.
class NameTable {
 public:
  explicit NameTable(NameSpace space) : space_(space) {}

  void learn(std::string_view name, NameKind kind);
  /// "acc_out": nothing assigns it, a loop that carries "acc" gives it.
  void learn_loop_result(std::string_view name) { loop_results_.emplace(name); }
  [[nodiscard]] bool knows(std::string_view name) const { return names_.find(name) != names_.end(); }
  /// Names of loops' results are made by appending to names of this space, or functions are spliced into others: where one name
  /// begins with another, order must hold with what is appended, too.
  void expect_suffixes() { suffixes_ = true; }

  void freeze();
  /// Throws InternalError for a name that was not learned.
  [[nodiscard]] std::string replacement(std::string_view name) const;
  /// Adds the names that have another replacement than themselves, and their bases.
  void add_originals(std::vector<std::string>& out) const;

 private:
  struct Base {
    std::uint32_t kinds = 0;  // bits 1 << NameKind
    std::string replacement;
  };
  using Bases = std::map<std::string, Base, std::less<>>;

  [[nodiscard]] NameParts parts(std::string_view name) const;
  void collect_bases();
  void number_bases(unsigned attempt);
  [[nodiscard]] bool keeps_order() const;
  [[nodiscard]] bool meets_original() const;

  NameSpace space_;
  std::map<std::string, std::uint32_t, std::less<>> names_;  // as written: kinds
  std::set<std::string, std::less<>> loop_results_;
  Bases bases_;
  bool suffixes_ = false;
  bool whole_ = false;  // names are not taken apart
};

}  // namespace depscope::replay
