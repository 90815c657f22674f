// Watches as text, and their values.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "cursor_impl.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/watch.h"
#include "depscope/runtime/event_shape.h"
#include "depscope/runtime/options.h"
#include "watch_fields.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::TaskState;

constexpr std::string_view kForms =
    "task:TASK, task:TASK.FIELD, tasks:STATE, slot:rRING.SLOT, ring:RING.FIELD, edge:TASK->TASK, scope:ROW, queue:NAME, core:N, "
    "core:N.pending, tensormap, tensormap:TASK.ARG, buffered_releases:N, config:NAME";
constexpr std::uint32_t kStates = static_cast<std::uint32_t>(TaskState::Consumed) + 1;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string queue_text(std::uint32_t queue) {
  std::string out(runtime::queue_name(static_cast<runtime::QueueId>(queue)));
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

/// The configured values that belong to no ring.
bool is_config(std::uint32_t item) { return !runtime::is_ring_limit(static_cast<runtime::ConfigItem>(item)); }

/// Number of the first of `count` names that is `wanted`; otherwise one sentence with all of them.
template <class NameOf, class Allowed>
std::uint32_t named(std::string_view what, std::string_view wanted, std::uint32_t count, NameOf&& name_of, Allowed&& allowed) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!allowed(i)) continue;
    names.emplace_back(name_of(i));
    if (lower(names.back()) == lower(wanted)) return i;
  }
  throw QueryError(fmt::format("there is no {} '{}' ({})", what, wanted, fmt::join(names, ", ")));
}

bool any(std::uint32_t) { return true; }

std::string_view state_name(std::int64_t state) { return runtime::task_state_name(static_cast<TaskState>(state)); }

class Parser {
 public:
  Parser(const Cursor& cursor, std::string_view text) : cursor_(cursor), r_(cursor.recording()), text_(text) {}

