// Scenarios 12.3 (discoveries are combined), 12.5 (inline and spilled edges) and 12.8 (the record keeps flags).
#include "scenario.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- 12.3

DEPSCOPE_SCENARIO(S3a_CreatorAndModifier) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t m = s.submit({inout(s.output(a))});
  EXPECT_EQ(s.flags(a, m), kWaitRetain);
  EXPECT_EQ(s.sink.entries, 1);
  const std::uint32_t n = s.submit({in(s.output(a))});
  EXPECT_EQ(s.constructed(a, n), kWaitRetain);
  EXPECT_EQ(s.flags(a, n), kRetain);
  EXPECT_EQ(s.flags(m, n), kWait);
  EXPECT_EQ(s.sink.edges[s.edge(a, n)].via, m);
  EXPECT_EQ(s.sink.edges[s.edge(a, n)].provenance, kCreator);
  EXPECT_EQ(s.sink.edges[s.edge(m, n)].provenance, kTensorMap);
  for (const bool modifier_first : {true, false}) {
    const TensorDescriptor z = external(modifier_first ? 1 : 2);
    const std::uint32_t k = s.submit({inout(z), out(256)});
    std::vector<Argument> args{in(z), in(s.output(k))};
    if (!modifier_first) std::swap(args[0], args[1]);
    const std::uint32_t l = s.submit(args);
    EXPECT_EQ(s.flags(k, l), kWaitRetain);
    EXPECT_EQ(s.task(l).edges, 1);
    EXPECT_EQ(s.pins(k), "0/1");
    EXPECT_EQ(s.sink.edges[s.edge(k, l)].provenance, kCreator | kTensorMap);
  }
  s.finish();
}

DEPSCOPE_SCENARIO(S3b_CreatorAndExplicitWait) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.wait_on(a)});
  EXPECT_EQ(s.flags(a, c), kWaitRetain);
  EXPECT_EQ(s.pins(a), "0/1");
  EXPECT_EQ(s.task(c).edges, 1);
  EXPECT_EQ(s.task(c).waits, 1);
  std::vector<std::int64_t> flags;
  for (const Event& e : s.sink.events) {
    if (e.kind == EventKind::EdgeAdd) flags.push_back(e.new_value);
  }
  EXPECT_EQ(flags, (std::vector<std::int64_t>{kWait, kWaitRetain}));
  s.finish();
}

DEPSCOPE_SCENARIO(S3c_ExplicitTwice) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  const std::uint32_t wait_first = s.submit({}, {s.dep(a, kWait), s.dep(a, kRetain)});
  const std::uint32_t retain_first = s.submit({}, {s.dep(a, kRetain), s.dep(a, kWait)});
  const std::uint32_t none_first = s.submit({}, {s.dep(a, kNone), s.dep(a, kRetain)});
  for (const std::uint32_t c : {wait_first, retain_first}) {
    EXPECT_EQ(s.flags(a, c), kWaitRetain);
    EXPECT_EQ(s.task(c).waits, 1);
    EXPECT_EQ(s.task(c).edges, 1);
    EXPECT_EQ(s.ready(c), "1/2");
  }
  EXPECT_EQ(s.flags(a, none_first), kRetain);
  EXPECT_EQ(s.ready(none_first), "1/1");
  EXPECT_TRUE(s.queued(none_first));
  EXPECT_EQ(s.pins(a), "0/3");
  s.finish();
}

DEPSCOPE_SCENARIO(S3d_StaleThenLiveOnOneSlot) {
  ModelOptions o = bench.options();
  o.limits[0].task_window = 4;
  Scenario& s = bench.run(o);
  s.end();
  for (int i = 0; i < 4; ++i) {
    s.begin();
    const std::uint32_t t = s.submit();
    s.end();
    s.retire(t);
  }
  s.begin();
  const std::uint32_t q = s.submit({out(4096)});
  EXPECT_EQ(s.task(q).slot, 0);
  TensorDescriptor stale = external(1);
  stale.owner = s.id(0);
  const std::uint32_t c = s.submit({in(stale), in(s.output(q))});
  EXPECT_EQ(s.flags(0, c), -1);
  EXPECT_EQ(s.flags(q, c), kWaitRetain);
  EXPECT_EQ(s.task(c).edges, 1);
  EXPECT_EQ(s.pins(q), "0/1");
  s.finish();
}

