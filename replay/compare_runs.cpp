// The runs of the model: in which order tasks completed, what ended the life of their slots, and what it took.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compare_report.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::EventKind;

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// What the events of one side say, by task and in total.
struct Run {
  std::vector<std::uint32_t> submitted, completed, released, consumed;  ///< logical times by tasks row, kNever
  std::vector<std::uint32_t> scope_ended;                               ///< by scopes row
  std::vector<std::uint32_t> order;                                     ///< tasks rows as they completed
  std::array<std::int64_t, runtime::kRingCount> slots{}, heap{};        ///< peaks by ring: slots, bytes
  std::array<std::int64_t, runtime::kRingCount> tasks{};                ///< by ring
  std::int64_t tensormap = 0;                                           ///< peak of entries
  std::uint32_t end = 0;                                                ///< logical time of the last event
  bool watermarks = false;

  explicit Run(const Side& side) {
    const auto& events = side.r.events;
    for (auto* column : {&submitted, &completed, &released, &consumed}) column->assign(side.tasks(), kNever);
    scope_ended.assign(side.r.scopes.rows(), kNever);
    std::array<std::vector<std::uint32_t>, runtime::kRingCount> submits;  // local ids, so that gaps between them do not count
    std::array<std::size_t, runtime::kRingCount> reclaimed{};
    std::array<std::int64_t, runtime::kRingCount> top{};
    std::array<std::int64_t, runtime::kRingCount> tail{};
    std::array<std::int64_t, runtime::kRingCount> heap_bytes{};
    for (std::uint32_t e = 0; e < events.rows(); ++e) {
      const std::uint32_t subject = events.subject[e];
      const std::uint32_t ring = events.object[e];
      end = events.time[e];
      switch (static_cast<EventKind>(events.kind[e])) {
        case EventKind::Config:
          if (subject == static_cast<std::uint32_t>(runtime::ConfigItem::HeapBytes) && ring < runtime::kRingCount)
            heap_bytes[ring] = events.new_value[e];
          break;
        case EventKind::ScopeEnd: scope_ended[subject] = end; break;
        case EventKind::Submit:
          submitted[subject] = end;
          ++tasks[ring];
          submits[ring].push_back(runtime::local_of(side.r.tasks.id[subject]));
          slots[ring] = std::max(slots[ring], static_cast<std::int64_t>(submits[ring].size() - reclaimed[ring]));
          break;
        case EventKind::Complete:
          completed[subject] = end;
          order.push_back(subject);
          break;
        case EventKind::Release: released[subject] = end; break;
        case EventKind::Consume: consumed[subject] = end; break;
        case EventKind::Watermark:
          while (reclaimed[ring] < submits[ring].size() && submits[ring][reclaimed[ring]] < events.new_value[e])
            ++reclaimed[ring];
          watermarks = true;
          break;
        case EventKind::HeapAlloc:
          top[ring] = events.new_value[e];
          // Below the tail, the top has begun again at the start of the heap.
          heap[ring] = std::max(heap[ring], top[ring] - tail[ring] + (top[ring] < tail[ring] ? heap_bytes[ring] : 0));
          break;
        case EventKind::HeapFree: tail[ring] = events.new_value[e]; break;
        case EventKind::TensorMapInsert: tensormap = std::max(tensormap, events.new_value[e]); break;
        default: break;
      }
    }
  }
};

/// Who is the last to let go of a task's slot: all that did so at the last time.
struct Holders {
  std::uint32_t time = 0;
  bool scope = false;                    ///< the end of its scope
  bool own = false;                      ///< its own completion
  std::vector<std::uint32_t> consumers;  ///< common numbers of tasks, ascending
};

class RunComparison {
 public:
  RunComparison(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report)
      : in_(in), names_(names), report_(report), a_(in.a), b_(in.b) {}

  void run() {
    if (report_.wants(DifferenceKind::CompletionOrder)) order();
    if (report_.wants(DifferenceKind::Lifetime)) lifetimes();
    resources();
  }

