#include "depscope/runtime/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "depscope/base/diagnostics.h"
#include "event_check.h"
#include "recorded_run.h"

namespace depscope::runtime {
namespace {

EdgeRow edge_of(const RecordedRun& run, std::uint32_t producer, std::uint32_t consumer) {
  for (const EdgeRow& e : run.sink.edges) {
    if (e.producer == producer && e.consumer == consumer) return e;
  }
  ADD_FAILURE() << "no edge " << producer << " to " << consumer;
  return {};
}

std::int64_t last_value(const RecordedRun& run, EventKind kind, std::uint32_t subject) {
  for (std::size_t i = run.sink.events.size(); i-- > 0;) {
    if (run.sink.events[i].kind == kind && run.sink.events[i].subject == subject) return run.sink.events[i].new_value;
  }
  return -1;
}

/// 1a: a diamond that only waits.
TEST(Model, WaitOnlyDiamond) {
  for (const Platform platform : {Platform::A2A3, Platform::A5}) {
    RecordedRun run({.platform = platform, .reduction = {.kind = ReductionKind::Bitmap, .window = 64}});
    run.model.submit(with({}));
    run.model.submit(with({}, {{.task = 0, .flags = kWait}}));
    run.model.submit(with({}, {{.task = 0, .flags = kWait}, {.task = 1, .flags = kWait}}));
    EXPECT_EQ(last_value(run, EventKind::PinClaim, 0), 2);
    EXPECT_EQ(last_value(run, EventKind::PinRelease, 0), 2);  // given back at wiring
    EXPECT_EQ(last_value(run, EventKind::Need, 2), 2);
    run.model.finish();
    EXPECT_EQ(edge_of(run, 0, 2).flags_final, kNone);
    EXPECT_EQ(edge_of(run, 0, 2).via, 1U);
    EXPECT_EQ(edge_of(run, 1, 2).flags_final, kWait);
    EventCheck(run.sink).run();
  }
}

/// 1b: with RETAIN the pin stays until the consumer's release.
TEST(Model, RetainedDiamond) {
  RecordedRun run({.reduction = {.kind = ReductionKind::Bitmap, .window = 64}});
  run.model.submit(with({}));
  run.model.submit(with({}, {{.task = 0}}));
  run.model.submit(with({}, {{.task = 0}, {.task = 1}}));
  EXPECT_EQ(last_value(run, EventKind::PinClaim, 0), 2);
  EXPECT_EQ(last_value(run, EventKind::PinRelease, 0), -1);
  run.model.finish();
  EXPECT_EQ(edge_of(run, 0, 2).flags_final, kRetain);
  EventCheck(run.sink).run();
}

/// 3a: modifier and creator on one producer, in both orders of the arguments.
TEST(Model, ModifierAndCreatorAreOnePair) {
  for (const bool modifier_first : {true, false}) {
    RecordedRun run;
    const TensorDescriptor z = vector_of(4096, 64);
    const SubmitResult k = run.model.submit(with({arg(ArgKind::InOut, z), output(64)}));
    const TensorDescriptor u = k.outputs[0];
    std::vector<Argument> args{arg(ArgKind::Input, z), arg(ArgKind::Input, u)};
    if (!modifier_first) std::swap(args[0], args[1]);
    run.model.submit(with(args));
    run.model.finish();
    ASSERT_EQ(run.sink.edges.size(), 1U);
    EXPECT_EQ(run.sink.edges[0].flags, kWaitRetain);
    EXPECT_EQ(run.sink.edges[0].provenance, kCreator | kTensorMap);
    EXPECT_EQ(last_value(run, EventKind::PinClaim, 0), 1);
    // The real replay writes the creator row only when it is the first discovery; tensormap rows always.
    for (const EdgeReasonRow& r : run.sink.reasons) EXPECT_EQ(r.replay_row, r.source == kTensorMap || !modifier_first);
    EventCheck(run.sink).run();
  }
}

/// 3b and 3c: explicit dependencies come first and their flags are combined.
TEST(Model, ExplicitFlagsAreCombined) {
  RecordedRun run;
  const SubmitResult a = run.model.submit(with({output(1024)}));
  const TensorDescriptor y = a.outputs[0];
  run.model.submit(with({arg(ArgKind::Input, y)}, {{.task = 0, .flags = kWait}}));
  run.model.submit(with({}, {{.task = 0, .flags = kRetain}, {.task = 0, .flags = kWait}}));
  run.model.submit(with({}, {{.task = 0, .flags = kNone}, {.task = 0, .flags = kRetain}}));
  EXPECT_EQ(last_value(run, EventKind::Need, 3), 1);
  run.model.finish();
  EXPECT_EQ(edge_of(run, 0, 1).flags, kWaitRetain);
  EXPECT_EQ(edge_of(run, 0, 2).flags, kWaitRetain);
  EXPECT_EQ(edge_of(run, 0, 3).flags, kRetain);
  EXPECT_EQ(run.sink.reasons.size(), 6U);
  EventCheck(run.sink).run();
}

TEST(Model, SourcesOfOneDependencyAreKept) {
  RecordedRun run;
  run.model.submit(with({}));
  run.model.submit(with({}, {{.task = 0, .flags = kWait, .provenance = kUser | kCompiler}}));
  run.model.finish();
  EXPECT_EQ(edge_of(run, 0, 1).provenance, kUser | kCompiler);
  EXPECT_EQ(edge_of(run, 0, 1).flags, kWait);
  ASSERT_EQ(run.sink.reasons.size(), 2U);
  EXPECT_TRUE(run.sink.reasons[0].replay_row);
  EXPECT_FALSE(run.sink.reasons[1].replay_row);
  EXPECT_EQ(run.sink.reasons[1].flags, kNone);
}

/// W1 and W4: no edge from a reader, and none between two write-only accesses.
TEST(Model, ReadersAndOutputExistingAreNotOrdered) {
  RecordedRun run;
  const TensorDescriptor x = vector_of(4096, 64);
  run.model.submit(with({arg(ArgKind::InOut, x)}));
  run.model.submit(with({arg(ArgKind::Input, x)}));
  run.model.submit(with({arg(ArgKind::InOut, x)}));
  run.model.submit(with({arg(ArgKind::OutputExisting, x)}));
  run.model.submit(with({arg(ArgKind::Input, x)}));
  run.model.finish();
  ASSERT_EQ(run.sink.edges.size(), 4U);
  edge_of(run, 0, 1);
  edge_of(run, 0, 2);  // the covered entry is removed
  edge_of(run, 3, 4);
  edge_of(run, 2, 4);
  EventCheck(run.sink).run();
}

TEST(Model, ManualDepKeepsOnlyTheCreatorEdge) {
  RecordedRun run;
  TensorDescriptor y = run.model.submit(with({output(64)})).outputs[0];
  run.model.submit(with({arg(ArgKind::InOut, y)}));
  y.manual_dep = true;
  run.model.submit(with({arg(ArgKind::Input, y)}));
  run.model.submit(with({arg(ArgKind::NoDep, y)}));
  run.model.finish();
  EXPECT_EQ(run.sink.edges.size(), 3U);
  for (const std::uint32_t consumer : {1U, 2U, 3U}) EXPECT_EQ(edge_of(run, 0, consumer).provenance, kCreator);
}

/// M1, M2, M3, M5.
TEST(Model, ManualScopes) {
  RecordedRun run;
  const TensorDescriptor x = vector_of(4096, 64);
  run.model.submit(with({arg(ArgKind::InOut, x)}));
  ASSERT_TRUE(run.model.begin_scope(true));
  ASSERT_TRUE(run.model.begin_scope(true));
  run.model.submit(with({arg(ArgKind::InOut, x)}));
  run.model.end_scope();
  run.model.submit(with({arg(ArgKind::Input, x)}, {{.task = make_task_id(2, 0)}}));
  run.model.end_scope();
  run.model.submit(with({arg(ArgKind::Input, x)}));
  run.model.finish();
  ASSERT_EQ(run.sink.edges.size(), 2U);
  EXPECT_EQ(edge_of(run, 1, 2).provenance, kExplicit);
  EXPECT_EQ(edge_of(run, 0, 3).provenance, kTensorMap);
  EXPECT_TRUE(run.sink.tasks[1].manual_scope);
  EXPECT_FALSE(run.sink.tasks[3].manual_scope);
  EventCheck(run.sink).run();

  RecordedRun wrong;
  wrong.model.begin_scope(true);
  EXPECT_FALSE(wrong.model.begin_scope(false));
  EXPECT_EQ(wrong.model.error_code(), 5);
  EXPECT_EQ(wrong.model.submit(kernel()).id, kInvalidTask);
  wrong.model.finish();
}

TEST(Model, RingFollowsScopeDepth) {
  RecordedRun run;
  EXPECT_EQ(run.model.submit(kernel()).id, make_task_id(0, 0));
  for (std::uint32_t depth = 1; depth < 6; ++depth) {
    run.model.begin_scope(false);
    EXPECT_EQ(run.model.submit(kernel()).id, make_task_id(std::min(depth, 3U), depth > 3 ? depth - 3 : 0));
  }
  for (std::uint32_t depth = 1; depth < 6; ++depth) run.model.end_scope();
  EXPECT_EQ(run.model.submit(kernel()).id, make_task_id(0, 1));
  run.model.finish();
  EventCheck(run.sink).run();
  RecordedRun bare({.implicit_root_scope = false});
  EXPECT_THROW(bare.model.submit(kernel()), InternalError);
  bare.model.begin_scope(false);
  EXPECT_EQ(bare.model.submit(kernel()).id, make_task_id(0, 0));
}

TEST(Model, OutputsLieInTheHeapOfTheirRing) {
  RecordedRun run;
  Submission alloc;
  alloc.kind = TaskKind::Alloc;
  alloc.args = {output(15), output(300)};
  const SubmitResult a = run.model.submit(alloc);
  ASSERT_EQ(a.outputs.size(), 2U);
  EXPECT_EQ(a.outputs[0].address, kHeapBase);
  EXPECT_EQ(a.outputs[1].address, kHeapBase + 1024);
  EXPECT_EQ(a.outputs[0].buffer_elements, 256U);  // the padded size
  EXPECT_EQ(a.outputs[1].buffer_elements, 512U);
  EXPECT_EQ(a.outputs[1].owner, a.id);
  run.model.begin_scope(false);
  EXPECT_EQ(run.model.submit(with({output(1)})).outputs[0].address, 2 * kHeapBase);
  run.model.end_scope();
  EXPECT_EQ(run.model.submit(with({output(1)})).outputs[0].address, kHeapBase + 3072);
  run.model.finish();
  EventCheck(run.sink).run();
}

/// An allocation is complete at once: its consumer is ready without waiting (fast path).
TEST(Model, AllocationsCompleteAtSubmit) {
  RecordedRun run;
  Submission alloc;
  alloc.kind = TaskKind::Alloc;
  alloc.args = {output(64)};
  const TensorDescriptor y = run.model.submit(alloc).outputs[0];
  EXPECT_EQ(last_value(run, EventKind::Complete, 0), static_cast<std::int64_t>(TaskState::Completed));
  run.model.submit(with({arg(ArgKind::Input, y)}));
  EXPECT_EQ(last_value(run, EventKind::Ready, 1), static_cast<std::int64_t>(TaskState::Ready));
  run.model.finish();
  EventCheck(run.sink).run();
}

/// An id that no submission had: a row of its own just before its first consumer, never waited for.
TEST(Model, ProducersWithoutRecord) {
  RecordedRun run({.reduction = {.kind = ReductionKind::Exact}});
  Submission s = with({arg(ArgKind::InOut, vector_of(4096, 64, 7))}, {{.task = 9}, {.task = 3}});
  s.forced_id = 3;  // names itself too
  run.model.submit(s);
  s = with({arg(ArgKind::Input, vector_of(4096, 64, 7))});
  s.forced_id = 9;
  EXPECT_FALSE(run.model.submitted(9));
  run.model.submit(s);
  EXPECT_TRUE(run.model.submitted(9));
  run.model.finish();
  ASSERT_EQ(run.sink.tasks.size(), 5U);
  const std::vector<TaskId> ids{9, 3, 7, 3, 9};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(run.sink.tasks[i].id, ids[i]);
    EXPECT_EQ(run.sink.tasks[i].kind, i < 3 ? TaskKind::Alloc : TaskKind::Kernel);
    EXPECT_EQ(run.sink.tasks[i].scope == kNoRow, i < 3);
  }
  EXPECT_EQ(edge_of(run, 2, 4).flags_final, kRetain);  // 3 already waited for the creator
  EventCheck(run.sink).run();
}

/// A refusal between submits belongs to no submit: not to the one before, whose arguments may be gone.
TEST(Model, ARefusedScopeNamesNoSubmit) {
  class Findings final : public RuntimeSink {
   public:
    void task(const TaskRow&, const std::vector<std::uint32_t>&) override {}
    void access(const AccessRow&) override {}
    void edge(const EdgeRow&) override {}
    void edge_reason(const EdgeReasonRow&) override {}
    void scope(const ScopeRow&) override {}
    void event(const Event&) override {}
    void finding(const RunFinding& f) override { found.push_back(f); }
    std::vector<RunFinding> found;
  } sink;
  Model model({}, sink);
  model.begin_scope(true);
  {
    Submission s = kernel();
    s.callee = 7;
    model.submit(s);
  }
  EXPECT_FALSE(model.begin_scope(false));
  ASSERT_EQ(sink.found.size(), 1U);
  EXPECT_EQ(sink.found[0].code, 5);
  EXPECT_EQ(sink.found[0].callee, 0U);
}

TEST(Model, RefusedArguments) {
  const auto code = [](const Submission& s) {
    RecordedRun run;
    run.model.submit(s);
    return run.model.error_code();
  };
  Submission s = kernel();
  s.args.assign(33, arg(ArgKind::Input, vector_of(4096, 1)));
  EXPECT_EQ(code(s), 5);
  s.args.pop_back();
  EXPECT_EQ(code(s), 0);
  s = with({}, {{.task = kInvalidTask}});
  EXPECT_EQ(code(s), 5);
  s = kernel();
  s.kind = TaskKind::Alloc;
  EXPECT_EQ(code(s), 5);
  s = kernel();
  s.sync_start = true;
  s.block_num = 48;
  EXPECT_EQ(code(s), 0);
  s.block_num = 49;
  EXPECT_EQ(code(s), 7);
  RecordedRun deep;
  for (std::uint32_t i = 1; i < kMaxOpenScopes; ++i) deep.model.begin_scope(false);
  EXPECT_THROW(deep.model.begin_scope(false), InputError);
  RecordedRun large;
  Argument huge = output(0xffffffffU);
  huge.tensor.rank = 3;
  huge.tensor.shape = {0xffffffffU, 0xffffffffU, 0xffffffffU};
  EXPECT_THROW(large.model.submit(with({huge})), InputError);
}

TEST(Model, CoupledEdgesAreAlwaysBoth) {
  RecordedRun run({.edges = EdgeRepresentation::Coupled});
  const TensorDescriptor x = vector_of(4096, 64);
  run.model.submit(with({arg(ArgKind::InOut, x)}));
  run.model.submit(with({arg(ArgKind::Input, x)}));
  run.model.finish();
  EXPECT_EQ(edge_of(run, 0, 1).flags, kWaitRetain);
}

/// Tasks of every shape and width: rounds keep cores apart, and a very wide task costs no more than a narrow one.
TEST(Schedule, EveryShape) {
  for (const Platform platform : {Platform::A2A3, Platform::A5}) {
    RecordedRun run({.platform = platform});
    std::mt19937 random(3);
    for (std::uint32_t i = 0; i < 400; ++i) {
      Submission s = kernel();
      for (std::int32_t& k : s.kernel_ids) k = random() % 2 == 0 ? -1 : 5;
      s.kind = std::all_of(s.kernel_ids.begin(), s.kernel_ids.end(), [](std::int32_t k) { return k < 0; }) ? TaskKind::Dummy
                                                                                                           : TaskKind::Kernel;
      s.block_num = 1 + static_cast<std::uint32_t>(random() % 100);
      if (i % 7 == 0) {
        s.sync_start = true;
        s.block_num = 20;
      }
      if (i % 50 == 0) s.block_num = s.sync_start ? 24 : 2000000000;
      if (i > 3 && random() % 3 == 0) s.deps.push_back({.task = i - 1 - static_cast<std::uint32_t>(random() % 3)});
      run.model.submit(s);
    }
    run.model.finish();
    EXPECT_EQ(run.model.error_code(), 0);
    EventCheck(run.sink).run();
  }
}

TEST(Schedule, FanoutIsNotifiedLastInFirstOut) {
  RecordedRun run;
  run.model.submit(kernel());
  for (std::uint32_t i = 0; i < 3; ++i) run.model.submit(with({}, {{.task = 0}}));
  run.model.finish();
  std::vector<std::uint32_t> order;
  for (const Event& e : run.sink.events) {
    if (e.kind == EventKind::Dispatch) order.push_back(e.subject);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 3, 2, 1}));
}

