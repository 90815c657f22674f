// The state of the machine that the model plays (runtime.md 16), and the door through which every change of it is told.
// Private to the model; the invariants read it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "chooser.h"
#include "depscope/base/growing_table.h"
#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"
#include "heap_ring.h"
#include "task_index.h"

namespace depscope::runtime {

inline constexpr std::uint8_t kOrchestrator = 0;
[[nodiscard]] constexpr std::uint8_t actor_of(std::uint32_t thread) { return static_cast<std::uint8_t>(thread + 1); }
inline constexpr std::uint32_t kInlineEdges = 64;
inline constexpr std::int64_t kRetiredBetweenCleanups = 64;  // TensorMap and dep pool (runtime.md 1.3)

/// Lane mask to shape (runtime.md 2.4).
enum class Shape : std::uint8_t { Aic, Aiv, Mix, Dummy };
inline constexpr std::uint32_t kAicLane = 1, kAiv0Lane = 2, kAiv1Lane = 4;

/// A node of a fanout list: linear index · 4 + ring of the consumer. 0 = none; linear indices count from 1.
using NodeRef = std::int64_t;
[[nodiscard]] constexpr NodeRef make_node_ref(std::uint32_t ring, std::int64_t linear) { return linear * 4 + ring; }
[[nodiscard]] constexpr std::uint32_t ring_of_node(NodeRef ref) { return static_cast<std::uint32_t>(ref & 3); }
[[nodiscard]] constexpr std::int64_t linear_of_node(NodeRef ref) { return ref >> 2U; }

struct DepNode {
  std::uint32_t consumer = kNoRow;
  NodeRef next = 0;
};

/// Counters of a pool whose entries are taken and given back in order (runtime.md 6.6).
struct LinearPool {
  std::int64_t capacity = 0;
  std::int64_t top = 1, tail = 1;
  [[nodiscard]] std::int64_t used() const { return top - tail; }
  [[nodiscard]] std::int64_t room() const { return capacity - used(); }
};

/// A task of more blocks is placed in groups of consecutive ones, which run one after another on their core.
inline constexpr std::uint32_t kMostPlaced = 4096;

/// One task: its slot's state, descriptor and payload while it owns the slot, and what the model keeps of it afterwards.
struct Task {
  TaskId id = kInvalidTask;
  std::uint32_t slot = 0;
  std::uint32_t block_num = 1;
  std::uint32_t duration = 1;
  std::uint32_t need = 0, have = 0;         ///< readiness units
  std::uint32_t claimed = 0, released = 0;  ///< consumer references
  std::uint64_t subtasks_done = 0, subtasks_required = 0;
  std::uint32_t block_cursor = 0;    ///< blocks claimed so far
  std::uint32_t wait_count = 0;      ///< edges with WAIT, as flushed
  std::uint32_t edge_count = 0;      ///< as flushed
  std::uint32_t core = kNoRow;       ///< of its first block
  std::uint32_t memory_count = 0;    ///< owners whose memory it uses: State::memory_owners
  std::uint32_t users = 0;           ///< tasks that use its memory and are not completed
  std::uint32_t last_user = kNoRow;  ///< the newest of all that ever used it
  std::uint64_t first_edge = 0;      ///< State::edges
  std::uint64_t first_memory = 0;
  std::uint64_t heap_begin = 0, heap_end = 0;
  NodeRef fanout_head = 0;
  std::int64_t spill_start = 0;        ///< linear index of the first spilled edge; 0 without
  std::int64_t dep_mark = 1;           ///< dep-pool top after its wiring
  std::int64_t descriptor_before = 0;  ///< local index that the slot's descriptor carries until step 13
  std::uint64_t mask = 0;              ///< MaskBug: bit i = edge i retains
  std::uint32_t previous_in_slot = kNoRow;
  TaskState state = TaskState::Pending;
  TaskKind kind = TaskKind::Kernel;
  Shape shape = Shape::Dummy;
  std::uint8_t lanes = 0;
  std::uint8_t ring = 0;
  PayloadPhase phase = PayloadPhase::None;
  bool sync_start : 1 = false;
  bool predicate_false : 1 = false;
  bool scope_released : 1 = false;
  bool ready_claimed : 1 = false;
  bool wired : 1 = false;  ///< step 18 is done
  bool own_release_done : 1 = false;
  bool release_buffered : 1 = false;
  bool aborted : 1 = false;
  bool reclaimed : 1 = false;           ///< passed by the watermark, slot reset
  bool descriptor_written : 1 = false;  ///< step 13 is done
  bool recorded : 1 = true;             ///< a submission made it
  [[nodiscard]] std::uint32_t local() const { return local_of(id); }
  /// Blocks that are placed together from `block` on: one, but for tasks of more than kMostPlaced blocks.
  [[nodiscard]] std::uint32_t group_at(std::uint32_t block) const {
    return std::min(1 + (block_num - 1) / kMostPlaced, block_num - block);
  }
};

/// An entry of a payload. `flushed` are the flags that step 15 wrote; nothing may change them (I10).
struct Edge {
  std::uint32_t producer = kNoRow, consumer = kNoRow;
  std::uint32_t row = kNoRow;  ///< edges row
  std::uint8_t flags = 0;
  std::uint8_t flushed = 0;
  std::uint8_t constructed = 0;  ///< before reduction
  bool pinned = false;           ///< claimed and not given back
};

struct Ring {
  std::int64_t next = 0;              ///< next local index
  std::int64_t watermark = 0;         ///< of the scheduler threads
  std::int64_t published = 0;         ///< what the orchestrator reads
  GrowingTable<std::uint32_t> tasks;  ///< rows in submission order
  std::size_t passed = 0;             ///< of `tasks`, by the watermark
  std::size_t reset = 0;              ///< of `tasks`, slots that are reset
  std::size_t published_count = 0;    ///< of `tasks`, by `published`
  RingLimits limits;
  HeapRing heap;
  std::size_t heap_seen = 0;          ///< published_count at the last look
  std::uint64_t bytes_allocated = 0;  ///< in all: addresses of buffers are never used twice
  std::uint8_t lock_owner = 0;        ///< of the advance: actor + 1, 0 = free
  bool forced_publish = false;        ///< the advance under way ends with an exact publication (a5)
  bool serving = false;               ///< the advance under way answers a request (a5)
  bool advance_pending = false;
  bool request = false, acknowledged = false;  ///< a5
  LinearPool dep, spill;
  GrowingTable<DepNode> dep_nodes;                 ///< by linear index modulo capacity; grows up to the capacity
  GrowingTable<std::uint64_t> spill_entries;       ///< index into State::edges; the same way
  std::int64_t dep_reclaimed_at = 0;               ///< watermark of the last reclaim
  std::size_t spill_cursor = 0;                    ///< of `tasks`
  std::map<std::uint64_t, std::uint32_t> orphans;  ///< consumed while a task still used their memory, by first byte
};

struct ScopeState {
  std::uint32_t row = 0;
  std::uint32_t ring = 0;
  std::uint32_t depth = 0;
  std::size_t first_task = 0;                      ///< in State::scope_tasks
  bool manual = false;                             ///< its own mode
  std::uint8_t owner = 0;                          ///< as in ScopeRow
  std::array<std::uint32_t, kRingCount> forced{};  ///< tasks with forced ids, by ring
};
inline constexpr std::uint32_t kNotManual = kNoRow;
inline constexpr std::size_t kNothingEnds = ~std::size_t{0};

struct CoreBlock {
  std::uint32_t task = kNoRow;
  std::uint32_t block = 0;
  std::uint32_t due = 0;  ///< time of its end; meaningful once it runs
  bool acknowledged = false;
  bool finished = false;
  [[nodiscard]] bool empty() const { return task == kNoRow; }
};

struct Core {
  CoreBlock running, pending;
  [[nodiscard]] bool idle() const { return running.empty(); }
  /// The pending place also counts as taken until the running block is acknowledged.
  [[nodiscard]] bool pending_free() const { return !running.empty() && running.acknowledged && pending.empty(); }
};

/// An entry of a deferred-release buffer. Upstream keeps only the slot (hazard H10).
struct Deferred {
  std::uint32_t task = kNoRow;
};

/// What a scheduler thread has begun; with coarse granularity nothing stays begun between actions.
struct Thread {
  std::vector<Deferred> buffer;
  std::uint32_t walk_task = kNoRow;
  NodeRef walk_node = 0;
  std::uint32_t walked = 0;
  std::uint32_t release_task = kNoRow;     ///< whose release it is
  std::uint32_t release_payload = kNoRow;  ///< whose edges it walks (another's with H10)
  std::uint32_t release_edge = 0;          ///< next edge
  bool walk_visited = false;               ///< hazard H5: the next link of walk_node is read after its consumer was served
  std::uint32_t advance_ring = kNoRow;     ///< holds its lock
  [[nodiscard]] bool busy() const { return walk_task != kNoRow || release_task != kNoRow || advance_ring != kNoRow; }
};

struct Queue {
  std::vector<std::uint32_t> tasks;
  std::size_t head = 0;
  bool overflow_told = false;  ///< hazard H6: its finding is written
  [[nodiscard]] bool empty() const { return head == tasks.size(); }
  [[nodiscard]] std::size_t size() const { return tasks.size() - head; }
  [[nodiscard]] std::uint32_t front() const { return tasks[head]; }
};

/// Told between two steps of the orchestrator where others may act.
class Interleaver {
 public:
  Interleaver() = default;
  Interleaver(const Interleaver&) = delete;
  Interleaver& operator=(const Interleaver&) = delete;
  virtual ~Interleaver() = default;
  virtual void point() = 0;
};

class InvariantWatch;

struct State {
  State(const ModelOptions& model_options, RuntimeSink& row_sink);

