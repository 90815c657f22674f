#include "depscope/replay/artefacts/clock_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "depscope/replay/artefacts/swimlane.h"

namespace depscope::replay {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostHostTime = kMaxInt64;
constexpr Wide kNanosecond = 1'000'000'000;
constexpr std::uint64_t kMicrosecond = 1'000;

std::int64_t held(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, std::numeric_limits<std::int64_t>::min(), kMaxInt64));
}

/// At most 94 bits: cycles have 64, a nanosecond 30.
Wide nanoseconds(Wide cycles, std::uint64_t frequency) { return cycles * kNanosecond / static_cast<Wide>(frequency); }

ClockSample sample(JsonReader& reader) {
  ClockSample out;
  bool has_rtt = false;
  const auto number = [&reader](std::uint64_t& value) {
    const bool told = reader.wide_integer(value);
    if (!told) value = 0;
    return told;
  };
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "position" && reader.is_string()) {
      const std::string_view name = reader.string();
      out.position = name == "pre_host_orchestration"  ? AnchorPosition::BeforeHostOrchestration
                     : name == "post_device_execution" ? AnchorPosition::AfterDeviceExecution
                                                       : AnchorPosition::Other;
    } else if (key == "sample_idx") {
      number(out.index);
    } else if (key == "host_before_ns") {
      number(out.host_before);
    } else if (key == "host_after_ns") {
      number(out.host_after);
    } else if (key == "device_cycles") {
      number(out.device_cycles);
    } else if (key == "rtt_ns") {
      has_rtt = number(out.rtt);
    } else if (key == "error") {
      out.error = !reader.null();
      if (out.error) reader.skip();
    } else {
      reader.skip();
    }
  }
  if (!has_rtt) out.rtt = out.host_after - std::min(out.host_after, out.host_before);
  return out;
}

}  // namespace

ClockAnchors read_clock_anchors(JsonReader& reader) {
  ClockAnchors out;
  if (!reader.is_object()) {
    reader.skip();
    return out;
  }
  std::string_view key;
  reader.begin_object();
  while (reader.next_key(key)) {
    if (key == "schema_version") {
      std::uint64_t version = 0;
      out.known_schema = reader.wide_integer(version) && version == 1;
    } else if (key == "raw_device_timestamp_unit" && reader.is_string()) {
      out.device_uptime = reader.string() == "device_uptime_us";
    } else if (key == "samples" && reader.is_array()) {
      reader.begin_array();
      while (reader.next_element()) {
        if (reader.is_object()) {
          out.samples.push_back(sample(reader));
        } else {
          reader.skip();
        }
      }
    } else {
      reader.skip();
    }
  }
  return out;
}

std::optional<ClockAlignment::Anchor> ClockAlignment::best(const ClockAnchors& anchors, AnchorPosition position) {
  const ClockSample* best = nullptr;
  for (const ClockSample& s : anchors.samples) {
    const bool positive = s.device_cycles != 0 && s.host_before != 0 && s.host_after != 0;
    const bool valid = !s.error && positive && s.host_after >= s.host_before && s.host_after <= kMostHostTime &&
                       s.rtt / 2 <= kMostHostTime - s.host_before;
    if (s.position != position || !valid) continue;
    if (best == nullptr || std::pair(s.rtt, s.index) < std::pair(best->rtt, best->index)) best = &s;
  }
  if (best == nullptr) return std::nullopt;
  return Anchor{best->device_cycles, static_cast<std::int64_t>(best->host_before + best->rtt / 2), best->rtt};
}

ClockAlignment::ClockAlignment(const ClockAnchors& anchors, const ClockSpan& span) : span_(span) { reason_ = calibrate(anchors); }

