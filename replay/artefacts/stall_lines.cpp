#include "stall_lines.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "log_fields.h"

namespace depscope::replay {
namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxIndex = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxSlotName = 16;

/// Takes a count, kNotLogged for one that is negative or none.
std::int64_t take_count(std::string_view& text) {
  std::uint64_t value = 0;
  return take_wrapped(text, value) && value <= kMaxCount ? static_cast<std::int64_t>(value) : kNotLogged;
}

}  // namespace

std::int64_t StallLines::number(std::string_view text, std::string_view key) {
  auto found = text_after(text, key);
  const std::string_view before = found.value_or(std::string_view());
  const std::int64_t value = found ? take_count(*found) : kNotLogged;
  torn_ = torn_ || !found || found->size() == before.size();
  return value;
}

/// a/b
std::pair<std::int64_t, std::int64_t> StallLines::part_of_whole(std::string_view text, std::string_view key) {
  auto found = text_after(text, key);
  if (!found) {
    torn_ = true;
    return {kNotLogged, kNotLogged};
  }
  const std::int64_t part = take_count(*found);
  std::int64_t whole = kNotLogged;
  if (found->starts_with('/')) {
    found->remove_prefix(1);
    whole = take_count(*found);
  }
  torn_ = torn_ || part == kNotLogged || whole == kNotLogged;
  return {part, whole};
}

std::uint64_t StallLines::id(std::string_view text, std::string_view key) {
  auto found = text_after(text, key);
  std::uint64_t value = kNoLogTask;
  torn_ = !found || !take_wrapped(*found, value) || torn_;
  return value;
}

void StallLines::device_line(std::string_view text, std::uint32_t line, std::uint64_t mono) {
  line_ = line;
  torn_ = false;
  const std::size_t close = text.find(']');
  const std::string_view head = text.substr(0, close);
  auto thread = text_after(head, "thread="), idle = text_after(head, "idle_iterations=");
  std::uint64_t thread_number = 0, idle_number = 0;
  if (close == std::string_view::npos || !thread || !idle || !take_number(*thread, thread_number) ||
      !take_number(*idle, idle_number) || thread_number > kMaxIndex)
    return out_.torn_stalls.add(line);
  std::string_view rest = text.substr(close + 1);
  const std::string_view category = take_word(rest);
  const bool gives_up = category == "TIMEOUT_EXIT";
  if (!gives_up && category != "SUMMARY" && category != "TASK" && category != "CLUSTER") return;
  thread_ = static_cast<std::uint32_t>(thread_number);
  round_ = round_of(thread_, idle_number, gives_up);
  if (gives_up) {
    timeout(rest, false, mono);
  } else if (category == "SUMMARY") {
    summary(rest);
  } else if (category == "TASK") {
    task(rest);
  } else {
    cluster(rest);
  }
  if (torn_) out_.torn_stalls.add(line);
}

void StallLines::host_line(std::string_view text, std::uint32_t line, std::uint64_t mono) {
  line_ = line;
  torn_ = false;
  timeout(text, true, mono);
  if (torn_) out_.torn_stalls.add(line);
}

/// The iterations of a thread count up during one hang, and a thread gives up once.
std::uint32_t StallLines::round_of(std::uint32_t thread, std::uint64_t idle_iterations, bool gives_up) {
  const auto last = iterations_.find(thread);
  if ((last != iterations_.end() && idle_iterations < last->second) || (gives_up && gave_up_.contains(thread))) {
    ++hang_;
    rounds_.clear();
    iterations_.clear();
    gave_up_.clear();
  }
  iterations_[thread] = idle_iterations;
  if (gives_up) gave_up_.insert(thread);
  auto& r = out_.stall_rounds;
  const auto [at, fresh] = rounds_.try_emplace(idle_iterations, r.rows());
  if (fresh) {
    r.idle_iterations.push_back(idle_iterations);
    r.hang.push_back(hang_);
    r.line.push_back(line_);
  }
  return at->second;
}

void StallLines::summary(std::string_view text) {
  auto& s = out_.stall_summaries;
  const auto [completed, total] = part_of_whole(text, "completed=");
  s.round.push_back(round_);
  s.thread.push_back(thread_);
  s.completed.push_back(completed);
  s.total.push_back(total);
  s.last_progress_iteration.push_back(number(text, "last_progress_iteration="));
  s.ready.push_back(number(text, "scan_ready="));
  s.waiting.push_back(number(text, "scan_waiting="));
  s.running.push_back(number(text, "scan_running="));
  s.line.push_back(line_);
}

