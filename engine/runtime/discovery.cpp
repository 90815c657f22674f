#include "discovery.h"

#include <bit>

namespace depscope::runtime {
namespace {

bool is_lookup(const Argument& argument) {
  return !argument.tensor.manual_dep && (argument.kind == ArgKind::Input || argument.kind == ArgKind::InOut);
}

bool is_registered(const Argument& argument) {
  return !argument.tensor.manual_dep && (argument.kind == ArgKind::InOut || argument.kind == ArgKind::OutputExisting);
}

}  // namespace

void Discovery::run(const Submission& submission, const Consumer& consumer) {
  consumer_ = consumer;
  builder_.begin(consumer.task);
  reasons_.clear();
  explicit_dependencies(submission);
  if (consumer.manual) return;
  for (std::uint32_t i = 0; i < submission.args.size(); ++i) argument(submission.args[i], i);
  registrations(submission);
}

void Discovery::explicit_dependencies(const Submission& submission) {
  for (const ExplicitDep& dep : submission.deps) {
    const std::uint32_t producer = index_.find(dep.task);
    if (producer == kNoRow) continue;
    // One dependency that several sources asked for: the first gives the flags, the others are only noted.
    std::uint8_t rest = dep.provenance;
    std::uint8_t flags = dep.flags & kWaitRetain;
    bool replay_row = builder_.find(producer) == kNoRow;
    do {
      const auto source = static_cast<std::uint8_t>(rest & -rest);
      add(producer, {.source = source, .arg = -1, .flags = flags, .replay_row = replay_row}, source);
      rest = static_cast<std::uint8_t>(rest & ~source);
      flags = 0;
      replay_row = false;
    } while (rest != 0);
  }
}

void Discovery::argument(const Argument& argument, std::uint32_t position) {
  if (argument.kind == ArgKind::Output || argument.kind == ArgKind::Scalar) return;
  const std::uint32_t access = consumer_.first_access + position;
  const auto arg = static_cast<std::int8_t>(position);
  if (argument.tensor.owner != kInvalidTask) {
    const std::uint32_t creator = index_.find(argument.tensor.owner);
    if (creator != kNoRow && creator < consumer_.task) {
      add(creator,
          {.source = kCreator,
           .arg = arg,
           .flags = kWaitRetain,
           .consumer_access = access,
           .replay_row = builder_.find(creator) == kNoRow},
          kCreator);
    }
  }
  if (!is_lookup(argument)) return;
  map_.lookup(argument.tensor, hits_);
  for (const TensorMap::Hit& hit : hits_) {
    const TensorMap::Entry& entry = map_.entry(hit.entry);
    const std::uint32_t write = entry.access;
    execution_.emit(EventKind::TensorMapHit, access, write, 0, static_cast<std::int64_t>(hit.overlap));
    add(entry.producer,
        {.source = kTensorMap,
         .arg = arg,
         .flags = kWait,
         .overlap = static_cast<std::uint8_t>(hit.overlap),
         .consumer_access = access,
         .producer_access = write,
         .replay_row = true},
        kTensorMap);
    if (argument.kind == ArgKind::InOut && hit.overlap == Overlap::Covered) {
      const std::int64_t used = map_.used();
      execution_.emit(EventKind::TensorMapRemove, write, consumer_.task, used, used - 1);
      map_.remove(hit.entry);
    }
  }
}

void Discovery::registrations(const Submission& submission) {
  for (std::uint32_t i = 0; i < submission.args.size(); ++i) {
    if (!is_registered(submission.args[i])) continue;
    const std::int64_t used = map_.used();
    const std::uint32_t access = consumer_.first_access + i;
    map_.insert(submission.args[i].tensor, consumer_.task, access);
    execution_.emit(EventKind::TensorMapInsert, access, kNoRow, used, used + 1);
  }
}

void Discovery::add(std::uint32_t producer, EdgeReasonRow reason, std::uint8_t provenance) {
  if (edges_ == EdgeRepresentation::Coupled && reason.flags != kNone) reason.flags = kWaitRetain;
  const FaninBuilder::Added added = builder_.add(producer, reason.flags, provenance);
  const std::uint32_t edge = consumer_.first_edge + added.position;
  reason.edge = edge;
  reasons_.push_back(reason);
  // A consumed producer is gone: the pair belongs to the logical graph, but the model takes no reference.
  if (execution_.gone(producer)) return;
  if (added.first) execution_.claim(producer, consumer_.task);
  if (added.first || added.before != added.after) {
    execution_.emit(EventKind::EdgeAdd, edge, consumer_.task, added.before, added.after);
  }
}

}  // namespace depscope::runtime
