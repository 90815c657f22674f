#include "deps_json_tables.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "depscope/runtime/model.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::ArgKind;
using runtime::ElementType;
using runtime::TaskKind;

constexpr std::uint8_t kSubmitted = 2;         // `submissions` has it, `tasks` does not
constexpr std::uint32_t kNoOwner = 0xffffffU;  // part of a tensor's key; owners are not that many

std::uint32_t tensor_part(ElementType dtype, std::uint32_t owner) {
  return static_cast<std::uint32_t>(dtype) << 24U | (owner & kNoOwner);
}

/// Puts the rows of a table in a new order: row i becomes what row order[i] was.
template <class Table>
void reorder(Table& table, const std::vector<std::uint32_t>& order) {
  Table::columns(table, [&](std::string_view, auto& values, recording::Target) {
    std::decay_t<decltype(values)> out;
    out.reserve(order.size());
    for (const std::uint32_t row : order) out.push_back(values[row]);
    values.swap(out);
  });
}

}  // namespace

std::uint32_t DepsTables::append_task(std::uint64_t id, TaskKind kind) {
  auto& t = r_.tasks;
  const std::uint32_t row = t.rows();
  t.id.push_back(id);
  t.kind.push_back(static_cast<std::uint8_t>(kind));
  t.callee.push_back(0);
  t.call_site.push_back(kNoRow);
  t.scope.push_back(kNoRow);
  t.flags.push_back(0);
  t.kernel_aic.push_back(-1);
  t.kernel_aiv0.push_back(-1);
  t.kernel_aiv1.push_back(-1);
  t.block_num.push_back(1);
  t.slot.push_back(runtime::local_of(id) & (static_cast<std::uint32_t>(runtime::RingLimits{}.task_window) - 1));
  t.heap_begin.push_back(0);
  t.heap_end.push_back(0);
  t.iteration_begin.push_back(0);
  t.iteration_begin_count.push_back(0);
  recorded_.push_back(0);
  consumes_.push_back(0);
  rows_.find_or_add(id, 0, row);
  return row;
}

void DepsTables::add_task(const DepsTask& task) {
  const bool dummy =
      task.kernels_known && std::all_of(task.kernel_ids.begin(), task.kernel_ids.end(), [](auto k) { return k < 0; });
  const std::uint32_t row = append_task(task.id, dummy ? TaskKind::Dummy : TaskKind::Kernel);
  auto& t = r_.tasks;
  recorded_[row] = 1;
  ++records_;
  t.flags[row] = static_cast<std::uint8_t>((task.manual ? 1U : 0U) | (task.early_dispatch ? 2U : 0U));
  t.kernel_aic[row] = task.kernel_ids[0];
  t.kernel_aiv0[row] = task.kernel_ids[1];
  t.kernel_aiv1[row] = task.kernel_ids[2];
  t.block_num[row] = task.block_num;
  auto& a = r_.accesses;
  for (const DepsArgument& arg : task.args) {
    const std::uint32_t access = a.rows();
    const bool created = arg.kind == ArgKind::Output;
    a.task.push_back(row);
    a.arg.push_back(arg.idx);
    a.kind.push_back(static_cast<std::uint8_t>(arg.kind));
    // Of a created buffer nothing is known but who made it.
    a.tensor.push_back(created ? tensor_row(0, ElementType::Unknown, row) : tensor_row(arg.tensor_id, arg.dtype, kNoOwner));
    a.start_offset.push_back(created ? 0 : arg.geometry.start_offset);
    const bool placed = arg.geometry.offset_rank == 0;
    a.geometry_begin.push_back(created || !placed ? 0 : geometry(arg.geometry));
    a.geometry_begin_count.push_back(created ? 0 : arg.geometry.rank * 3U);
    if (!created && !placed) unplaced_.emplace_back(access, arg.geometry);
  }
}

