// Every action has a name, a key and a function; the key table (F1) and the tooltips are made from this list.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/keys.h"

namespace depscope::viewers {

struct Action {
  std::string group;  ///< heading in the key table
  std::string name;   ///< "Step forward"; unique
  Key key;
  std::function<void()> run;
};

class Actions {
 public:
  /// Throws InternalError if the name or the key is taken, so that a clash shows in the first test.
  void add(std::string group, std::string name, std::string_view key, std::function<void()> run);
  /// Takes a key press (or its repetition) for the next frame. Presses are queued, not polled: a key that goes down and up
  /// between two frames counts too.
  void press(const Key& key) { pressed_.push_back(key); }
  /// Runs the actions of the keys that were pressed. Plain keys are left to an active text field, all keys to an open dialog.
  void run_pressed();
  /// "Step forward (Right)"; the name alone if there is no such action.
  [[nodiscard]] std::string tooltip(std::string_view name) const;
  bool run(std::string_view name) const;  ///< false if there is no such action
  [[nodiscard]] const std::vector<Action>& all() const { return actions_; }

 private:
  [[nodiscard]] const Action* find(std::string_view name) const;
  std::vector<Action> actions_;
  std::vector<Key> pressed_;
};

}  // namespace depscope::viewers