std::string ClockAlignment::calibrate(const ClockAnchors& anchors) {
  if (span_.frequency == 0) return "the frequency of the device's clock is not known";
  if (!anchors.known_schema) return "the clock anchors are of a version that is not known";
  if (anchors.samples.empty()) return "there are no clock anchors";
  const auto before = best(anchors, AnchorPosition::BeforeHostOrchestration);
  const auto after = best(anchors, AnchorPosition::AfterDeviceExecution);
  if (!before) return "no anchor before the host's orchestration is valid";
  if (!after) return "no anchor after the execution on the device is valid";
  if (before->host >= after->host) return "the host's clock does not go forward from one anchor to the other";
  if (before->cycles >= after->cycles) return "the device's clock does not go forward from one anchor to the other";
  if (span_.last_cycle != 0 && (span_.first_cycle < before->cycles || span_.last_cycle > after->cycles))
    return fmt::format("times of the device, {} to {}, are not all between the anchors, {} to {}", span_.first_cycle,
                       span_.last_cycle, before->cycles, after->cycles);
  const Wide correction =
      Wide{after->host} - (Wide{before->host} + nanoseconds(Wide{after->cycles} - Wide{before->cycles}, span_.frequency));
  // Products with it have to fit 128 bits.
  if (correction > kMaxInt64 || correction < -Wide{kMaxInt64})
    return "the anchors do not fit the frequency of the device's clock";
  before_ = *before;
  after_ = *after;
  correction_ = static_cast<std::int64_t>(correction);
  const std::uint64_t rtt = std::max(before->rtt, after->rtt);
  const Wide uncertainty = Wide{rtt / 2 + rtt % 2} + (anchors.device_uptime ? kMicrosecond : 0) + span_.quantization;
  uncertainty_ = static_cast<std::uint64_t>(std::min<Wide>(uncertainty, std::numeric_limits<std::uint64_t>::max()));
  return {};
}

std::int64_t ClockAlignment::host_ns(std::uint64_t cycles) const {
  const Wide since = Wide{cycles} - Wide{before_.cycles};
  const Wide part = Wide{correction_} * since / (Wide{after_.cycles} - Wide{before_.cycles});
  return held(Wide{before_.host} + nanoseconds(since, span_.frequency) + part);
}

std::int64_t ClockAlignment::since_origin_ns(std::uint64_t cycles) const {
  const Wide origin = span_.host_origin;
  if (calibrated()) return held(Wide{host_ns(cycles)} - origin);
  if (span_.frequency == 0) return 0;
  return held(Wide{span_.host_end} - origin + nanoseconds(Wide{cycles} - Wide{span_.first_cycle}, span_.frequency));
}

ClockAlignment align_clocks(const Swimlane& file) {
  ClockSpan span;
  span.frequency = file.clock_freq_hz;
  span.host_origin = file.host_origin_ns;
  span.quantization = file.host_quantization_ns;
  const auto device = [&span](const std::vector<std::uint64_t>& times) {
    for (const std::uint64_t t : times) {
      if (t == 0) continue;
      span.first_cycle = span.first_cycle == 0 ? t : std::min(span.first_cycle, t);
      span.last_cycle = std::max(span.last_cycle, t);
    }
  };
  for (const auto* times : {&file.aicore.receive, &file.aicore.start, &file.aicore.end, &file.aicpu.dispatch, &file.aicpu.finish,
                            &file.scheduler.start, &file.scheduler.end})
    device(*times);
  if (file.host_orchestrator) {
    for (const auto* times : {&file.orchestrator.end, &file.uploads.end}) {
      for (const std::uint64_t t : *times) span.host_end = std::max(span.host_end, t);
    }
    const auto& starts = file.orchestrator.start;
    if (span.host_origin == 0 && !starts.empty()) span.host_origin = *std::min_element(starts.begin(), starts.end());
  }
  return {file.clock_anchors, span};
}

bool host_capture_complete(const Swimlane& file) {
  const std::uint64_t lines = file.orchestrator.rows();
  return file.host_orchestrator && file.capture_status == "complete" && file.capture_dropped == 0 &&
         file.capture_recorded == lines && file.capture_expected == lines;
}

}  // namespace depscope::replay
