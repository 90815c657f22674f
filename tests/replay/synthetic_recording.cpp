#include "synthetic_recording.h"

#include "depscope/pass/decisions.h"

#include <algorithm>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

#include "depscope/runtime/sink.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;

constexpr std::uint64_t kHeapStep = 1024;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::uint32_t>((state_ >> 16U) % bound);
  }

 private:
  std::uint64_t state_;
};

/// A toy runtime: one ring, tasks complete in order of readiness, everything that happens is written as an event.
class Toy {
 public:
  Toy(Recording& r, const SyntheticOptions& options) : r_(r), o_(options), random_(options.seed) {}

  void run() {
    for (const char* name : {"fill", "matmul", "softmax", "store"}) callees_.push_back(r_.strings.add(name));
    event(EventKind::Config, kNoRow, kNoRow, 0, 0);
    begin_scope(3, kNoRow);
    for (std::uint32_t t = 0; t < o_.tasks; ++t) {
      if (t % o_.tasks_per_scope == 0) begin_scope(static_cast<std::uint8_t>(t / o_.tasks_per_scope % 3), 0);
      submit(t);
      while (submitted_ - completed_ >= o_.in_flight) work();
      if (random_.below(3) == 0) work();
      if (t % o_.tasks_per_scope == o_.tasks_per_scope - 1) end_scope(t + 1 - o_.tasks_per_scope, t + 1);
    }
    if (o_.tasks % o_.tasks_per_scope != 0) end_scope(o_.tasks - o_.tasks % o_.tasks_per_scope, o_.tasks);
    while (completed_ < submitted_) work();
    end_scope(0, 0);
    event(EventKind::RunEnd, kNoRow, kNoRow, 0, 0);
  }

 private:
  void event(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t from, std::int64_t to) {
    auto& e = r_.events;
    e.kind.push_back(static_cast<std::uint8_t>(kind));
    e.actor.push_back(kind == EventKind::Complete ? 1 : 0);
    e.extra.push_back(0);
    e.time.push_back(time_);
    e.subject.push_back(subject);
    e.object.push_back(object);
    e.old_value.push_back(from);
    e.new_value.push_back(to);
  }

  void begin_scope(std::uint8_t owner, std::uint32_t parent) {
    const std::uint32_t row = r_.scopes.rows();
    const auto depth = static_cast<std::uint32_t>(open_.size());
    r_.scopes.manual.push_back(owner == 1 ? 1 : 0);
    r_.scopes.owner.push_back(owner);
    r_.scopes.depth.push_back(depth);
    r_.scopes.ring.push_back(std::min(depth, runtime::kRingCount - 1));
    r_.scopes.parent.push_back(parent);
    open_.push_back(row);
    event(EventKind::ScopeBegin, row, kNoRow, 0, depth);
  }

