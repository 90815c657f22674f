#include "wiring.h"

#include <algorithm>

namespace depscope::runtime {

// ---------------------------------------------------------------- payload

void Wiring::flush(std::uint32_t task, const FaninBuilder& builder, std::uint32_t first_row) {
  Task& t = s_.tasks[task];
  t.first_edge = s_.edges.size();
  std::uint32_t row = first_row;
  const bool masks = s_.options.edges == EdgeRepresentation::MaskBug;
  // A slot's mask that only ever gets bits set keeps those of the task before.
  t.mask = 0;
  if (masks && s_.options.mask_layout == MaskLayout::NeverCleared && t.previous_in_slot != kNoRow) {
    t.mask = s_.tasks[t.previous_in_slot].mask;
  }
  for (const FaninEdge& e : builder.edges()) {
    const std::uint32_t edge_row = row++;
    if (!e.taken()) continue;
    const std::uint32_t position = t.edge_count++;
    if (((s_.mutated(Mutation::ReducedAfterFlush) ? e.flags : e.flags_final) & kWait) != 0) ++t.wait_count;
    if (position < kInlineEdges && (e.flags_final & kRetain) != 0) t.mask |= std::uint64_t{1} << position;
    if (position >= kInlineEdges) {
      Ring& ring = s_.rings[t.ring];
      const std::int64_t linear = t.spill_start + position - kInlineEdges;
      const auto at = static_cast<std::size_t>(linear % ring.spill.capacity);
      if (at >= ring.spill_entries.size()) ring.spill_entries.resize(at + 1);
      ring.spill_entries[at] = s_.edges.size();
    }
    s_.edges.push_back({.producer = e.producer,
                        .consumer = task,
                        .row = edge_row,
                        .flags = e.flags_final,
                        .flushed = e.flags_final,
                        .constructed = e.flags,
                        .pinned = true});
  }
  s_.change(EventKind::PayloadFlush, task, t.edge_count, t.phase, PayloadPhase::Flushed, kOrchestrator,
            static_cast<std::uint16_t>(std::min(t.wait_count, 0xffffU)));
}

void Wiring::init(std::uint32_t task) {
  Task& t = s_.tasks[task];
  std::uint32_t lost = 0;
  if (s_.options.edges == EdgeRepresentation::MaskBug) {
    if (s_.options.mask_layout == MaskLayout::InitZeroes) t.mask = 0;
    const std::uint32_t inline_edges = std::min(t.edge_count, kInlineEdges);
    for (std::uint32_t i = 0; i < inline_edges; ++i) {
      Edge& e = s_.edges[t.first_edge + i];
      const bool retains = (t.mask >> i & 1U) != 0;
      const auto read = static_cast<std::uint8_t>((e.flags & ~kRetain) | (retains ? kRetain : 0));
      if (read == e.flags) continue;
      if (lost++ == 0) {
        RunFinding f;
        f.kind = RunFindingKind::FlagsLost;
        f.task = task;
        f.other = e.producer;
        f.ring = t.ring;
        f.count = 1;
        for (std::uint32_t k = i + 1; k < inline_edges; ++k) {
          const bool kept = ((s_.edges[t.first_edge + k].flags & kRetain) != 0) == ((t.mask >> k & 1U) != 0);
          if (!kept) ++f.count;
        }
        s_.finding(f);
      }
      s_.change(EventKind::EdgeLost, e.row, task, e.flags, read);
    }
  }
  if (s_.mutated(Mutation::EdgesResetByInit)) t.edge_count = t.wait_count = 0;
  s_.change(EventKind::PayloadInit, task, lost, t.phase, PayloadPhase::Initialised);
}

// ---------------------------------------------------------------- wiring

bool Wiring::room_for_nodes(std::uint32_t task, std::uint32_t nodes) {
  const std::uint32_t index = s_.tasks[task].ring;
  Ring& ring = s_.rings[index];
  const auto room = [&] {
    if (ring.dep.room() >= static_cast<std::int64_t>(nodes)) return true;
    // H11 as it is: nothing comes back until 64 more tasks have retired, whatever the pressure.
    const std::int64_t interval = s_.faithful(11) ? kRetiredBetweenCleanups : 1;
    if (ring.published - ring.dep_reclaimed_at >= interval && ring.published_count != 0) {
      ring.dep_reclaimed_at = ring.published;
      const std::int64_t mark =
          s_.mutated(Mutation::NodesReclaimedEarly) ? ring.dep.top : s_.tasks[ring.tasks[ring.published_count - 1]].dep_mark;
      if (mark > ring.dep.tail) s_.change(EventKind::DepReclaim, kNoRow, index, ring.dep.tail, mark);
    }
    return ring.dep.room() >= static_cast<std::int64_t>(nodes);
  };
  const Wanted wanted{.resource = Resource::DepPool,
                      .ring = index,
                      .requested = nodes,
                      .capacity = static_cast<std::uint64_t>(ring.dep.capacity),
                      .task = task};
  return waiting_.wait(wanted, room, [&] { return static_cast<std::uint64_t>(ring.dep.used()); });
}

void Wiring::link(std::uint32_t task, std::uint32_t producer) {
  const std::uint32_t index = s_.tasks[task].ring;
  Ring& ring = s_.rings[index];
  const std::int64_t linear = ring.dep.top;
  const auto at = static_cast<std::size_t>(linear % ring.dep.capacity);
  if (at >= ring.dep_nodes.size()) ring.dep_nodes.resize(at + 1);
  Task& p = s_.tasks[producer];
  ring.dep_nodes[at] = {.consumer = task, .next = p.fanout_head};
  p.fanout_head = make_node_ref(index, linear);
  s_.change(EventKind::NodeTake, task, producer, ring.dep.top, linear + 1);
}

bool Wiring::wire(std::uint32_t task, FaninBuilder& builder) {
  const std::uint32_t count = s_.tasks[task].edge_count;
  // What the payload says counts, not the builder: the layout may have changed it.
  std::uint32_t waits = 0;
  bool all_done = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Edge& e = s_.edges[s_.payload_edge(s_.tasks[task], i)];
    if ((e.flags & kWait) == 0) continue;
    ++waits;
    all_done = all_done && s_.tasks[e.producer].state >= TaskState::Completed;
  }
  if (s_.mutated(Mutation::ReducedAfterFlush)) waits = s_.tasks[task].wait_count;
  const auto set_need = [&] { s_.change(EventKind::Need, task, kNoRow, s_.tasks[task].need, waits + 1); };
  const auto note_producers = [&] {
    for (FaninEdge& e : builder.edges()) {
      if (e.taken()) {
        e.at_wiring = s_.tasks[e.producer].state >= TaskState::Completed ? ProducerStatus::Completed : ProducerStatus::Live;
      }
    }
  };
  if (count == 0 || all_done) {
    note_producers();
    set_need();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Edge& e = s_.edges[s_.payload_edge(s_.tasks[task], i)];
      if ((e.flags & kWait) != 0) completion_.add_have(task, e.producer, kOrchestrator);
    }
    completion_.add_have(task, kNoRow, kOrchestrator);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t edge = s_.payload_edge(s_.tasks[task], i);
      if ((s_.edges[edge].flags & kRetain) != 0 && !s_.mutated(Mutation::RetainReleasedAtWiring)) continue;
      if (s_.edges[edge].flags == kNone && s_.mutated(Mutation::NoneForgotten)) continue;
      reclaim_.release_edge(edge, ReleaseCause::FastPath, kOrchestrator);
      s_.pause();
    }
    Task& t = s_.tasks[task];
    t.dep_mark = s_.rings[t.ring].dep.top;
    t.wired = true;
    completion_.route_ready(task, kOrchestrator);
    return true;
  }
  if (!room_for_nodes(task, s_.mutated(Mutation::RetainLinked) ? count : waits)) return false;
  note_producers();
  set_need();
  done_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t edge = s_.payload_edge(s_.tasks[task], i);
    const Edge& e = s_.edges[edge];
    if ((e.flags & kWait) != 0) {
      if (s_.tasks[e.producer].state >= TaskState::Completed) {
        done_.push_back(e.producer);
      } else {
        link(task, e.producer);
      }
    } else if (s_.mutated(Mutation::RetainLinked) && s_.tasks[e.producer].state < TaskState::Completed) {
      link(task, e.producer);
    }
    s_.pause();
    if ((e.flags & kRetain) == 0 || s_.mutated(Mutation::RetainReleasedAtWiring))
      reclaim_.release_edge(edge, ReleaseCause::Wiring, kOrchestrator);
    s_.pause();
  }
  for (const std::uint32_t producer : done_) completion_.add_have(task, producer, kOrchestrator);
  Task& t = s_.tasks[task];
  t.dep_mark = s_.rings[t.ring].dep.top;
  t.wired = true;
  completion_.add_have(task, kNoRow, kOrchestrator);
  if (t.have >= t.need) completion_.claim_ready(task, kOrchestrator);
  return true;
}

}  // namespace depscope::runtime
