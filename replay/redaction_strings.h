// Replacements of strings that are no names: numbered in order of first occurrence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::replay {

class StringTable {
 public:
  explicit StringTable(std::string_view word) : word_(word) {}

  void learn(std::string_view text) {
    if (replacements_.try_emplace(std::string(text)).second) order_.emplace_back(text);
  }
  void freeze();
  /// Throws InternalError for a text that was not learned.
  [[nodiscard]] const std::string& replacement(std::string_view text) const;
  void add_originals(std::vector<std::string>& out) const;

 private:
  std::string word_;
  std::vector<std::string> order_;
  std::map<std::string, std::string, std::less<>> replacements_;
};

/// With a directory or a suffix of a file.
[[nodiscard]] bool is_path(std::string_view text);

}  // namespace depscope::replay
