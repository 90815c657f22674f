// Completion of a task, the walk over its consumers, and its deferred release (runtime.md 6.1, 6.2); ready routing (3.5).
#pragma once

#include <cstdint>

#include "reclaim.h"
#include "state.h"

namespace depscope::runtime {

class Completion {
 public:
  Completion(State& state, Reclaim& reclaim) : s_(state), reclaim_(reclaim) {}

  /// One more readiness unit; `producer` is none for the unit of the submit itself.
  void add_have(std::uint32_t task, std::uint32_t producer, std::uint8_t actor);
  /// Through the once-only claim: does nothing the second time.
  void claim_ready(std::uint32_t task, std::uint8_t actor);
  /// Into the queue of its shape.
  void route_ready(std::uint32_t task, std::uint8_t actor);
  void push(QueueId queue, std::uint32_t task, std::uint8_t actor);
  std::uint32_t pop(QueueId queue, std::uint8_t actor);

  /// By a scheduler thread. With fine granularity the walk stays begun.
  void complete(std::uint32_t task, std::uint32_t core, std::uint32_t thread);
  /// Allocation tasks, by the orchestrator: no walk, no release of its own.
  void complete_inline(std::uint32_t task);
  /// Takes the last entry of the thread's buffer. With fine granularity the release stays begun.
  void release(std::uint32_t thread);
  /// One step of what the thread has begun.
  void go_on(std::uint32_t thread);

 private:
  void tell_overflow(Queue& queue, QueueId id, std::uint32_t task);
  void complete_state(std::uint32_t task, std::uint32_t core, std::uint8_t actor);
  void walk_step(std::uint32_t thread);
  void defer(std::uint32_t task, std::uint32_t thread);
  void release_step(std::uint32_t thread);
  void run_to_end(std::uint32_t thread);

  State& s_;
  Reclaim& reclaim_;
};

[[nodiscard]] QueueId queue_of(const Task& task);

}  // namespace depscope::runtime
