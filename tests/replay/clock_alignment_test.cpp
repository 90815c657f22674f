// The host's and the device's clock on one time line (artefacts.md 14.3).
#include "depscope/replay/artefacts/clock_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "depscope/replay/artefacts/swimlane.h"
#include "log_text.h"

namespace depscope::replay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMost = ~std::uint64_t{0};

ClockSample sample(AnchorPosition position, std::uint64_t before, std::uint64_t cycles, std::uint64_t rtt,
                   std::uint64_t index = 0) {
  return {position, index, before, before + rtt, cycles, rtt, false};
}
ClockSample early(std::uint64_t before, std::uint64_t cycles, std::uint64_t rtt, std::uint64_t index = 0) {
  return sample(AnchorPosition::BeforeHostOrchestration, before, cycles, rtt, index);
}
ClockSample late(std::uint64_t before, std::uint64_t cycles, std::uint64_t rtt, std::uint64_t index = 0) {
  return sample(AnchorPosition::AfterDeviceExecution, before, cycles, rtt, index);
}
ClockAnchors anchors(std::vector<ClockSample> samples) {
  ClockAnchors out;
  out.samples = std::move(samples);
  return out;
}
ClockSpan span(std::uint64_t frequency, std::uint64_t first = 0, std::uint64_t last = 0) {
  ClockSpan out;
  out.frequency = frequency;
  out.first_cycle = first;
  out.last_cycle = last;
  return out;
}

