// Faults that are put into the model on purpose, so that tests see which invariant or which scenario convicts them
// (runtime.md 16.3, docs/invariants.md). For tests only: no command line and no file names them.
#pragma once

#include <cstdint>
#include <string_view>

namespace depscope::runtime {

enum class Mutation : std::uint8_t {
  None,
  // Those of runtime.md 16.3, in its order.
  PinNotTaken,             ///< an edge claims no reference of its producer
  PinTakenTwice,           ///< a second discovery of a pair claims another one
  FirstFlagsWin,           ///< a second discovery of a pair adds no flags
  RetainReleasedAtWiring,  ///< wiring gives back the references of RETAIN edges too
  WaitOnlyReleasedAgain,   ///< the consumer's release gives back those of WAIT-only edges too
  NoneForgotten,           ///< the fast path keeps the references of edges without flags
  ReachShiftedShort,       ///< reaches of producers are shifted by their distance less one
  WindowEdgeDropped,       ///< a producer exactly one bitmap window away counts as outside
  PackedIdOrder,           ///< the reduction measures distances in packed task ids
  ReducedAfterFlush,       ///< the WAIT count is that from before the reduction
  EdgesResetByInit,        ///< payload init empties the edge list
  LookupCutAtStale,        ///< a TensorMap lookup ends at the first stale entry
  HeapMeetsTail,           ///< an allocation may end exactly at the heap's tail
  // Ours, for the invariants that none of these reaches.
  WindowFilled,              ///< the window holds one task more than it may
  ConsumedUnderReferences,   ///< a completed task is consumed although it is still referenced
  ConsumedInOpenScope,       ///< a completed task is consumed although its scope has not ended
  AllocationNeedsItself,     ///< an allocation waits for a unit that nobody gives
  CompletionCountedTwice,    ///< a walk gives its consumers two units
  ReadyTwice,                ///< every unit that a walk gives routes the consumer to ready
  RetainLinked,              ///< RETAIN-only edges get a node in the producer's list
  ListKept,                  ///< a reclaimed slot keeps the list of its consumers
  WatermarkPassesCompleted,  ///< the watermark does not wait for consumption
  HeapCrossesEnd,            ///< an allocation may cross the end of the heap
  TailAheadOfWatermark,      ///< the heap is given back up to the last allocation
  NodesReclaimedEarly,       ///< the dep pool is given back up to its top
  DescriptorNotWritten,      ///< the slot keeps the descriptor of its previous task
  NotInScopeList,            ///< every second task is missing in the list of its scope
  ManualDepthInner,          ///< the inner of two MANUAL scopes ends the manual mode
  BucketOldestFirst,         ///< a TensorMap entry is put behind those of its bucket
  EntriesKept,               ///< clean-up leaves the TensorMap entries of retired tasks
  ManualRegistered,          ///< writes of tasks in MANUAL scopes are registered
  RetainReduced,             ///< the reduction clears RETAIN together with WAIT
  WaitsReducedBlindly,       ///< the reduction clears the WAIT of the oldest producer without a witness
  BlockPlacedTwice,          ///< the first block of an SPMD task is handed out twice
  ReleaseForgotten,          ///< every fourth completed task is not buffered for its release
  LostLockForgotten,         ///< a lost race for the advance lock leaves no pending bit
  PublishedLate,             ///< a5: the watermark is published every 32 tasks
  NoErrorLatch,              ///< a fatal error is told, but the run goes on
};
inline constexpr std::size_t kMutationCount = static_cast<std::size_t>(Mutation::NoErrorLatch) + 1;
[[nodiscard]] std::string_view mutation_name(Mutation mutation);  ///< "pin_not_taken", …

}  // namespace depscope::runtime