  void end_scope(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t t = first; t < last; ++t) {
      scope_released_[t] = 1;
      event(EventKind::ScopeRelease, t, kNoRow, 0, 1);
      consume(t);
    }
    event(EventKind::ScopeEnd, open_.back(), kNoRow, static_cast<std::int64_t>(open_.size()) - 1, 0);
    open_.pop_back();
  }

  void submit(std::uint32_t t) {
    ++time_;
    auto& tasks = r_.tasks;
    tasks.id.push_back(runtime::make_task_id(1, t));
    tasks.kind.push_back(static_cast<std::uint8_t>(t % 17 == 16 ? runtime::TaskKind::Dummy : runtime::TaskKind::Kernel));
    tasks.callee.push_back(t % 17 == 16 ? 0 : callees_[t % callees_.size()]);
    tasks.call_site.push_back(kNoRow);
    tasks.scope.push_back(open_.back());
    tasks.flags.push_back(r_.scopes.manual[open_.back()]);
    tasks.kernel_aic.push_back(static_cast<std::int32_t>(t % callees_.size()));
    tasks.kernel_aiv0.push_back(-1);
    tasks.kernel_aiv1.push_back(-1);
    tasks.block_num.push_back(1);
    tasks.slot.push_back(t % 4096);
    tasks.heap_begin.push_back(t * kHeapStep);
    tasks.heap_end.push_back((t + 1) * kHeapStep);
    tasks.iteration_begin.push_back(static_cast<std::uint32_t>(r_.pool.size()));
    tasks.iteration_begin_count.push_back(1);
    r_.pool.push_back(t / o_.tasks_per_scope);
    state_.push_back(TaskState::Pending);
    for (auto* list : {&need_, &have_, &claimed_, &released_}) list->push_back(0);
    scope_released_.push_back(0);
    edge_begin_.push_back(r_.edges.rows());
    consumers_.emplace_back();
    event(EventKind::Submit, t, 1, t, static_cast<std::int64_t>(t) + 1);
    event(EventKind::HeapAlloc, t, 1, static_cast<std::int64_t>(t * kHeapStep), static_cast<std::int64_t>((t + 1) * kHeapStep));
    tensor(t);
    std::vector<std::uint32_t> producers;
    const std::uint32_t wanted = random_.below(o_.max_fanin + 1);
    for (std::uint32_t k = 0; k < wanted && t > 0; ++k) {
      const std::uint32_t p = t - 1 - random_.below(std::min(t, 40U));
      if (state_[p] != TaskState::Consumed && std::find(producers.begin(), producers.end(), p) == producers.end())
        producers.push_back(p);
    }
    for (const std::uint32_t p : producers) edge(p, t);
    ++submitted_;
    wire(t, producers);
  }

  void tensor(std::uint32_t t) {
    const std::uint32_t row = r_.tensors.rows();
    r_.tensors.name.push_back(r_.strings.add("buffer" + std::to_string(t % 5)));
    r_.tensors.address.push_back(t * kHeapStep);
    r_.tensors.buffer_elements.push_back(256);
    r_.tensors.owner.push_back(r_.tasks.id[t]);
    r_.tensors.version.push_back(0);
    r_.tensors.dtype.push_back(0);
    r_.tensors.manual_dep.push_back(0);
    auto& a = r_.accesses;
    a.task.push_back(t);
    a.arg.push_back(0);
    a.kind.push_back(static_cast<std::uint8_t>(runtime::ArgKind::Output));
    a.tensor.push_back(row);
    a.start_offset.push_back(0);
    a.geometry_begin.push_back(static_cast<std::uint32_t>(r_.pool.size()));
    a.geometry_begin_count.push_back(6);
    for (const std::uint32_t word : {16U, 16U, 16U, 0U, 1U, 0U}) r_.pool.push_back(word);
    event(EventKind::TensorMapInsert, t, kNoRow, t, static_cast<std::int64_t>(t) + 1);
  }

  void edge(std::uint32_t p, std::uint32_t t) {
    const std::uint32_t row = r_.edges.rows();
    const auto flags = static_cast<std::uint8_t>(1 + random_.below(3));
    const bool reduced = flags == runtime::kWaitRetain && random_.below(4) == 0;
    r_.edges.producer.push_back(p);
    r_.edges.consumer.push_back(t);
    r_.edges.flags.push_back(flags);
    r_.edges.flags_final.push_back(reduced ? static_cast<std::uint8_t>(runtime::kRetain) : flags);
    r_.edges.provenance.push_back(static_cast<std::uint8_t>(1U << random_.below(5)));
    r_.edges.via.push_back(reduced ? p : kNoRow);
    auto& reason = r_.edge_reasons;
    reason.edge.push_back(row);
    reason.source.push_back(r_.edges.provenance[row]);
    reason.arg.push_back(-1);
    reason.flags.push_back(flags);
    reason.overlap.push_back(0);
    reason.consumer_access.push_back(kNoRow);
    reason.producer_access.push_back(kNoRow);
    reason.replay_row.push_back(1);
    consumers_[p].push_back(row);
    if (o_.pins) event(EventKind::PinClaim, p, t, claimed_[p], claimed_[p] + 1);
    ++claimed_[p];
    event(EventKind::EdgeAdd, row, t, 0, flags);
    if (reduced) event(EventKind::EdgeReduce, row, p, flags, runtime::kRetain);
  }

  void wire(std::uint32_t t, const std::vector<std::uint32_t>& producers) {
    std::uint32_t need = 1;
    for (std::size_t k = 0; k < producers.size(); ++k) need += r_.edges.flags_final[edge_begin_[t] + k] & 1U;
    need_[t] = need;
    if (o_.pins) event(EventKind::Need, t, kNoRow, 0, need);
    for (std::size_t k = 0; k < producers.size(); ++k) {
      const std::uint32_t row = edge_begin_[t] + static_cast<std::uint32_t>(k);
      if ((r_.edges.flags_final[row] & runtime::kWait) != 0 && state_[producers[k]] >= TaskState::Completed)
        count(t, producers[k]);
      if ((r_.edges.flags_final[row] & runtime::kRetain) == 0) release_pin(producers[k], t);
    }
    count(t, kNoRow);
  }

  void count(std::uint32_t t, std::uint32_t producer) {
    if (o_.pins) event(EventKind::WaitCount, t, producer, have_[t], have_[t] + 1);
    if (++have_[t] == need_[t]) set(EventKind::Ready, t, kNoRow, TaskState::Ready), ready_.push_back(t);
  }

  void set(EventKind kind, std::uint32_t t, std::uint32_t object, TaskState to) {
    event(kind, t, object, static_cast<std::int64_t>(state_[t]), static_cast<std::int64_t>(to));
    state_[t] = to;
  }

  void release_pin(std::uint32_t p, std::uint32_t t) {
    if (o_.pins) event(EventKind::PinRelease, p, t, released_[p], released_[p] + 1);
    ++released_[p];
    consume(p);
  }

  void consume(std::uint32_t p) {
    if (state_[p] != TaskState::Completed || claimed_[p] != released_[p] || scope_released_[p] == 0) return;
    set(EventKind::Consume, p, kNoRow, TaskState::Consumed);
    const std::uint32_t before = watermark_;
    while (watermark_ < submitted_ && state_[watermark_] == TaskState::Consumed) ++watermark_;
    if (watermark_ == before) return;
    event(EventKind::Watermark, kNoRow, 1, before, watermark_);
    event(EventKind::HeapFree, kNoRow, 1, static_cast<std::int64_t>(before * kHeapStep),
          static_cast<std::int64_t>(watermark_ * kHeapStep));
  }

  /// Runs one ready task after a full round of dispatches, so that several are running at a time.
  void work() {
    ++time_;
    if (core_.empty()) core_.assign(o_.cores, kNoRow);
    for (std::uint32_t c = 0; c < o_.cores && !ready_.empty(); ++c) {
      if (core_[c] != kNoRow) continue;
      core_[c] = ready_.front();
      ready_.pop_front();
      set(EventKind::Dispatch, core_[c], c, TaskState::Running);
    }
    const std::uint32_t first = random_.below(o_.cores);
    for (std::uint32_t k = 0; k < o_.cores; ++k) {
      const std::uint32_t c = (first + k) % o_.cores;
      if (core_[c] == kNoRow) continue;
      complete(core_[c], c);
      core_[c] = kNoRow;
      return;
    }
  }

  void complete(std::uint32_t t, std::uint32_t core) {
    set(EventKind::Complete, t, core, TaskState::Completed);
    ++completed_;
    for (const std::uint32_t row : consumers_[t]) {
      if ((r_.edges.flags_final[row] & runtime::kWait) != 0) count(r_.edges.consumer[row], t);
    }
    event(EventKind::Release, t, kNoRow, 0, 1);
    const std::uint32_t end = t + 1 < edge_begin_.size() ? edge_begin_[t + std::size_t{1}] : r_.edges.rows();
    for (std::uint32_t row = edge_begin_[t]; row < end; ++row) {
      if ((r_.edges.flags_final[row] & runtime::kRetain) != 0) release_pin(r_.edges.producer[row], t);
    }
    consume(t);
  }

  Recording& r_;
  const SyntheticOptions& o_;
  Random random_;
  std::vector<std::uint32_t> callees_, open_, core_;
  std::vector<TaskState> state_;
  std::vector<std::uint32_t> need_, have_, claimed_, released_, edge_begin_;
  std::vector<std::uint8_t> scope_released_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::deque<std::uint32_t> ready_;
  std::uint32_t time_ = 0, submitted_ = 0, completed_ = 0, watermark_ = 0;
};

