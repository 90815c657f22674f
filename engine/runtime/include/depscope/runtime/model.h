// The runtime model: takes submissions in program order, discovers the dependencies, and plays the run to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Buffers that the model allocates lie in the heap of their ring: kHeapBase · (ring + 1) + offset. External tensors must
/// have addresses below kHeapBase.
inline constexpr std::uint64_t kHeapBase = std::uint64_t{1} << 44U;
inline constexpr std::uint32_t kOutputAlignment = 1024;  ///< bytes, each output of a task's packed buffer (runtime.md 1.3)
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

/// What can happen next besides the orchestrator's own steps (runtime.md 10.5).
enum class ActionKind : std::uint8_t {
  Continue,      ///< a scheduler thread goes on with what it has begun (fine granularity)
  Drain,         ///< a thread retires the first task of the dummy queue
  Dispatch,      ///< a thread pops the first task of `queue` and places its next block on `core`
  Acknowledge,   ///< a core acknowledges the block it has begun
  Finish,        ///< the running block of a core ends
  Observe,       ///< a thread polls a core of its own
  Release,       ///< a thread takes the last entry of its deferred-release buffer
  RetryAdvance,  ///< a thread retries an advance that another's lock had prevented
  Serve,         ///< a5: thread 0 serves a publication request
};
[[nodiscard]] std::string_view action_kind_name(ActionKind kind);

struct Action {
  ActionKind kind = ActionKind::Continue;
  std::uint32_t thread = 0;        ///< 0-based; unused by Acknowledge and Finish
  std::uint32_t core = kNoRow;     ///< Dispatch (MIX: the first core that the task uses), Acknowledge, Finish, Observe
  std::uint32_t ring = kNoRow;     ///< RetryAdvance, Serve
  QueueId queue = QueueId::Dummy;  ///< Dispatch
  friend bool operator==(const Action&, const Action&) = default;
};

/// Scopes and submits come in program order, then finish() once; everything goes to the sink at once. The steps of a submit are
/// those of runtime.md 3.1. Between the steps the schedule decides what the scheduler threads and cores do; where the
/// orchestrator waits for a slot, for memory, a pool or the TensorMap, they run until it can go on or nothing can ever free what
/// it waits for: a deadlock, which is a fatal error and a finding. After a fatal error nothing moves any more, so that the state
/// can be looked at.
///
/// The canonical schedule (10.5): the orchestrator runs until it waits or ends; then the threads in index order, one loop
/// iteration each, with the releases at the end of each iteration; when no thread gets on, time moves to the next end of a block
/// and blocks end in dispatch order.
///
/// Pairs are found on two levels. The logical graph (as a deps.json has it) knows neither completion nor reuse of slots; its
/// pairs are the edges rows. What the runtime really takes is the part whose producer is not gone; only that claims references,
/// is reduced and wired (EdgeRow::at_add).
///
/// With Submission::forced_id (traces) an id that no submission had so far stands for a producer without record: it gets a tasks
/// row of its own directly before its first consumer, of kind Alloc, with scope = none. A later submission with that id gets a
/// row of its own and is what the id means from then on. Without forced ids such an id gives no edge.
class Model {
 public:
  /// The sink must outlive the model. InputError: options out of their range.
  Model(const ModelOptions& options, RuntimeSink& sink);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// `owner` as in ScopeRow. An AUTO scope inside a MANUAL one is fatal (error 5, false). More than kMaxOpenScopes open
  /// scopes: InputError.
  bool begin_scope(bool manual, std::uint8_t owner = 0);
  void end_scope();
  /// Ignored (invalid id) after a fatal error. Arguments that the runtime refuses (runtime.md 2.5) are fatal, error 5; a
  /// sync-start task with more blocks than the platform has places for, error 7; a scope that is full, error 1; a deadlock,
  /// errors 2, 3, 4 and 11. Outputs above kMaxOutputBytes: InputError.
  SubmitResult submit(const Submission& submission);
  /// The orchestrator reads (`write` false) or writes memory itself: waits for the owner and all writers on record, to write also
  /// for their consumers' releases (runtime.md 3.7; hazard H4). False and error 8 if that can never happen.
  bool host_access(const TensorDescriptor& tensor, bool write);
  /// Error 9: the program asks for it.
  void explicit_fatal();
  /// Closes the scopes that are open, runs all tasks to the end and writes the last events.
  void finish();

  /// What may happen now, in a fixed order. Empty after a fatal error.
  [[nodiscard]] std::vector<Action> enabled() const;
  /// Does it; false and no change if its guard does not hold (runtime.md 10.6).
  bool perform(const Action& action);

  /// True if a submission had this id.
  [[nodiscard]] bool submitted(TaskId id) const;
  [[nodiscard]] std::uint32_t task_count() const;     ///< tasks rows, producers without record included
  [[nodiscard]] std::uint64_t window_misses() const;  ///< WAIT pairs beyond the bitmap's window
  [[nodiscard]] std::uint32_t open_scopes() const;
  [[nodiscard]] std::int32_t error_code() const;  ///< first fatal error (runtime.md 6.8), 0 if none
  /// The choices that the schedule has made so far: as ScheduleOptions::choices they give the same run.
  [[nodiscard]] const std::vector<std::uint32_t>& choices() const;
  [[nodiscard]] std::uint64_t events() const;  ///< written so far

 private:
  bool open_scope(bool manual, std::uint8_t owner = 0);
  void close_scope();
  void split(std::uint32_t depth);
  SubmitResult submit_here(const Submission& submission);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace depscope::runtime
