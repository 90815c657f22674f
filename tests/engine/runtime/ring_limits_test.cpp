#include "depscope/runtime/ring_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/base/diagnostics.h"

namespace depscope::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kWindow = static_cast<std::size_t>(RingResource::TaskWindow);
constexpr auto kHeap = static_cast<std::size_t>(RingResource::Heap);
constexpr auto kPool = static_cast<std::size_t>(RingResource::DepPool);

std::vector<std::uint64_t> windows(const EffectiveRingLimits& e) {
  std::vector<std::uint64_t> out;
  for (const RingLimits& r : e.limits) out.push_back(r.task_window);
  return out;
}

std::vector<std::string> errors_of(const RingLimitSources& sources) {
  std::vector<std::string> out;
  try {
    (void)effective_ring_limits(sources);
  } catch (const InputError& e) {
    for (const Diagnostic& d : e.diagnostics()) out.push_back(d.message);
  }
  return out;
}

TEST(RingLimits, NothingGivenIsTheDefault) {
  const EffectiveRingLimits e = effective_ring_limits({});
  EXPECT_THAT(windows(e), ElementsAre(16384, 16384, 16384, 16384));
  EXPECT_EQ(e.limits[3].heap, std::uint64_t{256} << 20U);
  EXPECT_EQ(e.limits[3].dep_pool, 16384U);
  EXPECT_THAT(e.warnings, IsEmpty());
  for (const auto& resource : e.source) {
    for (const LimitSource source : resource) EXPECT_EQ(source, LimitSource::Default);
  }
}

TEST(RingLimits, TheRunWinsOverTheEnvironmentOverTheDefaultForEachRing) {
  RingLimitSources sources;
  sources.run[kWindow] = {8, 0, 0, 32};
  sources.environment[kWindow] = "64,128,256,512";
  sources.run[kPool] = {0, 4, 0, 0};
  const EffectiveRingLimits e = effective_ring_limits(sources);
  EXPECT_THAT(windows(e), ElementsAre(8, 128, 256, 32));
  EXPECT_THAT(e.source[kWindow],
              ElementsAre(LimitSource::Run, LimitSource::Environment, LimitSource::Environment, LimitSource::Run));
  EXPECT_EQ(e.limits[1].dep_pool, 4U);
  EXPECT_EQ(e.limits[0].dep_pool, 16384U);
  EXPECT_THAT(e.source[kPool], ElementsAre(LimitSource::Default, LimitSource::Run, LimitSource::Default, LimitSource::Default));
}

TEST(RingLimits, OneNumberIsForAllRings) {
  RingLimitSources sources;
  sources.run[kWindow] = all_rings(4);
  sources.environment[kHeap] = "4096";
  const EffectiveRingLimits e = effective_ring_limits(sources);
  EXPECT_THAT(windows(e), ElementsAre(4, 4, 4, 4));
  for (const RingLimits& r : e.limits) EXPECT_EQ(r.heap, 4096U);
}

TEST(RingLimits, OneWrongTokenMakesTheWholeVariableIgnored) {
  for (const char* text : {"",          "x",   "64,x,64,64", "64,64", "64,64,64",    "64,64,64,64,64", "64,",
                           ",64,64,64", "+64", "-64",        " 64",   "64 ",         "0x40",           "6.4",
                           "64;64",     "0",   "3",          "12",    "64,64,64,12", "2147483648",     "99999999999999999999"}) {
    RingLimitSources sources;
    sources.environment[kWindow] = text;
    const EffectiveRingLimits e = effective_ring_limits(sources);
    EXPECT_THAT(windows(e), ElementsAre(16384, 16384, 16384, 16384)) << text;
    ASSERT_THAT(e.warnings, SizeIs(1)) << text;
    EXPECT_THAT(e.warnings[0], HasSubstr("PTO2_RING_TASK_WINDOW=\"" + std::string(text) + "\" is ignored: ")) << text;
  }
  RingLimitSources both;
  both.environment[kHeap] = "1023";
  both.environment[kPool] = "2147483648";
  const EffectiveRingLimits e = effective_ring_limits(both);
  ASSERT_THAT(e.warnings, SizeIs(2));
  EXPECT_THAT(e.warnings[0], HasSubstr("PTO2_RING_HEAP=\"1023\" is ignored: 1023 is not allowed (allowed: a number from 1024"));
  EXPECT_THAT(e.warnings[1], HasSubstr("allowed: a number from 4 to 2147483647"));
}

TEST(RingLimits, AnIgnoredVariableDoesNotTouchWhatTheRunGives) {
  RingLimitSources sources;
  sources.run[kWindow] = {0, 8, 0, 0};
  sources.environment[kWindow] = "many";
  const EffectiveRingLimits e = effective_ring_limits(sources);
  EXPECT_THAT(windows(e), ElementsAre(16384, 8, 16384, 16384));
  EXPECT_THAT(e.warnings, SizeIs(1));
}

TEST(RingLimits, EdgesOfTheRanges) {
  RingLimitSources low;
  low.run = {all_rings(4), all_rings(1024), all_rings(4)};
  EXPECT_THAT(errors_of(low), IsEmpty());
  RingLimitSources high;
  high.run = {all_rings(kMaxGivenTaskWindow), all_rings(kMaxHeap), all_rings(kMaxDepPool)};
  EXPECT_THAT(errors_of(high), IsEmpty());
  high.run = {all_rings(0), all_rings(kMaxHeap + 1), all_rings(0)};
  EXPECT_THAT(errors_of(high),
              ElementsAre("--ring-heap: 8796093022209 is not allowed; allowed: a number from 1024 to 8796093022208"));
}

TEST(RingLimits, IllegalEntriesOfTheRunAreErrors) {
  RingLimitSources sources;
  sources.run[kWindow] = {0, 12, 0, 2};
  sources.run[kHeap] = {1023, 0, 0, 0};
  sources.run[kPool] = {0, 0, 3, 0};
  EXPECT_THAT(errors_of(sources),
              ElementsAre("--ring-task-window: 12 for ring 1 is not allowed; allowed: a power of two from 4 to 1073741824",
                          "--ring-task-window: 2 for ring 3 is not allowed; allowed: a power of two from 4 to 1073741824",
                          "--ring-heap: 1023 for ring 0 is not allowed; allowed: a number from 1024 to 8796093022208",
                          "--ring-dep-pool: 3 for ring 2 is not allowed; allowed: a number from 4 to 2147483647"));
}

TEST(RingLimits, LiftedDefaultsStay) {
  ModelOptions lifted;
  lifted.lift_limits();
  RingLimitSources sources;
  sources.defaults = lifted.limits;
  sources.run[kWindow] = {0, 16, 0, 0};
  EXPECT_THAT(windows(effective_ring_limits(sources)), ElementsAre(kMaxTaskWindow, 16, kMaxTaskWindow, kMaxTaskWindow));
  sources.run[kWindow] = {0, kMaxTaskWindow, 0, 0};
  EXPECT_THAT(errors_of(sources), SizeIs(1));
}

TEST(RingLimits, TheFinalValueIsCheckedToo) {
  RingLimitSources sources;
  sources.defaults[2].heap = 64;
  EXPECT_THAT(errors_of(sources), ElementsAre(HasSubstr("--ring-heap: 64 for ring 2 (default) is not allowed")));
}

}  // namespace
}  // namespace depscope::runtime
