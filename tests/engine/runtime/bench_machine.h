// The parts of the model put together so that a test can reach into the state, which Model hides.
#pragma once

#include <algorithm>
#include <bit>

#include "completion.h"
#include "discovery.h"
#include "dispatch.h"
#include "invariants.h"
#include "random_program.h"
#include "reclaim.h"
#include "reduction.h"
#include "scheduler.h"
#include "state.h"
#include "waiting.h"
#include "wiring.h"

namespace depscope::runtime {

/// Takes one scope after another and kernel tasks of one AIV block (or allocations), in rings that have room.
struct BenchMachine {
  explicit BenchMachine(const ModelOptions& options = {.reduction = {.kind = ReductionKind::Bitmap, .window = 64}})
      : state(options, sink), reduction(options.reduction), watch(state, discovery, reduction) {
    state.watch = &watch;
  }

  void begin_scope(bool manual = false) {
    const auto depth = static_cast<std::uint32_t>(state.scopes.size());
    state.scopes.push_back({.row = scope_rows++,
                            .ring = std::min(depth, kRingCount - 1),
                            .depth = depth,
                            .first_task = state.scope_tasks.size(),
                            .manual = manual,
                            .forced = {}});
    if (manual && !state.in_manual()) state.manual_depth = depth;
    state.emit(EventKind::ScopeBegin, state.scopes.back().row, kNoRow, 0, depth);
  }

  void end_scope() {
    const ScopeState scope = state.scopes.back();
    state.scopes.pop_back();
    if (state.manual_depth == scope.depth) state.manual_depth = kNotManual;
    state.ending_from = scope.first_task;
    state.emit(EventKind::ScopeEnd, scope.row, kNoRow, scope.depth, 0);
    for (std::size_t i = scope.first_task; i < state.scope_tasks.size(); ++i) reclaim.release_scope(state.scope_tasks[i]);
    state.scope_tasks.resize(scope.first_task);
    state.ending_from = kNothingEnds;
  }

  std::uint32_t take(TaskKind kind, std::uint64_t bytes) {
    const std::uint32_t index = state.scopes.back().ring;
    Ring& ring = state.rings[index];
    const auto row = static_cast<std::uint32_t>(state.tasks.size());
    const HeapRing::Taken memory = *ring.heap.place(bytes);
    Task t;
    t.id = make_task_id(index, static_cast<std::uint32_t>(ring.next));
    t.slot = state.slot_of(index, t.local());
    t.kind = kind;
    t.ring = static_cast<std::uint8_t>(index);
    t.heap_begin = memory.begin;
    t.heap_end = memory.end;
    t.lanes = kind == TaskKind::Kernel ? kAiv0Lane : 0;
    t.shape = kind == TaskKind::Kernel ? Shape::Aiv : Shape::Dummy;
    t.subtasks_required = t.lanes == 0 ? 0 : 1;
    t.previous_in_slot = state.row_in_slot(index, t.slot);
    sink.task({}, {});
    state.tasks.push_back(t);
    ring.tasks.push_back(row);
    state.slots.set(make_task_id(index, t.slot), row);
    state.scope_tasks.push_back(row);
    state.submitting = row;
    state.change(EventKind::Submit, row, index, ring.next, ring.next + 1);
    if (bytes != 0) state.change(EventKind::HeapAlloc, row, index, ring.heap.top, memory.end);
    state.emit(EventKind::SlotReset, row, t.slot, 0, 1);
    reduction.begin(row);
    state.change(EventKind::SeqAssign, row, kNoRow, state.submission_counter, state.submission_counter + 1);
    return row;
  }

  void describe(std::uint32_t row) {
    state.tasks[row].descriptor_written = true;
    state.emit(EventKind::DescriptorWrite, row, state.tasks[row].slot, 0, 0);
  }

  void reduce(std::uint32_t row) {
    reduction.reduce(row, discovery.builder());
    state.emit(EventKind::ReachPublish, row, kNoRow, 0, 0);
  }

  void publish(std::uint32_t row) {
    wiring.flush(row, discovery.builder(), 0);
    wiring.init(row);
    wiring.wire(row, discovery.builder());
    state.submitting = kNoRow;
  }

  /// Steps 5 to 12 only.
  std::uint32_t discover(const Submission& s, std::uint64_t bytes = 0) {
    const std::uint32_t row = take(s.kind, bytes);
    index.set(state.tasks[row].id, row);
    const std::uint32_t first_access = accesses;
    for (const Argument& a : s.args) {
      AccessRow access;
      access.task = row;
      access.kind = a.kind;
      access.tensor = a.tensor;
      sink.access(access);
      ++accesses;
    }
    discovery.run(s, {.task = row, .first_access = first_access, .first_edge = 0, .manual = state.in_manual()});
    return row;
  }

  std::uint32_t submit(const Submission& s, std::uint64_t bytes = 0) {
    const std::uint32_t row = discover(s, bytes);
    describe(row);
    reduce(row);
    publish(row);
    return row;
  }

  /// A kernel that depends on tasks by row.
  std::uint32_t kernel(const std::vector<std::pair<std::uint32_t, std::uint8_t>>& deps, std::uint64_t bytes = 0) {
    Submission s;
    for (const auto& [row, flags] : deps) s.deps.push_back({.task = state.tasks[row].id, .flags = flags});
    return submit(s, bytes);
  }

  std::uint32_t allocation() {
    const std::uint32_t row = take(TaskKind::Alloc, 1024);
    discovery.skip(row);
    describe(row);
    wiring.flush(row, discovery.builder(), 0);
    wiring.init(row);
    state.tasks[row].wired = true;
    completion.complete_inline(row);
    state.submitting = kNoRow;
    return row;
  }

  void run() {
    while (scheduler.step()) {
    }
  }
  /// Rounds of all threads, without an end of a block unless nothing else happens.
  void rounds(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) scheduler.step();
  }
  /// An event that says nothing: all that lives is looked at.
  void look(EventKind kind = EventKind::Config) { watch.after(kind, 0, kNoRow, kOrchestrator); }

  FindingSink sink;
  State state;
  Reclaim reclaim{state};
  Completion completion{state, reclaim};
  Dispatch dispatch{state, completion};
  Scheduler scheduler{state, dispatch, completion, reclaim};
  Waiting waiting{state, scheduler, reclaim};
  TaskIndex index;
  Discovery discovery{state, waiting, index};
  Wiring wiring{state, waiting, completion, reclaim};
  Reduction reduction;
  InvariantWatch watch;
  std::uint32_t scope_rows = 0, accesses = 0;
};

}  // namespace depscope::runtime
