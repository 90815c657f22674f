#pragma once

#include <string>

#include "command.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {

/// depscope run INPUT [-o FILE] [--json] [options]
class RunCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "run"; }
  [[nodiscard]] std::string_view summary() const override { return "Run an input and print or record what happens"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.deps/1"; }

 private:
  int run(const RunOptions& options);
  [[nodiscard]] Opened open(const RunOptions& options) const;

  std::string input_;
  std::string output_;
  bool json_ = false;
  bool progress_ = false;
  OptionTexts texts_;
};

}  // namespace depscope::app
