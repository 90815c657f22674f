// passes_dump directories (ir-text.md 1.1): which texts there are, and where a run starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

struct Dump {
  std::string path;
  std::uint32_t number = 0;  ///< NN of the file name
  std::string pass;          ///< "frontend" or the pass name
};

struct DumpDirectory {
  std::string path;                  ///< the directory that holds the texts
  std::vector<Dump> dumps;           ///< by number
  std::size_t start = 0;             ///< index of the newest dump before DeriveCallDirections: the run starts from it
  std::vector<Diagnostic> warnings;  ///< gaps in the numbers
};

/// Accepts the directory itself or a build_output directory that holds `passes_dump`. Throws InputError when there is no dump.
[[nodiscard]] DumpDirectory read_dump_directory(const std::string& path);

}  // namespace depscope::app
