// Reads the texts of a dump directory one after another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"
#include "dump_directory.h"

namespace depscope::app {

/// The program with this name, the first without one. Throws InputError naming the programs that `path` has.
[[nodiscard]] const ir::Program& select_program(const std::vector<ir::Program>& programs, const std::string& name,
                                                const std::string& path);

struct ReadDump {
  ir::Program program;
  bool repeated = false;  ///< the file is byte by byte the last one: the program is the same object
  std::vector<Diagnostic> warnings;
};

/// Most passes change nothing, so a text that repeats the last one is not read again. Keeps one program.
class DumpReader {
 public:
  /// `program`: --program, empty for the first of a file.
  explicit DumpReader(std::string program) : name_(std::move(program)) {}

  /// Throws InputError with every diagnostic when the text cannot be read; the last program is kept then.
  [[nodiscard]] ReadDump read(const Dump& dump);

 private:
  std::string name_;
  std::shared_ptr<const SourceFile> source_;
  ir::Program program_;
};

}  // namespace depscope::app
