#pragma once

#include <string>

#include "command.h"
#include "options.h"

namespace depscope::app {

/// depscope bundle FILE -o ZIP [--redact] [--max-size SIZE] [options]: one attachment for a bug report, which runs again wherever
/// it is opened.
class BundleCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "bundle"; }
  [[nodiscard]] std::string_view summary() const override { return "One attachment for a bug report"; }
  void add_options(CLI::App& app) override;
  int run() override;

 private:
  std::string input_, output_, max_size_ = "25MB";
  bool redact_ = false, no_screenshots_ = false;
  OptionTexts texts_;
};

/// "25MB", "800kB", "4096" or "none", in bytes; kB, MB and GB are powers of 1000. Throws UsageError.
[[nodiscard]] std::uint64_t parse_size_limit(const std::string& text);

}  // namespace depscope::app
