// The one door from the runtime model to the recording: rows of tasks, accesses, edges and scopes, and the event stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// State changes of the model (runtime.md 14). The numeric values are part of the file format: append only.
/// "old/new" are Event::old_value and new_value.
enum class EventKind : std::uint8_t {
  Config = 0,      ///< the effective configuration, first of all: subject = ConfigItem; object = ring, none where it has none;
                   ///< old/new = 0 / value
  ScopeBegin = 1,  ///< subject = scope row; new = depth
  ScopeEnd = 2,    ///< subject = scope row; old = depth
  Submit = 3,      ///< a slot is taken: subject = task row; object = ring; old/new = next index of the ring
  EdgeAdd = 4,     ///< subject = edge row; object = consumer task row; old/new = flags of the pair (0 before the first)
  EdgeReduce = 5,  ///< subject = edge row; object = witness task row; old/new = flags
  Ready = 6,       ///< subject = task row; old/new = TaskState
  Dispatch = 7,    ///< first block placed: subject = task row; object = core; old/new = TaskState
  Complete = 8,    ///< subject = task row; object = core; old/new = TaskState
  WaitCount = 9,   ///< subject = task row; object = producer task row that was counted; old/new = units received
  PinClaim = 10,   ///< subject = producer task row; object = consumer task row; old/new = claimed consumer references
  PinRelease =
      11,  ///< subject = producer task row; object = consumer task row; extra = ReleaseCause; old/new = released references
  ScopeRelease = 12,     ///< subject = task row; old/new = 0 / 1
  Release = 13,          ///< subject = task row: its own deferred release is done; old/new = 0 / 1
  Consume = 14,          ///< subject = task row; old/new = TaskState
  Watermark = 15,        ///< object = ring; old/new = local watermark of the ring (advance)
  HeapAlloc = 16,        ///< subject = task row; object = ring; old/new = heap top in bytes
  HeapFree = 17,         ///< object = ring; old/new = heap tail in bytes
  TensorMapInsert = 18,  ///< subject = access row of the write; old/new = entries in use
  TensorMapRemove =
      19,  ///< subject = access row of the removed write; object = task row that removed it; old/new = entries in use
  TensorMapHit =
      20,            ///< subject = access row of the reader; object = access row of the write; new = overlap (1 other, 2 covered)
  Need = 21,         ///< subject = task row; old/new = readiness units needed
  Block = 22,        ///< the orchestrator waits: subject = task row that is being submitted, none before it has one;
                     ///< object = ring; extra = Resource; old/new = units in use / units asked for
  Error = 23,        ///< subject = task row, none if it has none; object = ring, none; extra = ErrorClass; new = code (6.8)
  RunEnd = 24,       ///< new = completed tasks
  SubmitBegin = 25,  ///< object = scope row; new = tasks in the innermost scope
  SubmitIgnored = 26,  ///< after a fatal error
  Unblock = 27,        ///< as Block
  SlotReset = 28,      ///< subject = task row; object = slot; old/new = generation of the slot
  SeqAssign = 29,      ///< subject = task row; old/new = submission counter before / after (two's complement)
  Bind = 30,  ///< slot bound to payload and descriptor, state PENDING; subject = task row; object = slot; old/new = tasks of all
              ///< open scopes
  Record = 31,            ///< dep_gen record taken: subject = task row; new = records, overflow included
  TensorMapSync = 32,     ///< object = ring; old/new = cached watermark
  TensorMapCleanup = 33,  ///< subject = access row of the entry that is freed; object = ring; old/new = entries in use
  DepSkip = 34,           ///< subject = consumer task row; object = producer task row or none; extra = SkipReason
  SpillTake = 35,         ///< subject = consumer task row; object = ring; old/new = spill top
  DescriptorWrite = 36,   ///< subject = task row; object = slot; old/new = local index in the slot's descriptor
  ReachPublish = 37,      ///< subject = task row; new = lowest 64 bits of its reach
  PayloadFlush = 38,      ///< subject = task row; object = total edges; extra = WAIT edges (saturated); old/new = PayloadPhase
  PayloadInit =
      39,  ///< subject = task row; object = edges whose flags it changed (0 unless the layout is faulty); old/new = PayloadPhase
  EdgeLost = 40,      ///< payload init changed stored flags: subject = edge row; object = consumer task row; old/new = flags
  NodeTake = 41,      ///< subject = consumer task row; object = producer task row; old/new = dep-pool top of the consumer's ring
  QueuePush = 42,     ///< subject = task row; object = QueueId; old/new = tasks in the queue
  QueuePop = 43,      ///< as QueuePush
  BlockClaim = 44,    ///< subject = task row; object = scheduler thread; old/new = block cursor
  Place = 45,         ///< subject = task row; object = core; extra = place (0 running, 1 pending); new = block
  CoreAck = 46,       ///< the core acknowledged the block: subject = task row; object = core; extra = place
  Finish = 47,        ///< hidden end of a block: subject = task row; object = core; extra = place; new = block
  Observe = 48,       ///< a poll saw the end: subject = task row; object = core; extra = place; new = block. Place 0: the pending
                      ///< block, if there is one, becomes the running one
  SubtaskCount = 49,  ///< subject = task row; object = core; old/new = subtasks done
  WalkNode = 50,      ///< subject = producer task row; object = consumer task row; old/new = nodes visited
  Defer = 51,         ///< subject = task row; object = scheduler thread; old/new = entries in its buffer
  ReleaseBegin = 52,  ///< as Defer
  AdvanceLock = 53,   ///< object = ring; old/new = owner, 0 = free, else actor + 1
  AdvanceFail = 54,   ///< lock taken by another: object = ring; old/new = advance-pending bit
  AdvanceRetry = 55,  ///< object = ring; old/new = advance-pending bit
  SlotReclaim = 56,   ///< slot passed by the watermark and reset: subject = task row; object = slot; old/new = 0 / 1
  Publish = 57,       ///< object = ring; old/new = published watermark
  Request = 58,       ///< a5: object = ring; old/new = request bit
  Acknowledge = 59,   ///< a5: object = ring; old/new = acknowledge bit
  DepReclaim = 60,    ///< object = ring; old/new = dep-pool tail
  SpillReclaim = 61,  ///< object = ring; old/new = spill tail
  HeapGuard = 62,     ///< object = ring; old/new = rebase guard (local index), -1 = none
  AbortSubmit = 63,   ///< half-submitted task stays behind: subject = task row; old/new = 0 / 1
  Layout = 64,        ///< new = bytes of the packed buffer
  Predicate = 65,     ///< subject = task row; new = 1 holds, 0 does not
};
inline constexpr std::uint8_t kEventKindCount = 66;
[[nodiscard]] std::string_view event_kind_name(
    EventKind kind);  ///< "scope-begin", "submit", … as in runtime.md 14 where it has the kind

