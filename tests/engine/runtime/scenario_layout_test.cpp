// Scenarios 12.6 (the whole path of a task) and 12.9 (flags kept in a mask beside the edges).
#include "scenario_lifetime.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- 12.6

/// The first events of these kinds that name the task come in this order.
void expect_order(const Scenario& s, std::uint32_t task, const std::vector<EventKind>& kinds) {
  std::size_t at = 0;
  for (const EventKind kind : kinds) {
    const std::size_t next = s.first(kind, task);
    EXPECT_GE(next, at) << event_kind_name(kind) << " of task " << task << " is too early";
    at = next;
  }
}

const std::vector<EventKind> kSubmitSteps{
    EventKind::Submit,          EventKind::SlotReset,    EventKind::SeqAssign,    EventKind::Bind,        EventKind::Record,
    EventKind::DescriptorWrite, EventKind::ReachPublish, EventKind::PayloadFlush, EventKind::PayloadInit, EventKind::Need,
    EventKind::WaitCount,       EventKind::Ready,        EventKind::QueuePush,    EventKind::QueuePop,    EventKind::BlockClaim,
    EventKind::Place,           EventKind::Dispatch,     EventKind::Finish,       EventKind::Observe,     EventKind::SubtaskCount,
    EventKind::Complete,        EventKind::Defer,        EventKind::ReleaseBegin, EventKind::Release};

/// Steps 1 to 19, dispatch to release of every task; consumption, advance, publication and reuse of slot 0.
void expect_whole_path(Scenario& s) {
  for (std::uint32_t task = 0; task < s.sink.tasks.size(); ++task) {
    expect_order(s, task, kSubmitSteps);
    EXPECT_LT(s.first(EventKind::Complete, task), s.first(EventKind::Consume, task));
    EXPECT_LT(s.first(EventKind::Consume, task), s.first(EventKind::SlotReclaim, task));
    // Between record and descriptor: discoveries, then registrations. Behind the payload: only wiring.
    const std::size_t record = s.first(EventKind::Record, task);
    const std::size_t written = s.first(EventKind::DescriptorWrite, task);
    const std::size_t flushed = s.first(EventKind::PayloadFlush, task);
    bool registered = false;
    for (std::size_t i = 0; i < s.sink.events.size(); ++i) {
      const Event& e = s.sink.events[i];
      if (e.kind == EventKind::EdgeAdd && e.object == task) {
        EXPECT_GT(i, record);
        EXPECT_LT(i, written);
        EXPECT_FALSE(registered);
        EXPECT_EQ(s.sink.events[i - 1].kind == EventKind::PinClaim, e.old_value == 0);
      }
      if (e.kind == EventKind::TensorMapInsert && s.sink.accesses[e.subject].task == task) registered = true;
      if (e.kind == EventKind::EdgeReduce && s.sink.edges[e.subject].consumer == task) {
        EXPECT_GT(i, s.first(EventKind::ReachPublish, task));
        EXPECT_LT(i, flushed);
      }
      if (e.kind == EventKind::NodeTake && e.subject == task) {
        EXPECT_GT(i, s.first(EventKind::Need, task));
      }
      if (e.kind == EventKind::WalkNode && e.subject == task) {
        EXPECT_GT(i, s.first(EventKind::Complete, task));
        EXPECT_LT(i, s.first(EventKind::Defer, task));
      }
      if (e.kind == EventKind::PinRelease && e.object == task && e.extra == static_cast<std::uint16_t>(ReleaseCause::Consumer)) {
        EXPECT_GT(i, s.first(EventKind::ReleaseBegin, task));
        EXPECT_LT(i, s.first(EventKind::Release, task));
      }
    }
  }
  // consume, advance, reset of the slot, publication
  const std::size_t consumed = s.first(EventKind::Consume, 0);
  const std::size_t advanced = s.first(EventKind::Watermark, kNoRow, consumed);
  const std::size_t reset = s.first(EventKind::SlotReclaim, 0, advanced);
  EXPECT_LT(reset, s.first(EventKind::Publish, kNoRow, reset));
}

ModelOptions small_window(const Bench& bench) {
  ModelOptions o = bench.options();
  o.limits[0].task_window = 4;
  return o;
}

