// The lines of the graph, and where boxes and lines stand.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "depscope/runtime/submission.h"
#include "depscope/viewers/graph_layout.h"
#include "depscope/viewers/graph_model.h"

namespace depscope::viewers {
namespace {

void count(GraphEdge& line, const recording::Recording& r, std::uint32_t edge) {
  const std::uint8_t fate = edge_fate(r, edge);
  ++line.count;
  line.wait += (fate & kHasWait) != 0 ? 1 : 0;
  line.retain += (fate & kHasRetain) != 0 ? 1 : 0;
  line.gone += (fate & kWaitRemoved) != 0 ? 1 : 0;
  line.provenance |= r.edges.provenance[edge];
}

/// Rows of edges whose consumer is in [begin, end): they are grouped by consumer.
std::pair<std::uint32_t, std::uint32_t> rows_into(const recording::Recording& r, std::uint32_t begin, std::uint32_t end) {
  const auto& column = r.edges.consumer;
  const auto first = std::lower_bound(column.begin(), column.end(), begin);
  const auto last = std::lower_bound(first, column.end(), end);
  return {static_cast<std::uint32_t>(first - column.begin()), static_cast<std::uint32_t>(last - column.begin())};
}

}  // namespace

void GraphModel::add_line(const GraphEdge& line) {
  if (edges_.size() < kMaxGraphEdges) {
    edges_.push_back(line);
  } else {
    edges_left_out_ += line.count;
  }
}

bool GraphModel::passes_edge(std::uint32_t edge) const {
  const auto& edges = document_->recording().edges;
  if (!passes_.empty() && (!passes_[edges.producer[edge]] || !passes_[edges.consumer[edge]])) return false;
  return filter_.passes_edge(document_->recording(), edge);
}

void GraphModel::collect_edges() {
  const auto& r = document_->recording();
  std::vector<GraphEdge> lines;                                                                // into the box at hand
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last_into(nodes_.size(), {kNoRow, 0});  // by producer: box, line
  for (std::uint32_t to = 0; to < nodes_.size(); ++to) {
    const GraphNode& node = nodes_[to];
    if (node.kind == GraphNode::Kind::There) continue;
    lines.clear();
    const auto [first, last] = rows_into(r, node.begin, node.end);
    for (std::uint32_t edge = first; edge < last; ++edge) {
      const std::uint32_t producer = r.edges.producer[edge];
      if (producer >= node.begin && producer < node.end) continue;
      const std::uint32_t from = node_of_task_[producer];
      if (from == kNoRow) continue;
      if (last_into[from].first != to) {
        last_into[from] = {to, static_cast<std::uint32_t>(lines.size())};
        GraphEdge line;
        line.from = from;
        line.to = to;
        lines.push_back(line);
      }
      if (!passes_edge(edge)) continue;
      GraphEdge& line = lines[last_into[from].second];
      if (line.count == 0) line.row = edge;
      count(line, r, edge);
    }
    for (const GraphEdge& line : lines) {
      if (line.count > 0) {
        add_line(line);
      } else {
        unseen_.emplace_back(line.from, line.to);
      }
    }
  }
}

void GraphModel::collect_edges_there() {
  if (comparison_ == nullptr || document_ != &comparison_->here()) return;
  const auto& rows = comparison_->rows(ItemKind::Edge).only_there;
  if (rows.empty()) return;
  const auto& r = comparison_->there().recording();
  const auto here_of = [&](std::uint32_t task) { return comparison_->counterpart_there(ItemKind::Task, task); };
  const auto node_of = [&](std::uint32_t task) {
    const std::uint32_t here = here_of(task);
    return here != kNoRow ? node_of_task(here) : node_of_there(task);
  };
  const auto passes = [&](std::uint32_t task) {
    const std::uint32_t here = here_of(task);
    return passes_.empty() || here == kNoRow || passes_[here];
  };
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;  // to, from, row
  for (const std::uint32_t edge : rows) {
    if (edge >= r.edges.rows() || !filter_.passes_edge(r, edge)) continue;
    const std::uint32_t from = node_of(r.edges.producer[edge]);
    const std::uint32_t to = node_of(r.edges.consumer[edge]);
    if (from == kNoRow || to == kNoRow || from == to) continue;
    if (passes(r.edges.producer[edge]) && passes(r.edges.consumer[edge])) found.emplace_back(to, from, edge);
  }
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size();) {
    GraphEdge line;
    line.to = std::get<0>(found[i]);
    line.from = std::get<1>(found[i]);
    line.row = std::get<2>(found[i]);
    line.there = true;
    for (; i < found.size() && std::get<0>(found[i]) == line.to && std::get<1>(found[i]) == line.from; ++i) {
      count(line, r, std::get<2>(found[i]));
    }
    add_line(line);
  }
}

