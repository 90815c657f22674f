// What changes the result of a run of the model (DESIGN §4).
#pragma once

#include <cstdint>
#include <string_view>

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

/// Split keeps WAIT and RETAIN apart; Coupled makes every edge both (runtime.md 0.1).
enum class EdgeRepresentation : std::uint8_t { Split, Coupled };

/// Full: every state change. Summary: scopes, submits, edges, ready, dispatch, complete, release, consume, reuse, errors.
enum class EventLevel : std::uint8_t { Full, Summary };

struct ModelOptions {
  Platform platform = Platform::A2A3;
  ReductionOptions reduction{};
  EdgeRepresentation edges = EdgeRepresentation::Split;
  EventLevel events = EventLevel::Full;
  bool implicit_root_scope = true;             ///< the runtime's own AUTO scope at depth 0 around the entry function
  RangeUnit range_unit = RangeUnit::Elements;  ///< hazard H3: Elements is upstream's behaviour
};

}  // namespace depscope::runtime
