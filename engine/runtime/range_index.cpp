#include "depscope/runtime/range_index.h"

#include <bit>

namespace depscope::runtime {

std::size_t RangeIndex::block_of(const Key& key) const {
  const auto behind = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& b) { return !key.before(b.first); });
  return behind == blocks_.begin() ? 0 : static_cast<std::size_t>(behind - blocks_.begin()) - 1;
}

std::uint64_t RangeIndex::largest_end(const Block& block) {
  std::uint64_t largest = 0;
  for (const Key& key : block.keys) largest = std::max(largest, key.end);
  return largest;
}

void RangeIndex::set_largest(std::size_t block) {
  std::size_t node = leaves_ + block;
  largest_[node] = largest_end(blocks_[block]);
  while (node > 1) {
    node /= 2;
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
  }
}

void RangeIndex::build_tree() {
  leaves_ = std::bit_ceil(std::max<std::size_t>(blocks_.size(), 1));
  largest_.assign(2 * leaves_, 0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) largest_[leaves_ + i] = largest_end(blocks_[i]);
  for (std::size_t node = leaves_; node-- > 1;) largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
}

void RangeIndex::insert(const Key& key) {
  ++size_;
  if (blocks_.empty()) {
    blocks_.push_back({key, {key}});
    build_tree();
    return;
  }
  std::size_t at = block_of(key);
  if (blocks_[at].keys.size() >= kBlockKeys) {
    Block upper;
    std::vector<Key>& keys = blocks_[at].keys;
    // Keys that come in order leave full blocks behind.
    const bool behind_all = at + 1 == blocks_.size() && keys.back().before(key);
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(behind_all ? kBlockKeys : kBlockKeys / 2);
    upper.keys.reserve(kBlockKeys);
    upper.keys.assign(middle, keys.end());
    keys.erase(middle, keys.end());
    const bool above = behind_all || !key.before(upper.keys.front());
    upper.first = behind_all ? key : upper.keys.front();
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
    // Behind all others nothing moves: the new block gets its place in the tree below.
    if (!behind_all || blocks_.size() > leaves_) build_tree();
    if (above) ++at;
  }
  Block& block = blocks_[at];
  const auto place =
      std::upper_bound(block.keys.begin(), block.keys.end(), key, [](const Key& a, const Key& b) { return a.before(b); });
  block.keys.insert(place, key);
  block.first = block.keys.front();
  for (std::size_t node = leaves_ + at; node > 0 && largest_[node] < key.end; node /= 2) largest_[node] = key.end;
}

void RangeIndex::remove(const Key& key) {
  --size_;
  const std::size_t at = block_of(key);
  std::vector<Key>& keys = blocks_[at].keys;
  keys.erase(std::lower_bound(keys.begin(), keys.end(), key, [](const Key& a, const Key& b) { return a.before(b); }));
  if (keys.empty()) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
    build_tree();
    return;
  }
  blocks_[at].first = keys.front();
  set_largest(at);
}

}  // namespace depscope::runtime