/// What a Config event tells.
enum class ConfigItem : std::uint8_t { Platform, Clusters, SchedulerThreads, TaskWindow, HeapBytes, DepPool, TensorMapEntries };
inline constexpr std::uint8_t kConfigItemCount = 7;
[[nodiscard]] std::string_view config_item_name(ConfigItem item);

/// What the orchestrator can wait for (runtime.md 6.7). Scope is no wait: its limit fails at once (error 1).
enum class Resource : std::uint8_t { TaskWindow, Heap, DepPool, SpillPool, TensorMapPool, HostAccess, Scope };
inline constexpr std::uint8_t kResourceCount = 7;
[[nodiscard]] std::string_view resource_name(Resource resource);  ///< "task_window", "heap", "dep_pool", … (cases/book)

/// Structural: proven, the blocked orchestrator itself holds the head. Backstop: nothing that can happen frees the resource.
/// S1 to S5, Unknown: sub-class of a scheduler timeout (runtime.md 6.8).
enum class ErrorClass : std::uint8_t { None, Structural, Backstop, S1, S3, S4, S5, Unknown };
inline constexpr std::uint8_t kErrorClassCount = 8;
[[nodiscard]] std::string_view error_class_name(ErrorClass error_class);  ///< "structural", "backstop", "running-stalled", …

