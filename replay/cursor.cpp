#include "depscope/replay/cursor.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>

#include "cursor_impl.h"
#include "depscope/replay/measured_run.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using runtime::TaskState;

constexpr std::uint32_t kMaxKeyframes = 64;
constexpr std::uint32_t kMinInterval = 4096;

class Digest {
 public:
  void word(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15ULL;
    hash_ ^= hash_ >> 29U;
  }
  template <class T>
  void values(const std::vector<T>& list) {
    word(list.size());
    constexpr std::size_t kTogether = 8 / sizeof(T);  // by arithmetic, not by memory, so that byte order plays no part
    using Word = std::make_unsigned_t<T>;
    std::size_t i = 0;
    while (i < list.size()) {
      std::uint64_t packed = 0;
      for (std::size_t k = 0; k < kTogether && i < list.size(); ++k, ++i) {
        packed |= static_cast<std::uint64_t>(static_cast<Word>(list[i])) << (8 * sizeof(T) * k);
      }
      word(packed);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace

std::uint64_t State::digest() const {
  Digest d;
  d.values(task_state);
  d.values(need);
  d.values(have);
  d.values(claimed);
  d.values(released);
  d.values(block_cursor);
  d.values(subtasks_done);
  d.values(scope_released);
  d.values(own_released);
  d.values(payload_phase);
  d.values(aborted);
  d.values(reclaimed);
  d.values(edge_flags);
  d.values(scope_state);
  d.values(core_task);
  d.values(core_pending);
  d.values(buffered_releases);
  for (const RingState& ring : rings) {
    RingState::fields(ring, [&](std::string_view, std::int64_t value) { d.word(static_cast<std::uint64_t>(value)); });
  }
  for (const std::int64_t length : queue_length) d.word(static_cast<std::uint64_t>(length));
  for (const std::int64_t value : config) d.word(static_cast<std::uint64_t>(value));
  d.word(static_cast<std::uint64_t>(tensormap_entries));
  d.values(open_scopes);
  for (const std::uint32_t count : tasks_in_state) d.word(count);
  return d.value();
}

KindTable kind_table(const EventKinds& kinds) {
  KindTable out{};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) out[kind] = kinds.test(kind);
  return out;
}

Cursor::Impl::Impl(const Recording& r) : recording(r), edges(r), now(initial_state(r)) {
  ring_in_order.fill(true);
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const std::uint32_t ring = runtime::ring_of(r.tasks.id[t]) % runtime::kRingCount;
    auto& list = ring_tasks[ring];
    if (!list.empty() && runtime::local_of(r.tasks.id[list.back()]) >= runtime::local_of(r.tasks.id[t]))
      ring_in_order[ring] = false;
    list.push_back(t);
  }
}

void Cursor::Impl::build(std::uint32_t interval) {
  if (interval == 0) interval = std::max(kMinInterval, size() / kMaxKeyframes + 1);
  EventKinds seen;
  keyframes.add(0, now);
  for (std::uint32_t i = 0; i < size(); ++i) {
    apply_event(recording, edges, i, /*check=*/true, now);
    const std::uint8_t kind = recording.events.kind[i];
    seen.set(kind);
    if (kind == static_cast<std::uint8_t>(runtime::EventKind::HeapAlloc))
      heap_tasks[recording.events.object[i]].push_back(recording.events.subject[i]);
    if ((i + 1) % interval == 0) keyframes.add(i + 1, now);
  }
  full = recording.tasks.rows() == 0;  // nothing that a summary would leave out
  has_pins = seen.test(static_cast<std::size_t>(runtime::EventKind::PinClaim));
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind)
    full = full || (seen.test(kind) && !told_by_summary(static_cast<runtime::EventKind>(kind)));
  measured = has_measured_events(recording);
  full = full && !measured;
  keyframes.restore(0, now);
}

void Cursor::Impl::seek(std::uint32_t target) {
  target = std::min(target, size());
  const auto distance = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
  const std::size_t frame = keyframes.nearest(target);
  // Restoring copies the whole state, which costs about as much as this many steps.
  const std::uint64_t restore_cost = (now.state.task_state.size() + now.edge_progress.size()) / 16;
  if (distance(keyframes.position(frame), target) + restore_cost < distance(position, target)) {
    keyframes.restore(frame, now);
    position = keyframes.position(frame);
  }
  while (position < target) forward();
  while (position > target) backward();
}

