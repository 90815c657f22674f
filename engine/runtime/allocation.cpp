#include "allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "depscope/base/diagnostics.h"
#include "depscope/runtime/model.h"

namespace depscope::runtime {
namespace {

const std::vector<std::uint32_t> kNoIteration;

/// Bytes of a buffer, rounded up to the alignment of outputs.
std::uint64_t padded_bytes(const TensorDescriptor& tensor) {
  if (tensor.rank == 0) return 0;  // traces: nothing is known
  std::uint64_t bytes = element_size(tensor.dtype);
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    if (__builtin_mul_overflow(bytes, tensor.shape[i], &bytes) || bytes > kMaxOutputBytes) return kMaxOutputBytes + 1;
  }
  return (bytes + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
}

}  // namespace

std::uint8_t lanes_of(const Submission& s) {
  if (s.kind != TaskKind::Kernel) return 0;
  std::uint8_t lanes = 0;
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    if (s.kernel_ids[lane] >= 0) lanes = static_cast<std::uint8_t>(lanes | 1U << lane);
  }
  return lanes == kAiv1Lane ? std::uint8_t{kAiv0Lane} : lanes;  // a lone AIV1 kernel runs as AIV0
}

Shape shape_of(std::uint8_t lanes) {
  switch (lanes) {
    case 0: return Shape::Dummy;
    case kAicLane: return Shape::Aic;
    case kAiv0Lane: return Shape::Aiv;
    default: return Shape::Mix;
  }
}

std::uint64_t Allocation::lay_out(const Submission& s, TaskId id, std::uint64_t base) {
  outputs_.clear();
  std::uint64_t total = 0;
  for (const Argument& a : s.args) {
    if (a.kind != ArgKind::Output) continue;
    TensorDescriptor& out = outputs_.emplace_back(a.tensor);
    const std::uint64_t bytes = padded_bytes(out);
    if (bytes > kMaxOutputBytes || total + bytes > kMaxOutputBytes) {
      Diagnostic d;
      d.message = fmt::format("the outputs of one task are larger than the limit of {} bytes", kMaxOutputBytes);
      throw InputError(std::move(d));
    }
    out.owner = id;
    out.version = 0;
    out.start_offset = 0;
    if (out.rank == 0) continue;
    out.address = base + total;
    out.buffer_elements = element_size(out.dtype) == 0 ? 0 : bytes / element_size(out.dtype);
    std::uint64_t stride = 1;
    for (std::uint32_t i = out.rank; i-- > 0;) {
      out.strides[i] = stride;
      stride *= std::max<std::uint64_t>(out.shape[i], 1);
    }
    total += bytes;
  }
  return total;
}

/// The heap's tail follows the published watermark when somebody looks (runtime.md 6.5).
void Allocation::look_at_heap(Ring& ring, std::uint32_t index) {
  if (ring.heap_seen == ring.published_count) return;
  ring.heap_seen = ring.published_count;
  if (ring.heap.guard != kNoGuard) {
    if (ring.published <= ring.heap.guard) return;
    s_.change(EventKind::HeapGuard, kNoRow, index, ring.heap.guard, kNoGuard);
  }
  const bool ahead = s_.mutated(Mutation::TailAheadOfWatermark);
  const std::uint64_t tail = s_.tasks[ahead ? ring.tasks.back() : ring.tasks[ring.published_count - 1]].heap_end;
  if (tail != ring.heap.tail) s_.change(EventKind::HeapFree, kNoRow, index, ring.heap.tail, tail);
}

bool Allocation::slot_free(const Ring& ring, std::uint32_t index, TaskId id, bool forced) const {
  const std::uint64_t most = ring.limits.task_window - (s_.mutated(Mutation::WindowFilled) ? 0 : 1);
  if (ring.tasks.size() - ring.published_count >= most) return false;
  if (!forced) return true;
  const std::uint32_t owner = s_.row_in_slot(index, s_.slot_of(index, local_of(id)));
  return owner == kNoRow || s_.tasks[owner].reclaimed;
}

// Window first, then heap.
bool Allocation::wait(std::uint32_t index, TaskId id, bool forced, std::uint64_t bytes) {
  Ring& ring = s_.rings[index];
  Wanted wanted{.resource = Resource::TaskWindow, .ring = index, .requested = 1, .capacity = ring.limits.task_window};
  for (;;) {
    const bool slot = waiting_.wait(
        wanted, [&] { return slot_free(ring, index, id, forced); },
        [&] { return std::uint64_t{ring.tasks.size() - ring.published_count}; });
    if (!slot) return false;
    const Wanted memory{.resource = Resource::Heap, .ring = index, .requested = bytes, .capacity = ring.heap.size};
    const bool heap = waiting_.wait(
        memory,
        [&] {
          look_at_heap(ring, index);
          return ring.heap.place(bytes).has_value();
        },
        [&] { return ring.heap.used(); });
    if (!heap) return false;
    if (slot_free(ring, index, id, forced)) return true;
  }
}

