// Transitive reduction of WAIT at submit (runtime.md 8), on the edges that the runtime has: those to producers that are not gone.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "depscope/runtime/options.h"
#include "fanin_builder.h"

namespace depscope::runtime {

/// Sees every task once, in submission order; the submission number of a task is its tasks row. Fills flags_final and via of
/// the finished builder. A witness is a direct WAIT producer of the consumer that reaches the predecessor over WAIT edges as
/// constructed; with `exact` and `bitmap` it is the nearest such producer, which always keeps its own WAIT.
///
/// Cost, with f edges of a task:
/// - bitmap:N  time f log f + f·N/64 words per task; memory N·N/8 bytes in all (only the last N bitmaps can be asked for).
/// - one-hop   time at most 64·64 per task; memory one entry per edge.
/// - exact     a search from the nearest producers backwards over the edges that kept their WAIT, cut off below the oldest
///             open question and where the longest path from a source is too short to reach one. Time is bounded by the kept
///             edges between the task and its oldest direct producer: a graph in which every task also waits for a very old
///             one stays quadratic in time. Memory: one entry per edge and 12 bytes per task.
class Reduction {
 public:
  /// `residue` is what the table of reaches holds before its first use (runtime.md 12.10, G7).
  explicit Reduction(const ReductionOptions& options, std::uint64_t residue = 0);

  /// One-hop only: a middle task for which this holds is not used.
  void set_completed(std::function<bool(std::uint32_t)> completed) { completed_ = std::move(completed); }
  /// Tests only. `packed_id` gives the id of a tasks row.
  void mutate(Mutation mutation, std::function<std::uint64_t(std::uint32_t)> packed_id) {
    mutation_ = mutation;
    packed_id_ = std::move(packed_id);
  }
  /// Bitmap: a task has no reach until reduce has seen it. Tasks are told in order; without reduce (allocations, aborted submits)
  /// this is all that is told of them.
  void begin(std::uint32_t row);

  /// `builder` holds the finished fanin of task `row`, which is the last one begun.
  void reduce(std::uint32_t row, FaninBuilder& builder);

  /// WAIT edges at a distance greater than the bitmap's window, so far; 0 for the other kinds.
  [[nodiscard]] std::uint64_t window_misses() const { return window_misses_; }
  [[nodiscard]] const ReductionOptions& options() const { return options_; }
  /// Bitmap: words of the reach of one of the last `window` + 1 tasks; bit i of word i/64 = the task submitted i+1 before.
  [[nodiscard]] const std::uint64_t* reach(std::uint32_t row) const {
    return &bitmaps_[(row & (slots_ - 1)) * std::size_t{words_}];
  }

 private:
  void reduce_bitmap(std::uint32_t row, std::vector<FaninEdge>& edges);
  void reduce_one_hop(FaninBuilder& builder);
  void reduce_exact(std::uint32_t row, FaninBuilder& builder);
  /// Visits the kept ancestors of one direct producer (a position in waits_) and clears the WAIT of those that are direct too.
  void mark_ancestors(std::uint32_t position, FaninBuilder& builder, std::uint32_t& open);
  void store_edges(const std::vector<FaninEdge>& edges);
  void close_open_task();
  /// Submissions between a producer and its consumer.
  [[nodiscard]] std::uint32_t distance(std::uint32_t consumer, std::uint32_t producer) const;
  /// Positions of WAIT edges, nearest producer first.
  void sort_waits(const std::vector<FaninEdge>& edges);

  [[nodiscard]] std::uint64_t* bitmap_of(std::uint32_t row) { return &bitmaps_[(row & (slots_ - 1)) * std::size_t{words_}]; }

  ReductionOptions options_;
  std::function<bool(std::uint32_t)> completed_;
  Mutation mutation_ = Mutation::None;
  std::function<std::uint64_t(std::uint32_t)> packed_id_;
  bool open_ = false;  // exact and one-hop: the last task begun has no edges stored yet
  std::uint64_t window_misses_ = 0;
  std::vector<std::uint32_t> waits_;

  // bitmap: the reach of the last `slots_` tasks; bit i = the task submitted i+1 positions before
  std::uint32_t words_ = 0;
  std::uint32_t slots_ = 0;
  std::vector<std::uint64_t> bitmaps_;
  std::vector<std::uint64_t> direct_, via_, fresh_;

  // exact and one-hop: edges of earlier tasks (exact: those that kept WAIT; one-hop: all, with their final flags)
  std::vector<std::uint64_t> begin_{0};
  std::vector<std::uint32_t> producers_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> depth_;    // longest WAIT path from a source
  std::vector<std::uint32_t> visited_;  // last consumer whose search came here, + 1
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> shallowest_after_;  // by position in waits_: smallest depth of the older direct producers
};

}  // namespace depscope::runtime
