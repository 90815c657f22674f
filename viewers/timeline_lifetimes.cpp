#include "depscope/viewers/timeline_lifetimes.h"

#include <algorithm>

#include "depscope/runtime/submission.h"
#include "depscope/viewers/colours.h"

namespace depscope::viewers {
namespace {

using replay::Holder;
using replay::HolderKind;
using replay::kNever;
using runtime::EventKind;

std::uint32_t ring_of(const recording::Recording& r, std::uint32_t task) {
  return runtime::ring_of(r.tasks.id[task]) % runtime::kRingCount;
}

/// Follows the allocations of one ring's heap from its tail to its top.
class HeapRun {
 public:
  /// `freed(task)` is called for every allocation that the tail has passed.
  template <class Freed>
  void move(std::uint64_t tail, std::uint64_t top, const recording::Recording& r, Freed&& freed) {
    tail_ = tail;
    top_ = top;
    while (first_ < tasks_.size() && !inside(r.tasks.heap_begin[tasks_[first_]], r.tasks.heap_end[tasks_[first_]]))
      freed(tasks_[first_++]);
  }
  void add(std::uint32_t task) { tasks_.push_back(task); }
  [[nodiscard]] std::uint64_t tail() const { return tail_; }
  [[nodiscard]] std::uint64_t top() const { return top_; }

 private:
  [[nodiscard]] bool inside(std::uint64_t begin, std::uint64_t end) const {
    if (tail_ == top_) return false;
    return tail_ < top_ ? begin >= tail_ && end <= top_ : begin >= tail_ || end <= top_;
  }
  std::vector<std::uint32_t> tasks_;  // as allocated
  std::size_t first_ = 0;
  std::uint64_t tail_ = 0, top_ = 0;
};

/// Finds edges rows by their pair. The events of one consumer name its edges mostly in order, so the search goes on from the
/// last.
class EdgeFinder {
 public:
  explicit EdgeFinder(const recording::Recording& r) : edges_(r.edges), begin_(r.tasks.rows() + std::size_t{1}, 0) {
    for (const std::uint32_t consumer : edges_.consumer) ++begin_[consumer + std::size_t{1}];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    next_.assign(begin_.begin(), begin_.end() - 1);
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t producer, std::uint32_t consumer) {
    const std::uint32_t first = begin_[consumer];
    const std::uint32_t last = begin_[consumer + std::size_t{1}];
    for (std::uint32_t looked = first; looked < last; ++looked) {
      std::uint32_t& edge = next_[consumer];
      if (edge >= last) edge = first;
      if (edges_.producer[edge++] == producer) return edge - 1;
    }
    return kNoRow;
  }

 private:
  const recording::EdgesTable& edges_;
  std::vector<std::uint32_t> begin_, next_;
};

}  // namespace

std::string_view life_segment_name(LifeSegment segment) {
  return colour::lifetime_legend()[static_cast<std::size_t>(segment)].name;
}

std::uint32_t Life::end_of(LifeSegment segment, std::uint32_t events) const {
  const std::size_t next = static_cast<std::size_t>(segment) + 1;
  return next < kLifeSegments ? std::min(begin[next], events) : events;
}

LifeSegment Life::at(std::uint32_t position) const {
  std::size_t segment = 0;
  while (segment + 1 < kLifeSegments && begin[segment + 1] < position) ++segment;
  return static_cast<LifeSegment>(segment);
}

Lifetimes::Lifetimes(const Document& document) : document_(&document) {
  const auto& r = document.recording();
  pins_ = document.moments().count[static_cast<std::size_t>(EventKind::PinClaim)] != 0;
  full_ = document.cursor().full();
  measured_ = document.cursor().measured();
  held_from_.assign(r.edges.rows(), kNever);
  held_to_.assign(r.edges.rows(), kNever);
  heap_from_.assign(r.tasks.rows(), kNever);
  heap_to_.assign(r.tasks.rows(), kNever);
  if (full_) {
    scope_released_.assign(r.tasks.rows(), kNever);
    slot_back_.assign(r.tasks.rows(), kNever);
  }
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) ring_tasks_[ring_of(r, task)].push_back(task);
  read_events();
  find_last_readers();
}

void Lifetimes::read_events() {
  const auto& r = document_->recording();
  const auto& events = r.events;
  EdgeFinder edges(r);
  std::vector<std::uint8_t> pins(pins_ ? r.edges.rows() : 0, 0);  // references that the consumer has
  std::array<HeapRun, runtime::kRingCount> heaps;
  for (std::uint32_t e = 0; e < events.rows(); ++e) {
    const std::uint32_t subject = events.subject[e];
    const std::uint32_t object = events.object[e];
    const auto freed = [&](std::uint32_t task) { heap_to_[task] = e; };
    switch (static_cast<EventKind>(events.kind[e])) {
      case EventKind::PinClaim:
      case EventKind::PinRelease: {
        const std::uint32_t edge = object == kNoRow ? kNoRow : edges.find(subject, object);
        if (edge == kNoRow) break;
        if (static_cast<EventKind>(events.kind[e]) == EventKind::PinClaim) {
          if (held_from_[edge] == kNever) held_from_[edge] = e;
          held_to_[edge] = kNever;
          ++pins[edge];
        } else if (pins_ && pins[edge] > 0 && --pins[edge] == 0) {
          held_to_[edge] = e;
        }
        break;
      }
      case EventKind::EdgeAdd:
      case EventKind::EdgeReduce:
      case EventKind::EdgeLost:
        if (pins_) break;
        if ((events.new_value[e] & runtime::kRetain) == 0) {
          if (held_from_[subject] != kNever) held_to_[subject] = std::min(held_to_[subject], e);
        } else if (held_from_[subject] == kNever) {
          held_from_[subject] = e;
          held_to_[subject] = document_->moments().released[r.edges.consumer[subject]];
        }
        break;
      case EventKind::ScopeRelease:
        if (full_) scope_released_[subject] = e;
        break;
      case EventKind::SlotReclaim:
        if (full_) slot_back_[subject] = e;
        break;
      case EventKind::HeapAlloc:
        heap_from_[subject] = e;
        heaps[object].add(subject);
        heaps[object].move(heaps[object].tail(), static_cast<std::uint64_t>(events.new_value[e]), r, freed);
        break;
      case EventKind::HeapFree:
        heaps[object].move(static_cast<std::uint64_t>(events.new_value[e]), heaps[object].top(), r, freed);
        break;
      default: break;
    }
  }
}

