#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "options.h"
#include "watch_report.h"

namespace depscope::app {

/// depscope watch PATH [--settle MS] [--times N] [--json] [options]: opens the input, says how it is, and again after every
/// change what differs. Ends with Ctrl+C or after N looks, with exit status 0 in both cases.
class WatchCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "watch"; }
  [[nodiscard]] std::string_view summary() const override { return "Run again after every change, and say what differs"; }
  void add_options(CLI::App& app) override;
  int run() override;
  [[nodiscard]] bool json() const override { return json_; }
  [[nodiscard]] std::string_view schema() const override { return "depscope.watch/1"; }

 private:
  /// Opens the input and compares; the state is kept if there is one. Never throws for what is wrong with an input.
  [[nodiscard]] WatchLook look(std::uint64_t number);

  std::string input_;
  std::uint64_t settle_ = 200;  ///< ms
  std::optional<std::uint64_t> times_;
  bool json_ = false;
  OptionTexts texts_;
  std::unique_ptr<const WatchedState> last_;  ///< of the last look that had one
  std::string last_error_;                    ///< of the look before, empty if it had a state
};

}  // namespace depscope::app
