#include "depscope/runtime/tensor_map.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

/// Below this a walk of the chain is faster than the index.
constexpr std::uint32_t kIndexFrom = 48;
constexpr std::size_t kBlockKeys = 256;
constexpr std::uint32_t kFirstTableBits = 12;  // upstream's 4096 buckets

}  // namespace

TensorMap::TensorMap(RangeUnit unit)
    : unit_(unit), table_(std::size_t{1} << kFirstTableBits), table_shift_(64 - kFirstTableBits) {}

std::uint32_t TensorMap::find_chain(std::uint64_t address) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = (address * kGolden) >> table_shift_; table_[at] != 0; at = (at + 1) & mask) {
    if (chains_[table_[at] - 1].address == address) return table_[at] - 1;
  }
  return kNone;
}

void TensorMap::grow_table() {
  table_.assign(table_.size() * 2, 0);
  --table_shift_;
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t c = 0; c < chains_.size(); ++c) {
    std::size_t at = (chains_[c].address * kGolden) >> table_shift_;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = c + 1;
  }
}

std::uint32_t TensorMap::chain_for(std::uint64_t address) {
  const std::uint32_t found = find_chain(address);
  if (found != kNone) return found;
  if ((chains_.size() + 1) * 2 > table_.size()) grow_table();
  const auto chain = static_cast<std::uint32_t>(chains_.size());
  chains_.emplace_back().address = address;
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (address * kGolden) >> table_shift_;
  while (table_[at] != 0) at = (at + 1) & mask;
  table_[at] = chain + 1;
  return chain;
}

void TensorMap::index_insert(Chain& chain, const Key& key) {
  auto block = std::upper_bound(chain.blocks.begin(), chain.blocks.end(), key,
                                [](const Key& k, const Block& b) { return k.before(b.keys.front()); });
  if (block != chain.blocks.begin()) --block;
  if (block == chain.blocks.end()) block = chain.blocks.insert(block, Block{});
  if (block->keys.size() >= kBlockKeys) {
    Block upper;
    const auto middle = block->keys.begin() + kBlockKeys / 2;
    upper.keys.reserve(kBlockKeys);
    upper.keys.assign(middle, block->keys.end());
    block->keys.erase(middle, block->keys.end());
    const auto max_end = [](Block& b) {
      b.max_end = 0;
      for (const Key& k : b.keys) b.max_end = std::max(b.max_end, k.end);
    };
    max_end(*block);
    max_end(upper);
    const bool above = !key.before(upper.keys.front());
    block = chain.blocks.insert(block + 1, std::move(upper));
    if (!above) --block;
  }
  const auto at =
      std::upper_bound(block->keys.begin(), block->keys.end(), key, [](const Key& a, const Key& b) { return a.before(b); });
  block->keys.insert(at, key);
  block->max_end = std::max(block->max_end, key.end);
}

void TensorMap::index_remove(Chain& chain, const Key& key) {
  auto block = std::upper_bound(chain.blocks.begin(), chain.blocks.end(), key,
                                [](const Key& k, const Block& b) { return k.before(b.keys.front()); });
  --block;
  const auto at =
      std::lower_bound(block->keys.begin(), block->keys.end(), key, [](const Key& a, const Key& b) { return a.before(b); });
  block->keys.erase(at);
  if (block->keys.empty()) {
    chain.blocks.erase(block);
  } else if (key.end == block->max_end) {
    block->max_end = 0;
    for (const Key& k : block->keys) block->max_end = std::max(block->max_end, k.end);
  }
}

void TensorMap::build_index(Chain& chain) const {
  std::vector<Key> keys;
  keys.reserve(chain.count);
  for (std::uint32_t e = chain.newest; e != kNone; e = entries_[e].older) {
    keys.push_back({entries_[e].begin, entries_[e].end, entries_[e].serial, e});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.before(b); });
  for (const Key& key : keys) index_insert(chain, key);
  chain.indexed = true;
}

