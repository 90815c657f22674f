// What an event is about, and one line of text for it.
#include <fmt/format.h>

#include <string>

#include "depscope/replay/cursor.h"
#include "event_shape.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

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

}  // namespace

std::uint32_t task_of_event(const Recording& recording, std::uint32_t event) {
  const std::uint32_t subject = recording.events.subject[event];
  if (subject == kNoRow) return kNoRow;
  const auto kind = static_cast<EventKind>(recording.events.kind[event]);
  switch (event_shape(kind).subject) {
    case Operand::Task: return subject;
    case Operand::Edge: return recording.edges.consumer[subject];
    case Operand::Access: return recording.accesses.task[subject];
    case Operand::Any:  // a blocked or failed submit names its task where it has one
      return (kind == EventKind::Block || kind == EventKind::Error) && subject < recording.tasks.rows() ? subject : kNoRow;
    case Operand::Scope:
    case Operand::Ring:
    case Operand::Core: break;
  }
  return kNoRow;
}

std::string describe_event(const Recording& r, std::uint32_t event) {
  const auto& e = r.events;
  const auto kind = static_cast<EventKind>(e.kind[event]);
  const std::string_view name = runtime::event_kind_name(kind);
  const std::uint32_t subject = e.subject[event];
  const std::uint32_t object = e.object[event];
  const std::int64_t from = e.old_value[event];
  const std::int64_t to = e.new_value[event];
  switch (kind) {
    case EventKind::ScopeBegin:
      return fmt::format("{} s{} {} at depth {}", name, subject, r.scopes.manual[subject] != 0 ? "MANUAL" : "AUTO", to);
    case EventKind::ScopeEnd: return fmt::format("{} s{}", name, subject);
    case EventKind::Submit: return fmt::format("{} {} on ring {}", name, task_name(r, subject), object);
    case EventKind::EdgeAdd: return fmt::format("{} {}: {}", name, edge_name(r, subject), flag_text(to));
    case EventKind::EdgeReduce:
      return fmt::format("{} {}: {} to {}{}", name, edge_name(r, subject), flag_text(from), flag_text(to),
                         object == kNoRow ? "" : ", reached through " + task_name(r, object));
    case EventKind::Ready:
    case EventKind::Consume: return fmt::format("{} {}", name, task_name(r, subject));
    case EventKind::Dispatch:
    case EventKind::Complete: return fmt::format("{} {}{}", name, task_name(r, subject), on_core(object));
    case EventKind::Need: return fmt::format("{} {}: {} units", name, task_name(r, subject), to);
    case EventKind::WaitCount:
      return fmt::format("{} {}: {} to {} of its units{}", name, task_name(r, subject), from, to,
                         object == kNoRow ? "" : ", from " + task_name(r, object));
    case EventKind::PinClaim:
    case EventKind::PinRelease:
      return fmt::format("{} {}: {} to {}{}", name, task_name(r, subject), from, to,
                         object == kNoRow ? "" : ", by " + task_name(r, object));
    case EventKind::ScopeRelease:
    case EventKind::Release: return fmt::format("{} {}", name, task_name(r, subject));
    case EventKind::Watermark: return fmt::format("{} of ring {}: {} to {}", name, object, from, to);
    case EventKind::HeapAlloc:
      return fmt::format("{} {} on ring {}: top {} to {}", name, task_name(r, subject), object, from, to);
    case EventKind::HeapFree: return fmt::format("{} on ring {}: tail {} to {}", name, object, from, to);
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove: return fmt::format("{} {}: {} entries", name, access_name(r, subject), to);
    case EventKind::TensorMapHit:
      return fmt::format("{} {} on {}: {}", name, access_name(r, subject), access_name(r, object), to == 2 ? "covered" : "other");
    case EventKind::Block:
    case EventKind::Error: {
      const std::uint32_t task = task_of_event(r, event);
      return task == kNoRow ? fmt::format("{} {}", name, to) : fmt::format("{} {}: {}", name, task_name(r, task), to);
    }
    case EventKind::Config:
    case EventKind::RunEnd: return std::string(name);
  }
  return std::string(name);
}

}  // namespace depscope::replay
