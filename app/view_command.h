#pragma once

#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope view [FILE] [options]: starts depscope-view, which alone links the window libraries.
class ViewCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "view"; }
  [[nodiscard]] std::string_view summary() const override { return "Open the window on a recording or an input"; }
  void add_options(CLI::App& app) override;
  int run() override;

 private:
  std::string file_, screenshot_, script_, panel_, size_, bench_;
  int frames_ = 0;
  OptionTexts texts_;
};

}  // namespace depscope::app
