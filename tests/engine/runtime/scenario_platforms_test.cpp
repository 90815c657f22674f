// Scenarios 12.7: what the platforms do differently. 7a, the comparison of everything else, is the suite S7aAligned of all
// scenarios.
#include "scenario.h"

namespace depscope::runtime {
namespace {

DEPSCOPE_PLATFORM_SCENARIO(S7b_PublicationInBatches) {
  Scenario& s = bench.run();
  s.begin();
  for (int i = 0; i < 20; ++i) s.submit();
  s.end();
  for (std::uint32_t i = 0; i < 20; ++i) {
    s.retire(i);
    EXPECT_EQ(s.ring(1).watermark, i + 1);
    const std::int64_t batch = i == 19 ? 20 : i >= 15 ? 16 : 0;
    EXPECT_EQ(s.ring(1).published, bench.a5() ? batch : i + 1);
  }
  EXPECT_EQ(s.count(EventKind::Request), 0U);
  s.finish();
}

DEPSCOPE_PLATFORM_SCENARIO(S7c_PressureAsksForPublication) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 16;
  Scenario& s = bench.run(o);
  s.begin();
  for (int i = 0; i < 15; ++i) s.submit();
  s.end();
  for (std::uint32_t i = 0; i < 14; ++i) s.retire(i);
  s.start(14);
  EXPECT_EQ(s.ring(1).watermark, 14);
  EXPECT_EQ(s.ring(1).published, bench.a5() ? 0 : 14);
  s.begin();
  const std::size_t from = s.sink.events.size();
  const std::uint32_t next = s.submit();
  ASSERT_NE(next, kNoRow);
  EXPECT_TRUE(s.running(14));  // nothing but the publication was needed
  EXPECT_EQ(s.ring(1).published, 14);
  EXPECT_TRUE(s.sink.findings.empty());
  std::vector<EventKind> waited;
  for (std::size_t i = from; i < s.sink.events.size(); ++i) {
    switch (const EventKind kind = s.sink.events[i].kind) {
      case EventKind::Block:
      case EventKind::Unblock:
      case EventKind::Request:
      case EventKind::Publish:
      case EventKind::Acknowledge: waited.push_back(kind); break;
      default: break;
    }
  }
  const std::vector<EventKind> pressure{EventKind::Block,   EventKind::Request,     EventKind::Request,
                                        EventKind::Publish, EventKind::Acknowledge, EventKind::Unblock};
  EXPECT_EQ(waited, bench.a5() ? pressure : std::vector<EventKind>{});
  s.end();
  s.finish();
}

DEPSCOPE_PLATFORM_SCENARIO(S7d_StructuralTestNeedsAnExactWatermark) {
  ModelOptions o = bench.options();
  o.limits[3].task_window = 4;
  Scenario& s = bench.run(o);
  for (int depth = 1; depth <= 3; ++depth) s.begin();
  s.submit();
  s.submit();
  s.begin();
  s.submit();
  EXPECT_EQ(s.submit(), kNoRow);
  EXPECT_EQ(s.model.error_code(), 3);
  EXPECT_EQ(s.sink.error_class, ErrorClass::Structural);
  EXPECT_EQ(s.count(EventKind::Request), bench.a5() ? 2U : 0U);  // one request, served
  EXPECT_EQ(s.count(EventKind::Acknowledge), bench.a5() ? 1U : 0U);
  if (!bench.a5()) return;
  std::size_t acknowledged = 0, failed = 0;
  for (std::size_t i = 0; i < s.sink.events.size(); ++i) {
    if (s.sink.events[i].kind == EventKind::Acknowledge) acknowledged = i;
    if (s.sink.events[i].kind == EventKind::Error) failed = i;
  }
  EXPECT_LT(acknowledged, failed);
}

}  // namespace
}  // namespace depscope::runtime
