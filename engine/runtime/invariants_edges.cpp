// Invariants of edges, references and payloads (I3 to I6, I8, I10, I11, I26, I27, I40).
#include <fmt/format.h>

#include <algorithm>

#include "discovery.h"
#include "invariants.h"

namespace depscope::runtime {
namespace {

constexpr std::uint32_t kWideFanin = 64;

std::uint64_t pair_key(std::uint32_t producer, std::uint32_t consumer) { return (std::uint64_t{consumer} << 32U) | producer; }

std::string_view flags_text(std::uint8_t flags) {
  switch (flags) {
    case kNone: return "NONE";
    case kWait: return "WAIT";
    case kRetain: return "RETAIN";
    case kWaitRetain: return "WAIT|RETAIN";
    default: return "unknown";
  }
}

}  // namespace

bool InvariantWatch::in_builder(std::uint32_t producer) const {
  if (!builder_current_) return false;
  const FaninBuilder& builder = discovery_.builder();
  const std::uint32_t position = builder.find(producer);
  return position != kNoRow && builder.edges()[position].taken();
}

InvariantWatch::SeenEdge* InvariantWatch::edge_between(std::uint32_t producer, std::uint32_t consumer) {
  if (!known(consumer)) return nullptr;
  const Seen& seen = seen_[consumer];
  if (seen.edges > kWideFanin) {
    const auto it = wide_.find(pair_key(producer, consumer));
    return it == wide_.end() ? nullptr : &seen_edges_[it->second];
  }
  for (std::uint32_t i = 0; i < seen.edges; ++i) {
    SeenEdge& e = seen_edges_[seen.first_edge + i];
    if (e.producer == producer) return &e;
  }
  return nullptr;
}

void InvariantWatch::edge_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  switch (kind) {
    case EventKind::PinClaim: claim(subject, object); break;
    case EventKind::PinRelease: give_back(subject, object); break;
    case EventKind::PayloadFlush: flush(subject); break;
    case EventKind::PayloadInit: check_edges(subject); break;
    case EventKind::EdgeLost:
      if (known(object)) check_edges(object);
      break;
    case EventKind::AbortSubmit: abort(subject); break;
    default: break;
  }
}

void InvariantWatch::claim(std::uint32_t producer, std::uint32_t consumer) {
  if (!known(consumer) || consumer != s_.submitting) {
    report(26, consumer, fmt::format("task row {} claims task row {} outside its submit", consumer, producer), producer);
    return;
  }
  builder_current_ = true;
  if (producer == consumer) report(40, consumer, fmt::format("task row {} has an edge to itself", consumer));
  if (claimed_by_[producer] == consumer + 1) {
    report(26, consumer, fmt::format("task row {} claims task row {} twice", consumer, producer), producer);
  }
  claimed_by_[producer] = consumer + 1;
  claims_.push_back(producer);
  if (!in_builder(producer)) {
    report(26, consumer, fmt::format("task row {} has claimed task row {} without an entry for it", consumer, producer),
           producer);
  }
}