/// Two call sites in one AUTO scope with one hazard: fill writes `scratch`, copy reads it.
void add_program(Recording& r) {
  auto run = [&](std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count,
                 std::initializer_list<std::uint32_t> words) {
    begin.push_back(static_cast<std::uint32_t>(r.pool.size()));
    count.push_back(static_cast<std::uint32_t>(words.size()));
    r.pool.insert(r.pool.end(), words);
  };
  const std::uint32_t text = r.strings.add("# pypto.program: Demo\nclass Demo:\n  pass\n");
  for (const char* name : {"frontend", "ConvertToSSA", "AutoDeriveTaskDependencies"}) {
    r.passes.name.push_back(r.strings.add(name));
    const bool changed = r.passes.rows() == 3;
    r.passes.text.push_back(changed ? r.strings.add("# pypto.program: Demo\nclass Demo:\n  changed\n") : text);
    r.passes.changed.push_back(changed ? 1 : 0);
    for (auto* set : {&r.passes.required, &r.passes.produced, &r.passes.invalidated}) set->push_back(0);
    run(r.passes.message_begin, r.passes.message_begin_count, {});
  }
  for (const char* name : {"main", "fill"}) {
    r.functions.name.push_back(r.strings.add(name));
    r.functions.kind.push_back(r.strings.add(r.functions.rows() == 1 ? "Orchestration" : "InCore"));
    r.functions.auto_scope.push_back(0);
    r.functions.compiler_manual_candidate.push_back(0);
    r.functions.line.push_back(2 + r.functions.rows());
  }
  r.ir_scopes.function.push_back(0);
  r.ir_scopes.index.push_back(0);
  r.ir_scopes.manual.push_back(0);
  r.ir_scopes.owner.push_back(0);
  r.ir_scopes.parent.push_back(kNoRow);
  r.ir_scopes.line.push_back(5);
  const std::uint32_t scratch = r.strings.add("scratch");
  for (std::uint32_t site = 0; site < 2; ++site) {
    auto& s = r.call_sites;
    s.function.push_back(0);
    s.index.push_back(site);
    s.kind.push_back(1);
    s.callee.push_back(r.strings.add(site == 0 ? "fill" : "copy"));
    s.line.push_back(6 + site);
    s.loop_depth.push_back(0);
    run(s.scope_begin, s.scope_begin_count, {0});
    run(s.result_begin, s.result_begin_count, {r.strings.add("_submit_tmp")});
    run(s.user_dep_begin, s.user_dep_begin_count, {});
    if (site == 0) {
      run(s.compiler_dep_begin, s.compiler_dep_begin_count, {});
    } else {
      run(s.compiler_dep_begin, s.compiler_dep_begin_count, {r.strings.add("fill_tid")});
    }
    s.argument_begin.push_back(site);
    s.argument_count.push_back(1);
    run(s.pass_line_begin, s.pass_line_begin_count, {6 + site, 6 + site, 7 + site});
    auto& a = r.arguments;
    a.call_site.push_back(site);
    a.name.push_back(scratch);
    a.callee_direction.push_back(site == 0 ? 1 : 0);
    a.derived.push_back(site == 0 ? 3 : 1);
    a.direction.push_back(site == 0 ? 3 : 5);
    a.rule.push_back(1);
    a.rewrite.push_back(0);
  }
  r.regions.function.push_back(0);
  r.regions.index.push_back(0);
  r.regions.kind.push_back(1);
  r.regions.outcome.push_back(0);
  r.regions.reason.push_back(0);
  for (auto* column : {&r.regions.offending_site, &r.regions.offending_arg, &r.regions.parent}) column->push_back(kNoRow);
  r.regions.stripped_edges.push_back(0);
  r.regions.line.push_back(5);
  r.regions.kept_edges.push_back(0);
  r.regions.offending_hazard.push_back(kNoRow);
  r.storage.root.push_back(scratch);
  r.storage.kind.push_back(1);
  run(r.storage.box_begin, r.storage.box_begin_count, {0, 0, 64, 0});
  r.storage.step_line.push_back(4);
  r.hazards.region.push_back(0);
  r.hazards.prior.push_back(0);
  r.hazards.current.push_back(1);
  r.hazards.prior_arg.push_back(0);
  r.hazards.current_arg.push_back(0);
  r.hazards.kinds.push_back(1);
  r.hazards.prior_storage.push_back(0);
  r.hazards.current_storage.push_back(0);
  r.hazards.verdict.push_back(1);
  r.hazards.edge.push_back(r.strings.add("fill_tid"));
  r.hazards.reason.push_back(0);
  r.hazards.by_memref.push_back(0);
  r.hazards.synthetic.push_back(0);
  r.hazards.edge_row.push_back(0);
  r.hazards.more_begin.push_back(0);
  r.hazards.more_count.push_back(0);
  r.options.name.push_back(r.strings.add("profile"));
  r.options.value.push_back(r.strings.add("seed"));
  r.findings.kind.push_back(r.strings.add("fallback"));
  r.findings.severity.push_back(0);
  r.findings.summary.push_back(r.strings.add("region 1 fell back"));
  r.findings.fields.push_back(r.strings.add(R"({"function":"main","region_kind":"auto_scope","outcome":"fell_back"})"));
  r.findings.line.push_back(5);
}

