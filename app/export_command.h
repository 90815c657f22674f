#pragma once

#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope export FILE --format F -o OUT [options]: a recording in a form that other programs read (docs/export.md).
class ExportCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "export"; }
  [[nodiscard]] std::string_view summary() const override { return "Write a page for a bug report, a deps.json, CSV tables"; }
  void add_options(CLI::App& app) override;
  int run() override;

 private:
  std::string input_, format_, output_, table_;
  OptionTexts texts_;
};

}  // namespace depscope::app
