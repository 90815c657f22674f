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
  /// Runs the actions whose keys were pressed this frame. Plain keys wait while a text field is active.
  void run_pressed() const;
  /// "Step forward (Right)"; the name alone if there is no such action.
  [[nodiscard]] std::string tooltip(std::string_view name) const;
  void run(std::string_view name) const;
  [[nodiscard]] const std::vector<Action>& all() const { return actions_; }

 private:
  [[nodiscard]] const Action* find(std::string_view name) const;
  std::vector<Action> actions_;
};

}  // namespace depscope::viewers
