#include "buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace depscope::viewers {
namespace {

using runtime::ArgKind;

struct Key {
  std::uint64_t owner = 0, address = 0;
  std::uint32_t name = 0;
  std::uint32_t tensor = 0;

  [[nodiscard]] auto identity() const { return std::tie(owner, address, name); }
};

}  // namespace

Buffers::Buffers(const Document& document) : recording_(&document.recording()) {
  const recording::Recording& r = *recording_;
  const std::uint32_t tensors = r.tensors.rows();
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) owners_.emplace_back(r.tasks.id[task], task);
  std::sort(owners_.begin(), owners_.end());
  std::vector<Key> keys;
  keys.reserve(tensors);
  for (std::uint32_t t = 0; t < tensors; ++t) {
    const bool placed = r.tensors.address[t] != 0;
    keys.push_back({r.tensors.owner[t], r.tensors.address[t], placed ? 0 : r.tensors.name[t], t});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.identity() < b.identity() || (a.identity() == b.identity() && a.tensor < b.tensor);
  });
  // Rows without an address join the only buffer of their owner: they come first among its rows.
  std::vector<std::uint32_t> leader(tensors);
  for (std::size_t at = 0; at < keys.size();) {
    std::size_t end = at;
    while (end < keys.size() && keys[end].owner == keys[at].owner) ++end;
    std::size_t placed = at;
    while (placed < end && keys[placed].address == 0) ++placed;
    const bool one = keys[at].owner != runtime::kInvalidTask && placed < end && keys[placed].address == keys[end - 1].address;
    for (std::size_t i = at; i < end; ++i) {
      const bool same = i > at && (one || keys[i].identity() == keys[i - 1].identity());
      leader[keys[i].tensor] = same ? leader[keys[i - 1].tensor] : keys[i].tensor;
    }
    at = end;
  }
  // Numbers in order of first use: the row that leads need not be the first.
  of_tensor_.assign(tensors, kNoRow);
  std::vector<std::uint32_t> number(tensors, kNoRow);
  for (std::uint32_t t = 0; t < tensors; ++t) {
    std::uint32_t& buffer = number[leader[t]];
    if (buffer == kNoRow) {
      buffer = size();
      first_tensor_.push_back(t);
      bytes_.push_back(0);
    }
    of_tensor_[t] = buffer;
    const std::uint64_t element = runtime::element_size(static_cast<runtime::ElementType>(r.tensors.dtype[t]));
    std::uint64_t bytes = 0;
    if (!__builtin_mul_overflow(r.tensors.buffer_elements[t], element, &bytes)) bytes_[buffer] = std::max(bytes_[buffer], bytes);
    // A row with a name says more than one without.
    if (r.text(r.tensors.name[first_tensor_[buffer]]).empty()) first_tensor_[buffer] = t;
  }
  reads_.assign(size(), 0);
  writes_.assign(size(), 0);
  std::vector<std::uint32_t> buffer_of(r.accesses.rows());
  for (std::uint32_t access = 0; access < r.accesses.rows(); ++access) {
    const std::uint32_t buffer = of_tensor_[r.accesses.tensor[access]];
    buffer_of[access] = buffer;
    const auto kind = static_cast<ArgKind>(r.accesses.kind[access]);
    if (kind == ArgKind::Input || kind == ArgKind::InOut) ++reads_[buffer];
    if (kind == ArgKind::Output || kind == ArgKind::OutputExisting || kind == ArgKind::InOut) ++writes_[buffer];
  }
  accesses_ = Groups(buffer_of, size());
}

std::uint32_t Buffers::of_access(std::uint32_t access) const { return of_tensor_[recording_->accesses.tensor[access]]; }

std::uint32_t Buffers::task_of(std::uint64_t id) const {
  const auto after = std::upper_bound(owners_.begin(), owners_.end(), std::pair{id, kNoRow});
  return after != owners_.begin() && (after - 1)->first == id ? (after - 1)->second : kNoRow;
}

std::string Buffers::name(const Document& document, std::uint32_t buffer) const {
  const auto& tensors = recording_->tensors;
  const std::uint32_t tensor = first_tensor_[buffer];
  if (const std::string_view name = document.text(tensors.name[tensor]); !name.empty()) return std::string(name);
  if (const std::uint32_t owner = task_of(tensors.owner[tensor]); owner != kNoRow)
    return fmt::format("output of {}", document.task_label(owner));
  return tensors.address[tensor] == 0 ? fmt::format("tensor {}", tensor) : fmt::format("0x{:x}", tensors.address[tensor]);
}

}  // namespace depscope::viewers
