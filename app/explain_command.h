#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "depscope/recording/tables.h"
#include "options.h"

namespace depscope::app {

/// depscope explain FILE [--json] [--function F] [--call N | --why A B] [options]: what the passes decided and why.
class ExplainCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "explain"; }
  [[nodiscard]] std::string_view summary() const override { return "Facts and reasons of the dependency passes"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.facts/1"; }

 private:
  /// Rows of what --function and --call name, none where they were not given. UsageError if there is no such thing.
  struct Selection {
    std::uint32_t function = recording::kNoRow;
    std::uint32_t call_site = recording::kNoRow;
  };
  [[nodiscard]] Selection select(const recording::Recording& recording) const;
  [[nodiscard]] int answer_why() const;

  std::string input_;
  bool json_ = false;
  std::optional<std::string> function_;
  std::optional<std::uint32_t> call_;
  std::vector<std::string> why_;  ///< two names, or nothing
  OptionTexts texts_;
};

}  // namespace depscope::app
