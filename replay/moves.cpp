#include "depscope/replay/moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "cursor_impl.h"
#include "depscope/replay/row_names.h"
#include "words.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

constexpr std::string_view kForms =
    "to N, start, end, step [N], back [N], next WHAT, previous WHAT, change WATCH, change-back WATCH";
constexpr std::string_view kConditions =
    "kind=NAME, task=TASK, scope=ROW, scope=ROW+tasks, tensor=ROW, tensor=ROW+tasks, actor=N";

/// Removes "+tasks" from the end; true if it was there.
bool take_tasks(std::string_view& text) {
  constexpr std::string_view kTasks = "+tasks";
  if (!text.ends_with(kTasks)) return false;
  text.remove_suffix(kTasks.size());
  return true;
}

void add_condition(const Cursor& cursor, std::string_view word, EventQuery& out) {
  const recording::Recording& r = cursor.recording();
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  std::string_view rest = word.substr(std::min(equals + 1, word.size()));
  if (name == "kind") {
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      out.kinds.set(static_cast<std::size_t>(event_kind(rest.substr(0, comma))));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (out.kinds.any()) return;
  } else if (name == "task") {
    out.task = task_row(r, rest);
    return;
  } else if (name == "scope") {
    out.scope_tasks = take_tasks(rest);
    out.scope = scope_row(r, rest);
    return;
  } else if (name == "tensor") {
    out.tensor_tasks = take_tasks(rest);
    out.tensor = tensor_row(r, rest);
    return;
  } else if (name == "actor") {
    std::uint32_t actor = 0;
    if (parse_number(rest, 255, actor)) {
      out.actor = static_cast<std::uint8_t>(actor);
      return;
    }
  }
  throw QueryError(fmt::format("'{}' says nothing about events; what may be said: {}", word, kConditions));
}

/// The one condition of the query, if there is but one.
enum class Only : std::uint8_t { Many, Kind, Task, Scope, Tensor };

Only only(const EventQuery& q) {
  if (q.actor) return Only::Many;
  const bool kind = q.kinds.any();
  const bool task = q.task != kNoRow;
  const bool scope = q.scope != kNoRow;
  const bool tensor = q.tensor != kNoRow;
  if (static_cast<int>(kind) + static_cast<int>(task) + static_cast<int>(scope) + static_cast<int>(tensor) != 1)
    return Only::Many;
  if (task) return Only::Task;
  if (scope) return Only::Scope;
  if (tensor) return Only::Tensor;
  return q.kinds.count() == 1 ? Only::Kind : Only::Many;
}

runtime::EventKind the_kind(const EventKinds& kinds) {
  std::size_t kind = 0;
  while (!kinds.test(kind)) ++kind;
  return static_cast<runtime::EventKind>(kind);
}

}  // namespace

EventMatcher::EventMatcher(const recording::Recording& recording, const EventQuery& query, const TensorEvents* tensor)
    : recording_(&recording), query_(query), tensor_(tensor) {
  if (query.kinds.none()) query_.kinds.set();
  if (query.tensor != kNoRow && tensor == nullptr)
    tensor_ = (own_tensor_ = std::make_shared<TensorEvents>(recording, query.tensor)).get();
}

bool EventMatcher::operator()(std::uint32_t event) const {  // cheap conditions first
  const auto& events = recording_->events;
  return query_.kinds.test(events.kind[event]) && (!query_.actor || events.actor[event] == *query_.actor) &&
         (query_.task == kNoRow || task_of_event(*recording_, event) == query_.task) &&
         (query_.scope == kNoRow || event_of_scope(*recording_, event, query_.scope, query_.scope_tasks)) &&
         (tensor_ == nullptr || tensor_->holds(event, query_.tensor_tasks));
}

namespace {

/// Events of a tensor are looked up once for a cursor.
EventMatcher matcher(const Cursor& cursor, const EventQuery& query) {
  return {cursor.recording(), query, query.tensor == kNoRow ? nullptr : &cursor.impl().events_of_tensor(query.tensor)};
}

}  // namespace

