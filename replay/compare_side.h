// One side of a comparison: a recording, what it can know, and the indices that the comparison needs. Private.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

/// What a recording can tell. Imported ones say in their options what they had to assume.
struct Knowledge {
  bool imported = false;        ///< from a deps.json
  std::string version;          ///< of that file
  bool program = false;         ///< passes and call sites
  bool tasks = false;           ///< it was executed
  bool task_list = true;        ///< false: tasks are known from edges only
  bool kernel_names = false;    ///< callees
  bool kernel_ids = true;       ///<
  bool allocations = false;     ///< every explicit allocation has a row
  bool all_discoveries = true;  ///< false: only those that the runtime's own replay prints
  bool origins = true;          ///< user, compiler and fence edges are told apart
  bool sources = true;          ///< explicit, creator and tensormap are told apart
  bool flags = true;            ///< false: assumed by source
  bool explicit_retain = true;  ///< false: explicit dependencies always say RETAIN
  bool final_flags = true;      ///< after reduction
  bool scope_mode = true;       ///< auto or manual, by task
  bool block_num = true;        ///<
  bool early_dispatch = true;   ///<
  bool geometry = true;         ///< shapes and offsets of arguments
  bool strides = true;          ///<
  bool events = false;          ///< a run of the model
  bool all_events = false;      ///< not only a summary
};
[[nodiscard]] Knowledge knowledge_of(const recording::Recording& recording);

/// What a task runs.
struct Kernel {
  runtime::TaskKind kind = runtime::TaskKind::Kernel;
  std::uint32_t callee = 0;  ///< string of the recording
  std::array<std::int32_t, 3> ids{-1, -1, -1};
  bool operator==(const Kernel&) const = default;
};

struct Side {
  Side(const recording::Recording& recording, char letter);

  const recording::Recording& r;
  char letter;
  Knowledge known;
  std::vector<Kernel> kernels;              ///< distinct ones in order of first task
  std::vector<std::uint32_t> kernel;        ///< by task
  std::vector<std::uint32_t> occurrence;    ///< by task: earlier tasks of the same kernel
  std::vector<std::uint32_t> edge_begin;    ///< by consumer; one more at the end
  std::vector<std::uint32_t> access_begin;  ///< by task; one more at the end

  [[nodiscard]] std::uint32_t tasks() const { return r.tasks.rows(); }
  [[nodiscard]] runtime::TaskKind kind(std::uint32_t task) const { return static_cast<runtime::TaskKind>(r.tasks.kind[task]); }
  [[nodiscard]] bool is_alloc(std::uint32_t task) const { return kind(task) == runtime::TaskKind::Alloc; }
  /// "fill", "(allocation)", "(barrier)", "kernel 3/-1/-1".
  [[nodiscard]] std::string kernel_label(const Kernel& kernel) const;
};

}  // namespace depscope::replay
