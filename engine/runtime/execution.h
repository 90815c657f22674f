// State of all tasks and what changes it after discovery: wiring, completion, release, reclamation (runtime.md 3.4, 6), and
// the canonical schedule (10.5). Private to the model.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"
#include "fanin_builder.h"

namespace depscope::runtime {

/// Lane mask to shape (runtime.md 2.4).
enum class Shape : std::uint8_t { Aic, Aiv, Mix, Dummy };

/// What the execution needs to know of a task.
struct NewTask {
  std::uint32_t ring = 0;
  std::uint32_t local = 0;
  TaskKind kind = TaskKind::Kernel;
  std::array<std::int32_t, 3> kernel_ids{-1, -1, -1};
  std::uint32_t block_num = 1;
  bool sync_start = false;
  std::uint64_t heap_bytes = 0;  ///< a multiple of 1024
};

class Execution {
 public:
  Execution(const ModelOptions& options, RuntimeSink& sink);

  [[nodiscard]] std::uint32_t task_count() const { return static_cast<std::uint32_t>(state_.size()); }
  [[nodiscard]] std::uint64_t edge_count() const { return edge_producer_.size(); }
  [[nodiscard]] std::uint32_t next_local(std::uint32_t ring) const { return static_cast<std::uint32_t>(rings_[ring].next); }
  [[nodiscard]] std::uint64_t heap_top(std::uint32_t ring) const { return rings_[ring].heap_top; }

  /// Takes slot and heap (steps 5 to 7); the row is the number of tasks before. The caller writes the task row.
  std::uint32_t allocate(const NewTask& task);
  /// Consumed: its slot and bytes may be used again, no new reference is possible.
  [[nodiscard]] bool gone(std::uint32_t task) const { return state_[task] == TaskState::Consumed; }
  /// Counts one reference of `consumer` on `producer`.
  void claim(std::uint32_t producer, std::uint32_t consumer);
  /// Wires the newest task with its reduced edges and publishes it (3.4). Alloc tasks complete at once.
  void wire(std::uint32_t task, const std::vector<FaninEdge>& edges);
  /// The owning scope ended.
  void release_scope(std::uint32_t task);
  /// The orchestrator is done: runs everything to the end with the canonical schedule.
  void run();

  void emit(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t old_value, std::int64_t new_value,
            std::uint8_t actor = 0);
  void advance_time(std::uint64_t ticks = 1);
  [[nodiscard]] bool wants(EventKind kind) const { return (level_mask_ >> static_cast<std::uint32_t>(kind) & 1U) != 0; }

 private:
  struct Ring {
    std::int64_t next = 0;
    std::int64_t watermark = 0;
    std::uint64_t heap_top = 0, heap_tail = 0;
    std::vector<std::uint32_t> tasks;  // in submission order
    std::size_t reclaimed = 0;         // tasks passed by the watermark
  };
  struct Queue {
    std::vector<std::uint32_t> tasks;
    std::size_t head = 0;
    [[nodiscard]] bool empty() const { return head == tasks.size(); }
    [[nodiscard]] std::uint32_t front() const { return tasks[head]; }
    void push(std::uint32_t task) { tasks.push_back(task); }
    void pop() {
      if (++head == tasks.size()) {
        tasks.clear();
        head = 0;
      }
    }
  };
  /// A task some of whose blocks were placed in this round.
  struct Placed {
    std::uint32_t task = 0;
    std::uint32_t blocks = 0;
  };

  void set_state(EventKind kind, std::uint32_t task, std::uint32_t object, TaskState state, std::uint8_t actor);
  void make_ready(std::uint32_t task, std::uint8_t actor);
  void add_have(std::uint32_t task, std::uint32_t producer, std::uint8_t actor);
  void release_reference(std::uint32_t producer, std::uint32_t consumer, std::uint8_t actor);
  void consume_check(std::uint32_t task, std::uint8_t actor);
  void advance(std::uint32_t ring, std::uint8_t actor);
  void complete(std::uint32_t task, std::uint32_t core, std::uint8_t actor);
  void release_deferred();

  [[nodiscard]] bool drain_dummies();
  void dispatch();
  void place(Shape shape, bool only_started);
  void place_blocks(std::uint32_t task);
  bool place_block(std::uint32_t task);
  [[nodiscard]] std::uint32_t free_places(Shape shape) const;
  [[nodiscard]] bool cluster_fits(std::uint32_t cluster, std::uint32_t mask) const;
  void occupy(std::uint32_t core, std::uint32_t mask);
  void finish_round();
  [[nodiscard]] std::uint8_t actor_of(std::uint32_t core) const;

  RuntimeSink& sink_;
  Topology topology_;
  std::uint32_t level_mask_ = 0;
  std::uint32_t time_ = 0;

  // by task
  std::vector<TaskState> state_;
  std::vector<TaskKind> kind_;
  std::vector<Shape> shape_;
  std::vector<std::uint8_t> mask_;  // lanes: AIC 1, AIV0 2, AIV1 4
  std::vector<std::uint8_t> sync_start_, scope_released_;
  std::vector<std::uint8_t> ring_;
  std::vector<std::uint32_t> local_;
  std::vector<std::uint32_t> need_, have_, claimed_, released_;
  std::vector<std::uint32_t> blocks_left_;
  std::vector<std::uint32_t> fanout_head_;  // edge + 1
  std::vector<std::uint64_t> heap_end_;
  std::vector<std::uint64_t> edge_begin_{0};
  // by edge
  std::vector<std::uint32_t> edge_producer_, edge_consumer_, edge_next_;
  std::vector<std::uint8_t> edge_flags_;

  std::array<Ring, kRingCount> rings_;
  std::array<Queue, 4> ready_;  // by Shape
  Queue sync_;
  std::vector<std::uint32_t> deferred_;
  std::vector<std::uint32_t> core_;  // by task: its first core while running
  std::vector<std::uint8_t> busy_;   // by core
  std::vector<Placed> placed_;       // in dispatch order
};

}  // namespace depscope::runtime
