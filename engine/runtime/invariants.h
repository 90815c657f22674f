// The 40 invariants of runtime.md 13, checked against the state of the machine after every event. Private to the model.
//
// The watch keeps a view of its own, fed by the kinds of the events and by what stands in State::edges and in the fanin builder
// when a payload is flushed; a field of the machine is judged by that view or by a recount, never by itself. Objects that an
// event touches are checked at once, in constant time as far as possible; all live objects are swept after every event while
// they are few, else after as many events as there are live objects, so that the cost per event stays bounded.
//
// Events come in the middle of a submit, a wiring, a walk or an advance. The exact form of each check (P producer, C consumer):
//
//  I1   published <= watermark <= next, in tasks and (rings without gaps) in numbers; alive <= window - 1. a2a3: equal while the
//       advance lock is free. Every event, ring of the event
//  I2   pending -> ready -> running -> completed -> consumed; dummies skip running, allocations go to completed at once; every
//       change has an event; at Consume claimed = released and the scope ended. Every event, sweep for silent changes
//  I3   claimed(P) = edges flushed with P + entry of the builder + edges of aborted submits
//  I4   released(P) <= claimed(P); scope references are given back by the end of P's own scope only
//  I5   claimed - released = edges whose reference no PinRelease has named. A release is legal for an edge without RETAIN until
//       C is wired, for one with RETAIN during C's own release only; wired C holds exactly its RETAIN edges until then
//  I6   the slot of P belongs to P while an edge holds a reference; at the next Submit into the slot and in sweeps
//  I7   wired: need = WAIT edges + 1; allocations 0
//  I8   have = own unit + producers counted, each once, completed and of a WAIT edge; <= need once need is set; wired: producers
//       whose walk is over are counted
//  I9   ready or later: have = need, wired, one Ready event; queue entries are such tasks, each once, in the queue of their kind.
//       Before each submit every ready task is in a queue
//  I10  the flushed copy of entries, counts and positions, until the release is done; sweep and PayloadInit
//  I11  NodeTake only for WAIT edges, once; a pending P's list = the nodes told; a walk passes each once and leaves none;
//       wired C: a WAIT edge to a pending P has a node
//  I12  no consumer twice in a list; no list after the slot's reset
//  I13  Dispatch, and Complete of what uses no core: every constructed WAIT producer has completed
//  I14  HeapAlloc: no byte of a task that is not consumed, that has a consumer with a constructed RETAIN edge (own release not
//       begun), or that another task uses (argument owners, edge or not) and that is not completed
//  I15  HeapAlloc: inside the heap, no byte of a task whose slot is not reset
//  I16  top = tail iff no task behind the last look of the heap has bytes; not between the events of one look or one rebase
//  I17  Watermark: the task passed is consumed. SlotReclaim: in order, list empty. Submit: the slot's task before is reset
//  I18  0 <= top - tail <= capacity, top = nodes told + 1; nodes not yet passed lie in [tail, top) and still name C
//  I19  the same bounds; spilled ranges of tasks that are not reset start behind the tail and behind each other, end before top
//  I20  id, slot and descriptor agree; payloads are only written after the descriptor
//  I21  scope list = list kept from Submit, ScopeBegin and ScopeEnd; references come back in its order
//  I22  manual depth = depth of the outermost open MANUAL scope
//  I23  entries told = entries in the bucket chains (newest first, right bucket) = entries in the task chains = bumped - freed
//  I24  entries name known tasks below next; none of a task that the clean-up has passed; clean-up frees consumed tasks only
//  I25  inserted entries: by the task being submitted, no manual_dep, not in a MANUAL scope, not by an allocation. (The kind of
//       the argument is not part of the state: tests over the rows check it)
//  I26  PinClaim: once per pair, the builder finds it; PayloadFlush: claims of the submit = entries of the builder
//  I27  PayloadFlush: WAIT count = recount <= total; spilled entries = SpillTake events = total - 64, none up to 64
//  I28  bitmap: SeqAssign counts and finds 0; ReachPublish: equal to a search over constructed WAIT edges; unchanged when a
//       consumer uses it; the nearest WAIT producer keeps its WAIT
//  I29  PayloadFlush: every producer whose WAIT was cleared is reached over kept WAIT edges (searches of more than
//       kSearchLimit edges are given up)
//  I30  PayloadFlush: flags = those of the builder before the reduction, RETAIN unchanged, nothing added
//  I31  per core: at most two blocks told; pending only beside running; it does not run before the running one has ended; it is
//       listed as begun once. (Threads and clusters: by construction)
//  I32  blocks are placed in order, each once; cursor <= blocks; observed <= required, all at Complete; whoever has all is
//       completed before the next action
//  I33  a task completed by a scheduler is walked, buffered, being released or released, in that order, once; buffers hold
//       exactly the buffered ones
//  I34  pending bit: an AdvanceFail since the last AdvanceRetry; and no lost wake-up: a consumed head with a free lock and no
//       pending bit only while somebody is about to try; who consumes a task takes the lock or fails with its next event
//  I35  a5: lock free: local - published <= 15, equal when drained; Acknowledge: published exact, after a Request. a2a3: unused
//  I36  one Error event; the code stays; no Submit after it
//  I37  at_end: all consumed, watermarks = next = published, claimed = released, queues, buffers and cores empty
//  I38  not here: forward and backward replay is tested where recordings are replayed
//  I39  Submit: no buffered release of the slot's task before. Only with H10 as it is: as intended, entries carry the generation
//  I40  PinClaim and PayloadFlush: no producer twice, none is the task itself
//
// Aborted submits keep what they have claimed (runtime.md 3.1); nothing is demanded of them but the counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/runtime/sink.h"
#include "state.h"
#include "task_index.h"