  ModelOptions options;
  Topology topology;
  RuntimeSink& sink;
  Chooser chooser;

  GrowingTable<Task> tasks;
  GrowingTable<Edge> edges;
  GrowingTable<std::uint32_t> memory_owners;
  std::array<Ring, kRingCount> rings;
  TaskIndex slots;  ///< (ring, slot) as id -> row of the task that was bound last
  std::array<Queue, kQueueCount> queues;
  std::vector<Core> cores;
  std::vector<std::uint32_t> begun;  ///< cores with a running block that has not ended, in dispatch order
  std::vector<Thread> threads;
  std::vector<ScopeState> scopes;
  GrowingTable<std::uint32_t> scope_tasks;  ///< of the open scopes, outermost first
  std::size_t ending_from = kNothingEnds;   ///< in scope_tasks: those of the scope whose references are being given back
  std::uint32_t manual_depth = kNotManual;
  std::uint64_t submission_counter = 0;
  std::uint32_t completed = 0;        ///< by schedulers and inline
  std::uint32_t submitting = kNoRow;  ///< the task between steps 5 and 19
  std::int32_t error = 0;
  std::uint32_t time = 0;
  bool uninterrupted = false;  ///< the canonical order: what a thread has begun it ends before anything else happens

  Interleaver* interleaver = nullptr;
  InvariantWatch* watch = nullptr;
  std::uint64_t event_count = 0;

