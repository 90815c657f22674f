// The task graph as JSON: `depscope.deps/1`, and upstream's deps.json, of which it is a superset (artefacts.md 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

enum class DepsSchema : std::uint8_t {
  Depscope,  ///< schema, tasks, tensors, edges, pairs, window_misses (with --reduce bitmap:N), submissions (programs), findings
  Upstream,  ///< tasks, tensors, edges only, on one line
};

/// Faults of the runtime's own writer (runtime.md 15) that a file of the schema Upstream has, or not.
struct DepsFaults {
  bool retain_lost = true;     ///< H8: no row for a creator found after a modifier, whose RETAIN the file then does not say
  bool no_dep_unknown = true;  ///< H9: NO_DEP is written as UNKNOWN
};

/// Streams the object; memory does not grow with the recording but for one word per tensor, and one byte per edge without the
/// fault H8. `tasks` leaves out allocations and producers without record, as the runtime's own file does; `edges` are the rows
/// that the real replay writes, and without the fault H8 those that add a flag to the pair; `pairs` is the truth per producer
/// and consumer. Ends in a newline. `faults` goes for Upstream; the schema Depscope has H8 in `edges`, and not H9.
void write_deps_json(const recording::Recording& recording, DepsSchema schema, const TextOutput& output, DepsFaults faults = {});

/// The same in one string.
[[nodiscard]] std::string deps_json(const recording::Recording& recording, DepsSchema schema = DepsSchema::Depscope);

/// FNV-1a over the 8 address bytes, then the 4 version bytes, little-endian (artefacts.md 2).
[[nodiscard]] std::uint64_t tensor_id(std::uint64_t address, std::int32_t version);

}  // namespace depscope::replay
