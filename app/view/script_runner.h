// Runs a script against the window: one step before every frame, so that each state of a key or button lives for one frame.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "depscope/viewers/frame_text.h"
#include "depscope/viewers/script.h"
#include "depscope/viewers/shell.h"

namespace depscope::app {

class ScriptRunner {
 public:
  /// `screenshot` writes the frame that was drawn last.
  ScriptRunner(std::string file, std::vector<viewers::ScriptCommand> commands, viewers::Shell& shell,
               std::function<void(const std::string&)> screenshot);

  /// Before a frame: sets the input for it. False when the script has ended; no frame is needed then.
  bool before_frame();
  /// After a frame was rendered.
  void after_frame();

  /// True while a file is opened that the script does not wait for.
  [[nodiscard]] bool opens_meanwhile() const { return opens_meanwhile_; }
  void forget_fonts() { text_.forget_fonts(); }

  /// "FILE:LINE: what was expected and not found", empty if all went well.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  using Step = std::function<void()>;

  void start(const viewers::ScriptCommand& command);
  void press(const viewers::ScriptCommand& command);
  void click(float x, float y, int button = 0, int times = 1);
  void drag(const viewers::ScriptCommand& command);
  void point(float x, float y);
  void frame(Step step) { steps_.push_back(std::move(step)); }
  void settle(std::uint32_t frames);
  [[nodiscard]] const viewers::Element* element(const viewers::ScriptCommand& command);
  void wait_for(const viewers::ScriptCommand& command, std::uint32_t frames_left);
  void open(const viewers::ScriptCommand& command);
  /// Writes a file; throws InputError with the line of the script if that is not possible.
  void write(const viewers::ScriptCommand& command, const std::function<void()>& work) const;
  void fail(const viewers::ScriptCommand& command, const std::string& message);

  std::string file_;
  std::vector<viewers::ScriptCommand> commands_;
  viewers::Shell& shell_;
  std::function<void(const std::string&)> screenshot_;
  std::size_t next_ = 0;
  std::deque<Step> steps_;  // one per frame still to be drawn for the current command
  viewers::FrameText text_;
  std::string failure_;
  bool quit_ = false;
  bool opens_meanwhile_ = false;
};

}  // namespace depscope::app
