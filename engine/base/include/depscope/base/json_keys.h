// The keys of one JSON object while it is read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/base/json_reader.h"

namespace depscope {

/// Keys of one object: which are known, required, and seen so far.
template <std::size_t N>
class JsonKeys {
  static_assert(N <= 32);

 public:
  explicit JsonKeys(const std::array<std::string_view, N>& names) : names_(names) {}

  /// Position of the key, N if it is not known. A second value for a known key is an error.
  std::size_t take(std::string_view key, const JsonReader& reader) {
    for (std::size_t i = 0; i < N; ++i) {
      if (names_[i] != key) continue;
      if ((seen_ >> i & 1U) != 0) reader.fail_value("key \"" + std::string(key) + "\" is given twice");
      seen_ |= 1U << i;
      return i;
    }
    return N;
  }
  [[nodiscard]] bool seen(std::size_t i) const { return (seen_ >> i & 1U) != 0; }
  /// The first `count` keys must be there.
  void require(std::size_t count, const JsonReader& reader) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (!seen(i)) reader.fail_value("key \"" + std::string(names_[i]) + "\" is missing");
    }
  }

 private:
  const std::array<std::string_view, N>& names_;
  std::uint32_t seen_ = 0;
};

}  // namespace depscope
