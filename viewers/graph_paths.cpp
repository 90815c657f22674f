#include "depscope/viewers/graph_paths.h"

#include <algorithm>
#include <unordered_map>

#include "depscope/runtime/submission.h"
#include "depscope/viewers/graph_filter.h"

namespace depscope::viewers {
namespace {

using recording::Recording;

bool waits(const Recording& r, std::uint32_t edge) { return (r.edges.flags_final[edge] & runtime::kWait) != 0; }

/// Edges with WAIT from one task to a later one; the fewest there are. Searches back from the end, never before the beginning.
class WaySearch {
 public:
  explicit WaySearch(const Document& document) : document_(document), r_(document.recording()) {}

  std::vector<std::uint32_t> find(std::uint32_t from, std::uint32_t to) {
    std::unordered_map<std::uint32_t, std::uint32_t> next;  // by task: the edge that leads on to the end
    std::vector<std::uint32_t> reached{to};
    next[to] = kNoRow;
    for (std::size_t i = 0; i < reached.size() && work_ > 0; ++i) {
      const auto [first, last] = document_.edges_of_consumer(reached[i]);
      for (std::uint32_t edge = first; edge < last && work_ > 0; ++edge, --work_) {
        const std::uint32_t producer = r_.edges.producer[edge];
        if (!waits(r_, edge) || producer < from || producer >= reached[i]) continue;
        if (!next.emplace(producer, edge).second) continue;
        if (producer == from) return walk(next, from);
        reached.push_back(producer);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> walk(const std::unordered_map<std::uint32_t, std::uint32_t>& next,
                                                std::uint32_t task) const {
    std::vector<std::uint32_t> way;
    for (std::uint32_t edge = next.at(task); edge != kNoRow; edge = next.at(r_.edges.consumer[edge])) way.push_back(edge);
    return way;
  }

  const Document& document_;
  const Recording& r_;
  std::uint32_t work_ = kWitnessWork;
};

}  // namespace

std::uint64_t task_duration(const Recording& r, const replay::TaskMoments& moments, std::uint32_t task) {
  const std::uint32_t begin = moments.dispatched[task];
  const std::uint32_t end = moments.completed[task];
  if (begin == replay::kNever || end == replay::kNever || end < begin) return 1;
  return r.events.time[end] - r.events.time[begin];
}

CriticalPath critical_path(const Recording& r, const replay::TaskMoments& moments) {
  CriticalPath path;
  if (r.tasks.rows() == 0) return path;
  std::vector<std::uint64_t> length(r.tasks.rows());
  std::vector<std::uint32_t> from(r.tasks.rows(), kNoRow);  // edges row that the longest path to the task ends with
  std::uint32_t edge = 0;
  std::uint32_t last = 0;
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    std::uint64_t before = 0;
    for (; edge < r.edges.rows() && r.edges.consumer[edge] <= task; ++edge) {
      const std::uint32_t producer = r.edges.producer[edge];
      if (r.edges.consumer[edge] != task || producer >= task || !waits(r, edge)) continue;
      // A path through a task that takes no time is one task longer all the same.
      const bool longer = from[task] == kNoRow || length[producer] > before ||
                          (length[producer] == before && producer < r.edges.producer[from[task]]);
      if (!longer) continue;
      before = length[producer];
      from[task] = edge;
    }
    length[task] = before + task_duration(r, moments, task);
    if (length[task] > length[last]) last = task;
  }
  path.length = length[last];
  path.tasks.push_back(last);
  for (std::uint32_t task = last; from[task] != kNoRow; task = r.edges.producer[from[task]]) {
    path.edges.push_back(from[task]);
    path.tasks.push_back(r.edges.producer[from[task]]);
  }
  std::reverse(path.tasks.begin(), path.tasks.end());
  std::reverse(path.edges.begin(), path.edges.end());
  return path;
}

Neighbourhood neighbourhood(const Document& document, std::span<const std::uint32_t> from, std::uint32_t up, std::uint32_t down,
                            std::uint32_t most) {
  const Recording& r = document.recording();
  Neighbourhood result;
  std::vector<std::uint32_t> all(from.begin(), from.end());
  const auto walk = [&](std::uint32_t hops, auto&& neighbours) {
    std::unordered_map<std::uint32_t, bool> seen;
    std::vector<std::uint32_t> ring(from.begin(), from.end());
    for (const std::uint32_t task : ring) seen[task] = true;
    for (std::uint32_t hop = 0; hop < hops && !ring.empty(); ++hop) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t task : ring) {
        neighbours(task, [&](std::uint32_t other) {
          if (all.size() >= most) {
            result.cut = result.cut || !seen.contains(other);
          } else if (seen.emplace(other, true).second) {
            next.push_back(other);
            all.push_back(other);
          }
        });
      }
      ring = std::move(next);
    }
  };
  walk(up, [&](std::uint32_t task, auto&& found) {
    const auto [first, last] = document.edges_of_consumer(task);
    for (std::uint32_t edge = first; edge < last; ++edge) found(r.edges.producer[edge]);
  });
  walk(down, [&](std::uint32_t task, auto&& found) {
    for (const std::uint32_t edge : document.edges_of_producer().of(task)) found(r.edges.consumer[edge]);
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  result.tasks = std::move(all);
  return result;
}

std::vector<std::uint32_t> witness_path(const Document& document, std::uint32_t edge) {
  const Recording& r = document.recording();
  if ((edge_fate(r, edge) & kWaitRemoved) == 0) return {};
  const std::uint32_t producer = r.edges.producer[edge];
  const std::uint32_t consumer = r.edges.consumer[edge];
  const std::uint32_t via = r.edges.via[edge];
  WaySearch search(document);
  if (via != kNoRow && via > producer && via < consumer) {
    std::vector<std::uint32_t> way = search.find(producer, via);
    const std::vector<std::uint32_t> rest = search.find(via, consumer);
    if (!way.empty() && !rest.empty()) {
      way.insert(way.end(), rest.begin(), rest.end());
      return way;
    }
  }
  return search.find(producer, consumer);
}

}  // namespace depscope::viewers