// ---------------------------------------------------------------- 12.5

constexpr std::uint32_t kMany = 70;

ModelOptions unreduced(const Bench& bench) {
  ModelOptions o = bench.options();
  o.reduction = {};
  return o;
}

/// Independent producers in the innermost scope.
std::vector<ExplicitDep> producers(Scenario& s, std::uint32_t count, bool cycle) {
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t p = s.submit();
    deps.push_back(s.dep(p, cycle ? static_cast<std::uint8_t>(i % 4) : std::uint8_t{kWaitRetain}));
  }
  return deps;
}

DEPSCOPE_SCENARIO(S5a_SeventyProducers) {
  Scenario& s = bench.run(unreduced(bench));
  const std::vector<ExplicitDep> deps = producers(s, kMany, true);
  const std::uint32_t c = s.submit({}, deps);
  for (std::uint32_t i = 0; i < kMany; ++i) EXPECT_EQ(s.flags(i, c), i % 4) << i;
  EXPECT_EQ(s.task(c).edges, kMany);
  EXPECT_EQ(s.task(c).waits, 35);
  EXPECT_EQ(s.task(c).need, 36);
  EXPECT_EQ(s.ring().spilled(), 6);
  EXPECT_EQ(s.ring().nodes(), 35);
  s.finish();
}

DEPSCOPE_SCENARIO(S5a_SeventyProducersWait) {
  Scenario& s = bench.run(unreduced(bench));
  std::vector<ExplicitDep> deps = producers(s, kMany, false);
  for (std::uint32_t i = 0; i < kMany; i += 2) deps[i].flags = kWait;
  const std::uint32_t c = s.submit({}, deps);
  EXPECT_EQ(s.task(c).waits, 70);
  EXPECT_EQ(s.ready(c), "1/71");
  s.finish();
}

DEPSCOPE_SCENARIO(S5b_SpillPoolWraps) {
  ModelOptions o = unreduced(bench);
  o.limits[1].dep_pool = 8;
  Scenario& s = bench.run(o);
  const std::vector<ExplicitDep> deps = producers(s, kMany, false);
  for (std::uint32_t i = 0; i < kMany; ++i) s.retire(i);
  s.begin();
  const std::uint32_t early = s.submit({}, {deps.begin(), deps.begin() + 69});
  EXPECT_EQ(s.ring(1).spilled(), 5);
  s.end();
  s.retire(early);
  EXPECT_EQ(s.state(early), "Z");
  s.begin();
  const std::uint32_t c = s.submit({}, deps);
  EXPECT_EQ(s.ring(1).spill_tail, 6);
  EXPECT_EQ(s.ring(1).spill_top, 12);
  s.complete(c);
  const std::size_t from = s.sink.events.size();
  s.release(c);
  std::uint32_t next = 0;
  for (std::size_t i = from; i < s.sink.events.size(); ++i) {
    if (s.sink.events[i].kind != EventKind::PinRelease) continue;
    EXPECT_EQ(s.sink.events[i].subject, next++);
  }
  EXPECT_EQ(next, kMany);
  s.end();
  s.finish();
}

DEPSCOPE_SCENARIO(S5c_PinsOfBothRegions) {
  Scenario& s = bench.run(unreduced(bench));
  const std::vector<ExplicitDep> deps = producers(s, 72, true);
  const std::uint32_t c = s.submit({}, deps);
  for (std::uint32_t i = 0; i < 72; ++i) EXPECT_EQ(s.pins(i), (i & kRetain) != 0 ? "0/1" : "1/1") << i;
  for (std::uint32_t i = 0; i < 72; ++i) s.retire(i);
  s.complete(c);
  for (std::uint32_t i = 0; i < 72; ++i) EXPECT_EQ(s.pins(i), (i & kRetain) != 0 ? "0/1" : "1/1") << i;
  s.release(c);
  for (std::uint32_t i = 0; i < 72; ++i) EXPECT_EQ(s.pins(i), "1/1") << i;
  s.finish();
}

