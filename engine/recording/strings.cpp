#include <functional>
#include <string_view>

#include "depscope/recording/tables.h"

namespace depscope::recording {

std::uint32_t Strings::add(std::string_view text) {
  const std::hash<std::string_view> hash;
  for (; indexed_ < rows(); ++indexed_) index_[hash(this->text(indexed_))].push_back(indexed_);
  std::vector<std::uint32_t>& same_hash = index_[hash(text)];
  for (const std::uint32_t row : same_hash) {
    if (this->text(row) == text) return row;
  }
  const std::uint32_t row = rows();
  bytes.append(text);
  offsets.push_back(bytes.size());
  same_hash.push_back(row);
  ++indexed_;
  return row;
}

}  // namespace depscope::recording