std::uint32_t GraphModel::line_of_edge(std::uint32_t edge) const {
  const auto& r = document_->recording();
  if (edge >= r.edges.rows()) return kNoRow;
  const std::uint32_t from = node_of_task(r.edges.producer[edge]);
  const std::uint32_t to = node_of_task(r.edges.consumer[edge]);
  if (from == kNoRow || to == kNoRow) return kNoRow;
  // Lines are in the order of `to`, those of the other recording behind them.
  for (auto line = std::lower_bound(edges_.begin(), edges_.end(), to,
                                    [](const GraphEdge&a, std::uint32_t node) { return !a.there && a.to < node; });
       line != edges_.end() && line->to == to && !line->there; ++line) {
    if (line->from == from) return static_cast<std::uint32_t>(line - edges_.begin());
  }
  return kNoRow;
}

std::vector<std::uint32_t> GraphModel::edges_of_line(const GraphEdge& line, std::size_t most) const {
  std::vector<std::uint32_t> found;
  if (line.there) return {line.row};
  const auto& r = document_->recording();
  const std::uint32_t last = rows_into(r, nodes_[line.to].begin, nodes_[line.to].end).second;
  for (std::uint32_t edge = line.row; edge < last && found.size() < std::min<std::size_t>(most, line.count); ++edge) {
    if (node_of_task_[r.edges.producer[edge]] == line.from && passes_edge(edge)) found.push_back(edge);
  }
  return found;
}

/// From the inside outwards: sizes of frames; then from the outside inwards: places.
void GraphModel::lay_out() {
  // The boxes and frames that stand in each frame, in order of submission; frames are numbered behind the boxes.
  const auto boxes = static_cast<std::uint32_t>(nodes_.size());
  const auto all = boxes + static_cast<std::uint32_t>(frames_.size());
  std::vector<std::uint32_t> parent(all, kNoRow);
  for (std::uint32_t i = 0; i < boxes; ++i) parent[i] = nodes_[i].frame;
  for (std::uint32_t i = boxes; i < all; ++i) parent[i] = frames_[i - boxes].parent;
  // Frames and boxes were added in order of submission, but apart: bring them together by the first task.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first_box(all);  // first box in it, depth
  for (std::uint32_t i = 0; i < boxes; ++i) first_box[i] = {i, 0};
  for (std::uint32_t i = boxes; i < all; ++i) first_box[i] = {kNoRow, frames_[i - boxes].depth};
  for (std::uint32_t i = boxes; i-- > 0;) {
    if (parent[i] != kNoRow) first_box[boxes + parent[i]].first = i;
  }
  for (std::uint32_t i = all; i-- > boxes;) {
    if (parent[i] == kNoRow) continue;
    auto& outer = first_box[boxes + parent[i]].first;
    outer = std::min(outer, first_box[i].first);
  }
  std::vector<std::uint32_t> order(all);
  for (std::uint32_t i = 0; i < all; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(first_box[a].first, a) < std::pair(first_box[b].first, b);
  });
  std::vector<std::vector<std::uint32_t>> parts(frames_.size());
  std::vector<std::uint32_t> place(all, 0);
  for (const std::uint32_t i : order) {
    if (parent[i] == kNoRow) continue;
    place[i] = static_cast<std::uint32_t>(parts[parent[i]].size());
    parts[parent[i]].push_back(i);
  }
  // An edge counts in the innermost frame around both ends, between the parts of it that hold them.
  std::vector<std::vector<LayoutEdge>> lifted(frames_.size());
  const auto depth = [&](std::uint32_t i) { return parent[i] == kNoRow ? 0 : frames_[parent[i]].depth + 1; };
  const auto lift = [&](std::uint32_t a, std::uint32_t b) {
    while (depth(a) > depth(b)) a = boxes + parent[a];
    while (depth(b) > depth(a)) b = boxes + parent[b];
    while (parent[a] != parent[b]) a = boxes + parent[a], b = boxes + parent[b];
    if (parent[a] != kNoRow && a != b) lifted[parent[a]].push_back({place[a], place[b]});
  };
  for (const GraphEdge& line : edges_) lift(line.from, line.to);
  for (const auto& [from, to] : unseen_) lift(from, to);  // boxes stay where they are when a filter hides edges
  LayoutStyle style;
  style.top_to_bottom = top_to_bottom_;
  std::vector<LevelLayout> levels(frames_.size());
  std::vector<LayoutSize> sizes;
  for (std::size_t f = frames_.size(); f-- > 0;) {
    sizes.clear();
    for (const std::uint32_t i : parts[f]) {
      if (i < boxes) {
        sizes.push_back({nodes_[i].width, nodes_[i].height});
      } else {
        sizes.push_back({frames_[i - boxes].width, frames_[i - boxes].height});
      }
    }
    std::sort(lifted[f].begin(), lifted[f].end());
    lifted[f].erase(std::unique(lifted[f].begin(), lifted[f].end()), lifted[f].end());
    levels[f] = lay_out_level(sizes, lifted[f], style);
    frames_[f].width = std::max(levels[f].width + 2 * kPadding, 130.0F);
    frames_[f].height = levels[f].height + kTitleHeight + 2 * kPadding;
  }
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    for (std::size_t i = 0; i < parts[f].size(); ++i) {
      const float x = frames_[f].x + kPadding + levels[f].x[i];
      const float y = frames_[f].y + kTitleHeight + kPadding + levels[f].y[i];
      const std::uint32_t part = parts[f][i];
      if (part < boxes) {
        nodes_[part].x = x;
        nodes_[part].y = y;
      } else {
        frames_[part - boxes].x = x;
        frames_[part - boxes].y = y;
      }
    }
  }
  width_ = frames_.empty() ? nodes_[0].width : frames_[0].width;
  height_ = frames_.empty() ? nodes_[0].height : frames_[0].height;
}

