// merged_swimlane*.json, the trace that the tool chain makes of a run's timing (artefacts.md 5): read where the timing itself is
// not there.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "../salvage.h"
#include "depscope/base/json_reader.h"
#include "depscope/replay/artefacts/swimlane.h"

namespace depscope::replay {
namespace {

constexpr std::int64_t kOrchestrator = 1, kScheduler = 2, kSchedulerView = 3, kWorkerView = 4;  // pid
constexpr std::int64_t kFirstCore = 10000, kFirstAicpu = 19000, kFirstThread = 30000;           // tid
constexpr std::int64_t kMaxCores = 900, kMaxThreads = 64;
constexpr std::size_t kMaxKinds = 1000;

/// What is used of one event.
struct TraceEvent {
  bool slice = false, name = false;  // ph X; M with a thread's name
  std::int64_t pid = -1, tid = -1;
  std::uint64_t begin = 0, duration = 0, setup = 0;  // nanoseconds
  std::uint64_t task = kNoTaskId;
  std::string phase, thread_name;
  std::uint32_t loop_iter = 0, processed = 0, submit_idx = 0;
};

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source), reader_(source) {}

  Swimlane read(bool salvage) {
    out_.cut = read_or_cut(source_, salvage, [this] { document(); });
    finish();
    return std::move(out_);
  }