void InvariantWatch::flush(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  const FaninBuilder& builder = discovery_.builder();
  Seen& seen = seen_[task];
  // Without a claim the builder has no entry of this task that was taken; it may not even be this task's.
  const bool mine = builder_current_;
  const std::vector<FaninEdge> nothing;
  const std::vector<FaninEdge>& built = mine ? builder.edges() : nothing;
  builder_current_ = false;
  if (seen.flushed) {
    report(10, task, fmt::format("the payload of task row {} is flushed twice", task));
    return;
  }
  seen.flushed = true;
  seen.first_edge = t.first_edge;
  if (t.first_edge != seen_edges_.size() || t.first_edge + t.edge_count != s_.edges.size()) {
    report(10, task,
           fmt::format("the payload of task row {} has {} entries, but {} were written", task, t.edge_count,
                       s_.edges.size() - seen_edges_.size()));
    seen_edges_.resize(s_.edges.size());
    return;
  }
  seen.edges = t.edge_count;
  std::size_t from_builder = 0;
  ++epoch_;
  for (std::uint32_t i = 0; i < t.edge_count; ++i) {
    const Edge& e = s_.edges[t.first_edge + i];
    while (from_builder < built.size() && !built[from_builder].taken()) ++from_builder;
    const bool same = from_builder < built.size() && built[from_builder].producer == e.producer && e.consumer == task &&
                      built[from_builder].flags_final == e.flags && built[from_builder].flags == e.constructed &&
                      i < claims_.size() && claims_[i] == e.producer;
    if (!same) {
      report(26, task,
             fmt::format("entry {} of task row {} (to task row {}, {}) is not what discovery found", i, task, e.producer,
                         flags_text(e.flags)),
             e.producer);
    }
    ++from_builder;
    seen_edges_.push_back({.producer = e.producer, .flags = e.flags, .constructed = e.constructed});
    if ((e.flags & kWait) != 0) ++seen.waits;
    if (!known(e.producer)) continue;
    if (seen.edges > kWideFanin) wide_[pair_key(e.producer, task)] = t.first_edge + i;
    if (mark_[e.producer] == epoch_ || e.producer == task) {
      report(40, task,
             fmt::format("task row {} has {}", task, e.producer == task ? "an edge to itself" : "two edges to one task"),
             e.producer);
    }
    mark_[e.producer] = epoch_;
    Seen& p = seen_[e.producer];
    ++p.added;
    ++p.held;
    if ((e.constructed & kRetain) != 0) ++p.retaining;
  }
  if (claims_.size() != t.edge_count) {
    report(
        26, task,
        fmt::format("task row {} has claimed {} producers, but its payload has {} entries", task, claims_.size(), t.edge_count));
  }
  if (t.wait_count != seen.waits || t.wait_count > t.edge_count) {
    report(27, task,
           fmt::format("the payload of task row {} counts {} WAIT edges of {}, but {} entries wait", task, t.wait_count,
                       t.edge_count, seen.waits));
  }
  const std::uint32_t beyond = t.edge_count > kInlineEdges ? t.edge_count - kInlineEdges : 0;
  if (seen.spilled != beyond || (beyond == 0 && t.spill_start != 0)) {
    report(27, task, fmt::format("task row {} has {} edges and {} spilled entries", task, t.edge_count, seen.spilled));
  }
  flush_memory(task);
}

void InvariantWatch::flush_memory(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  for (std::uint32_t i = 0; i < t.memory_count; ++i) {
    const std::uint32_t owner = s_.memory_owners[t.first_memory + i];
    if (known(owner)) ++seen_[owner].users;
  }
}

void InvariantWatch::abort(std::uint32_t task) {
  if (!builder_current_) return;
  builder_current_ = false;
  for (const FaninEdge& e : discovery_.builder().edges()) {
    if (!e.taken() || !known(e.producer)) continue;
    ++seen_[e.producer].added;
    ++seen_[e.producer].leaked;
  }
  check_task(task);
}

void InvariantWatch::give_back(std::uint32_t producer, std::uint32_t consumer) {
  SeenEdge* e = edge_between(producer, consumer);
  if (e == nullptr || !e->held) {
    report(5, producer,
           fmt::format("task row {} gives back a reference on task row {} that it does not hold", consumer, producer), consumer);
    return;
  }
  e->held = false;
  --seen_[producer].held;
  const std::uint64_t index = static_cast<std::uint64_t>(e - seen_edges_.data());
  const bool retains = (s_.edges[index].flags & kRetain) != 0;
  const Seen& c = seen_[consumer];
  const bool wiring = consumer == s_.submitting && !s_.tasks[consumer].wired && !retains;
  const bool releasing = c.release_begun == 1 && c.released == 0 && retains;
  if (!wiring && !releasing) {
    report(5, producer,
           fmt::format("task row {} gives back its reference on task row {} ({}) while it is {} and its release {}", consumer,
                       producer, flags_text(s_.edges[index].flags), task_state_name(c.state),
                       c.release_begun == 0 ? "has not begun" : "is over"),
           consumer);
  }
}

void InvariantWatch::check_references(std::uint32_t producer) {
  const Task& t = s_.tasks[producer];
  const Seen& seen = seen_[producer];
  const std::uint32_t building = in_builder(producer) ? 1 : 0;
  if (t.claimed != seen.added + building) {
    report(3, producer,
           fmt::format("{} references on task row {} are claimed, but {} edges name it", t.claimed, producer,
                       seen.added + building));
  }
  if (t.released > t.claimed) {
    report(4, producer,
           fmt::format("{} references on task row {} are given back, but only {} were claimed", t.released, producer, t.claimed));
  }
  if (t.scope_released != seen.scope_released) {
    report(4, producer,
           fmt::format("the scope reference of task row {} is {}, but its scope {}", producer,
                       t.scope_released ? "given back" : "held", seen.scope_released ? "let it go" : "did not let it go"));
  }
  const std::int64_t open = std::int64_t{t.claimed} - std::int64_t{t.released};
  const std::int64_t held = std::int64_t{seen.held} + seen.leaked + building;
  if (open != held) {
    report(5, producer,
           fmt::format("{} of {} references on task row {} are open, but {} edges hold one", open, t.claimed, producer, held));
  }
}