/// A line that stays in its row, with a box between its ends, would run behind it: it is led past, the wider the longer it is.
void GraphModel::place_bows() {
  constexpr float kLong = 1.5F * LayoutStyle().layer_gap;
  constexpr float kLeast = 0.75F;   // of the box's extent across; half of it and some room
  constexpr float kGrowth = 0.02F;  // of the length, so that lines of several lengths stay apart
  constexpr float kMost = 1.5F;     // of the box's extent
  constexpr float kStep = 16;       // of the strips in which boxes are looked up
  struct Extent {
    float begin, end, across_begin, across_end;
  };
  const auto extent = [&](const GraphNode& n) {
    return top_to_bottom_ ? Extent{n.y, n.y + n.height, n.x, n.x + n.width} : Extent{n.x, n.x + n.width, n.y, n.y + n.height};
  };
  // Where boxes begin, ascending, by strip across.
  std::vector<std::vector<float>> begins(static_cast<std::size_t>((top_to_bottom_ ? width_ : height_) / kStep) + 2);
  const auto strip = [&](float across) {
    return std::min(begins.size() - 1, static_cast<std::size_t>(std::max(across, 0.0F) / kStep));
  };
  for (const GraphNode& node : nodes_) {
    const Extent e = extent(node);
    for (std::size_t i = strip(e.across_begin); i <= strip(e.across_end); ++i) begins[i].push_back(e.begin);
  }
  for (auto& column : begins) std::sort(column.begin(), column.end());
  for (GraphEdge& line : edges_) {
    const Extent from = extent(nodes_[line.from]);
    const Extent to = extent(nodes_[line.to]);
    const float across = from.across_end - from.across_begin;
    const float middle = (from.across_begin + from.across_end) * 0.5F;
    const float aside = (to.across_begin + to.across_end) * 0.5F - middle;
    const float length = to.begin - from.end;
    line.bow = 0;
    if (length <= kLong || std::abs(aside) >= across) continue;
    const auto& column = begins[strip(middle + aside * 0.5F)];
    const auto between = std::lower_bound(column.begin(), column.end(), from.end);
    if (between != column.end() && *between < to.begin) line.bow = -std::min(across * kMost, across * kLeast + length * kGrowth);
  }
}

/// Spreads the ends of the lines along the sides of their boxes, in the order of what they lead to.
void GraphModel::place_ends() {
  place_bows();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in;
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    out.emplace_back(edges_[i].from, i);
    in.emplace_back(edges_[i].to, i);
  }
  const auto middle = [&](std::uint32_t node) {
    const GraphNode& n = nodes_[node];
    return top_to_bottom_ ? n.x + n.width * 0.5F : n.y + n.height * 0.5F;
  };
  const auto spread = [&](std::vector<std::pair<std::uint32_t, std::uint32_t>>& ends, bool outgoing) {
    std::stable_sort(ends.begin(), ends.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      const float bow_a = edges_[a.second].bow;
      const float bow_b = edges_[b.second].bow;
      if (bow_a != bow_b) return bow_a < bow_b;  // what is led aside leaves on that side
      const float left = middle(outgoing ? edges_[a.second].to : edges_[a.second].from);
      const float right = middle(outgoing ? edges_[b.second].to : edges_[b.second].from);
      return left < right;
    });
    for (std::size_t i = 0; i < ends.size();) {
      std::size_t last = i;
      while (last < ends.size() && ends[last].first == ends[i].first) ++last;
      const GraphNode& n = nodes_[ends[i].first];
      for (std::size_t k = i; k < last; ++k) {
        const float share = (static_cast<float>(k - i) + 1.0F) / (static_cast<float>(last - i) + 1.0F);
        GraphEdge& line = edges_[ends[k].second];
        float& x = outgoing ? line.from_x : line.to_x;
        float& y = outgoing ? line.from_y : line.to_y;
        x = top_to_bottom_ ? n.x + n.width * share : n.x + (outgoing ? n.width : 0);
        y = top_to_bottom_ ? n.y + (outgoing ? n.height : 0) : n.y + n.height * share;
      }
      i = last;
    }
  };
  spread(out, true);
  spread(in, false);
}

}  // namespace depscope::viewers