std::uint64_t Cursor::Impl::bytes() const {
  const auto of = [](const auto& list) { return std::uint64_t{list.capacity()} * sizeof(list[0]); };
  std::uint64_t out = keyframes.bytes() + state_bytes(now) + of(edges.fanin_begin()) + of(edges.fanout_begin()) +
                      of(edges.fanout()) + of(task_event_begin) + of(task_events) + of(slot_tasks);
  for (const auto& list : heap_tasks) out += of(list);
  for (const auto& list : ring_tasks) out += of(list);
  return out;
}

Cursor::Cursor(const Recording& recording, std::uint32_t keyframe_interval) : impl_(std::make_unique<Impl>(recording)) {
  impl_->build(keyframe_interval);
}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;

const State& Cursor::state() const { return impl_->now.state; }
std::uint32_t Cursor::position() const { return impl_->position; }
std::uint32_t Cursor::size() const { return impl_->size(); }
const Recording& Cursor::recording() const { return impl_->recording; }
bool Cursor::full() const { return impl_->full; }
bool Cursor::measured() const { return impl_->measured; }
std::uint64_t Cursor::bytes() const { return impl_->bytes(); }

bool Cursor::step() {
  if (impl_->position == impl_->size()) return false;
  impl_->forward();
  return true;
}

bool Cursor::back() {
  if (impl_->position == 0) return false;
  impl_->backward();
  return true;
}

void Cursor::seek(std::uint32_t position) { impl_->seek(position); }

std::vector<std::uint32_t> Cursor::fanin(std::uint32_t task) const {
  std::vector<std::uint32_t> out;
  const auto& begin = impl_->edges.fanin_begin();
  for (std::uint32_t e = begin[task]; e < begin[task + std::size_t{1}]; ++e) out.push_back(e);
  return out;
}

std::vector<std::uint32_t> Cursor::fanout(std::uint32_t task) const {
  const auto& begin = impl_->edges.fanout_begin();
  const auto& list = impl_->edges.fanout();
  return {list.begin() + begin[task], list.begin() + begin[task + std::size_t{1}]};
}

std::vector<std::uint32_t> Cursor::waiting_for(std::uint32_t task) const {
  const State& s = impl_->now.state;
  std::vector<std::uint32_t> out;
  if (s.task_state[task] != static_cast<std::uint8_t>(TaskState::Pending)) return out;
  for (const std::uint32_t e : fanin(task)) {
    if ((s.edge_flags[e] & runtime::kWait) == 0) continue;
    const bool counted = (impl_->now.edge_progress[e] & (3 * kWaitCounted)) != 0;
    const auto producer = static_cast<TaskState>(s.task_state[impl_->recording.edges.producer[e]]);
    // A producer that had completed before the wiring is not waited for, whenever its unit is counted; one that is linked has
    // still to reach this consumer in its walk.
    const bool walking = (impl_->now.edge_progress[e] & (3 * kLinked)) != 0;
    if (!counted && (producer < TaskState::Completed || walking)) out.push_back(e);
  }
  return out;
}

std::vector<std::uint32_t> Cursor::kept_alive_by(std::uint32_t task) const {
  const State& s = impl_->now.state;
  std::vector<std::uint32_t> out;
  if (impl_->measured) return out;
  const auto unborn_or_gone = [](std::uint8_t state) {
    return state == static_cast<std::uint8_t>(TaskState::Unborn) || state == static_cast<std::uint8_t>(TaskState::Consumed);
  };
  if (unborn_or_gone(s.task_state[task])) return out;
  for (const std::uint32_t e : fanout(task)) {
    if (impl_->has_pins) {
      const std::uint8_t progress = impl_->now.edge_progress[e];
      const std::uint32_t claimed = progress & 3U;
      const std::uint32_t released = (progress / kPinReleased) & 3U;
      if (claimed > released) out.push_back(e);
    } else if ((s.edge_flags[e] & runtime::kRetain) != 0 && s.own_released[impl_->recording.edges.consumer[e]] == 0) {
      out.push_back(e);
    }
  }
  return out;
}

}  // namespace depscope::replay
