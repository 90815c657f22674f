#include <algorithm>

#include "depscope/base/growing_table.h"
#include "depscope/recording/recorder.h"

namespace depscope::recording {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32U);
}

/// Row numbers found by hash; the caller compares. Open addressing, grows by itself.
class RowTable {
 public:
  /// The row for which same(row) holds among those stored under this hash; else stores and returns `row_if_new`.
  template <class Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t row_if_new, Same&& same) {
    if ((used_ + 1) * 2 > cells_.size()) grow();
    const std::size_t mask = cells_.size() - 1;
    const auto part = static_cast<std::uint32_t>(hash);
    std::size_t at = part & mask;
    for (; cells_[at].row != kNoRow; at = (at + 1) & mask) {
      if (cells_[at].hash == part && same(cells_[at].row)) return cells_[at].row;
    }
    cells_[at] = {part, row_if_new};
    ++used_;
    return row_if_new;
  }

 private:
  struct Cell {
    std::uint32_t hash = 0;  // of 64 bits the lower half: rows are no more
    std::uint32_t row = kNoRow;
  };

  void grow() {
    GrowingTable<Cell> old;
    old.resize(cells_.empty() ? 256 : cells_.size() * 2);
    old.swap(cells_);
    const std::size_t mask = cells_.size() - 1;
    for (const Cell& cell : old) {
      if (cell.row == kNoRow) continue;
      std::size_t at = cell.hash & mask;
      while (cells_[at].row != kNoRow) at = (at + 1) & mask;
      cells_[at] = cell;
    }
  }

  GrowingTable<Cell> cells_;
  std::size_t used_ = 0;
};

}  // namespace

struct RuntimeRecorder::State {
  explicit State(Recording& target) : recording(target) { identities.resize(target.tensors.rows()); }

  std::uint32_t tensor_row(const runtime::AccessRow& row);
  std::uint32_t geometry(const runtime::TensorDescriptor& tensor);

  /// What makes a tensors row, in one place: looked at for every access.
  struct Identity {
    std::uint64_t address = 0, owner = 0;
    std::int32_t version = 0;
    std::uint8_t dtype = 0;
    bool manual_dep = false;
    bool operator==(const Identity&) const = default;
  };

  Recording& recording;
  RowTable tensors;                   // tensors rows by identity
  GrowingTable<Identity> identities;  // by tensors row
  RowTable geometries;                // pool runs by contents
  std::vector<std::uint32_t> words;
  std::uint32_t first_access = 0;  // of the task whose rows came last
  std::vector<runtime::RunFinding> found;
};

/// The tensors row of an access: one per (address, version, owner, dtype, manual_dep).
std::uint32_t RuntimeRecorder::State::tensor_row(const runtime::AccessRow& row) {
  const runtime::TensorDescriptor& t = row.tensor;
  TensorsTable& table = recording.tensors;
  std::uint64_t hash = mix(0, t.address);
  hash = mix(hash, t.owner);
  hash = mix(hash, static_cast<std::uint32_t>(t.version) | std::uint64_t{static_cast<std::uint8_t>(t.dtype)} << 32U |
                       std::uint64_t{t.manual_dep} << 40U);
  const std::uint32_t next = table.rows();
  const Identity identity{t.address, t.owner, t.version, static_cast<std::uint8_t>(t.dtype), t.manual_dep};
  const std::uint32_t found = tensors.find_or_add(hash, next, [&](std::uint32_t r) { return identities[r] == identity; });
  if (found != next) return found;
  identities.push_back(identity);
  table.name.push_back(row.name);
  table.address.push_back(t.address);
  table.buffer_elements.push_back(t.buffer_elements);
  table.owner.push_back(t.owner);
  table.version.push_back(t.version);
  table.dtype.push_back(static_cast<std::uint8_t>(t.dtype));
  table.manual_dep.push_back(t.manual_dep ? 1 : 0);
  return next;
}

/// Begin of a pool run with shape and strides; equal geometry shares one run.
std::uint32_t RuntimeRecorder::State::geometry(const runtime::TensorDescriptor& t) {
  words.clear();
  for (std::uint32_t i = 0; i < t.rank; ++i) words.push_back(t.shape[i]);
  for (std::uint32_t i = 0; i < t.rank; ++i) {
    words.push_back(static_cast<std::uint32_t>(t.strides[i]));
    words.push_back(static_cast<std::uint32_t>(t.strides[i] >> 32U));
  }
  std::uint64_t hash = mix(0, words.size());
  for (const std::uint32_t word : words) hash = mix(hash, word);
  std::vector<std::uint32_t>& pool = recording.pool;
  const auto next = static_cast<std::uint32_t>(pool.size());
  const std::uint32_t found = geometries.find_or_add(hash, next, [&](std::uint32_t begin) {
    if (pool.size() - begin < words.size()) return false;
    return std::equal(words.begin(), words.end(), pool.begin() + begin);
  });
  if (found == next) pool.insert(pool.end(), words.begin(), words.end());
  return found;
}

