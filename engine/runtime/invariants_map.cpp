// Invariants of the TensorMap (I23 to I25).
#include <fmt/format.h>

#include <algorithm>

#include "discovery.h"
#include "invariants.h"

namespace depscope::runtime {

void InvariantWatch::map_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  const TensorMap& map = discovery_.map();
  if (kind == EventKind::TensorMapInsert) {
    const std::uint32_t task = s_.submitting;
    const std::uint32_t entry = task == kNoRow ? TensorMap::kNone : map.newest_of_task(task);
    if (entry == TensorMap::kNone || map.entry(entry).access != subject) {
      report(25, task, fmt::format("access {} is registered, but not by the task being submitted", subject));
      return;
    }
    const TensorMap::Entry& e = map.entry(entry);
    if (e.tensor.manual_dep || s_.in_manual() || s_.tasks[task].kind == TaskKind::Alloc) {
      report(25, task,
             fmt::format("access {} of task row {} is registered although {}", subject, task,
                         e.tensor.manual_dep ? "its tensor is marked manual_dep"
                         : s_.in_manual()    ? "the scope is MANUAL"
                                             : "the task is an allocation"));
    }
    if (entry_of_access_.size() <= subject) entry_of_access_.resize(2 * (subject + std::size_t{64}));
    if (place_of_entry_.size() <= entry) {
      place_of_entry_.resize(2 * (entry + std::size_t{64}));
      entry_mark_.resize(place_of_entry_.size());
    }
    entry_of_access_[subject] = entry + 1;
    place_of_entry_[entry] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  } else if (kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup) {
    if (subject >= entry_of_access_.size() || entry_of_access_[subject] == 0) {
      report(23, kNoRow, fmt::format("access {} leaves the TensorMap but was not in it", subject));
      return;
    }
    const std::uint32_t entry = entry_of_access_[subject] - 1;
    entry_of_access_[subject] = 0;
    const std::uint32_t place = place_of_entry_[entry];
    entries_[place] = entries_.back();
    place_of_entry_[entries_[place]] = place;
    entries_.pop_back();
    const std::uint32_t producer = map.entry(entry).producer;
    if (kind == EventKind::TensorMapCleanup && known(producer) && object < kRingCount &&
        (seen_[producer].state != TaskState::Consumed || seen_[producer].position >= s_.rings[object].published_count)) {
      report(24, producer,
             fmt::format("the clean-up frees an entry of task row {}, which is {}", producer,
                         task_state_name(seen_[producer].state)));
    }
  } else {
    return;
  }
  if (map.live_used() != entries_.size()) {
    report(23, kNoRow,
           fmt::format("the TensorMap counts {} entries in use, but {} are registered", map.live_used(), entries_.size()));
  }
}

void InvariantWatch::check_map() {
  const TensorMap& map = discovery_.map();
  if (map.bumped() - map.free_listed() != entries_.size() || map.live_used() > s_.options.tensor_map_entries) {
    report(23, kNoRow,
           fmt::format("the TensorMap has bumped {} entries and freed {}; {} of at most {} are registered", map.bumped(),
                       map.free_listed(), entries_.size(), s_.options.tensor_map_entries));
  }
  // Buckets and tasks are found by the entries themselves: what is in no chain stays unmarked.
  ++epoch_;
  std::size_t in_buckets = 0, of_tasks = 0;
  for (const std::uint32_t start : entries_) {
    const TensorMap::Entry& first = map.entry(start);
    if (entry_mark_[start] != epoch_) {
      const std::uint32_t bucket = TensorMap::bucket_of(first.tensor.address);
      std::uint32_t newer = TensorMap::kNone;
      for (std::uint32_t at = map.bucket_head(bucket); at != TensorMap::kNone; at = map.entry(at).bucket_older) {
        const TensorMap::Entry& e = map.entry(at);
        const bool ordered = newer == TensorMap::kNone || map.entry(newer).serial > e.serial;
        if (at >= entry_mark_.size() || entry_mark_[at] == epoch_ || !e.live || !ordered || e.bucket_newer != newer ||
            TensorMap::bucket_of(e.tensor.address) != bucket) {
          report(23, e.producer,
                 fmt::format("bucket {} holds access {} of task row {} out of order, twice or wrongly", bucket, e.access,
                             e.producer));
          return;
        }
        entry_mark_[at] = epoch_;
        ++in_buckets;
        newer = at;
      }
      if (entry_mark_[start] != epoch_) {
        report(23, first.producer, fmt::format("access {} of task row {} stands in no bucket", first.access, first.producer));
      }
    }
    std::size_t listed = 0;
    for (std::uint32_t at = map.newest_of_task(first.producer); at != TensorMap::kNone && listed <= entries_.size();
         at = map.entry(at).next_of_task) {
      if (at == start) ++of_tasks;
      ++listed;
    }
    const Task* t = known(first.producer) ? &s_.tasks[first.producer] : nullptr;
    if (t == nullptr || std::int64_t{t->local()} >= s_.rings[t->ring].next) {
      report(24, first.producer, fmt::format("the TensorMap names task row {}, which is above the next index", first.producer));
    } else if (seen_[first.producer].position < discovery_.cleaned(t->ring)) {
      report(24, first.producer,
             fmt::format("the TensorMap still names task row {}, which the clean-up of ring {} has passed", first.producer,
                         t->ring));
    }
  }
  if (in_buckets != entries_.size() || of_tasks != entries_.size()) {
    report(23, kNoRow,
           fmt::format("{} entries are registered; the buckets hold {} and the chains of the tasks {}", entries_.size(),
                       in_buckets, of_tasks));
  }
}

}  // namespace depscope::runtime