/// Why a dependency gives no edge. Watermark: explicit id below the published watermark. Gone: consumed, slot recycled or never
/// submitted. OwnSlot: the slot is the new task's own (hazard H1, fixed).
enum class SkipReason : std::uint8_t { Watermark, Gone, OwnSlot };
enum class ReleaseCause : std::uint8_t { Wiring, FastPath, Consumer };
enum class PayloadPhase : std::uint8_t { None, Flushed, Initialised };
/// Ready queues (runtime.md 3.5).
enum class QueueId : std::uint8_t { Aic, Aiv, Mix, SyncAic, SyncAiv, SyncMix, Dummy };
inline constexpr std::uint8_t kQueueCount = 7;
[[nodiscard]] std::string_view queue_name(QueueId queue);

enum class TaskState : std::uint8_t { Unborn = 0, Pending = 1, Ready = 2, Running = 3, Completed = 4, Consumed = 5 };
[[nodiscard]] std::string_view task_state_name(TaskState state);

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

inline constexpr std::uint8_t kCoreActor = 255;

/// Enough to apply the change and to undo it. 32 bytes.
struct Event {
  EventKind kind = EventKind::Config;
  std::uint8_t actor = 0;   ///< 0 = orchestrator, 1.. = scheduler thread, kCoreActor = a core by itself
  std::uint16_t extra = 0;  ///< by kind; 0 where unused
  std::uint32_t time = 0;   ///< logical time, never decreasing
  std::uint32_t subject = kNoRow;
  std::uint32_t object = kNoRow;
  std::int64_t old_value = 0;
  std::int64_t new_value = 0;
};
static_assert(sizeof(Event) == 32);

struct TaskRow {
  TaskId id = kInvalidTask;
  TaskKind kind = TaskKind::Kernel;
  std::uint32_t callee = 0;  ///< name id in the caller's table
  std::uint32_t call_site = kNoRow;
  std::uint32_t scope = kNoRow;  ///< scope row
  bool manual_scope = false;
  bool early_dispatch = false;
  bool sync_start = false;
  std::array<std::int32_t, 3> kernel_ids{-1, -1, -1};
  std::uint32_t block_num = 1;
  std::uint32_t slot = 0;
  std::uint64_t heap_begin = 0, heap_end = 0;  ///< bytes in the ring's heap; equal if none. Bytes are used again
  std::uint32_t path = kNoRow;                 ///< first entry of the iteration vector in `iterations`, by the recording
};

struct AccessRow {
  std::uint32_t task = kNoRow;
  std::uint8_t arg = 0;
  ArgKind kind = ArgKind::Input;
  std::uint32_t name = 0;  ///< root buffer's name
  TensorDescriptor tensor;
};

/// What the producer of a pair was when the pair was found and when it was wired. A producer that is gone gets no edge in the
/// model; the pair belongs to the logical graph only and its flags are not reduced.
enum class ProducerStatus : std::uint8_t { Live, Completed, Gone };

struct EdgeRow {
  std::uint32_t producer = kNoRow, consumer = kNoRow;  ///< task rows
  std::uint8_t flags = 0;                              ///< OR of all discoveries
  std::uint8_t flags_final = 0;                        ///< after reduction
  std::uint8_t provenance = 0;
  std::uint32_t via = kNoRow;  ///< task row that made WAIT redundant
  ProducerStatus at_add = ProducerStatus::Live;
  ProducerStatus at_wiring = ProducerStatus::Live;  ///< Gone with at_add: the model has no such edge
};

