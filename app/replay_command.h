#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope replay FILE [--to N] [--move MOVE]... [--json]: the state of the model after N events and the moves from there.
class ReplayCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "replay"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Walk the events of a recording: state at a position, with its digest";
  }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.replay/1"; }

 private:
  std::string input_;
  std::optional<std::uint32_t> to_;
  std::vector<std::string> moves_, watches_, tasks_;
  std::uint32_t limit_ = 20;
  bool json_ = false;
  bool round_trip_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
