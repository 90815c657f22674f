// The tables of a recording, filled from the rows of a deps.json. Private.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/deps_json_reader.h"
#include "depscope/runtime/submission.h"
#include "id_table.h"

namespace depscope::replay {

/// A part of a tensor as the file gives it. Version 2 has offsets by dimension instead of start and strides.
struct DepsGeometry {
  std::uint8_t rank = 0;
  std::array<std::uint32_t, runtime::kMaxRank> shape{};
  std::array<std::uint64_t, runtime::kMaxRank> strides{};
  std::uint64_t start_offset = 0;
  std::uint8_t offset_rank = 0;  ///< not 0: version 2
  std::array<std::uint64_t, runtime::kMaxRank> offsets{};
};

struct DepsArgument {
  std::uint8_t idx = 0;
  runtime::ArgKind kind = runtime::ArgKind::Input;
  std::uint64_t tensor_id = 0;
  runtime::ElementType dtype = runtime::ElementType::Unknown;
  DepsGeometry geometry;
};

struct DepsTask {
  std::uint64_t id = 0;
  bool manual = false;
  bool early_dispatch = false;
  bool kernels_known = false;
  std::array<std::int32_t, 3> kernel_ids{-1, -1, -1};
  std::uint32_t block_num = 1;
  std::vector<DepsArgument> args;
};

struct DepsTensor {
  std::uint64_t id = 0, address = 0, buffer_elements = 0;
  std::int32_t version = 0;
  std::vector<std::uint64_t> raw_shape;  ///< version 2
};

/// One row of `edges`. source 0: not known (version 1).
struct DepsEdge {
  std::uint64_t pred = 0, succ = 0;
  std::int32_t arg = -1;
  std::uint8_t source = 0, flags = 0, overlap = 0;
  std::uint64_t tensor_id = 0;
  bool has_tensor = false;
  bool has_flags = false;  ///< false: `flags` is what the source stands for
  DepsGeometry producer;
};

struct DepsPair {
  std::uint64_t pred = 0, succ = 0;
  std::uint8_t flags = 0, flags_final = 0, provenance = 0;
  std::uint64_t via = runtime::kInvalidTask;
};

class DepsTables {
 public:
  explicit DepsTables(recording::Recording& recording) : r_(recording) {}

  [[nodiscard]] bool has_task(std::uint64_t id) const { return rows_.find(id) != recording::kNoRow; }
  [[nodiscard]] bool has_submission(std::uint64_t id) const { return submissions_.find(id) != recording::kNoRow; }
  void add_task(const DepsTask& task);
  void add_tensor(DepsTensor&& tensor);
  /// Call once, when all tasks and tensors are there and before the first of the next.
  void close_tasks();
  void add_edge(const DepsEdge& edge);
  void add_pair(const DepsPair& pair);
  /// Submission order, with allocations; `callee` may be empty.
  void add_submission(std::uint64_t id, runtime::TaskKind kind, std::string_view callee);
  /// Puts everything in its order. Call once, at the end.
  void finish(DepsHealth& health);

 private:
  struct Pending {  // an edges row to be
    std::uint32_t producer = 0, consumer = 0;
    std::uint8_t flags = 0, flags_final = 0, provenance = 0;
    std::uint32_t via = recording::kNoRow;
    bool whole = false;  // from `pairs`: rows of `edges` add nothing
  };

  std::uint32_t task_row(std::uint64_t id, bool consumer);
  std::uint32_t append_task(std::uint64_t id, runtime::TaskKind kind);
  std::uint32_t tensor_row(std::uint64_t id, runtime::ElementType dtype, std::uint32_t owner);
  std::uint32_t geometry(const DepsGeometry& geometry);
  void place(DepsGeometry& geometry, std::uint64_t tensor_id) const;
  [[nodiscard]] std::uint32_t find_access(std::uint32_t task, std::int32_t arg) const;
  [[nodiscard]] std::uint32_t find_write(std::uint32_t task, std::uint64_t tensor_id, const DepsGeometry& geometry) const;
  [[nodiscard]] std::vector<std::uint32_t> submission_order() const;
  void order_tasks();
  void fill_tasks(DepsHealth& health);
  void order_tensors();
  void edges();

  recording::Recording& r_;
  IdTable rows_;                         // tasks rows by id
  std::vector<std::uint8_t> recorded_;   // by tasks row: 1 `tasks` has it, 2 only `submissions`
  std::vector<std::uint8_t> consumes_;   // by tasks row without record: an edge leads to it
  std::uint32_t records_ = 0;            // tasks rows with record
  std::vector<std::uint32_t> sequence_;  // tasks rows in the order of `submissions`
  IdTable submissions_;                  // the same by id
  std::vector<std::uint32_t> access_begin_;

  IdTable tensors_;                       // tensors rows by id, dtype and owner
  std::vector<std::uint64_t> tensor_id_;  // by tensors row; 0 for buffers that a task creates
  IdTable declared_rows_;                 // declared_ by id
  std::vector<DepsTensor> declared_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> runs_;  // pool runs by hash, only looked up
  std::vector<std::pair<std::uint32_t, DepsGeometry>> unplaced_;        // by accesses row

  std::vector<Pending> pairs_;           // pairs first, then one per row of `edges`
  recording::EdgeReasonsTable reasons_;  // `edge` is an index into pairs_
};

}  // namespace depscope::replay