namespace depscope::runtime {

class Discovery;
class Reduction;

class InvariantWatch {
 public:
  /// All must outlive the watch. It must see every event from the first on.
  InvariantWatch(State& state, const Discovery& discovery, const Reduction& reduction);

  /// The state is as the event left it.
  void after(EventKind kind, std::uint32_t subject, std::uint32_t object, std::uint8_t actor);
  /// A run that ended without an error (I37).
  void at_end();

  /// Findings of all invariants together.
  static constexpr std::size_t kMostFindings = 100;
  /// Live objects (tasks and TensorMap entries) up to which all of them are checked after every event.
  static constexpr std::size_t kSmall = 48;
  static constexpr std::size_t kSearchLimit = 100000;

 private:
  /// What the events have told of a task.
  struct Seen {
    TaskId id = kInvalidTask;
    std::uint32_t position = 0;  ///< in its ring
    TaskState state = TaskState::Pending;
    // as producer
    std::uint32_t added = 0, held = 0, leaked = 0;  ///< edges flushed or aborted; references not given back; of aborted submits
    std::uint32_t linked = 0, passed = 0;           ///< nodes hung on it; of these, passed by its walk
    std::uint32_t retaining = 0, users = 0;  ///< constructed RETAIN consumers whose release has not begun; users not completed
    // as consumer
    std::uint64_t first_edge = 0;
    std::uint32_t edges = 0, waits = 0, counted = 0, own_units = 0, spilled = 0;
    std::uint32_t readied = 0, placed = 0, deferred = 0, release_begun = 0, released = 0;
    std::uint64_t observed = 0;  ///< subtasks
    std::int64_t spill_start = 0;
    bool flushed = false, need_told = false, walked = false, by_scheduler = false, scope_released = false;
  };
  /// What the events have told of an entry of State::edges.
  struct SeenEdge {
    std::uint32_t producer = kNoRow;
    std::uint8_t flags = 0, constructed = 0;
    bool held = true, linked = false, passed = false, counted = false;
    std::int64_t node = 0;
  };
  struct SeenRing {
    std::int64_t nodes = 0, spills = 0;
    std::map<std::uint64_t, std::uint32_t> bytes;  ///< begin -> the task that got them last
    std::vector<std::uint32_t> with_bytes;         ///< positions
    std::size_t with_bytes_head = 0;
    std::vector<std::uint32_t> with_spill;  ///< rows
    std::size_t with_spill_head = 0;
    std::int64_t spill_end = 1;
    std::uint32_t trying = 0;  ///< told to be about to take the advance lock
    bool failed = false;       ///< AdvanceFail since the last AdvanceRetry
    bool requested = false;
    bool dense = true;  ///< local indices have no gaps
  };
  static std::array<std::uint32_t, 256> filled() {
    std::array<std::uint32_t, 256> none;
    none.fill(kNoRow);
    return none;
  }
  struct SeenScope {
    std::uint32_t row = 0;
    bool manual = false;
    std::uint32_t depth = 0;
    std::size_t start = 0;
  };

  // invariants.cpp
  void report(int number, std::uint32_t task, std::string text, std::uint32_t other = kNoRow, std::uint32_t ring = kNoRow);
  void sweep(EventKind kind);
  [[nodiscard]] std::size_t live() const;
  [[nodiscard]] bool known(std::uint32_t task) const { return task < seen_.size(); }
  [[nodiscard]] bool submitting(std::uint32_t task) const { return builder_current_ && task == s_.submitting; }

