#include "depscope/runtime/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "discovery.h"
#include "execution.h"
#include "reduction.h"
#include "task_index.h"

namespace depscope::runtime {
namespace {

constexpr std::int32_t kInvalidArguments = 5;
constexpr std::int32_t kSyncStartInvalid = 7;
constexpr std::uint8_t kImplicitRoot = 3;
const std::vector<std::uint32_t> kNoIteration;

InputError limit_error(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  return InputError(std::move(d));
}

/// Bytes of a buffer, rounded up to the alignment of outputs.
std::uint64_t padded_bytes(const TensorDescriptor& tensor) {
  if (tensor.rank == 0) return 0;  // traces: nothing is known
  std::uint64_t bytes = element_size(tensor.dtype);
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    if (__builtin_mul_overflow(bytes, tensor.shape[i], &bytes) || bytes > kMaxOutputBytes) return kMaxOutputBytes + 1;
  }
  return (bytes + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
}

}  // namespace

struct Model::Impl {
  struct OpenScope {
    std::uint32_t row = 0;
    std::uint32_t ring = 0;
    std::size_t first_task = 0;  // in scope_tasks
    bool manual = false;         // it or one around it
  };

  Impl(const ModelOptions& model_options, RuntimeSink& row_sink)
      : options(model_options),
        sink(row_sink),
        execution(model_options, row_sink),
        discovery(model_options, execution, index),
        reduction(model_options.reduction) {}

  void fatal(std::int32_t code, std::uint32_t task) {
    if (error == 0) {
      error = code;
      execution.emit(EventKind::Error, task, kNoRow, 0, code);
    }
  }

  [[nodiscard]] bool arguments_legal(const Submission& s) const {
    if (s.args.size() > kMaxTensorArgs || s.scalar_count > kMaxScalarArgs || s.block_num == 0) return false;
    if (std::any_of(s.deps.begin(), s.deps.end(), [](const ExplicitDep& d) { return d.task == kInvalidTask; })) return false;
    if (s.kind != TaskKind::Alloc) return true;
    return !s.args.empty() && s.scalar_count == 0 &&
           std::all_of(s.args.begin(), s.args.end(), [](const Argument& a) { return a.kind == ArgKind::Output; });
  }

  [[nodiscard]] bool sync_start_fits(const Submission& s) const {
    if (!s.sync_start || s.kind != TaskKind::Kernel) return true;
    const auto lanes = std::count_if(s.kernel_ids.begin(), s.kernel_ids.end(), [](std::int32_t k) { return k >= 0; });
    const std::uint32_t clusters = topology_of(options.platform).clusters;
    return s.block_num <= (lanes == 1 && s.kernel_ids[0] < 0 ? 2 * clusters : clusters);
  }

  /// A row for a producer that no submission made: completed from the beginning.
  void stand_in(TaskId id) {
    if (id == kInvalidTask || index.find(id) != kNoRow) return;
    const std::uint32_t ring = ring_of(id) % kRingCount;
    TaskRow row;
    row.id = id;
    row.kind = TaskKind::Alloc;
    row.slot = local_of(id) & (kDefaultTaskWindow - 1);
    row.heap_begin = row.heap_end = execution.heap_top(ring);
    sink.task(row, kNoIteration);
    const std::uint32_t task = execution.allocate({.ring = ring, .local = local_of(id), .kind = TaskKind::Alloc});
    index.set(id, task);
    recorded.push_back(false);
    scope_tasks.push_back(task);
    discovery.builder().begin(task);
    reduction.reduce(task, discovery.builder());
    execution.wire(task, discovery.builder().edges());
  }

  void stand_ins(const Submission& s, bool manual) {
    for (const ExplicitDep& dep : s.deps) stand_in(dep.task);
    if (manual) return;
    for (const Argument& a : s.args) {
      if (a.kind != ArgKind::Output && a.kind != ArgKind::Scalar) stand_in(a.tensor.owner);
    }
  }

