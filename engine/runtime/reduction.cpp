#include "reduction.h"

#include <algorithm>
#include <bit>

namespace depscope::runtime {
namespace {

/// The one-hop reduction looks only at fanins that fit into the payload without spilling.
constexpr std::size_t kInlineEdges = 64;

void clear_wait(FaninEdge& edge, std::uint32_t via) {
  edge.flags_final = static_cast<std::uint8_t>(edge.flags_final & ~kWait);
  edge.via = via;
}

/// target |= source << shift, cut to target's size.
void or_shifted(std::vector<std::uint64_t>& target, const std::uint64_t* source, std::uint32_t shift) {
  const std::size_t words = target.size();
  const std::size_t skip = shift / 64;
  const std::uint32_t bits = shift % 64;
  for (std::size_t i = words; i-- > skip;) {
    std::uint64_t value = source[i - skip] << bits;
    if (bits != 0 && i > skip) value |= source[i - skip - 1] >> (64 - bits);
    target[i] |= value;
  }
}

}  // namespace

Reduction::Reduction(const ReductionOptions& options, std::uint64_t residue) : options_(options) {
  if (options_.kind != ReductionKind::Bitmap) return;
  words_ = (options_.window + 63) / 64;
  slots_ = std::bit_ceil(options_.window + 1);
  bitmaps_.resize(std::size_t{slots_} * words_, residue);
  direct_.resize(words_);
  via_.resize(words_);
  fresh_.resize(words_);
}

void Reduction::close_open_task() {
  if (!open_) return;
  open_ = false;
  begin_.push_back(producers_.size());
  if (options_.kind != ReductionKind::Exact) return;
  depth_.push_back(0);
  visited_.push_back(0);
}

void Reduction::begin(std::uint32_t row) {
  if (options_.kind == ReductionKind::Bitmap) {
    std::fill_n(bitmap_of(row), words_, std::uint64_t{0});
    return;
  }
  if (options_.kind == ReductionKind::None) return;
  close_open_task();
  open_ = true;
}

void Reduction::reduce(std::uint32_t row, FaninBuilder& builder) {
  for (FaninEdge& edge : builder.edges()) edge.flags_final = edge.flags;
  switch (options_.kind) {
    case ReductionKind::None: return;
    case ReductionKind::Bitmap: reduce_bitmap(row, builder.edges()); break;
    case ReductionKind::OneHop: reduce_one_hop(builder); break;
    case ReductionKind::Exact: reduce_exact(row, builder); break;
  }
  if (mutation_ != Mutation::WaitsReducedBlindly || waits_.size() < 2) return;
  clear_wait(builder.edges()[waits_.back()], builder.edges()[waits_.front()].producer);
}

void Reduction::sort_waits(const std::vector<FaninEdge>& edges) {
  waits_.clear();
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    if (edges[i].taken() && (edges[i].flags & kWait) != 0) waits_.push_back(i);
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) {
    if (mutation_ == Mutation::PackedIdOrder) return packed_id_(edges[a].producer) > packed_id_(edges[b].producer);
    return edges[a].producer > edges[b].producer;
  };
  std::sort(waits_.begin(), waits_.end(), later);
}

std::uint32_t Reduction::distance(std::uint32_t consumer, std::uint32_t producer) const {
  if (mutation_ != Mutation::PackedIdOrder) return consumer - producer;
  const std::uint64_t away = packed_id_(consumer) - packed_id_(producer);
  return away == 0 || away > options_.window ? options_.window + 1 : static_cast<std::uint32_t>(away);
}

void Reduction::reduce_bitmap(std::uint32_t row, std::vector<FaninEdge>& edges) {
  std::fill(direct_.begin(), direct_.end(), 0);
  std::fill(via_.begin(), via_.end(), 0);
  sort_waits(edges);
  std::size_t in_window = 0;
  // Only the self edge of hazard H1 has distance 0; it counts for nothing.
  if (!waits_.empty() && edges[waits_.front()].producer == row) waits_.erase(waits_.begin());
  for (; in_window < waits_.size(); ++in_window) {
    const std::uint32_t away = distance(row, edges[waits_[in_window]].producer);
    if (away > options_.window - (mutation_ == Mutation::WindowEdgeDropped ? 1 : 0)) break;
    direct_[(away - 1) / 64] |= std::uint64_t{1} << ((away - 1) % 64);
  }
  window_misses_ += waits_.size() - in_window;
  waits_.resize(in_window);

  // Nearest first, so that the first producer whose reach has a bit is the witness of that bit.
  for (const std::uint32_t position : waits_) {
    const std::uint32_t producer = edges[position].producer;
    const std::uint32_t away = distance(row, producer);
    if (away >= options_.window) continue;
    std::fill(fresh_.begin(), fresh_.end(), 0);
    or_shifted(fresh_, bitmap_of(producer), away - (mutation_ == Mutation::ReachShiftedShort ? 1 : 0));
    bool any = false;
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::uint64_t seen_before = via_[w];
      via_[w] |= fresh_[w];
      fresh_[w] &= direct_[w] & ~seen_before;
      any = any || fresh_[w] != 0;
    }
    if (!any) continue;
    for (const std::uint32_t covered : waits_) {
      const std::uint32_t bit = distance(row, edges[covered].producer) - 1;
      if ((fresh_[bit / 64] >> (bit % 64) & 1U) != 0) clear_wait(edges[covered], producer);
    }
  }
  std::uint64_t* reach = bitmap_of(row);
  for (std::uint32_t w = 0; w < words_; ++w) reach[w] = direct_[w] | via_[w];
  const std::uint32_t tail = options_.window % 64;
  if (tail != 0) reach[words_ - 1] &= (std::uint64_t{1} << tail) - 1;
}

