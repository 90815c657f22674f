// A page in a browser without a window: what it says on the console, what it asks the network for, and the document that comes of
// it.
#pragma once

#include <string>
#include <vector>

namespace depscope::app {

struct Visit {
  bool loaded = false;                ///< the browser ended by itself, with status 0, and left its log
  std::string document;               ///< as HTML, after the page's script has run
  std::vector<std::string> console;   ///< lines of the console; a page without faults has none
  std::vector<std::string> requests;  ///< URLs that the page asked for, but for file: and data:
  std::string log;                    ///< standard error of the browser, for messages
};

/// Path of a Chromium, empty if there is none.
[[nodiscard]] std::string find_browser();

/// Opens a file in a fresh profile below `folder`. Nothing leaves the machine: every host name fails to resolve.
[[nodiscard]] Visit visit(const std::string& browser, const std::string& page, const std::string& folder, int width);

}  // namespace depscope::app
