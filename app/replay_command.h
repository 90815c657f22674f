#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "depscope/recording/tables.h"
#include "options.h"

namespace depscope::app {

/// depscope replay FILE [--to N] [--move MOVE]... [--json]: the state of the model after N events and the moves from there.
/// depscope replay FILE [--script FILE | --interactive]: commands of the debugger (debugger.h), at a terminal or from a script.
class ReplayCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "replay"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Walk the events of a recording: state at a position, or a debugger in the terminal";
  }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.replay/1"; }

 private:
  [[nodiscard]] bool reads_commands() const;
  /// Options that mean nothing there. Throws UsageError.
  void refuse_with_commands() const;
  [[nodiscard]] int debug(const recording::Recording& recording) const;

  std::string input_;
  std::optional<std::string> script_;
  std::optional<std::uint32_t> to_;
  std::vector<std::string> moves_, watches_, tasks_;
  std::uint32_t limit_ = 20;
  bool json_ = false;
  bool round_trip_ = false;
  bool interactive_ = false;
  bool stop_on_error_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
