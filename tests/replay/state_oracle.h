// The state of the model by a plain replay from the first event, in maps and sets: what the cursor's answers are compared with.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/state_queries.h"

namespace depscope::replay {

class StateOracle {
 public:
  explicit StateOracle(const recording::Recording& recording);
  void apply(std::uint32_t event);
  /// The first answer of the cursor, which must be at the same position, that differs; empty if none does.
  [[nodiscard]] std::string difference(const Cursor& cursor) const;

 private:
  [[nodiscard]] std::uint32_t ring_of(std::uint32_t task) const;
  [[nodiscard]] std::vector<Holder> holders(std::uint32_t task) const;
  [[nodiscard]] std::vector<HeapBlock> heap(std::uint32_t ring) const;
  [[nodiscard]] bool given_back(std::uint32_t task) const;
  [[nodiscard]] std::string difference_of_slots(const Cursor& cursor) const;

  const recording::Recording& r_;
  bool full_ = false, pins_ = false;
  std::vector<runtime::TaskState> state_;
  std::vector<bool> scope_released_, own_released_, reclaimed_;
  std::vector<std::uint8_t> flags_;                                  // per edge
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> pinned_;    // producer, consumer
  std::vector<std::uint32_t> open_;                                  // scopes
  std::array<std::deque<std::uint32_t>, runtime::kRingCount> heap_;  // allocations that the tail has not passed
  std::array<std::deque<std::uint32_t>, runtime::kRingCount> ring_;  // tasks that the watermark has not passed
  std::set<std::uint32_t> map_;                                      // accesses
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> cores_;
};

}  // namespace depscope::replay
