// Where the limits of the rings come from (runtime.md 1.4): entries of the run, then the environment, then defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/runtime/options.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Order of all arrays below.
enum class RingResource : std::uint8_t { TaskWindow, Heap, DepPool };
inline constexpr std::size_t kRingResources = 3;
[[nodiscard]] std::string_view ring_option_name(RingResource resource);       ///< "--ring-task-window", …
[[nodiscard]] std::string_view ring_environment_name(RingResource resource);  ///< "PTO2_RING_TASK_WINDOW", …

/// One number a ring: slots, bytes or nodes.
using PerRing = std::array<std::uint64_t, kRingCount>;
/// One number for all rings.
[[nodiscard]] constexpr PerRing all_rings(std::uint64_t value) { return {value, value, value, value}; }

/// Where one value comes from, weakest first.
enum class LimitSource : std::uint8_t { Default, Environment, Run };
[[nodiscard]] std::string_view limit_source_name(LimitSource source);  ///< "default", "environment", "run"

/// Largest task window that a run or the environment may ask for, in slots: a power of two that a signed 32-bit number holds.
inline constexpr std::uint64_t kMaxGivenTaskWindow = std::uint64_t{1} << 30U;

struct RingLimitSources {
  std::array<PerRing, kRingResources> run{};  ///< 0 = not set
  /// The text of each variable, none if it is not set. One decimal number, or four separated by commas; nothing else.
  std::array<std::optional<std::string>, kRingResources> environment{};
  std::array<RingLimits, kRingCount> defaults{};
};

struct EffectiveRingLimits {
  std::array<RingLimits, kRingCount> limits{};
  std::array<std::array<LimitSource, kRingCount>, kRingResources> source{};  ///< by resource and ring
  std::vector<std::string> warnings;                                         ///< one sentence per variable that is ignored
};

/// Decides for each resource and ring. A variable with a token that is malformed or out of range is ignored as a whole.
/// InputError: an entry of the run that is out of its range (4 to kMaxGivenTaskWindow and a power of two; kMinHeap to kMaxHeap; 4
/// to kMaxDepPool), or a default beyond what RingLimits allows. Each value that is wrong gives one
/// diagnostic, one that all rings share a single one.
[[nodiscard]] EffectiveRingLimits effective_ring_limits(const RingLimitSources& sources);

}  // namespace depscope::runtime
