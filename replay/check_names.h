// How findings name tasks, buffers and arguments. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/check.h"
#include "id_table.h"

namespace depscope::replay {

/// Task references of the findings contract: the how-manieth task of its callee, barrier, or allocation of its name.
class TaskNames {
 public:
  explicit TaskNames(const recording::Recording& recording, TaskReference reference = TaskReference::Id);

  /// {"task":"4294967297","callee":"fill","occurrence":1,"line":17}; {"dummy":0,…}; {"alloc":"tmp","occurrence":0,…}.
  /// `buffer` chooses among the buffers of one allocation: the name (a string row) of the one that is spoken of, 0 = its first.
  [[nodiscard]] std::string json(std::uint32_t task, std::uint32_t buffer = 0) const;
  /// "task 4294967297" or "t1", as the constructor was told.
  [[nodiscard]] std::string reference(std::uint32_t task) const;
  /// "fill#1", "barrier 0", "allocation of tmp#0", "task 5".
  [[nodiscard]] std::string text(std::uint32_t task, std::uint32_t buffer = 0) const;
  /// What tasks of one sort have in common: "fill", "barrier", "kernel 3".
  [[nodiscard]] std::string kernel(std::uint32_t task) const;
  /// Equal for tasks of one sort.
  [[nodiscard]] std::uint64_t kernel_key(std::uint32_t task) const;
  /// Line of the call in the input, 0 if it is not known.
  [[nodiscard]] std::uint32_t line(std::uint32_t task) const;

  /// Name of the buffer of an access as the source has it, "addr:4096" in traces.
  [[nodiscard]] std::string buffer(std::uint32_t access) const;
  /// Equal for accesses whose buffers have one name.
  [[nodiscard]] std::uint64_t buffer_key(std::uint32_t access) const;

 private:
  [[nodiscard]] std::uint32_t allocation_name(std::uint32_t task, std::uint32_t buffer) const;

  const recording::Recording& r_;
  TaskReference reference_;
  std::vector<std::uint32_t> occurrence_;  // by task
  IdTable allocations_;                    // occurrence of (task, name string)
  std::vector<std::uint32_t> first_name_;  // by task: name of the first buffer of an allocation
};

}  // namespace depscope::replay