  /// Lays out the packed buffer; returns its size.
  std::uint64_t lay_out(const Submission& s, TaskId id, std::uint64_t base) {
    outputs.clear();
    std::uint64_t total = 0;
    for (const Argument& a : s.args) {
      if (a.kind != ArgKind::Output) continue;
      TensorDescriptor& out = outputs.emplace_back(a.tensor);
      const std::uint64_t bytes = padded_bytes(out);
      if (bytes > kMaxOutputBytes || total + bytes > kMaxOutputBytes) {
        throw limit_error(fmt::format("the outputs of one task are larger than the limit of {} bytes", kMaxOutputBytes));
      }
      out.owner = id;
      out.version = 0;
      out.start_offset = 0;
      if (out.rank == 0) continue;
      out.address = base + total;
      out.buffer_elements = element_size(out.dtype) == 0 ? 0 : bytes / element_size(out.dtype);
      std::uint64_t stride = 1;
      for (std::uint32_t i = out.rank; i-- > 0;) {
        out.strides[i] = stride;
        stride *= std::max<std::uint64_t>(out.shape[i], 1);
      }
      total += bytes;
    }
    return total;
  }

  void write_accesses(const Submission& s, std::uint32_t task) {
    std::size_t output = 0;
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      const Argument& a = s.args[i];
      AccessRow row;
      row.task = task;
      row.arg = static_cast<std::uint8_t>(i);
      row.kind = a.kind;
      row.name = a.name;
      row.tensor = a.kind == ArgKind::Output ? outputs[output++] : a.tensor;
      sink.access(row);
      ++accesses;
    }
  }

  void write_edges(std::uint32_t task) {
    const std::vector<FaninEdge>& edges = discovery.builder().edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const FaninEdge& e = edges[i];
      if (e.flags_final != e.flags && !execution.gone(e.producer)) {
        execution.emit(EventKind::EdgeReduce, edge_rows + static_cast<std::uint32_t>(i), e.via, e.flags, e.flags_final);
      }
      sink.edge({.producer = e.producer,
                 .consumer = task,
                 .flags = e.flags,
                 .flags_final = e.flags_final,
                 .provenance = e.provenance,
                 .via = e.via});
    }
    edge_rows += static_cast<std::uint32_t>(edges.size());
    for (const EdgeReasonRow& reason : discovery.reasons()) sink.edge_reason(reason);
  }

  ModelOptions options;
  RuntimeSink& sink;
  Execution execution;
  TaskIndex index;
  Discovery discovery;
  Reduction reduction;
  std::vector<OpenScope> scopes;
  std::vector<std::uint32_t> scope_tasks;  // tasks of the open scopes, outermost first
  std::vector<TensorDescriptor> outputs;
  std::vector<bool> recorded;  // by task: a submission made it
  std::uint32_t scope_rows = 0;
  std::uint32_t accesses = 0;
  std::uint32_t edge_rows = 0;
  std::int32_t error = 0;
  bool finished = false;
};

Model::Model(const ModelOptions& options, RuntimeSink& sink) : impl_(std::make_unique<Impl>(options, sink)) {
  const Topology topology = topology_of(options.platform);
  impl_->execution.emit(EventKind::Config, kNoRow, static_cast<std::uint32_t>(options.platform), 0, topology.clusters);
  if (options.implicit_root_scope) begin_scope(false, kImplicitRoot);
}

Model::~Model() = default;

bool Model::begin_scope(bool manual, std::uint8_t owner) {
  Impl& m = *impl_;
  if (m.error != 0) return false;
  const bool inside_manual = !m.scopes.empty() && m.scopes.back().manual;
  if (inside_manual && !manual) {
    m.fatal(kInvalidArguments, kNoRow);
    return false;
  }
  if (m.scopes.size() >= kMaxOpenScopes) throw limit_error(fmt::format("more than {} scopes are open at once", kMaxOpenScopes));
  ScopeRow row;
  row.manual = manual;
  row.owner = owner;
  row.depth = static_cast<std::uint32_t>(m.scopes.size());
  row.ring = std::min(row.depth, kRingCount - 1);
  row.parent = m.scopes.empty() ? kNoRow : m.scopes.back().row;
  m.sink.scope(row);
  m.scopes.push_back(
      {.row = m.scope_rows++, .ring = row.ring, .first_task = m.scope_tasks.size(), .manual = manual || inside_manual});
  m.execution.emit(EventKind::ScopeBegin, m.scopes.back().row, kNoRow, 0, row.depth);
  return true;
}