void InvariantWatch::check_edges(std::uint32_t consumer) {
  const Task& t = s_.tasks[consumer];
  const Seen& seen = seen_[consumer];
  if (!seen.flushed || (seen.released != 0 && t.reclaimed)) return;
  if (t.edge_count != seen.edges || t.first_edge != seen.first_edge || t.wait_count != seen.waits) {
    report(10, consumer,
           fmt::format("the payload of task row {} was flushed with {} edges, {} of them WAIT, and now has {} and {}", consumer,
                       seen.edges, seen.waits, t.edge_count, t.wait_count));
    return;
  }
  for (std::uint32_t i = 0; i < seen.edges; ++i) check_edge(consumer, i);
}

void InvariantWatch::check_edge(std::uint32_t consumer, std::uint32_t position) {
  const Task& t = s_.tasks[consumer];
  const Seen& seen = seen_[consumer];
  const std::uint64_t index = seen.first_edge + position;
  const Edge& e = s_.edges[index];
  const SeenEdge& v = seen_edges_[index];
  const bool moved = !t.reclaimed && position >= kInlineEdges && s_.payload_edge(t, position) != index;
  if (e.flags != v.flags || e.flushed != v.flags || e.producer != v.producer || e.consumer != consumer || moved) {
    report(
        10, consumer,
        fmt::format("entry {} of task row {} was flushed as {} to task row {} and now {} {} to task row {}", position, consumer,
                    flags_text(v.flags), v.producer, moved ? "stands elsewhere:" : "reads", flags_text(e.flags), e.producer),
        v.producer);
  }
  if (!known(v.producer)) return;
  const Task& p = s_.tasks[v.producer];
  const Seen& producer = seen_[v.producer];
  if (v.held && p.recorded && s_.row_in_slot(p.ring, p.slot) != v.producer) {
    report(6, consumer,
           fmt::format("task row {} holds a reference on task row {}, whose slot has passed to task row {}", consumer, v.producer,
                       s_.row_in_slot(p.ring, p.slot)),
           v.producer);
  }
  const bool retains = (e.flags & kRetain) != 0;
  if (v.held != e.pinned || (!t.aborted && t.wired && !retains && v.held) || (retains && seen.release_begun == 0 && !v.held) ||
      (seen.released != 0 && v.held)) {
    report(5, v.producer,
           fmt::format("the reference of task row {} ({}) on task row {} is {} while the consumer is {} and its release {}",
                       consumer, flags_text(e.flags), v.producer, v.held ? "held" : "given back", task_state_name(t.state),
                       seen.released != 0        ? "is done"
                       : seen.release_begun != 0 ? "has begun"
                                                 : "has not begun"),
           consumer);
  }
  if ((v.flags & kWait) == 0) return;
  if (t.wired && producer.walked && !v.counted) {
    report(
        8, consumer,
        fmt::format("task row {} has not counted task row {}, which is completed and has walked its list", consumer, v.producer),
        v.producer);
  }
  if (t.wired && producer.state < TaskState::Completed && !v.linked) {
    report(11, consumer,
           fmt::format("task row {} waits for task row {} ({}) but hangs on no node of its list", consumer, v.producer,
                       task_state_name(producer.state)),
           v.producer);
  }
  if (v.linked && !v.passed) {
    const Ring& ring = s_.rings[t.ring];
    const bool inside = v.node >= ring.dep.tail && v.node < ring.dep.top;
    if (!inside || s_.node(make_node_ref(t.ring, v.node)).consumer != consumer) {
      report(18, consumer,
             fmt::format("node {} of task row {} on task row {} is not passed yet, but the pool of ring {} holds {} to {}{}",
                         v.node, consumer, v.producer, t.ring, ring.dep.tail, ring.dep.top - 1,
                         inside ? " and names another task there" : ""),
             v.producer, t.ring);
    }
  }
}

}  // namespace depscope::runtime
