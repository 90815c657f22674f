// What an event is about, and one line of text for it.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/event_shape.h"
#include "depscope/runtime/options.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::Operand;

std::string task_name(const Recording& r, std::uint32_t task) {
  if (task >= r.tasks.rows()) return "?";
  const std::string_view callee = r.text(r.tasks.callee[task]);
  if (!callee.empty()) return fmt::format("{} t{}", callee, task);
  switch (static_cast<runtime::TaskKind>(r.tasks.kind[task])) {
    case runtime::TaskKind::Alloc: return fmt::format("alloc t{}", task);
    case runtime::TaskKind::Dummy: return fmt::format("dummy t{}", task);
    case runtime::TaskKind::Kernel: break;
  }
  return fmt::format("t{}", task);
}

std::string edge_name(const Recording& r, std::uint32_t edge) {
  return fmt::format("{} -> {}", task_name(r, r.edges.producer[edge]), task_name(r, r.edges.consumer[edge]));
}

std::string access_name(const Recording& r, std::uint32_t access) {
  const std::string_view tensor = r.text(r.tensors.name[r.accesses.tensor[access]]);
  return fmt::format("{} of {}", tensor.empty() ? fmt::format("argument {}", r.accesses.arg[access]) : std::string(tensor),
                     task_name(r, r.accesses.task[access]));
}

std::string flag_text(std::int64_t flags) {
  const auto names = runtime::dep_flag_names(static_cast<std::uint8_t>(flags));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, "|"));
}

std::string on_core(std::uint32_t core) { return core == kNoRow ? "" : fmt::format(" on core {}", core); }

std::string on_ring(std::uint32_t ring) { return ring == kNoRow ? "" : fmt::format(" on ring {}", ring); }

std::string by_task(const Recording& r, std::uint32_t task) { return task == kNoRow ? "" : ", by " + task_name(r, task); }

std::string_view place_name(std::uint16_t place) { return place == 0 ? "running" : "pending"; }

std::string_view skip_text(std::uint16_t reason) {
  switch (static_cast<runtime::SkipReason>(reason)) {
    case runtime::SkipReason::Watermark: return "below the published watermark";
    case runtime::SkipReason::Gone: return "gone";
    case runtime::SkipReason::OwnSlot: return "its own slot";
  }
  return "?";
}

std::string_view cause_text(std::uint16_t cause) {
  switch (static_cast<runtime::ReleaseCause>(cause)) {
    case runtime::ReleaseCause::Wiring: return "at wiring";
    case runtime::ReleaseCause::FastPath: return "on the fast path";
    case runtime::ReleaseCause::Consumer: return "at its release";
  }
  return "?";
}

std::string index_text(std::int64_t index) { return index < 0 ? "none" : fmt::format("{}", index); }

std::string actor_text(std::int64_t actor) { return actor == 0 ? "the orchestrator" : fmt::format("scheduler {}", actor); }

/// The text of one event, kind by kind. The kinds are grouped by what they are about, as in runtime/sink.h.
class EventText {
 public:
  EventText(const Recording& r, std::uint32_t event)
      : r_(r),
        kind_(static_cast<EventKind>(r.events.kind[event])),
        name_(runtime::event_kind_name(kind_)),
        subject_(r.events.subject[event]),
        object_(r.events.object[event]),
        extra_(r.events.extra[event]),
        from_(r.events.old_value[event]),
        to_(r.events.new_value[event]) {}