/// How a discovery came about; also says whether the real replay writes a row for it (runtime.md 11.3).
struct EdgeReasonRow {
  std::uint32_t edge = kNoRow;
  std::uint8_t source = 0;  ///< one Provenance bit
  std::int8_t arg = -1;     ///< -1 for explicit
  std::uint8_t flags = 0;
  std::uint8_t overlap = 0;                ///< 0 none, 1 other, 2 covered
  std::uint32_t consumer_access = kNoRow;  ///< access row
  std::uint32_t producer_access = kNoRow;  ///< access row of the write, TensorMap hits only
  bool replay_row = true;                  ///< the real replay prints this discovery
};

struct ScopeRow {
  bool manual = false;
  std::uint8_t owner = 0;  ///< 0 user, 1 compiler, 2 materialised, 3 implicit root
  std::uint32_t depth = 0;
  std::uint32_t ring = 0;
  std::uint32_t parent = kNoRow;
};

/// What the model found at run time; rows and ring as far as they apply.
enum class RunFindingKind : std::uint8_t {
  Deadlock,      ///< see the fields of RunFinding; other = a task that a host access waits for
  Error,         ///< any other fatal error: code and class
  FlagsLost,     ///< payload init changed the stored flags of `count` edges: task = consumer, other = producer of the first
  EarlyReclaim,  ///< task = owner that was consumed, other = task that still uses its memory
  BytesReused,   ///< task = owner, other = task that still uses the memory, head = task that got the bytes; offset = first byte
  WaitOnlyOnOwner,  ///< explicit wait-only dependency of `other` in a MANUAL scope on `task`, whose memory it uses
  NoEdgeToOwner,    ///< MANUAL scope: `other` uses memory of `task` and names it in no dependency
  OwnSlotAlias,     ///< hazard H1: `task` named an id that its own slot still carried (a stale handle)
  StaleHandle,      ///< `other` uses memory of `task`, which is gone: handle used after its scope
  LateRelease,      ///< hazard H10: the release of `task` ran on the edges of `other`, which has its slot
  SpillOverrun,     ///< hazard H2: the spill tail passed edges of `task`, which is alive
  QueueOverflow,    ///< hazard H6: queue `text` held `capacity` tasks when `task` was ready for it; count = 1 if it is lost
  Invariant,        ///< code = number of runtime.md 13; `text` says what does not hold
};

/// Why a wait never ends: every link is the reason of the one before it (RunFinding::links).
enum class WaitLinkKind : std::uint8_t {
  TooMuch,     ///< more is asked for than the resource holds
  Head,        ///< it comes back in the order of submission: `task` is the next of `ring`
  Interval,    ///< `count` units in use belong to tasks that are reclaimed, and come back only after 64 more (hazard H11)
  AllBack,     ///< every task of `ring` is reclaimed, and it is still not enough
  OpenScope,   ///< the scope `scope`, which is open, keeps `task`
  ScopeEnd,    ///< the scope `scope` ends only after the submit that waits: a circle
  Submit,      ///< `task` is the one whose submit waits: a circle
  Reference,   ///< `other` has a reference on `task` and has not given it back
  WaitsFor,    ///< `task` waits for `other` to complete; both the same: it waits for itself, a circle
  Again,       ///< `task` stands further up among the links: a circle
  OnCore,      ///< `task` has a block on core `other` whose kernel has no end
  NoCore,      ///< `task` is ready, and no core takes it
  Buffered,    ///< the release of `task` waits in the buffer of a scheduler thread
  NotAdvanced  ///< `task` is consumed, but the watermark has not passed it
};
struct WaitLink {
  WaitLinkKind kind = WaitLinkKind::Head;
  std::uint32_t task = kNoRow, other = kNoRow;  ///< task rows; OnCore: a core
  std::uint32_t scope = kNoRow;                 ///< scope row
  std::uint32_t ring = kNoRow;
  std::uint64_t count = 0;  ///< Interval
};

/// What the links prove. Circle: what the submit waits for waits for the submit, in every schedule. OnlySlow: if a kernel came to
/// its end, the wait would end. Unproven: neither.
enum class WaitProof : std::uint8_t { Unproven, TooMuch, Circle, OnlySlow };
inline constexpr std::uint8_t kWaitProofCount = 4;
[[nodiscard]] std::string_view wait_proof_name(WaitProof proof);  ///< "unproven", "too_much", "circle", "only_slow"