void Model::end_scope() {
  Impl& m = *impl_;
  if (m.error != 0 || m.scopes.empty()) return;
  const Impl::OpenScope scope = m.scopes.back();
  m.scopes.pop_back();
  m.execution.emit(EventKind::ScopeEnd, scope.row, kNoRow, static_cast<std::int64_t>(m.scopes.size()), 0);
  for (std::size_t i = scope.first_task; i < m.scope_tasks.size(); ++i) m.execution.release_scope(m.scope_tasks[i]);
  m.scope_tasks.resize(scope.first_task);
}

SubmitResult Model::submit(const Submission& s) {
  Impl& m = *impl_;
  if (m.error != 0) return {};
  if (m.scopes.empty()) throw InternalError("a task was submitted outside any scope");
  if (!m.arguments_legal(s)) {
    m.fatal(kInvalidArguments, kNoRow);
    return {};
  }
  if (!m.sync_start_fits(s)) {
    m.fatal(kSyncStartInvalid, kNoRow);
    return {};
  }
  const Impl::OpenScope& scope = m.scopes.back();
  const bool forced = s.forced_id != kInvalidTask;
  const bool manual = scope.manual || s.manual_scope;
  m.stand_ins(s, manual);

  const std::uint32_t ring = forced ? ring_of(s.forced_id) % kRingCount : scope.ring;
  const TaskId id = forced ? s.forced_id : make_task_id(ring, m.execution.next_local(ring));
  const std::uint64_t heap_begin = m.execution.heap_top(ring);
  const std::uint64_t heap_bytes = m.lay_out(s, id, kHeapBase * (ring + 1) + heap_begin);

  TaskRow row;
  row.id = id;
  row.kind = s.kind;
  row.callee = s.callee;
  row.call_site = s.call_site;
  row.scope = scope.row;
  row.manual_scope = manual;
  row.early_dispatch = s.early_dispatch;
  row.sync_start = s.sync_start;
  row.kernel_ids = s.kernel_ids;
  row.block_num = s.block_num;
  row.slot = local_of(id) & (kDefaultTaskWindow - 1);
  row.heap_begin = heap_begin;
  row.heap_end = heap_begin + heap_bytes;
  m.sink.task(row, s.iteration);
  const std::uint32_t task = m.execution.allocate({.ring = ring,
                                                   .local = local_of(id),
                                                   .kind = s.kind,
                                                   .kernel_ids = s.kernel_ids,
                                                   .block_num = s.block_num,
                                                   .sync_start = s.sync_start,
                                                   .heap_bytes = heap_bytes});
  m.recorded.push_back(true);
  m.scope_tasks.push_back(task);
  const std::uint32_t first_access = m.accesses;
  m.write_accesses(s, task);
  if (s.kind == TaskKind::Alloc) {
    m.discovery.builder().begin(task);
  } else {
    m.discovery.run(s, {.task = task, .first_access = first_access, .first_edge = m.edge_rows, .manual = manual});
  }
  m.reduction.reduce(task, m.discovery.builder());
  if (s.kind != TaskKind::Alloc) m.write_edges(task);
  m.execution.wire(task, m.discovery.builder().edges());
  m.index.set(id, task);
  m.execution.advance_time();
  return {id, task, m.outputs};
}

void Model::finish() {
  Impl& m = *impl_;
  if (m.finished) return;
  m.finished = true;
  while (m.error == 0 && !m.scopes.empty()) end_scope();
  m.execution.run();
}

bool Model::submitted(TaskId id) const {
  const std::uint32_t row = impl_->index.find(id);
  return row != kNoRow && impl_->recorded[row];
}

std::uint32_t Model::task_count() const { return impl_->execution.task_count(); }
std::uint64_t Model::window_misses() const { return impl_->reduction.window_misses(); }
std::uint32_t Model::open_scopes() const { return static_cast<std::uint32_t>(impl_->scopes.size()); }
std::int32_t Model::error_code() const { return impl_->error; }

}  // namespace depscope::runtime