std::uint32_t DepsTables::tensor_row(std::uint64_t id, ElementType dtype, std::uint32_t owner) {
  auto& t = r_.tensors;
  const std::uint32_t next = t.rows();
  const std::uint32_t found = tensors_.find_or_add(id, tensor_part(dtype, owner), next);
  if (found != next) return found;
  t.name.push_back(0);
  t.address.push_back(0);
  t.buffer_elements.push_back(0);
  t.owner.push_back(owner == kNoOwner ? runtime::kInvalidTask : r_.tasks.id[owner]);
  t.version.push_back(0);
  t.dtype.push_back(static_cast<std::uint8_t>(dtype));
  t.manual_dep.push_back(0);
  tensor_id_.push_back(id);
  return next;
}

std::uint32_t DepsTables::geometry(const DepsGeometry& g) {
  if (g.rank == 0) return 0;
  std::array<std::uint32_t, 3 * runtime::kMaxRank> words{};
  const std::size_t count = g.rank * std::size_t{3};
  std::uint64_t hash = count;
  for (std::size_t i = 0; i < g.rank; ++i) {
    words[i] = g.shape[i];
    words[g.rank + 2 * i] = static_cast<std::uint32_t>(g.strides[i]);
    words[g.rank + 2 * i + 1] = static_cast<std::uint32_t>(g.strides[i] >> 32U);
  }
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15ULL;
  std::vector<std::uint32_t>& runs = runs_[hash];
  for (const std::uint32_t begin : runs) {
    if (r_.pool.size() - begin >= count && std::equal(words.begin(), words.begin() + count, r_.pool.begin() + begin))
      return begin;
  }
  const auto begin = static_cast<std::uint32_t>(r_.pool.size());
  r_.pool.insert(r_.pool.end(), words.begin(), words.begin() + count);
  runs.push_back(begin);
  return begin;
}

void DepsTables::add_tensor(DepsTensor&& tensor) {
  const auto next = static_cast<std::uint32_t>(declared_.size());
  if (declared_rows_.find_or_add(tensor.id, 0, next) == next) declared_.push_back(std::move(tensor));
}

/// Version 2: start = sum of offset[i] times the elements of the dimensions behind i (artefacts.md 17.9); rows of the buffer
/// lie one behind the other.
void DepsTables::place(DepsGeometry& g, std::uint64_t tensor_id) const {
  const std::uint32_t row = declared_rows_.find(tensor_id);
  const std::vector<std::uint64_t> none;
  const std::vector<std::uint64_t>& raw = row == kNoRow ? none : declared_[row].raw_shape;
  std::uint64_t stride = 1;
  g.start_offset = 0;
  for (std::size_t i = g.rank; i-- > 0;) {
    g.strides[i] = stride;
    if (i < g.offset_rank) g.start_offset += g.offsets[i] * stride;
    stride *= std::max<std::uint64_t>(i < raw.size() ? raw[i] : g.shape[i], 1);
  }
  g.offset_rank = 0;
}

void DepsTables::close_tasks() {
  auto& t = r_.tensors;
  for (std::uint32_t row = 0; row < t.rows(); ++row) {
    const std::uint32_t at = declared_rows_.find(tensor_id_[row]);
    if (t.owner[row] != runtime::kInvalidTask || at == kNoRow) continue;
    const DepsTensor& tensor = declared_[at];
    t.address[row] = tensor.address;
    t.version[row] = tensor.version;
    t.buffer_elements[row] = tensor.buffer_elements;
    if (tensor.raw_shape.empty()) continue;
    t.buffer_elements[row] = 1;
    for (const std::uint64_t extent : tensor.raw_shape) t.buffer_elements[row] *= extent;
  }
  for (auto& [access, g] : unplaced_) {
    place(g, tensor_id_[r_.accesses.tensor[access]]);
    r_.accesses.start_offset[access] = g.start_offset;
    r_.accesses.geometry_begin[access] = geometry(g);
  }
  unplaced_.clear();
  access_begin_.assign(std::size_t{r_.tasks.rows()} + 1, 0);
  for (const std::uint32_t task : r_.accesses.task) ++access_begin_[task + 1];
  std::partial_sum(access_begin_.begin(), access_begin_.end(), access_begin_.begin());
}

std::uint32_t DepsTables::find_access(std::uint32_t task, std::int32_t arg) const {
  if (arg < 0 || task >= records_) return kNoRow;
  for (std::uint32_t a = access_begin_[task]; a < access_begin_[task + 1]; ++a) {
    if (r_.accesses.arg[a] == arg) return a;
  }
  return kNoRow;
}

