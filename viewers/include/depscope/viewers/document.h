// The open recording, its cursor, and the indexes that the panels read. Built once when a file is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/task_moments.h"
#include "depscope/viewers/groups.h"

namespace depscope::viewers {

using recording::kNoRow;

class Document {
 public:
  /// Throws replay::FileError when the events contradict themselves.
  Document(recording::Recording recording, std::string path);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Reads and validates a file. Throws replay::FileError. May run on any thread.
  [[nodiscard]] static std::unique_ptr<Document> load(const std::string& path);

  [[nodiscard]] const recording::Recording& recording() const { return recording_; }
  [[nodiscard]] replay::Cursor& cursor() { return cursor_; }
  [[nodiscard]] const replay::Cursor& cursor() const { return cursor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view text(std::uint32_t string_id) const { return recording_.text(string_id); }

  // Rows that point at a row of another table.
  /// When what happened to each task.
  [[nodiscard]] const replay::TaskMoments& moments() const { return moments_; }

  [[nodiscard]] const Groups& tasks_of_scope() const { return tasks_of_scope_; }
  [[nodiscard]] const Groups& tasks_of_call_site() const { return tasks_of_call_site_; }
  [[nodiscard]] const Groups& reasons_of_edge() const { return reasons_of_edge_; }
  [[nodiscard]] const Groups& children_of_scope() const { return children_of_scope_; }
  [[nodiscard]] const Groups& hazards_of_prior() const { return hazards_of_prior_; }
  [[nodiscard]] const Groups& hazards_of_current() const { return hazards_of_current_; }
  [[nodiscard]] const Groups& edges_of_producer() const { return edges_of_producer_; }
  [[nodiscard]] const Groups& accesses_of_tensor() const { return accesses_of_tensor_; }
  /// First row in edges whose consumer is this task, and one past its last.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> edges_of_consumer(std::uint32_t task) const;
  /// First row in accesses of a task and one past its last.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> accesses_of_task(std::uint32_t task) const;
  /// The call_sites row whose line in this pass's text (1-based) is `line`, none if there is none.
  [[nodiscard]] std::uint32_t call_site_at(std::uint32_t pass, std::uint32_t line) const;
  /// 1-based line of a call site in a pass's text, 0 if it is not there.
  [[nodiscard]] std::uint32_t pass_line(std::uint32_t call_site, std::uint32_t pass) const;

  /// Microseconds of a unit of events.time, 0 if that is logical time.
  [[nodiscard]] double unit_us() const { return unit_us_; }
  /// A time of an event: "750", or microseconds: "15.00".
  [[nodiscard]] std::string time_text(std::uint32_t time) const;

  // Names for people; tasks are written as in replay::describe_event.
  [[nodiscard]] std::string task_label(std::uint32_t task) const;       ///< "fill t12"
  [[nodiscard]] std::string edge_label(std::uint32_t edge) const;       ///< "edge 3: load t1 → fill t2"
  [[nodiscard]] std::string scope_label(std::uint32_t scope) const;     ///< "scope 2 AUTO"
  [[nodiscard]] std::string call_site_label(std::uint32_t site) const;  ///< "main call 3 fill"
  [[nodiscard]] std::string pass_label(std::uint32_t pass) const;       ///< "05 Simplify"

 private:
  recording::Recording recording_;
  std::string path_;
  replay::Cursor cursor_;  // refers to recording_
  replay::TaskMoments moments_;
  double unit_us_ = 0;
  Groups tasks_of_scope_, tasks_of_call_site_, reasons_of_edge_, children_of_scope_, hazards_of_prior_, hazards_of_current_,
      edges_of_producer_, accesses_of_tensor_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> sites_by_pass_line_;  // per pass: (line, site), ascending
};

}  // namespace depscope::viewers
