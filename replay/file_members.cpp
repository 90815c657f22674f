#include "file_members.h"

#include <fmt/format.h>

namespace depscope::replay {

std::string safe_member_name(std::string_view name) {
  std::string out;
  bool only_dots = true;
  for (const char c : name) {
    const bool safe =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    out.push_back(safe ? c : '_');
    only_dots = only_dots && c == '.';
  }
  return only_dots ? "input" : out;
}

std::string pass_member(std::uint32_t row, std::string_view pass_name) {
  if (row == 0 && pass_name == "frontend") return "passes/00_frontend.py";
  return fmt::format("passes/{:02}_after_{}.py", row, safe_member_name(pass_name));
}

std::string input_member(std::string_view input_name) { return "input/" + safe_member_name(input_name); }

std::string option_file_member(std::size_t index, std::string_view name) {
  return fmt::format("input/options/{:02}_{}", index, safe_member_name(name));
}

std::string bundle_input_member(std::string_view name, std::size_t index) {
  const std::string safe = safe_member_name(name);
  return safe == name ? "input/" + safe : fmt::format("input/{:02}/{}", index, safe);
}

std::string table_member(std::string_view table) { return fmt::format("tables/{}", table); }

}  // namespace depscope::replay
