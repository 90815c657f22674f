// Cores and what runs on them: placing blocks, their end, and its observation (runtime.md 10.1 to 10.4).
#pragma once

#include <cstdint>

#include "completion.h"
#include "state.h"

namespace depscope::runtime {

class Dispatch {
 public:
  Dispatch(State& state, Completion& completion) : s_(state), completion_(completion) {}

  [[nodiscard]] std::uint32_t thread_of(std::uint32_t core) const { return cluster_of(core) % s_.topology.scheduler_threads; }
  [[nodiscard]] std::uint32_t cluster_of(std::uint32_t core) const {
    return core < s_.topology.clusters ? core : (core - s_.topology.clusters) / 2;
  }

  /// Retires up to `limit` tasks of the dummy queue that are there now; true if there was one.
  bool drain(std::uint32_t thread, std::size_t limit);
  /// One dispatch pass of a thread in the order of 10.2; true if it placed anything.
  bool pass(std::uint32_t thread);
  /// Polls the thread's own cores: acknowledgements and ends; true if there was news.
  bool poll(std::uint32_t thread);

  /// The block on the core that is being executed: the running one, or the pending one once the running one has ended.
  [[nodiscard]] const CoreBlock* executing(std::uint32_t core) const;
  /// Guard and step of each action on a core.
  [[nodiscard]] bool can_acknowledge(std::uint32_t core) const;
  void acknowledge(std::uint32_t core);
  [[nodiscard]] bool can_finish(std::uint32_t core) const;
  void finish(std::uint32_t core);
  [[nodiscard]] bool can_observe(std::uint32_t core) const;
  void observe(std::uint32_t core, std::uint32_t thread);
  /// Pops the queue's first task and places one block, for MIX on the cluster of `core`; a sync-start task is placed whole.
  [[nodiscard]] bool can_place(QueueId queue, std::uint32_t core) const;
  void place_first(QueueId queue, std::uint32_t core, std::uint32_t thread);
  /// A sync-start task at the head of this queue has all its places at once.
  [[nodiscard]] bool sync_fits(QueueId queue) const;
  void place_sync(QueueId queue, std::uint32_t thread);
  [[nodiscard]] bool sync_waiting() const;

  /// Time moves to the next end of a block; all that end then end in the order in which they began. False if none ends ever.
  bool finish_next();

 private:
  enum class Place : std::uint8_t { None, Running, Pending };

  /// Where on `core` (MIX: its cluster) a block of these lanes could go.
  [[nodiscard]] Place place_for(std::uint32_t lanes, std::uint32_t core) const;
  [[nodiscard]] std::uint32_t cores_of(std::uint32_t lanes, std::uint32_t core, std::array<std::uint32_t, 3>& out) const;
  [[nodiscard]] std::uint32_t first_core(QueueId queue, std::uint32_t cluster, std::uint32_t lanes) const;
  /// First place of a thread for a block, lowest core first; none if it has none.
  [[nodiscard]] std::uint32_t find_core(std::uint32_t thread, const Task& task, Place wanted) const;
  [[nodiscard]] std::uint32_t count_cores(std::uint32_t thread, const Task& task, Place wanted) const;
  [[nodiscard]] bool any_idle(const Task& task) const;
  bool fill(QueueId queue, std::uint32_t thread, Place wanted);
  void place_block(std::uint32_t task, std::uint32_t block, std::uint32_t core, std::uint8_t actor);
  void start(std::uint32_t core, CoreBlock& block);
  void end_of(std::uint32_t core, std::uint16_t place, std::uint32_t thread);

  State& s_;
  Completion& completion_;
  std::vector<std::uint32_t> ending_;  // scratch of finish_next
};

}  // namespace depscope::runtime
