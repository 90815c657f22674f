// Where the cursor goes next: by kind, task, scope and tensor.
#include <algorithm>

#include "cursor_impl.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

/// The first event from `from` on that is about one of the tasks, none if there is none.
template <class Tasks>
std::uint32_t next_of_tasks(Cursor::Impl& cursor, const Tasks& tasks, std::uint32_t from) {
  std::uint32_t best = kNoRow;
  for (const std::uint32_t task : tasks) {
    const auto events = cursor.events_of(task);
    const auto found = std::lower_bound(events.begin(), events.end(), from);
    if (found != events.end()) best = std::min(best, *found);
  }
  return best;
}

/// The last event before `from` that is about one of the tasks, none if there is none.
template <class Tasks>
std::uint32_t previous_of_tasks(Cursor::Impl& cursor, const Tasks& tasks, std::uint32_t from) {
  std::uint32_t best = 0;  // event + 1
  for (const std::uint32_t task : tasks) {
    const auto events = cursor.events_of(task);
    const auto found = std::lower_bound(events.begin(), events.end(), from);
    if (found != events.begin()) best = std::max(best, *(found - 1) + 1);
  }
  return best - 1;  // none if 0
}

KindTable all_kinds() {
  KindTable out{};
  out.fill(true);
  return out;
}

std::vector<std::uint32_t> tasks_of_scope(const recording::Recording& r, std::uint32_t scope) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    if (r.tasks.scope[t] == scope) out.push_back(t);
  }
  return out;
}

/// `nearby` matches everything, `own` of `kinds` what is not about one of `tasks()`.
template <class Near, class Own, class Tasks>
std::uint32_t next_of_set(Cursor::Impl& c, const EventKinds& kinds, Near&& nearby, Own&& own, Tasks&& tasks) {
  const std::uint32_t far = std::min(c.size(), c.position + std::min(c.near, c.size() - c.position));
  const std::uint32_t found = c.find_next(c.position, far, all_kinds(), nearby);
  if (found != kNoRow) return found;
  return std::min(c.find_next(far, c.size(), kind_table(kinds), own), next_of_tasks(c, tasks(), far));
}

template <class Near, class Own, class Tasks>
std::uint32_t previous_of_set(Cursor::Impl& c, const EventKinds& kinds, Near&& nearby, Own&& own, Tasks&& tasks) {
  const std::uint32_t far = c.position - std::min(c.near, c.position);
  const std::uint32_t found = c.find_previous(c.position, far, all_kinds(), nearby);
  if (found != kNoRow) return found;
  // none + 1 is 0
  return std::max(c.find_previous(far, 0, kind_table(kinds), own) + 1, previous_of_tasks(c, tasks(), far) + 1) - 1;
}

EventKinds with_submit_begin(EventKinds kinds) { return kinds.set(static_cast<std::size_t>(runtime::EventKind::SubmitBegin)); }

}  // namespace

std::span<const std::uint32_t> Cursor::Impl::events_of(std::uint32_t task) {
  if (task_event_begin.empty()) {
    const std::uint32_t tasks = recording.tasks.rows();
    task_event_begin.assign(tasks + std::size_t{1}, 0);
    for (std::uint32_t i = 0; i < size(); ++i) {
      const std::uint32_t of = task_of_event(recording, i);
      if (of != kNoRow) ++task_event_begin[of + std::size_t{1}];
    }
    for (std::size_t t = 0; t < tasks; ++t) task_event_begin[t + 1] += task_event_begin[t];
    std::vector<std::uint32_t> next(task_event_begin.begin(), task_event_begin.end() - 1);
    task_events.resize(task_event_begin.back());
    for (std::uint32_t i = 0; i < size(); ++i) {
      const std::uint32_t of = task_of_event(recording, i);
      if (of != kNoRow) task_events[next[of]++] = i;
    }
  }
  return std::span(task_events).subspan(task_event_begin[task], task_event_begin[task + std::size_t{1}] - task_event_begin[task]);
}

const TensorEvents& Cursor::Impl::events_of_tensor(std::uint32_t row) {
  if (!tensor || tensor->tensor() != row) tensor.emplace(recording, row);
  return *tensor;
}