std::uint32_t TensorMap::insert(const TensorDescriptor& tensor, std::uint32_t producer, std::uint32_t access) {
  const std::uint32_t c = chain_for(tensor.address);
  std::uint32_t index = free_head_;
  if (index != kNone) {
    free_head_ = entries_[index].older;
    --free_count_;
  } else {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  Chain& chain = chains_[c];
  Entry& e = entries_[index];
  e = Entry{.tensor = tensor,
            .begin = tensor.start_offset,
            .end = end_of(tensor),
            .producer = producer,
            .access = access,
            .serial = next_serial_++,
            .newer = kNone,
            .older = chain.newest,
            .chain = c};
  if (chain.newest != kNone) entries_[chain.newest].newer = index;
  if (chain.newest == kNone && chain.count == 0 && chain.size_of_element == 0) {
    chain.oldest_version = tensor.version;
    chain.size_of_element = element_size(tensor.dtype);
  }
  chain.newest = index;
  ++chain.count;
  chain.oldest_version = std::min(chain.oldest_version, tensor.version);
  if (element_size(tensor.dtype) != chain.size_of_element) chain.mixed_sizes = true;
  if (chain.indexed) {
    index_insert(chain, {e.begin, e.end, e.serial, index});
  } else if (chain.count >= kIndexFrom) {
    build_index(chain);
  }
  join(index);
  return index;
}

void TensorMap::join(std::uint32_t index) {
  Entry& e = entries_[index];
  if (free_listed_ != 0) {
    --free_listed_;
  } else {
    ++bumped_;
  }
  e.live = true;
  std::uint32_t& head = buckets_[bucket_of(e.tensor.address)];
  if (mutation_ == Mutation::BucketOldestFirst && head != kNone) {
    std::uint32_t last = head;
    while (entries_[last].bucket_older != kNone) last = entries_[last].bucket_older;
    entries_[last].bucket_older = index;
    e.bucket_newer = last;
  } else {
    e.bucket_older = head;
    if (head != kNone) entries_[head].bucket_newer = index;
    head = index;
  }
  if (e.producer >= newest_of_task_.size()) newest_of_task_.resize(e.producer + std::size_t{e.producer} / 2 + 64, kNone);
  e.next_of_task = newest_of_task_[e.producer];
  newest_of_task_[e.producer] = index;
}

void TensorMap::leave(std::uint32_t index) {
  Entry& e = entries_[index];
  e.live = false;
  ++free_listed_;
  if (e.bucket_newer != kNone) entries_[e.bucket_newer].bucket_older = e.bucket_older;
  if (e.bucket_older != kNone) entries_[e.bucket_older].bucket_newer = e.bucket_newer;
  std::uint32_t& head = buckets_[bucket_of(e.tensor.address)];
  if (head == index) head = e.bucket_older;
  e.bucket_newer = e.bucket_older = kNone;
  // A task has few entries: at most one per argument.
  std::uint32_t* link = &newest_of_task_[e.producer];
  while (*link != index) link = &entries_[*link].next_of_task;
  *link = e.next_of_task;
  e.next_of_task = kNone;
  if (e.covered) free(index);
}

void TensorMap::free(std::uint32_t index) {
  entries_[index].older = free_head_;
  free_head_ = index;
  ++free_count_;
}

void TensorMap::remove(std::uint32_t index) {
  cover(index);
  if (entries_[index].live) leave(index);
}

void TensorMap::cover(std::uint32_t index) {
  Entry& e = entries_[index];
  Chain& chain = chains_[e.chain];
  if (chain.indexed) index_remove(chain, {e.begin, e.end, e.serial, index});
  if (e.newer != kNone) entries_[e.newer].older = e.older;
  if (e.older != kNone) entries_[e.older].newer = e.newer;
  if (chain.newest == index) chain.newest = e.older;
  --chain.count;
  e.covered = true;
  if (!e.live) free(index);
}

void TensorMap::lookup(const TensorDescriptor& request, std::vector<Hit>& hits) const {
  hits.clear();
  const std::uint32_t c = find_chain(request.address);
  if (c == kNone) return;
  const Chain& chain = chains_[c];
  const bool same_unit =
      unit_ == RangeUnit::Elements || (!chain.mixed_sizes && element_size(request.dtype) == chain.size_of_element);
  if (!chain.indexed || !same_unit || request.version > chain.oldest_version) {
    for (std::uint32_t e = chain.newest; e != kNone; e = entries_[e].older) {
      const Overlap overlap = classify_overlap(entries_[e].tensor, request, unit_);
      if (overlap != Overlap::None) hits.push_back({e, overlap});
    }
    return;
  }
  const std::uint64_t begin = request.start_offset;
  const std::uint64_t end = end_of(request);
  for (const Block& block : chain.blocks) {
    if (block.keys.front().begin >= end) break;
    if (block.max_end <= begin) continue;
    for (const Key& key : block.keys) {
      if (key.begin >= end) break;
      if (key.end <= begin) continue;
      const Overlap overlap = classify_overlap(entries_[key.entry].tensor, request, unit_);
      if (overlap != Overlap::None) hits.push_back({key.entry, overlap});
    }
  }
  std::sort(hits.begin(), hits.end(),
            [this](const Hit& a, const Hit& b) { return entries_[a.entry].serial > entries_[b.entry].serial; });
}

}  // namespace depscope::runtime
