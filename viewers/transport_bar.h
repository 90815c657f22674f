// The line of buttons that moves the cursor, always in view below the panels: steps, play, search, breakpoints, position.
#pragma once

#include <string>

#include "depscope/viewers/panel.h"

namespace depscope::viewers {

class TransportBar {
 public:
  void add_actions(Context& context);
  /// Draws one line of the current window, as wide as it is. Says in context.status why a run ended.
  void draw(Context& context);

 private:
  void draw_moves(Context& context);
  void draw_kind(Context& context);
  void draw_breakpoints(Context& context);
  void draw_breakpoint_list(Context& context);
  void draw_position(Context& context);
  void add(Context& context, const std::string& text);

  bool open_breakpoints_ = false;
  bool focus_new_ = false;
  bool go_to_ = false;  // the position's number is to be typed
  std::string new_breakpoint_;
  std::string problem_;  // with the new breakpoint
  std::string told_;     // Transport::stopped_at() that was told last
};

}  // namespace depscope::viewers
