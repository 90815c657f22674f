#pragma once

#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope explain FILE [--json] [options]: what the passes decided and why.
class ExplainCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "explain"; }
  [[nodiscard]] std::string_view summary() const override { return "Facts and reasons of the dependency passes"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.facts/1"; }

 private:
  std::string input_;
  bool json_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
