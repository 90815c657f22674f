// Sizing before a run on a device: what a run had in use, what it would use without limits, which limits it meets first, and the
// least settings with which it comes through. `depscope check --sizing` prints it; docs/sizing.md explains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/sizing.h"
#include "depscope/replay/text_output.h"
#include "depscope/runtime/ring_limits.h"

namespace depscope::replay {

/// Whose submit it was, in words and as JSON values: it outlives the recording that it was read from.
struct SizingMoment {
  std::uint32_t event = recording::kNoRow;  ///< none: it never was
  std::uint32_t time = 0;                   ///< logical time
  std::uint32_t row = recording::kNoRow;    ///< tasks row
  std::string task, scope;                  ///< "fill#30 (line 15)"; "the MANUAL scope of main (line 12)", empty if unknown
  std::string task_json, scope_json;
};

struct SizedUse {
  std::uint64_t most = 0, wasted = 0, most_held = 0;  ///< as in ResourceUse
  SizingMoment at;
};

struct SizingRow {
  SizedResource resource = SizedResource::Scope;
  std::uint32_t ring = 0;                  ///< or kAllRings
  std::uint64_t capacity = 0;              ///< as in Capacities
  std::uint64_t waits = 0, waited = 0;     ///< with the limits as set
  std::optional<SizedUse> set, unlimited;  ///< none where the run did not tell it, or there was none
};

/// What the run with the limits as set does about a limit that binds.
enum class CapOutcome : std::uint8_t {
  Waits,       ///< the orchestrator waits for it, and comes through
  Stops,       ///< it ends the run
  NotReached,  ///< something else ends the run before
  NoWait,      ///< other limits hold the orchestrator back before, or enough is given back in time
};
[[nodiscard]] std::string_view cap_outcome_name(CapOutcome outcome);  ///< "waits", "stops", "not_reached", "no_wait"

struct SizingCap {
  SizedResource resource = SizedResource::Scope;
  std::uint32_t ring = 0;
  std::uint64_t capacity = 0;
  std::uint64_t needed = 0;  ///< without limits, after the submit that exceeds it first; 0: the run waits all the same
  SizingMoment at;           ///< of that submit; without one of the first wait, whose task may have no row
  CapOutcome outcome = CapOutcome::NoWait;
  std::uint64_t waits = 0, waited = 0;
  std::int32_t code = 0;  ///< Stops
  runtime::ErrorClass error_class = runtime::ErrorClass::None;
};

/// The least value of one limit with which the run still comes through, all other limits as set.
struct SmallestLimit {
  runtime::RingResource resource = runtime::RingResource::TaskWindow;
  std::uint32_t ring = 0;
  std::uint64_t set = 0;       ///< as it is
  std::uint64_t value = 0;     ///< the run comes through with it
  std::uint64_t one_less = 0;  ///< the next smaller value that may be set, with which it does not; 0 if there is none
};

struct SizingReport {
  RunUse set;
  RunUse unlimited;             ///< only if `no_unlimited` is empty
  std::string no_unlimited;     ///< why there is no run without limits, one clause
  std::vector<SizingRow> rows;  ///< by ring, then resource; what is shared by all rings last
  std::vector<SizingCap> caps;  ///< in the order in which the run without limits exceeds them; empty without that run
  std::vector<SmallestLimit> smallest;
  std::string no_smallest;  ///< why nothing, or not everything, is said about smallest limits; one clause
  std::uint32_t runs = 0;   ///< that the search for them took
};

/// `unlimited`: the same input with all limits lifted, null if there is none and `no_unlimited` says why. The report needs
/// neither recording afterwards. Its smallest limits are left empty.
[[nodiscard]] SizingReport sizing_report(const recording::Recording& set, const RunUse& use,
                                         const recording::Recording* unlimited, std::string no_unlimited);

/// A table for people, and sentences of at most 100 columns.
void write_sizing_text(const SizingReport& report, const TextOutput& output);
/// The value of the member "sizing" of depscope.findings/1 (docs/sizing.md).
[[nodiscard]] std::string sizing_json(const SizingReport& report);

/// What is left of a capacity above 0, rounded down.
[[nodiscard]] constexpr std::uint64_t headroom_permille(std::uint64_t used, std::uint64_t capacity) {
  return used >= capacity ? 0 : (capacity - used) * 1000 / capacity;
}
/// "1000 bytes", "33 KiB", "1.5 MiB": exact where there is no decimal.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace depscope::replay
