#include "depscope/replay/measured_run.h"

#include <charconv>
#include <string_view>

namespace depscope::replay {
namespace {

using recording::Recording;

std::string_view option(const Recording& r, std::string_view name) {
  for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
    if (r.text(r.options.name[i]) == name) return r.text(r.options.value[i]);
  }
  return {};
}

/// 0 where it is no number above 0.
double number(std::string_view text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out > 0 && out < 1e18 ? out : 0;
}

}  // namespace

bool has_measured_events(const Recording& r) { return option(r, "events") == "measured"; }

double microseconds_per_unit(const Recording& r) { return number(option(r, "time-unit-us")); }

double microseconds_per_tick(const Recording& r) {
  const double frequency = number(option(r, "clock-freq-hz"));
  return frequency == 0 ? 0 : 1e6 / frequency;
}

}  // namespace depscope::replay