const std::vector<std::uint32_t>& Cursor::Impl::tasks_of_slot(std::uint32_t ring, std::uint32_t index) {
  if (slot != std::pair{ring, index}) {
    slot = {ring, index};
    slot_tasks.clear();
    for (const std::uint32_t task : ring_tasks[ring]) {
      if (recording.tasks.slot[task] == index) slot_tasks.push_back(task);
    }
  }
  return slot_tasks;
}

bool Cursor::next(runtime::EventKind kind) {
  const auto& kinds = impl_->recording.events.kind;
  const auto found = std::find(kinds.begin() + impl_->position, kinds.end(), static_cast<std::uint8_t>(kind));
  if (found == kinds.end()) return false;
  seek(static_cast<std::uint32_t>(found - kinds.begin()) + 1);
  return true;
}

bool Cursor::previous(runtime::EventKind kind) {
  const auto& kinds = impl_->recording.events.kind;
  for (std::uint32_t i = impl_->position; i > 0; --i) {
    if (kinds[i - 1] != static_cast<std::uint8_t>(kind)) continue;
    seek(i - 1);
    return true;
  }
  return false;
}

bool Cursor::next_of_task(std::uint32_t task) {
  if (task >= impl_->recording.tasks.rows()) return false;
  const auto events = impl_->events_of(task);
  const auto found = std::lower_bound(events.begin(), events.end(), impl_->position);
  if (found == events.end()) return false;
  seek(*found + 1);
  return true;
}

bool Cursor::previous_of_task(std::uint32_t task) {
  if (task >= impl_->recording.tasks.rows()) return false;
  const auto events = impl_->events_of(task);
  const auto found = std::lower_bound(events.begin(), events.end(), impl_->position);
  if (found == events.begin()) return false;
  seek(*(found - 1));
  return true;
}

bool Cursor::next_of_scope(std::uint32_t scope, bool tasks) {
  Impl& c = *impl_;
  if (scope >= c.recording.scopes.rows()) return false;
  const auto in = [&](std::uint32_t i) { return event_of_scope(c.recording, i, scope, tasks); };
  const std::uint32_t found =
      tasks ? next_of_set(c, with_submit_begin(kinds_of_scopes()), in, in, [&] { return tasks_of_scope(c.recording, scope); })
            : c.find_next(c.position, c.size(), kind_table(kinds_of_scopes()), in);
  if (found == kNoRow) return false;
  seek(found + 1);
  return true;
}

bool Cursor::previous_of_scope(std::uint32_t scope, bool tasks) {
  Impl& c = *impl_;
  if (scope >= c.recording.scopes.rows()) return false;
  const auto in = [&](std::uint32_t i) { return event_of_scope(c.recording, i, scope, tasks); };
  const std::uint32_t found =
      tasks ? previous_of_set(c, with_submit_begin(kinds_of_scopes()), in, in, [&] { return tasks_of_scope(c.recording, scope); })
            : c.find_previous(c.position, 0, kind_table(kinds_of_scopes()), in);
  if (found == kNoRow) return false;
  seek(found);
  return true;
}

bool Cursor::next_of_tensor(std::uint32_t tensor, bool tasks) {
  Impl& c = *impl_;
  if (tensor >= c.recording.tensors.rows()) return false;
  const TensorEvents& set = c.events_of_tensor(tensor);
  const auto in = [&](std::uint32_t i) { return set.holds(i, tasks); };
  const std::uint32_t found = tasks ? next_of_set(c, kinds_of_tensors(), in, in, [&] { return set.tasks(); })
                                    : c.find_next(c.position, c.size(), kind_table(kinds_of_tensors()), in);
  if (found == kNoRow) return false;
  seek(found + 1);
  return true;
}

bool Cursor::previous_of_tensor(std::uint32_t tensor, bool tasks) {
  Impl& c = *impl_;
  if (tensor >= c.recording.tensors.rows()) return false;
  const TensorEvents& set = c.events_of_tensor(tensor);
  const auto in = [&](std::uint32_t i) { return set.holds(i, tasks); };
  const std::uint32_t found = tasks ? previous_of_set(c, kinds_of_tensors(), in, in, [&] { return set.tasks(); })
                                    : c.find_previous(c.position, 0, kind_table(kinds_of_tensors()), in);
  if (found == kNoRow) return false;
  seek(found);
  return true;
}

}  // namespace depscope::replay