/// A consumer that has a reference on the task at the watermark.
struct HeadReference {
  std::uint32_t task = kNoRow;
  std::uint32_t edge = kNoRow;  ///< edges row, none while the consumer is being submitted
  std::uint8_t flags = 0;
  TaskState state = TaskState::Unborn;
};
inline constexpr std::size_t kMostLinks = 64, kMostReferences = 64;  ///< of a finding

struct RunFinding {
  RunFindingKind kind = RunFindingKind::Error;
  std::uint64_t event = 0;  ///< number of events written before
  std::uint32_t task = kNoRow, other = kNoRow;
  std::uint32_t ring = kNoRow;
  std::int32_t code = 0;  ///< error code, or number of the invariant
  ErrorClass error_class = ErrorClass::None;
  Resource resource = Resource::TaskWindow;
  std::uint64_t requested = 0, used = 0, capacity = 0;  ///< Deadlock; slots, bytes, nodes or entries
  std::int64_t next_index = 0, watermark = 0;           ///< Deadlock: of the ring
  std::uint32_t head = kNoRow;                          ///< Deadlock: task at the watermark, none if the ring is empty
  TaskState head_state = TaskState::Unborn;
  std::uint32_t head_claimed = 0, head_released = 0;  ///< consumer references
  bool head_scope_released = false;
  std::uint32_t callee = 0;  ///< of a submit that got no task row; string of the caller
  TaskId id = kInvalidTask;  ///< of such a submit, if its trace gives one
  TaskKind submit_kind = TaskKind::Kernel;
  std::uint32_t call_site = kNoRow;
  bool manual_scope = false;             ///< Deadlock: mode of the innermost scope
  std::uint32_t first_counted = kNoRow;  ///< resource Scope: first task row that was counted
  std::uint64_t offset = 0;              ///< BytesReused: byte in the ring's heap
  std::uint32_t count = 0;
  WaitProof proof = WaitProof::Unproven;  ///< Deadlock, Error 100
  std::vector<WaitLink> links;            ///< Deadlock, Error 100: the first kMostLinks - 1 and the last
  std::uint64_t links_left_out = 0;       ///< before the last one
  std::vector<HeadReference> references;  ///< Deadlock: of the head, the first kMostReferences that are not given back
  std::uint64_t references_left_out = 0;
  std::string text;  ///< Invariant; QueueOverflow
};

/// Rows are numbered from 0 in the order they are written. An edge row is written once its submit is finished (flags final
/// included); events refer to rows that are written before or at the same submit.
class RuntimeSink {
 public:
  RuntimeSink() = default;
  RuntimeSink(const RuntimeSink&) = delete;
  RuntimeSink& operator=(const RuntimeSink&) = delete;
  virtual ~RuntimeSink() = default;

  virtual void task(const TaskRow& row, const std::vector<std::uint32_t>& iteration) = 0;
  virtual void access(const AccessRow& row) = 0;
  virtual void edge(const EdgeRow& row) = 0;
  virtual void edge_reason(const EdgeReasonRow& row) = 0;
  virtual void scope(const ScopeRow& row) = 0;
  virtual void event(const Event& event) = 0;
  virtual void finding(const RunFinding&) {}
};

/// Counts rows and forgets them.
class CountingRuntimeSink final : public RuntimeSink {
 public:
  void task(const TaskRow&, const std::vector<std::uint32_t>&) override { ++tasks; }
  void access(const AccessRow&) override { ++accesses; }
  void edge(const EdgeRow&) override { ++edges; }
  void edge_reason(const EdgeReasonRow&) override { ++edge_reasons; }
  void scope(const ScopeRow&) override { ++scopes; }
  void event(const Event&) override { ++events; }

  std::uint64_t tasks = 0, accesses = 0, edges = 0, edge_reasons = 0, scopes = 0, events = 0;
};

}  // namespace depscope::runtime
