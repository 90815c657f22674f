#include "depscope/replay/row_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "check_names.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::size_t kNamed = 5;  // rows of a name that stands for many

/// The last one with that id: what stands in for an allocation that a trace does not have comes before the task itself.
std::uint32_t row_of_id(const Recording& r, std::uint64_t id) {
  const auto found = std::find(r.tasks.id.rbegin(), r.tasks.id.rend(), id);
  return found == r.tasks.id.rend() ? kNoRow : static_cast<std::uint32_t>(r.tasks.id.rend() - found - 1);
}

std::string rows_text(std::uint32_t rows, std::string_view of) {
  return rows == 0 ? fmt::format("the recording has no {}", of) : fmt::format("the recording has {} 0 to {}", of, rows - 1);
}

}  // namespace

bool parse_number(std::string_view text, std::uint32_t most, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= most;
}

std::uint32_t task_row(const Recording& r, std::string_view text) {
  std::uint32_t number = 0;
  if (text.starts_with('t') && parse_number(text.substr(1), kNoRow - 1, number)) {
    if (number < r.tasks.rows()) return number;
    throw QueryError(fmt::format("there is no task '{}': {}", text, rows_text(r.tasks.rows(), "tasks rows")));
  }
  const std::size_t middle = text.find('t');
  std::uint32_t ring = 0;
  if (!text.starts_with('r') || middle == std::string_view::npos || !parse_number(text.substr(1, middle - 1), 0xff, ring) ||
      !parse_number(text.substr(middle + 1), kNoRow, number)) {
    throw UnknownName(fmt::format("'{}' names no task: write r0t5 for task 5 of ring 0, or t5 for the tasks row 5", text));
  }
  const std::uint32_t row = row_of_id(r, runtime::make_task_id(ring, number));
  if (row != kNoRow) return row;
  const auto of_ring = std::count_if(r.tasks.id.begin(), r.tasks.id.end(), [&](auto id) { return runtime::ring_of(id) == ring; });
  throw QueryError(fmt::format("there is no task '{}': ring {} has {} tasks", text, ring, of_ring));
}

std::string task_row_name(const Recording& r, std::uint32_t task) {
  const std::uint64_t id = r.tasks.id[task];
  if (row_of_id(r, id) != task) return fmt::format("t{}", task);
  return fmt::format("r{}t{}", runtime::ring_of(id), runtime::local_of(id));
}

std::string short_id(std::uint64_t id) {
  const std::uint32_t ring = runtime::ring_of(id);
  return ring == 0 ? fmt::format("t{}", runtime::local_of(id)) : fmt::format("r{}t{}", ring, runtime::local_of(id));
}

std::string task_text(const Recording& r, std::uint32_t task) {
  std::string out = task_row_name(r, task);
  const std::string_view callee = r.text(r.tasks.callee[task]);
  if (!callee.empty()) return fmt::format("{} {}", out, callee);
  switch (static_cast<runtime::TaskKind>(r.tasks.kind[task])) {
    case runtime::TaskKind::Alloc: return out + " alloc";
    case runtime::TaskKind::Dummy: return out + " dummy";
    case runtime::TaskKind::Kernel: break;
  }
  return out;
}

std::string task_finding_name(const Recording& r, std::uint32_t task) { return TaskNames(r).text(task); }

std::uint32_t task_row_of_any_name(const Recording& r, std::string_view text) {
  const TaskNames names(r);
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    if (names.text(task) == text) return task;
  }
  try {
    return task_row(r, text);
  } catch (const QueryError&) {
    throw UnknownName(
        fmt::format("'{}' names no task: write fill#3 for the fourth task of fill, or t5 for the tasks row 5", text));
  }
}

std::uint32_t tensor_row(const Recording& r, std::string_view text) {
  std::uint32_t number = 0;
  if (parse_number(text, kNoRow - 1, number)) {
    if (number < r.tensors.rows()) return number;
    throw QueryError(fmt::format("there is no tensor {}: {}", number, rows_text(r.tensors.rows(), "tensors rows")));
  }
  std::vector<std::uint32_t> rows;
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < r.tensors.rows() && !text.empty(); ++t) {
    if (r.text(r.tensors.name[t]) != text) continue;
    if (++count <= kNamed) rows.push_back(t);
  }
  if (count == 1) return rows[0];
  if (count == 0) throw UnknownName(fmt::format("no tensor is called '{}': write its name or its tensors row", text));
  throw QueryError(fmt::format("'{}' is the name of tensors rows {}{}: write the number of one", text, fmt::join(rows, ", "),
                               count > kNamed ? fmt::format(" and {} more", count - kNamed) : ""));
}

std::uint32_t scope_row(const Recording& r, std::string_view text) {
  std::uint32_t number = 0;
  if (parse_number(text, kNoRow - 1, number) && number < r.scopes.rows()) return number;
  throw QueryError(fmt::format("there is no scope '{}': {}", text, rows_text(r.scopes.rows(), "scopes rows")));
}

runtime::EventKind event_kind(std::string_view text) {
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind) {
    if (runtime::event_kind_name(static_cast<runtime::EventKind>(kind)) == text) return static_cast<runtime::EventKind>(kind);
  }
  std::vector<std::string_view> names;
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind)
    names.push_back(runtime::event_kind_name(static_cast<runtime::EventKind>(kind)));
  throw QueryError(fmt::format("there is no event kind '{}' (kinds: {})", text, fmt::join(names, ", ")));
}

}  // namespace depscope::replay