  [[nodiscard]] std::string text() const {
    switch (kind_) {
      case EventKind::Config: return config();
      case EventKind::ScopeBegin:
        return fmt::format("{} s{} {} at depth {}", name_, subject_, r_.scopes.manual[subject_] != 0 ? "MANUAL" : "AUTO", to_);
      case EventKind::ScopeEnd: return fmt::format("{} s{}", name_, subject_);
      case EventKind::RunEnd: return fmt::format("{}: {} tasks completed", name_, to_);
      case EventKind::Block:
      case EventKind::Unblock: return block();
      case EventKind::Error: return error();
      case EventKind::SubmitBegin:
      case EventKind::SubmitIgnored:
      case EventKind::Submit:
      case EventKind::Layout:
      case EventKind::SlotReset:
      case EventKind::SeqAssign:
      case EventKind::Bind:
      case EventKind::Record:
      case EventKind::DescriptorWrite:
      case EventKind::ReachPublish:
      case EventKind::PayloadFlush:
      case EventKind::PayloadInit:
      case EventKind::Predicate:
      case EventKind::AbortSubmit: return submit();
      case EventKind::EdgeAdd:
      case EventKind::EdgeReduce:
      case EventKind::EdgeLost:
      case EventKind::DepSkip:
      case EventKind::TensorMapInsert:
      case EventKind::TensorMapRemove:
      case EventKind::TensorMapCleanup:
      case EventKind::TensorMapHit:
      case EventKind::TensorMapSync: return dependency();
      case EventKind::Need:
      case EventKind::WaitCount:
      case EventKind::PinClaim:
      case EventKind::PinRelease:
      case EventKind::ScopeRelease:
      case EventKind::Release:
      case EventKind::NodeTake:
      case EventKind::WalkNode: return counting();
      case EventKind::Ready:
      case EventKind::Dispatch:
      case EventKind::Complete:
      case EventKind::Consume:
      case EventKind::QueuePush:
      case EventKind::QueuePop:
      case EventKind::BlockClaim:
      case EventKind::Place:
      case EventKind::CoreAck:
      case EventKind::Finish:
      case EventKind::Observe:
      case EventKind::SubtaskCount:
      case EventKind::Defer:
      case EventKind::ReleaseBegin:
      case EventKind::SlotReclaim: return task_life();
      case EventKind::Watermark:
      case EventKind::Publish:
      case EventKind::AdvanceLock:
      case EventKind::AdvanceFail:
      case EventKind::AdvanceRetry:
      case EventKind::Request:
      case EventKind::Acknowledge:
      case EventKind::HeapAlloc:
      case EventKind::HeapFree:
      case EventKind::HeapGuard:
      case EventKind::SpillTake:
      case EventKind::SpillReclaim:
      case EventKind::DepReclaim: return ring();
    }
    return std::string(name_);
  }

 private:
  [[nodiscard]] std::string task() const { return task_name(r_, subject_); }
  [[nodiscard]] std::string other() const { return task_name(r_, object_); }

  [[nodiscard]] std::string config() const {
    const auto item = static_cast<runtime::ConfigItem>(subject_);
    return fmt::format(
        "{} {}{}: {}", name_, runtime::config_item_name(item), object_ == kNoRow ? "" : fmt::format(" of ring {}", object_),
        item == runtime::ConfigItem::Platform ? std::string(runtime::platform_name(static_cast<runtime::Platform>(to_)))
                                              : fmt::format("{}", to_));
  }

  [[nodiscard]] std::string block() const {
    return fmt::format("{}{}{}: {}, {} in use, {} asked for", name_, subject_ == kNoRow ? "" : " " + task(), on_ring(object_),
                       runtime::resource_name(static_cast<runtime::Resource>(extra_)), from_, to_);
  }

  [[nodiscard]] std::string error() const {
    const auto error_class = static_cast<runtime::ErrorClass>(extra_);
    return fmt::format(
        "{} {}{}{}{}", name_, to_, on_ring(object_), subject_ == kNoRow ? "" : " at " + task(),
        error_class == runtime::ErrorClass::None ? "" : fmt::format(": {}", runtime::error_class_name(error_class)));
  }

