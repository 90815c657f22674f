#include "state_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "depscope/replay/row_names.h"

namespace depscope::app {
namespace {

using recording::kNoRow;

constexpr std::size_t kShown = 4;  // producers, holders of one task in a list

/// " of N" where the recording tells the limit.
std::string limit_text(std::int64_t limit) { return limit == 0 ? "" : fmt::format(" of {}", limit); }

}  // namespace

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::span<const std::string_view> state_names() {
  static const auto kNames = [] {
    std::array<std::string_view, std::tuple_size_v<decltype(replay::State::tasks_in_state)>> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = runtime::task_state_name(static_cast<runtime::TaskState>(i));
    return names;
  }();
  return kNames;
}

std::string_view state_text(const replay::Cursor& cursor, std::uint32_t task) {
  return runtime::task_state_name(static_cast<runtime::TaskState>(cursor.state().task_state[task]));
}

std::string_view level_name(const replay::Cursor& cursor) {
  if (cursor.size() == 0) return "none";
  if (cursor.measured()) return "measured";
  return cursor.full() ? "full" : "summary";
}

std::string_view not_told_text(const replay::Cursor& cursor) {
  return cursor.measured()
             ? "the run was measured: slots, buffers, references, queues and the TensorMap are not in it, and when a task "
               "was ready is worked out from its producers"
             : "the recording is a summary: cores, TensorMap, queues and pools are not in it";
}

std::string flags_text(std::uint8_t flags) {
  const auto names = runtime::dep_flag_names(flags);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, "|"));
}

std::string ring_text(const replay::Cursor& cursor, std::uint32_t i) {
  const replay::RingState& ring = cursor.state().rings[i];
  const replay::RingUse use = replay::ring_use(cursor, i);
  if (cursor.measured())
    return fmt::format("next {}, window{}, what is free again is not recorded", ring.next, limit_text(use.slots));
  std::string out = fmt::format("next {}, watermark {}", ring.next, ring.watermark);
  if (cursor.full()) out += fmt::format(", published {}", ring.published);
  out += fmt::format(", slots {}{}", use.slots_used, limit_text(use.slots));
  out += fmt::format(", heap {}..{}", ring.heap_tail, ring.heap_top);
  if (use.heap_used) out += fmt::format(" ({}{} bytes)", *use.heap_used, limit_text(use.heap_bytes));
  if (use.heap_wrapped) out += ", wrapped";
  if (ring.heap_guard >= 0) out += fmt::format(", rebased at {}", ring.heap_guard);
  if (use.dep_used) out += fmt::format(", dep pool {}{}", *use.dep_used, limit_text(use.dep_pool));
  if (use.spill_used) out += fmt::format(", spill pool {}{}", *use.spill_used, limit_text(use.dep_pool));
  if (ring.request != 0) out += ", publication asked for";
  if (ring.advance_pending != 0) out += ", advance pending";
  return out;
}

std::string holder_text(const recording::Recording& r, const replay::Holder& holder) {
  switch (holder.kind) {
    case replay::HolderKind::Unfinished: return "its own end";
    case replay::HolderKind::Scope:
      return holder.scope == kNoRow ? "a scope that the recording does not have" : fmt::format("scope s{}", holder.scope);
    case replay::HolderKind::Consumer: return replay::task_text(r, holder.task);
    case replay::HolderKind::OlderTask:
      return holder.task == kNoRow ? "the watermark, which is on its way" : "the older task " + replay::task_text(r, holder.task);
    case replay::HolderKind::HeapTail: return "the heap's tail";
  }
  return "";
}

std::string waits_text(const replay::Cursor& cursor, std::uint32_t task) {
  const recording::Recording& r = cursor.recording();
  const auto edges = cursor.waiting_for(task);
  std::string out;
  for (std::size_t i = 0; i < std::min(edges.size(), kShown); ++i)
    out += (i == 0 ? " waits for " : ", ") + replay::task_text(r, r.edges.producer[edges[i]]);
  if (edges.size() > kShown) out += fmt::format(" and {} more", edges.size() - kShown);
  return out;
}

std::string holders_text(const replay::Cursor& cursor, std::uint32_t task) {
  const auto holders = replay::holders_of(cursor, task);
  std::string out;
  for (std::size_t i = 0; i < std::min(holders.size(), kShown); ++i)
    out += (i == 0 ? " kept by " : ", ") + holder_text(cursor.recording(), holders[i]);
  if (holders.size() > kShown) out += fmt::format(" and {} more", holders.size() - kShown);
  return out;
}

std::string access_text(const recording::Recording& r, std::uint32_t access) {
  const std::uint32_t tensor = r.accesses.tensor[access];
  const std::string_view name = tensor == kNoRow ? "" : r.text(r.tensors.name[tensor]);
  return fmt::format("argument {}{}{} of {}", r.accesses.arg[access], name.empty() ? "" : " ", name,
                     replay::task_text(r, r.accesses.task[access]));
}

}  // namespace depscope::app
