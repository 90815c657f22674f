#include "depscope/runtime/ring_limits.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "depscope/base/diagnostics.h"

namespace depscope::runtime {
namespace {

constexpr std::array<std::string_view, kRingResources> kOptions{"--ring-task-window", "--ring-heap", "--ring-dep-pool"};
constexpr std::array<std::string_view, kRingResources> kVariables{"PTO2_RING_TASK_WINDOW", "PTO2_RING_HEAP",
                                                                  "PTO2_RING_DEP_POOL"};
constexpr std::uint64_t kMinSlots = 4;  // of a task window and of a dep pool

/// What a value may be; that of a lifted task window lies beyond what anyone may ask for.
struct LegalRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool power_of_two = false;
  [[nodiscard]] bool holds(std::uint64_t value) const {
    return value >= low && value <= high && (!power_of_two || std::has_single_bit(value));
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} from {} to {}", power_of_two ? "a power of two" : "a number", low, high);
  }
};

LegalRange range_of(RingResource resource, LimitSource source) {
  switch (resource) {
    case RingResource::TaskWindow:
      return {kMinSlots, source == LimitSource::Default ? kMaxTaskWindow : kMaxGivenTaskWindow, true};
    case RingResource::Heap: return {kMinHeap, kMaxHeap, false};
    case RingResource::DepPool: return {kMinSlots, kMaxDepPool, false};
  }
  return {};
}

std::uint64_t& value_of(RingLimits& limits, RingResource resource) {
  switch (resource) {
    case RingResource::TaskWindow: return limits.task_window;
    case RingResource::Heap: return limits.heap;
    case RingResource::DepPool: break;
  }
  return limits.dep_pool;
}

struct EnvironmentValue {
  std::optional<PerRing> values;  ///< none: to be ignored, because of
  std::string fault;
};

EnvironmentValue parse_variable(RingResource resource, std::string_view text) {
  const LegalRange range = range_of(resource, LimitSource::Environment);
  PerRing values{};
  std::size_t count = 0;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view token = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    std::uint64_t value = 0;
    const char* end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (token.empty() || stop != end || error == std::errc::invalid_argument)
      return {std::nullopt, fmt::format("\"{}\" is no decimal number", token)};
    if (error != std::errc() || !range.holds(value))
      return {std::nullopt, fmt::format("{} is not allowed (allowed: {})", token, range.text())};
    if (count < kRingCount) values[count] = value;
    ++count;
  }
  if (count == 1) return {all_rings(values[0]), {}};
  if (count != kRingCount) return {std::nullopt, fmt::format("{} numbers; one or exactly four are needed", count)};
  return {values, {}};
}

}  // namespace

std::string_view ring_option_name(RingResource resource) { return kOptions[static_cast<std::size_t>(resource)]; }
std::string_view ring_environment_name(RingResource resource) { return kVariables[static_cast<std::size_t>(resource)]; }

std::string_view limit_source_name(LimitSource source) {
  switch (source) {
    case LimitSource::Default: return "default";
    case LimitSource::Environment: return "environment";
    case LimitSource::Run: return "run";
  }
  return "";
}

EffectiveRingLimits effective_ring_limits(const RingLimitSources& sources) {
  EffectiveRingLimits out;
  out.limits = sources.defaults;
  std::vector<Diagnostic> errors;
  for (std::size_t r = 0; r < kRingResources; ++r) {
    const auto resource = static_cast<RingResource>(r);
    std::optional<PerRing> environment;
    if (sources.environment[r]) {
      EnvironmentValue parsed = parse_variable(resource, *sources.environment[r]);
      environment = parsed.values;
      if (!environment) {
        out.warnings.push_back(fmt::format("the environment variable {}=\"{}\" is ignored: {}", ring_environment_name(resource),
                                           *sources.environment[r], parsed.fault));
      }
    }
    for (std::uint32_t ring = 0; ring < kRingCount; ++ring) {
      std::uint64_t& value = value_of(out.limits[ring], resource);
      LimitSource& source = out.source[r][ring];
      if (sources.run[r][ring] != 0) {
        value = sources.run[r][ring];
        source = LimitSource::Run;
      } else if (environment) {
        value = (*environment)[ring];
        source = LimitSource::Environment;
      }
      // The final value, wherever it comes from.
      const LegalRange range = range_of(resource, source);
      if (range.holds(value)) continue;
      const bool same = sources.run[r] == all_rings(value);  // said once
      if (same && ring != 0) continue;
      Diagnostic error;
      error.message =
          fmt::format("{}: {}{}{} is not allowed; allowed: {}", ring_option_name(resource), value,
                      same ? "" : fmt::format(" for ring {}", ring),
                      source == LimitSource::Run ? "" : fmt::format(" ({})", limit_source_name(source)), range.text());
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
  return out;
}

}  // namespace depscope::runtime
