// Which tensors rows are one buffer, and who accesses it. Built once for a document.
//
// A buffer is memory that was made once: the same base address and the same owner task (external memory: the same address). The
// runtime gives heap bytes out again, so that an address alone is not enough; versions, types and views of a buffer are rows of
// their own in the table. Rows without an address, which traces have for outputs that nobody named, belong to the buffer of
// their owner if it owns only one, else they are told apart by owner and name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "depscope/viewers/document.h"
#include "depscope/viewers/groups.h"

namespace depscope::viewers {

class Buffers {
 public:
  Buffers() = default;
  explicit Buffers(const Document& document);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(first_tensor_.size()); }
  /// Buffer of a tensors row. Buffers are numbered in order of first use.
  [[nodiscard]] std::uint32_t of_tensor(std::uint32_t tensor) const { return of_tensor_[tensor]; }
  [[nodiscard]] std::uint32_t of_access(std::uint32_t access) const;
  /// Accesses rows of the buffer, in order of submission.
  [[nodiscard]] std::span<const std::uint32_t> accesses(std::uint32_t buffer) const { return accesses_.of(buffer); }
  /// The first tensors row, which gives the buffer its name.
  [[nodiscard]] std::uint32_t first_tensor(std::uint32_t buffer) const { return first_tensor_[buffer]; }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t buffer) const { return bytes_[buffer]; }  ///< 0 where it is not told
  /// Accesses that read and that write; an inout is both, one that takes no part in dependencies is neither.
  [[nodiscard]] std::uint32_t reads(std::uint32_t buffer) const { return reads_[buffer]; }
  [[nodiscard]] std::uint32_t writes(std::uint32_t buffer) const { return writes_[buffer]; }
  /// "x", "output of alloc t0", "0x1000".
  [[nodiscard]] std::string name(const Document& document, std::uint32_t buffer) const;
  /// The tasks row that has the id, the last one of several; none if there is none.
  [[nodiscard]] std::uint32_t task_of(std::uint64_t id) const;

 private:
  std::vector<std::uint32_t> of_tensor_, first_tensor_, reads_, writes_;
  std::vector<std::uint64_t> bytes_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> owners_;  // (task id, tasks row), sorted
  const recording::Recording* recording_ = nullptr;
  Groups accesses_;
};

}  // namespace depscope::viewers
