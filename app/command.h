// One class per command of `depscope` (DESIGN §4).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::app {

enum ExitStatus : int {
  kDone = 0,
  kFindings = 1,  ///< check, diff, reduce, import: a warning or an error was found
  kBadInput = 2,  ///< bad usage or bad input
  kInternalFault = 3,
};

/// Bad usage: printed as "depscope: error: MESSAGE", exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;  ///< one line for --help
  /// Binds options to members; called once, before run.
  virtual void add_options(CLI::App& app) = 0;
  /// Does the work and returns the exit status. Bad usage: UsageError; bad input: InputError or replay::FileError.
  virtual int run() = 0;

  /// Whether --json was given, and the schema of the object that an input error is reported in then.
  [[nodiscard]] virtual bool json() const { return false; }
  [[nodiscard]] virtual std::string_view schema() const { return "depscope.findings/1"; }
};

/// Every command, in the order of the help text.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

/// Parses the arguments, runs the command, prints errors; returns the exit status.
int run_command_line(int argc, const char* const* argv, std::vector<std::unique_ptr<Command>> commands);

}  // namespace depscope::app