/// The access of a producer that left this entry in the tracker: same tensor, same part of it.
std::uint32_t DepsTables::find_write(std::uint32_t task, std::uint64_t tensor_id, const DepsGeometry& g) const {
  if (task >= records_) return kNoRow;
  for (std::uint32_t a = access_begin_[task]; a < access_begin_[task + 1]; ++a) {
    if (tensor_id_[r_.accesses.tensor[a]] != tensor_id || r_.accesses.start_offset[a] != g.start_offset ||
        r_.accesses.geometry_begin_count[a] != g.rank * 3U)
      continue;
    const std::span words(r_.pool.data() + r_.accesses.geometry_begin[a], r_.accesses.geometry_begin_count[a]);
    bool same = true;
    for (std::size_t i = 0; i < g.rank; ++i) {
      const std::size_t at = g.rank + 2 * i;
      same = same && words[i] == g.shape[i] && (words[at] | std::uint64_t{words[at + 1]} << 32U) == g.strides[i];
    }
    if (same) return a;
  }
  return kNoRow;
}

std::uint32_t DepsTables::task_row(std::uint64_t id, bool consumer) {
  std::uint32_t row = rows_.find(id);
  if (row == kNoRow) row = append_task(id, TaskKind::Alloc);
  if (consumer) consumes_[row] = 1;
  return row;
}

void DepsTables::add_edge(const DepsEdge& edge) {
  const std::uint32_t producer = task_row(edge.pred, false);
  const std::uint32_t consumer = task_row(edge.succ, true);
  const std::uint32_t read = find_access(consumer, edge.arg);
  DepsGeometry written = edge.producer;
  if (written.offset_rank != 0) place(written, edge.tensor_id);
  const bool tracked = edge.source == runtime::kTensorMap;
  const std::uint32_t write = tracked && edge.has_tensor ? find_write(producer, edge.tensor_id, written) : kNoRow;
  if (edge.source == runtime::kCreator && read != kNoRow && r_.tensors.owner[r_.accesses.tensor[read]] == runtime::kInvalidTask) {
    // The consumer's view is of a buffer that the producer owns; other tasks may see the same address with another owner.
    const std::uint32_t seen = r_.accesses.tensor[read];
    const std::uint32_t owned = tensor_row(tensor_id_[seen], static_cast<ElementType>(r_.tensors.dtype[seen]), producer);
    r_.tensors.address[owned] = r_.tensors.address[seen];
    r_.tensors.version[owned] = r_.tensors.version[seen];
    r_.tensors.buffer_elements[owned] = r_.tensors.buffer_elements[seen];
    r_.accesses.tensor[read] = owned;
  }
  reasons_.edge.push_back(static_cast<std::uint32_t>(pairs_.size()));
  reasons_.source.push_back(edge.source == 0 ? std::uint8_t{runtime::kExplicit} : edge.source);
  reasons_.arg.push_back(static_cast<std::int8_t>(edge.arg));
  reasons_.flags.push_back(edge.flags);
  reasons_.overlap.push_back(edge.overlap);
  reasons_.consumer_access.push_back(read);
  reasons_.producer_access.push_back(write);
  reasons_.replay_row.push_back(1);
  pairs_.push_back({.producer = producer,
                    .consumer = consumer,
                    .flags = edge.flags,
                    .flags_final = edge.flags,
                    .provenance = reasons_.source.back()});
}

void DepsTables::add_pair(const DepsPair& pair) {
  const std::uint32_t producer = task_row(pair.pred, false);
  const std::uint32_t consumer = task_row(pair.succ, true);
  pairs_.push_back({.producer = producer,
                    .consumer = consumer,
                    .flags = pair.flags,
                    .flags_final = pair.flags_final,
                    .provenance = pair.provenance,
                    .via = pair.via == runtime::kInvalidTask ? kNoRow : task_row(pair.via, false),
                    .whole = true});
}

void DepsTables::add_submission(std::uint64_t id, TaskKind kind, std::string_view callee) {
  std::uint32_t row = rows_.find(id);
  if (row == kNoRow) row = append_task(id, kind);
  if (recorded_[row] == 0) recorded_[row] = kSubmitted;
  r_.tasks.kind[row] = static_cast<std::uint8_t>(kind);
  if (!callee.empty()) r_.tasks.callee[row] = r_.strings.add(callee);
  submissions_.find_or_add(id, 0, row);
  sequence_.push_back(row);
}

