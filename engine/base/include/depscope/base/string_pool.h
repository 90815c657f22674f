// Interned strings: equal text has equal id, ids are dense and given in order of first use (so they are deterministic).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "depscope/base/ids.h"

namespace depscope {

struct NameTag;
/// Id of an interned string. Id 0 is always the empty string.
using NameId = Id<NameTag>;

/// Owns the bytes of every interned string; views stay valid for the life of the pool.
class StringPool {
 public:
  StringPool();
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;
  ~StringPool() = default;

  NameId intern(std::string_view text);
  /// The id of `text` if it was interned before, else none.
  [[nodiscard]] NameId find(std::string_view text) const;
  [[nodiscard]] std::string_view text(NameId id) const { return texts_[id.value]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0 = free
  };

  std::string_view store(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Entry> table_;  // open addressing, power of two
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_used_ = 0;
  std::size_t chunk_size_ = 0;
};

}  // namespace depscope
