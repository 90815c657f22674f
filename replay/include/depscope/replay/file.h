// Recording files: one ZIP container (DESIGN §6, docs/recording-format.md).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Why a file could not be opened (or, Unwritable, written); `what()` names the file and, where it applies, member, table,
/// column, row and limit.
enum class FileFault : std::uint8_t { Unreadable, Unrecognised, Incompatible, Corrupt, Unwritable };

class FileError : public std::runtime_error {
 public:
  FileError(FileFault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  [[nodiscard]] FileFault fault() const { return fault_; }

 private:
  FileFault fault_;
};

struct LoadLimits {
  std::uint64_t max_member_bytes = std::uint64_t{8} << 30U;
  std::uint64_t max_total_bytes = std::uint64_t{16} << 30U;
  std::uint32_t max_members = 4096;
};

/// Writes to a temporary file beside `path`, then renames; a device or pipe is written directly. Equal recordings give equal
/// bytes. Throws FileError (Unwritable), or InternalError for a recording that `load` would refuse.
void save(const recording::Recording& recording, const std::string& path);
/// Reads and validates everything: every row index, every pool run. Throws FileError; never returns a half-read recording.
[[nodiscard]] recording::Recording load(const std::string& path, const LoadLimits& limits = {});
/// The same for a file in memory, as a bundle holds one; `name` stands for the path in messages.
[[nodiscard]] recording::Recording load_bytes(std::string bytes, const std::string& name, const LoadLimits& limits = {});

}  // namespace depscope::replay
