// How much of each limited resource a run had in use at most, and which task brought it there: scopes, task windows, heaps,
// pools, the TensorMap (runtime.md 1.3, 6.4 to 6.7).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "depscope/recording/tables.h"
#include "depscope/runtime/ring_limits.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// What has a capacity, in the order in which a submit asks for it. Scope: tasks of one scope (error 1).
enum class SizedResource : std::uint8_t { Scope, TaskWindow, Heap, SpillPool, TensorMap, DepPool };
inline constexpr std::size_t kSizedResources = 6;
[[nodiscard]] std::string_view sized_resource_name(SizedResource resource);   ///< "scope", "task_window", … as in findings
[[nodiscard]] std::string_view sized_resource_words(SizedResource resource);  ///< "scope", "task window", …
/// "slots", "bytes", "nodes", "entries", "tasks".
[[nodiscard]] std::string_view sized_resource_unit(SizedResource resource);
/// The option that sizes it, empty for the TensorMap.
[[nodiscard]] std::string_view sized_resource_option(SizedResource resource);

/// Stands for a ring where something is shared by all of them.
inline constexpr std::uint32_t kAllRings = runtime::kRingCount;
/// By resource and ring. At kAllRings only the TensorMap has anything.
template <class T>
using BySizedResource = std::array<std::array<T, runtime::kRingCount + 1>, kSizedResources>;
template <class Table>
[[nodiscard]] auto& at(Table& table, SizedResource resource, std::uint32_t ring) {
  return table[static_cast<std::size_t>(resource)][ring];
}

/// How much may be in use at once, in units of the resource; of a scope and of a window of N slots N - 1. 0: there is no limit,
/// or none that the recording tells. The TensorMap has one at kAllRings only.
using Capacities = BySizedResource<std::uint64_t>;

/// When something was in use for the first time. All are kNoRow where nothing ever was.
struct UseMoment {
  std::uint32_t event = recording::kNoRow;
  std::uint32_t time = 0;                  ///< logical time of the event
  std::uint32_t task = recording::kNoRow;  ///< tasks row whose submit took what was taken
};

struct ResourceUse {
  bool told = false;         ///< the recording has the events that change it
  std::uint64_t most = 0;    ///< in use at most
  UseMoment at;              ///< when `most` was reached first
  std::uint64_t wasted = 0;  ///< Heap: bytes of `most` between the last buffer and the heap's end, which no one has
  /// Dep pool and spill pool give back only when they run short. So many were held at most by tasks that were not retired.
  std::uint64_t most_held = 0;
  std::uint64_t needed = 0;  ///< in use after the submit that was the first to exceed the capacity asked about; 0: none was
  UseMoment exceeded;        ///< when it did
  std::uint64_t waits = 0;   ///< times the orchestrator waited for it and got it
  std::uint64_t waited = 0;  ///< in logical time, all of these times together
  std::uint32_t first_wait = recording::kNoRow;  ///< tasks row that was submitted at the first wait, granted or not; may be the
                                                 ///< number of all rows
};

/// What ended the run before its end.
struct RunStop {
  bool stopped = false;
  std::int32_t code = 0;
  runtime::ErrorClass error_class = runtime::ErrorClass::None;
  bool by_resource = false;  ///< the next two say which it was
  SizedResource resource = SizedResource::Scope;
  std::uint32_t ring = 0;
  std::uint32_t task = 0;  ///< tasks row that was being submitted; the number of all rows if it had none yet
  std::uint32_t event = 0;
};

struct RunUse {
  bool run = false;   ///< false: there are no events of a run (an imported task graph)
  bool full = false;  ///< false: a summary, which tells nothing about pools and the TensorMap
  std::array<std::uint32_t, runtime::kRingCount> tasks{};  ///< submitted, by ring
  BySizedResource<ResourceUse> use{};
  Capacities capacity{};
  std::array<runtime::PerRing, runtime::kRingResources> settings{};  ///< by runtime::RingResource; 0 = not told
  RunStop stop;
};

/// One walk over the events; `exceeding`: what ResourceUse::needed and exceeded are about, the capacities of the run itself if
/// null. In use are: slots of tasks that the watermark has not passed (the published one; a summary knows only the other one,
/// which on a5 may be ahead of it); bytes from tail to top of a heap; entries from tail to top of a pool, which also counts those
/// that could be given back but are not yet; entries of the TensorMap by the ring of the task that wrote. The recording may say
/// anything that a valid file may.
[[nodiscard]] RunUse use_of_run(const recording::Recording& recording, const Capacities* exceeding = nullptr);

}  // namespace depscope::replay
