// From the finished fanin to a published task: payload, wiring, readiness (runtime.md 3.1 steps 15 to 18, 3.4).
#pragma once

#include <cstdint>

#include "completion.h"
#include "fanin_builder.h"
#include "reclaim.h"
#include "state.h"
#include "waiting.h"

namespace depscope::runtime {

class Wiring {
 public:
  Wiring(State& state, Waiting& waiting, Completion& completion, Reclaim& reclaim)
      : s_(state), waiting_(waiting), completion_(completion), reclaim_(reclaim) {}

  /// Step 15. `first_row` is the edges row of the builder's first edge.
  void flush(std::uint32_t task, const FaninBuilder& builder, std::uint32_t first_row);
  /// Step 16: writes the tensor descriptors; with the MaskBug layout it also loses what stands beside them.
  void init(std::uint32_t task);
  /// Step 18. False: a fatal error stands. Fills FaninEdge::at_wiring.
  bool wire(std::uint32_t task, FaninBuilder& builder);

 private:
  bool room_for_nodes(std::uint32_t task, std::uint32_t nodes);
  void link(std::uint32_t task, std::uint32_t producer);

  State& s_;
  Waiting& waiting_;
  Completion& completion_;
  Reclaim& reclaim_;
  std::vector<std::uint32_t> done_;  // producers found completed while linking
};

}  // namespace depscope::runtime
