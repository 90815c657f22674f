#include "depscope/runtime/tensor_map.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

/// Below this a walk of the chain is faster than the index.
constexpr std::uint32_t kIndexFrom = 48;
constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::uint32_t kFirstTableBits = 12;  // upstream's 4096 buckets

/// In the unit of the index nothing may be left out because a number is too large.
bool fits(std::uint64_t end, std::uint64_t scale) { return scale != 0 && end <= kMax / scale; }

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
  Chain fresh;
  fresh.address = address;
  chains_.push_back(fresh);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (address * kGolden) >> table_shift_;
  while (table_[at] != 0) at = (at + 1) & mask;
  table_[at] = chain + 1;
  return chain;
}

RangeIndex::Key TensorMap::key_of(std::uint32_t entry) const {
  const Entry& e = entries_[entry];
  const std::uint64_t scale = scale_of(e.tensor);
  return {e.begin * scale, e.end * scale, e.serial, entry};
}

void TensorMap::build_index(Chain& chain) {
  std::vector<RangeIndex::Key> keys;
  keys.reserve(chain.count);
  for (std::uint32_t e = chain.newest; e != kNone; e = entries_[e].older) keys.push_back(key_of(e));
  std::sort(keys.begin(), keys.end(), [](const RangeIndex::Key& a, const RangeIndex::Key& b) { return a.before(b); });
  chain.index = static_cast<std::uint32_t>(indices_.size());
  RangeIndex& index = indices_.emplace_back();
  for (const RangeIndex::Key& key : keys) index.insert(key);
}

std::uint32_t TensorMap::insert(const TensorDescriptor& tensor, std::uint32_t producer, std::uint32_t access) {
  const std::uint32_t c = chain_for(tensor.address);
  std::uint32_t index = free_head_;
  if (index != kNone) {
    free_head_ = entries_[index].older;
    --free_count_;
  } else {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({});
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
  chain.newest = index;
  ++chain.count;
  chain.oldest_version = std::min(chain.oldest_version, tensor.version);
  if (!fits(e.end, scale_of(tensor))) chain.walked = true;
  if (chain.index != kNone) {
    if (!chain.walked) indices_[chain.index].insert(key_of(index));
  } else if (chain.count >= kIndexFrom && !chain.walked) {
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
  if (chain.index != kNone && !chain.walked) indices_[chain.index].remove(key_of(index));
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
  const std::uint64_t scale = scale_of(request);
  const std::uint64_t last = end_of(request);
  if (chain.index == kNone || chain.walked || !fits(last, scale) || request.version > chain.oldest_version) {
    for (std::uint32_t e = chain.newest; e != kNone; e = entries_[e].older) {
      const Overlap overlap = classify_overlap(entries_[e].tensor, request, unit_);
      if (overlap != Overlap::None) hits.push_back({e, overlap});
    }
    return;
  }
  indices_[chain.index].each(request.start_offset * scale, last * scale, [&](std::uint32_t e) {
    const Overlap overlap = classify_overlap(entries_[e].tensor, request, unit_);
    if (overlap != Overlap::None) hits.push_back({e, overlap});
  });
  std::sort(hits.begin(), hits.end(),
            [this](const Hit& a, const Hit& b) { return entries_[a.entry].serial > entries_[b.entry].serial; });
}

}  // namespace depscope::runtime