 private:
  /// Tasks that have to move for one order to become the other: all but the longest chain that is in order on both sides. Tasks
  /// that complete at one logical time have no order.
  void order() {
    struct Step {
      std::uint32_t time_a, time_b, task;
    };
    std::vector<Step> steps;
    for (const std::uint32_t ta : a_.order) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      if (tb != kNoRow && b_.completed[tb] != kNever) steps.push_back({a_.completed[ta], b_.completed[tb], ta});
    }
    std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) {
      return x.time_a != y.time_a ? x.time_a < y.time_a : x.time_b < y.time_b;
    });
    std::vector<std::uint32_t> tails;  // of the best chain of each length: the step that ends it
    std::vector<std::uint32_t> before(steps.size(), kNoRow);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      const auto at = std::upper_bound(tails.begin(), tails.end(), steps[i].time_b,
                                       [&](std::uint32_t time, std::uint32_t step) { return time < steps[step].time_b; });
      before[i] = at == tails.begin() ? kNoRow : *(at - 1);
      if (at == tails.end()) {
        tails.push_back(i);
      } else {
        *at = i;
      }
    }
    std::uint64_t unfinished = 0;
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      if (tb != kNoRow && (a_.completed[ta] == kNever) != (b_.completed[tb] == kNever)) {
        ++unfinished;
        in_.rows.tasks.mark(ta, DifferenceKind::CompletionOrder);
        if (!report_.count(DifferenceKind::CompletionOrder)) continue;
        const bool in_a = a_.completed[ta] == kNever;
        report_.add(DifferenceKind::CompletionOrder, {DifferenceSubject::Task, ta, tb},
                    fmt::format("{} does not complete in {}", names_.task_text(in_.a, ta), in_a ? "a" : "b"),
                    {{"first", names_.common(ta)},
                     {"a", in_a ? Fields() : Fields(a_.completed[ta])},
                     {"b", in_a ? Fields(b_.completed[tb]) : Fields()}});
      }
    }
    const std::uint64_t moved = steps.size() - tails.size();
    if (moved == 0 ||
        !report_.exceeds(DifferenceKind::CompletionOrder, static_cast<double>(tails.size()), static_cast<double>(steps.size())))
      return;
    std::vector<bool> kept(steps.size(), false);
    for (std::uint32_t i = tails.back(); i != kNoRow; i = before[i]) kept[i] = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!kept[i]) in_.rows.tasks.mark(steps[i].task, DifferenceKind::CompletionOrder);
    }
    if (!report_.count(DifferenceKind::CompletionOrder, moved)) return;
    const auto first = static_cast<std::size_t>(std::find(kept.begin(), kept.end(), false) - kept.begin());
    const Step& step = steps[first];
    report_.add(DifferenceKind::CompletionOrder, {DifferenceSubject::Task, step.task, in_.tasks.b_of_a[step.task]},
                fmt::format("{} of {} tasks complete in another order; the first is {}, at time {} | {}", moved, steps.size(),
                            names_.task_text(in_.a, step.task), step.time_a, step.time_b),
                {{"first", names_.common(step.task)}, {"count", moved}, {"a", step.time_a}, {"b", step.time_b}},
                Severity::Warning, moved);
  }

  /// Edges by producer; the other way round as in the edges table.
  struct Outgoing {
    std::vector<std::uint32_t> begin, edge;
    explicit Outgoing(const Side& side) : begin(std::size_t{side.tasks()} + 1, 0), edge(side.r.edges.rows()) {
      for (const std::uint32_t producer : side.r.edges.producer) ++begin[std::size_t{producer} + 1];
      for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
      std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
      for (std::uint32_t e = 0; e < edge.size(); ++e) edge[next[side.r.edges.producer[e]]++] = e;
    }
  };

  void holders(const Side& side, const Run& run, const Outgoing& outgoing, std::uint32_t task, Holders& out) const {
    out.time = 0;
    out.scope = out.own = false;
    out.consumers.clear();
    const auto at = [&out](std::uint32_t time) {
      if (time == kNever || time < out.time) return false;
      if (time > out.time) {
        out.time = time;
        out.scope = out.own = false;
        out.consumers.clear();
      }
      return true;
    };
    const std::uint32_t scope = side.r.tasks.scope[task];
    if (scope != kNoRow && at(run.scope_ended[scope])) out.scope = true;
    if (at(run.completed[task])) out.own = true;
    for (std::uint32_t i = outgoing.begin[task]; i < outgoing.begin[task + 1]; ++i) {
      const std::uint32_t e = outgoing.edge[i];
      if ((side.r.edges.flags_final[e] & runtime::kRetain) == 0) continue;
      const std::uint32_t consumer = side.r.edges.consumer[e];
      const std::uint32_t time = run.released[consumer] != kNever ? run.released[consumer] : run.completed[consumer];
      if (at(time)) out.consumers.push_back(names_.common_of(side, consumer));
    }
    std::sort(out.consumers.begin(), out.consumers.end());
  }

  static bool share(const Holders& x, const Holders& y) {
    if ((x.scope && y.scope) || (x.own && y.own)) return true;
    for (std::size_t i = 0, j = 0; i < x.consumers.size() && j < y.consumers.size();) {
      if (x.consumers[i] == y.consumers[j]) return true;
      ++(x.consumers[i] < y.consumers[j] ? i : j);
    }
    return false;
  }

  [[nodiscard]] std::string text(const Holders& holders, bool consumed) const {
    if (!consumed) return "never consumed";
    if (!holders.consumers.empty()) {
      std::string out = "until " + names_.common_text(holders.consumers.back()) + " is done";
      if (holders.consumers.size() > 1) out += fmt::format(" (and {} more)", holders.consumers.size() - 1);
      return out;
    }
    return holders.scope ? "until its scope ends" : "until it is done itself";
  }

  void lifetimes() {
    const Outgoing outgoing_a(in_.a);
    const Outgoing outgoing_b(in_.b);
    Holders x;
    Holders y;
    for (std::uint32_t ta = 0; ta < in_.a.tasks(); ++ta) {
      const std::uint32_t tb = in_.tasks.b_of_a[ta];
      // A producer without record has no life of its own.
      if (tb == kNoRow || in_.a.r.tasks.scope[ta] == kNoRow || in_.b.r.tasks.scope[tb] == kNoRow) continue;
      const bool done_a = a_.consumed[ta] != kNever;
      const bool done_b = b_.consumed[tb] != kNever;
      if (done_a && done_b) {
        holders(in_.a, a_, outgoing_a, ta, x);
        holders(in_.b, b_, outgoing_b, tb, y);
        if (share(x, y)) continue;
      } else if (done_a == done_b) {
        continue;
      }
      const std::uint32_t life_a = done_a ? a_.consumed[ta] - a_.submitted[ta] : 0;
      const std::uint32_t life_b = done_b ? b_.consumed[tb] - b_.submitted[tb] : 0;
      if (life_a != life_b && !report_.exceeds(DifferenceKind::Lifetime, life_a, life_b)) continue;
      in_.rows.tasks.mark(ta, DifferenceKind::Lifetime);
      if (!report_.count(DifferenceKind::Lifetime)) continue;
      holders(in_.a, a_, outgoing_a, ta, x);
      holders(in_.b, b_, outgoing_b, tb, y);
      const std::string a = text(x, done_a);
      const std::string b = text(y, done_b);
      Fields fields{{"first", names_.common(ta)}, {"a", a}, {"b", b}};
      if (done_a) fields["duration_a"] = life_a;
      if (done_b) fields["duration_b"] = life_b;
      report_.add(DifferenceKind::Lifetime, {DifferenceSubject::Task, ta, tb},
                  fmt::format("{} is kept {} | {}", names_.task_text(in_.a, ta), a, b), std::move(fields));
    }
  }

  void resource(const std::string& name, std::int64_t ring, std::int64_t a, std::int64_t b) {
    if (!report_.exceeds(DifferenceKind::Resources, static_cast<double>(a), static_cast<double>(b)) ||
        !report_.count(DifferenceKind::Resources))
      return;
    Fields fields{{"resource", name}};
    if (ring >= 0) fields["ring"] = ring;
    fields["a"] = a;
    fields["b"] = b;
    report_.add(DifferenceKind::Resources, {},
                fmt::format("{}{}: {} | {}", name, ring < 0 ? "" : fmt::format(" of ring {}", ring), a, b), std::move(fields));
  }

  void resources() {
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      resource("tasks", ring, a_.tasks[ring], b_.tasks[ring]);
      if (a_.watermarks == b_.watermarks) resource("task_window", ring, a_.slots[ring], b_.slots[ring]);
      resource("heap", ring, a_.heap[ring], b_.heap[ring]);
    }
    if (in_.a.known.all_events && in_.b.known.all_events) {
      resource("tensormap", -1, a_.tensormap, b_.tensormap);
    } else if (in_.a.known.all_events != in_.b.known.all_events) {
      report_.gap("resources",
                  fmt::format("{} has a summary of its events, without the TensorMap", in_.a.known.all_events ? "b" : "a"));
    }
    resource("logical_time", -1, a_.end, b_.end);
  }

  const ComparisonInput& in_;
  const ComparisonNames& names_;
  ComparisonReport& report_;
  Run a_, b_;
};

}  // namespace

void compare_runs(const ComparisonInput& in, const ComparisonNames& names, ComparisonReport& report) {
  if (!in.a.known.events || !in.b.known.events) {
    if (in.a.known.events != in.b.known.events) {
      const char letter = in.a.known.events ? 'b' : 'a';
      for (const char* what : {"completion_order", "lifetime", "resources"})
        report.gap(what, fmt::format("{} has no run of the model", letter));
    }
    return;
  }
  RunComparison(in, names, report).run();
}

}  // namespace depscope::replay
