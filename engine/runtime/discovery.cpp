#include "discovery.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

bool is_lookup(const Argument& argument) {
  return !argument.tensor.manual_dep && (argument.kind == ArgKind::Input || argument.kind == ArgKind::InOut);
}

bool is_registered(const Argument& argument) {
  return !argument.tensor.manual_dep && (argument.kind == ArgKind::InOut || argument.kind == ArgKind::OutputExisting);
}

}  // namespace

void Discovery::skip(std::uint32_t task) {
  builder_.begin(task);
  reasons_.clear();
  invalid_id_ = false;
}

bool Discovery::run(const Submission& submission, const Consumer& consumer) {
  consumer_ = consumer;
  skip(consumer.task);
  watch_memory(submission);
  const Task& task = s_.tasks[consumer.task];
  synchronize(task.ring, task.slot);
  s_.pause();
  if (!explicit_dependencies(submission)) return false;
  if (consumer.manual) return !s_.mutated(Mutation::ManualRegistered) || registrations(submission);
  for (std::uint32_t i = 0; i < submission.args.size(); ++i) {
    if (!argument(submission.args[i], i)) return false;
  }
  return registrations(submission);
}

// ---------------------------------------------------------------- TensorMap maintenance

void Discovery::synchronize(std::uint32_t index, std::uint32_t slot) {
  const Ring& ring = s_.rings[index];
  cached_count_[index] = ring.published_count;
  if (cached_[index] != ring.published) s_.change(EventKind::TensorMapSync, kNoRow, index, cached_[index], ring.published);
  const bool slot_returns = s_.slot_of(index, static_cast<std::uint32_t>(cleaned_[index])) == slot;
  if (cached_[index] - cleaned_[index] >= kRetiredBetweenCleanups || (slot_returns && cached_[index] > cleaned_[index])) {
    clean_up(index);
  }
}

void Discovery::clean_up(std::uint32_t index) {
  if (s_.mutated(Mutation::EntriesKept)) {
    cleaned_count_[index] = cached_count_[index];
    cleaned_[index] = cached_[index];
    return;
  }
  const Ring& ring = s_.rings[index];
  for (std::size_t i = cleaned_count_[index]; i < cached_count_[index]; ++i) {
    map_.retire(ring.tasks[i], [&](std::uint32_t entry) {
      const std::int64_t used = map_.live_used();
      s_.emit(EventKind::TensorMapCleanup, map_.entry(entry).access, index, used + 1, used);
    });
  }
  cleaned_count_[index] = cached_count_[index];
  cleaned_[index] = cached_[index];
}

void Discovery::writers_of(const TensorDescriptor& tensor, std::vector<std::uint32_t>& out) {
  out.clear();
  map_.lookup(tensor, hits_);
  for (const TensorMap::Hit& hit : hits_) {
    const TensorMap::Entry& entry = map_.entry(hit.entry);
    if (entry.live) out.push_back(entry.producer);
  }
}

bool Discovery::registrations(const Submission& submission) {
  const auto needed = static_cast<std::uint64_t>(std::count_if(submission.args.begin(), submission.args.end(), is_registered));
  if (needed == 0) return true;
  const std::uint64_t capacity = s_.options.tensor_map_entries;
  const auto room = [&] {
    if (capacity - map_.live_used() >= needed) return true;
    for (std::uint32_t r = 0; r < kRingCount; ++r) {
      const Ring& ring = s_.rings[r];
      cached_count_[r] = ring.published_count;
      if (cached_[r] != ring.published) s_.change(EventKind::TensorMapSync, kNoRow, r, cached_[r], ring.published);
      clean_up(r);
    }
    return capacity - map_.live_used() >= needed;
  };
  const Wanted wanted{.resource = Resource::TensorMapPool,
                      .ring = s_.tasks[consumer_.task].ring,
                      .requested = needed,
                      .capacity = capacity,
                      .task = consumer_.task};
  if (!waiting_.wait(wanted, room, [&] { return std::uint64_t{map_.live_used()}; })) return false;
  for (std::uint32_t i = 0; i < submission.args.size(); ++i) {
    if (!is_registered(submission.args[i])) continue;
    const std::int64_t used = map_.live_used();
    const std::uint32_t access = consumer_.first_access + i;
    map_.insert(submission.args[i].tensor, consumer_.task, access);
    s_.emit(EventKind::TensorMapInsert, access, kNoRow, used, used + 1);
  }
  return true;
}