RuntimeRecorder::RuntimeRecorder(Recording& recording) : state_(std::make_unique<State>(recording)) {}

RuntimeRecorder::~RuntimeRecorder() = default;

void RuntimeRecorder::task(const runtime::TaskRow& row, const std::vector<std::uint32_t>& iteration) {
  TasksTable& t = state_->recording.tasks;
  std::vector<std::uint32_t>& pool = state_->recording.pool;
  t.id.push_back(row.id);
  t.kind.push_back(static_cast<std::uint8_t>(row.kind));
  t.callee.push_back(row.callee);
  t.call_site.push_back(row.call_site);
  t.scope.push_back(row.scope);
  t.flags.push_back(
      static_cast<std::uint8_t>((row.manual_scope ? 1U : 0U) | (row.early_dispatch ? 2U : 0U) | (row.sync_start ? 4U : 0U)));
  t.kernel_aic.push_back(row.kernel_ids[0]);
  t.kernel_aiv0.push_back(row.kernel_ids[1]);
  t.kernel_aiv1.push_back(row.kernel_ids[2]);
  t.block_num.push_back(row.block_num);
  t.slot.push_back(row.slot);
  t.heap_begin.push_back(row.heap_begin);
  t.heap_end.push_back(row.heap_end);
  t.iteration_begin.push_back(iteration.empty() ? 0 : static_cast<std::uint32_t>(pool.size()));
  t.iteration_begin_count.push_back(static_cast<std::uint32_t>(iteration.size()));
  pool.insert(pool.end(), iteration.begin(), iteration.end());
}

void RuntimeRecorder::access(const runtime::AccessRow& row) {
  AccessesTable& t = state_->recording.accesses;
  if (t.rows() == 0 || t.task.back() != row.task) state_->first_access = t.rows();
  t.task.push_back(row.task);
  t.arg.push_back(row.arg);
  t.kind.push_back(static_cast<std::uint8_t>(row.kind));
  t.tensor.push_back(state_->tensor_row(row));
  t.start_offset.push_back(row.tensor.start_offset);
  t.geometry_begin.push_back(row.tensor.rank == 0 ? 0 : state_->geometry(row.tensor));
  t.geometry_begin_count.push_back(row.tensor.rank * 3U);
}

void RuntimeRecorder::touched(std::uint32_t argument, std::uint8_t mode, std::uint8_t source,
                              const runtime::TensorDescriptor& view) {
  TouchedTable& t = state_->recording.touched;
  t.access.push_back(state_->first_access + argument);
  t.mode.push_back(mode);
  t.source.push_back(source);
  t.start_offset.push_back(view.start_offset);
  t.geometry_begin.push_back(view.rank == 0 ? 0 : state_->geometry(view));
  t.geometry_begin_count.push_back(view.rank * 3U);
}

void RuntimeRecorder::edge(const runtime::EdgeRow& row) {
  EdgesTable& t = state_->recording.edges;
  t.producer.push_back(row.producer);
  t.consumer.push_back(row.consumer);
  t.flags.push_back(row.flags);
  t.flags_final.push_back(row.flags_final);
  t.provenance.push_back(row.provenance);
  t.via.push_back(row.via);
  t.at_add.push_back(static_cast<std::uint8_t>(row.at_add));
  t.at_wiring.push_back(static_cast<std::uint8_t>(row.at_wiring));
}

void RuntimeRecorder::edge_reason(const runtime::EdgeReasonRow& row) {
  EdgeReasonsTable& t = state_->recording.edge_reasons;
  t.edge.push_back(row.edge);
  t.source.push_back(row.source);
  t.arg.push_back(row.arg);
  t.flags.push_back(row.flags);
  t.overlap.push_back(row.overlap);
  t.consumer_access.push_back(row.consumer_access);
  t.producer_access.push_back(row.producer_access);
  t.replay_row.push_back(row.replay_row ? 1 : 0);
}

void RuntimeRecorder::scope(const runtime::ScopeRow& row) {
  ScopesTable& t = state_->recording.scopes;
  t.manual.push_back(row.manual ? 1 : 0);
  t.owner.push_back(row.owner);
  t.depth.push_back(row.depth);
  t.ring.push_back(row.ring);
  t.parent.push_back(row.parent);
}

void RuntimeRecorder::event(const runtime::Event& event) {
  EventsTable& t = state_->recording.events;
  t.kind.push_back(static_cast<std::uint8_t>(event.kind));
  t.actor.push_back(event.actor);
  t.extra.push_back(event.extra);
  t.time.push_back(event.time);
  t.subject.push_back(event.subject);
  t.object.push_back(event.object);
  t.old_value.push_back(event.old_value);
  t.new_value.push_back(event.new_value);
}

void RuntimeRecorder::finding(const runtime::RunFinding& finding) { state_->found.push_back(finding); }

const std::vector<runtime::RunFinding>& RuntimeRecorder::found() const { return state_->found; }

}  // namespace depscope::recording
