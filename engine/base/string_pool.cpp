#include "depscope/base/string_pool.h"

#include <algorithm>
#include <cstring>

namespace depscope {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

std::uint32_t hash_text(std::string_view text) {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ text.size();
  const char* p = text.data();
  std::size_t n = text.size();
  while (n >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32U;
    p += 8;
    n -= 8;
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, p, n);
  h = (h ^ tail) * 0xc4ceb9fe1a85ec53ULL;
  return static_cast<std::uint32_t>(h ^ (h >> 32U));
}

}  // namespace

StringPool::StringPool() {
  table_.resize(256);
  intern("");
}

std::string_view StringPool::store(std::string_view text) {
  if (chunk_size_ - chunk_used_ < text.size()) {
    chunk_size_ = std::max(kChunkBytes, text.size());
    chunks_.push_back(std::make_unique<char[]>(chunk_size_));
    chunk_used_ = 0;
  }
  if (text.empty()) return {};
  char* to = chunks_.back().get() + chunk_used_;
  std::memcpy(to, text.data(), text.size());
  chunk_used_ += text.size();
  return {to, text.size()};
}

void StringPool::grow() {
  std::vector<Entry> old;
  old.swap(table_);
  table_.resize(old.size() * 2);
  const std::size_t mask = table_.size() - 1;
  for (const Entry& e : old) {
    if (e.id_plus_one == 0) continue;
    std::size_t at = e.hash & mask;
    while (table_[at].id_plus_one != 0) at = (at + 1) & mask;
    table_[at] = e;
  }
}

NameId StringPool::find(std::string_view text) const {
  const std::uint32_t h = hash_text(text);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = h & mask; table_[at].id_plus_one != 0; at = (at + 1) & mask) {
    if (table_[at].hash == h && texts_[table_[at].id_plus_one - 1] == text) return NameId(table_[at].id_plus_one - 1);
  }
  return {};
}

NameId StringPool::intern(std::string_view text) {
  const std::uint32_t h = hash_text(text);
  std::size_t mask = table_.size() - 1;
  std::size_t at = h & mask;
  for (; table_[at].id_plus_one != 0; at = (at + 1) & mask) {
    if (table_[at].hash == h && texts_[table_[at].id_plus_one - 1] == text) return NameId(table_[at].id_plus_one - 1);
  }
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(store(text));
  table_[at] = {h, id + 1};
  if (texts_.size() * 2 > table_.size()) grow();
  return NameId(id);
}

}  // namespace depscope