// ---------------------------------------------------------------- discoveries

bool Discovery::explicit_dependencies(const Submission& submission) {
  for (const ExplicitDep& dep : submission.deps) {
    if (dep.task == kInvalidTask) {
      invalid_id_ = true;
      return false;
    }
    const Ring& ring = s_.rings[ring_of(dep.task) % kRingCount];
    const bool below = std::int64_t{local_of(dep.task)} < ring.published;
    const std::uint32_t producer = index_.find(dep.task);
    // One dependency that several sources asked for: the first gives the flags, the others are only noted.
    std::uint8_t rest = dep.provenance;
    std::uint8_t flags = dep.flags & kWaitRetain;
    bool replay_row = producer != kNoRow && builder_.find(producer) == kNoRow;
    do {
      const auto source = static_cast<std::uint8_t>(rest & -rest);
      if (!add(dep.task, producer, {.source = source, .arg = -1, .flags = flags, .replay_row = replay_row}, source, below))
        return false;
      rest = static_cast<std::uint8_t>(rest & ~source);
      flags = 0;
      replay_row = false;
    } while (rest != 0);
  }
  return true;
}

bool Discovery::argument(const Argument& argument, std::uint32_t position) {
  if (argument.kind == ArgKind::Output || argument.kind == ArgKind::Scalar) return true;
  const std::uint32_t access = consumer_.first_access + position;
  const auto arg = static_cast<std::int8_t>(position);
  if (argument.tensor.owner != kInvalidTask) {
    const std::uint32_t creator = index_.find(argument.tensor.owner);
    const bool first = creator == kNoRow || builder_.find(creator) == kNoRow;
    if (!add(argument.tensor.owner, creator,
             {.source = kCreator, .arg = arg, .flags = kWaitRetain, .consumer_access = access, .replay_row = first}, kCreator)) {
      return false;
    }
  }
  if (!is_lookup(argument)) return true;
  map_.lookup(argument.tensor, hits_);
  for (std::size_t i = 0; i < hits_.size(); ++i) {
    const TensorMap::Hit hit = hits_[i];
    const TensorMap::Entry& entry = map_.entry(hit.entry);
    const std::uint32_t write = entry.access;
    const std::uint32_t producer = entry.producer;
    const TaskId id = s_.tasks[producer].id;
    // Skipped by the runtime's lookup, but on record for the logical graph.
    const bool stale = !entry.live || std::int64_t{local_of(id)} < cached_[ring_of(id) % kRingCount];
    if (stale && s_.mutated(Mutation::LookupCutAtStale)) break;
    if (!stale) s_.emit(EventKind::TensorMapHit, access, write, 0, static_cast<std::int64_t>(hit.overlap));
    const EdgeReasonRow reason{.source = kTensorMap,
                               .arg = arg,
                               .flags = kWait,
                               .overlap = static_cast<std::uint8_t>(hit.overlap),
                               .consumer_access = access,
                               .producer_access = write,
                               .replay_row = true};
    if (!add(id, producer, reason, kTensorMap, stale)) return false;
    if (argument.kind == ArgKind::InOut && hit.overlap == Overlap::Covered) {
      if (stale) {
        map_.cover(hit.entry);  // the runtime's lookup does not see it: it stays in the pool until its clean-up
      } else {
        map_.remove(hit.entry);
        const std::int64_t used = map_.live_used();
        s_.emit(EventKind::TensorMapRemove, write, consumer_.task, used + 1, used);
      }
    }
    s_.pause();
  }
  return true;
}

