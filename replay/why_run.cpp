#include "why_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "check_false.h"
#include "check_names.h"
#include "check_order.h"
#include "check_reasons.h"
#include "check_touches.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

namespace {

constexpr std::uint64_t kMaxRuns = 1U << 16U;  // of bytes, of one view
constexpr std::size_t kMaxTried = 64;          // tasks of a call whose bytes are compared while none share any

/// Edges by consumer; the table has them grouped.
class EdgesBefore {
 public:
  explicit EdgesBefore(const Recording& r) : r_(r), begin_(r.tasks.rows() + std::size_t{1}, 0) {
    for (const std::uint32_t consumer : r_.edges.consumer) ++begin_[consumer + std::size_t{1}];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    order_.resize(r_.edges.rows());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) order_[next[r_.edges.consumer[e]]++] = e;
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t task) const {
    return std::span(order_).subspan(begin_[task], begin_[task + std::size_t{1}] - begin_[task]);
  }

 private:
  const Recording& r_;
  std::vector<std::uint32_t> begin_, order_;
};

class Between {
 public:
  Between(const Recording& r, std::uint32_t first_site, std::uint32_t second_site)
      : r_(r), first_site_(first_site), second_site_(second_site), before_(r), names_(r) {}

  std::optional<RunBetween> run() {
    std::vector<std::uint32_t> first, second;
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
      if (r_.tasks.call_site[t] == first_site_) first.push_back(t);
      if (r_.tasks.call_site[t] == second_site_) second.push_back(t);
    }
    if (first.empty() || second.empty()) return std::nullopt;
    out_.first_tasks = static_cast<std::uint32_t>(first.size());
    out_.second_tasks = static_cast<std::uint32_t>(second.size());
    const Touches touches(r_);
    edges(second);
    if (out_.edges == 0) choose(touches, first, second);
    if (out_.first == kNoRow) return out_;
    out_.first_text = text(out_.first);
    out_.second_text = text(out_.second);
    out_.meetings = meetings(touches, out_.first, out_.second);
    if (out_.edges == 0) {
      path();
      if (!out_.path_found) reason(touches);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string text(std::uint32_t task) const {
    const std::uint32_t line = names_.line(task);
    return names_.text(task) + (line == 0 ? std::string() : fmt::format(" (line {})", line));
  }

  void edges(const std::vector<std::uint32_t>& second) {
    const auto& e = r_.edges;
    for (const std::uint32_t consumer : second) {
      for (const std::uint32_t edge : before_.of(consumer)) {
        if (r_.tasks.call_site[e.producer[edge]] != first_site_) continue;
        if (out_.edges++ == 0) {
          out_.first = e.producer[edge];
          out_.second = consumer;
        }
        out_.provenance |= e.provenance[edge];
        out_.flags |= e.flags[edge];
        if ((e.flags[edge] & runtime::kWait) == 0 || (e.flags_final[edge] & runtime::kWait) != 0) continue;
        if (out_.reduced++ == 0 && e.via[edge] != kNoRow) out_.via = text(e.via[edge]);
      }
    }
  }

  /// Without an edge: two tasks that share bytes, the latest producer before a consumer first.
  void choose(const Touches& touches, const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& second) {
    for (std::size_t k = 0; k < std::min(second.size(), kMaxTried); ++k) {
      auto at = std::lower_bound(first.begin(), first.end(), second[k]);
      for (std::size_t tried = 0; at != first.begin() && tried < kMaxTried; ++tried) {
        --at;
        const auto found = meetings(touches, *at, second[k]);
        const bool meets = std::any_of(found.begin(), found.end(), [](const RunMeeting& m) { return m.meets; });
        if (out_.first == kNoRow || meets) {
          out_.first = *at;
          out_.second = second[k];
        }
        if (meets) return;
      }
    }
  }

  [[nodiscard]] std::vector<RunMeeting> meetings(const Touches& touches, std::uint32_t first, std::uint32_t second) const {
    std::vector<RunMeeting> out;
    for (const Touch& a : touches.of_task(first)) {
      for (const Touch& b : touches.of_task(second)) {
        if (a.root != b.root) continue;
        RunMeeting m{a.access, b.access, a.mode, b.mode, touches.meet(a.region, b.region) != Meeting::No, std::nullopt, 0};
        if (m.meets) shared(touches, a, b, m);
        out.push_back(m);
      }
    }
    return out;
  }

  void shared(const Touches& touches, const Touch& a, const Touch& b, RunMeeting& out) const {
    std::vector<ByteRun> x, y;
    if (!append_runs(touches.begin(a.region), touches.shape(a.region), kMaxRuns, x)) return;
    if (!append_runs(touches.begin(b.region), touches.shape(b.region), kMaxRuns, y)) return;
    const std::uint64_t base = r_.tensors.address[r_.accesses.tensor[a.access]];
    std::uint64_t bytes = 0;
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      const std::uint64_t begin = std::max(x[i].first, y[j].first);
      const std::uint64_t end = std::min(x[i].second, y[j].second);
      if (begin < end) {
        if (bytes == 0) out.first_byte = begin - std::min(begin, base);
        bytes += end - begin;
      }
      if (x[i].second < y[j].second) {
        ++i;
      } else {
        ++j;
      }
    }
    out.bytes = bytes;
  }

  /// The shortest path of edges that wait, breadth first from the consumer.
  void path() {
    std::vector<std::uint32_t> after(r_.tasks.rows(), kNoRow);  // the next task on the way to the consumer
    std::vector<std::uint32_t> queue{out_.second};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t edge : before_.of(queue[i])) {
        const std::uint32_t producer = r_.edges.producer[edge];
        if ((r_.edges.flags[edge] & runtime::kWait) == 0 || producer < out_.first || after[producer] != kNoRow) continue;
        after[producer] = queue[i];
        if (producer == out_.first) {
          out_.path_found = true;
          for (std::uint32_t t = after[producer]; t != out_.second; t = after[t]) out_.path.push_back(text(t));
          return;
        }
        queue.push_back(producer);
      }
    }
  }

  void reason(const Touches& touches) {
    const auto conflict = std::find_if(out_.meetings.begin(), out_.meetings.end(), [](const RunMeeting& m) {
      return m.meets && ((m.first_mode | m.second_mode) & kTouchWrites) != 0;
    });
    if (conflict == out_.meetings.end()) return;
    const LoopNest loops(r_);
    UnorderedPair pair;
    pair.first = out_.first;
    pair.second = out_.second;
    for (const Touch& touch : touches.of_task(out_.first)) {
      if (touch.access == conflict->first_access) pair.root = touch.root;
    }
    const OrderReason found =
        OrderReasons(r_, names_, loops).of(pair, conflict->first_access, conflict->second_access, /*reduced=*/false);
    out_.code = found.code;
    out_.sentence = found.sentence;
    out_.fixes = found.fixes;
  }

  const Recording& r_;
  std::uint32_t first_site_, second_site_;
  EdgesBefore before_;
  TaskNames names_;
  RunBetween out_;
};

}  // namespace

std::optional<RunBetween> run_between(const Recording& recording, std::uint32_t first_site, std::uint32_t second_site) {
  if (recording.tasks.rows() == 0) return std::nullopt;
  return Between(recording, first_site, second_site).run();
}

}  // namespace depscope::replay