/// What the passes looked at beside the program: `pair` is a Group that calls copy; the copy of main lost nothing, waits for
/// fill, and a loop with one carried value got no barrier.
void add_decisions(Recording& r) {
  const std::uint32_t pair = r.functions.rows();
  r.functions.name.push_back(r.strings.add("pair"));
  r.functions.kind.push_back(r.strings.add("Group"));
  r.functions.auto_scope.push_back(1);
  r.functions.compiler_manual_candidate.push_back(0);
  r.functions.line.push_back(20);
  const std::uint32_t source = r.strings.add("source");
  for (std::uint32_t index = 0; index < 2; ++index) {
    r.parameters.function.push_back(pair);
    r.parameters.index.push_back(index);
    r.parameters.name.push_back(index == 0 ? source : r.strings.add("target"));
    r.parameters.declared.push_back(0);
    r.parameters.direction.push_back(index == 0 ? 0 : 2);
  }
  auto& w = r.wrapper_calls;
  w.function.push_back(pair);
  w.index.push_back(0);
  w.kind.push_back(0);
  w.callee.push_back(r.strings.add("copy"));
  w.line.push_back(21);
  w.loop_depth.push_back(1);
  for (auto* begin : {&w.scope_begin, &w.result_begin, &w.user_dep_begin, &w.compiler_dep_begin})
    begin->push_back(static_cast<std::uint32_t>(r.pool.size()));
  w.scope_begin_count.push_back(0);
  w.user_dep_begin_count.push_back(0);
  w.compiler_dep_begin_count.push_back(0);
  w.result_begin_count.push_back(1);
  r.pool.push_back(r.strings.add("result"));
  auto& wa = r.wrapper_arguments;
  wa.call.push_back(0);
  wa.name.push_back(source);
  wa.callee_direction.push_back(0);
  wa.derived.push_back(1);
  wa.direction.push_back(1);
  wa.rule.push_back(2);
  wa.rewrite.push_back(static_cast<std::uint8_t>(pass::RewriteReason::PassNotRun));
  const std::uint32_t id = r.strings.add("fill_tid");
  for (std::uint32_t site = 0; site < 2; ++site) {
    auto& a = r.pass_accesses;
    a.call_site.push_back(site);
    a.arg.push_back(0);
    a.direction.push_back(site == 0 ? 3 : 1);
    a.kind.push_back(site == 0 ? 2 : 1);
    a.storage.push_back(0);
    a.id.push_back(site == 0 ? id : 0);
    a.in_loop.push_back(0);
    a.dynamic_serial.push_back(0);
    a.region.push_back(0);
    a.outcome.push_back(0);
  }
  auto& e = r.pass_edges;
  e.consumer.push_back(1);
  e.id.push_back(id);
  e.origin.push_back(1);
  e.synthetic.push_back(0);
  e.producer.push_back(0);
  e.status.push_back(0);
  e.stripped_by.push_back(kNoRow);
  e.imported_from.push_back(kNoRow);
  e.more_begin.push_back(0);
  e.more_count.push_back(0);
  r.rewrites_undone.region.push_back(0);
  r.rewrites_undone.argument.push_back(0);
  r.rewrites_undone.from.push_back(4);
  r.rewrites_undone.to.push_back(3);
  r.lineage.region.push_back(0);
  r.lineage.line.push_back(6);
  r.lineage.what.push_back(r.strings.add("argument 'scratch' of fill"));
  r.fences.function.push_back(0);
  r.fences.line.push_back(9);
  r.fences.array.push_back(r.strings.add("ids"));
  r.fences.producers.push_back(2);
  r.fences.consumers.push_back(2);
  r.fences.saving.push_back(0);
  r.fences.accepted.push_back(0);
  r.fences.reason.push_back(r.strings.add("no_profit"));
  r.scope_decisions.function.push_back(0);
  r.scope_decisions.scope.push_back(0);
  r.scope_decisions.line.push_back(5);
  r.scope_decisions.manual.push_back(0);
  r.scope_decisions.change.push_back(0);
  r.scope_decisions.decision.push_back(r.strings.add("kept"));
  r.carries.function.push_back(0);
  r.carries.line.push_back(9);
  r.carries.index.push_back(0);
  r.carries.name.push_back(r.strings.add("prev"));
  r.carries.rebind.push_back(1);
  r.carries.array_size.push_back(4);
}

}  // namespace