std::uint32_t Discovery::live_row(TaskId id) const {
  const std::uint32_t ring = ring_of(id) % kRingCount;
  const std::uint32_t row = s_.row_in_slot(ring, s_.slot_of(ring, local_of(id)));
  if (row == kNoRow) return kNoRow;
  const Task& t = s_.tasks[row];
  if (s_.descriptor_local(t) != std::int64_t{local_of(id)} || t.state == TaskState::Consumed) return kNoRow;
  return row;
}

void Discovery::own_slot(TaskId id) {
  s_.emit(EventKind::DepSkip, consumer_.task, kNoRow, 0, 0, kOrchestrator, static_cast<std::uint16_t>(SkipReason::OwnSlot));
  RunFinding f;
  f.kind = RunFindingKind::OwnSlotAlias;
  f.task = consumer_.task;
  f.other = index_.find(id);
  f.ring = ring_of(id);
  f.id = id;
  s_.finding(f);
}

bool Discovery::add(TaskId id, std::uint32_t producer, EdgeReasonRow reason, std::uint8_t provenance, bool below_watermark) {
  if (s_.options.edges == EdgeRepresentation::Coupled && reason.flags != kNone) reason.flags = kWaitRetain;
  if (s_.options.edges == EdgeRepresentation::MaskBug && reason.flags != kNone) reason.flags |= kWait;
  std::uint32_t live = kNoRow;
  bool told = false;
  if (producer != kNoRow && !s_.tasks[producer].recorded) {
    if (s_.tasks[producer].state != TaskState::Consumed) live = producer;
  } else if (!below_watermark) {
    live = live_row(id);
  }
  if (live == consumer_.task) {
    // H1: the slot still carries the id of the task before.
    if (!s_.faithful(1)) {
      own_slot(id);
      live = kNoRow;
      told = true;
    } else {
      producer = live;
    }
  }
  if (producer == kNoRow) {  // an id that no task ever had
    if (!told)
      s_.emit(EventKind::DepSkip, consumer_.task, kNoRow, 0, 0, kOrchestrator, static_cast<std::uint16_t>(SkipReason::Gone));
    return true;
  }
  ProducerStatus status = ProducerStatus::Gone;
  if (live == producer) {
    status = s_.tasks[live].state >= TaskState::Completed ? ProducerStatus::Completed : ProducerStatus::Live;
  }
  const bool keep_first = s_.mutated(Mutation::FirstFlagsWin) && builder_.find(producer) != kNoRow;
  const FaninBuilder::Added added = builder_.add(producer, keep_first ? std::uint8_t{kNone} : reason.flags, provenance, status);
  reason.edge = consumer_.first_edge + added.position;
  reasons_.push_back(reason);
  if (status == ProducerStatus::Gone && builder_.edges()[added.position].at_add == ProducerStatus::Gone) {
    // The pair belongs to the logical graph, but the runtime takes no reference.
    if (told) return true;
    const SkipReason why = below_watermark && provenance != kTensorMap ? SkipReason::Watermark : SkipReason::Gone;
    s_.emit(EventKind::DepSkip, consumer_.task, producer, 0, 0, kOrchestrator, static_cast<std::uint16_t>(why));
    return true;
  }
  if (s_.mutated(Mutation::PinTakenTwice) ? true : added.first && !s_.mutated(Mutation::PinNotTaken)) {
    Task& p = s_.tasks[producer];
    s_.change(EventKind::PinClaim, producer, consumer_.task, p.claimed, p.claimed + 1);
  }
  if (added.first || added.before != added.after) {
    s_.emit(EventKind::EdgeAdd, reason.edge, consumer_.task, added.before, added.after);
  }
  const bool kept = !added.first || builder_.taken() <= kInlineEdges || spill();
  s_.pause();
  return kept;
}