void Reduction::store_edges(const std::vector<FaninEdge>& edges) {
  open_ = false;
  for (const FaninEdge& edge : edges) {
    if (!edge.taken()) continue;
    if (options_.kind == ReductionKind::Exact && (edge.flags_final & kWait) == 0) continue;
    producers_.push_back(edge.producer);
    if (options_.kind == ReductionKind::OneHop) flags_.push_back(edge.flags_final);
  }
  begin_.push_back(producers_.size());
}

void Reduction::reduce_one_hop(FaninBuilder& builder) {
  std::vector<FaninEdge>& edges = builder.edges();
  if (builder.taken() >= 2 && builder.taken() <= kInlineEdges) {
    sort_waits(edges);
    for (const std::uint32_t position : waits_) {
      const std::uint32_t middle = edges[position].producer;
      // Once it is completed, or is the task itself, its edges prove nothing about the slots they name.
      if (middle + std::size_t{1} >= begin_.size() || (completed_ && completed_(middle))) continue;
      const std::uint64_t begin = begin_[middle];
      if (begin_[middle + 1] - begin > kInlineEdges) continue;
      for (std::uint64_t e = begin; e < begin_[middle + 1]; ++e) {
        if (flags_[e] != kWaitRetain) continue;
        const std::uint32_t covered = builder.find(producers_[e]);
        if (covered != kNoRow && edges[covered].taken() && (edges[covered].flags_final & kWait) != 0) {
          clear_wait(edges[covered], middle);
        }
      }
    }
  }
  store_edges(edges);
}

void Reduction::mark_ancestors(std::uint32_t position, FaninBuilder& builder, std::uint32_t& open) {
  std::vector<FaninEdge>& edges = builder.edges();
  const std::uint32_t mark = static_cast<std::uint32_t>(depth_.size()) + 1;
  // What is older than every open producer, or too close to a source to come after one, need not be visited.
  while (visited_[edges[waits_.back()].producer] == mark) waits_.pop_back();
  const std::uint32_t oldest = edges[waits_.back()].producer;
  const std::uint32_t shallowest = shallowest_after_[position];
  const std::uint32_t from = edges[waits_[position]].producer;
  stack_.assign(1, from);
  visited_[from] = mark;
  while (!stack_.empty() && open > 0) {
    const std::uint32_t at = stack_.back();
    stack_.pop_back();
    for (std::uint64_t e = begin_[at]; e < begin_[at + 1]; ++e) {
      const std::uint32_t ancestor = producers_[e];
      if (ancestor < oldest || visited_[ancestor] == mark || depth_[ancestor] < shallowest) continue;
      visited_[ancestor] = mark;
      const std::uint32_t covered = builder.find(ancestor);
      if (covered != kNoRow && edges[covered].taken() && (edges[covered].flags & kWait) != 0) {
        clear_wait(edges[covered], from);
        --open;
      }
      stack_.push_back(ancestor);
    }
  }
}

void Reduction::reduce_exact(std::uint32_t row, FaninBuilder& builder) {
  std::vector<FaninEdge>& edges = builder.edges();
  sort_waits(edges);
  if (!waits_.empty() && edges[waits_.front()].producer == row) waits_.erase(waits_.begin());  // H1
  std::uint32_t depth = 0;
  for (const std::uint32_t position : waits_) depth = std::max(depth, depth_[edges[position].producer] + 1);
  shallowest_after_.resize(waits_.size());
  std::uint32_t shallowest = kNoRow;
  for (std::size_t i = waits_.size(); i-- > 0;) {
    shallowest_after_[i] = shallowest;
    shallowest = std::min(shallowest, depth_[edges[waits_[i]].producer]);
  }
  // `open` = producers that may still turn out to be reachable from a nearer one.
  auto open = static_cast<std::uint32_t>(waits_.size());
  for (std::uint32_t i = 0; i < waits_.size(); ++i) {
    if (visited_[edges[waits_[i]].producer] == row + 1) continue;
    --open;
    if (open == 0) break;
    mark_ancestors(i, builder, open);
  }
  depth_.push_back(depth);
  visited_.push_back(0);
  store_edges(edges);
}

}  // namespace depscope::runtime