/// Bytes that a task still uses although their owner was consumed: the first one that is handed out again.
void Allocation::tell_reused_bytes(Ring& ring, std::uint32_t index, std::uint32_t task) {
  const Task& t = s_.tasks[task];
  const auto overlaps = [&](std::uint32_t owner) { return s_.tasks[owner].heap_end > t.heap_begin; };
  auto at = ring.orphans.lower_bound(t.heap_begin);
  if (at != ring.orphans.begin() && overlaps(std::prev(at)->second)) --at;
  while (at != ring.orphans.end() && at->first < t.heap_end) {
    const std::uint32_t owner = at->second;
    const Task& o = s_.tasks[owner];
    if (o.users != 0) {
      RunFinding f;
      f.kind = RunFindingKind::BytesReused;
      f.task = owner;
      f.other = o.last_user;
      f.head = task;
      f.ring = index;
      f.offset = std::max(o.heap_begin, t.heap_begin);
      s_.finding(f);
    }
    at = ring.orphans.erase(at);  // told once
  }
}

Task Allocation::new_task(const TaskRow& row, const Submission* s) const {
  Task t;
  t.id = row.id;
  t.slot = row.slot;
  t.block_num = row.block_num;
  t.kind = row.kind;
  t.ring = static_cast<std::uint8_t>(ring_of(row.id) % kRingCount);
  t.heap_begin = row.heap_begin;
  t.heap_end = row.heap_end;
  t.sync_start = row.sync_start;
  t.recorded = s != nullptr;
  if (s != nullptr) {
    t.lanes = lanes_of(*s);
    t.duration = s->duration;
    t.predicate_false = s->predicate_false;
  }
  t.shape = shape_of(t.lanes);
  t.subtasks_required = std::uint64_t{t.block_num} * static_cast<unsigned>(std::popcount(t.lanes));
  t.previous_in_slot = s_.row_in_slot(t.ring, row.slot);
  if (t.previous_in_slot != kNoRow) {
    const Task& before = s_.tasks[t.previous_in_slot];
    t.descriptor_before = s_.descriptor_local(before);
    t.dep_mark = before.dep_mark;
  }
  return t;
}

std::uint32_t Allocation::take(const TaskRow& given, const Submission* s, std::uint64_t bytes) {
  TaskRow row = given;
  const std::uint32_t index = ring_of(row.id) % kRingCount;
  Ring& ring = s_.rings[index];
  const auto task = static_cast<std::uint32_t>(s_.tasks.size());
  row.slot = s_.slot_of(index, local_of(row.id));
  const HeapRing::Taken memory = *ring.heap.place(bytes);
  row.heap_begin = memory.begin;
  row.heap_end = memory.end;
  const Task t = new_task(row, s);
  s_.sink.task(row, s != nullptr ? s->iteration : kNoIteration);
  // Row first: events may only name rows that are there.
  s_.tasks.push_back(t);
  ring.tasks.push_back(task);
  if (s != nullptr) s_.slots.set(make_task_id(index, row.slot), task);  // stand-ins leave the slot to the real task
  const auto listed_before = static_cast<std::int64_t>(s_.scope_tasks.size());
  const bool listed = s == nullptr || !s_.scope_list_full(s->forced_id != kInvalidTask);
  if (listed && (!s_.mutated(Mutation::NotInScopeList) || task % 2 == 0)) s_.scope_tasks.push_back(task);
  s_.submitting = task;
  // Ids of a trace need not be in order; the next index never moves back.
  s_.change(EventKind::Submit, task, index, ring.next, std::max<std::int64_t>(ring.next, std::int64_t{local_of(row.id)} + 1));
  if (memory.rebase) {
    s_.change(EventKind::HeapGuard, kNoRow, index, ring.heap.guard, std::int64_t{local_of(row.id)});
    s_.change(EventKind::HeapFree, kNoRow, index, ring.heap.tail, std::uint64_t{0});
  }
  if (bytes != 0) {
    ring.bytes_allocated += bytes;
    s_.change(EventKind::HeapAlloc, task, index, ring.heap.top, memory.end);
    tell_reused_bytes(ring, index, task);
  }
  const TaskId place = make_task_id(index, row.slot);
  const std::uint32_t known = generations_.find(place);
  const std::uint32_t generation = known == kNoRow ? 0 : known;
  generations_.set_value(place, generation + 1, s_.tasks.size());
  s_.emit(EventKind::SlotReset, task, row.slot, generation, std::int64_t{generation} + 1);
  reduction_.begin(task);
  s_.change(EventKind::SeqAssign, task, kNoRow, s_.submission_counter, s_.submission_counter + 1);
  s_.emit(EventKind::Bind, task, row.slot, listed_before, static_cast<std::int64_t>(s_.scope_tasks.size()));
  return task;
}

}  // namespace depscope::runtime
