// Matching two lists in order. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depscope::replay {

/// Gives equal texts equal numbers, in order of first use.
class KeyNumbers {
 public:
  std::uint32_t of(std::string_view text) {
    return numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;  // only looked up, never walked
};

/// A key by which items of both lists can be equal.
struct SequenceKeys {
  std::vector<std::uint32_t> a, b;
};

/// What becomes of items between matched ones that no key matches.
enum class Leftover : std::uint8_t {
  Unmatched,
  InOrderIfAsMany,  ///< matched in order where both lists have as many
  InOrder,          ///< matched in order as far as it goes
};

/// Index pairs ascending in both lists: the most that are equal by the first key, then, between those, by the second, and so
/// on. All keys have the sizes of the lists. Beyond a bound of edits only common beginnings and ends are found.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> match_sequences(const std::vector<SequenceKeys>& keys,
                                                                                   Leftover leftover);

}  // namespace depscope::replay
