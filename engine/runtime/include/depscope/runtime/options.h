// What changes the result of a run of the model (DESIGN §4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/runtime/mutation.h"
#include "depscope/runtime/overlap.h"

namespace depscope::runtime {

enum class Platform : std::uint8_t { A2A3, A5 };
[[nodiscard]] std::string_view platform_name(Platform platform);  ///< "a2a3", "a5"

/// Cores of a platform (runtime.md 9.1). Core ids: all AIC first, then all AIV; cluster i is AIC i with AIV n+2i and n+2i+1,
/// where n is the number of clusters.
struct Topology {
  std::uint32_t clusters = 24;
  std::uint32_t scheduler_threads = 3;
  [[nodiscard]] std::uint32_t cores() const { return clusters * 3; }
};
[[nodiscard]] Topology topology_of(Platform platform);

enum class ReductionKind : std::uint8_t { None, Exact, Bitmap, OneHop };

/// Which redundant WAITs are cleared (runtime.md 8).
struct ReductionOptions {
  ReductionKind kind = ReductionKind::None;
  std::uint32_t window = 64;  ///< Bitmap: submissions looked back, 1..kMaxBitmapWindow
};
inline constexpr std::uint32_t kMaxBitmapWindow = 4096;

/// Split keeps WAIT and RETAIN apart; Coupled makes every edge both; MaskBug is the rejected layout that keeps the kinds of the
/// first 64 edges in a mask beside them (runtime.md 0.1, 12.9).
enum class EdgeRepresentation : std::uint8_t { Split, Coupled, MaskBug };

/// When the mask of MaskBug is written: before payload init, which zeroes it (the fault); after it; or by setting bits only, so
/// that those of the slot's previous task stay (runtime.md 12.9, P1, P3, P5).
enum class MaskLayout : std::uint8_t { InitZeroes, WrittenAfterInit, NeverCleared };

/// Full: every state change. Summary: scopes, submits, edges, ready, dispatch, complete, release, consume, reuse, blocks, errors.
enum class EventLevel : std::uint8_t { Full, Summary };

/// Which of the upstream hazards H1 to H11 (runtime.md 15) are played as they are; all others as intended, with a finding.
class HazardSwitches {
 public:
  static constexpr int kFirst = 1, kLast = 11;
  [[nodiscard]] static constexpr HazardSwitches all_faithful() {
    HazardSwitches h;
    for (int i = kFirst; i <= kLast; ++i) h.set(i, true);
    return h;
  }
  constexpr void set(int hazard, bool faithful) {
    const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(hazard));
    bits_ = static_cast<std::uint16_t>(faithful ? bits_ | bit : bits_ & ~bit);
  }
  [[nodiscard]] constexpr bool faithful(int hazard) const { return (bits_ >> static_cast<unsigned>(hazard) & 1U) != 0; }
  [[nodiscard]] constexpr bool any() const { return bits_ != 0; }

 private:
  std::uint16_t bits_ = 0;
};

/// Limits of one ring (runtime.md 1.3).
struct RingLimits {
  std::uint64_t task_window = 16384;               ///< slots; a power of two, 4..2^31
  std::uint64_t heap = std::uint64_t{256} << 20U;  ///< bytes, at least 1024
  std::uint64_t dep_pool = 16384;                  ///< nodes, 4..2^31-1; the fanin spill pool has as many entries
};
inline constexpr std::uint64_t kMaxTaskWindow = std::uint64_t{1} << 31U;
inline constexpr std::uint64_t kMaxDepPool = (std::uint64_t{1} << 31U) - 1;
inline constexpr std::uint64_t kMinHeap = 1024;
inline constexpr std::uint64_t kMaxHeap = std::uint64_t{1} << 43U;  ///< a limit of this model: heaps of two rings must not meet

/// What runs next wherever the runtime leaves it open (runtime.md 10.5). Manual: only what Model::perform is told; a blocked
/// orchestrator falls back to the canonical order.
enum class ScheduleKind : std::uint8_t { Canonical, Random, List, Manual };
/// Coarse: submit, dispatch, complete with its walk, release and scope end are not taken apart. Fine: each lock section and list
/// node is a step of its own.
enum class Granularity : std::uint8_t { Coarse, Fine };

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::Canonical;
  Granularity granularity = Granularity::Coarse;
  std::uint64_t seed = 1;              ///< Random
  std::vector<std::uint32_t> choices;  ///< List: one number per choice; behind its end always 0
};

/// Scopes that begin and end elsewhere than the calls of the program say, to see what that would do. Scopes and submits are
/// counted from 0 as the program asks for them, the implicit root scope included.
struct ScopeMoves {
  struct Split {
    std::uint64_t submit = 0;  ///< before it the scopes from `depth` on end, and begin again
    std::uint32_t depth = 0;
  };
  std::vector<Split> splits;                ///< by submit
  std::optional<std::uint64_t> own;         ///< a submit that gets a scope of its own, of the mode of the one that it stands in
  std::optional<std::uint64_t> left_out;    ///< a scope that does not begin: its tasks belong to the one around it
  std::optional<std::uint32_t> part_depth;  ///< scopes of this depth end and begin again whenever they hold `part_tasks` tasks
  std::uint64_t part_tasks = 1;

  [[nodiscard]] bool any() const { return !splits.empty() || own || left_out || part_depth; }
};

struct ModelOptions {
  Platform platform = Platform::A2A3;
  ReductionOptions reduction{};
  EdgeRepresentation edges = EdgeRepresentation::Split;
  MaskLayout mask_layout = MaskLayout::InitZeroes;  ///< MaskBug only
  EventLevel events = EventLevel::Full;
  HazardSwitches hazards{};
  ScheduleOptions schedule{};
  std::array<RingLimits, 4> limits{};
  std::uint64_t tensor_map_entries = 65536;   ///< pool shared by all rings
  std::uint64_t ready_queue_entries = 65536;  ///< tasks in each ready queue, at least 1; what a full one does is hazard H6
  std::uint64_t scope_list_entries = 0;  ///< tasks of all open scopes; 0 = sum of the task windows, which no run reaches (H7)
  std::uint32_t clusters = 0;            ///< 0 = those of the platform; at most those
  std::uint32_t scheduler_threads = 0;   ///< 0 = those of the platform; 1..8
  bool implicit_root_scope = true;       ///< the runtime's own AUTO scope at depth 0 around the entry function
  bool check_invariants = false;         ///< the 40 of runtime.md 13 after every event; RunFindingKind::Invariant
  std::uint64_t first_submission_number = 0;  ///< the counters survive a reuse of the runtime
  std::uint32_t first_seen_epoch = 1;
  ScopeMoves scope_moves{};            ///< none in an ordinary run
  Mutation mutation = Mutation::None;  ///< tests only
  std::uint64_t reach_residue = 0;     ///< what the bitmap table holds before its first use

  /// For submissions whose scopes are not known (traces): nothing runs full.
  void lift_limits();
};

/// Of the platform, or what the options say.
[[nodiscard]] Topology topology_of(const ModelOptions& options);

}  // namespace depscope::runtime
