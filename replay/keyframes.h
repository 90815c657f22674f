// Saved states at regular positions. A state is cut into chunks; a chunk that did not change since the keyframe before is
// shared with it. Tasks live for a short part of a run, so that all keyframes together take a small multiple of one state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cursor_state.h"

namespace depscope::replay {

/// Memory of the columns of one state.
[[nodiscard]] std::uint64_t state_bytes(const ReplayState& state);

class Keyframes {
 public:
  /// Saves the state at `position`, which must grow from call to call.
  void add(std::uint32_t position, const ReplayState& state);
  /// Index of the keyframe nearest to `position` on either side. There must be one.
  [[nodiscard]] std::size_t nearest(std::uint32_t position) const;
  [[nodiscard]] std::uint32_t position(std::size_t frame) const { return frames_[frame].position; }
  void restore(std::size_t frame, ReplayState& out) const;
  [[nodiscard]] std::uint64_t bytes() const;  ///< memory of all distinct chunks and of what names them

 private:
  struct Frame {
    std::uint32_t position = 0;
    std::vector<std::shared_ptr<const std::vector<std::uint8_t>>> chunks;
    std::vector<std::uint32_t> core_task, core_pending, open_scopes;
    std::vector<std::int64_t> buffered_releases;
    decltype(State::rings) rings;
    decltype(State::queue_length) queue_length{};
    decltype(State::config) config{};
    std::int64_t tensormap_entries = 0;
    std::array<std::uint32_t, 6> tasks_in_state{};
    std::array<std::uint32_t, runtime::kRingCount> heap_allocated{};
  };
  std::vector<Frame> frames_;
  std::uint64_t bytes_ = 0;
};

}  // namespace depscope::replay
