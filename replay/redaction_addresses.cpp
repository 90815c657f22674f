#include "redaction_addresses.h"

#include <algorithm>
#include <limits>
#include <set>

#include "depscope/replay/deps_json.h"

namespace depscope::replay {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kFirstPage = 16 * kPage;
constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void AddressMap::learn(std::uint64_t address, std::uint64_t bytes) {
  if (address == 0) return;
  std::uint64_t end = 0;
  if (__builtin_add_overflow(address, std::max<std::uint64_t>(bytes, 1), &end)) end = kEnd;
  std::uint64_t& known = ends_[address];
  known = std::max(known, end);
}

void AddressMap::learn_tensor_id(std::uint64_t id) { tensors_.try_emplace(id); }

void AddressMap::learn_tensor(std::uint64_t id, std::uint64_t address, std::int32_t version) {
  Tensor& t = tensors_[id];
  if (t.hashed) return;
  t.address = address;
  t.version = version;
  t.hashed = replay::tensor_id(address, version) == id;
}

void AddressMap::freeze() {
  std::uint64_t next = kFirstPage;
  for (auto at = ends_.begin(); at != ends_.end();) {
    const std::uint64_t begin = at->first;
    const std::uint64_t base = next + begin % kPage;
    std::uint64_t end = begin;
    for (; at != ends_.end() && (at->first == begin || at->first <= end); ++at) {
      moved_[at->first] = base + (at->first - begin);
      end = std::max(end, at->second);
    }
    // Two pages further than the end, so that groups never touch; a group that fills the address space is the last.
    const std::uint64_t length = end - begin;
    std::uint64_t behind = 0;
    next = __builtin_add_overflow(base, length, &behind) || behind > kEnd - 2 * kPage ? next : (behind / kPage + 2) * kPage;
  }
  std::set<std::uint64_t> taken;
  for (auto& [id, t] : tensors_) {
    if (!t.hashed) continue;
    t.replacement = replay::tensor_id(address(t.address).value_or(t.address), t.version);
    taken.insert(t.replacement);
  }
  std::uint64_t number = 1;
  for (auto& [id, t] : tensors_) {
    if (t.hashed) continue;
    while (!taken.insert(number).second) ++number;
    t.replacement = number;
  }
}

std::optional<std::uint64_t> AddressMap::address(std::uint64_t address) const {
  if (address == 0) return address;
  const auto at = moved_.find(address);
  return at == moved_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::uint64_t> AddressMap::tensor_id(std::uint64_t id) const {
  const auto at = tensors_.find(id);
  return at == tensors_.end() ? std::nullopt : std::optional(at->second.replacement);
}

void AddressMap::add_originals(std::vector<std::string>& out) const {
  // A small number could be a size or an offset as well: finding it would say nothing.
  constexpr std::uint64_t kTelling = std::uint64_t{1} << 32U;
  for (const auto& [from, to] : moved_) {
    if (from != to && from >= kTelling) out.push_back(std::to_string(from));
  }
  for (const auto& [id, t] : tensors_) {
    if (id != t.replacement && id >= kTelling) out.push_back(std::to_string(id));
  }
}

}  // namespace depscope::replay