  [[nodiscard]] std::string submit() const {
    switch (kind_) {
      case EventKind::SubmitBegin:
        return object_ == kNoRow ? std::string(name_) : fmt::format("{} in s{}, which has {} tasks", name_, object_, to_);
      case EventKind::Submit: return fmt::format("{} {} on ring {}", name_, task(), object_);
      case EventKind::Layout: return fmt::format("{}: {} bytes", name_, to_);
      case EventKind::SlotReset: return fmt::format("{} {}: slot {}, generation {} to {}", name_, task(), object_, from_, to_);
      case EventKind::SeqAssign:
        return fmt::format("{} {}: submission counter {} to {}", name_, task(), static_cast<std::uint64_t>(from_),
                           static_cast<std::uint64_t>(to_));
      case EventKind::Bind: return fmt::format("{} {} to slot {}: {} tasks in the open scopes", name_, task(), object_, to_);
      case EventKind::Record: return fmt::format("{} {}: {} records", name_, task(), to_);
      case EventKind::DescriptorWrite:
        return fmt::format("{} {}: slot {}, index {} to {}", name_, task(), object_, index_text(from_), index_text(to_));
      case EventKind::ReachPublish: return fmt::format("{} {}: 0x{:016x}", name_, task(), static_cast<std::uint64_t>(to_));
      case EventKind::PayloadFlush:
        return fmt::format("{} {}: {} edges, {} with wait", name_, task(), object_ == kNoRow ? 0 : object_, extra_);
      case EventKind::PayloadInit:
        return fmt::format("{} {}{}", name_, task(),
                           object_ == kNoRow || object_ == 0 ? "" : fmt::format(": changes the flags of {} edges", object_));
      case EventKind::Predicate: return fmt::format("{} {}: {}", name_, task(), to_ != 0 ? "holds" : "does not hold");
      case EventKind::AbortSubmit: return fmt::format("{} {}", name_, task());
      default: return std::string(name_);  // submit-ignored has nothing to tell
    }
  }

  [[nodiscard]] std::string dependency() const {
    switch (kind_) {
      case EventKind::EdgeAdd: return fmt::format("{} {}: {}", name_, edge_name(r_, subject_), flag_text(to_));
      case EventKind::EdgeReduce:
        return fmt::format("{} {}: {} to {}{}", name_, edge_name(r_, subject_), flag_text(from_), flag_text(to_),
                           object_ == kNoRow ? "" : ", reached through " + other());
      case EventKind::EdgeLost:
        return fmt::format("{} {}: {} to {}", name_, edge_name(r_, subject_), flag_text(from_), flag_text(to_));
      case EventKind::DepSkip:
        return fmt::format("{} {}{}: {}", name_, task(), object_ == kNoRow ? "" : " on " + other(), skip_text(extra_));
      case EventKind::TensorMapHit:
        return fmt::format("{} {} on {}: {}", name_, access_name(r_, subject_), access_name(r_, object_),
                           to_ == 2 ? "covered" : "other");
      case EventKind::TensorMapSync: return fmt::format("{} ring {}: cached watermark {} to {}", name_, object_, from_, to_);
      case EventKind::TensorMapCleanup:
        return fmt::format("{} {}{}: {} entries", name_, access_name(r_, subject_), on_ring(object_), to_);
      case EventKind::TensorMapRemove:
        return fmt::format("{} {}: {} entries{}", name_, access_name(r_, subject_), to_, by_task(r_, object_));
      default: return fmt::format("{} {}: {} entries", name_, access_name(r_, subject_), to_);
    }
  }

  [[nodiscard]] std::string counting() const {
    switch (kind_) {
      case EventKind::Need: return fmt::format("{} {}: {} units", name_, task(), to_);
      case EventKind::WaitCount:
        return fmt::format("{} {}: {} to {} of its units{}", name_, task(), from_, to_,
                           object_ == kNoRow ? "" : ", from " + other());
      case EventKind::PinClaim: return fmt::format("{} {}: {} to {}{}", name_, task(), from_, to_, by_task(r_, object_));
      case EventKind::PinRelease:
        return fmt::format("{} {}: {} to {}{} {}", name_, task(), from_, to_, by_task(r_, object_), cause_text(extra_));
      case EventKind::NodeTake:
        return fmt::format("{} {} in the list of {}: dep-pool top {} to {}", name_, task(), other(), from_, to_);
      case EventKind::WalkNode: return fmt::format("{} {}: reaches {}, {} visited", name_, task(), other(), to_);
      default: return fmt::format("{} {}", name_, task());
    }
  }

