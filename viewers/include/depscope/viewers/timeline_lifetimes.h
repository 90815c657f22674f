// The life of each task's slot and buffers, and who holds them when: asked for any moment, without moving the cursor.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "depscope/replay/state_queries.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// Segments of a life, in the order of colour::lifetime_legend().
enum class LifeSegment : std::uint8_t { Allocated, Completed, LastReader, Consumed, Reused };
inline constexpr std::size_t kLifeSegments = 5;
[[nodiscard]] std::string_view life_segment_name(LifeSegment segment);  ///< "allocated", …

/// Segment k is [begin[k], begin[k + 1]) in events rows, replay::kNever where it never begins; the last one goes on. Ascending.
struct Life {
  std::array<std::uint32_t, kLifeSegments> begin{replay::kNever, replay::kNever, replay::kNever, replay::kNever, replay::kNever};

  [[nodiscard]] bool born() const { return begin[0] != replay::kNever; }
  /// Events row at which it is given back, kNever if it is not.
  [[nodiscard]] std::uint32_t end() const { return begin[kLifeSegments - 1]; }
  /// Events row behind the last one of the segment; `events` where it goes on.
  [[nodiscard]] std::uint32_t end_of(LifeSegment segment, std::uint32_t events) const;
  /// The segment after `position` events; only for a life that has begun by then (begin[0] < position).
  [[nodiscard]] LifeSegment at(std::uint32_t position) const;
};

class Lifetimes {
 public:
  Lifetimes() = default;
  /// One pass over the events. The document must outlive it.
  explicit Lifetimes(const Document& document);

  /// Of the task's slot; in a measured run from its submit to its completion. "completed" ends when the last consumer with RETAIN
  /// gives it back.
  [[nodiscard]] Life slot(std::uint32_t task) const;
  /// Of its bytes in the ring's heap: as the slot, but reused only once the heap's tail has passed them.
  [[nodiscard]] Life buffer(std::uint32_t task) const;
  [[nodiscard]] bool has_buffer(std::uint32_t task) const;
  /// What replay::holders_of says with the cursor at `position`.
  [[nodiscard]] std::vector<replay::Holder> holders(std::uint32_t task, std::uint32_t position) const;

  /// Events row at which the consumer of an edges row takes (gives back) its reference to the producer, kNever if it does not.
  /// A summary tells RETAIN only: from the discovery to the consumer's own release.
  [[nodiscard]] std::uint32_t held_from(std::uint32_t edge) const { return held_from_[edge]; }
  [[nodiscard]] std::uint32_t held_to(std::uint32_t edge) const { return held_to_[edge]; }
  /// Events row at which the scope gives back its reference to the task.
  [[nodiscard]] std::uint32_t scope_release(std::uint32_t task) const;
  /// True if the edge has RETAIN and its consumer really got a reference.
  [[nodiscard]] bool retains(std::uint32_t edge) const;

 private:
  void read_events();
  void find_last_readers();
  [[nodiscard]] std::uint32_t given_back(std::uint32_t task) const;  ///< as the state at the cursor tells it
  [[nodiscard]] std::uint32_t head_at(std::uint32_t ring, std::uint32_t position) const;

  const Document* document_ = nullptr;
  bool pins_ = false;  // the events tell every reference
  bool full_ = false;  // as Cursor::full
  bool measured_ = false;
  std::vector<std::uint32_t> held_from_, held_to_;                          // per edges row
  std::vector<std::uint32_t> scope_released_, slot_back_;                   // per tasks row; full recordings only
  std::vector<std::uint32_t> heap_from_, heap_to_;                          // per tasks row
  std::vector<std::uint32_t> last_reader_;                                  // per tasks row
  std::array<std::vector<std::uint32_t>, runtime::kRingCount> ring_tasks_;  // tasks rows
};

}  // namespace depscope::viewers
