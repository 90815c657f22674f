// Names of rows as people type them, and back.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// A text that names nothing, or asks for what the recording does not tell. The message is one sentence that says what may be
/// said.
class QueryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A text that is no name of the kind asked for, so that it may be one of another kind.
class UnknownName : public QueryError {
 public:
  using QueryError::QueryError;
};

/// The tasks row of "r0t5" (ring and local index) or "t5" (row, as lines of events print it); the last row
/// where several have the id. Throws QueryError.
[[nodiscard]] std::uint32_t task_row(const recording::Recording& recording, std::string_view text);
/// "r0t5"; "t7" for a row whose id a later row has too.
[[nodiscard]] std::string task_row_name(const recording::Recording& recording, std::uint32_t task);

/// As the tool chain shows an id (artefacts.md 2): "t7" on ring 0, "r1t7" elsewhere.
[[nodiscard]] std::string short_id(std::uint64_t id);

/// "r0t5 fill"; "r0t5 alloc", "r0t5 dummy" for tasks without a kernel.
[[nodiscard]] std::string task_text(const recording::Recording& recording, std::uint32_t task);

/// "fill#3", "allocation of tmp#0", "barrier 0": as findings name it. Takes a walk over all tasks.
[[nodiscard]] std::string task_finding_name(const recording::Recording& recording, std::uint32_t task);
/// The tasks row of such a name, or of what `task_row` takes. Throws QueryError.
[[nodiscard]] std::uint32_t task_row_of_any_name(const recording::Recording& recording, std::string_view text);

/// The tensors row of a number or of a name that only one row has. Throws QueryError.
[[nodiscard]] std::uint32_t tensor_row(const recording::Recording& recording, std::string_view text);
/// The scopes row of a number. Throws QueryError.
[[nodiscard]] std::uint32_t scope_row(const recording::Recording& recording, std::string_view text);
/// Throws QueryError.
[[nodiscard]] runtime::EventKind event_kind(std::string_view text);

/// The whole of `text` as a number of at most `most`; false if it is none.
[[nodiscard]] bool parse_number(std::string_view text, std::uint32_t most, std::uint32_t& value);

}  // namespace depscope::replay