void StallLines::task(std::string_view text) {
  auto& t = out_.stall_tasks;
  const auto [done, fanin] = part_of_whole(text, "fanin_refcount=");
  auto state = text_after(text, "state=");
  torn_ = torn_ || !state;
  t.round.push_back(round_);
  t.thread.push_back(thread_);
  t.task.push_back(id(text, "task_id="));
  t.state.push_back(name(state ? take_word(*state) : std::string_view()));
  t.fanin_done.push_back(done);
  t.fanin.push_back(fanin);
  const auto kernels = text_after(text, "kernels=");
  std::array<std::int64_t, 3> functions{kNotLogged, kNotLogged, kNotLogged};
  constexpr std::array<std::string_view, 3> kSlots{"aic:", "aiv0:", "aiv1:"};
  for (std::size_t i = 0; i < kSlots.size() && kernels; ++i)
    functions[i] = number(kernels->substr(0, kernels->find(']')), kSlots[i]);
  t.kernels.push_back(functions);
  // Only one of the two is printed.
  auto missing = text_after(text, "missing_deps=");
  t.missing_deps.push_back(missing ? take_count(*missing) : kNotLogged);
  auto owner = text_after(text, "owner_thread=");
  t.owner_thread.push_back(owner ? take_count(*owner) : kNotLogged);
  std::string_view rest = text;
  for (auto found = text_after(rest, "core="); found; found = text_after(rest, "core=")) {
    rest = *found;
    std::uint64_t number = 0;
    if (!take_number(rest, number) || number > kMaxIndex || !rest.starts_with('(')) continue;
    rest.remove_prefix(1);
    const std::string_view slot = rest.substr(0, kMaxSlotName);
    out_.task_cores.core.push_back(static_cast<std::uint32_t>(number));
    out_.task_cores.slot.push_back(name(slot.substr(0, slot.find_first_of(") ]"))));
  }
  t.first_core.push_back(static_cast<std::uint32_t>(out_.task_cores.core.size()));
  t.line.push_back(line_);
}

/// cluster_id=<n> <slot>=core<n>(<state>) …
void StallLines::cluster(std::string_view text) {
  const std::int64_t cluster = number(text, "cluster_id=");
  constexpr std::string_view kCore = "=core";
  for (std::size_t at = text.find(kCore); at != std::string_view::npos; at = text.find(kCore)) {
    const std::string_view before = text.substr(0, at);
    const std::size_t blank = before.find_last_of(" \t)");
    const std::string_view slot = before.substr(blank == std::string_view::npos ? 0 : blank + 1);
    text.remove_prefix(at + kCore.size());
    const std::size_t open = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::size_t close = text.substr(open).starts_with('(') ? text.find(')', open) : std::string_view::npos;
    if (close == std::string_view::npos) {
      torn_ = true;
      return;
    }
    core(slot, cluster, text.substr(0, open), text.substr(open + 1, close - open - 1));
    text.remove_prefix(close);
  }
}

void StallLines::core(std::string_view slot, std::int64_t cluster, std::string_view number, std::string_view state) {
  auto& c = out_.stall_cores;
  const auto kernel = text_after(state, "kernel=");
  auto task = text_after(state, "task=");
  auto reg = text_after(state, "cond_reg_state=");
  c.anomaly.push_back(state.find("ANOMALY") != std::string_view::npos ? 1 : 0);
  std::string_view first = state;
  c.busy.push_back(take_word(first) == "busy" ? 1 : 0);
  c.round.push_back(round_);
  c.thread.push_back(thread_);
  c.cluster.push_back(cluster);
  std::uint64_t index = 0;
  const bool known = whole_number(number, index) && index <= kMaxCount;
  torn_ = torn_ || !known;
  c.core.push_back(known ? static_cast<std::int64_t>(index) : kNotLogged);
  std::string_view kernel_text = kernel.value_or(std::string_view());
  c.kernel.push_back(take_count(kernel_text));
  c.slot.push_back(name(slot));
  std::uint64_t of = kNoLogTask;
  if (task) (void)take_wrapped(*task, of);
  c.task.push_back(of);
  c.cond_reg_state.push_back(name(reg ? take_word(*reg) : std::string_view()));
  c.line.push_back(line_);
}

void StallLines::timeout(std::string_view text, bool host, std::uint64_t mono) {
  auto& t = out_.timeouts;
  auto sub_class = text_after(text, "sub_class=");
  torn_ = torn_ || !sub_class;
  const auto [completed, total] = part_of_whole(text, "completed=");
  t.host.push_back(host ? 1 : 0);
  t.round.push_back(host ? 0 : round_);
  t.thread.push_back(host ? 0 : thread_);
  t.sub_class.push_back(name(sub_class ? take_word(*sub_class) : std::string_view()));
  t.detail.push_back(host ? number(text, "detail=") : kNotLogged);
  t.completed.push_back(completed);
  t.total.push_back(total);
  t.running.push_back(host ? kNotLogged : number(text, "running="));
  t.ready.push_back(host ? kNotLogged : number(text, "ready="));
  t.waiting.push_back(host ? kNotLogged : number(text, "waiting="));
  t.orch_done.push_back(host ? kNotLogged : number(text, "orch_done="));
  t.stuck_task.push_back(id(text, "stuck_task_id="));
  t.stuck_core.push_back(number(text, "stuck_core="));
  t.mono.push_back(mono);
  t.line.push_back(line_);
}

}  // namespace depscope::replay
