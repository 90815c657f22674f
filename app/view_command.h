#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope view [FILE [FILE]] [options]: starts depscope-view, which alone links the window libraries.
class ViewCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "view"; }
  [[nodiscard]] std::string_view summary() const override { return "Open the window on a recording or an input"; }
  void add_options(CLI::App& app) override;
  int run() override;

 private:
  std::vector<std::string> files_;
  std::string screenshot_, script_, panel_, size_, bench_, scale_, ground_, settings_, screenshots_, fonts_;
  int frames_ = 0;
  OptionTexts texts_;
};

}  // namespace depscope::app
