// Finds the producers of the task that is being submitted and registers its writes (runtime.md 3.1 steps 9 to 12, 3.2, 4).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depscope/runtime/sink.h"
#include "depscope/runtime/tensor_map.h"
#include "fanin_builder.h"
#include "state.h"
#include "task_index.h"
#include "waiting.h"

namespace depscope::runtime {

class Discovery {
 public:
  Discovery(State& state, Waiting& waiting, const TaskIndex& index)
      : s_(state), waiting_(waiting), index_(index), map_(range_unit(state.options)) {
    builder_.set_epoch(state.options.first_seen_epoch - 1);
    map_.mutate(state.options.mutation);
  }

  struct Consumer {
    std::uint32_t task = 0;          ///< tasks row
    std::uint32_t first_access = 0;  ///< accesses row of argument 0
    std::uint32_t first_edge = 0;    ///< edges row of the first edge that is found
    bool manual = false;             ///< inside a MANUAL scope: explicit dependencies only
  };

  /// Explicit, creator and TensorMap discoveries in the order of the runtime, then registration. False: a fatal error stands and
  /// the submit is to be given up; what was found until then stays.
  bool run(const Submission& submission, const Consumer& consumer);
  /// The last run stopped at an invalid id in the list of explicit dependencies.
  [[nodiscard]] bool invalid_id() const { return invalid_id_; }
  /// Nothing is looked for (allocation tasks).
  void skip(std::uint32_t task);

  [[nodiscard]] FaninBuilder& builder() { return builder_; }
  [[nodiscard]] const FaninBuilder& builder() const { return builder_; }
  [[nodiscard]] const TensorMap& map() const { return map_; }
  /// Discoveries of the last run, in order, with rows of the edges table.
  [[nodiscard]] const std::vector<EdgeReasonRow>& reasons() const { return reasons_; }
  /// Producers of what overlaps the tensor, by the live map and whatever its manual_dep says (runtime.md 3.7).
  void writers_of(const TensorDescriptor& tensor, std::vector<std::uint32_t>& out);
  /// Local index up to which the live map of a ring is cleaned.
  [[nodiscard]] std::int64_t cached_watermark(std::uint32_t ring) const { return cached_[ring]; }
  [[nodiscard]] std::size_t cleaned(std::uint32_t ring) const { return cleaned_count_[ring]; }

 private:
  [[nodiscard]] static RangeUnit range_unit(const ModelOptions& options) {
    return options.hazards.faithful(3) ? RangeUnit::Elements : RangeUnit::Bytes;
  }
  enum class Outcome : std::uint8_t { Taken, Gone, Failed };

  void synchronize(std::uint32_t ring, std::uint32_t slot);
  void clean_up(std::uint32_t ring);
  bool explicit_dependencies(const Submission& submission);
  bool argument(const Argument& argument, std::uint32_t position);
  bool registrations(const Submission& submission);
  /// The row that the id names, kNoRow if its slot has passed on, and whether the edge can be taken.
  [[nodiscard]] std::uint32_t live_row(TaskId id) const;
  bool add(TaskId id, std::uint32_t producer, EdgeReasonRow reason, std::uint8_t provenance, bool below_watermark = false);
  bool spill();
  void own_slot(TaskId id);
  void watch_memory(const Submission& submission);

  State& s_;
  Waiting& waiting_;
  const TaskIndex& index_;
  TensorMap map_;
  FaninBuilder builder_;
  std::vector<EdgeReasonRow> reasons_;
  std::vector<TensorMap::Hit> hits_;
  Consumer consumer_;
  bool invalid_id_ = false;
  std::array<std::int64_t, kRingCount> cached_{};       // watermark that the map knows
  std::array<std::size_t, kRingCount> cached_count_{};  // the same in tasks of the ring
  std::array<std::int64_t, kRingCount> cleaned_{};      // of the last clean-up
  std::array<std::size_t, kRingCount> cleaned_count_{};
};

}  // namespace depscope::runtime
