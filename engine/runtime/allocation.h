// Slot and memory of a new task (runtime.md 3.1 steps 3 to 7, 6.4, 6.5).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"
#include "reduction.h"
#include "state.h"
#include "task_index.h"
#include "waiting.h"

namespace depscope::runtime {

class Allocation {
 public:
  Allocation(State& state, Waiting& waiting, Reduction& reduction) : s_(state), waiting_(waiting), reduction_(reduction) {}

  /// Lays out the packed buffer at `base`; returns its size in bytes. InputError: more than kMaxOutputBytes.
  std::uint64_t lay_out(const Submission& submission, TaskId id, std::uint64_t base);
  /// The OUTPUT arguments of the last layout, with their places.
  [[nodiscard]] const std::vector<TensorDescriptor>& outputs() const { return outputs_; }

  /// Until a slot and `bytes` of the ring's heap are free; both are there before either is taken. False: a fatal error stands.
  /// `forced`: the id is given and needs a slot of its own.
  bool wait(std::uint32_t ring, TaskId id, bool forced, std::uint64_t bytes);
  /// Takes them; returns the tasks row, which it writes. Without a submission the task stands for a producer that has no record.
  std::uint32_t take(const TaskRow& given, const Submission* submission, std::uint64_t bytes);

 private:
  void look_at_heap(Ring& ring, std::uint32_t index);
  [[nodiscard]] bool slot_free(const Ring& ring, std::uint32_t index, TaskId id, bool forced) const;
  void tell_reused_bytes(Ring& ring, std::uint32_t index, std::uint32_t task);
  [[nodiscard]] Task new_task(const TaskRow& row, const Submission* submission) const;

  State& s_;
  Waiting& waiting_;
  Reduction& reduction_;
  TaskIndex generations_;  // by (ring, slot): times it was taken
  std::vector<TensorDescriptor> outputs_;
};

/// Lanes of a submission (AIC 1, AIV0 2, AIV1 4) and the shape they make (runtime.md 2.4).
[[nodiscard]] std::uint8_t lanes_of(const Submission& submission);
[[nodiscard]] Shape shape_of(std::uint8_t lanes);

}  // namespace depscope::runtime
