// Every invariant can fail: by a faulty layout, by a hazard played as it is, or by a state that is damaged by hand.
#include "invariants.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "bench_machine.h"
#include "recorded_run.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- layouts and hazards

/// P1: the creator edge loses its RETAIN in payload init; the buffer is handed out while its reader runs.
TEST(InvariantsFire, MaskThatIsZeroed) {
  ModelOptions options{.edges = EdgeRepresentation::MaskBug, .check_invariants = true};
  for (RingLimits& l : options.limits) l.heap = 4096;
  const auto play = [&] {
    FindingSink sink;
    Model model(options, sink);
    model.begin_scope(false);
    const TensorDescriptor y = model.submit(with({output(1024)})).outputs[0];
    Submission reader = with({arg(ArgKind::Input, y)});
    reader.duration = 100;
    model.submit(reader);
    model.end_scope();
    model.begin_scope(false);
    model.submit(with({output(1024)}));
    model.finish();
    EXPECT_EQ(model.error_code(), 0);
    return std::pair{sink.reports(10), sink.reports(14)};
  };
  EXPECT_EQ(play(), (std::pair{true, true}));
  options.mask_layout = MaskLayout::WrittenAfterInit;
  EXPECT_EQ(play(), (std::pair{false, false}));
  options.edges = EdgeRepresentation::Split;
  EXPECT_EQ(play(), (std::pair{false, false}));
}

/// M4: nobody retains the owner; its bytes go to another task while a task uses them.
TEST(InvariantsFire, ReaderWithoutRetainingEdge) {
  ModelOptions options{.check_invariants = true};
  for (RingLimits& l : options.limits) l.heap = 4096;
  FindingSink sink;
  Model model(options, sink);
  model.begin_scope(true);
  const SubmitResult a = model.submit(with({output(1024)}));
  Submission reader = with({arg(ArgKind::Input, a.outputs[0])}, {{.task = a.id, .flags = kWait}});
  reader.duration = 100;
  model.submit(reader);
  model.end_scope();
  model.begin_scope(true);
  model.submit(with({output(1024)}));
  model.finish();
  EXPECT_TRUE(sink.reports(14)) << sink.all();
  EXPECT_EQ(sink.violation({14}), "");
}

/// G2: a stale handle names the slot's own task.
TEST(InvariantsFire, OwnSlot) {
  for (const bool faithful : {true, false}) {
    ModelOptions options{.check_invariants = true};
    options.hazards.set(1, faithful);
    for (RingLimits& l : options.limits) l.task_window = 4;
    FindingSink sink;
    Model model(options, sink);
    TensorDescriptor stale;
    for (std::uint32_t i = 0; i < 4; ++i) {
      model.begin_scope(false);
      const SubmitResult r = model.submit(with({output(16)}));
      if (i == 0) stale = r.outputs[0];
      model.end_scope();
    }
    model.begin_scope(false);
    model.submit(with({arg(ArgKind::Input, stale)}));
    model.finish();
    EXPECT_EQ(model.error_code(), faithful ? 100 : 0);
    EXPECT_EQ(sink.reports(40), faithful);
    EXPECT_EQ(sink.violation({40}), "");
  }
}

/// Everything that can happen but releases.
void run_without_releases(Model& model) {
  for (bool any = true; any;) {
    any = false;
    for (const Action& action : model.enabled()) {
      if (action.kind == ActionKind::Release) continue;
      any = model.perform(action);
      break;
    }
  }
}