  [[nodiscard]] std::string task_life() const {
    switch (kind_) {
      case EventKind::QueuePush:
      case EventKind::QueuePop:
        return fmt::format("{} {} {} {}: {} in it", name_, task(), kind_ == EventKind::QueuePush ? "to" : "from",
                           runtime::queue_name(static_cast<runtime::QueueId>(object_)), to_);
      case EventKind::BlockClaim: return fmt::format("{} {} by thread {}: blocks {} to {}", name_, task(), object_, from_, to_);
      case EventKind::CoreAck: return fmt::format("{} {}{}, {} place", name_, task(), on_core(object_), place_name(extra_));
      case EventKind::Place:
      case EventKind::Finish:
      case EventKind::Observe:
        return fmt::format("{} {} block {}{}, {} place", name_, task(), to_, on_core(object_), place_name(extra_));
      case EventKind::SubtaskCount: return fmt::format("{} {}{}: {} done", name_, task(), on_core(object_), to_);
      case EventKind::Defer:
      case EventKind::ReleaseBegin: return fmt::format("{} {} by thread {}: {} in its buffer", name_, task(), object_, to_);
      case EventKind::SlotReclaim: return fmt::format("{} {}: slot {}", name_, task(), object_);
      case EventKind::Dispatch:
      case EventKind::Complete: return fmt::format("{} {}{}", name_, task(), on_core(object_));
      default: return fmt::format("{} {}", name_, task());
    }
  }

  [[nodiscard]] std::string ring() const {
    switch (kind_) {
      case EventKind::Watermark: return fmt::format("{} of ring {}: {} to {}", name_, object_, from_, to_);
      case EventKind::HeapAlloc: return fmt::format("{} {} on ring {}: top {} to {}", name_, task(), object_, from_, to_);
      case EventKind::HeapFree: return fmt::format("{} on ring {}: tail {} to {}", name_, object_, from_, to_);
      case EventKind::HeapGuard: return fmt::format("{} ring {}: {} to {}", name_, object_, index_text(from_), index_text(to_));
      case EventKind::SpillTake: return fmt::format("{} {} on ring {}: top {} to {}", name_, task(), object_, from_, to_);
      case EventKind::SpillReclaim:
      case EventKind::DepReclaim: return fmt::format("{} ring {}: tail {} to {}", name_, object_, from_, to_);
      case EventKind::AdvanceLock:
        return to_ == 0 ? fmt::format("{} ring {}: released", name_, object_)
                        : fmt::format("{} ring {}: taken by {}", name_, object_, actor_text(to_ - 1));
      case EventKind::AdvanceFail:
        return fmt::format("{} ring {}: the lock is taken, pending bit {} to {}", name_, object_, from_, to_);
      case EventKind::AdvanceRetry: return fmt::format("{} ring {}: pending bit {} to {}", name_, object_, from_, to_);
      default: return fmt::format("{} ring {}: {} to {}", name_, object_, from_, to_);
    }
  }

  const Recording& r_;
  EventKind kind_;
  std::string_view name_;
  std::uint32_t subject_, object_;
  std::uint16_t extra_;
  std::int64_t from_, to_;
};

}  // namespace

std::uint32_t task_of_event(const Recording& recording, std::uint32_t event) {
  const std::uint32_t subject = recording.events.subject[event];
  if (subject == kNoRow) return kNoRow;
  switch (event_shape(static_cast<EventKind>(recording.events.kind[event])).subject) {
    case Operand::Task: return subject;
    case Operand::Edge: return recording.edges.consumer[subject];
    case Operand::Access: return recording.accesses.task[subject];
    default: return kNoRow;
  }
}

std::string describe_event(const Recording& recording, std::uint32_t event) { return EventText(recording, event).text(); }

}  // namespace depscope::replay
