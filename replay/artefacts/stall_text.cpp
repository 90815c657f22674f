#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "../json_text.h"
#include "depscope/replay/artefacts/stall_report.h"
#include "depscope/replay/row_names.h"
#include "note_words.h"

namespace depscope::replay {
namespace {

using runtime::ErrorClass;

constexpr std::int64_t kSchedulerTimeout = 100;
constexpr std::size_t kMostListed = 256;  // tasks and cores in a field of a finding
constexpr std::size_t kMostShown = 64;    // bytes of a word

/// Logs may have any bytes.
std::string shown(std::string_view text) { return printable(text.substr(0, kMostShown)); }

std::string number_json(std::int64_t number) { return number == kNotLogged ? "null" : std::to_string(number); }
std::string task_json(std::uint64_t id) { return id == kNoLogTask ? "null" : fmt::format(R"({{"task":"{}"}})", id); }
std::string number_text(std::int64_t number) { return number == kNotLogged ? "?" : std::to_string(number); }

/// The first pieces, and how many there are beside them.
template <class Text>
std::string listed(const std::vector<std::uint32_t>& rows, const Text& text) {
  std::string out;
  for (std::size_t i = 0; i < rows.size() && i < kMaxStallNames; ++i) out += (i == 0 ? "" : ", ") + text(rows[i]);
  if (rows.size() > kMaxStallNames) out += fmt::format(", and {} more", rows.size() - kMaxStallNames);
  return out;
}

class Hang {
 public:
  Hang(const RunLog& log, const StallReport& report) : log_(log), r_(report) {}

  std::vector<std::string> sentences() const {
    std::vector<std::string> out;
    out.push_back(headline());
    if (r_.timed_out) out.emplace_back(stall_meaning(r_.error_class));
    if (r_.completed != kNotLogged) out.push_back(counts());
    tasks(out, "running", r_.running_tasks);
    tasks(out, "ready, but on no core", r_.ready_tasks);
    tasks(out, "waiting", r_.waiting_tasks);
    tasks(out, "in another state", r_.other_tasks);
    if (!r_.stuck_cores.empty())
      out.push_back("where it is stuck: " + listed(r_.stuck_cores, [this](std::uint32_t row) { return core_text(row); }));
    if (!r_.contradicting_cores.empty())
      out.push_back("cores whose register does not fit what the scheduler has of them: " +
                    listed(r_.contradicting_cores, [this](std::uint32_t row) { return core_text(row); }));
    switch (r_.progress) {
      case StallProgress::None:
        out.push_back(
            fmt::format("no task completed in {} round{}: {} each time", r_.rounds, r_.rounds == 1 ? "" : "s", r_.completed));
        break;
      case StallProgress::Moved:
        out.push_back(fmt::format("{} tasks were done in the first round and {} in the last: something went on meanwhile",
                                  r_.first_completed, r_.completed));
        break;
      case StallProgress::Unknown:
        out.emplace_back("the number of completed tasks was not told twice: whether anything went on meanwhile is not known");
    }
    if (r_.rounds != 0)
      out.emplace_back("the lists of tasks and cores are capped: what is not in them may be there all the same");
    return out;
  }

