// Lifetimes in recordings of random programs, against a search by brute force.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "check_lifetime.h"
#include "check_touches.h"
#include "depscope/recording/recorder.h"
#include "random_program.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

/// A run on a small machine, sometimes of the faulty layout. `found`: what the model itself saw.
Recording random_run(std::vector<runtime::RunFinding>& found) {
  const runtime::RandomProgram program{.seed = *rc::gen::inRange<std::uint64_t>(1, 100'000),
                                       .submits = 40,
                                       .most_in_scope = *rc::gen::element<std::uint32_t>(2, 3, 6)};
  runtime::ModelOptions options =
      runtime::random_options(program, *rc::gen::element(runtime::Platform::A2A3, runtime::Platform::A5));
  options.check_invariants = false;
  options.schedule.kind = *rc::gen::element(runtime::ScheduleKind::Canonical, runtime::ScheduleKind::Random);
  options.schedule.seed = program.seed;
  if (*rc::gen::inRange(0, 2) == 0) {
    options.edges = runtime::EdgeRepresentation::MaskBug;
    options.reduction.kind = runtime::ReductionKind::None;
    for (runtime::RingLimits& ring : options.limits) ring.heap = 4096;
  }
  Recording r;
  {
    recording::RuntimeRecorder recorder(r);
    runtime::Model model(options, recorder);
    runtime::play(model, program, options.clusters);
    found = recorder.found();
  }
  return r;
}

/// Some edges lose flags or their producer, so that there is something to find.
Recording random_recording() {
  std::vector<runtime::RunFinding> found;
  Recording r = random_run(found);
  const int one_of = *rc::gen::element(3, 8, 1000);
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
    const auto hit = [&] { return *rc::gen::inRange(0, one_of) == one_of - 1; };  // shrinks to none
    if (hit()) r.edges.flags_final[e] &= static_cast<std::uint8_t>(~runtime::kRetain);
    if (hit()) r.edges.flags[e] &= static_cast<std::uint8_t>(~runtime::kWait);
    if (hit()) r.edges.at_add[e] = static_cast<std::uint8_t>(runtime::ProducerStatus::Gone);
  }
  return r;
}

class Oracle {
 public:
  explicit Oracle(const Recording& r) : r_(r), tasks_(r.tasks.rows()) {
    waits_.assign(tasks_, std::vector<bool>(tasks_, false));
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (!gone(e) && (r.edges.flags[e] & runtime::kWait) != 0) waits_[r.edges.producer[e]][r.edges.consumer[e]] = true;
    }
    for (std::uint32_t via = 0; via < tasks_; ++via) {
      for (std::uint32_t a = 0; a < tasks_; ++a) {
        for (std::uint32_t b = 0; b < tasks_; ++b) {
          if (waits_[a][via] && waits_[via][b]) waits_[a][b] = true;
        }
      }
    }
  }

  using Breach = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, bool, std::uint32_t, std::uint64_t>;

  /// (user, owner), where the owner was consumed too early, where the edge lost its flags, stale, who got the first byte, the
  /// byte.
  [[nodiscard]] std::vector<Breach> breaches() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Breach> out;
    for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
      if (static_cast<runtime::ArgKind>(r_.accesses.kind[a]) == runtime::ArgKind::Output) continue;
      const std::uint32_t user = r_.accesses.task[a];
      const std::uint32_t owner = row_of(r_.tensors.owner[r_.accesses.tensor[a]]);
      if (owner == kNoRow || owner == user || retains(owner, user)) continue;
      const std::uint32_t consumed = event(EventKind::Consume, owner);
      const std::uint32_t completed = event(EventKind::Complete, user);
      const bool early = consumed != kNoRow && consumed < completed;
      bool kept = false;
      for (std::uint32_t other = 0; other < tasks_; ++other) kept = kept || (retains(owner, other) && waits_[user][other]);
      if (!early && kept) continue;
      std::uint32_t lost = kNoRow;
      for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) {
        if (r_.edges.producer[e] == owner && r_.edges.consumer[e] == user) lost = event(EventKind::EdgeLost, e);
      }
      // A run that stopped inside the scope that holds the owner says nothing of the end.
      const std::uint32_t scope = r_.tasks.scope[owner];
      if (!early && lost == kNoRow && scope != kNoRow && event(EventKind::ScopeEnd, scope) == kNoRow) continue;
      const auto [by, byte] = early ? reuse(owner, consumed, completed) : std::pair(kNoRow, std::uint64_t{0});
      out[{user, owner}] = {owner, user, early ? consumed : kNoRow, lost, early && consumed < event(EventKind::Submit, user),
                            by,    byte};
    }
    std::vector<Breach> list;
    for (const auto& [pair, breach] : out) list.push_back(breach);
    return list;
  }

  /// Owners of memory, and whose release gave it back last.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> kept() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
    for (std::uint32_t owner = 0; owner < tasks_; ++owner) {
      bool owns = false;
      for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
        owns = owns ||
               (r_.accesses.task[a] == owner && static_cast<runtime::ArgKind>(r_.accesses.kind[a]) == runtime::ArgKind::Output);
      }
      std::uint32_t last = kNoRow;
      for (std::uint32_t t = 0; owns && t < tasks_; ++t) {
        if (!retains(owner, t)) continue;
        if (last == kNoRow || event(EventKind::Release, t) >= event(EventKind::Release, last)) last = t;
      }
      if (last != kNoRow) out.emplace_back(owner, last);
    }
    return out;
  }

 private:
  [[nodiscard]] bool gone(std::uint32_t e) const {
    return r_.edges.at_add[e] == static_cast<std::uint8_t>(runtime::ProducerStatus::Gone);
  }
  [[nodiscard]] std::uint32_t row_of(std::uint64_t id) const {
    const auto at = std::find(r_.tasks.id.begin(), r_.tasks.id.end(), id);
    return at == r_.tasks.id.end() ? kNoRow : static_cast<std::uint32_t>(at - r_.tasks.id.begin());
  }
  /// Number of the last such event.
  [[nodiscard]] std::uint32_t event(EventKind kind, std::uint32_t subject) const {
    for (std::uint32_t i = r_.events.rows(); i-- > 0;) {
      if (static_cast<EventKind>(r_.events.kind[i]) == kind && r_.events.subject[i] == subject) return i;
    }
    return kNoRow;
  }
  /// The pair's flags in the payload, which the run may have changed.
  [[nodiscard]] bool retains(std::uint32_t owner, std::uint32_t user) const {
    for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) {
      if (r_.edges.producer[e] != owner || r_.edges.consumer[e] != user || gone(e)) continue;
      const std::uint32_t lost = event(EventKind::EdgeLost, e);
      const std::int64_t flags = lost == kNoRow ? r_.edges.flags_final[e] : r_.events.new_value[lost];
      if ((flags & runtime::kRetain) != 0) return true;
    }
    return false;
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> reuse(std::uint32_t owner, std::uint32_t from, std::uint32_t to) const {
    const auto& t = r_.tasks;
    for (std::uint32_t i = from; i < r_.events.rows() && i < to; ++i) {
      if (static_cast<EventKind>(r_.events.kind[i]) != EventKind::Submit) continue;
      const std::uint32_t task = r_.events.subject[i];
      if (runtime::ring_of(t.id[task]) != runtime::ring_of(t.id[owner])) continue;
      const std::uint64_t first = std::max(t.heap_begin[owner], t.heap_begin[task]);
      if (first < std::min(t.heap_end[owner], t.heap_end[task])) return {task, first};
    }
    return {kNoRow, 0};
  }

  const Recording& r_;
  std::uint32_t tasks_;
  std::vector<std::vector<bool>> waits_;
};

