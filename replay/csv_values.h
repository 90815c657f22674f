// What the values of the columns of a recording are called in CSV. Private.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Appends the name of a value of an enumeration or a set of bits.
using ValueName = void (*)(std::string& out, std::uint64_t value);

/// Null for a column of plain numbers.
[[nodiscard]] ValueName value_name(std::string_view table, std::string_view column);

/// What stands in a run of the pool.
enum class PoolRun : std::uint8_t {
  Strings,   ///< names, separated by spaces
  Messages,  ///< sentences, separated by line ends
  Words,     ///< numbers of 32 bits
  Box,       ///< numbers of 64 bits, two words each
  Geometry,  ///< shape words, then as many strides of two words
};
[[nodiscard]] PoolRun pool_run(std::string_view table, std::string_view column);
/// Appends the entries, separated; strings are not quoted yet.
void append_pool_run(std::string& out, const recording::Recording& r, PoolRun kind, std::span<const std::uint32_t> words);

/// A plain number that stands for "none" in this column, so that its cell stays empty.
[[nodiscard]] bool stands_for_none(std::string_view column, std::uint64_t value);

}  // namespace depscope::replay
