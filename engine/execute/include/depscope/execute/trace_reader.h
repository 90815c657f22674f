// Reads a submission trace (*.trace.json): the submits of a run in order, without scopes.
#pragma once

#include <cstdint>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/execute/durations.h"
#include "depscope/runtime/model.h"

namespace depscope::execute {

/// Largest trace file that is read, in bytes (offsets are 32-bit).
inline constexpr std::uint64_t kMaxTraceBytes = 0xffffffffULL;

/// Streams every task of the trace to the model, in file order, with the task's own id; does not call finish(). Tasks without
/// any kernel id are dummy tasks. A task may say how long a block of it runs ("duration": units from 1 or "never"; `durations`
/// goes before) and that its predicate is false ("predicate": false). Throws InputError at the first fault: text that is no JSON
/// or ends too early (line, column, byte offset), a key that is missing, of the wrong type or out of range, an unknown enum
/// value, more than 32 tensor arguments, a rank outside 1..5, a stride below 1, a task id on a ring above 3 or used twice (JSON
/// path). Unknown keys are ignored. The model has seen the tasks before the fault: throw it away.
void read_trace(const SourceFile& source, runtime::Model& model, const Durations* durations = nullptr);

/// Number of tasks of a well-formed trace, without parsing: how often the key "task_id" occurs.
[[nodiscard]] std::uint64_t count_trace_tasks(std::string_view text);

}  // namespace depscope::execute