  StallFinding finding() const {
    StallFinding f;
    const bool deadlock = r_.error_class == ErrorClass::S4;
    f.kind = deadlock ? "deadlock" : "runtime_error";
    f.severity = r_.timed_out ? Severity::Error : Severity::Warning;
    f.line = r_.line;
    f.summary = headline();
    if (r_.timed_out) f.summary += fmt::format("; {}", stall_meaning(r_.error_class));
    if (r_.timed_out) f.summary += fmt::format(" (error {}, scheduler timeout)", kSchedulerTimeout);
    std::string& out = f.fields;
    out = "{";
    if (deadlock)
      out += fmt::format(R"("resource":null,"ring":{},)",
                         r_.stuck_task == kNoLogTask ? "null" : std::to_string(r_.stuck_task >> 32U & 0xffU));
    out += fmt::format(R"("error_code":{},"at":{},"class":"{}","sub_class":{},"detail":{},"core":{})",
                       r_.timed_out ? std::to_string(kSchedulerTimeout) : "null", task_json(r_.stuck_task),
                       runtime::error_class_name(r_.error_class), json_string(shown(r_.sub_class)), number_json(r_.detail),
                       number_json(r_.stuck_core));
    out += fmt::format(R"(,"completed":{},"total":{},"running":{},"ready":{},"waiting":{})", number_json(r_.completed),
                       number_json(r_.total), number_json(r_.running), number_json(r_.ready), number_json(r_.waiting));
    const char* done = r_.orch_done == kNotLogged ? "null" : (r_.orch_done != 0 ? "true" : "false");
    constexpr std::array<const char*, 3> kProgress{"unknown", "none", "moved"};
    out += fmt::format(R"(,"orchestrator_done":{},"progress":"{}","rounds":{},"idle_iterations":{})", done,
                       kProgress[static_cast<std::size_t>(r_.progress)], r_.rounds, r_.idle_iterations);
    task_list(out, "running_tasks", r_.running_tasks);
    task_list(out, "ready_tasks", r_.ready_tasks);
    task_list(out, "waiting_tasks", r_.waiting_tasks);
    core_list(out, "contradicting_cores", r_.contradicting_cores);
    out += R"(,"lists_capped":true})";
    return f;
  }

 private:
  [[nodiscard]] std::string headline() const {
    const std::string where = r_.stuck_core == kNotLogged ? std::string() : fmt::format(" on core {}", r_.stuck_core);
    const std::string what = r_.stuck_task == kNoLogTask
                                 ? std::string()
                                 : fmt::format(", stuck at task {} ({}){}", short_id(r_.stuck_task), r_.stuck_task, where);
    if (!r_.timed_out)
      return fmt::format("threads found nothing to do for {} iterations, but the log does not say that they gave up",
                         r_.idle_iterations);
    const std::string name = r_.sub_class.empty() ? std::string("no class") : shown(r_.sub_class);
    return fmt::format("the run made no progress and was given up: {}{}", name, what);
  }

  [[nodiscard]] std::string counts() const {
    std::string out = fmt::format("{} of {} tasks were done", r_.completed, number_text(r_.total));
    if (r_.running != kNotLogged || r_.ready != kNotLogged || r_.waiting != kNotLogged)
      out += fmt::format("; {} ran, {} were ready, {} waited", number_text(r_.running), number_text(r_.ready),
                         number_text(r_.waiting));
    if (r_.orch_done != kNotLogged)
      out += r_.orch_done != 0 ? "; the orchestrator had submitted everything" : "; the orchestrator had not finished";
    return out;
  }

  void tasks(std::vector<std::string>& out, std::string_view what, const std::vector<std::uint32_t>& rows) const {
    if (!rows.empty()) out.push_back(fmt::format("{}: {}", what, listed(rows, [this](std::uint32_t row) { return told(row); })));
  }
  [[nodiscard]] std::string told(std::uint32_t row) const {
    const auto& t = log_.stall_tasks;
    std::string out = t.task[row] == kNoLogTask ? std::string("a task without id") : short_id(t.task[row]);
    if (t.fanin[row] != kNotLogged)
      out += fmt::format(" with {} of {} dependencies met", number_text(t.fanin_done[row]), t.fanin[row]);
    if (t.missing_deps[row] != kNotLogged) out += fmt::format(", {} missing", t.missing_deps[row]);
    const std::uint32_t begin = t.first_core[row], end = t.first_core[row + 1];
    for (std::uint32_t i = begin; i < end && i - begin < kMaxStallNames; ++i)
      out += fmt::format("{}{} ({})", i == begin ? " on core " : " and ", log_.task_cores.core[i],
                         shown(log_.text(log_.task_cores.slot[i])));
    return out;
  }
  [[nodiscard]] std::string core_text(std::uint32_t row) const {
    const auto& c = log_.stall_cores;
    std::string out = fmt::format("core {} ({}) is {}", number_text(c.core[row]), shown(log_.text(c.slot[row])),
                                  c.busy[row] != 0 ? "busy" : "idle");
    if (c.task[row] != kNoLogTask) out += fmt::format(" with {}", short_id(c.task[row]));
    if (c.cond_reg_state[row] != 0) out += fmt::format(", and its register says \"{}\"", shown(log_.text(c.cond_reg_state[row])));
    return out;
  }

