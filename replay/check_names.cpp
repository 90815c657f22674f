#include "check_names.h"

#include <fmt/format.h>

#include "depscope/ir/text.h"
#include "depscope/runtime/submission.h"
#include "json_text.h"

namespace depscope::replay {

using recording::kNoRow;
using runtime::TaskKind;

TaskNames::TaskNames(const recording::Recording& recording, TaskReference reference)
    : r_(recording), reference_(reference), occurrence_(recording.tasks.rows(), 0) {
  const auto& tasks = r_.tasks;
  const std::uint32_t strings = r_.strings.rows();
  std::vector<std::uint32_t> of_callee(strings, 0);
  std::vector<std::uint32_t> of_allocation(strings, 0);
  std::uint32_t dummies = 0;
  for (std::uint32_t t = 0; t < tasks.rows(); ++t) {
    switch (static_cast<TaskKind>(tasks.kind[t])) {
      case TaskKind::Kernel: occurrence_[t] = of_callee[tasks.callee[t]]++; break;
      case TaskKind::Dummy: occurrence_[t] = dummies++; break;
      case TaskKind::Alloc: break;
    }
  }
  first_name_.assign(tasks.rows(), 0);
  for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
    const std::uint32_t task = r_.accesses.task[a];
    if (static_cast<TaskKind>(tasks.kind[task]) != TaskKind::Alloc) continue;
    const std::uint32_t name = r_.tensors.name[r_.accesses.tensor[a]];
    if (name == 0) continue;
    if (first_name_[task] == 0) first_name_[task] = name;
    if (allocations_.find(task, name) == kNoRow) allocations_.find_or_add(task, name, of_allocation[name]++);
  }
}

std::uint32_t TaskNames::allocation_name(std::uint32_t task, std::uint32_t buffer) const {
  return buffer != 0 && allocations_.find(task, buffer) != kNoRow ? buffer : first_name_[task];
}

std::string TaskNames::json(std::uint32_t task, std::uint32_t buffer) const {
  std::string out = fmt::format(R"({{"task":"{}")", r_.tasks.id[task]);
  switch (static_cast<TaskKind>(r_.tasks.kind[task])) {
    case TaskKind::Kernel:
      if (r_.tasks.callee[task] != 0) {
        out += fmt::format(R"(,"callee":{},"occurrence":{})", json_string(r_.text(r_.tasks.callee[task])), occurrence_[task]);
      }
      break;
    case TaskKind::Dummy: out += fmt::format(R"(,"dummy":{})", occurrence_[task]); break;
    case TaskKind::Alloc:
      if (const std::uint32_t name = allocation_name(task, buffer); name != 0) {
        out += fmt::format(R"(,"alloc":{},"occurrence":{})", json_string(ir::source_name(r_.text(name))),
                           allocations_.find(task, name));
      }
      break;
  }
  if (line(task) != 0) out += fmt::format(R"(,"line":{})", line(task));
  return out + "}";
}

std::string TaskNames::reference(std::uint32_t task) const {
  return reference_ == TaskReference::Id ? fmt::format("task {}", r_.tasks.id[task]) : fmt::format("t{}", task);
}

std::string TaskNames::text(std::uint32_t task, std::uint32_t buffer) const {
  switch (static_cast<TaskKind>(r_.tasks.kind[task])) {
    case TaskKind::Kernel:
      if (r_.tasks.callee[task] != 0) return fmt::format("{}#{}", r_.text(r_.tasks.callee[task]), occurrence_[task]);
      break;
    case TaskKind::Dummy: return fmt::format("barrier {}", occurrence_[task]);
    case TaskKind::Alloc:
      if (const std::uint32_t name = allocation_name(task, buffer); name != 0)
        return fmt::format("allocation of {}#{}", ir::source_name(r_.text(name)), allocations_.find(task, name));
      return reference_ == TaskReference::Id ? fmt::format("allocation {}", r_.tasks.id[task])
                                             : fmt::format("allocation t{}", task);
  }
  return reference(task);
}

std::string TaskNames::kernel(std::uint32_t task) const {
  const auto kind = static_cast<TaskKind>(r_.tasks.kind[task]);
  if (kind == TaskKind::Dummy) return "barrier";
  if (kind == TaskKind::Alloc) return "allocation";
  if (r_.tasks.callee[task] != 0) return std::string(r_.text(r_.tasks.callee[task]));
  std::string out;
  for (const std::int32_t id : {r_.tasks.kernel_aic[task], r_.tasks.kernel_aiv0[task], r_.tasks.kernel_aiv1[task]}) {
    if (id >= 0) out += fmt::format("{}{}", out.empty() ? "kernel " : "+", id);
  }
  return out.empty() ? "task" : out;
}

std::uint64_t TaskNames::kernel_key(std::uint32_t task) const {
  const std::uint64_t kind = r_.tasks.kind[task];
  if (r_.tasks.callee[task] != 0) return kind << 62U | std::uint64_t{1} << 61U | r_.tasks.callee[task];
  const auto part = [](std::int32_t id) { return (static_cast<std::uint64_t>(id) + 1) & 0xfffffU; };
  return kind << 62U | part(r_.tasks.kernel_aic[task]) << 40U | part(r_.tasks.kernel_aiv0[task]) << 20U |
         part(r_.tasks.kernel_aiv1[task]);
}

std::uint32_t TaskNames::line(std::uint32_t task) const {
  const std::uint32_t site = r_.tasks.call_site[task];
  return site == kNoRow ? 0 : r_.call_sites.line[site];
}

std::string TaskNames::buffer(std::uint32_t access) const {
  const std::uint32_t tensor = r_.accesses.tensor[access];
  if (r_.tensors.name[tensor] != 0) return std::string(ir::source_name(r_.text(r_.tensors.name[tensor])));
  return fmt::format("addr:{}", r_.tensors.address[tensor]);
}

std::uint64_t TaskNames::buffer_key(std::uint32_t access) const {
  const std::uint32_t tensor = r_.accesses.tensor[access];
  if (r_.tensors.name[tensor] != 0) return std::uint64_t{1} << 63U | r_.tensors.name[tensor];
  return r_.tensors.address[tensor];
}

}  // namespace depscope::replay
