#include "depscope/viewers/graph_layout.h"

#include <algorithm>
#include <numeric>

#include "depscope/viewers/groups.h"

namespace depscope::viewers {
namespace {

/// Works in "along" (the way of the edges) and "across".
class Level {
 public:
  Level(std::span<const LayoutSize> sizes, std::span<const LayoutEdge> edges, const LayoutStyle& style)
      : style_(style), count_(static_cast<std::uint32_t>(sizes.size())) {
    along_.reserve(count_);
    across_.reserve(count_);
    for (const LayoutSize& size : sizes) {
      along_.push_back(style.top_to_bottom ? size.height : size.width);
      across_.push_back(style.top_to_bottom ? size.width : size.height);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> from_to;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> to_from;
    for (const LayoutEdge& edge : edges) {
      if (edge.from >= edge.to || edge.to >= count_) continue;
      from_to.emplace_back(edge.from, edge.to);
      to_from.emplace_back(edge.to, edge.from);
    }
    after_ = Groups(from_to, count_);
    before_ = Groups(to_from, count_);
  }

  LevelLayout run() {
    make_layers();
    for (std::uint32_t sweep = 0; sweep < style_.sweeps; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        auto& layer = layers_[forward ? i : layers_.size() - 1 - i];
        sort_layer(layer, forward ? before_ : after_);
      }
    }
    fold_layers();
    place();
    return result();
  }

 private:
  void make_layers() {
    layer_.assign(count_, 0);
    for (std::uint32_t box = 0; box < count_; ++box) {
      for (const std::uint32_t next : after_.of(box)) layer_[next] = std::max(layer_[next], layer_[box] + 1);
    }
    const std::uint32_t most = count_ == 0 ? 0 : *std::max_element(layer_.begin(), layer_.end());
    layers_.resize(count_ == 0 ? 0 : most + 1);
    rank_.resize(count_);
    for (std::uint32_t box = 0; box < count_; ++box) {
      rank_[box] = static_cast<float>(layers_[layer_[box]].size());
      layers_[layer_[box]].push_back(box);
    }
  }

  /// Orders a layer by the mean rank of the neighbours; boxes without any keep their place.
  void sort_layer(std::vector<std::uint32_t>& layer, const Groups& neighbours) {
    keys_.resize(count_);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const auto near = neighbours.of(layer[i]);
      float sum = 0;
      for (const std::uint32_t box : near) sum += rank_[box] / static_cast<float>(layers_[layer_[box]].size());
      keys_[layer[i]] =
          near.empty() ? static_cast<float>(i) / static_cast<float>(layer.size()) : sum / static_cast<float>(near.size());
    }
    std::stable_sort(layer.begin(), layer.end(), [&](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; });
    for (std::size_t i = 0; i < layer.size(); ++i) rank_[layer[i]] = static_cast<float>(i);
  }

  /// Cuts layers that are too long into columns that stand beside one another.
  void fold_layers() {
    for (const auto& layer : layers_) {
      columns_.emplace_back();
      starts_layer_.push_back(true);
      float length = 0;
      for (const std::uint32_t box : layer) {
        if (length > 0 && length + across_[box] > style_.most) {
          columns_.emplace_back();
          starts_layer_.push_back(false);
          length = 0;
        }
        columns_.back().push_back(box);
        length += across_[box] + style_.gap;
      }
    }
  }

  void place() {
    start_.assign(count_, 0);
    for (const auto& column : columns_) {
      float at = 0;
      for (const std::uint32_t box : column) {
        start_[box] = at;
        at += across_[box] + style_.gap;
      }
    }
    for (int pass = 0; pass < 3; ++pass) {
      const bool forward = pass % 2 == 0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        pull(columns_[forward ? i : columns_.size() - 1 - i], forward ? before_ : after_);
      }
    }
    float least = count_ == 0 ? 0 : start_[0];
    for (const float at : start_) least = std::min(least, at);
    for (float& at : start_) at -= least;
  }

  /// Moves the boxes of a column to the middles of their neighbours, as near as their order and gaps allow: boxes that would
  /// stand on one another become a block, which stands where its boxes want to be on average.
  void pull(const std::vector<std::uint32_t>& column, const Groups& neighbours) {
    blocks_.clear();
    float offset = 0;
    for (const std::uint32_t box : column) {
      const auto near = neighbours.of(box);
      float want = start_[box];
      if (!near.empty()) {
        want = 0;
        for (const std::uint32_t other : near) want += start_[other] + across_[other] * 0.5F;
        want = want / static_cast<float>(near.size()) - across_[box] * 0.5F;
      }
      blocks_.push_back({want - offset, 1});
      offset += across_[box] + style_.gap;
      while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].mean() >= blocks_.back().mean()) {
        blocks_[blocks_.size() - 2].sum += blocks_.back().sum;
        blocks_[blocks_.size() - 2].boxes += blocks_.back().boxes;
        blocks_.pop_back();
      }
    }
    offset = 0;
    std::size_t next = 0;
    for (const Block& block : blocks_) {
      for (std::uint32_t i = 0; i < block.boxes; ++i, ++next) {
        start_[column[next]] = block.mean() + offset;
        offset += across_[column[next]] + style_.gap;
      }
    }
  }

  [[nodiscard]] LevelLayout result() {
    LevelLayout layout;
    layout.layer = layer_;
    std::vector<float> place(count_, 0);
    float at = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) at += starts_layer_[i] ? style_.layer_gap : style_.gap;
      float widest = 0;
      for (const std::uint32_t box : columns_[i]) {
        place[box] = at;
        widest = std::max(widest, along_[box]);
      }
      at += widest;
    }
    float longest = 0;
    for (std::uint32_t box = 0; box < count_; ++box) longest = std::max(longest, start_[box] + across_[box]);
    layout.width = style_.top_to_bottom ? longest : at;
    layout.height = style_.top_to_bottom ? at : longest;
    layout.x = style_.top_to_bottom ? start_ : place;
    layout.y = style_.top_to_bottom ? place : start_;
    return layout;
  }

  struct Block {
    float sum = 0;
    std::uint32_t boxes = 0;
    [[nodiscard]] float mean() const { return sum / static_cast<float>(boxes); }
  };

  LayoutStyle style_;
  std::uint32_t count_;
  std::vector<float> along_, across_;
  Groups after_, before_;
  std::vector<std::uint32_t> layer_;
  std::vector<std::vector<std::uint32_t>> layers_, columns_;
  std::vector<bool> starts_layer_;  // per column
  std::vector<float> rank_, keys_, start_;
  std::vector<Block> blocks_;
};

}  // namespace

LevelLayout lay_out_level(std::span<const LayoutSize> sizes, std::span<const LayoutEdge> edges, const LayoutStyle& style) {
  return Level(sizes, edges, style).run();
}

}  // namespace depscope::viewers
