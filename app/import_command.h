#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "depscope/replay/artefacts/imported_run.h"

namespace depscope::app {

/// depscope import PATH [-o FILE] [--json]: files of a real run, with a health page (docs/import.md).
class ImportCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "import"; }
  [[nodiscard]] std::string_view summary() const override { return "Read the files of a real run, and say what can be trusted"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.summary/1"; }

 private:
  /// The model's run of the same program, with the times of this one where it is run only now. Returns the lines to print.
  std::vector<std::string> join(replay::ImportedRun& run);

  std::string input_, output_, run_, join_;
  std::optional<recording::Recording> joined_;
  bool json_ = false;
};

}  // namespace depscope::app
