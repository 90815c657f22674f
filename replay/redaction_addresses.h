// Addresses of buffers moved to other places: what lay together stays together, in the same order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace depscope::replay {

/// Buffers whose bytes meet or touch form a group; a group is moved as a whole, so that offsets, overlaps and the place within a
/// page of 4096 bytes are as they were. Groups keep their order. Address 0, which stands for an unknown one, stays.
class AddressMap {
 public:
  /// Bytes from `address`; at least one is taken.
  void learn(std::uint64_t address, std::uint64_t bytes);
  /// An id as a file names it; `version` and `address` where the file says of what.
  void learn_tensor_id(std::uint64_t id);
  void learn_tensor(std::uint64_t id, std::uint64_t address, std::int32_t version);
  void freeze();

  /// None if it was not learned.
  [[nodiscard]] std::optional<std::uint64_t> address(std::uint64_t address) const;
  /// The hash of the new address and the version where the old one was that; another number otherwise.
  [[nodiscard]] std::optional<std::uint64_t> tensor_id(std::uint64_t id) const;

  /// Decimal forms of addresses and ids that changed, from 2^32 on.
  void add_originals(std::vector<std::string>& out) const;

 private:
  struct Tensor {
    std::uint64_t address = 0;
    std::int32_t version = 0;
    bool hashed = false;  // the id is the hash of both
    std::uint64_t replacement = 0;
  };

  std::map<std::uint64_t, std::uint64_t> ends_;  // address: end of the longest buffer there
  std::map<std::uint64_t, std::uint64_t> moved_;
  std::map<std::uint64_t, Tensor> tensors_;
};

}  // namespace depscope::replay
