// Invariants of rings: watermarks, heap, pools, publication (I1, I14 to I19, I34 to I36).
#include <fmt/format.h>

#include <algorithm>

#include "invariants.h"

namespace depscope::runtime {
namespace {

constexpr std::int64_t kMostUnpublished = 15;  // a5

bool has_bytes(const Task& task) { return task.heap_begin < task.heap_end; }

}  // namespace

void InvariantWatch::check_error(EventKind kind) {
  if (kind == EventKind::Error) {
    if (error_ != 0) report(36, kNoRow, fmt::format("error {} is latched after error {}", s_.error, error_));
    error_ = s_.error;
    if (error_ == 0) report(36, kNoRow, "an error is told, but no code is latched");
  }
  if (s_.error != error_) {
    report(36, kNoRow, fmt::format("the error code is {}, but {} was latched", s_.error, error_));
    error_ = s_.error;
  }
  if (kind == EventKind::Submit && error_ != 0) {
    report(36, s_.submitting, fmt::format("task row {} is allocated after error {}", s_.submitting, error_));
  }
}

void InvariantWatch::ring_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  switch (kind) {
    case EventKind::HeapAlloc: allocated(subject); return;
    case EventKind::SlotReclaim: slot_reset(subject); return;
    case EventKind::SpillTake: spill_taken(subject); return;
    case EventKind::Consume: ++rings_[s_.tasks[subject].ring].trying; return;
    case EventKind::PayloadFlush: {
      const Task& t = s_.tasks[subject];
      if (t.edge_count <= kInlineEdges) return;
      SeenRing& seen = rings_[t.ring];
      const std::int64_t end = t.spill_start + t.edge_count - kInlineEdges;
      if (t.spill_start < seen.spill_end || t.spill_start != seen_[subject].spill_start || end > s_.rings[t.ring].spill.top) {
        report(19, subject,
               fmt::format("the spilled edges of task row {} are entries {} to {}; the task before ends at {} and the top is {}",
                           subject, t.spill_start, end, seen.spill_end, s_.rings[t.ring].spill.top),
               kNoRow, t.ring);
      }
      seen.spill_end = end;
      return;
    }
    default: break;
  }
  if (object >= kRingCount) return;
  const Ring& ring = s_.rings[object];
  SeenRing& seen = rings_[object];
  switch (kind) {
    case EventKind::Watermark: passed_by_watermark(object); break;
    case EventKind::AdvanceLock:
      if (ring.lock_owner != 0) seen.trying -= std::min(seen.trying, 1U);
      if (ring.lock_owner == 0 && ring.reset != ring.passed) {
        report(17, kNoRow,
               fmt::format("{} of {} slots behind the watermark of ring {} are reset", ring.reset, ring.passed, object), kNoRow,
               object);
      }
      break;
    case EventKind::AdvanceFail:
      seen.trying -= std::min(seen.trying, 1U);
      seen.failed = true;
      break;
    case EventKind::AdvanceRetry:
      seen.failed = false;
      ++seen.trying;
      break;
    case EventKind::Request:
      if (!s_.a5()) report(35, kNoRow, fmt::format("ring {} has a publication request on a2a3", object), kNoRow, object);
      if (!ring.request) {  // its service begins
        seen.requested = true;
        ++seen.trying;
      }
      break;
    case EventKind::Acknowledge:
      if (!ring.acknowledged) break;
      if (!seen.requested || ring.published_count != ring.passed) {
        report(35, kNoRow,
               fmt::format("ring {} acknowledges {} with {} of {} tasks published", object,
                           seen.requested ? "a request" : "without a request", ring.published_count, ring.passed),
               kNoRow, object);
      }
      seen.requested = false;
      break;
    case EventKind::HeapGuard:
      if (ring.heap.guard == kNoGuard) break;
      if (ring.heap.top != ring.heap.tail || s_.submitting == kNoRow ||
          ring.heap.guard != std::int64_t{local_of(s_.tasks[s_.submitting].id)}) {
        report(16, s_.submitting,
               fmt::format("the rebase guard of ring {} is set to {} while the heap is in use from {} to {}", object,
                           ring.heap.guard, ring.heap.tail, ring.heap.top),
               kNoRow, object);
      }
      break;
    case EventKind::DepReclaim:
      for (std::size_t i = ring.passed; i < ring.tasks.size(); ++i) {
        if (known(ring.tasks[i])) check_edges(ring.tasks[i]);
      }
      break;
    default: break;
  }
}

void InvariantWatch::passed_by_watermark(std::uint32_t index) {
  const Ring& ring = s_.rings[index];
  if (ring.passed == 0 || ring.passed > ring.tasks.size()) return;
  const std::uint32_t task = ring.tasks[ring.passed - 1];
  if (!known(task) || seen_[task].state == TaskState::Consumed) return;
  report(17, task,
         fmt::format("the watermark of ring {} passes task row {}, which is {}", index, task, task_state_name(seen_[task].state)),
         kNoRow, index);
}

