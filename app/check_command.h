#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope check FILE [--format text|json|sarif] [--facts[=all]] [--sizing] [options]: order that is missing, order that is
/// false, and what the recording says already. Exit status 1 if anything is a warning or an error.
class CheckCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "check"; }
  [[nodiscard]] std::string_view summary() const override { return "Missing order, false order, lost edges"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_ || format_ == "json"; }

 private:
  /// What is checked, in the format that was asked for.
  int check();

  std::string input_;
  bool json_ = false;                  ///< means --format json
  std::optional<std::string> format_;  ///< none: not given
  bool sizing_ = false;
  std::string what_if_;  ///< empty: not given; "auto" or a move
  std::string facts_;    ///< empty: not given; "shown" or "all"
  OptionTexts texts_;
};

}  // namespace depscope::app