  [[nodiscard]] bool fine() const { return options.schedule.granularity == Granularity::Fine; }
  /// What a scheduler thread begins stays begun until it is told to go on.
  [[nodiscard]] bool stepwise() const { return fine() && !uninterrupted; }
  [[nodiscard]] bool faithful(int hazard) const { return options.hazards.faithful(hazard); }
  [[nodiscard]] bool mutated(Mutation mutation) const { return options.mutation == mutation; }
  [[nodiscard]] bool a5() const { return options.platform == Platform::A5; }
  /// True if a task cannot be put into the list of the open scopes (error 10). A list of the documented size holds all that the
  /// windows hold; stand-ins of a trace take no slot and do not count there.
  [[nodiscard]] bool scope_list_full(bool of_trace) const {
    std::uint64_t entries = options.scope_list_entries;
    if (entries == 0) {
      if (of_trace) return false;
      for (const Ring& ring : rings) entries += ring.limits.task_window;
    }
    return scope_tasks.size() >= entries;
  }
  [[nodiscard]] bool in_manual() const { return manual_depth != kNotManual; }

  [[nodiscard]] std::uint32_t row_in_slot(std::uint32_t ring, std::uint32_t slot) const {
    return slots.find(make_task_id(ring, slot));
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t ring, std::uint32_t local) const {
    return local & static_cast<std::uint32_t>(rings[ring].limits.task_window - 1);
  }
  /// Local index that the descriptor in the slot of this task (the last one bound to it) carries now.
  [[nodiscard]] std::int64_t descriptor_local(const Task& t) const {
    return t.descriptor_written ? std::int64_t{t.local()} : t.descriptor_before;
  }
  /// Watermark that has passed `count` tasks of the ring.
  [[nodiscard]] std::int64_t watermark_at(const Ring& ring, std::size_t count) const {
    return count == ring.tasks.size() ? ring.next : std::int64_t{tasks[ring.tasks[count]].local()};
  }
  /// Index into `edges` of the payload's entry; spilled ones are read where the pool has them (6.6).
  [[nodiscard]] std::uint64_t payload_edge(const Task& t, std::uint32_t position) const {
    if (position < kInlineEdges) return t.first_edge + position;
    const Ring& ring = rings[t.ring];
    return ring.spill_entries[static_cast<std::size_t>((t.spill_start + position - kInlineEdges) % ring.spill.capacity)];
  }
  [[nodiscard]] DepNode& node(NodeRef ref) {
    Ring& ring = rings[ring_of_node(ref)];
    return ring.dep_nodes[static_cast<std::size_t>(linear_of_node(ref) % ring.dep.capacity)];
  }
  [[nodiscard]] const DepNode& node(NodeRef ref) const {
    const Ring& ring = rings[ring_of_node(ref)];
    return ring.dep_nodes[static_cast<std::size_t>(linear_of_node(ref) % ring.dep.capacity)];
  }

