// What the tools of the tool chain compute of a run's timing and task graph (artefacts.md 14.2, 14.4, 14.5), in ticks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/run_times.h"

namespace depscope::replay {

inline constexpr std::uint32_t kCoreTypes = 2;  ///< AIC, AIV

/// The time in which a core of a type is idle while a task for it waits (14.4).
struct SchedulerOverhead {
  std::uint64_t window = 0;
  std::array<std::optional<std::uint64_t>, kCoreTypes> by_type;  ///< none: no row is of that type
  std::uint64_t all = 0, has = 0;
};

struct SwitchTime {
  std::uint32_t core = 0;
  std::uint64_t ticks = 0;
};

struct SchedulerPath {
  std::uint64_t hops = 0, span = 0, injected = 0, exec = 0;
};

struct SchedulerThread {
  std::uint32_t thread = 0;
  std::uint64_t completed = 0;  ///< tasks whose last row lies on one of its cores
  std::uint64_t finishes = 0, loops = 0, pop_hit = 0, pop_miss = 0;
  std::uint64_t complete = 0, async_poll = 0, dispatch = 0, idle = 0;  ///< ticks
  std::uint64_t fanout_edges = 0, fanout_most = 0, fanin_edges = 0, fanin_most = 0;

  [[nodiscard]] std::uint64_t total() const { return complete + async_poll + dispatch + idle; }
};

enum class PathGap : std::uint8_t { Front, Data, Core };
struct PathStep {
  std::uint64_t task = 0, compute = 0, stall = 0;
  PathGap before = PathGap::Front;  ///< what the gap before it waits for
};
/// 14.5.
struct CriticalPath {
  std::uint64_t tasks = 0, edges = 0, makespan = 0;
  std::uint64_t longest = 0;                ///< of the static path
  std::vector<std::uint64_t> longest_path;  ///< task ids
  std::vector<PathStep> observed;
  std::uint64_t compute = 0, stall = 0;
};

/// Arrows of the trace views (14.2).
struct FlowCounts {
  std::uint64_t worker = 0, worker_backward = 0;
  std::uint64_t scheduler = 0, scheduler_backward = 0;
};

/// By func id, in ticks: sums over rows.
struct FunctionTimes {
  std::int32_t function = -1;
  std::uint64_t rows = 0, exec = 0, latency = 0;
};

struct RunQuantities {
  std::string no_overhead;  ///< why there is no overhead, switch, head and tail time, path; empty if there is
  std::optional<SchedulerOverhead> overhead;
  std::array<std::vector<SwitchTime>, kCoreTypes> switches;  ///< by core that has rows
  std::array<std::uint64_t, kCoreTypes> switch_waiting{}, switch_independent{};
  std::uint64_t head_sum = 0, head_most = 0, tail_sum = 0, tail_most = 0;
  std::optional<SchedulerPath> path;
  std::vector<SchedulerThread> threads;  ///< empty below level 3
  std::optional<CriticalPath> critical;  ///< none without task graph or rows
  std::optional<FlowCounts> flows;
  std::vector<FunctionTimes> functions;  ///< by func id; without task graph all rows are of -1
  std::uint64_t total = 0;               ///< first dispatch (receive at level 1) to last finish (end)
};

/// `graph` is the recording that read_deps_json gave for the run, null without one. O(n log n).
[[nodiscard]] RunQuantities run_quantities(const Swimlane& file, const RunTimes& times, const recording::Recording* graph);

}  // namespace depscope::replay
