// Scripts that drive the window, for tests and for pictures in documents. One command a line, `#` begins a comment:
//
//   key ctrl+f          click "Label"      panel Events        expect "TEXT"
//   mouse X Y           click X Y          select task 12      expect-not "TEXT"
//   hover "Label"       drag X1 Y1 X2 Y2   wait 10             screenshot FILE.png
//   wheel -3            type TEXT          seek 100            quit
//   action "Step back"  wait-for "TEXT"    dump FILE.json      expect-legible
//   click-element "graph/task 3"           right-click-element "graph/task 3"
//   double-click-element "NAME"            hover-element "NAME"
//   drag-element "NAME" X Y
//   expect-element "NAME" ["TEXT"]         expect-no-element "NAME"
//   open PATH           open-b PATH        open-async PATH     drop "PATH" ["PATH"]
//   expect-clipboard "TEXT"
//
// `open` and `open-b` (for comparison) wait until the file is there, or an error; `open-async` draws frames meanwhile, until a
// `wait-for` sees what it is about. `expect-clipboard`: what is on the clipboard contains the text.
//
// Coordinates are pixels from the top left corner; those of `drag-element` are from the element's centre, at scale 1. Elements
// are what a panel drew (elements.h); with a text, theirs has to contain it. `wait-for` draws frames until a text is drawn.
// `expect-legible` fails if two texts stand on one another. `dump` writes all texts and elements of the last frame with their
// rectangles.
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
  Action,
  WaitFor,
  Dump,
  ExpectLegible,
  ClickElement,
  RightClickElement,
  DoubleClickElement,
  HoverElement,
  DragElement,
  ExpectElement,
  ExpectNoElement,
  Open,
  OpenB,
  OpenAsync,
  Drop,
  ExpectClipboard,
  Quit,
};

struct ScriptCommand {
  ScriptVerb verb = ScriptVerb::Quit;
  std::uint32_t line = 0;    ///< 1-based
  Key key;                   ///< Key
  float x = 0, y = 0;        ///< Mouse, Click, Drag (from); Wheel: y = notches, positive up
  float to_x = 0, to_y = 0;  ///< Drag; DragElement: from its centre, in pixels at scale 1
  std::string text;          ///< labels, texts, file names, names of elements and actions
  std::string second_text;   ///< ExpectElement: what it says, Drop: the second file; empty if there is none
  std::uint32_t count = 0;   ///< Wait: frames; Seek: position
  Item item;                 ///< Select
};

/// Limits named in error messages.
inline constexpr std::uint32_t kMaxScriptWait = 100000;
/// Frames that `wait-for` draws before it gives up.
inline constexpr std::uint32_t kMaxScriptFrames = 20000;

/// Throws InputError with one Diagnostic (file, line, column) per bad line.
[[nodiscard]] std::vector<ScriptCommand> parse_script(const std::string& file, std::string_view text);

}  // namespace depscope::viewers