void InvariantWatch::slot_reset(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  const Ring& ring = s_.rings[t.ring];
  const std::size_t position = seen_[task].position;
  if (position + 1 == ring.reset && position < ring.passed && seen_[task].state == TaskState::Consumed && t.reclaimed &&
      t.fanout_head == 0) {
    return;
  }
  report(17, task,
         fmt::format("slot {} of task row {} ({}) is reset as number {} of its ring; {} tasks are behind the watermark", t.slot,
                     task, task_state_name(seen_[task].state), ring.reset, ring.passed),
         kNoRow, t.ring);
}

void InvariantWatch::spill_taken(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  const Ring& ring = s_.rings[t.ring];
  SeenRing& seen = rings_[t.ring];
  ++seen.spills;
  if (seen_[task].spilled++ == 0) {
    seen_[task].spill_start = ring.spill.top - 1;
    seen.with_spill.push_back(task);
  }
}

// ---------------------------------------------------------------- heap

void InvariantWatch::allocated(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  if (!has_bytes(t)) return;
  SeenRing& seen = rings_[t.ring];
  seen.with_bytes.push_back(seen_[task].position);
  if (t.heap_end > s_.rings[t.ring].heap.size) {
    report(15, task,
           fmt::format("task row {} gets bytes {} to {} of a heap of {} bytes", task, t.heap_begin, t.heap_end,
                       s_.rings[t.ring].heap.size),
           kNoRow, t.ring);
  }
  auto it = seen.bytes.lower_bound(t.heap_begin);
  if (it != seen.bytes.begin() && s_.tasks[std::prev(it)->second].heap_end > t.heap_begin) --it;
  while (it != seen.bytes.end() && it->first < t.heap_end) {
    check_handed_out(task, it->second);
    it = seen.bytes.erase(it);
  }
  seen.bytes[t.heap_begin] = task;
}

void InvariantWatch::check_handed_out(std::uint32_t task, std::uint32_t owner) {
  const Task& t = s_.tasks[task];
  const Task& o = s_.tasks[owner];
  const Seen& seen = seen_[owner];
  const std::uint64_t begin = std::max(t.heap_begin, o.heap_begin);
  const std::uint64_t end = std::min(t.heap_end, o.heap_end);
  if (seen.position >= s_.rings[t.ring].reset) {
    report(15, task,
           fmt::format("task rows {} and {} share bytes {} to {} of the heap of ring {}", owner, task, begin, end, t.ring), owner,
           t.ring);
  }
  if (seen.state == TaskState::Consumed && seen.retaining == 0 && seen.users == 0) return;
  report(
      14, owner,
      fmt::format("bytes {} to {} of task row {} are handed to task row {} while it is {}, {} consumers retain it and {} tasks "
                  "that use its memory are not completed",
                  begin, end, owner, task, task_state_name(seen.state), seen.retaining, seen.users),
      task, t.ring);
}

void InvariantWatch::check_heap(std::uint32_t index, EventKind kind) {
  const Ring& ring = s_.rings[index];
  SeenRing& seen = rings_[index];
  while (seen.with_bytes_head < seen.with_bytes.size() && seen.with_bytes[seen.with_bytes_head] < ring.heap_seen) {
    ++seen.with_bytes_head;
  }
  const HeapRing& heap = ring.heap;
  if (heap.top > heap.size || heap.tail > heap.size) {
    report(15, kNoRow,
           fmt::format("the heap of ring {} has top {} and tail {} of {} bytes", index, heap.top, heap.tail, heap.size), kNoRow,
           index);
  }
  // A look tells the guard before the tail, a rebase the tail before the top.
  if (kind == EventKind::HeapGuard || (kind == EventKind::HeapFree && s_.submitting != kNoRow)) return;
  const bool live = seen.with_bytes_head < seen.with_bytes.size();
  if ((heap.top != heap.tail) != live) {
    report(16, kNoRow,
           fmt::format("the heap of ring {} is in use from {} to {}, but {} tasks have live bytes", index, heap.tail, heap.top,
                       seen.with_bytes.size() - seen.with_bytes_head),
           kNoRow, index);
  }
}

// ---------------------------------------------------------------- watermarks and pools