TEST(Schedule, SummaryLeavesOutCountersOnly) {
  const auto kinds = [](EventLevel level) {
    RecordedRun run({.events = level});
    run.model.submit(with({arg(ArgKind::InOut, vector_of(4096, 64)), output(4)}));
    run.model.submit(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
    run.model.finish();
    std::vector<std::uint32_t> counts(kEventKindCount);
    for (const Event& e : run.sink.events) ++counts[static_cast<std::size_t>(e.kind)];
    return counts;
  };
  const auto full = kinds(EventLevel::Full);
  const auto summary = kinds(EventLevel::Summary);
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_TRUE(summary[i] == full[i] || summary[i] == 0) << event_kind_name(static_cast<EventKind>(i));
  }
  EXPECT_EQ(summary[static_cast<std::size_t>(EventKind::Consume)], 2U);
  EXPECT_EQ(summary[static_cast<std::size_t>(EventKind::WaitCount)], 0U);
}

TEST(Names, RoundTrip) {
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::Unknown); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_type_from_name(element_type_name(type)), type);
  }
  EXPECT_EQ(element_size(ElementType::BFloat16), 2U);
  EXPECT_EQ(element_type_from_name("FLOAT"), ElementType::Unknown);
  EXPECT_EQ(event_kind_name(EventKind::RunEnd), "run-end");
  EXPECT_EQ(task_state_name(TaskState::Consumed), "consumed");
  EXPECT_EQ(provenance_names(kTensorMap | kUser), (std::vector<std::string_view>{"user", "tensormap"}));
  EXPECT_EQ(dep_flag_names(kWaitRetain), (std::vector<std::string_view>{"wait", "retain"}));
}

}  // namespace
}  // namespace depscope::runtime
