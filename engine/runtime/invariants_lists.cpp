// Invariants of fanout lists and walks (I11, I12).
#include <fmt/format.h>

#include "invariants.h"

namespace depscope::runtime {

void InvariantWatch::list_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  if (kind == EventKind::NodeTake) {
    SeenEdge* e = edge_between(object, subject);
    const std::uint32_t ring = s_.tasks[subject].ring;
    ++rings_[ring].nodes;
    if (e == nullptr || (e->flags & kWait) == 0 || e->linked || seen_[object].state >= TaskState::Completed) {
      report(11, subject,
             fmt::format("task row {} takes a node on task row {} {}", subject, object,
                         e == nullptr              ? "without an edge"
                         : (e->flags & kWait) == 0 ? "for an edge without WAIT"
                         : e->linked               ? "for the second time"
                                                   : "after that has completed"),
             object);
    }
    if (e == nullptr) return;
    if (!e->linked) ++seen_[object].linked;
    e->linked = true;
    e->node = s_.rings[ring].dep.top - 1;
    if (s_.tasks[object].fanout_head != make_node_ref(ring, e->node)) {
      report(11, subject, fmt::format("the list of task row {} does not begin with the node of task row {}", object, subject),
             object);
    }
  } else if (kind == EventKind::WalkNode) {
    SeenEdge* e = edge_between(subject, object);
    if (e == nullptr || !e->linked || e->passed) {
      report(11, object,
             fmt::format("the walk of task row {} comes to task row {} {}", subject, object,
                         e != nullptr && e->passed ? "for the second time" : "without a node for it"),
             subject);
      return;
    }
    e->passed = true;
    ++seen_[subject].passed;
  } else if (kind == EventKind::Defer) {
    const Seen& seen = seen_[subject];
    if (seen.passed != seen.linked) {
      report(11, subject, fmt::format("the walk of task row {} ends after {} of {} nodes", subject, seen.passed, seen.linked));
    }
  }
}

void InvariantWatch::check_list(std::uint32_t producer) {
  const Task& t = s_.tasks[producer];
  const Seen& seen = seen_[producer];
  if (t.reclaimed) {
    if (t.fanout_head != 0) report(12, producer, fmt::format("the slot of task row {} is reset but has a fanout list", producer));
    return;
  }
  // A completed producer keeps a dead head; its nodes may be another's by now.
  if (seen.state >= TaskState::Completed) return;
  check_nodes(producer, t.fanout_head, seen.linked);
}

void InvariantWatch::check_walks() {
  for (const Thread& thread : s_.threads) {
    if (thread.walk_task == kNoRow || !known(thread.walk_task)) continue;
    const Seen& seen = seen_[thread.walk_task];
    // H5 as it is: the link is read late and may lead anywhere; what is wrong shows when the walk goes there.
    if (thread.walk_visited) continue;
    check_nodes(thread.walk_task, thread.walk_node, seen.linked - std::min(seen.passed, seen.linked));
  }
}

void InvariantWatch::check_nodes(std::uint32_t producer, NodeRef first, std::uint32_t expected) {
  ++epoch_;
  std::uint32_t count = 0;
  for (NodeRef at = first; at != 0 && count <= expected; ++count) {
    const Ring& ring = s_.rings[ring_of_node(at)];
    const auto place = static_cast<std::size_t>(linear_of_node(at) % ring.dep.capacity);
    if (place >= ring.dep_nodes.size()) {
      report(11, producer,
             fmt::format("the list of task row {} leads to node {}, which was never taken", producer, linear_of_node(at)));
      return;
    }
    const DepNode& node = ring.dep_nodes[place];
    const SeenEdge* e = edge_between(producer, node.consumer);
    if (e == nullptr || !e->linked || e->passed) {
      report(11, producer,
             fmt::format("the list of task row {} names task row {}, {}", producer, node.consumer,
                         e == nullptr ? "which has no edge to it"
                         : e->passed  ? "which the walk has passed"
                                      : "which took no node"),
             node.consumer);
      return;
    }
    if (mark_[node.consumer] == epoch_) {
      report(12, producer, fmt::format("the list of task row {} names task row {} twice", producer, node.consumer),
             node.consumer);
      return;
    }
    mark_[node.consumer] = epoch_;
    at = node.next;
  }
  if (count != expected) {
    report(11, producer,
           fmt::format("the list of task row {} has {} nodes, but {} are on it", producer,
                       count > expected ? "more" : std::to_string(count), expected));
  }
}

}  // namespace depscope::runtime
