// The choices of a schedule as text: what --save-schedule writes and --schedule list:FILE reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

/// Largest schedule file that is read, in bytes.
inline constexpr std::uint64_t kMaxScheduleBytes = std::uint64_t{1} << 30U;

/// Numbers from 0 to 2^32-1 between white space; '#' begins a comment that ends with its line. Throws InputError with line and
/// column.
[[nodiscard]] std::vector<std::uint32_t> read_choices(const SourceFile& source);
/// Offset of choice `index`, from 0, in a text that read_choices accepts; its end if there are fewer.
[[nodiscard]] std::uint32_t offset_of_choice(const SourceFile& source, std::size_t index);
/// The same text for the same choices on every machine. Written whole or not at all; throws replay::FileError.
void write_choices(const std::string& path, const std::vector<std::uint32_t>& choices);

}  // namespace depscope::app
