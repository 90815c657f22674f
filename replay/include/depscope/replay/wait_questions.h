// Why one task waits for another at the cursor, what gave the edge between them, and what the orchestrator waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/replay/cursor.h"
#include "depscope/replay/task_moments.h"

namespace depscope::replay {

enum class WaitVerdict : std::uint8_t {
  Waits,         ///< the WAIT of the edge is not satisfied yet
  WaitsThrough,  ///< no WAIT of its own, but a path of edges that are waited for leads from the producer to the consumer
  Satisfied,     ///< there is an edge with WAIT, and the producer has completed as far as the consumer is concerned
  NoWait,        ///< there is an edge, but it asks for no order (RETAIN only, or nothing is left of it)
  NotFoundYet,   ///< the submit of the consumer is at work and will discover the edge
  NotSubmitted,  ///< the consumer is not submitted yet
  Started,       ///< the consumer is ready or beyond: it waits for nothing
  NoEdge,        ///< no edge, and nothing that is waited for leads to the producer
  Later,         ///< the producer was submitted after the consumer
};
[[nodiscard]] std::string_view wait_verdict_name(WaitVerdict verdict);  ///< "waits", "waits_through", …

struct WaitAnswer {
  std::uint32_t consumer = recording::kNoRow, producer = recording::kNoRow;  ///< tasks rows
  WaitVerdict verdict = WaitVerdict::NoEdge;
  std::uint32_t edge = recording::kNoRow;  ///< edges row from producer to consumer, whether it is discovered yet or not
  std::uint8_t flags_now = 0;              ///< of the edge at the cursor
  std::vector<std::uint32_t> reasons;      ///< edge_reasons rows of the edge
  /// WaitsThrough: the tasks between, from the producer's side, one of the shortest paths.
  std::vector<std::uint32_t> path;
  // Events rows in the whole recording, kNever for what does not happen or is not told.
  std::uint32_t submitted = kNever;  ///< the consumer
  std::uint32_t added = kNever;      ///< the edge was discovered first
  std::uint32_t reduced = kNever;    ///< the reduction took its WAIT away
  std::uint32_t lost = kNever;       ///< payload init changed its stored flags
  std::uint32_t completed = kNever;  ///< the producer
  std::uint32_t ready = kNever;      ///< the consumer
  std::uint32_t skipped = kNever;    ///< a dependency of the consumer on this producer gave no edge
};

/// Tasks rows that differ. Time: the events of both tasks, the edge reasons, and for a path the edges waited for between the two.
[[nodiscard]] WaitAnswer why_waits(const Cursor& cursor, std::uint32_t consumer, std::uint32_t producer);

/// The edges row from producer to consumer, none if the pair has none.
[[nodiscard]] std::uint32_t edge_between(const Cursor& cursor, std::uint32_t producer, std::uint32_t consumer);
/// edge_reasons rows of an edge, in order of discovery.
[[nodiscard]] std::vector<std::uint32_t> reasons_of_edge(const recording::Recording& recording, std::uint32_t edge);
/// "the TensorMap: argument 0 a (INPUT) met the write of argument 1 a, which it covers: RAW; gives wait".
[[nodiscard]] std::string edge_reason_text(const recording::Recording& recording, std::uint32_t reason);
/// Conflicts that a discovery stands for, as pass::HazardKind bits: of a compiler edge those that the passes found between the
/// two calls, of a lookup in the TensorMap what the two arguments do. 0 where it stands for none (creator, user, explicit).
[[nodiscard]] std::uint8_t edge_reason_hazards(const recording::Recording& recording, std::uint32_t reason);

/// What the orchestrator waits for.
struct OrchestratorWait {
  std::uint32_t event = 0;                 ///< its `block`
  std::uint32_t task = recording::kNoRow;  ///< tasks row that is being submitted, none before it has one
  std::uint32_t ring = recording::kNoRow;
  runtime::Resource resource = runtime::Resource::TaskWindow;
  std::int64_t used = 0, wanted = 0;  ///< in use when it began to wait; asked for
  /// The oldest task of the ring that is not consumed, none if there is none: slots, heap and pools go back in order, so that
  /// nothing is given back before it is consumed.
  std::uint32_t head = recording::kNoRow;
};
/// None if it does not wait at the cursor. Looks back at kinds of events only.
[[nodiscard]] std::optional<OrchestratorWait> orchestrator_wait(const Cursor& cursor);
/// The event of the fatal error that came before the cursor, none if there was none.
[[nodiscard]] std::uint32_t error_before(const Cursor& cursor);

/// First event of this kind about this task (task_of_event), kNever if there is none.
[[nodiscard]] std::uint32_t event_of_task(const Cursor& cursor, std::uint32_t task, runtime::EventKind kind);
/// The task that has the slot of `task` now, in which state it ever is; none if it is free or the recording does not tell slots.
[[nodiscard]] std::uint32_t holder_of_slot(const Cursor& cursor, std::uint32_t task);

}  // namespace depscope::replay
