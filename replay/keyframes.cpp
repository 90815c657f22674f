#include "keyframes.h"

#include <algorithm>
#include <cstring>

namespace depscope::replay {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{16} << 10U;

/// Calls f(pointer, bytes) for the raw memory of every column that grows with the recording, in a fixed order.
template <class StateT, class F>
void for_each_block(StateT& r, F&& f) {
  const auto block = [&](auto& values) { f(values.data(), values.size() * sizeof(values[0])); };
  block(r.state.task_state);
  block(r.state.need);
  block(r.state.have);
  block(r.state.claimed);
  block(r.state.released);
  block(r.state.block_cursor);
  block(r.state.subtasks_done);
  block(r.state.scope_released);
  block(r.state.own_released);
  block(r.state.payload_phase);
  block(r.state.aborted);
  block(r.state.reclaimed);
  block(r.state.edge_flags);
  block(r.state.scope_state);
  block(r.edge_progress);
  block(r.tensormap.count);
  block(r.tensormap.in_block);
  block(r.scope_submitted);
  block(r.scope_live);
}

}  // namespace

std::uint64_t state_bytes(const ReplayState& state) {
  std::uint64_t out = sizeof(ReplayState);
  for_each_block(state, [&](const auto*, std::size_t size) { out += size; });
  return out;
}

std::uint64_t Keyframes::bytes() const {
  std::uint64_t out = bytes_;
  for (const Frame& frame : frames_) out += sizeof(Frame) + frame.chunks.capacity() * sizeof(frame.chunks[0]);
  return out;
}

void Keyframes::add(std::uint32_t position, const ReplayState& state) {
  Frame frame;
  frame.position = position;
  const Frame* before = frames_.empty() ? nullptr : &frames_.back();
  for_each_block(state, [&](const auto* data, std::size_t size) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
    for (std::size_t at = 0; at < size; at += kChunkBytes) {
      const std::size_t n = std::min(kChunkBytes, size - at);
      const std::size_t index = frame.chunks.size();
      if (before != nullptr && std::memcmp(before->chunks[index]->data(), bytes + at, n) == 0) {
        frame.chunks.push_back(before->chunks[index]);
      } else {
        frame.chunks.push_back(std::make_shared<const std::vector<std::uint8_t>>(bytes + at, bytes + at + n));
        bytes_ += n;
      }
    }
  });
  const State& s = state.state;
  frame.core_task = s.core_task;
  frame.core_pending = s.core_pending;
  frame.buffered_releases = s.buffered_releases;
  frame.open_scopes = s.open_scopes;
  frame.rings = s.rings;
  frame.queue_length = s.queue_length;
  frame.config = s.config;
  frame.tensormap_entries = s.tensormap_entries;
  frame.tasks_in_state = s.tasks_in_state;
  frame.heap_allocated = state.heap_allocated;
  frames_.push_back(std::move(frame));
}

std::size_t Keyframes::nearest(std::uint32_t position) const {
  const auto after = std::lower_bound(frames_.begin(), frames_.end(), position,
                                      [](const Frame& frame, std::uint32_t p) { return frame.position < p; });
  const auto index = static_cast<std::size_t>(after - frames_.begin());
  if (index == frames_.size()) return index - 1;
  if (index == 0) return 0;
  return frames_[index].position - position < position - frames_[index - 1].position ? index : index - 1;
}

void Keyframes::restore(std::size_t index, ReplayState& out) const {
  const Frame& frame = frames_[index];
  std::size_t chunk = 0;
  for_each_block(out, [&](auto* data, std::size_t size) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(data);
    for (std::size_t at = 0; at < size; at += kChunkBytes, ++chunk) {
      std::memcpy(bytes + at, frame.chunks[chunk]->data(), frame.chunks[chunk]->size());
    }
  });
  State& s = out.state;
  s.core_task = frame.core_task;
  s.core_pending = frame.core_pending;
  s.buffered_releases = frame.buffered_releases;
  s.open_scopes = frame.open_scopes;
  s.rings = frame.rings;
  s.queue_length = frame.queue_length;
  s.config = frame.config;
  s.tensormap_entries = frame.tensormap_entries;
  s.tasks_in_state = frame.tasks_in_state;
  out.heap_allocated = frame.heap_allocated;
}

}  // namespace depscope::replay