bool Lifetimes::retains(std::uint32_t edge) const {
  return (document_->recording().edges.flags_final[edge] & runtime::kRetain) != 0 && held_from_[edge] != kNever;
}

void Lifetimes::find_last_readers() {
  const auto& edges = document_->recording().edges;
  last_reader_.assign(document_->recording().tasks.rows(), 0);
  for (std::uint32_t edge = 0; edge < edges.rows(); ++edge) {
    if (!retains(edge)) continue;
    std::uint32_t& last = last_reader_[edges.producer[edge]];
    last = std::max(last, held_to_[edge]);  // kNever is the largest
  }
}

Life Lifetimes::slot(std::uint32_t task) const {
  const auto& moments = document_->moments();
  Life life;
  // Of a measured run nothing is known behind the completion.
  life.begin = {moments.submitted[task], moments.completed[task], kNever, moments.consumed[task],
                measured_ ? moments.completed[task] : given_back(task)};
  if (!life.born()) return {};
  auto& [submitted, completed, last_reader, consumed, reused] = life.begin;
  // What lacks the event, or has its events in another order, has no segment of that name.
  consumed = std::min(consumed, reused);
  completed = std::max(submitted, std::min(completed, consumed));
  last_reader = completed == kNever ? kNever : std::min(std::max(completed, last_reader_[task]), consumed);
  consumed = std::max(consumed, last_reader);
  reused = std::max(reused, consumed);
  return life;
}

Life Lifetimes::buffer(std::uint32_t task) const {
  Life life = slot(task);
  if (life.born() && heap_from_[task] != kNever) {
    std::uint32_t& reused = life.begin[kLifeSegments - 1];
    reused = std::max(reused, heap_to_[task]);
  }
  return life;
}

bool Lifetimes::has_buffer(std::uint32_t task) const {
  const auto& tasks = document_->recording().tasks;
  return tasks.heap_begin[task] < tasks.heap_end[task];
}

std::uint32_t Lifetimes::given_back(std::uint32_t task) const {
  return full_ ? slot_back_[task] : document_->moments().reclaimed[task];
}

std::uint32_t Lifetimes::scope_release(std::uint32_t task) const {
  if (full_) return scope_released_[task];
  const std::uint32_t scope = document_->recording().tasks.scope[task];
  return scope == kNoRow ? 0 : document_->moments().scope_end[scope];
}

/// The oldest task of the ring whose slot the watermark has not passed, none while it is on its way to it.
std::uint32_t Lifetimes::head_at(std::uint32_t ring, std::uint32_t position) const {
  const auto& moments = document_->moments();
  const auto& list = ring_tasks_[ring];
  const auto head =
      std::partition_point(list.begin(), list.end(), [&](std::uint32_t t) { return moments.reclaimed[t] < position; });
  if (head == list.end() || moments.submitted[*head] >= position || moments.consumed[*head] < position) return kNoRow;
  return *head;
}

std::vector<Holder> Lifetimes::holders(std::uint32_t task, std::uint32_t position) const {
  const auto& r = document_->recording();
  const auto& moments = document_->moments();
  std::vector<Holder> out;
  if (moments.submitted[task] >= position) return out;
  if (moments.consumed[task] >= position) {
    if (moments.completed[task] >= position) out.push_back({.kind = HolderKind::Unfinished});
    if (measured_) return out;
    const std::uint32_t scope = r.tasks.scope[task];
    const bool open = full_ || (scope != kNoRow && moments.scope_begin[scope] < position);
    if (open && scope_release(task) >= position) out.push_back({.kind = HolderKind::Scope, .scope = scope});
    for (const std::uint32_t edge : document_->edges_of_producer().of(task)) {
      if (held_from_[edge] < position && held_to_[edge] >= position)
        out.push_back({.kind = HolderKind::Consumer, .edge = edge, .task = r.edges.consumer[edge]});
    }
    return out;
  }
  if (given_back(task) >= position) {
    const std::uint32_t head = head_at(ring_of(r, task), position);
    out.push_back({.kind = HolderKind::OlderTask, .task = replay::older_task(r, head, task)});
  } else if (heap_from_[task] < position && heap_to_[task] >= position) {
    out.push_back({.kind = HolderKind::HeapTail});
  }
  return out;
}

}  // namespace depscope::viewers
