// The runtime model: takes submissions in program order, discovers the dependencies, and plays the run to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Buffers that the model allocates lie in the heap of their ring: kHeapBase · (ring + 1) + offset. External tensors must
/// have addresses below kHeapBase.
inline constexpr std::uint64_t kHeapBase = std::uint64_t{1} << 44U;
inline constexpr std::uint32_t kOutputAlignment = 1024;     ///< bytes, each output of a task's packed buffer (runtime.md 1.3)
inline constexpr std::uint32_t kDefaultTaskWindow = 16384;  ///< slots per ring
inline constexpr std::uint32_t kMaxOpenScopes = 64;
inline constexpr std::uint32_t kMaxTensorArgs = 32;
inline constexpr std::uint32_t kMaxScalarArgs = 16;
inline constexpr std::uint64_t kMaxOutputBytes = std::uint64_t{1} << 40U;  ///< per task; a limit of this model

struct SubmitResult {
  TaskId id = kInvalidTask;    ///< invalid after a fatal error
  std::uint32_t row = kNoRow;  ///< tasks row
  /// The created buffers, one per OUTPUT argument in order. Valid until the next submit.
  std::span<const TensorDescriptor> outputs;
};

/// Scopes and submits come in program order, then finish() once. Everything goes to the sink at once; nothing is kept of a
/// submission but what later ones need. Not limited yet: task window, heap and pools never run full, so the orchestrator
/// never blocks; heaps only grow.
///
/// The canonical schedule (runtime.md 10.5): the orchestrator runs to its end, one unit of time per submit, while no core
/// works; then rounds of one unit, see schedule.cpp. So no kernel task has completed at any submit and the edges are those of
/// the logical graph. An alloc task completes in its submit and may be consumed before a later task names it; that pair still
/// gets its row (it is part of the logical graph), but no pin and no edge event.
///
/// An id that no submission had so far (a trace that leaves out allocations, or names a task that comes later) stands for a
/// producer without record: it gets a tasks row of its own directly before its first consumer, of kind Alloc, with
/// scope = none. A later submission with that id gets a row of its own and is what the id means from then on.
class Model {
 public:
  /// The sink must outlive the model.
  Model(const ModelOptions& options, RuntimeSink& sink);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// `owner` as in ScopeRow. An AUTO scope inside a MANUAL one is fatal (error 5, false). More than kMaxOpenScopes open
  /// scopes: InputError.
  bool begin_scope(bool manual, std::uint8_t owner = 0);
  void end_scope();
  /// Ignored (invalid id) after a fatal error. Arguments that the runtime refuses (runtime.md 2.5) are fatal, error 5; a
  /// sync-start task with more blocks than the platform has places for, error 7. Outputs above kMaxOutputBytes: InputError.
  SubmitResult submit(const Submission& submission);
  /// Closes the scopes that are open, runs all tasks to the end and writes the last events.
  void finish();

  /// True if a submission had this id.
  [[nodiscard]] bool submitted(TaskId id) const;
  [[nodiscard]] std::uint32_t task_count() const;     ///< tasks rows, producers without record included
  [[nodiscard]] std::uint64_t window_misses() const;  ///< WAIT pairs beyond the bitmap's window
  [[nodiscard]] std::uint32_t open_scopes() const;
  [[nodiscard]] std::int32_t error_code() const;  ///< first fatal error (runtime.md 6.8), 0 if none

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace depscope::runtime