  [[nodiscard]] Watch parse() const {
    const Watch watch = parse_kind();
    if (!cursor_.full()) {
      const EventKinds kinds = kinds_of(watch, /*full=*/false);
      for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind) {
        if (kinds.test(kind) && !told_by_summary(static_cast<runtime::EventKind>(kind)))
          throw QueryError(fmt::format("the recording is a summary, which does not tell '{}': record with --events full", text_));
      }
    }
    return watch;
  }

 private:
  [[nodiscard]] Watch parse_kind() const {
    const std::size_t colon = std::min(text_.find(':'), text_.size());
    const std::string_view word = text_.substr(0, colon);
    const std::string_view rest = text_.substr(std::min(colon + 1, text_.size()));
    if (word == "tensormap") return colon == text_.size() ? Watch{WatchKind::TensorMap} : entry(rest);
    if (word == "task") return task(rest);
    if (word == "tasks") return {WatchKind::TasksInState, named("state of tasks", rest, kStates, state_name, any)};
    if (word == "slot") return slot(rest);
    if (word == "ring") return ring(rest);
    if (word == "edge") return edge(rest);
    if (word == "scope") return {WatchKind::Scope, scope_row(r_, rest)};
    if (word == "queue") return {WatchKind::Queue, named("queue", rest, runtime::kQueueCount, queue_text, any)};
    if (word == "core") return core(rest);
    if (word == "buffered_releases") {
      return {WatchKind::Buffered, number(rest, static_cast<std::uint32_t>(cursor_.state().buffered_releases.size()),
                                          "scheduler threads that put off releases", WatchKind::Buffered)};
    }
    if (word == "config") {
      const auto name = [](std::uint32_t item) { return runtime::config_item_name(static_cast<runtime::ConfigItem>(item)); };
      return {WatchKind::Config, named("configured value", rest, runtime::kConfigItemCount, name, is_config)};
    }
    throw QueryError(fmt::format("'{}' cannot be watched; what can: {}", text_, kForms));
  }

  /// Text before and after the last dot; nothing after it if there is none.
  static std::pair<std::string_view, std::string_view> at_dot(std::string_view text) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos) return {text, {}};
    return {text.substr(0, dot), text.substr(dot + 1)};
  }

  [[noreturn]] void malformed(std::string_view form) const {
    throw QueryError(fmt::format("'{}' cannot be watched: write {}", text_, form));
  }

  /// A summary has no cores and no threads: it says so, not that the number is wrong.
  [[nodiscard]] std::uint32_t number(std::string_view text, std::uint32_t count, std::string_view of, WatchKind kind) const {
    std::uint32_t out = 0;
    if (!parse_number(text, kNoRow - 1, out))
      malformed(kind == WatchKind::Core ? "core:N or core:N.pending" : "buffered_releases:N");
    if (out >= count && cursor_.full()) throw QueryError(fmt::format("'{}': the recording has {} {}", text_, count, of));
    return out;
  }

  [[nodiscard]] Watch task(std::string_view rest) const {
    const auto [name, field] = at_dot(rest);
    const std::uint32_t row = task_row(r_, name);
    if (field.empty()) {
      if (rest.ends_with('.')) malformed("task:TASK.FIELD");
      return {WatchKind::Task, row, 0};
    }
    const auto fields = task_fields();
    const auto name_of = [&](std::uint32_t i) { return fields[i].name; };
    return {WatchKind::Task, row, named("field of tasks", field, static_cast<std::uint32_t>(fields.size()), name_of, any)};
  }

  [[nodiscard]] std::uint32_t ring_number(std::string_view text, std::string_view form) const {
    std::uint32_t out = 0;
    if (!parse_number(text, kNoRow - 1, out)) malformed(form);
    if (out >= runtime::kRingCount)
      throw QueryError(fmt::format("'{}': rings are numbered 0 to {}", text_, runtime::kRingCount - 1));
    return out;
  }

  [[nodiscard]] Watch slot(std::string_view rest) const {
    constexpr std::string_view kForm = "slot:rRING.SLOT, as in slot:r0.3";
    const auto [name, index] = at_dot(rest);
    if (!name.starts_with('r')) malformed(kForm);
    Watch out{WatchKind::Slot, ring_number(name.substr(1), kForm)};
    if (!parse_number(index, kNoRow - 1, out.part)) malformed(kForm);
    if (cursor_.impl().tasks_of_slot(out.row, out.part).empty())
      throw QueryError(fmt::format("'{}': no task of the recording has slot {} of ring {}", text_, out.part, out.row));
    return out;
  }

  [[nodiscard]] Watch ring(std::string_view rest) const {
    constexpr std::string_view kForm = "ring:RING.FIELD, as in ring:0.watermark";
    const auto [name, field] = at_dot(rest);
    if (field.empty()) malformed(kForm);
    const std::uint32_t row = ring_number(name, kForm);
    const auto fields = ring_fields();
    const auto name_of = [&](std::uint32_t i) { return fields[i].name; };
    return {WatchKind::Ring, row, named("field of rings", field, static_cast<std::uint32_t>(fields.size()), name_of, any)};
  }

  [[nodiscard]] Watch edge(std::string_view rest) const {
    const std::size_t arrow = rest.find("->");
    if (arrow == std::string_view::npos) malformed("edge:TASK->TASK, as in edge:r0t1->r0t4");
    const std::string_view from = rest.substr(0, arrow);
    const std::string_view to = rest.substr(arrow + 2);
    const std::uint32_t row = cursor_.impl().edges.find(task_row(r_, from), task_row(r_, to));
    if (row == kNoRow) throw QueryError(fmt::format("there is no edge from {} to {}", from, to));
    return {WatchKind::Edge, row};
  }

  [[nodiscard]] Watch core(std::string_view rest) const {
    const auto [name, place] = at_dot(rest);
    if (rest.ends_with('.') || !(place.empty() || place == "pending" || place == "running"))
      malformed("core:N or core:N.pending");
    const auto cores = static_cast<std::uint32_t>(cursor_.state().core_task.size());
    return {WatchKind::Core, number(name, cores, "cores", WatchKind::Core), place == "pending" ? 1U : 0U};
  }

  [[nodiscard]] Watch entry(std::string_view rest) const {
    const auto [name, argument] = at_dot(rest);
    std::uint32_t arg = 0;
    if (!parse_number(argument, 255, arg)) malformed("tensormap:TASK.ARG, as in tensormap:r0t5.1");
    const std::uint32_t task = task_row(r_, name);
    const auto& tasks = r_.accesses.task;  // grouped by task
    const auto [first, last] = std::equal_range(tasks.begin(), tasks.end(), task);
    for (auto at = first; at != last; ++at) {
      const auto access = static_cast<std::uint32_t>(at - tasks.begin());
      if (r_.accesses.arg[access] == arg) return {WatchKind::TensorMapEntry, access};
    }
    throw QueryError(fmt::format("'{}': task {} has no tensor as argument {}", text_, name, arg));
  }

  const Cursor& cursor_;
  const Recording& r_;
  std::string_view text_;
};

