#include "dump_reader.h"

#include <fmt/format.h>

#include "depscope/ir/text.h"

namespace depscope::app {

const ir::Program& select_program(const std::vector<ir::Program>& programs, const std::string& name, const std::string& path) {
  if (name.empty()) return programs.front();
  std::string known;
  for (const ir::Program& p : programs) {
    if (p.name == name) return p;
    known += (known.empty() ? "" : ", ") + p.name;
  }
  Diagnostic d;
  d.file = path;
  d.message = fmt::format("--program {}: no such program in this file (it has {})", name, known);
  throw InputError(std::move(d));
}

ReadDump DumpReader::read(const Dump& dump) {
  const auto source = std::make_shared<const SourceFile>(SourceFile::read(dump.path, ir::ReadLimits{}.max_file_bytes));
  if (source_ && source_->text() == source->text()) return {program_, true, {}};
  ir::ReadResult result = ir::read_text(source);
  if (!result.ok) throw InputError(std::move(result.diagnostics));
  program_ = select_program(result.programs, name_, dump.path);
  source_ = source;
  return {program_, false, std::move(result.diagnostics)};
}

}  // namespace depscope::app
