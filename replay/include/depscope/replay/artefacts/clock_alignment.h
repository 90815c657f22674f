// The host's and the device's clock of a host-built graph on one time line (artefacts.md 4.2, 14.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/base/json_reader.h"

namespace depscope::replay {

struct Swimlane;

enum class AnchorPosition : std::uint8_t { BeforeHostOrchestration, AfterDeviceExecution, Other };

/// One look at the device's clock between two at the host's. 0: not told.
struct ClockSample {
  AnchorPosition position = AnchorPosition::Other;
  std::uint64_t index = 0;
  std::uint64_t host_before = 0, host_after = 0;  ///< nanoseconds of CLOCK_MONOTONIC
  std::uint64_t device_cycles = 0;
  std::uint64_t rtt = 0;  ///< nanoseconds; of a file without it: from before to after
  bool error = false;
};

/// `metadata.clock_anchors`
struct ClockAnchors {
  bool known_schema = true;    ///< version 1, or none given
  bool device_uptime = false;  ///< device times were read in whole microseconds
  std::vector<ClockSample> samples;
};

/// Reads the value that comes next. What is not of the shape is left out; throws InputError for text that is no JSON.
[[nodiscard]] ClockAnchors read_clock_anchors(JsonReader& reader);

/// The part of a run that alignment needs. Nanoseconds are of the host's clock.
struct ClockSpan {
  std::uint64_t frequency = 0;    ///< cycles a second
  std::uint64_t first_cycle = 0;  ///< earliest and latest positive time of the device, 0 if there is none
  std::uint64_t last_cycle = 0;
  std::uint64_t host_origin = 0;   ///< zero of the time line
  std::uint64_t host_end = 0;      ///< when the host's last phase ended
  std::uint64_t quantization = 0;  ///< nanoseconds
};

class ClockAlignment {
 public:
  /// Never fails: without a calibration `reason` says why.
  ClockAlignment(const ClockAnchors& anchors, const ClockSpan& span);

  [[nodiscard]] bool calibrated() const { return reason_.empty(); }
  /// Why there is no calibration, in words; empty if there is one.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Nanoseconds by which a time of the device may be off on the host's clock. Of calibrated clocks only.
  [[nodiscard]] std::uint64_t uncertainty() const { return uncertainty_; }
  /// The host's nanoseconds at a cycle of the device, by whole divisions toward zero; held within 64 bits. Of calibrated clocks
  /// only.
  [[nodiscard]] std::int64_t host_ns(std::uint64_t cycles) const;
  /// Nanoseconds since the host's origin. Without a calibration the device is taken to begin where the host ended: the gap
  /// between the two is not known, differences of two device times are right.
  [[nodiscard]] std::int64_t since_origin_ns(std::uint64_t cycles) const;
  [[nodiscard]] double since_origin_us(std::uint64_t cycles) const { return static_cast<double>(since_origin_ns(cycles)) / 1e3; }

 private:
  struct Anchor {
    std::uint64_t cycles = 0;
    std::int64_t host = 0;
    std::uint64_t rtt = 0;
  };
  [[nodiscard]] static std::optional<Anchor> best(const ClockAnchors& anchors, AnchorPosition position);
  [[nodiscard]] std::string calibrate(const ClockAnchors& anchors);

  ClockSpan span_;
  std::string reason_;
  Anchor before_, after_;
  std::int64_t correction_ = 0;  ///< nanoseconds that the frequency misses from one anchor to the other
  std::uint64_t uncertainty_ = 0;
};

/// Of the timing of a run with a host orchestrator.
[[nodiscard]] ClockAlignment align_clocks(const Swimlane& file);
/// Whether every task that was submitted has its host record: only then latencies across the two clocks may be told.
[[nodiscard]] bool host_capture_complete(const Swimlane& file);

}  // namespace depscope::replay
