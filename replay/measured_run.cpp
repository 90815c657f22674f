#include "depscope/replay/measured_run.h"

#include <charconv>
#include <string_view>

#include "recorded_option.h"

namespace depscope::replay {
namespace {

using recording::Recording;

/// 0 where it is no number above 0.
double number(std::string_view text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out > 0 && out < 1e18 ? out : 0;
}

}  // namespace

bool has_measured_events(const Recording& r) { return recorded_option(r, "events") == "measured"; }

double microseconds_per_unit(const Recording& r) { return number(recorded_option(r, "time-unit-us")); }

double clock_frequency(const Recording& r) { return number(recorded_option(r, "clock-freq-hz")); }

double microseconds_per_tick(const Recording& r) {
  const double frequency = clock_frequency(r);
  return frequency == 0 ? 0 : 1e6 / frequency;
}

}  // namespace depscope::replay