/// tasks rows in the order of submission: known ones as they stand, producers without record as late as possible, that is
/// before their first consumer and before the next task of their ring.
std::vector<std::uint32_t> DepsTables::submission_order() const {
  const std::uint32_t count = r_.tasks.rows();
  std::vector<std::uint32_t> known = sequence_;
  std::vector<std::uint32_t> place(count, kNoRow);
  const auto append = [&](std::uint32_t row) {
    place[row] = static_cast<std::uint32_t>(known.size());
    known.push_back(row);
  };
  for (std::uint32_t i = 0; i < known.size(); ++i) place[known[i]] = i;
  for (std::uint32_t row = 0; row < records_; ++row) {
    if (place[row] == kNoRow) append(row);
  }
  for (const Pending& pair : pairs_) {
    if (place[pair.consumer] == kNoRow) append(pair.consumer);
  }
  if (known.size() == count) return known;

  struct Late {
    std::uint64_t id;
    std::uint32_t row, place;
  };
  std::vector<Late> late;
  std::vector<std::uint32_t> first(count, static_cast<std::uint32_t>(known.size()));
  for (const Pending& pair : pairs_) {
    if (place[pair.producer] == kNoRow) first[pair.producer] = std::min(first[pair.producer], place[pair.consumer]);
  }
  std::vector<Late> all;  // by id: rings apart, each in order of submission
  for (std::uint32_t row = 0; row < count; ++row)
    all.push_back({r_.tasks.id[row], row, place[row] == kNoRow ? first[row] : place[row]});
  std::sort(all.begin(), all.end(), [](const Late& a, const Late& b) { return a.id < b.id; });
  for (std::size_t i = all.size(); i-- > 0;) {
    const bool next_in_ring = i + 1 < all.size() && all[i].id >> 32U == all[i + 1].id >> 32U;
    if (next_in_ring) all[i].place = std::min(all[i].place, all[i + 1].place);
    if (place[all[i].row] == kNoRow) late.push_back(all[i]);
  }
  std::sort(late.begin(), late.end(),
            [](const Late& a, const Late& b) { return a.place != b.place ? a.place < b.place : a.id < b.id; });
  std::vector<std::uint32_t> order;
  order.reserve(count);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i <= known.size(); ++i) {
    for (; next < late.size() && late[next].place <= i; ++next) order.push_back(late[next].row);
    if (i < known.size()) order.push_back(known[i]);
  }
  return order;
}

void DepsTables::order_tasks() {
  const std::vector<std::uint32_t> order = submission_order();
  std::vector<std::uint32_t> row_of(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) row_of[order[i]] = i;
  if (std::is_sorted(order.begin(), order.end())) return;
  reorder(r_.tasks, order);
  for (std::uint32_t& task : r_.accesses.task) task = row_of[task];
  if (!std::is_sorted(r_.accesses.task.begin(), r_.accesses.task.end())) {
    std::vector<std::uint32_t> by_task(r_.accesses.rows());
    std::iota(by_task.begin(), by_task.end(), 0U);
    std::stable_sort(by_task.begin(), by_task.end(), [&](auto a, auto b) { return r_.accesses.task[a] < r_.accesses.task[b]; });
    std::vector<std::uint32_t> access_of(by_task.size());
    for (std::uint32_t i = 0; i < by_task.size(); ++i) access_of[by_task[i]] = i;
    reorder(r_.accesses, by_task);
    for (auto* column : {&reasons_.consumer_access, &reasons_.producer_access}) {
      for (std::uint32_t& access : *column) access = access == kNoRow ? kNoRow : access_of[access];
    }
  }
  for (Pending& pair : pairs_) {
    pair.producer = row_of[pair.producer];
    pair.consumer = row_of[pair.consumer];
    if (pair.via != kNoRow) pair.via = row_of[pair.via];
  }
}

