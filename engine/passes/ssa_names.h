// Generated variable names (ir-text.md, 2.1): base__role_vN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::pass {

/// The source variable's name: "x" for "x__ssa_v3" or "x__l0_tile", the name itself when no known suffix follows.
[[nodiscard]] std::string_view base_name(std::string_view name);
/// "x", "ssa", 3 -> "x__ssa_v3".
[[nodiscard]] std::string versioned_name(std::string_view base, std::string_view role, std::uint32_t version);

}  // namespace depscope::pass
