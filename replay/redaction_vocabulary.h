// Words that are no user's: they stay when an input is redacted.
#pragma once

#include <string_view>

namespace depscope::replay {

/// "l0", "rm_a1", "cast_fp32": what lowering passes put between a name and its role (ir-text.md 2.1).
[[nodiscard]] bool is_known_qualifier(std::string_view qualifier);
/// "vec", "ddr", …: in names of allocations.
[[nodiscard]] bool is_memory_space(std::string_view word);
/// Keys of attrs={…} and pl.func_attr({…}).
[[nodiscard]] bool is_attribute_key(std::string_view key);
/// Enumerated values of attributes and of keyword arguments of operations.
[[nodiscard]] bool is_attribute_value(std::string_view text);
/// Keyword arguments of a launch.
[[nodiscard]] bool is_launch_keyword(std::string_view word);
/// Functions of Python that a text may call.
[[nodiscard]] bool is_python_function(std::string_view word);
/// Enumerated values in traces, deps.json and timing files.
[[nodiscard]] bool is_json_word(std::string_view text);

}  // namespace depscope::replay