 private:
  void document() {
    std::string_view key;
    bool events = false;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key != "traceEvents" || events) {
        reader_.skip();
        continue;
      }
      events = true;
      reader_.begin_array();
      while (reader_.next_element()) take(event());
    }
    reader_.end();
    if (!events) reader_.fail_value("key \"traceEvents\" is missing: not a trace");
  }

  std::uint64_t nanoseconds() { return static_cast<std::uint64_t>(std::max<std::int64_t>(reader_.thousandths(), 0)); }

  TraceEvent event() {
    TraceEvent out;
    std::string_view key;
    std::string name;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "ph") {
        const std::string_view kind = reader_.string();
        out.slice = kind == "X";
        out.name = kind == "M";
      } else if (key == "pid") {
        out.pid = reader_.integer(INT32_MIN, INT32_MAX);
      } else if (key == "tid") {
        out.tid = reader_.integer(INT32_MIN, INT32_MAX);
      } else if (key == "ts") {
        out.begin = nanoseconds();
      } else if (key == "dur") {
        out.duration = nanoseconds();
      } else if (key == "name" && reader_.is_string()) {
        name = reader_.string();
      } else if (key == "args" && reader_.is_object()) {
        arguments(out);
      } else {
        reader_.skip();
      }
    }
    out.name = out.name && name == "thread_name";
    return out;
  }

  void arguments(TraceEvent& out) {
    std::string_view key;
    reader_.begin_object();
    while (reader_.next_key(key)) {
      if (key == "taskId" || key == "task_id") {
        if (!reader_.wide_integer(out.task)) out.task = kNoTaskId;
      } else if (key == "local_setup_us") {
        out.setup = nanoseconds();
      } else if (key == "phase" && reader_.is_string()) {
        out.phase = reader_.string();
      } else if (key == "name" && reader_.is_string()) {
        out.thread_name = reader_.string();
      } else if (key == "loop_iter") {
        out.loop_iter = static_cast<std::uint32_t>(reader_.integer(0, UINT32_MAX));
      } else if (key == "tasks_processed") {
        out.processed = static_cast<std::uint32_t>(reader_.integer(0, UINT32_MAX));
      } else if (key == "submit_idx") {
        out.submit_idx = static_cast<std::uint32_t>(reader_.integer(0, UINT32_MAX));
      } else {
        reader_.skip();
      }
    }
  }

  void take(const TraceEvent& e) {
    if (e.name) {
      if (on_core(e) && e.thread_name.starts_with("AIC_")) type_of(core(e)) = 0;
      return;
    }
    if (!e.slice) return;
    const std::uint64_t end = e.begin + e.duration;
    if (e.pid == kWorkerView && on_core(e) && e.task != kNoTaskId) {
      auto& a = out_.aicore;
      rows_[{e.task, core(e)}].push_back(a.rows());
      a.core.push_back(core(e));
      a.token.push_back(a.rows());
      a.task.push_back(e.task);
      a.receive.push_back(e.begin);
      a.start.push_back(std::min(e.begin + e.setup, end));
      a.end.push_back(end);
      type_of(core(e));
    } else if (e.pid == kWorkerView && e.tid >= kFirstAicpu && e.tid < kFirstAicpu + kMaxThreads && !e.phase.empty()) {
      if (e.phase != "alloc") phase(static_cast<std::uint32_t>(e.tid - kFirstAicpu), e, end);
    } else if (e.pid == kSchedulerView && on_core(e) && e.task != kNoTaskId) {
      scheduled_[{e.task, core(e)}].emplace_back(e.begin, end);
    } else if (e.pid == kScheduler && e.tid >= kFirstThread && e.tid < kFirstThread + 10 * kMaxThreads && !e.phase.empty()) {
      phase(static_cast<std::uint32_t>((e.tid - kFirstThread) / 10), e, end);
    } else if (e.pid == kOrchestrator && e.phase == "orch_submit" && e.task != kNoTaskId) {
      out_.orchestrator.submit_idx.push_back(e.submit_idx);
      out_.orchestrator.task.push_back(e.task);
      out_.orchestrator.start.push_back(e.begin);
      out_.orchestrator.end.push_back(end);
    }
  }

  static bool on_core(const TraceEvent& e) {
    return (e.pid == kWorkerView || e.pid == kSchedulerView) && e.tid >= kFirstCore && e.tid < kFirstCore + 10 * kMaxCores;
  }
  static std::uint32_t core(const TraceEvent& e) { return static_cast<std::uint32_t>((e.tid - kFirstCore) / 10); }
  std::uint8_t& type_of(std::uint32_t core) {
    if (out_.core_types.size() <= core) out_.core_types.resize(core + std::size_t{1}, 1);
    return out_.core_types[core];
  }

  void phase(std::uint32_t thread, const TraceEvent& e, std::uint64_t end) {
    auto& s = out_.scheduler;
    const auto found = std::find(out_.kind_names.begin(), out_.kind_names.end(), e.phase);
    if (found == out_.kind_names.end() && out_.kind_names.size() == kMaxKinds)
      reader_.fail_value(fmt::format("more than {} kinds of phases", kMaxKinds));
    s.kind.push_back(static_cast<std::uint32_t>(found - out_.kind_names.begin()));
    if (found == out_.kind_names.end()) out_.kind_names.push_back(e.phase);
    s.thread.push_back(thread);
    s.start.push_back(e.begin);
    s.end.push_back(end);
    s.loop_iter.push_back(e.loop_iter);
    s.tasks_processed.push_back(e.processed);
    s.pop_hit.push_back(0);
    s.pop_miss.push_back(0);
    s.task.push_back(e.task);
  }

  /// Rows of both views belong together by task and core, in their order.
  void finish() {
    out_.shape = SwimlaneShape::Merged;
    out_.clock_freq_hz = 1'000'000'000;
    const std::size_t count = out_.aicore.rows();
    out_.aicpu.core = out_.aicore.core;
    out_.aicpu.token = out_.aicore.token;
    out_.aicpu.dispatch.assign(count, 0);
    out_.aicpu.finish.assign(count, 0);
    bool any = false;
    for (const auto& [key, rows] : rows_) {
      const auto at = scheduled_.find(key);
      if (at == scheduled_.end()) continue;
      for (std::size_t i = 0; i < rows.size() && i < at->second.size(); ++i) {
        out_.aicpu.dispatch[rows[i]] = at->second[i].first;
        out_.aicpu.finish[rows[i]] = at->second[i].second;
        any = true;
      }
    }
    out_.level = out_.orchestrator.rows() != 0 ? 4 : (out_.scheduler.rows() != 0 ? 3 : (any ? 2 : 1));
  }

  using Key = std::pair<std::uint64_t, std::uint32_t>;  // task, core
  const SourceFile& source_;
  JsonReader reader_;
  Swimlane out_;
  std::map<Key, std::vector<std::uint32_t>> rows_;
  std::map<Key, std::vector<std::pair<std::uint64_t, std::uint64_t>>> scheduled_;
};

}  // namespace

Swimlane read_merged_trace(const SourceFile& source, const SwimlaneReadOptions& options) {
  return Reader(source).read(options.salvage);
}

}  // namespace depscope::replay
