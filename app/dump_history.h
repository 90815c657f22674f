// What each dump of a directory changed against the one before it, for `explain`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "depscope/ir/program.h"
#include "dump_directory.h"
#include "finding.h"
#include "program_text.h"

namespace depscope::app {

/// Dumps come in order; a dump that could not be read is left out, and the next one is compared with the one before it. Keeps
/// the last dump only.
class DumpHistory {
 public:
  /// `repeated`: the text is the last one, nothing needs to be compared.
  void add(const Dump& dump, const ir::Program& program, bool repeated);

  /// The last dump, none before the first. Valid until the next `add`.
  [[nodiscard]] const Dump* last() const { return last_ ? &*last_ : nullptr; }
  [[nodiscard]] const ir::Program& program() const { return program_; }
  [[nodiscard]] const ProgramText& text() const { return text_; }
  /// False for the first, and where the last dump says the same as the one before it.
  [[nodiscard]] bool last_changed() const { return last_changed_; }
  /// Functions that the last dump changed, came with or lost; empty for the first.
  [[nodiscard]] const std::vector<std::string>& changed() const { return changed_; }

  /// Kind "rewrite": parameters whose direction changed (severity info). In order of the dumps.
  [[nodiscard]] const std::vector<Finding>& directions() const { return directions_; }
  /// Kind "difference", what "pass_changed" or "pass_noop": one for each pair of dumps (severity info). In order of the dumps.
  [[nodiscard]] const std::vector<Finding>& changes() const { return changes_; }
  [[nodiscard]] const std::vector<Finding>& no_changes() const { return no_changes_; }

 private:
  void note_change(const Dump& dump);
  void note_directions(const Dump& dump, const ir::Program& program);

  std::optional<Dump> last_;
  ir::Program program_;
  ProgramText text_;
  std::vector<std::string> changed_;
  bool last_changed_ = false;
  std::vector<Finding> directions_, changes_, no_changes_;
};

}  // namespace depscope::app