Recording synthetic_recording(const SyntheticOptions& options) {
  Recording r;
  r.input_name = "demo.py";
  r.input_text = "import pypto.language as pl\n";
  r.input_digest = "0123456789abcdef";
  r.program_name = "Demo";
  r.window_misses = 3;
  if (options.program) {
    add_program(r);
    add_decisions(r);
  }
  Toy(r, options).run();
  return r;
}

bool same_recording(const Recording& a, const Recording& b) {
  bool same = a.input_name == b.input_name && a.input_digest == b.input_digest && a.input_text == b.input_text &&
              a.program_name == b.program_name && a.window_misses == b.window_misses && a.strings.bytes == b.strings.bytes &&
              a.strings.offsets == b.strings.offsets && a.pool == b.pool;
  Recording::tables(a, [&](std::string_view name, const auto& left) {
    using Table = std::decay_t<decltype(left)>;
    Recording::tables(b, [&](std::string_view other, const auto& right) {
      if constexpr (std::is_same_v<Table, std::decay_t<decltype(right)>>) {
        if (name != other) return;
        Table::columns(left, [&](std::string_view column, const auto& values, recording::Target) {
          Table::columns(right, [&](std::string_view other_column, const auto& other_values, recording::Target) {
            if constexpr (std::is_same_v<decltype(values), decltype(other_values)>) {
              if (column == other_column) same = same && values == other_values;
            }
          });
        });
      }
    });
  });
  return same;
}

}  // namespace depscope::replay
