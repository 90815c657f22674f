// Names of the members of a recording file, the same for writing and reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::replay {

inline constexpr std::string_view kManifest = "manifest.json";
inline constexpr std::string_view kSchemaName = "depscope.recording/";
inline constexpr std::uint32_t kSchemaMajor = 1;

/// `name` with every character that is not a letter, a digit, '.', '-' or '_' replaced by '_'; "input" if nothing safe is left.
[[nodiscard]] std::string safe_member_name(std::string_view name);
/// passes/00_frontend.py, passes/01_after_ConvertToSSA.py, …; passes/00_after_Name.py where the run began behind a pass.
[[nodiscard]] std::string pass_member(std::uint32_t row, std::string_view pass_name);
[[nodiscard]] std::string input_member(std::string_view input_name);
[[nodiscard]] std::string table_member(std::string_view table);

}  // namespace depscope::replay