void InvariantWatch::check_ring(std::uint32_t index, EventKind kind) {
  const Ring& ring = s_.rings[index];
  const std::size_t count = ring.tasks.size();
  bool ordered = ring.published <= ring.watermark && ring.watermark <= ring.next && ring.published_count <= ring.passed &&
                 ring.passed <= count;
  // The next index moves with the Submit event.
  if (rings_[index].dense) {
    ordered = ordered && ring.next == static_cast<std::int64_t>(count) &&
              ring.watermark == static_cast<std::int64_t>(ring.passed) &&
              ring.published == static_cast<std::int64_t>(ring.published_count);
  }
  if (!ordered || count - ring.published_count >= ring.limits.task_window) {
    report(1, kNoRow,
           fmt::format("ring {} has {} tasks, next index {}, watermark {} and published watermark {} with a window of {} slots",
                       index, count, ring.next, ring.watermark, ring.published, ring.limits.task_window),
           kNoRow, index);
  }
  if (!s_.a5() && ring.lock_owner == 0 && (ring.published != ring.watermark || ring.published_count != ring.passed)) {
    report(1, kNoRow, fmt::format("ring {} has watermark {}, but {} is published", index, ring.watermark, ring.published), kNoRow,
           index);
  }
  check_publication(index, kind);
  check_heap(index, kind);
  check_pools(index);
}

void InvariantWatch::check_tried(EventKind kind, std::uint32_t subject, std::uint8_t actor) {
  std::uint32_t& consumed = consumed_[actor];
  if (consumed != kNoRow && kind != EventKind::AdvanceLock && kind != EventKind::AdvanceFail) {
    report(34, consumed, fmt::format("task row {} was consumed, but whoever did it did not try to advance its ring", consumed));
  }
  consumed = kind == EventKind::Consume ? subject : kNoRow;
}

void InvariantWatch::check_publication(std::uint32_t index, EventKind kind) {
  const Ring& ring = s_.rings[index];
  const SeenRing& seen = rings_[index];
  if (ring.advance_pending && !seen.failed) {
    report(34, kNoRow, fmt::format("ring {} has the advance-pending bit set, but no advance has failed", index), kNoRow, index);
  }
  const bool submitted = kind != EventKind::Submit;
  if (submitted && ring.lock_owner == 0 && !ring.advance_pending && seen.trying == 0 && ring.passed < ring.tasks.size()) {
    const std::uint32_t head = ring.tasks[ring.passed];
    if (s_.tasks[head].state == TaskState::Consumed) {
      report(34, head, fmt::format("task row {} at the watermark of ring {} is consumed and nobody will advance", head, index),
             kNoRow, index);
    }
  }
  if (s_.a5()) {
    // In local indices: a trace may have more or fewer rows than those.
    const std::int64_t behind = ring.watermark - ring.published;
    const bool drained = ring.passed == ring.tasks.size() && ring.published_count != ring.passed;
    if (ring.lock_owner == 0 && (behind > kMostUnpublished || drained)) {
      report(35, kNoRow, fmt::format("{} tasks behind the watermark of ring {} are not published", behind, index), kNoRow, index);
    }
  } else if (ring.request || ring.acknowledged) {
    report(35, kNoRow, fmt::format("ring {} has a request or acknowledge bit on a2a3", index), kNoRow, index);
  }
}

void InvariantWatch::check_pools(std::uint32_t index) {
  const Ring& ring = s_.rings[index];
  SeenRing& seen = rings_[index];
  const auto bad = [](const LinearPool& pool, std::int64_t taken) {
    return pool.tail > pool.top || pool.top - pool.tail > pool.capacity || pool.tail < 1 || pool.top != taken + 1;
  };
  if (bad(ring.dep, seen.nodes)) {
    report(18, kNoRow,
           fmt::format("the dep pool of ring {} with {} nodes has top {} and tail {}; {} nodes were taken", index,
                       ring.dep.capacity, ring.dep.top, ring.dep.tail, seen.nodes),
           kNoRow, index);
  }
  if (bad(ring.spill, seen.spills)) {
    report(19, kNoRow,
           fmt::format("the spill pool of ring {} with {} entries has top {} and tail {}; {} entries were taken", index,
                       ring.spill.capacity, ring.spill.top, ring.spill.tail, seen.spills),
           kNoRow, index);
  }
  while (seen.with_spill_head < seen.with_spill.size() && s_.tasks[seen.with_spill[seen.with_spill_head]].reclaimed) {
    ++seen.with_spill_head;
  }
  // Ranges follow each other, so that the oldest one stands for all.
  if (seen.with_spill_head == seen.with_spill.size()) return;
  const std::uint32_t oldest = seen.with_spill[seen.with_spill_head];
  if (seen_[oldest].spill_start < ring.spill.tail || s_.tasks[oldest].spill_start != seen_[oldest].spill_start) {
    report(19, oldest,
           fmt::format("the spilled edges of task row {} begin at entry {} (told as {}), but the tail of ring {} is {}", oldest,
                       s_.tasks[oldest].spill_start, seen_[oldest].spill_start, index, ring.spill.tail),
           kNoRow, index);
  }
}

}  // namespace depscope::runtime