/// G8: a release that was buffered runs on the edges of the slot's next task.
TEST(InvariantsFire, LateRelease) {
  for (const bool faithful : {true, false}) {
    ModelOptions options{.schedule = {.kind = ScheduleKind::Manual, .choices = {}}, .check_invariants = true};
    options.hazards.set(10, faithful);
    options.limits[1].task_window = 4;
    FindingSink sink;
    Model model(options, sink);
    const TaskId p = model.submit(kernel()).id;
    const auto one = [&](std::vector<ExplicitDep> deps) {
      model.begin_scope(false);
      model.submit(with({}, std::move(deps)));
      run_without_releases(model);
      model.end_scope();
    };
    one({{.task = p}});
    for (int i = 0; i < 3; ++i) one({});
    Submission slow = kernel();
    const TaskId p2 = model.submit(slow).id;
    model.begin_scope(false);
    model.submit(with({}, {{.task = p2}}));
    // T's own release comes before Q runs.
    for (const Action& action : model.enabled()) {
      if (action.kind != ActionKind::Release) continue;
      while (model.perform(action)) {
      }
    }
    model.end_scope();
    model.finish();
    EXPECT_EQ(model.error_code(), 0);
    EXPECT_EQ(sink.reports(39), faithful) << sink.all();
    EXPECT_EQ(sink.reports(5), faithful) << sink.all();
    EXPECT_EQ(sink.reports(37), faithful) << sink.all();
    EXPECT_EQ(sink.all().empty(), !faithful);
  }
}

/// F5: the spill cursor lags more than a window behind and reads the payload of a task that lives.
TEST(InvariantsFire, LaggingSpillCursor) {
  for (const bool faithful : {true, false}) {
    ModelOptions options{.schedule = {.kind = ScheduleKind::Manual, .choices = {}}, .check_invariants = true};
    options.hazards.set(2, faithful);
    options.limits[1].task_window = 16;
    options.limits[1].dep_pool = 8;
    FindingSink sink;
    Model model(options, sink);
    std::vector<ExplicitDep> deps;
    for (std::uint32_t i = 0; i < 67; ++i) deps.push_back({.task = model.submit(kernel()).id, .flags = kNone});
    const auto one = [&](std::uint32_t producers) {
      model.begin_scope(false);
      model.submit(with({}, {deps.begin(), deps.begin() + producers}));
      run_without_releases(model);
      model.end_scope();
    };
    for (int i = 0; i < 3; ++i) one(66);
    for (int i = 0; i < 15; ++i) one(0);
    model.begin_scope(false);
    model.submit(with({}, {deps.begin(), deps.begin() + 66}));
    model.submit(with({}, {deps.begin(), deps.begin() + 67}));
    model.finish();
    EXPECT_EQ(sink.reports(19), faithful) << sink.all();
    EXPECT_EQ(sink.all().empty(), !faithful);
  }
}

/// A release that comes late finds its own spilled edges, whoever has their entries of the pool by then.
TEST(InvariantsHold, LateReleaseOfSpilledEdges) {
  ModelOptions options{.schedule = {.kind = ScheduleKind::Manual, .choices = {}}, .check_invariants = true};
  options.limits[1].task_window = 16;
  options.limits[1].dep_pool = 8;
  FindingSink sink;
  Model model(options, sink);
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < 66; ++i) deps.push_back({.task = model.submit(kernel()).id, .flags = kRetain});
  for (int i = 0; i < 5; ++i) {
    model.begin_scope(false);
    model.submit(with({}, deps));
    run_without_releases(model);
    if (i < 4) model.end_scope();
  }
  model.finish();
  EXPECT_EQ(model.error_code(), 0);
  EXPECT_EQ(sink.all(), "");
}

// ---------------------------------------------------------------- damage

/// A scope with A (bytes), B after A, C after both; nothing has run.
struct Chain : BenchMachine {
  Chain() {
    begin_scope();
    a = kernel({}, 1024);
    b = kernel({{a, kWaitRetain}});
    c = kernel({{a, kWaitRetain}, {b, kWait}});
  }
  std::uint32_t a = 0, b = 0, c = 0;
};

struct Damage {
  int number;
  std::function<void(Chain&)> done;
};

Task& task(Chain& m, std::uint32_t row) { return m.state.tasks[row]; }