TEST(ClockAlignmentTest, TheSampleIsCalibrated) {
  const Swimlane s = read_swimlane({"records.json", sample_text("host_graph/chip_swimlane_records.json")});
  ASSERT_EQ(s.clock_anchors.samples.size(), 3U);
  EXPECT_EQ(s.clock_anchors.samples[1].rtt, 1'000U);
  EXPECT_FALSE(s.clock_anchors.device_uptime);
  EXPECT_EQ(s.host_origin_ns, 5'000'010'000U);
  const ClockAlignment a = align_clocks(s);
  EXPECT_TRUE(a.calibrated());
  EXPECT_THAT(a.reason(), IsEmpty());
  EXPECT_EQ(a.uncertainty(), 100U);
  EXPECT_EQ(a.host_ns(s.aicore.receive[0]), 5'000'049'600);
  EXPECT_EQ(a.since_origin_ns(s.aicore.receive[0]), 39'600);
  EXPECT_DOUBLE_EQ(a.since_origin_us(s.aicore.receive[0]), 39.6);
  EXPECT_TRUE(host_capture_complete(s));
}

TEST(ClockAlignmentTest, TheTightestSampleOfEachPositionCounts) {
  ClockSample broken = early(1, 1, 0);
  broken.error = true;
  ClockSample backward = early(100, 1, 0);
  backward.host_after = 99;
  const ClockAnchors all = anchors({early(1'000, 10, 50, 3), early(2'000, 20, 40, 2), early(3'000, 30, 40, 1), broken, backward,
                                    early(100, 0, 0), late(9'000, 90, 7), sample(AnchorPosition::Other, 5, 5, 0)});
  const ClockAlignment a(all, span(10'000'000));
  ASSERT_TRUE(a.calibrated()) << a.reason();
  EXPECT_EQ(a.host_ns(30), 3'020);
  EXPECT_EQ(a.host_ns(90), 9'003);
  EXPECT_EQ(a.uncertainty(), 20U);
}

TEST(ClockAlignmentTest, UncertaintyIsRoundedUpWithTheUnitsThatWereRead) {
  ClockAnchors all = anchors({early(1'000, 10, 51), late(9'000, 90, 8)});
  EXPECT_EQ(ClockAlignment(all, span(10'000'000)).uncertainty(), 26U);
  all.device_uptime = true;
  ClockSpan quantized = span(10'000'000);
  quantized.quantization = 7;
  EXPECT_EQ(ClockAlignment(all, quantized).uncertainty(), 1'033U);
}

/// The frequency misses 10 ns over 3 cycles: divisions go toward zero on both sides of the first anchor.
TEST(ClockAlignmentTest, TheMissOfTheFrequencyIsSpreadInWholeNanoseconds) {
  const ClockAnchors all = anchors({early(1'000, 100, 0), late(1'040, 103, 0)});
  const ClockAlignment a(all, span(100'000'000));
  ASSERT_TRUE(a.calibrated());
  EXPECT_EQ(a.host_ns(100), 1'000);
  EXPECT_EQ(a.host_ns(101), 1'013);
  EXPECT_EQ(a.host_ns(102), 1'026);
  EXPECT_EQ(a.host_ns(103), 1'040);
  EXPECT_EQ(a.host_ns(99), 987);
  const ClockAlignment back(anchors({early(1'000, 100, 0), late(1'020, 103, 0)}), span(100'000'000));
  EXPECT_EQ(back.host_ns(101), 1'007);  // 10 - 3
  EXPECT_EQ(back.host_ns(99), 993);
}

TEST(ClockAlignmentTest, WhatCannotBeAlignedSaysWhy) {
  const auto reason = [](const ClockAnchors& all, const ClockSpan& of) { return ClockAlignment(all, of).reason(); };
  const ClockAnchors good = anchors({early(1'000, 10, 0), late(9'000, 90, 0)});
  EXPECT_THAT(reason(good, span(10'000'000, 10, 90)), IsEmpty());
  EXPECT_THAT(reason(good, span(0)), HasSubstr("frequency"));
  EXPECT_THAT(reason({}, span(1)), HasSubstr("no clock anchors"));
  EXPECT_THAT(reason(anchors({late(9'000, 90, 0)}), span(1)), HasSubstr("before the host's orchestration"));
  EXPECT_THAT(reason(anchors({early(1'000, 10, 0)}), span(1)), HasSubstr("after the execution"));
  EXPECT_THAT(reason(anchors({early(9'000, 10, 0), late(9'000, 90, 0)}), span(1)), HasSubstr("the host's clock does not"));
  EXPECT_THAT(reason(anchors({early(1'000, 90, 0), late(9'000, 90, 0)}), span(1)), HasSubstr("the device's clock does not"));
  EXPECT_THAT(reason(good, span(10'000'000, 9, 50)), HasSubstr("9 to 50, are not all between the anchors, 10 to 90"));
  EXPECT_THAT(reason(good, span(10'000'000, 50, 91)), HasSubstr("not all between"));
  ClockAnchors newer = good;
  newer.known_schema = false;
  EXPECT_THAT(reason(newer, span(1)), HasSubstr("version"));
}

TEST(ClockAlignmentTest, WithoutACalibrationTheDeviceFollowsTheHost) {
  ClockSpan of = span(50'000'000, 1'000, 2'000);
  of.host_origin = 10'000;
  of.host_end = 30'000;
  const ClockAlignment a({}, of);
  EXPECT_FALSE(a.calibrated());
  EXPECT_EQ(a.since_origin_ns(1'000), 20'000);
  EXPECT_EQ(a.since_origin_ns(1'050), 21'000);
  EXPECT_EQ(ClockAlignment({}, span(0)).since_origin_ns(5), 0);
}

TEST(ClockAlignmentTest, EnormousNumbers) {
  const ClockAnchors wide = anchors({early(1, 1, 0), late(kMaxInt64, kMost, 0)});
  EXPECT_THAT(ClockAlignment(wide, span(1)).reason(), HasSubstr("do not fit the frequency"));
  const ClockAlignment a(wide, span(kMost));
  ASSERT_TRUE(a.calibrated()) << a.reason();
  EXPECT_EQ(a.host_ns(1), 1);
  EXPECT_EQ(a.host_ns(kMost), kMaxInt64);
  const ClockAlignment close(anchors({early(kMaxInt64 - 10, 5, 0), late(kMaxInt64, 15, 0)}), span(1'000'000'000));
  ASSERT_TRUE(close.calibrated());
  EXPECT_EQ(close.host_ns(kMost), kMaxInt64);
  ClockSample slow = early(2, 1, 0);
  slow.rtt = kMost;
  EXPECT_THAT(ClockAlignment(anchors({slow, late(9, 9, 0)}), span(1)).reason(), HasSubstr("before the host's orchestration"));
}

ClockAnchors read(const std::string& text) {
  const SourceFile source("anchors.json", text);
  JsonReader reader(source);
  ClockAnchors out = read_clock_anchors(reader);
  reader.end();
  return out;
}

TEST(ClockAlignmentTest, AnchorsOfOtherShapesAreLeftOut) {
  for (const char* text :
       {"null", "[]", "3", "{}", R"({"samples": 3})", R"({"samples": {}})", R"({"samples": [1, null, [], "x"]})"})
    EXPECT_THAT(read(text).samples, IsEmpty()) << text;
  const ClockAnchors odd = read(
      R"({"schema_version": 2, "raw_device_timestamp_unit": "device_uptime_us", "samples": [
          {"position": 3, "host_before_ns": "10", "device_cycles": null, "host_after_ns": 30, "error": {"stage": "get_timestamp", "code": 1}},
          {"position": "post_device_execution", "sample_idx": 2, "device_cycles": 18446744073709551615, "rtt_ns": null, "error": null}]})");
  EXPECT_FALSE(odd.known_schema);
  EXPECT_TRUE(odd.device_uptime);
  ASSERT_EQ(odd.samples.size(), 2U);
  EXPECT_EQ(odd.samples[0].position, AnchorPosition::Other);
  EXPECT_TRUE(odd.samples[0].error);
  EXPECT_EQ(odd.samples[0].rtt, 20U);  // from before to after
  EXPECT_EQ(odd.samples[1].position, AnchorPosition::AfterDeviceExecution);
  EXPECT_EQ(odd.samples[1].device_cycles, kMost);
  EXPECT_FALSE(odd.samples[1].error);
}

TEST(ClockAlignmentTest, ACaptureThatLacksRecordsIsNotComplete) {
  const std::string text = sample_text("host_graph/chip_swimlane_records.json");
  const auto complete = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return host_capture_complete(read_swimlane({"records.json", changed}));
  };
  EXPECT_TRUE(complete("\"pool_records\": 5", "\"pool_records\": 6"));
  EXPECT_FALSE(complete("\"expected_records\": 2", "\"expected_records\": 3"));
  EXPECT_FALSE(complete("\"recorded_records\": 2", "\"recorded_records\": 1"));
  EXPECT_FALSE(complete("\"dropped_records\": 0", "\"dropped_records\": 1"));
  EXPECT_FALSE(complete("\"status\": \"complete\"", "\"status\": \"dropped\""));
}

TEST(ClockAlignmentTest, EveryBeginningOfTheSample) {
  const std::string text = sample_text("host_graph/chip_swimlane_records.json");
  std::size_t read_in_part = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    try {
      const Swimlane s = read_swimlane({"records.json", text.substr(0, size)}, {.salvage = true});
      ++read_in_part;
      const ClockAlignment a = align_clocks(s);
      ASSERT_EQ(a.calibrated(), s.clock_anchors.samples.size() == 3) << size;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(read_in_part, text.size() / 2);
}

}  // namespace
}  // namespace depscope::replay