/// One entry of the spill pool of the consumer's ring for the edge added last.
bool Discovery::spill() {
  Task& task = s_.tasks[consumer_.task];
  const std::uint32_t index = task.ring;
  Ring& ring = s_.rings[index];
  const auto room = [&] {
    if (ring.spill.room() > 0) return true;
    // Payloads are read by slot: with H2 as it is, that of a newer task may be taken for the retired one's.
    std::int64_t tail = ring.spill.tail;
    for (; ring.spill_cursor < ring.published_count; ++ring.spill_cursor) {
      const std::uint32_t retired = ring.tasks[ring.spill_cursor];
      const std::uint32_t read = s_.faithful(2) ? s_.row_in_slot(index, s_.tasks[retired].slot) : retired;
      const Task& t = s_.tasks[read];
      if (t.edge_count <= kInlineEdges) continue;
      const std::int64_t end = t.spill_start + t.edge_count - kInlineEdges;
      if (end > tail && !t.reclaimed) {
        RunFinding f;
        f.kind = RunFindingKind::SpillOverrun;
        f.task = read;
        f.ring = index;
        s_.finding(f);
      }
      tail = std::max(tail, end);
    }
    if (tail != ring.spill.tail) s_.change(EventKind::SpillReclaim, kNoRow, index, ring.spill.tail, tail);
    return ring.spill.room() > 0;
  };
  const Wanted wanted{.resource = Resource::SpillPool,
                      .ring = index,
                      .requested = 1,
                      .capacity = static_cast<std::uint64_t>(ring.spill.capacity),
                      .task = consumer_.task};
  if (!waiting_.wait(wanted, room, [&] { return static_cast<std::uint64_t>(ring.spill.used()); })) return false;
  if (task.spill_start == 0) task.spill_start = ring.spill.top;
  s_.change(EventKind::SpillTake, consumer_.task, index, ring.spill.top, ring.spill.top + 1);
  return true;
}

// ---------------------------------------------------------------- who uses whose memory

void Discovery::watch_memory(const Submission& submission) {
  Task& task = s_.tasks[consumer_.task];
  task.first_memory = s_.memory_owners.size();
  for (const Argument& a : submission.args) {
    if (a.kind == ArgKind::Output || a.kind == ArgKind::Scalar || a.tensor.owner == kInvalidTask) continue;
    const std::uint32_t owner = index_.find(a.tensor.owner);
    if (owner == kNoRow || owner == consumer_.task) continue;
    const auto known = s_.memory_owners.begin() + static_cast<std::ptrdiff_t>(task.first_memory);
    if (std::find(known, s_.memory_owners.end(), owner) != s_.memory_owners.end()) continue;
    s_.memory_owners.push_back(owner);
    ++task.memory_count;
    Task& o = s_.tasks[owner];
    ++o.users;
    o.last_user = consumer_.task;
    RunFinding f;
    f.task = owner;
    f.other = consumer_.task;
    f.ring = o.ring;
    if (o.state == TaskState::Consumed) {
      f.kind = RunFindingKind::StaleHandle;
      s_.finding(f);
      continue;
    }
    if (!consumer_.manual) continue;
    const auto named = std::find_if(submission.deps.begin(), submission.deps.end(),
                                    [&](const ExplicitDep& d) { return d.task == a.tensor.owner; });
    const bool retained = std::any_of(submission.deps.begin(), submission.deps.end(),
                                      [&](const ExplicitDep& d) { return d.task == a.tensor.owner && (d.flags & kRetain) != 0; });
    if (retained) continue;
    f.kind = named == submission.deps.end() ? RunFindingKind::NoEdgeToOwner : RunFindingKind::WaitOnlyOnOwner;
    s_.finding(f);
  }
}

}  // namespace depscope::runtime
