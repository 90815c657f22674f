// The file of settings: read once at the start, written whole when something changed.
#pragma once

#include <string>

#include "depscope/viewers/settings.h"

namespace depscope::viewers {

/// $XDG_CONFIG_HOME/depscope/view.json, else ~/.config/depscope/view.json; empty if there is neither variable.
[[nodiscard]] std::string default_settings_path();

class SettingsFile {
 public:
  /// Reads the file; one that does not exist gives no settings. An empty path: nothing is read, nothing written.
  explicit SettingsFile(std::string path);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// One line: why the file could not be used, or not be written. Empty if all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Names that `now` lacks keep their values. Writes if something is not as it was at the last `begin` or `save`; before the
  /// first write a file that could not be understood is kept as FILE.broken. False if writing failed.
  bool save(const Settings& now);
  /// What the window looks like after the settings were applied: only what differs from this is a change.
  void begin(const Settings& now) { last_ = now; }

 private:
  std::string path_;
  Settings settings_, last_;
  std::string problem_;
  bool broken_ = false;
};

}  // namespace depscope::viewers
