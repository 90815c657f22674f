// The one door from the runtime model to the recording: rows of tasks, accesses, edges and scopes, and the event stream.
#pragma once

#include <cstdint>

#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// State changes of the model (runtime.md 14). The numeric values are part of the file format: append only.
enum class EventKind : std::uint8_t {
  Config = 0,
  ScopeBegin = 1,        ///< subject = scope row; new = depth
  ScopeEnd = 2,          ///< subject = scope row; old = depth
  Submit = 3,            ///< subject = task row; object = ring; old/new = next index of the ring
  EdgeAdd = 4,           ///< subject = edge row; object = consumer task row; old/new = flags of the pair (0 before the first)
  EdgeReduce = 5,        ///< subject = edge row; object = witness task row; old/new = flags
  Ready = 6,             ///< subject = task row; old/new = TaskState
  Dispatch = 7,          ///< subject = task row; object = core; old/new = TaskState
  Complete = 8,          ///< subject = task row; object = core; old/new = TaskState
  WaitCount = 9,         ///< subject = task row; object = producer task row that was counted; old/new = units received
  PinClaim = 10,         ///< subject = producer task row; object = consumer task row; old/new = claimed consumer references
  PinRelease = 11,       ///< subject = producer task row; object = consumer task row; old/new = released consumer references
  ScopeRelease = 12,     ///< subject = task row; old/new = 0 / 1
  Release = 13,          ///< subject = task row: its own deferred release ran; old/new = 0 / 1
  Consume = 14,          ///< subject = task row; old/new = TaskState
  Watermark = 15,        ///< object = ring; old/new = watermark of the ring
  HeapAlloc = 16,        ///< subject = task row; object = ring; old/new = heap top in bytes
  HeapFree = 17,         ///< object = ring; old/new = heap tail in bytes
  TensorMapInsert = 18,  ///< subject = access row of the write; old/new = entries in use
  TensorMapRemove =
      19,  ///< subject = access row of the removed write; object = task row that removed it; old/new = entries in use
  TensorMapHit =
      20,     ///< subject = access row of the reader; object = access row of the write; new = overlap (1 other, 2 covered)
  Need = 21,  ///< subject = task row; old/new = readiness units needed
  Block = 22,
  Error = 23,
  RunEnd = 24,
};
inline constexpr std::uint8_t kEventKindCount = 25;
[[nodiscard]] std::string_view event_kind_name(
    EventKind kind);  ///< "scope-begin", "submit", … as in runtime.md 14 where it has the kind

enum class TaskState : std::uint8_t { Unborn = 0, Pending = 1, Ready = 2, Running = 3, Completed = 4, Consumed = 5 };
[[nodiscard]] std::string_view task_state_name(TaskState state);

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// Enough to apply the change and to undo it. 32 bytes.
struct Event {
  EventKind kind = EventKind::Config;
  std::uint8_t actor = 0;   ///< 0 = orchestrator, 1.. = scheduler thread
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
  std::uint64_t heap_begin = 0, heap_end = 0;  ///< bytes in the ring's heap; equal if none
  std::uint32_t path = kNoRow;                 ///< first entry of the iteration vector in `iterations`, by the recording
};

struct AccessRow {
  std::uint32_t task = kNoRow;
  std::uint8_t arg = 0;
  ArgKind kind = ArgKind::Input;
  std::uint32_t name = 0;  ///< root buffer's name
  TensorDescriptor tensor;
};

struct EdgeRow {
  std::uint32_t producer = kNoRow, consumer = kNoRow;  ///< task rows
  std::uint8_t flags = 0;                              ///< OR of all discoveries
  std::uint8_t flags_final = 0;                        ///< after reduction
  std::uint8_t provenance = 0;
  std::uint32_t via = kNoRow;  ///< task row that made WAIT redundant
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
