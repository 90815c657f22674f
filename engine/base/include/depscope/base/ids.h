// Typed 32-bit indices. A node, row or name is always referred to by index, never by pointer, so that tables can grow,
// be written to disk and be compared without translation.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace depscope {

/// An index into one table; `Tag` keeps indices of different tables apart. The default value is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : value(index) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr explicit operator bool() const { return valid(); }
  constexpr auto operator<=>(const Id&) const = default;
};

/// A contiguous run of entries in a pool. Empty by default.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;

  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  constexpr bool operator==(const Range&) const = default;
};

/// Half-open byte range in a source file; {0, 0} means "made by the tool, no source".
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] constexpr bool known() const { return end != 0; }
  constexpr bool operator==(const Span&) const = default;
};

}  // namespace depscope

template <class Tag>
struct std::hash<depscope::Id<Tag>> {
  std::size_t operator()(depscope::Id<Tag> id) const noexcept { return id.value * std::size_t{0x9E3779B97F4A7C15ULL}; }
};
