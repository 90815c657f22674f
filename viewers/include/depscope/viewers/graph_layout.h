// Layers for one group of the graph: boxes from left to right (or from top to bottom) so that every edge goes forward.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace depscope::viewers {

struct LayoutSize {
  float width = 0, height = 0;
};

/// Positions in the order of the boxes. Edges with from >= to do not count: boxes are given in an order that agrees with the
/// edges, as tasks are in the order of their submission.
struct LayoutEdge {
  std::uint32_t from = 0, to = 0;

  auto operator<=>(const LayoutEdge&) const = default;
};

struct LayoutStyle {
  bool top_to_bottom = false;
  float layer_gap = 64;  ///< between two layers
  float gap = 14;        ///< between two boxes of a layer
  float most = 1600;     ///< a layer that would be longer goes on in another one beside it
  std::uint32_t sweeps = 4;
};

struct LevelLayout {
  std::vector<float> x, y;           ///< top left corners, from (0, 0)
  std::vector<std::uint32_t> layer;  ///< longest path to the box, in edges
  float width = 0, height = 0;
};

/// Longest-path layers, order by barycentres with a fixed number of sweeps, places that come closest to the neighbours' middles.
/// Work: O((boxes log boxes + edges) * sweeps). The same input gives the same places.
[[nodiscard]] LevelLayout lay_out_level(std::span<const LayoutSize> sizes, std::span<const LayoutEdge> edges,
                                        const LayoutStyle& style);

}  // namespace depscope::viewers