RC_GTEST_PROP(CheckLifetimeOracle, BreachesAreThoseOfTheOracle, ()) {
  const Recording r = random_recording();
  const Lifetimes found = find_lifetimes(r, Touches(r));
  const Oracle oracle(r);
  const std::vector<Oracle::Breach> want = oracle.breaches();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Oracle::Breach> sorted;
  std::uint32_t last_user = 0;
  for (const LifetimeBreach& b : found.breaches) {
    RC_ASSERT(b.user >= last_user);
    last_user = b.user;
    const Oracle::Breach row{b.owner, b.user, b.consumed_at, b.lost_at, b.stale, b.reused_by, b.first_byte};
    RC_ASSERT(sorted.try_emplace({b.user, b.owner}, row).second);
    if (b.reused_by != kNoRow) RC_ASSERT(r.events.subject[b.reused_at] == b.reused_by);
  }
  std::vector<Oracle::Breach> have;
  for (const auto& [pair, row] : sorted) have.push_back(row);
  RC_ASSERT(have == want);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;
  for (const KeptAlive& k : found.kept) kept.emplace_back(k.owner, k.consumer);
  RC_ASSERT(kept == oracle.kept());
  RC_TAG(want.empty() ? "all safe" : "breaches");
  const bool reused = std::any_of(want.begin(), want.end(), [](const Oracle::Breach& b) { return std::get<5>(b) != kNoRow; });
  RC_TAG(reused ? "bytes reused" : "no bytes reused");
}

/// The model counts users while it runs; the check reads the events afterwards.
RC_GTEST_PROP(CheckLifetimeOracle, TheModelSawTheSame, ()) {
  std::vector<runtime::RunFinding> found;
  const Recording r = random_run(found);
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::set<std::uint32_t> early, model_early, reused, model_reused;
  std::set<Pair> stale, model_stale;
  for (const LifetimeBreach& b : find_lifetimes(r, Touches(r)).breaches) {
    if (b.stale) stale.insert({b.owner, b.user});
    if (b.consumed_at != kNoRow && !b.stale) early.insert(b.owner);
    if (b.reused_by != kNoRow) reused.insert(b.owner);
  }
  for (const runtime::RunFinding& f : found) {
    if (f.kind == runtime::RunFindingKind::EarlyReclaim) model_early.insert(f.task);
    if (f.kind == runtime::RunFindingKind::StaleHandle) model_stale.insert({f.task, f.other});
    if (f.kind == runtime::RunFindingKind::BytesReused) model_reused.insert(f.task);
  }
  RC_ASSERT(early == model_early);
  RC_ASSERT(stale == model_stale);
  RC_ASSERT(reused == model_reused);
  RC_TAG(early.empty() ? "nothing early" : reused.empty() ? "early" : "early and reused");
}

}  // namespace
}  // namespace depscope::replay
