#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope diff A B [--a="OPTIONS"] [--b="OPTIONS"] [--ignore KIND,…] [--only KIND,…] [--threshold KIND=N] [--facts] [--json]:
/// what differs between two recordings, inputs or task graphs. Exit status 1 if anything does.
class DiffCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "diff"; }
  [[nodiscard]] std::string_view summary() const override { return "What differs between two recordings, inputs or task graphs"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.diff/1"; }

 private:
  std::string input_a_, input_b_, options_a_, options_b_;
  std::vector<std::string> ignore_, only_, thresholds_;
  std::optional<std::uint32_t> max_differences_;
  bool facts_ = false, json_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
