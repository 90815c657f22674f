#include "check_lifetime.h"

#include <algorithm>
#include <memory>

#include "check_reach.h"
#include "depscope/replay/measured_run.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::EventKind;

constexpr std::uint8_t kManualScope = 1;  // tasks.flags

/// When what happened to a task, as event numbers; none if it did not.
struct Moments {
  explicit Moments(const recording::Recording& r)
      : submitted(r.tasks.rows(), kNoRow),
        completed(submitted),
        consumed(submitted),
        released(submitted),
        scope_ended(r.scopes.rows(), kNoRow),
        lost(r.edges.rows(), kNoRow),
        flags(r.edges.flags_final) {
    const auto& e = r.events;
    for (std::uint32_t i = 0; i < e.rows(); ++i) {
      const std::uint32_t subject = e.subject[i];
      switch (static_cast<EventKind>(e.kind[i])) {
        case EventKind::Submit: submitted[subject] = i; break;
        case EventKind::Complete: completed[subject] = i; break;
        case EventKind::Consume: consumed[subject] = i; break;
        case EventKind::Release: released[subject] = i; break;
        case EventKind::ScopeEnd: scope_ended[subject] = i; break;
        case EventKind::EdgeLost:
          lost[subject] = i;
          flags[subject] = static_cast<std::uint8_t>(e.new_value[i]);
          break;
        default: break;
      }
    }
  }

  std::vector<std::uint32_t> submitted, completed, consumed, released;  // by task
  std::vector<std::uint32_t> scope_ended;                               // by scope
  std::vector<std::uint32_t> lost;                                      // by edge
  std::vector<std::uint8_t> flags;                                      // by edge, as the payload has them
};

