// What the commands of the debugger share. Private to debugger*.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "debugger.h"
#include "depscope/replay/breakpoint.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/watch.h"

namespace depscope::app {

/// A command that cannot be done: the message is one sentence.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct NumberedWatch {
  std::uint32_t number = 0;
  replay::Watch watch;
  std::int64_t last = 0;  ///< the value that was shown last
};
struct NumberedBreakpoint {
  std::uint32_t number = 0;
  replay::Breakpoint breakpoint;
};

struct DebuggerSession {
  DebuggerSession(const recording::Recording& recording, DebuggerSettings given)
      : r(recording), cursor(recording), settings(std::move(given)) {}

  const recording::Recording& r;
  replay::Cursor cursor;
  DebuggerSettings settings;
  std::vector<NumberedWatch> watches;
  std::vector<NumberedBreakpoint> breakpoints;
  std::uint32_t next_watch = 1, next_breakpoint = 1;
};

/// An answer while it is written: lines for people, fields of the JSON object.
struct Reply {
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool quit = false;

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
  }
  /// After a list of which not everything is shown.
  void more(std::size_t total, std::size_t shown, std::string_view of) {
    if (total > shown) line("  and {} more {}", total - shown, of);
  }
};

using CommandFunction = void (*)(DebuggerSession& session, std::string_view rest, Reply& reply);

/// What may stand behind a command, for completion.
enum class Operand : std::uint8_t { None, Command, Query, Break, Until, Watch, Print, Task, TaskOrTensor, Tensor, State, Ring };

struct DebuggerCommand {
  std::string_view name;
  std::string_view usage;  ///< with its operands
  std::string_view help;   ///< what it does, one sentence
  CommandFunction function = nullptr;
  bool repeats = false;  ///< an empty line does it again
  Operand operand = Operand::None;
};
/// In the order of `help`.
[[nodiscard]] std::span<const DebuggerCommand> debugger_commands();
/// The command of a word or its beginning. Throws CommandError.
[[nodiscard]] const DebuggerCommand& find_command(std::string_view word);

/// The one of `words` that `word` is, or that it alone begins; none if there is no such one. Throws CommandError if it begins
/// several.
[[nodiscard]] const std::string_view* find_word(std::span<const std::string_view> words, std::string_view word);

/// Removes the first word and the blanks around it.
std::string_view take_word(std::string_view& text);
/// Throws CommandError if something is left.
void no_more(std::string_view rest, std::string_view usage);
/// The whole of `text`; `fallback` if it is empty. Throws CommandError.
[[nodiscard]] std::uint32_t number_of(std::string_view text, std::uint32_t fallback, std::string_view usage);
/// The tasks row of r0t5, t5 or fill#3. Throws QueryError.
[[nodiscard]] std::uint32_t task_of(const DebuggerSession& session, std::string_view text);
/// The event of a moment, or nothing: " (event 12)".
[[nodiscard]] std::string at_event(std::uint32_t event);

/// The position, and the watches.
void answer_position(DebuggerSession& session, Reply& reply);

// One function a command, by file.
namespace moves {
void step(DebuggerSession& session, std::string_view rest, Reply& reply);
void back(DebuggerSession& session, std::string_view rest, Reply& reply);
void next(DebuggerSession& session, std::string_view rest, Reply& reply);
void previous(DebuggerSession& session, std::string_view rest, Reply& reply);
void to(DebuggerSession& session, std::string_view rest, Reply& reply);
void start(DebuggerSession& session, std::string_view rest, Reply& reply);
void end(DebuggerSession& session, std::string_view rest, Reply& reply);
void go_on(DebuggerSession& session, std::string_view rest, Reply& reply);
void go_back(DebuggerSession& session, std::string_view rest, Reply& reply);
void until(DebuggerSession& session, std::string_view rest, Reply& reply);
void set_breakpoint(DebuggerSession& session, std::string_view rest, Reply& reply);
void add_watch(DebuggerSession& session, std::string_view rest, Reply& reply);
void remove_watch(DebuggerSession& session, std::string_view rest, Reply& reply);
}  // namespace moves
namespace answers {
void why(DebuggerSession& session, std::string_view rest, Reply& reply);
void waits(DebuggerSession& session, std::string_view rest, Reply& reply);
void alive(DebuggerSession& session, std::string_view rest, Reply& reply);
void print(DebuggerSession& session, std::string_view rest, Reply& reply);
void rings(DebuggerSession& session, std::string_view rest, Reply& reply);
void heap(DebuggerSession& session, std::string_view rest, Reply& reply);
void tensormap(DebuggerSession& session, std::string_view rest, Reply& reply);
void list(DebuggerSession& session, std::string_view rest, Reply& reply);
void tasks(DebuggerSession& session, std::string_view rest, Reply& reply);
void info(DebuggerSession& session, std::string_view rest, Reply& reply);
}  // namespace answers

}  // namespace depscope::app
