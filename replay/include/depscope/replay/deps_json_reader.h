// deps.json, the task graph of a run, as a recording (artefacts.md 3): files of the runtime of every version, and our own
// `depscope.deps/1`. Passes, call sites and events stay empty; what such a file cannot know is marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

enum class DepsVersion : std::uint8_t {
  V1,        ///< pairs of task ids only (May 2026)
  V2,        ///< offsets by dimension, no kernels
  V3,        ///< strided, with a version number
  Current,   ///< without version number (since 2026-05-27)
  Depscope,  ///< depscope.deps/1: also `pairs` and `submissions`
};
[[nodiscard]] std::string_view deps_version_name(DepsVersion version);  ///< "1", "2", "3", "current", "depscope.deps/1"

/// What the file says about itself, and what had to be assumed.
struct DepsHealth {
  DepsVersion version = DepsVersion::Current;
  bool complete = true;             ///< false: it ends early, and what was read up to there is kept (DepsReadOptions::salvage)
  std::optional<Diagnostic> cut;    ///< where and how it ends early
  std::uint64_t skipped_edges = 0;  ///< rows of `edges` that are no edges (artefacts.md 16)
  std::uint64_t producers_without_record = 0;  ///< explicit allocations: ids that only edges name
  std::uint64_t consumers_without_record = 0;  ///< only edges name them, too, though every consumer should have a record
  /// Names of what the file does not say, in this order: "tasks", "sources", "flags", "explicit_retain", "scope", "kernel_ids",
  /// "block_num", "early_dispatch", "strides". "explicit_retain": rows of explicit dependencies always say wait and retain.
  std::vector<std::string> assumed;
};

struct DepsFile {
  recording::Recording recording;
  DepsHealth health;
};

struct DepsReadOptions {
  bool salvage = false;  ///< a file that ends early gives what it has instead of an error
};

/// 32-bit offsets are kept of the text.
inline constexpr std::uint64_t kMaxDepsBytes = 0xfffffffeU;

/// Reads in one pass (two, if `edges` comes before `tasks`). Rows: tasks in submission order, allocations and other producers
/// without record (kind Alloc, scope = none) directly before the first task that must come after them; one runtime scope per
/// ring; a tensors row per tensor id and, where a creator edge tells it, owner. Flags that are not there are those of
/// artefacts.md 3.3; flags_final repeats flags. The options of the recording are "imported", "deps-version" and "assumed", so
/// that a saved recording still knows; problems of the file are findings of it. Throws InputError with line, byte offset and JSON
/// path.
[[nodiscard]] DepsFile read_deps_json(const SourceFile& source, const DepsReadOptions& options = {});
/// The same of a file, with less memory: the text is given up as it is read, and must not be used afterwards. It is read again
/// where edges stand before tensors.
[[nodiscard]] DepsFile read_deps_json(SourceFile&& source, const DepsReadOptions& options = {});

enum class JsonContent : std::uint8_t { Unknown, Deps, Trace };
/// What the beginning of a JSON text is, by its keys; `head` may be cut anywhere.
[[nodiscard]] JsonContent json_content(std::string_view head);

}  // namespace depscope::replay