/// The scope ends and everything runs; then the window goes round once so that slot 0 is used again.
void run_and_reuse(Scenario& s) {
  s.end();
  s.run_all();
  std::uint32_t again = 0;
  do {
    s.begin();
    again = s.submit();
    s.end();
    s.run_all();
  } while (s.task(again).slot != 0);
  EXPECT_EQ(s.task(again).generation, 2);
  EXPECT_LT(s.first(EventKind::SlotReclaim, 0), s.first(EventKind::SlotReset, again));
  s.finish();
  expect_whole_path(s);
}

DEPSCOPE_SCENARIO(S6a_PathOfDiamond) {
  Scenario& s = bench.run(small_window(bench));
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  s.submit({}, {s.wait_on(a), s.wait_on(b)});
  run_and_reuse(s);
}

DEPSCOPE_SCENARIO(S6a_PathOfReader) {
  Scenario& s = bench.run(small_window(bench));
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  s.submit({in(s.output(a))}, {s.dep(b)});
  run_and_reuse(s);
}

DEPSCOPE_SCENARIO(S6a_PathOfCombinedDiscoveries) {
  Scenario& s = bench.run(small_window(bench));
  const std::uint32_t k = s.submit({inout(external(1)), out(256)});
  s.submit({in(external(1)), in(s.output(k))});
  s.submit({inout(s.output(k))});
  run_and_reuse(s);
}

DEPSCOPE_SCENARIO(S6a_PathOfModifier) {
  Scenario& s = bench.run(small_window(bench));
  s.submit({inout(external(1))});
  s.submit({in(external(1))});
  run_and_reuse(s);
}

/// Flags, total and WAIT count as flushed are those of the builder, and payload init changes none.
void expect_payload_kept(const Scenario& s) {
  EXPECT_EQ(s.count(EventKind::EdgeLost), 0U);
  EXPECT_FALSE(s.found(RunFindingKind::FlagsLost));
  for (const Event& e : s.sink.events) {
    if (e.kind != EventKind::PayloadInit) continue;
    EXPECT_EQ(e.object, 0U);
  }
  for (std::uint32_t t = 0; t < s.sink.tasks.size(); ++t) {
    std::int64_t total = 0, waits = 0;
    for (std::uint32_t e = 0; e < s.sink.edges.size(); ++e) {
      const EdgeRow& row = s.sink.edges[e];
      if (row.consumer != t || row.at_add == ProducerStatus::Gone) continue;
      ++total;
      waits += row.flags_final & kWait;
      EXPECT_EQ(s.flags(row.producer, t), row.flags_final);
    }
    EXPECT_EQ(s.task(t).edges, total);
    EXPECT_EQ(s.task(t).waits, waits);
  }
}

void many_creators(Scenario& s) {
  std::vector<ExplicitDep> deps;
  for (int i = 0; i < 66; ++i) {
    const std::uint32_t p = s.submit({out(256)});
    deps.push_back(s.dep(p));
  }
  s.submit({}, deps);  // a task has at most 32 tensors: the edges to the creators are explicit
}

DEPSCOPE_SCENARIO(S6b_PayloadInitChangesNothing) {
  for (const EdgeRepresentation edges : {EdgeRepresentation::Split, EdgeRepresentation::Coupled}) {
    ModelOptions o = bench.options();
    o.edges = edges;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit({out(4096)});
    const std::uint32_t b = s.submit({inout(external(1))}, {s.wait_on(a)});
    s.submit({in(s.output(a)), in(external(1))}, {s.dep(b)});
    s.submit({inout(external(1)), out(256)}, {s.dep(a, kRetain)});
    many_creators(s);
    expect_payload_kept(s);
    s.finish();
  }
}

DEPSCOPE_SCENARIO(S6c_MaskIsNoticed) {
  ModelOptions o = bench.options();
  o.edges = EdgeRepresentation::MaskBug;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t c = s.submit({in(s.output(a))});
  EXPECT_EQ(s.count(EventKind::EdgeLost), 1U);
  EXPECT_EQ(s.sink.events[s.first(EventKind::PayloadInit, c)].object, 1U);
  EXPECT_TRUE(s.found(RunFindingKind::FlagsLost));
  s.finish();
}

// ---------------------------------------------------------------- 12.9

ModelOptions masks(const Bench& bench, MaskLayout layout) {
  ModelOptions o = bench.options();
  o.edges = EdgeRepresentation::MaskBug;
  o.mask_layout = layout;
  return o;
}

