#include "depscope/replay/artefacts/stall_report.h"

#include <algorithm>
#include <map>
#include <utility>

namespace depscope::replay {
namespace {

using runtime::ErrorClass;

ErrorClass class_of(std::string_view sub_class) {
  if (sub_class.starts_with("S1")) return ErrorClass::S1;
  if (sub_class.starts_with("S3")) return ErrorClass::S3;
  if (sub_class.starts_with("S4")) return ErrorClass::S4;
  if (sub_class.starts_with("S5")) return ErrorClass::S5;
  return sub_class.empty() || sub_class == "none" ? ErrorClass::None : ErrorClass::Unknown;
}

void keep(std::int64_t& value, std::int64_t told) {
  if (told != kNotLogged) value = told;
}

class Reports {
 public:
  explicit Reports(const RunLog& log) : log_(log) {}

  std::vector<StallReport> build() {
    const auto& r = log_.stall_rounds;
    for (std::uint32_t round = 0; round < r.rows(); ++round) {
      if (r.hang[round] >= out_.size()) {
        out_.resize(std::size_t{r.hang[round]} + 1);
        out_.back().line = r.line[round];
      }
      StallReport& of = out_[r.hang[round]];
      ++of.rounds;
      of.idle_iterations = std::max(of.idle_iterations, r.idle_iterations[round]);
    }
    counts();
    tasks();
    const auto& t = log_.timeouts;
    for (std::uint32_t row = 0; row < t.rows(); ++row) {
      if (t.host[row] == 0) timeout(out_[r.hang[t.round[row]]], row);
    }
    hosts();
    cores();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t hang(std::uint32_t round) const { return log_.stall_rounds.hang[round]; }

  /// Summaries and ends in the order of the log.
  void counts() {
    struct Told {
      std::uint32_t line = 0, hang = 0;
      std::int64_t completed = kNotLogged, total = kNotLogged, running = kNotLogged, ready = kNotLogged, waiting = kNotLogged;
    };
    std::vector<Told> all;
    const auto& s = log_.stall_summaries;
    for (std::uint32_t row = 0; row < s.rows(); ++row)
      all.push_back(
          {s.line[row], hang(s.round[row]), s.completed[row], s.total[row], s.running[row], s.ready[row], s.waiting[row]});
    const auto& t = log_.timeouts;
    for (std::uint32_t row = 0; row < t.rows(); ++row) {
      if (t.host[row] != 0) continue;
      all.push_back(
          {t.line[row], hang(t.round[row]), t.completed[row], t.total[row], t.running[row], t.ready[row], t.waiting[row]});
    }
    std::stable_sort(all.begin(), all.end(), [](const Told& a, const Told& b) { return a.line < b.line; });
    for (const Told& told : all) {
      StallReport& of = out_[told.hang];
      if (told.completed != kNotLogged && of.first_completed == kNotLogged) {
        of.first_completed = told.completed;
      } else if (told.completed != kNotLogged) {
        const bool moved = of.progress == StallProgress::Moved || told.completed != of.first_completed;
        of.progress = moved ? StallProgress::Moved : StallProgress::None;
      }
      keep(of.completed, told.completed);
      keep(of.total, told.total);
      keep(of.running, told.running);
      keep(of.ready, told.ready);
      keep(of.waiting, told.waiting);
    }
  }

  void tasks() {
    const auto& t = log_.stall_tasks;
    std::vector<std::uint32_t> last_round(out_.size());  // with tasks, by hang
    for (const std::uint32_t round : t.round) last_round[hang(round)] = std::max(last_round[hang(round)], round);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> last;  // by hang and task
    for (std::uint32_t row = 0; row < t.rows(); ++row) {
      const std::uint32_t of = hang(t.round[row]);
      // Where tasks completed, those of an earlier round may be among them.
      if (out_[of].progress != StallProgress::Moved || t.round[row] == last_round[of]) last[{of, t.task[row]}] = row;
    }
    for (std::uint32_t row = 0; row < t.rows(); ++row) {
      const auto at = last.find({hang(t.round[row]), t.task[row]});
      if (at == last.end()) continue;  // has been told of
      StallReport& of = out_[hang(t.round[row])];
      const std::string_view state = log_.text(t.state[at->second]);
      auto& list = state == "RUNNING" ? of.running_tasks
                   : state == "READY" ? of.ready_tasks
                   : state == "WAIT"  ? of.waiting_tasks
                                      : of.other_tasks;
      list.push_back(at->second);
      last.erase(at);
    }
  }

  void timeout(StallReport& of, std::uint32_t row) {
    const auto& t = log_.timeouts;
    const std::string_view sub_class = log_.text(t.sub_class[row]);
    // Of several threads that give up the first one tells most: it found the state as it was.
    if (!of.timed_out) of.line = t.line[row];
    of.timed_out = true;
    if (of.sub_class.empty() || of.error_class == ErrorClass::None) {
      of.sub_class = sub_class;
      of.error_class = class_of(sub_class);
    }
    if (of.stuck_task == kNoLogTask) of.stuck_task = t.stuck_task[row];
    if (of.stuck_core == kNotLogged) of.stuck_core = t.stuck_core[row];
    keep(of.detail, t.detail[row]);
    keep(of.orch_done, t.orch_done[row]);
  }

  /// What a host's line is about: the hang of that class and task; else one that no thread says the end of, with the same number
  /// of completed tasks; else one of its own.
  void hosts() {
    const auto& t = log_.timeouts;
    std::map<std::pair<ErrorClass, std::uint64_t>, std::size_t> known;
    std::size_t open = out_.size();
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i].timed_out) {
        known.try_emplace({out_[i].error_class, out_[i].stuck_task}, i);
      } else {
        open = i;
      }
    }
    for (std::uint32_t row = 0; row < t.rows(); ++row) {
      if (t.host[row] == 0) continue;
      const std::pair key(class_of(log_.text(t.sub_class[row])), t.stuck_task[row]);
      auto at = known.find(key);
      if (at == known.end()) {
        const bool of_open = open < out_.size() && !out_[open].timed_out && out_[open].completed == t.completed[row];
        if (!of_open) out_.emplace_back();
        at = known.emplace(key, of_open ? open : out_.size() - 1).first;
      }
      StallReport& of = out_[at->second];
      timeout(of, row);
      if (of.completed == kNotLogged) of.completed = t.completed[row];
      if (of.total == kNotLogged) of.total = t.total[row];
    }
  }

  void cores() {
    const auto& c = log_.stall_cores;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> last;  // by hang and core
    for (std::uint32_t row = 0; row < c.rows(); ++row) last[{hang(c.round[row]), c.core[row]}] = row;
    for (const auto& [key, row] : last) {
      StallReport& of = out_[key.first];
      const bool its_core = c.core[row] != kNotLogged && c.core[row] == of.stuck_core;
      const bool its_task = c.task[row] != kNoLogTask && c.task[row] == of.stuck_task;
      if (its_core || its_task) of.stuck_cores.push_back(row);
      if (c.anomaly[row] != 0) of.contradicting_cores.push_back(row);
    }
  }

  const RunLog& log_;
  std::vector<StallReport> out_;
};

}  // namespace

std::vector<StallReport> stall_reports(const RunLog& log) { return Reports(log).build(); }

}  // namespace depscope::replay