class LifetimeSearch {
 public:
  LifetimeSearch(const recording::Recording& r, const Touches& touches)
      : r_(r), touches_(touches), at_(r), ran_(r.events.rows() != 0 && !has_measured_events(r)) {
    const std::uint32_t tasks = r.tasks.rows();
    fanin_.assign(tasks + std::size_t{1}, 0);
    for (const std::uint32_t consumer : r.edges.consumer) ++fanin_[consumer + std::size_t{1}];
    for (std::size_t t = 0; t < tasks; ++t) fanin_[t + 1] += fanin_[t];
    retainers_begin_.assign(tasks + std::size_t{1}, 0);
    const auto retains = [this](std::uint32_t e) { return (at_.flags[e] & runtime::kRetain) != 0 && !gone(e); };
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (retains(e)) ++retainers_begin_[r.edges.producer[e] + std::size_t{1}];
    }
    for (std::size_t t = 0; t < tasks; ++t) retainers_begin_[t + 1] += retainers_begin_[t];
    retainers_.resize(retainers_begin_.back());
    std::vector<std::uint32_t> next(retainers_begin_.begin(), retainers_begin_.end() - 1);
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (retains(e)) retainers_[next[r.edges.producer[e]]++] = r.edges.consumer[e];
    }
  }

  Lifetimes run() {
    const auto& a = r_.accesses;
    for (std::uint32_t i = 0; i < a.rows(); ++i) {
      if (static_cast<runtime::ArgKind>(a.kind[i]) == runtime::ArgKind::Output) continue;
      const std::uint32_t user = a.task[i];
      const std::uint32_t owner = touches_.owner(a.tensor[i], user);
      if (owner == kNoRow || owner == user) continue;
      if (!out_.breaches.empty() && out_.breaches.back().owner == owner && out_.breaches.back().user == user) continue;
      use(owner, user, i);
    }
    keep();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t edge_of(std::uint32_t owner, std::uint32_t user) const {
    for (std::uint32_t e = fanin_[user]; e < fanin_[user + std::size_t{1}]; ++e) {
      if (r_.edges.producer[e] == owner) return e;
    }
    return kNoRow;
  }

  [[nodiscard]] bool gone(std::uint32_t edge) const {
    return r_.edges.at_add[edge] == static_cast<std::uint8_t>(runtime::ProducerStatus::Gone);
  }

  /// A task that retains the owner waits, directly or through others, for the user.
  bool kept_by_another(std::uint32_t owner, std::uint32_t user) {
    const auto first = retainers_.begin() + retainers_begin_[owner];
    const auto last = retainers_.begin() + retainers_begin_[owner + std::size_t{1}];
    if (first == last) return false;
    if (reach_ == nullptr) {
      reach_ = std::make_unique<Reach>(r_.tasks.rows(), r_.edges,
                                       [this](std::uint32_t e) { return (r_.edges.flags[e] & runtime::kWait) != 0 && !gone(e); });
    }
    // In order of submission: only those after the user can wait for it. A buffer that thousands retain is decided by the next
    // and the last of them.
    constexpr std::ptrdiff_t kMostAsked = 64;
    const auto after = std::upper_bound(first, last, user);
    const auto next = after + std::min(last - after, kMostAsked);
    const auto newest = next + std::max(last - next - kMostAsked, std::ptrdiff_t{0});
    const auto waits = [&](std::uint32_t retainer) { return reach_->reaches(user, retainer); };
    return std::any_of(after, next, waits) || std::any_of(newest, last, waits);
  }

  void use(std::uint32_t owner, std::uint32_t user, std::uint32_t access) {
    // A task graph without a run of the model may lack the creator's discovery (hazard H8); in AUTO scopes it is always made.
    if (!ran_ && (r_.tasks.flags[user] & kManualScope) == 0) return;
    const std::uint32_t edge = edge_of(owner, user);
    const std::uint32_t scope = r_.tasks.scope[owner];
    const std::uint32_t ended = scope == kNoRow ? kNoRow : at_.scope_ended[scope];
    const bool late = ended != kNoRow && at_.submitted[user] != kNoRow && ended < at_.submitted[user];
    if (edge != kNoRow && (at_.flags[edge] & runtime::kRetain) != 0 && !gone(edge)) {
      if (late) out_.held.push_back({.owner = owner, .user = user, .access = access, .edge = edge, .stale = true});
      return;
    }
    for (auto known = out_.breaches.rbegin(); known != out_.breaches.rend() && known->user == user; ++known) {
      if (known->owner == owner) return;
    }
    LifetimeBreach b{.owner = owner, .user = user, .access = access, .edge = edge};
    if (edge != kNoRow) b.lost_at = at_.lost[edge];
    const std::uint32_t consumed = at_.consumed[owner];
    b.stale = late;
    const bool early = consumed != kNoRow && (at_.completed[user] == kNoRow || consumed < at_.completed[user]);
    if (early) {
      b.consumed_at = consumed;
      find_reuse(b);
      b.harmless = !b.stale && r_.tasks.kind[owner] == static_cast<std::uint8_t>(runtime::TaskKind::Alloc) &&
                   last_allocation(runtime::ring_of(r_.tasks.id[owner])) < consumed;
    } else if (!late) {
      if (kept_by_another(owner, user)) return;
      // The run stopped inside the scope that holds it: nothing is known of the end.
      if (b.lost_at == kNoRow && scope != kNoRow && ended == kNoRow && ran_) return;
    }
    out_.breaches.push_back(b);
  }

  /// Event of the last submit that took bytes of the ring's heap; none if the run did not come to its end.
  std::uint32_t last_allocation(std::uint32_t ring) {
    if (last_allocation_.empty()) {
      const bool ended = std::all_of(at_.completed.begin(), at_.completed.end(), [](std::uint32_t at) { return at != kNoRow; });
      last_allocation_.assign(runtime::kRingCount, ended ? 0 : kNoRow);
      for (std::uint32_t t = 0; ended && t < r_.tasks.rows(); ++t) {
        if (r_.tasks.heap_begin[t] == r_.tasks.heap_end[t] || at_.submitted[t] == kNoRow) continue;
        std::uint32_t& last = last_allocation_[runtime::ring_of(r_.tasks.id[t]) % runtime::kRingCount];
        last = std::max(last, at_.submitted[t]);
      }
    }
    return last_allocation_[ring % runtime::kRingCount];
  }

  /// The first task after the owner that got some of its bytes while the user was not done.
  void find_reuse(LifetimeBreach& b) const {
    const auto& t = r_.tasks;
    const std::uint64_t begin = t.heap_begin[b.owner];
    const std::uint64_t end = t.heap_end[b.owner];
    if (begin == end) return;
    const std::uint32_t ring = runtime::ring_of(t.id[b.owner]);
    constexpr std::uint32_t kMostLooked = 100'000;  // reuse comes within a round of the heap, or not while the user runs
    const std::uint32_t last = std::min(t.rows(), b.owner + kMostLooked);
    for (std::uint32_t task = b.owner + 1; task < last; ++task) {
      if (runtime::ring_of(t.id[task]) != ring || at_.submitted[task] == kNoRow || at_.submitted[task] < b.consumed_at) continue;
      if (at_.completed[b.user] != kNoRow && at_.submitted[task] > at_.completed[b.user]) return;
      const std::uint64_t from = std::max(begin, t.heap_begin[task]);
      if (from >= std::min(end, t.heap_end[task])) continue;
      b.reused_by = task;
      b.reused_at = at_.submitted[task];
      b.first_byte = from;
      return;
    }
  }

  void keep() {
    std::vector<std::uint8_t> owns(r_.tasks.rows(), 0);
    for (std::uint32_t i = 0; i < r_.accesses.rows(); ++i) {
      if (static_cast<runtime::ArgKind>(r_.accesses.kind[i]) == runtime::ArgKind::Output) owns[r_.accesses.task[i]] = 1;
    }
    const auto later = [&](std::uint32_t a, std::uint32_t b) {
      // A release that the recording does not have comes after all that it has.
      return at_.released[a] != at_.released[b] ? at_.released[a] < at_.released[b] : a < b;
    };
    for (std::uint32_t owner = 0; owner < r_.tasks.rows(); ++owner) {
      const auto first = retainers_.begin() + retainers_begin_[owner];
      const auto last = retainers_.begin() + retainers_begin_[owner + std::size_t{1}];
      if (owns[owner] == 0 || first == last) continue;
      out_.kept.push_back({owner, *std::max_element(first, last, later)});
    }
  }

  const recording::Recording& r_;
  const Touches& touches_;
  Moments at_;
  bool ran_;                                    // the events tell when memory was given back
  std::vector<std::uint32_t> fanin_;            // edges rows by consumer
  std::vector<std::uint32_t> retainers_begin_;  // consumers with RETAIN, by producer
  std::vector<std::uint32_t> retainers_;
  std::vector<std::uint32_t> last_allocation_;  // by ring, made when first asked for
  std::unique_ptr<Reach> reach_;
  Lifetimes out_;
};

}  // namespace

Lifetimes find_lifetimes(const recording::Recording& recording, const Touches& touches) {
  return LifetimeSearch(recording, touches).run();
}

}  // namespace depscope::replay