std::string yes_no(std::int64_t value) { return value != 0 ? "yes" : "no"; }

std::string field_text(std::string_view field, std::int64_t value) {
  constexpr std::array<std::string_view, 3> kPhases{"none", "flushed", "initialised"};
  if (field == "state") return std::string(state_name(value));
  if (field == "payload_phase" && value >= 0 && value < 3) return std::string(kPhases[static_cast<std::size_t>(value)]);
  if (field == "scope_released" || field == "own_released" || field == "aborted" || field == "reclaimed") return yes_no(value);
  return fmt::format("{}", value);
}

std::string ring_text(std::string_view field, std::int64_t value) {
  if (field == "lock_owner") {
    if (value == 0) return "free";
    return value == 1 ? "orchestrator" : fmt::format("scheduler {}", value - 1);
  }
  if (field == "heap_guard" && value < 0) return "none";
  if (field == "advance_pending" || field == "request" || field == "acknowledge") return yes_no(value);
  return fmt::format("{}", value);
}

}  // namespace

Watch parse_watch(const Cursor& cursor, std::string_view text) { return Parser(cursor, text).parse(); }

std::string to_text(const Recording& r, const Watch& watch) {
  switch (watch.kind) {
    case WatchKind::Task:
      return fmt::format("task:{}{}", task_row_name(r, watch.row),
                         watch.part == 0 ? "" : fmt::format(".{}", task_fields()[watch.part].name));
    case WatchKind::TasksInState: return fmt::format("tasks:{}", state_name(watch.row));
    case WatchKind::Slot: return fmt::format("slot:r{}.{}", watch.row, watch.part);
    case WatchKind::Ring: return fmt::format("ring:{}.{}", watch.row, ring_fields()[watch.part].name);
    case WatchKind::Edge:
      return fmt::format("edge:{}->{}", task_row_name(r, r.edges.producer[watch.row]),
                         task_row_name(r, r.edges.consumer[watch.row]));
    case WatchKind::Scope: return fmt::format("scope:{}", watch.row);
    case WatchKind::Queue: return fmt::format("queue:{}", queue_text(watch.row));
    case WatchKind::Core: return fmt::format("core:{}{}", watch.row, watch.part == 0 ? "" : ".pending");
    case WatchKind::TensorMap: return "tensormap";
    case WatchKind::TensorMapEntry:
      return fmt::format("tensormap:{}.{}", task_row_name(r, r.accesses.task[watch.row]), r.accesses.arg[watch.row]);
    case WatchKind::Buffered: return fmt::format("buffered_releases:{}", watch.row);
    case WatchKind::Config:
      return fmt::format("config:{}", runtime::config_item_name(static_cast<runtime::ConfigItem>(watch.row)));
  }
  return "";
}

std::string value_text(const Recording& r, const Watch& watch, std::int64_t value) {
  switch (watch.kind) {
    case WatchKind::Task: return field_text(task_fields()[watch.part].name, value);
    case WatchKind::Slot:
      if (value == kNothing) return "free";
      return fmt::format("{}, {}", task_text(r, static_cast<std::uint32_t>(value)), state_name(value >> 32U));
    case WatchKind::Ring: return ring_text(ring_fields()[watch.part].name, value);
    case WatchKind::Edge: {
      const auto names = runtime::dep_flag_names(static_cast<std::uint8_t>(value));
      return names.empty() ? "none" : fmt::format("{}", fmt::join(names, "|"));
    }
    case WatchKind::Scope: return value == 0 ? "not begun" : (value == 1 ? "open" : "ended");
    case WatchKind::Core:
      if (value == kNothing) return watch.part == 0 ? "idle" : "free";
      return task_text(r, static_cast<std::uint32_t>(value));
    case WatchKind::TensorMapEntry: return value != 0 ? "in the map" : "not in the map";
    case WatchKind::Config:
      if (watch.row == static_cast<std::uint32_t>(runtime::ConfigItem::Platform) && (value == 0 || value == 1))
        return std::string(runtime::platform_name(static_cast<runtime::Platform>(value)));
      return fmt::format("{}", value);
    case WatchKind::TasksInState:
    case WatchKind::Queue:
    case WatchKind::TensorMap:
    case WatchKind::Buffered: break;
  }
  return fmt::format("{}", value);
}

std::string change_text(const Recording& r, const Watch& watch, const Change& change) {
  return fmt::format("{}: {} -> {}", to_text(r, watch), value_text(r, watch, change.before), value_text(r, watch, change.after));
}

}  // namespace depscope::replay
