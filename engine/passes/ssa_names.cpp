#include "ssa_names.h"

#include <array>

namespace depscope::pass {
namespace {

constexpr std::array<std::string_view, 9> kRoles = {"ssa", "iter", "rv", "phi", "idx", "tile", "tmp", "out", "store"};

bool is_role(std::string_view word) {
  for (const std::string_view role : kRoles) {
    if (word == role) return true;
  }
  return false;
}

/// True for "ssa_v3", "l0_tile", "cast_fp32_tmp_v1": qualifiers, a role, and an optional version.
bool is_suffix(std::string_view text) {
  const std::size_t last = text.rfind('_');
  if (last != std::string_view::npos && last + 2 <= text.size() && text[last + 1] == 'v' && last + 2 < text.size() &&
      text.find_first_not_of("0123456789", last + 2) == std::string_view::npos) {
    text = text.substr(0, last);
  }
  const std::size_t word = text.rfind('_');
  return is_role(word == std::string_view::npos ? text : text.substr(word + 1));
}

}  // namespace

std::string_view base_name(std::string_view name) {
  const std::size_t first = name.find("__");
  if (first == std::string_view::npos) return name;
  if (first > 0) return is_suffix(name.substr(first + 2)) ? name.substr(0, first) : name;
  // An empty base: the name itself begins with underscores ("_" gives "___ssa_v0").
  for (std::size_t at = name.rfind("__"); at != std::string_view::npos && at > 0; at = name.rfind("__", at - 1)) {
    if (is_suffix(name.substr(at + 2))) return name.substr(0, at);
  }
  return name;
}

std::string versioned_name(std::string_view base, std::string_view role, std::uint32_t version) {
  std::string out;
  out.reserve(base.size() + role.size() + 14);
  out.append(base).append("__").append(role).append("_v").append(std::to_string(version));
  return out;
}

}  // namespace depscope::pass
