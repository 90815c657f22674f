// The smallest limits of the rings with which a run comes through, found by running it again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "depscope/runtime/ring_limits.h"

namespace depscope::app {

/// Slots, bytes and nodes of every ring, by runtime::RingResource.
using LimitsOfRings = std::array<runtime::PerRing, runtime::kRingResources>;

struct RingLimit {
  runtime::RingResource resource = runtime::RingResource::TaskWindow;
  std::uint32_t ring = 0;
  bool operator==(const RingLimit&) const = default;
};

/// How a run ended: it came through, it was stopped by a limit, or (neither) by something that no limit changes.
struct RunEnd {
  bool through = false;
  std::optional<RingLimit> limit;
};

struct SmallestSettings {
  struct Raised {
    RingLimit limit;
    std::uint64_t from = 0;      ///< as it was
    std::uint64_t to = 0;        ///< the run comes through with it
    std::uint64_t one_less = 0;  ///< the next smaller value that may be set: the run does not come through with it
  };
  std::vector<Raised> raised;  ///< in the order in which the run is stopped by them; all of them are needed
  bool through = false;        ///< false: nothing was found, since limits do not help or the runs were used up
  std::uint32_t runs = 0;
};

inline constexpr std::uint32_t kMaxSizingRuns = 400;

/// Raises one limit after the other, each to the least value that is not what stops the run, then lowers each as long as the run
/// comes through. Each value of the result was run, and so was each `one_less`, with all other limits as in the result.
/// `run` is asked for a run with some limits; the same limits have to give the same end. Gives up after kMaxSizingRuns.
[[nodiscard]] SmallestSettings smallest_settings(const LimitsOfRings& limits,
                                                 const std::function<RunEnd(const LimitsOfRings&)>& run);

/// A limit of a run that comes through, with the others as they are.
struct LeastValue {
  RingLimit limit;
  std::uint64_t enough = 0;    ///< in: probably enough, at most the value that the limit has; may be 0 if nothing is known
  std::uint64_t value = 0;     ///< out: the run comes through with it
  std::uint64_t one_less = 0;  ///< out: the next smaller value that may be set: the run does not; 0 if none may be set
};

/// Finds value and one_less of each by runs with other values of that limit alone; each was run. `limits` are those of a run that
/// comes through. Where more is needed of one limit to come through with less, the value is one of several. Returns the number of
/// runs, kMaxSizingRuns at most; what was not found by then is taken from the end of the list.
std::uint32_t least_values(const LimitsOfRings& limits, const std::function<RunEnd(const LimitsOfRings&)>& run,
                           std::vector<LeastValue>& wanted);

}  // namespace depscope::app