  // invariants_tasks.cpp
  void task_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void new_task(std::uint32_t task);
  void check_task(std::uint32_t task);
  void check_state(std::uint32_t task);
  void check_readiness(std::uint32_t task);
  void check_start(std::uint32_t task);
  void check_queues(bool between_actions);
  void check_buffers();
  void complete(std::uint32_t task, std::uint32_t core);

  // invariants_cores.cpp
  void core_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void placed(std::uint32_t task, std::uint32_t core);
  void observed(std::uint32_t task, std::uint32_t core);
  void check_core(std::uint32_t core, EventKind kind);

  // invariants_edges.cpp
  void edge_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void claim(std::uint32_t producer, std::uint32_t consumer);
  void flush(std::uint32_t task);
  void flush_memory(std::uint32_t task);
  void abort(std::uint32_t task);
  void give_back(std::uint32_t producer, std::uint32_t consumer);
  void check_references(std::uint32_t producer);
  void check_edges(std::uint32_t consumer);
  void check_edge(std::uint32_t consumer, std::uint32_t position);
  [[nodiscard]] SeenEdge* edge_between(std::uint32_t producer, std::uint32_t consumer);
  [[nodiscard]] bool in_builder(std::uint32_t producer) const;

  // invariants_lists.cpp
  void list_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void check_list(std::uint32_t producer);
  void check_walks();
  void check_nodes(std::uint32_t producer, NodeRef first, std::uint32_t expected);

  // invariants_rings.cpp
  void ring_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void check_ring(std::uint32_t ring, EventKind kind);
  void check_pools(std::uint32_t ring);
  void check_publication(std::uint32_t ring, EventKind kind);
  void check_tried(EventKind kind, std::uint32_t subject, std::uint8_t actor);
  void check_heap(std::uint32_t ring, EventKind kind);
  void allocated(std::uint32_t task);
  void check_handed_out(std::uint32_t task, std::uint32_t owner);
  void passed_by_watermark(std::uint32_t ring);
  void slot_reset(std::uint32_t task);
  void spill_taken(std::uint32_t task);
  void check_error(EventKind kind);

  // invariants_scopes.cpp
  void scope_event(EventKind kind, std::uint32_t subject);
  void check_scopes(bool with_list);

  // invariants_map.cpp
  void map_event(EventKind kind, std::uint32_t subject, std::uint32_t object);
  void check_map();

  // invariants_reach.cpp
  void reach_event(EventKind kind, std::uint32_t subject);
  void before_reduction();
  void check_reach(std::uint32_t task);
  void check_reduction(std::uint32_t task);
  void check_cleared(std::uint32_t task);
  [[nodiscard]] std::vector<std::uint64_t>& own_reach(std::uint32_t task);

  State& s_;
  const Discovery& discovery_;
  const Reduction& reduction_;

  std::vector<Seen> seen_;
  std::vector<SeenEdge> seen_edges_;
  std::unordered_map<std::uint64_t, std::uint64_t> wide_;  ///< (consumer, producer) -> edge, of fanins too long to search
  std::array<SeenRing, kRingCount> rings_;
  TaskIndex slot_owner_;
  bool builder_current_ = false;                                   ///< the builder holds edges of the task being submitted
  std::vector<std::uint32_t> claims_;                              ///< of this submit
  std::vector<std::uint32_t> claimed_by_;                          ///< by producer: last consumer + 1
  std::vector<std::pair<std::uint32_t, std::uint8_t>> unreduced_;  ///< the builder before the reduction
  std::vector<std::uint32_t> mark_;                                ///< by task, with epoch_
  std::uint32_t epoch_ = 0;

  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> on_core_;  ///< task and first block told, by core
  std::uint32_t observed_blocks_ = 1;                                          ///< of the last Observe
  std::vector<std::uint32_t> all_observed_;  ///< tasks whose last subtask was observed and that are not completed
  std::uint32_t buffered_ = 0;               ///< told deferred, release not begun

  std::vector<SeenScope> scopes_;
  std::vector<std::uint32_t> scope_list_;
  std::size_t ending_ = kNothingEnds, next_release_ = 0;

  std::vector<std::uint32_t> entry_of_access_;  ///< entry + 1
  std::vector<std::uint32_t> entries_;          ///< live entries told
  std::vector<std::uint32_t> place_of_entry_;   ///< in entries_
  std::vector<std::uint32_t> entry_mark_;

  std::vector<std::vector<std::uint64_t>> reaches_;
  std::vector<std::uint32_t> stack_;

  std::array<std::uint32_t, 256> consumed_ = filled();  ///< by actor: the task it has consumed with its last event
  std::int32_t error_ = 0;
  std::uint64_t events_ = 0, swept_at_ = 0;
  std::set<std::pair<int, std::uint32_t>> reported_;
};

}  // namespace depscope::runtime