  [[nodiscard]] bool wants(EventKind kind) const { return level_[static_cast<std::size_t>(kind)]; }
  void emit(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t old_value, std::int64_t new_value,
            std::uint8_t actor = kOrchestrator, std::uint16_t extra = 0);
  /// Change of a field that the event stands for: tells it, then sets it.
  template <class T>
  void change(EventKind kind, std::uint32_t subject, std::uint32_t object, T& field, T value, std::uint8_t actor = kOrchestrator,
              std::uint16_t extra = 0) {
    const T before = field;
    field = value;
    emit(kind, subject, object, static_cast<std::int64_t>(before), static_cast<std::int64_t>(value), actor, extra);
  }
  void set_state(EventKind kind, std::uint32_t task, std::uint32_t object, TaskState value, std::uint8_t actor) {
    change(kind, task, object, tasks[task].state, value, actor);
  }
  void advance_time(std::uint64_t ticks) {
    time = static_cast<std::uint32_t>(std::min<std::uint64_t>(time + ticks, 0xffffffffU));
  }
  /// Others may act here, with fine granularity.
  void pause() {
    if (interleaver != nullptr && fine()) interleaver->point();
  }
  void pause_for(std::uint8_t actor) {
    if (actor == kOrchestrator) pause();
  }
  void finding(RunFinding f);

 private:
  std::array<bool, kEventKindCount> level_{};
};

}  // namespace depscope::runtime
