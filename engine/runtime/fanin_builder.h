// The edges of the task that is being submitted, one entry per producer (runtime.md 3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/base/growing_table.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

struct FaninEdge {
  std::uint32_t producer = kNoRow;  ///< tasks row, smaller than the consumer's (its own with hazard H1)
  std::uint8_t flags = 0;           ///< OR of all discoveries
  std::uint8_t flags_final = 0;     ///< after reduction
  std::uint8_t provenance = 0;
  std::uint32_t via = kNoRow;
  ProducerStatus at_add = ProducerStatus::Live;
  ProducerStatus at_wiring = ProducerStatus::Live;
  [[nodiscard]] bool taken() const { return at_add != ProducerStatus::Gone; }  ///< claimed: the runtime has this edge
};

/// Keeps the order of first discovery. Duplicates are found by an epoch mark per producer, so that starting a new consumer
/// costs nothing.
class FaninBuilder {
 public:
  struct Added {
    std::uint32_t position = 0;
    bool first = false;       ///< the producer was not known before
    std::uint8_t before = 0;  ///< flags of the pair before
    std::uint8_t after = 0;
  };

  /// Forgets all edges. `tasks` is the number of tasks rows so far: producers are smaller.
  void begin(std::uint32_t tasks) {
    edges_.clear();
    taken_ = 0;
    if (marks_.size() <= tasks) marks_.resize(tasks < 1024 ? 1024 : tasks * std::size_t{2});
    if (++epoch_ == 0) {
      marks_.assign(marks_.size(), Mark{});
      epoch_ = 1;
    }
  }

  Added add(std::uint32_t producer, std::uint8_t flags, std::uint8_t provenance, ProducerStatus status = ProducerStatus::Live) {
    Mark& mark = marks_[producer];
    Added added;
    added.first = mark.epoch != epoch_;
    if (added.first) {
      mark = {epoch_, static_cast<std::uint32_t>(edges_.size())};
      edges_.push_back({.producer = producer, .at_add = status, .at_wiring = status});
      if (status != ProducerStatus::Gone) ++taken_;
    }
    added.position = mark.position;
    FaninEdge& edge = edges_[mark.position];
    added.before = edge.flags;
    edge.flags = static_cast<std::uint8_t>(edge.flags | flags);
    edge.provenance = static_cast<std::uint8_t>(edge.provenance | provenance);
    added.after = edge.flags;
    return added;
  }

  /// The counter survives a reuse of the runtime; at its end all marks are cleared (runtime.md 3.2).
  void set_epoch(std::uint32_t epoch) { epoch_ = epoch; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  /// Edges that the runtime has.
  [[nodiscard]] std::uint32_t taken() const { return taken_; }

  /// Position of the producer's edge, kNoRow if it has none.
  [[nodiscard]] std::uint32_t find(std::uint32_t producer) const {
    return producer < marks_.size() && marks_[producer].epoch == epoch_ ? marks_[producer].position : kNoRow;
  }

  [[nodiscard]] std::vector<FaninEdge>& edges() { return edges_; }
  [[nodiscard]] const std::vector<FaninEdge>& edges() const { return edges_; }

 private:
  struct Mark {
    std::uint32_t epoch = 0;
    std::uint32_t position = 0;
  };

  std::vector<FaninEdge> edges_;
  GrowingTable<Mark> marks_;  // by producer
  std::uint32_t epoch_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace depscope::runtime