bool next(Cursor& cursor, const EventQuery& query) {
  switch (only(query)) {
    case Only::Kind: return cursor.next(the_kind(query.kinds));
    case Only::Task: return cursor.next_of_task(query.task);
    case Only::Scope: return cursor.next_of_scope(query.scope, query.scope_tasks);
    case Only::Tensor: return cursor.next_of_tensor(query.tensor, query.tensor_tasks);
    case Only::Many: break;
  }
  const EventMatcher matches = matcher(cursor, query);
  if (query.task == kNoRow) return cursor.next_if(matches);
  const auto events = cursor.impl().events_of(query.task);
  auto at = std::lower_bound(events.begin(), events.end(), cursor.position());
  at = std::find_if(at, events.end(), matches);
  if (at == events.end()) return false;
  cursor.seek(*at + 1);
  return true;
}

bool previous(Cursor& cursor, const EventQuery& query) {
  switch (only(query)) {
    case Only::Kind: return cursor.previous(the_kind(query.kinds));
    case Only::Task: return cursor.previous_of_task(query.task);
    case Only::Scope: return cursor.previous_of_scope(query.scope, query.scope_tasks);
    case Only::Tensor: return cursor.previous_of_tensor(query.tensor, query.tensor_tasks);
    case Only::Many: break;
  }
  const EventMatcher matches = matcher(cursor, query);
  if (query.task == kNoRow) return cursor.previous_if(matches);
  const auto events = cursor.impl().events_of(query.task);
  auto at = std::lower_bound(events.begin(), events.end(), cursor.position());
  while (at != events.begin() && !matches(*(at - 1))) --at;
  if (at == events.begin()) return false;
  cursor.seek(*(at - 1));
  return true;
}

Move parse_move(const Cursor& cursor, std::string_view text) {
  Move out;
  out.text = text;
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  const auto malformed = [&] { return QueryError(fmt::format("'{}' is no move; moves: {}", text, kForms)); };
  if (word == "start" || word == "end") {
    if (!rest.empty()) throw malformed();
    out.kind = MoveKind::To;
    out.count = word == "end" ? cursor.size() : 0;
  } else if (word == "to" || word == "step" || word == "back") {
    out.kind = word == "to" ? MoveKind::To : (word == "step" ? MoveKind::Step : MoveKind::Back);
    const std::string_view number = take_word(rest);
    const bool may_lack = out.kind != MoveKind::To && number.empty();
    if (!rest.empty() || (!may_lack && !parse_number(number, kNoRow - 1, out.count))) throw malformed();
    if (out.kind == MoveKind::To && out.count > cursor.size())
      throw QueryError(fmt::format("'{}': the recording has {} events", text, cursor.size()));
  } else if (word == "next" || word == "previous") {
    out.kind = word == "next" ? MoveKind::Next : MoveKind::Previous;
    if (rest.empty()) throw QueryError(fmt::format("'{}' says nothing about events; what may be said: {}", text, kConditions));
    while (!rest.empty()) add_condition(cursor, take_word(rest), out.query);
  } else if (word == "change" || word == "change-back") {
    out.kind = word == "change" ? MoveKind::Change : MoveKind::ChangeBack;
    while (rest.ends_with(' ') || rest.ends_with('\t')) rest.remove_suffix(1);
    out.watch = parse_watch(cursor, rest);
  } else {
    throw malformed();
  }
  return out;
}

MoveOutcome perform(Cursor& cursor, const Move& move) {
  MoveOutcome out;
  const std::uint32_t position = cursor.position();
  switch (move.kind) {
    case MoveKind::To:
      cursor.seek(move.count);
      out.moved = true;
      break;
    case MoveKind::Step:
      cursor.seek(position + std::min(move.count, cursor.size() - position));
      out.moved = cursor.position() - position == move.count;
      break;
    case MoveKind::Back:
      cursor.seek(position - std::min(move.count, position));
      out.moved = position - cursor.position() == move.count;
      break;
    case MoveKind::Next: out.moved = next(cursor, move.query); break;
    case MoveKind::Previous: out.moved = previous(cursor, move.query); break;
    case MoveKind::Change:
    case MoveKind::ChangeBack:
      out.change = move.kind == MoveKind::Change ? next_change(cursor, move.watch) : previous_change(cursor, move.watch);
      out.moved = out.change.has_value();
      break;
  }
  return out;
}

}  // namespace depscope::replay
