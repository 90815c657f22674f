// What the command palette offers for a query: actions by a few of their letters, rows by their number, the tasks of a kernel by
// its name, tensors by theirs, edges by the names of their tasks or by who asked for them. No drawing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/actions.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/groups.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

struct PaletteEntry {
  enum class What : std::uint8_t { Action, Item, Kernel, Nothing };  ///< Nothing: words only
  What what = What::Action;
  std::string text;    ///< of an action its name, of a kernel its name
  std::string detail;  ///< the key, the group, or what it is
  Item item;           ///< Item: to be selected; an event is also where the cursor goes
  Item before = {};    ///< if any, to be selected first: what the item is to be seen together with
};

/// A task as it is asked for: a part of its kernel's name in lower case, its row, or both; the row decides.
struct PaletteTask {
  std::string name;
  std::uint32_t row = kNoRow;
};

class Palette {
 public:
  /// Rows that a kernel or a query lists at most.
  static constexpr std::size_t kMostTasks = 200;
  static constexpr std::size_t kMostRecent = 8;

  // Queries that are questions: "why CONSUMER PRODUCER", "edges compiler CONSUMER PRODUCER"; each word may be missing.
  static constexpr std::string_view kWhy = "why ";
  static constexpr std::string_view kCompilerEdges = "edges compiler ";
  /// The action that is offered where the compiler added no edge because regions fell back.
  static constexpr std::string_view kFallback = "Why did a region fall back?";

  /// Another document, or none. What is known of kernels is looked up at the next query.
  void attach(const Document* document);
  void query(std::string_view text, const Actions& actions);
  [[nodiscard]] const std::vector<PaletteEntry>& entries() const { return entries_; }

  /// An action was run from here: it comes first from now on.
  void ran(const std::string& action);
  [[nodiscard]] const std::vector<std::string>& recent() const { return recent_; }
  void set_recent(std::vector<std::string> names);

 private:
  struct TaskFilter {
    std::uint32_t row = kNoRow;
    std::vector<bool> kernels;
    bool alloc = false, all = false;  // tasks without a kernel
  };

  void find_kernels();
  void find_tensors();
  void add_edges(std::string_view query);  // palette_edges.cpp
  [[nodiscard]] bool fits(const TaskFilter& filter, std::uint32_t task) const;
  std::size_t list_edges(const TaskFilter& consumers, const TaskFilter& producers, std::uint8_t askers, std::string_view note);
  void add_missing_edge(const TaskFilter& consumers, const TaskFilter& producers, bool of_one_producer);
  void add_unasked_edges(std::uint8_t askers, bool of_named_tasks);
  [[nodiscard]] TaskFilter task_filter(const std::vector<PaletteTask>& tasks, std::size_t which) const;
  void add_jump(std::string_view text);
  void add_kernels(std::string_view text);
  void add_tensors(std::string_view text);
  void add_actions(std::string_view text, const Actions& actions);

  const Document* document_ = nullptr;
  bool kernels_known_ = false;
  std::vector<std::string_view> kernels_;  // of tasks that have one, in the order of their first tasks
  std::vector<std::uint32_t> kernel_of_task_;
  Groups tasks_of_kernel_;
  std::vector<std::uint32_t> tensor_names_;  // string ids, in the order of their first tensors
  Groups tensors_of_name_;
  std::vector<PaletteEntry> entries_;
  std::vector<std::string> recent_;  // newest first
};

}  // namespace depscope::viewers