  void task_list(std::string& out, std::string_view key, const std::vector<std::uint32_t>& rows) const {
    const auto& t = log_.stall_tasks;
    out += fmt::format(R"(,"{}":[)", key);
    for (std::size_t i = 0; i < rows.size() && i < kMostListed; ++i) {
      const std::uint32_t row = rows[i];
      out += fmt::format(R"({}{{"task":{},"fanin_done":{},"fanin":{},"missing":{},"cores":[)", i == 0 ? "" : ",",
                         t.task[row] == kNoLogTask ? "null" : fmt::format("\"{}\"", t.task[row]), number_json(t.fanin_done[row]),
                         number_json(t.fanin[row]), number_json(t.missing_deps[row]));
      const std::uint32_t begin = t.first_core[row], end = t.first_core[row + 1];
      for (std::uint32_t core = begin; core < end && core - begin < kMostListed; ++core)
        out += fmt::format("{}{}", core == begin ? "" : ",", log_.task_cores.core[core]);
      out += "]}";
    }
    out += "]";
    if (rows.size() > kMostListed) out += fmt::format(R"(,"{}_left_out":{})", key, rows.size() - kMostListed);
  }
  void core_list(std::string& out, std::string_view key, const std::vector<std::uint32_t>& rows) const {
    const auto& c = log_.stall_cores;
    out += fmt::format(R"(,"{}":[)", key);
    for (std::size_t i = 0; i < rows.size() && i < kMostListed; ++i) {
      const std::uint32_t row = rows[i];
      out += fmt::format(R"({}{{"core":{},"slot":{},"busy":{},"task":{},"register":{}}})", i == 0 ? "" : ",",
                         number_json(c.core[row]), json_string(shown(log_.text(c.slot[row]))), c.busy[row] != 0,
                         c.task[row] == kNoLogTask ? "null" : fmt::format("\"{}\"", c.task[row]),
                         json_string(shown(log_.text(c.cond_reg_state[row]))));
    }
    out += "]";
    if (rows.size() > kMostListed) out += fmt::format(R"(,"{}_left_out":{})", key, rows.size() - kMostListed);
  }

  const RunLog& log_;
  const StallReport& r_;
};

}  // namespace

std::string_view stall_meaning(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::S1: return "a task has a core and does not end: its kernel hangs, or waits for what never comes";
    case ErrorClass::S3: return "a task has all that it waits for, and no core runs anything: no scheduler starts it";
    case ErrorClass::S4:
      return "nothing runs and nothing is ready: every task that is left waits for another that never completes";
    case ErrorClass::S5: return "no submitted task is left, but the orchestrator has not finished: it is stuck itself";
    case ErrorClass::Unknown:
      return "tasks are missing though none runs, is ready or waits: the counts are wrong, or memory was overwritten";
    default: return "nobody said why";
  }
}

std::vector<std::string> stall_sentences(const RunLog& log, const StallReport& report) { return Hang(log, report).sentences(); }

std::vector<StallFinding> stall_findings(const RunLog& log, const std::vector<StallReport>& reports) {
  std::vector<StallFinding> out;
  for (const StallReport& report : reports) out.push_back(Hang(log, report).finding());
  return out;
}

}  // namespace depscope::replay