const std::vector<Damage> kDamages{
    {1, [](Chain& m) { m.state.rings[0].published = 1; }},
    {1, [](Chain& m) { m.state.rings[0].limits.task_window = 2; }},
    {1, [](Chain& m) { m.state.rings[0].watermark = 4; }},
    {2, [](Chain& m) { task(m, m.b).state = TaskState::Consumed; }},
    {2, [](Chain& m) { m.state.set_state(EventKind::Complete, m.b, kNoRow, TaskState::Completed, 1); }},
    {2,
     [](Chain& m) {
       m.run();
       m.state.set_state(EventKind::Consume, m.b, kNoRow, TaskState::Consumed, 1);
     }},
    {3, [](Chain& m) { ++task(m, m.a).claimed; }},
    {4, [](Chain& m) { task(m, m.a).released = 3; }},
    {4, [](Chain& m) { m.reclaim.release_scope(m.a); }},
    {4, [](Chain& m) { task(m, m.a).scope_released = true; }},
    {5, [](Chain& m) { ++task(m, m.a).released; }},
    {5, [](Chain& m) { m.reclaim.release_edge(0, ReleaseCause::Consumer, 1); }},
    {5, [](Chain& m) { m.state.edges[0].pinned = false; }},
    {6, [](Chain& m) { m.state.slots.set(make_task_id(0, 0), m.c); }},
    {7, [](Chain& m) { ++task(m, m.c).need; }},
    {7, [](Chain& m) { task(m, m.allocation()).need = 1; }},
    {8, [](Chain& m) { ++task(m, m.c).have; }},
    {8, [](Chain& m) { m.completion.add_have(m.c, m.b, 1); }},
    {8, [](Chain& m) { m.completion.add_have(m.c, m.a, 1); }},
    {9, [](Chain& m) { m.completion.claim_ready(m.c, 1); }},
    {9, [](Chain& m) { m.completion.push(QueueId::Aiv, m.c, 1); }},
    {9, [](Chain& m) { m.completion.push(QueueId::Aiv, m.a, 1); }},
    {9,
     [](Chain& m) {
       m.completion.pop(QueueId::Aiv, 1);
       m.look(EventKind::SubmitBegin);
     }},
    {10, [](Chain& m) { m.state.edges[0].flags = kWait; }},
    {10, [](Chain& m) { task(m, m.c).edge_count = 1; }},
    {10, [](Chain& m) { task(m, m.c).wait_count = 2; }},
    {10, [](Chain& m) { m.state.edges[2].producer = m.a; }},
    {11, [](Chain& m) { task(m, m.a).fanout_head = 0; }},
    {11, [](Chain& m) { m.state.rings[0].dep_nodes[2].consumer = m.b; }},
    {11,
     [](Chain& m) {
       const std::int64_t top = m.state.rings[0].dep.top++;
       m.state.emit(EventKind::NodeTake, m.c, m.a, top, top + 1);
     }},
    {11, [](Chain& m) { m.state.emit(EventKind::WalkNode, m.a, m.c, 0, 1, 1); }},
    {12,
     [](Chain& m) {
       const std::uint32_t d = m.kernel({{m.a, kWait}});
       task(m, m.a).fanout_head = make_node_ref(0, 3);
       m.state.rings[0].dep_nodes[3] = {.consumer = d, .next = make_node_ref(0, 4)};
       m.state.rings[0].dep_nodes.resize(5);
       m.state.rings[0].dep_nodes[4] = {.consumer = d, .next = 0};
     }},
    {12,
     [](Chain& m) {
       task(m, m.a).reclaimed = true;
       m.look();
     }},
    {13, [](Chain& m) { m.state.set_state(EventKind::Dispatch, m.c, 0, TaskState::Running, 1); }},
    {14,
     [](Chain& m) {
       m.state.rings[0].heap.top = m.state.rings[0].heap.tail = 0;
       m.kernel({}, 1024);
     }},
    {15,
     [](Chain& m) {
       m.state.rings[0].heap.size = 2048;
       m.state.rings[0].heap.top = 0;
       m.kernel({}, 1024);
     }},
    {15, [](Chain& m) { m.state.rings[0].heap.size = 512; }},
    {16, [](Chain& m) { m.state.rings[0].heap.tail = m.state.rings[0].heap.top; }},
    {16, [](Chain& m) { m.state.change(EventKind::HeapGuard, kNoRow, 0, m.state.rings[0].heap.guard, std::int64_t{2}); }},
    {17,
     [](Chain& m) {
       m.state.rings[0].passed = 1;
       m.state.change(EventKind::Watermark, kNoRow, 0, m.state.rings[0].watermark, std::int64_t{1}, 1);
     }},
    {17, [](Chain& m) { m.state.emit(EventKind::SlotReclaim, m.a, 0, 0, 1, 1); }},
    {17,
     [](Chain& m) {
       m.state.rings[0].limits.task_window = 1;
       m.kernel({});
     }},
    {18, [](Chain& m) { m.state.rings[0].dep.tail = m.state.rings[0].dep.top; }},
    {18, [](Chain& m) { m.state.rings[0].dep.tail = m.state.rings[0].dep.top + 1; }},
    {19, [](Chain& m) { m.state.rings[0].spill.tail = 2; }},
    {20, [](Chain& m) { task(m, m.b).slot = 7; }},
    {20, [](Chain& m) { task(m, m.b).descriptor_written = false; }},
    {20, [](Chain& m) { task(m, m.b).id = 9; }},
    {21, [](Chain& m) { m.state.scope_tasks.pop_back(); }},
    {21, [](Chain& m) { std::swap(m.state.scope_tasks[0], m.state.scope_tasks[1]); }},
    {21, [](Chain& m) { m.state.scopes.back().first_task = 1; }},
    {22, [](Chain& m) { m.state.manual_depth = 0; }},
    {23,
     [](Chain& m) {
       m.submit(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
       m.state.options.tensor_map_entries = 0;
     }},
    {23, [](Chain& m) { m.state.emit(EventKind::TensorMapRemove, 5, m.c, 1, 0); }},
    {24,
     [](Chain& m) {
       m.submit(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
       m.state.rings[0].next = 2;
     }},
    {24,
     [](Chain& m) {
       m.submit(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
       m.state.emit(EventKind::TensorMapCleanup, 0, 0, 1, 0);
     }},
    {25,
     [](Chain& m) {
       m.discover(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
       m.state.submitting = m.a;
       m.state.emit(EventKind::TensorMapInsert, 0, kNoRow, 0, 1);
     }},
    {26, [](Chain& m) { m.state.emit(EventKind::PinClaim, m.a, m.c, 2, 3); }},
    {26,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 0}}));
       m.state.emit(EventKind::PinClaim, m.a, d, 2, 3);
     }},
    {26,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 0}}));
       m.describe(d);
       m.reduce(d);
       m.discovery.builder().edges()[0].producer = m.b;
       m.publish(d);
     }},
    {27,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 0}}));
       m.describe(d);
       m.reduce(d);
       task(m, d).wait_count = 4;
       m.publish(d);
     }},
    {27,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 0}}));
       task(m, d).spill_start = 1;
       m.describe(d);
       m.reduce(d);
       m.publish(d);
     }},
    {28,
     [](Chain& m) {
       m.state.submission_counter = 77;
       m.kernel({});
     }},
    {28,
     [](Chain& m) {
       const_cast<std::uint64_t*>(m.reduction.reach(m.c))[0] = 1;
       m.kernel({{m.c, kWait}});
     }},
    {28,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 1}, {.task = 2}}));
       m.describe(d);
       m.reduce(d);
       m.discovery.builder().edges()[1].flags_final = kRetain;
       m.publish(d);
     }},
    {29,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 1}, {.task = 2}}));
       m.describe(d);
       m.reduce(d);
       m.discovery.builder().edges()[1].flags_final = kRetain;
       m.publish(d);
     }},
    {30,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 1}}));
       m.describe(d);
       m.reduce(d);
       m.discovery.builder().edges()[0].flags_final = kWait;
       m.publish(d);
     }},
    {31,
     [](Chain& m) {
       m.state.cores[30].pending.task = m.a;
       m.state.emit(EventKind::CoreAck, m.a, 30, 0, 1, kCoreActor);
     }},
    {31,
     [](Chain& m) {
       m.rounds(1);
       m.state.begun.push_back(task(m, m.a).core);
       m.state.emit(EventKind::CoreAck, m.a, task(m, m.a).core, 0, 1, kCoreActor);
     }},
    {32, [](Chain& m) { ++task(m, m.a).subtasks_done; }},
    {32, [](Chain& m) { task(m, m.a).block_cursor = 2; }},
    {32,
     [](Chain& m) {
       m.rounds(1);
       m.state.emit(EventKind::SubtaskCount, m.a, 24, 0, 1, 1);
       m.look(EventKind::SubmitBegin);
     }},
    {32,
     [](Chain& m) {
       m.rounds(1);
       m.state.emit(EventKind::Place, m.a, task(m, m.a).core, 0, 0, 1);
     }},
    {33, [](Chain& m) { m.state.threads[0].buffer.push_back({m.a}); }},
    {33,
     [](Chain& m) {
       m.run();
       m.state.emit(EventKind::Defer, m.a, 0, 0, 1, 1);
     }},
    {33,
     [](Chain& m) {
       m.run();
       m.state.emit(EventKind::Release, m.a, kNoRow, 0, 1, 1);
     }},
    {34, [](Chain& m) { m.state.rings[0].advance_pending = true; }},
    {34,
     [](Chain& m) {
       const std::uint32_t d = m.allocation();
       m.end_scope();
       m.run();
       m.state.rings[0].passed = d;
     }},
    {35, [](Chain& m) { m.state.rings[0].acknowledged = true; }},
    {35, [](Chain& m) { m.state.change(EventKind::Request, kNoRow, 0, m.state.rings[0].request, true); }},
    {36, [](Chain& m) { m.state.error = 3; }},
    {36,
     [](Chain& m) {
       m.waiting.fatal(3, kNoRow, 0, ErrorClass::None);
       m.state.error = 0;
       m.waiting.fatal(4, kNoRow, 0, ErrorClass::None);
     }},
    {36,
     [](Chain& m) {
       m.waiting.fatal(3, kNoRow, 0, ErrorClass::None);
       m.take(TaskKind::Kernel, 0);
     }},
    {37, [](Chain& m) { m.watch.at_end(); }},
    {40,
     [](Chain& m) {
       const std::uint32_t d = m.discover(with({}, {{.task = 0}, {.task = 1}}));
       m.describe(d);
       m.reduce(d);
       m.discovery.builder().edges()[1].producer = m.a;
       m.publish(d);
     }},
};

