// passes_dump directories (ir-text.md 1.1): which texts there are, and where a run starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

struct Dump {
  std::string path;
  std::uint32_t number = 0;  ///< NN of the file name
  std::string pass;          ///< "frontend" or the pass name

  /// "07": the number as file names have it.
  [[nodiscard]] std::string label() const;
};

struct DumpDirectory {
  std::string path;                  ///< the directory that holds the texts
  std::vector<Dump> dumps;           ///< by number, of one program; where numbers were swapped, in the order of the passes
  std::size_t start = 0;             ///< index of the newest dump before DeriveCallDirections: the run starts from it
  std::vector<Diagnostic> warnings;  ///< gaps in the numbers, numbers that occur twice or in a wrong order, other programs
};

/// Accepts the directory itself or a build_output directory that holds `passes_dump`. Throws InputError when there is no dump.
[[nodiscard]] DumpDirectory read_dump_directory(const std::string& path);

/// Paths of all dumps there, also of those that `read_dump_directory` leaves out; by number, then by name.
[[nodiscard]] std::vector<std::string> dump_files(const std::string& path);

/// The passes that a run from dump `directory.start` has before it, of the pipeline `passes`: from DeriveCallDirections on,
/// without those that the text has behind it already where a directory begins later.
[[nodiscard]] std::vector<std::string> passes_after_start(const DumpDirectory& directory, std::vector<std::string> passes);

/// True for the names that stand between DeriveCallDirections and the end of the compiler's pipeline and nowhere else
/// (passes.md 1.1); Simplify is not among them, it occurs earlier too.
[[nodiscard]] bool is_tail_pass(std::string_view pass);

}  // namespace depscope::app