DEPSCOPE_SCENARIO(P1_InitZeroesTheMask) {
  ModelOptions o = masks(bench, MaskLayout::InitZeroes);
  o.limits[0].heap = 4096;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t c = s.submit({in(s.output(a))});
  const Event& lost = s.sink.events[s.first(EventKind::EdgeLost, s.edge(a, c))];
  EXPECT_EQ(lost.old_value, kWaitRetain);
  EXPECT_EQ(lost.new_value, kWait);
  EXPECT_LT(s.first(EventKind::PayloadFlush, c), s.first(EventKind::EdgeLost, s.edge(a, c)));
  EXPECT_EQ(s.pins(a), "1/1");
  s.end();
  s.complete(a);
  s.release(a);
  EXPECT_EQ(s.state(a), "Z");
  EXPECT_EQ(s.ring().watermark, 1);
  s.start(c);
  s.begin();
  const std::uint32_t d = s.submit({out(4096)});
  EXPECT_TRUE(s.running(c));
  EXPECT_EQ(s.sink.tasks[d].heap_begin, s.sink.tasks[a].heap_begin);
  const RunFinding& f = s.finding(RunFindingKind::FlagsLost);
  EXPECT_EQ(f.task, c);
  EXPECT_EQ(f.other, a);
  EXPECT_EQ(f.count, 1U);
  EXPECT_EQ(s.finding(RunFindingKind::EarlyReclaim).task, a);
  EXPECT_EQ(s.finding(RunFindingKind::BytesReused).other, c);
  const std::size_t before = s.count(EventKind::PinRelease);
  s.complete(c);
  s.release(c);
  EXPECT_EQ(s.count(EventKind::PinRelease), before);
  s.finish();
}

DEPSCOPE_SCENARIO(P2_SpilledEdgesKeepTheirKind) {
  Scenario& s = bench.run(masks(bench, MaskLayout::InitZeroes));
  many_creators(s);
  const std::uint32_t c = 66;
  std::uint32_t held = 0;
  for (std::uint32_t p = 0; p < 66; ++p) {
    EXPECT_EQ(s.flags(p, c), p < 64 ? kWait : kWaitRetain);
    held += s.pins(p) == "0/1" ? 1 : 0;
  }
  EXPECT_EQ(held, 2U);
  EXPECT_EQ(s.finding(RunFindingKind::FlagsLost).count, 64U);
  s.finish();
}

DEPSCOPE_SCENARIO(P3_MaskWrittenAfterInit) {
  expect_payload_kept(reader_retains_the_owner(bench, masks(bench, MaskLayout::WrittenAfterInit)));
  expect_payload_kept(modifier_leaves_early(bench, masks(bench, MaskLayout::WrittenAfterInit)));
}

DEPSCOPE_SCENARIO(P4_FlagsInTheEntries) {
  expect_payload_kept(reader_retains_the_owner(bench, bench.options()));
  expect_payload_kept(modifier_leaves_early(bench, bench.options()));
}

DEPSCOPE_SCENARIO(P5_MaskResidue) {
  ModelOptions o = masks(bench, MaskLayout::NeverCleared);
  o.limits[0].task_window = 4;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit({out(4096)});
  s.submit({in(s.output(a))});  // slot 1: sets bit 0
  s.end();
  s.run_all();
  for (int i = 2; i < 4; ++i) {
    s.begin();
    s.submit();
    s.end();
    s.run_all();
  }
  s.begin();
  const std::uint32_t m = s.submit({inout(external(1))});
  const std::uint32_t c = s.submit({in(external(1))});
  EXPECT_EQ(s.task(c).slot, 1);
  EXPECT_EQ(s.task(c).generation, 2);
  const Event& lost = s.sink.events[s.first(EventKind::EdgeLost, s.edge(m, c))];
  EXPECT_EQ(lost.old_value, kWait);
  EXPECT_EQ(lost.new_value, kWaitRetain);
  EXPECT_EQ(s.finding(RunFindingKind::FlagsLost).task, c);
  EXPECT_EQ(s.pins(m), "0/1");
  s.retire(m);
  s.end();
  EXPECT_EQ(s.state(m), "C");  // 4a expects Z
  s.complete(c);
  EXPECT_EQ(s.state(m), "C");
  s.release(c);
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_FALSE(s.found(RunFindingKind::EarlyReclaim));
  s.finish();
}

}  // namespace
}  // namespace depscope::runtime
