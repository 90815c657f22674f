// Random sequences of events of all kinds: whichever way the cursor gets to a position, the state there is the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "cursor_state.h"
#include "depscope/runtime/event_shape.h"
#include "event_samples.h"
#include "keyframes.h"
#include "synthetic_recording.h"
#include "validate.h"
#include "walks.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::Event;
using runtime::EventKind;
using runtime::EventShape;
using runtime::Operand;
using runtime::TaskState;
using runtime::ValueRange;

constexpr std::uint32_t kCores = 6;
constexpr std::uint32_t kThreads = 3;

/// Appends events whose old values are those of a state that it keeps.
class Sequence {
 public:
  explicit Sequence(std::uint32_t seed)
      : random_(seed), recording_(recording_without_events()), edges_(recording_), now_(initial_state(recording_)) {
    now_.state.core_task.assign(kCores, kNoRow);
    now_.state.core_pending.assign(kCores, kNoRow);
    now_.state.buffered_releases.assign(kThreads, 0);
  }

  /// All kinds once, in random order; what cannot happen in the present state is left out.
  void round() {
    std::array<std::uint8_t, runtime::kEventKindCount> kinds{};
    std::iota(kinds.begin(), kinds.end(), std::uint8_t{0});
    std::shuffle(kinds.begin(), kinds.end(), random_);
    for (const std::uint8_t kind : kinds) add(static_cast<EventKind>(kind));
  }

  [[nodiscard]] Recording take() { return std::move(recording_); }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  std::uint32_t operand(Operand kind, bool none_allowed) {
    if (none_allowed && (kind == Operand::Any || below(5) == 0)) return kNoRow;
    switch (kind) {
      case Operand::Task: return below(recording_.tasks.rows());
      case Operand::Edge: return below(recording_.edges.rows());
      case Operand::Access: return below(recording_.accesses.rows());
      case Operand::Scope: return below(recording_.scopes.rows());
      case Operand::Ring: return below(runtime::kRingCount);
      case Operand::Core: return below(kCores);
      case Operand::Slot: return below(1U << 31U);
      case Operand::Queue: return below(runtime::kQueueCount);
      case Operand::Thread: return below(kThreads);
      case Operand::ConfigItem: return below(runtime::kConfigItemCount);
      case Operand::Any: break;
    }
    return kNoRow;
  }

  std::int64_t value(const ValueRange& range) {
    if (below(20) == 0) return range.max;
    const std::int64_t least = std::max<std::int64_t>(range.min, -3);
    return std::min(range.max, least + below(6));
  }

  /// False if an event of this kind cannot be next; may choose other operands.
  bool fits(Event& e) {
    State& s = now_.state;
    switch (e.kind) {
      case EventKind::Config:
        if (!runtime::is_ring_limit(static_cast<runtime::ConfigItem>(e.subject))) e.object = kNoRow;
        return !runtime::is_ring_limit(static_cast<runtime::ConfigItem>(e.subject)) || e.object != kNoRow;
      case EventKind::ScopeBegin: return s.scope_state[e.subject] == 0;
      case EventKind::ScopeEnd:
        if (s.open_scopes.empty()) return false;
        e.subject = s.open_scopes.back();
        return true;
      case EventKind::Submit: return s.task_state[e.subject] == static_cast<std::uint8_t>(TaskState::Unborn);
      case EventKind::Place: return (e.extra == 0 ? s.core_task : s.core_pending)[e.object] == kNoRow;
      case EventKind::Observe: e.subject = (e.extra == 0 ? s.core_task : s.core_pending)[e.object]; return e.subject != kNoRow;
      case EventKind::WaitCount:
      case EventKind::PinClaim:
      case EventKind::PinRelease:
      case EventKind::NodeTake:
        if (below(2) == 0) {  // of a pair that has an edge
          const std::uint32_t edge = below(recording_.edges.rows());
          const bool by_producer = e.kind == EventKind::PinClaim || e.kind == EventKind::PinRelease;
          e.subject = by_producer ? recording_.edges.producer[edge] : recording_.edges.consumer[edge];
          e.object = by_producer ? recording_.edges.consumer[edge] : recording_.edges.producer[edge];
        }
        return true;
      default: return true;
    }
  }

  void add(EventKind kind) {
    const EventShape shape = event_shape(kind);
    Event e{
        .kind = kind, .subject = operand(shape.subject, shape.subject_none), .object = operand(shape.object, shape.object_none)};
    e.extra = static_cast<std::uint16_t>(below(std::min<std::uint32_t>(extra_limit(shape.extra), 9) + 1));
    if (!fits(e)) return;
    const StateField field = field_of(now_.state, recording_, e);
    e.old_value = has_field(field) ? value_of(field) : value(shape.values);
    e.new_value = value(shape.values);
    add_event(recording_, e);
    apply_event(recording_, edges_, recording_.events.rows() - 1, /*check=*/true, now_);
    if (has_field(field)) RC_ASSERT(value_of(field) == e.new_value);
  }

