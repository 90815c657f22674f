// The commands of `depscope replay` as a debugger: a line goes in, an answer comes out. Knows neither terminal nor files, so that
// tests drive it as people do. docs/replay.md lists the commands.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/cursor.h"

namespace depscope::app {

struct DebuggerAnswer {
  std::string text;   ///< to print, as it is; with JSON one object on a line of its own. Empty for a blank line and a comment
  std::string error;  ///< one sentence; empty if the command worked. With JSON it is in the text as well
  bool quit = false;
};

struct DebuggerSettings {
  std::size_t limit = 20;  ///< items of each list
  bool json = false;
  bool repeat = false;  ///< an empty line repeats the last command that moves
  std::function<bool()> interrupted =
      {};  ///< asked now and then during a long move: true ends the move where it is. May be empty
};

struct DebuggerSession;

class Debugger {
 public:
  /// The recording must outlive the debugger. Throws FileError as Cursor does.
  Debugger(const recording::Recording& recording, DebuggerSettings settings);
  ~Debugger();
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  /// Never throws for what stands in the line.
  DebuggerAnswer execute(std::string_view line);

  /// What the word that ends at the end of `line` may become, in order; each a whole word.
  [[nodiscard]] std::vector<std::string> complete(std::string_view line) const;

  [[nodiscard]] replay::Cursor& cursor();
  /// As `watch TEXT`. Throws QueryError.
  void add_watch(std::string_view text);
  /// "event 3 of 169: submit fill t3 on ring 1", and the watches.
  [[nodiscard]] std::string where() const;

 private:
  std::unique_ptr<DebuggerSession> session_;
  std::string last_move_;
};

}  // namespace depscope::app
