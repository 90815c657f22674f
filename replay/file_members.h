// Names of the members of a recording file, the same for writing and reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::replay {

inline constexpr std::string_view kManifest = "manifest.json";
inline constexpr std::string_view kSchemaName = "depscope.recording/";
inline constexpr std::uint32_t kSchemaMajor = 1;

inline constexpr std::string_view kBundleRecording = "recording.depscope";

/// `name` with every character that is not a letter, a digit, '.', '-' or '_' replaced by '_'; "input" if nothing safe is left.
[[nodiscard]] std::string safe_member_name(std::string_view name);
/// passes/00_frontend.py, passes/01_after_ConvertToSSA.py, …; passes/00_after_Name.py where the run began behind a pass.
[[nodiscard]] std::string pass_member(std::uint32_t row, std::string_view pass_name);
[[nodiscard]] std::string input_member(std::string_view input_name);
/// input/options/00_NAME, …, by place in Recording::option_files.
[[nodiscard]] std::string option_file_member(std::size_t index, std::string_view name);
/// input/NAME for the files of a bundle's input; a name that had to be changed to be safe gets its place in front.
[[nodiscard]] std::string bundle_input_member(std::string_view name, std::size_t index);
[[nodiscard]] std::string table_member(std::string_view table);

}  // namespace depscope::replay
