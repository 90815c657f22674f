// Scripts that drive the window, for tests and for pictures in documents. One command a line, `#` begins a comment:
//
//   key ctrl+f          click "Label"      panel Events        expect "TEXT"
//   mouse X Y           click X Y          select task 12      expect-not "TEXT"
//   hover "Label"       drag X1 Y1 X2 Y2   wait 10             screenshot FILE.png
//   wheel -3            type TEXT          seek 100            quit
//
// Coordinates are pixels from the top left corner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/keys.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

enum class ScriptVerb : std::uint8_t {
  Key,
  Mouse,
  Click,
  ClickLabel,
  HoverLabel,
  Drag,
  Wheel,
  Type,
  Wait,
  Screenshot,
  Panel,
  Select,
  Seek,
  Expect,
  ExpectNot,
  Quit,
};

struct ScriptCommand {
  ScriptVerb verb = ScriptVerb::Quit;
  std::uint32_t line = 0;  ///< 1-based
  Key key;                 ///< Key
  float x = 0, y = 0;      ///< Mouse, Click, Drag (from); Wheel: y = notches, positive up
  float to_x = 0, to_y = 0;
  std::string text;         ///< labels, texts, file names
  std::uint32_t count = 0;  ///< Wait: frames; Seek: position
  Item item;                ///< Select
};

/// Limits named in error messages.
inline constexpr std::uint32_t kMaxScriptWait = 100000;

/// Throws InputError with one Diagnostic (file, line, column) per bad line.
[[nodiscard]] std::vector<ScriptCommand> parse_script(const std::string& file, std::string_view text);

}  // namespace depscope::viewers