  std::mt19937 random_;
  Recording recording_;
  EdgeIndex edges_;
  ReplayState now_;
};

Recording random_recording() {
  Sequence sequence(*rc::gen::arbitrary<std::uint32_t>());
  const int rounds = *rc::gen::inRange(1, 14);
  for (int i = 0; i < rounds; ++i) sequence.round();
  return sequence.take();
}

TEST(EventSequences, HoldEveryKind) {
  Sequence sequence(1);
  for (int i = 0; i < 10; ++i) sequence.round();
  const Recording r = sequence.take();
  std::array<int, runtime::kEventKindCount> counts{};
  for (const std::uint8_t kind : r.events.kind) ++counts[kind];
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    EXPECT_GT(counts[kind], 0) << runtime::event_kind_name(static_cast<EventKind>(kind));
  EXPECT_NO_THROW(validate(r, "random"));
}

/// What two ways to one position must agree in.
void expect_same(const Cursor& a, std::uint64_t digest, const std::vector<std::vector<std::uint32_t>>& answers) {
  RC_ASSERT(a.state().digest() == digest);
  for (std::uint32_t t = 0; t < answers.size() / 2; ++t) {
    RC_ASSERT(a.waiting_for(t) == answers[2 * std::size_t{t}]);
    RC_ASSERT(a.kept_alive_by(t) == answers[2 * std::size_t{t} + 1]);
  }
}

std::vector<std::vector<std::uint32_t>> answers_of(const Cursor& cursor, std::uint32_t tasks) {
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    out.push_back(cursor.waiting_for(t));
    out.push_back(cursor.kept_alive_by(t));
  }
  return out;
}

void check_all_ways(const Recording& r) {
  RC_ASSERT(r.events.rows() > 0);
  Cursor cursor(r, static_cast<std::uint32_t>(*rc::gen::inRange(0, 200)));
  std::vector<std::uint64_t> digests;
  std::vector<std::vector<std::vector<std::uint32_t>>> answers;
  do {
    digests.push_back(cursor.state().digest());
    answers.push_back(answers_of(cursor, r.tasks.rows()));
  } while (cursor.step());
  do {
    expect_same(cursor, digests[cursor.position()], answers[cursor.position()]);
  } while (cursor.back());
  RC_ASSERT(cursor.state().digest() == digests[0]);
  Cursor other(r, static_cast<std::uint32_t>(*rc::gen::inRange(1, 50)));
  for (const std::uint32_t to : *rc::gen::container<std::vector<std::uint32_t>>(30, rc::gen::inRange(0U, cursor.size() + 1))) {
    other.seek(to);
    expect_same(other, digests[to], answers[to]);
  }
  const auto seed = *rc::gen::inRange<std::uint32_t>(1, 1000);
  RC_ASSERT(error_of_walks(r, seed, 10) == "");
  RC_ASSERT(error_of_watches(r, seed, 5) == "");
}

RC_GTEST_PROP(EventSequencesProperty, EveryWayReachesTheSameStates, ()) { check_all_ways(random_recording()); }

RC_GTEST_PROP(EventSequencesProperty, EveryWayOfAToyRunReachesTheSameStates, ()) {
  SyntheticOptions options;
  options.tasks = static_cast<std::uint32_t>(*rc::gen::inRange(1, 60));
  options.max_fanin = static_cast<std::uint32_t>(*rc::gen::inRange(0, 6));
  options.cores = static_cast<std::uint32_t>(*rc::gen::inRange(1, 5));
  options.in_flight = static_cast<std::uint32_t>(*rc::gen::inRange(2, 40));
  options.seed = *rc::gen::arbitrary<std::uint16_t>();
  options.pins = *rc::gen::arbitrary<bool>();
  options.faults = *rc::gen::arbitrary<bool>();
  options.program = false;
  const Recording r = synthetic_recording(options);
  validate(r, "toy");
  check_all_ways(r);
}

RC_GTEST_PROP(EventSequencesProperty, KeyframesGiveBackWhatTheySaved, ()) {
  const Recording r = random_recording();
  const EdgeIndex edges(r);
  ReplayState now = initial_state(r);
  Keyframes frames;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> saved;
  const std::uint32_t interval = static_cast<std::uint32_t>(*rc::gen::inRange(1, 40));
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (i % interval == 0) {
      frames.add(i, now);
      saved.emplace_back(now.state.digest(), now.edge_progress);
    }
    apply_event(r, edges, i, /*check=*/true, now);
  }
  for (std::size_t frame : *rc::gen::container<std::vector<std::size_t>>(10, rc::gen::inRange(std::size_t{0}, saved.size()))) {
    frames.restore(frame, now);
    RC_ASSERT(now.state.digest() == saved[frame].first);
    RC_ASSERT(now.edge_progress == saved[frame].second);
  }
}

}  // namespace
}  // namespace depscope::replay
