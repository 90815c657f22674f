#include "redaction_strings.h"

#include <algorithm>
#include <array>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

void StringTable::freeze() {
  // A replacement that is the original of another string could not be told from it.
  for (std::string word = word_;; word.insert(0, "r")) {
    bool meets = false;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::string text = word + std::to_string(i + 1);
      meets = meets || (text != order_[i] && replacements_.find(text) != replacements_.end());
      replacements_[order_[i]] = std::move(text);
    }
    if (!meets) return;
  }
}

const std::string& StringTable::replacement(std::string_view text) const {
  const auto at = replacements_.find(text);
  if (at == replacements_.end()) throw InternalError("a " + word_ + " was not learned before it is replaced");
  return at->second;
}

void StringTable::add_originals(std::vector<std::string>& out) const {
  for (const auto& [text, replacement] : replacements_) {
    if (text != replacement) out.push_back(text);
  }
}

bool is_path(std::string_view text) {
  constexpr std::array<std::string_view, 12> kSuffixes = {".cpp", ".cc",   ".c",   ".h",  ".hpp", ".cce",
                                                          ".py",  ".json", ".txt", ".so", ".o",   ".bin"};
  // What stands for a path is one.
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  if (digits < text.size() && text.substr(0, digits).ends_with("path") && text.find_first_not_of('r') + 4 == digits) return true;
  return text.find_first_of("/\\") != std::string_view::npos ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view s) { return text.ends_with(s); });
}

}  // namespace depscope::replay
