// References on producers, consumption, watermarks and their publication (runtime.md 6.3, 6.4, 9.2).
#pragma once

#include <cstdint>

#include "state.h"

namespace depscope::runtime {

class Reclaim {
 public:
  explicit Reclaim(State& state) : s_(state) {}

  /// Gives back the reference that the edge holds; may consume the producer.
  void release_edge(std::uint64_t edge, ReleaseCause cause, std::uint8_t actor);
  void release_scope(std::uint32_t task);
  /// Consumed if completed, all references back and the scope ended.
  void consume_check(std::uint32_t task, std::uint8_t actor);

  /// One step of the advance whose lock the actor holds; false once it is done and the lock is free.
  bool advance_step(std::uint32_t ring, std::uint8_t actor);
  /// Guards: the pending bit (the request) is set and the lock is free.
  void retry_advance(std::uint32_t ring, std::uint32_t thread);
  void serve(std::uint32_t ring, std::uint32_t thread);
  /// The orchestrator asks for an exact publication (a5).
  void request(std::uint32_t ring);

 private:
  void try_advance(std::uint32_t ring, std::uint8_t actor);
  void begin_advance(std::uint32_t ring, std::uint8_t actor);
  void publish(Ring& ring, std::uint32_t index, std::uint8_t actor);

  State& s_;
};

}  // namespace depscope::runtime
