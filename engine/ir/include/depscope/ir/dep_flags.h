// The call attribute `dep_flags`: WAIT and RETAIN of the dependencies that a program names, one word for each entry of deps=.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::ir {

inline constexpr std::string_view kDepFlagsAttribute = "dep_flags";

/// Bits of an entry; both is what an entry without a word has.
inline constexpr std::uint8_t kDepWait = 1;
inline constexpr std::uint8_t kDepRetain = 2;
inline constexpr std::uint8_t kDepWaitRetain = kDepWait | kDepRetain;

inline constexpr std::string_view kDepFlagWords = R"("wait", "wait|retain", "retain", "none")";
[[nodiscard]] std::string_view dep_flags_word(std::uint8_t flags);
/// Nothing for an unknown word.
[[nodiscard]] std::optional<std::uint8_t> dep_flags_from_word(std::string_view word);

/// The flags of each entry of the attribute's list; entries that are no known word stand for both. Empty without the attribute.
/// In a program that the reader accepted it is as long as the call's deps.
[[nodiscard]] std::vector<std::uint8_t> dep_flags(const NodeStore& store, const Call& call);
/// The list as an expression.
[[nodiscard]] ExprId make_dep_flags(NodeStore& store, const std::vector<std::uint8_t>& flags, Span span = {});

}  // namespace depscope::ir
