// Programs that several layouts of the payload must play the same way (runtime.md 12.2, 12.4, 12.9).
#pragma once

#include "scenario.h"

namespace depscope::runtime {

/// 2a: C reads what A created and is ordered behind B.
inline Scenario& reader_retains_the_owner(Bench& bench, const ModelOptions& options) {
  Scenario& s = bench.run(options);
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.dep(b)});
  EXPECT_EQ(s.edge(a, c), s.edge(b, c) + 1);  // order of discovery
  EXPECT_EQ(s.flags(a, c), kRetain);
  EXPECT_EQ(s.pins(a), "1/2");
  EXPECT_EQ(s.task(c).waits, 1);
  EXPECT_EQ(s.task(c).need, 2);
  s.end();
  for (const std::uint32_t t : {a, b, c}) {
    EXPECT_EQ(s.task(t).scope_released, 1);
    EXPECT_EQ(s.state(t), "P");
  }
  const auto apart_from_y = [&] {
    s.begin();
    const std::uint32_t other = s.submit({out(4096)});
    EXPECT_GE(s.sink.tasks[other].heap_begin, s.sink.tasks[a].heap_end);
    s.end();
    s.retire(other);
  };
  s.retire(a);
  EXPECT_EQ(s.show(a), "C, ready 1/1, pins 1/2, scope 1");
  EXPECT_EQ(s.ring().watermark, 0);
  EXPECT_EQ(s.ring().heap_tail, 0);
  apart_from_y();
  EXPECT_EQ(s.ring().heap_tail, 0);
  s.retire(b);
  EXPECT_EQ(s.show(a), "C, ready 1/1, pins 1/2, scope 1");
  EXPECT_EQ(s.ready(c), "2/2");
  s.complete(c);
  EXPECT_EQ(s.state(a), "C");
  EXPECT_EQ(s.ring().watermark, 0);
  const std::size_t from = s.sink.events.size();
  s.release(c);
  EXPECT_EQ(s.show(a), "Z, ready 1/1, pins 2/2, scope 1");
  EXPECT_EQ(s.state(b), "Z");
  EXPECT_EQ(s.state(c), "Z");
  // B first, without any advance; then A with it, then C.
  const std::size_t consumed_b = s.first(EventKind::Consume, b, from);
  const std::size_t consumed_a = s.first(EventKind::Consume, a, from);
  const std::size_t consumed_c = s.first(EventKind::Consume, c, from);
  EXPECT_LT(consumed_b, consumed_a);
  EXPECT_LT(consumed_a, consumed_c);
  std::int64_t before_a = 0, before_c = 0;
  for (std::size_t i = 0; i < consumed_c; ++i) {
    if (s.sink.events[i].kind != EventKind::Watermark) continue;
    (i < consumed_a ? before_a : before_c) = s.sink.events[i].new_value;
  }
  EXPECT_EQ(before_a, 0);
  EXPECT_EQ(before_c, 2);
  EXPECT_EQ(s.ring().watermark, 4);  // C and the task of the allocation in between
  const std::int64_t end = s.ring().heap_top;
  s.begin();
  s.submit({out(4096)});
  EXPECT_EQ(s.ring().heap_tail, end);
  s.finish();
  return s;
}

/// 4a: M is only waited for and leaves while its reader waits.
inline Scenario& modifier_leaves_early(Bench& bench, const ModelOptions& options) {
  Scenario& s = bench.run(options);
  const std::uint32_t m = s.submit({inout(external(1))});
  const std::uint32_t c = s.submit({in(external(1))});
  EXPECT_EQ(s.pins(m), "1/1");
  EXPECT_EQ(s.flags(m, c), kWait);
  s.complete(m);
  s.end();
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_EQ(s.ring().watermark, 1);
  EXPECT_EQ(s.state(c), "P");
  s.finish();
  return s;
}

}  // namespace depscope::runtime