TEST(InvariantsFire, OnDamage) {
  for (std::size_t i = 0; i < kDamages.size(); ++i) {
    Chain machine;
    ASSERT_EQ(machine.sink.all(), "");
    kDamages[i].done(machine);
    machine.look();
    EXPECT_TRUE(machine.sink.reports(kDamages[i].number))
        << "damage " << i << " of I" << kDamages[i].number << " gives: " << machine.sink.all();
  }
}

TEST(InvariantsFire, NothingIsReportedTwice) {
  Chain machine;
  machine.state.rings[0].published = 1;
  for (std::uint32_t i = 0; i < 300; ++i) machine.look();
  EXPECT_EQ(machine.sink.findings.size(), 1U);
  EXPECT_EQ(machine.sink.findings[0].code, 1);
  EXPECT_EQ(machine.sink.findings[0].text.substr(0, 4), "I1: ");
}

/// More blocks than are placed one by one; the last group is shorter.
TEST(InvariantsHold, BlocksInGroups) {
  for (const ScheduleKind kind : {ScheduleKind::Canonical, ScheduleKind::Random}) {
    for (const std::array<std::int32_t, 3>& kernels : {std::array<std::int32_t, 3>{-1, 0, -1}, {0, 1, 2}}) {
      ModelOptions options{.check_invariants = true};
      options.schedule.kind = kind;
      options.schedule.granularity = Granularity::Fine;
      FindingSink sink;
      Model model(options, sink);
      model.begin_scope(false);
      Submission wide = kernel();
      wide.kernel_ids = kernels;
      wide.block_num = 5001;
      model.submit(wide);
      model.submit(wide);
      model.finish();
      EXPECT_EQ(model.error_code(), 0);
      EXPECT_EQ(sink.violation(), "") << sink.all();
    }
  }
}

TEST(InvariantsHold, OnTheBench) {
  Chain machine;
  const std::uint32_t buffer = machine.allocation();
  machine.kernel({{buffer, kRetain}, {machine.c, kWait}});
  machine.submit(with({arg(ArgKind::InOut, vector_of(4096, 64))}));
  machine.rounds(3);
  machine.end_scope();
  machine.run();
  machine.watch.at_end();
  EXPECT_EQ(machine.sink.all(), "");
}

}  // namespace
}  // namespace depscope::runtime