DEPSCOPE_SCENARIO(S5d_SlotReuseLeavesNoResidue) {
  ModelOptions o = unreduced(bench);
  o.limits[1].task_window = 4;
  Scenario& s = bench.run(o);
  const std::vector<ExplicitDep> deps = producers(s, kMany, true);
  const auto consumer = [&](const std::vector<ExplicitDep>& of) {
    s.begin();
    const std::uint32_t t = s.submit({}, of);
    s.end();
    return t;
  };
  const std::uint32_t many = consumer(deps);
  for (std::uint32_t i = 0; i < kMany; ++i) s.retire(i);
  s.retire(many);
  for (int i = 0; i < 3; ++i) s.retire(consumer({}));
  const std::int64_t spilled = s.ring(1).spill_top;
  const std::uint32_t few = consumer({s.dep(0, kWaitRetain), s.dep(1, kRetain), s.dep(2, kWait)});
  EXPECT_EQ(s.task(few).slot, s.task(many).slot);
  EXPECT_EQ(s.task(few).generation, 2);
  EXPECT_EQ(s.flags(0, few), kWaitRetain);
  EXPECT_EQ(s.flags(1, few), kRetain);
  EXPECT_EQ(s.flags(2, few), kWait);
  EXPECT_EQ(s.task(few).edges, 3);
  EXPECT_EQ(s.task(few).waits, 2);
  EXPECT_EQ(s.ring(1).spill_top, spilled);
  const std::size_t before = s.count(EventKind::PinRelease);
  s.retire(few);
  EXPECT_EQ(s.count(EventKind::PinRelease), before + 2);
  s.finish();
}

// ---------------------------------------------------------------- 12.8
// The comparison with a written deps.json belongs to the replay.

DEPSCOPE_SCENARIO(S8a_ReplayShowsOnlyWait) {
  Scenario& s = bench.run();
  const std::uint32_t k = s.submit({inout(external(1)), out(256)});
  const std::uint32_t l = s.submit({in(external(1)), in(s.output(k))});
  const EdgeRow& e = s.sink.edges.at(s.edge(k, l));
  EXPECT_EQ(e.flags, kWaitRetain);
  EXPECT_EQ(e.provenance, kTensorMap | kCreator);
  std::uint8_t printed = 0;
  for (const EdgeReasonRow& r : s.sink.reasons) {
    if (r.replay_row) printed = static_cast<std::uint8_t>(printed | r.flags);
  }
  EXPECT_EQ(s.sink.reasons.size(), 2U);
  EXPECT_EQ(printed, kWait);
  s.finish();
}

DEPSCOPE_SCENARIO(S8b_WaitOnlyIsRecorded) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  EXPECT_EQ(s.constructed(a, b), kWait);
  ASSERT_EQ(s.sink.reasons.size(), 1U);
  EXPECT_EQ(s.sink.reasons[0].flags, kWait);
  s.finish();
}

DEPSCOPE_SCENARIO(S8c_RecordsOfManyExplicitIds) {
  Scenario& s = bench.run(unreduced(bench));
  std::vector<ExplicitDep> deps = producers(s, 647, true);
  const auto records = [&](std::size_t count) {
    deps.resize(count);
    const std::uint32_t c = s.submit({}, deps);
    std::size_t found = 0;
    for (const EdgeReasonRow& r : s.sink.reasons) {
      if (s.sink.edges[r.edge].consumer != c) continue;
      EXPECT_EQ(s.sink.edges[r.edge].producer, found);
      EXPECT_EQ(r.flags, found % 4);
      EXPECT_EQ(r.arg, -1);
      ++found;
    }
    EXPECT_EQ(found, count);
    return s.sink.events[s.first(EventKind::Record, c)].new_value;
  };
  EXPECT_EQ(records(647), 3);
  EXPECT_EQ(records(646), 2);
  EXPECT_EQ(records(65), 2);
  EXPECT_EQ(records(64), 1);
  s.finish();
}

DEPSCOPE_SCENARIO(S8d_ConstructedAndReducedFlags) {
  for (const std::uint8_t flags : {std::uint8_t{kWait}, std::uint8_t{kWaitRetain}}) {
    Scenario& s = bench.run();
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.dep(a, flags)});
    const std::uint32_t c = s.submit({}, {s.dep(a, flags), s.dep(b, flags)});
    EXPECT_EQ(s.sink.edges[s.edge(a, c)].flags, flags);
    EXPECT_EQ(s.sink.edges[s.edge(a, c)].flags_final, flags & ~kWait);
    EXPECT_EQ(s.sink.edges[s.edge(a, c)].via, b);
    s.finish();
  }
}

}  // namespace
}  // namespace depscope::runtime
