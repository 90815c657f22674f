#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope replay FILE [--to N] [--json]: the state of the model after N events (all of them without --to).
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
  bool json_ = false;
  bool round_trip_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