/// Rows that only edges named: tasks of a file without `tasks`, else explicit allocations. One runtime scope per ring: a task
/// of ring n stands in a scope of depth n or more.
void DepsTables::fill_tasks(DepsHealth& health) {
  auto& t = r_.tasks;
  std::uint32_t rings = 0;
  for (std::uint32_t row = 0; row < t.rows(); ++row) {
    if (recorded_[row] == 0) {
      const bool task = consumes_[row] != 0;
      ++(task ? health.consumers_without_record : health.producers_without_record);
      if (task || health.version == DepsVersion::V1) t.kind[row] = static_cast<std::uint8_t>(TaskKind::Kernel);
    }
    if (recorded_[row] == 0 && t.kind[row] == static_cast<std::uint8_t>(TaskKind::Alloc)) continue;
    const std::uint32_t ring = std::min(runtime::ring_of(t.id[row]), runtime::kRingCount - 1);
    t.scope[row] = ring;
    rings = std::max(rings, ring + 1);
  }
  for (std::uint32_t ring = 0; ring < rings; ++ring) {
    r_.scopes.manual.push_back(0);
    r_.scopes.owner.push_back(ring == 0 ? 3 : 0);
    r_.scopes.depth.push_back(ring);
    r_.scopes.ring.push_back(ring);
    r_.scopes.parent.push_back(ring == 0 ? kNoRow : ring - 1);
  }
}

/// Rows in order of first use; those that creator edges left without an access go.
void DepsTables::order_tensors() {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> row_of(r_.tensors.rows(), kNoRow);
  for (std::uint32_t& tensor : r_.accesses.tensor) {
    if (row_of[tensor] == kNoRow) {
      row_of[tensor] = static_cast<std::uint32_t>(order.size());
      order.push_back(tensor);
    }
    tensor = row_of[tensor];
  }
  reorder(r_.tensors, order);
}

void DepsTables::edges() {
  std::vector<std::uint32_t> order(pairs_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Pending& x = pairs_[a];
    const Pending& y = pairs_[b];
    return x.consumer != y.consumer ? x.consumer < y.consumer : x.whole && !y.whole;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);

  auto& e = r_.edges;
  std::vector<std::uint32_t> edge_of(pairs_.size());
  std::vector<std::uint32_t> last_consumer(r_.tasks.rows(), kNoRow);  // by producer
  std::vector<std::uint32_t> last_edge(r_.tasks.rows(), kNoRow);
  std::vector<std::uint8_t> whole;
  for (const std::uint32_t at : order) {
    const Pending& pair = pairs_[at];
    if (last_consumer[pair.producer] != pair.consumer) {
      last_consumer[pair.producer] = pair.consumer;
      last_edge[pair.producer] = e.rows();
      e.producer.push_back(pair.producer);
      e.consumer.push_back(pair.consumer);
      e.flags.push_back(pair.flags);
      e.flags_final.push_back(pair.flags_final);
      e.provenance.push_back(pair.provenance);
      e.via.push_back(pair.via);
      e.at_add.push_back(0);
      e.at_wiring.push_back(0);
      whole.push_back(pair.whole ? 1 : 0);
    } else if (const std::uint32_t edge = last_edge[pair.producer]; whole[edge] == 0) {
      e.flags[edge] |= pair.flags;
      e.flags_final[edge] |= pair.flags_final;
      e.provenance[edge] |= pair.provenance;
    }
    edge_of[at] = last_edge[pair.producer];
  }
  for (std::uint32_t& edge : reasons_.edge) edge = edge_of[edge];
  r_.edge_reasons = std::move(reasons_);
  auto& reasons = r_.edge_reasons;
  const auto consumer = [&](std::uint32_t reason) { return e.consumer[reasons.edge[reason]]; };
  std::vector<std::uint32_t> by_consumer(reasons.rows());
  std::iota(by_consumer.begin(), by_consumer.end(), 0U);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return consumer(a) < consumer(b); };
  if (std::is_sorted(by_consumer.begin(), by_consumer.end(), earlier)) return;
  std::stable_sort(by_consumer.begin(), by_consumer.end(), earlier);
  reorder(reasons, by_consumer);
}

void DepsTables::finish(DepsHealth& health) {
  fill_tasks(health);
  order_tasks();
  order_tensors();
  edges();
}

}  // namespace depscope::replay
