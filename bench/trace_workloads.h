// Submission streams of any length, built in memory: the workloads that dependency discovery is measured with.
#pragma once

#include <cstdint>
#include <functional>

#include "depscope/runtime/submission.h"

namespace depscope::bench {

/// Gets each submission in order; the object is refilled for the next.
using SubmissionSink = std::function<void(const runtime::Submission&)>;

/// Groups of 64 tasks with creator, TensorMap and explicit edges over several rings, SPMD tasks and allocations.
void mixed_workload(std::uint64_t tasks, const SubmissionSink& submit);
/// Every task has the whole of one buffer as INOUT.
void chain_workload(std::uint64_t tasks, const SubmissionSink& submit);
/// 31 sources with one output each, then a task that reads all of them; and again.
void fanin_workload(std::uint64_t tasks, const SubmissionSink& submit);
/// Writes 16-element slices of one buffer, and reads the slice written 16 tasks before.
void slices_workload(std::uint64_t tasks, const SubmissionSink& submit);

}  // namespace depscope::bench
