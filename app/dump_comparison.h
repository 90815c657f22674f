// Our passes beside the later dumps of a directory (DESIGN §4): does each give what the compiler printed?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/pass.h"
#include "dump_directory.h"
#include "dump_history.h"
#include "dump_reader.h"
#include "finding.h"

namespace depscope::app {

/// Whether the dependency analysis was on when the dumps were made, which no dump says.
struct AnalysisChoice {
  bool on = false;
  bool from_dumps = false;  ///< a dump tells
  std::string reason;       ///< "given", "dump 39 agrees", "dump 39 agrees either way", "dump 39 has traces of the analysis", …
};
/// Off if the first later dump from AutoDeriveTaskDependencies on agrees with that, else on if it agrees with that, else by the
/// compiler edges and markers in that dump. `passes` run from the text of `directory.start`; `program` is --program.
[[nodiscard]] AnalysisChoice choose_analysis(const DumpDirectory& directory, const std::vector<std::string>& passes,
                                             pass::Options options, const std::string& program);

/// Reads the dumps of a directory in order, one at a time: those up to the start before the passes run, each later one when our
/// pass of that name has run. It must be an observer of the PassManager.
class DumpComparison final : public pass::PassObserver {
 public:
  /// `passes` is the list that the manager runs; `program` is --program.
  DumpComparison(const DumpDirectory& directory, std::vector<std::string> passes, const pass::Options& options,
                 const std::string& program);

  /// Reads the dumps before the start, and calls f(dump, program, changed) for each of them and for the start, whose program is
  /// given. Call once, before the passes run. A text that cannot be read is a warning.
  template <class F>
  void read_to_start(const ir::Program& start, F&& f) {
    for (std::size_t i = 0; i < directory_.start; ++i) {
      if (read(i)) f(directory_.dumps[i], history_.program(), history_.last_changed());
    }
    take_start(start);
    f(directory_.dumps[directory_.start], history_.program(), history_.last_changed());
  }
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override;
  /// Reads what is left. Call once, after the last pass.
  void finish();

  /// What the comparison and the dumps themselves gave, most important first: differences, agreement, texts that could not be
  /// read, directions of parameters, changes from dump to dump.
  [[nodiscard]] std::vector<Finding> findings(const AnalysisChoice& analysis) const;

 private:
  enum class Outcome : std::uint8_t {
    Agrees,       ///< our result is the dump
    AgreesAlone,  ///< a difference from before is still there; run on the dump before it, the pass gives the dump
    Differs,
  };
  struct Result {
    std::string pass, dump;
    Outcome outcome = Outcome::Agrees;
    std::string alone_on;  ///< AgreesAlone: the dump that the pass was run on
  };

  void take_start(const ir::Program& start);
  bool read(std::size_t dump);
  void read_up_to(std::size_t dump);
  void read_unmatched(std::size_t dump);
  void compare(std::size_t dump, std::uint32_t pass);
  void note_difference(const Dump& dump, std::uint32_t pass, const Dump& before, const ir::Program* alone, bool alone_agrees);
  void note_not_modelled(const Dump& dump);
  [[nodiscard]] const ProgramText& our_text();
  [[nodiscard]] Finding agreement(const AnalysisChoice& analysis) const;

  const DumpDirectory& directory_;
  std::vector<std::string> passes_;
  pass::Options options_;
  DumpReader reader_;
  bool reader_is_last_ = false;  // the reader's last text is the history's last dump
  DumpHistory history_;
  std::vector<std::uint32_t> pass_of_dump_;  // by dump: our pass of that name, kNoPass
  std::size_t next_ = 0;                     // the next dump to read
  std::uint32_t run_ = 0;                    // our passes that ran
  std::uint32_t behind_ = 0;                 // our passes that the last dump that was read has behind it
  ir::Program ours_;
  std::optional<ProgramText> our_text_;
  bool in_step_ = true;  // our program said the same as the last dump
  std::vector<Result> results_;
  std::vector<Finding> differences_, unreadable_;
};

}  // namespace depscope::app
