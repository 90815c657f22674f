// Watches, moves and rows as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depscope/replay/event_sets.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/watch.h"
#include "model_run.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using runtime::EventKind;
using runtime::EventLevel;
using ::testing::HasSubstr;

std::string refused(const Cursor& cursor, const std::string& text) {
  try {
    return "no error but " + to_text(cursor.recording(), parse_watch(cursor, text));
  } catch (const QueryError& error) {
    return error.what();
  }
}

TEST(WatchText, PrintsWhatItParses) {
  const Recording r = synthetic_recording({.tasks = 40});
  const Cursor cursor(r);
  for (const std::string text : {"task:r1t5",
                                 "task:r1t5.need",
                                 "task:r1t5.have",
                                 "task:r1t5.claimed",
                                 "task:r1t5.released",
                                 "task:r1t5.block_cursor",
                                 "task:r1t5.subtasks_done",
                                 "task:r1t5.scope_released",
                                 "task:r1t5.own_released",
                                 "task:r1t5.payload_phase",
                                 "task:r1t5.aborted",
                                 "task:r1t5.reclaimed",
                                 "tasks:running",
                                 "slot:r1.7",
                                 "ring:1.next",
                                 "ring:0.watermark",
                                 "ring:3.published",
                                 "ring:1.heap_top",
                                 "ring:1.heap_tail",
                                 "ring:1.heap_guard",
                                 "ring:1.dep_top",
                                 "ring:1.dep_tail",
                                 "ring:1.spill_top",
                                 "ring:1.spill_tail",
                                 "ring:1.cached_watermark",
                                 "ring:1.lock_owner",
                                 "ring:1.advance_pending",
                                 "ring:1.request",
                                 "ring:1.acknowledge",
                                 "ring:1.task_window",
                                 "ring:1.heap_bytes",
                                 "ring:1.dep_pool",
                                 "scope:1",
                                 "queue:AIC",
                                 "queue:sync-MIX",
                                 "queue:dummy",
                                 "core:0",
                                 "core:3.pending",
                                 "tensormap",
                                 "tensormap:r1t5.0",
                                 "buffered_releases:0",
                                 "config:platform",
                                 "config:tensormap_entries"})
    EXPECT_EQ(to_text(r, parse_watch(cursor, text)), text);
  const std::string edge = "edge:" + task_row_name(r, r.edges.producer[3]) + "->" + task_row_name(r, r.edges.consumer[3]);
  EXPECT_EQ(to_text(r, parse_watch(cursor, edge)), edge);
  // Other ways to say the same.
  EXPECT_EQ(parse_watch(cursor, "task:t5.state"), parse_watch(cursor, "task:r1t5"));
  EXPECT_EQ(parse_watch(cursor, "core:2.running"), parse_watch(cursor, "core:2"));
  EXPECT_EQ(parse_watch(cursor, "queue:SYNC AIC"), parse_watch(cursor, "queue:sync-AIC"));
}

TEST(WatchText, ErrorsSayWhatIsAllowed) {
  const Recording r = synthetic_recording({.tasks = 40});
  const Cursor cursor(r);
  EXPECT_THAT(refused(cursor, "clock"),
              HasSubstr("'clock' cannot be watched; what can: task:TASK, task:TASK.FIELD, tasks:STATE"));
  EXPECT_THAT(refused(cursor, ""), HasSubstr("'' cannot be watched; what can: "));
  EXPECT_EQ(refused(cursor, "task:5"), "'5' names no task: write r0t5 for task 5 of ring 0, or t5 for the tasks row 5");
  EXPECT_EQ(refused(cursor, "task:t40"), "there is no task 't40': the recording has tasks rows 0 to 39");
  EXPECT_EQ(refused(cursor, "task:r2t0"), "there is no task 'r2t0': ring 2 has 0 tasks");
  EXPECT_THAT(refused(cursor, "task:t4.colour"), HasSubstr("there is no field of tasks 'colour' (state, need, have, "));
  EXPECT_EQ(refused(cursor, "task:t4."), "'task:t4.' cannot be watched: write task:TASK.FIELD");
  EXPECT_EQ(refused(cursor, "tasks:lost"),
            "there is no state of tasks 'lost' (unborn, pending, ready, running, completed, consumed)");
  EXPECT_EQ(refused(cursor, "slot:1.7"), "'slot:1.7' cannot be watched: write slot:rRING.SLOT, as in slot:r0.3");
  EXPECT_EQ(refused(cursor, "slot:r1.4000"), "'slot:r1.4000': no task of the recording has slot 4000 of ring 1");
  EXPECT_EQ(refused(cursor, "slot:r4.0"), "'slot:r4.0': rings are numbered 0 to 3");
  EXPECT_EQ(refused(cursor, "ring:0"), "'ring:0' cannot be watched: write ring:RING.FIELD, as in ring:0.watermark");
  EXPECT_THAT(refused(cursor, "ring:0.tail"), HasSubstr("there is no field of rings 'tail' (next, watermark, "));
  EXPECT_EQ(refused(cursor, "edge:t1"), "'edge:t1' cannot be watched: write edge:TASK->TASK, as in edge:r0t1->r0t4");
  EXPECT_EQ(refused(cursor, "edge:t9->t1"), "there is no edge from t9 to t1");
  EXPECT_EQ(refused(cursor, "scope:one"),
            "there is no scope 'one': the recording has scopes rows 0 to " + std::to_string(r.scopes.rows() - 1));
  EXPECT_EQ(refused(cursor, "queue:AIX"), "there is no queue 'AIX' (AIC, AIV, MIX, sync-AIC, sync-AIV, sync-MIX, dummy)");
  EXPECT_EQ(refused(cursor, "core:4"), "'core:4': the recording has 4 cores");
  EXPECT_EQ(refused(cursor, "core:0.next"), "'core:0.next' cannot be watched: write core:N or core:N.pending");
  EXPECT_EQ(refused(cursor, "tensormap:r1t5"),
            "'tensormap:r1t5' cannot be watched: write tensormap:TASK.ARG, as in tensormap:r0t5.1");
  EXPECT_EQ(refused(cursor, "tensormap:r1t5.200"), "'tensormap:r1t5.200': task r1t5 has no tensor as argument 200");
  EXPECT_EQ(refused(cursor, "buffered_releases:x"), "'buffered_releases:x' cannot be watched: write buffered_releases:N");
  EXPECT_EQ(refused(cursor, "config:heap"),
            "there is no configured value 'heap' (platform, clusters, scheduler_threads, tensormap_entries)");
}

TEST(WatchText, ASummaryRefusesWhatItDoesNotTell) {
  const Recording r = synthetic_recording({.tasks = 40, .pins = false});
  const Cursor cursor(r);
  for (const std::string text :
       {"task:r1t5", "task:r1t5.own_released", "task:r1t5.aborted", "tasks:ready", "slot:r1.7", "ring:1.next", "ring:1.watermark",
        "ring:1.heap_top", "ring:1.heap_guard", "ring:1.task_window", "scope:1", "config:clusters"})
    EXPECT_EQ(to_text(r, parse_watch(cursor, text)), text);
  for (const std::string text : {"task:r1t5.have", "task:r1t5.need", "task:r1t5.claimed", "task:r1t5.released",
                                 "task:r1t5.reclaimed", "ring:1.published", "ring:1.dep_top", "ring:1.lock_owner", "queue:AIC",
                                 "core:0", "core:77", "tensormap", "tensormap:r1t5.0", "buffered_releases:9"})
    EXPECT_EQ(refused(cursor, text), "the recording is a summary, which does not tell '" + text + "': record with --events full");
}

TEST(WatchText, ValuesHaveNames) {
  ModelRun run({.reduction = {.kind = runtime::ReductionKind::Bitmap, .window = 64}});
  run.begin();
  const auto first = run.task({creates(256)});
  const auto second = run.task({both(first.output)}, {first.all()});
  run.end();
  const Recording& r = run.done();
  Cursor cursor(r);
  const auto changes = [&](const std::string& text) {
    cursor.seek(0);
    const Watch watch = parse_watch(cursor, text);
    std::vector<std::string> out{value_text(r, watch, value(cursor, watch))};
    while (const auto change = next_change(cursor, watch)) {
      EXPECT_EQ(value_text(r, watch, change->before), out.back());
      out.push_back(value_text(r, watch, change->after));
    }
    return out;
  };
  using Texts = std::vector<std::string>;
  const std::string one = task_row_name(r, first.row);
  const std::string two = task_row_name(r, second.row);
  EXPECT_EQ(changes("task:" + two), (Texts{"unborn", "pending", "ready", "running", "completed", "consumed"}));
  EXPECT_EQ(changes("task:" + one + ".scope_released"), (Texts{"no", "yes"}));
  EXPECT_EQ(changes("task:" + one + ".payload_phase"), (Texts{"none", "flushed", "initialised"}));
  EXPECT_EQ(changes("edge:" + one + "->" + two), (Texts{"none", "wait|retain"}));
  EXPECT_EQ(changes("scope:0"), (Texts{"not begun", "open", "ended"}));
  EXPECT_EQ(changes("config:platform"), (Texts{"a2a3"}));
  EXPECT_EQ(changes("ring:0.heap_guard"), (Texts{"none"}));
  const Texts slot =
      changes("slot:r" + std::to_string(runtime::ring_of(first.id)) + "." + std::to_string(r.tasks.slot[first.row]));
  EXPECT_EQ(slot, (Texts{"free", one + ", pending", one + ", ready", one + ", running", one + ", completed", one + ", consumed",
                         "free"}));
  EXPECT_EQ(changes("tensormap:" + two + ".0"), (Texts{"not in the map", "in the map"}));
  EXPECT_EQ(change_text(r, parse_watch(cursor, "task:" + two), {0, 1, 2}), "task:" + two + ": pending -> ready");
  const std::uint32_t core = [&] {
    std::uint32_t i = 0;
    while (r.events.kind[i] != static_cast<std::uint8_t>(EventKind::Place)) ++i;
    return r.events.object[i];
  }();
  EXPECT_EQ(changes("core:" + std::to_string(core))[1], one);
  EXPECT_EQ(changes("core:" + std::to_string(core)).back(), "idle");
}

TEST(RowNames, TheLastRowHasTheId) {
  Recording r = synthetic_recording({.tasks = 10});
  r.tasks.id[3] = r.tasks.id[7];  // what stands in for an allocation comes before the task that has its id
  EXPECT_EQ(task_row(r, "r1t7"), 7U);
  EXPECT_EQ(task_row_name(r, 7), "r1t7");
  EXPECT_EQ(task_row_name(r, 3), "t3");
  EXPECT_EQ(task_row(r, "t3"), 3U);
  EXPECT_THROW((void)task_row(r, "r1t3"), QueryError);
  for (const char* text : {"", "t", "r", "rt", "r1", "r1t", "r1t5x", "r1x5", "-1", "t-1", "r1t99999999999", "R1T5"})
    EXPECT_THROW((void)task_row(r, text), QueryError) << text;
}

TEST(RowNames, TensorsByNumberOrByANameOfOneRow) {
  Recording r = synthetic_recording({.tasks = 10});
  ASSERT_GT(r.tensors.rows(), 7U);
  r.tensors.name[1] = r.strings.add("only");
  for (std::uint32_t t = 0; t < r.tensors.rows(); ++t) {
    if (t != 1) r.tensors.name[t] = r.strings.add("many");
  }
  EXPECT_EQ(tensor_row(r, "4"), 4U);
  EXPECT_EQ(tensor_row(r, "only"), 1U);
  const auto error = [&](const char* text) -> std::string {
    try {
      return std::to_string(tensor_row(r, text));
    } catch (const QueryError& e) {
      return e.what();
    }
  };
  EXPECT_THAT(error("many"), HasSubstr("'many' is the name of tensors rows 0, 2, 3, 4, 5 and "));
  EXPECT_EQ(error("none"), "no tensor is called 'none': write its name or its tensors row");
  EXPECT_THAT(error("12345"), HasSubstr("there is no tensor 12345: the recording has tensors rows 0 to "));
  EXPECT_THAT(error(""), HasSubstr("no tensor is called ''"));
}

/// What counts as a summary is what the model tells of that level.
TEST(EventSets, ASummaryTellsTheKindsThatTheModelTells) {
  const auto kinds = [](EventLevel level) {
    runtime::ModelOptions options;
    options.events = level;
    ModelRun run(options);
    run.begin();
    const auto first = run.allocate(1024);
    for (int i = 0; i < 6; ++i) run.task({both(first.output), creates(256)}, {first.wait()});
    run.end();
    EventKinds out;
    for (const std::uint8_t kind : run.done().events.kind) out.set(kind);
    return out;
  };
  const EventKinds summary = kinds(EventLevel::Summary);
  const EventKinds full = kinds(EventLevel::Full);
  EXPECT_GT(summary.count(), 10U);
  EXPECT_GT(full.count(), 35U);
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind) {
    const auto name = runtime::event_kind_name(static_cast<EventKind>(kind));
    if (!full.test(kind)) continue;
    EXPECT_EQ(summary.test(kind), told_by_summary(static_cast<EventKind>(kind))) << name;
  }
}

TEST(Moves, AreParsedBeforeTheyAreMade) {
  const Recording r = synthetic_recording({.tasks = 40});
  Cursor cursor(r);
  const auto error = [&](const char* text) -> std::string {
    try {
      (void)parse_move(cursor, text);
      return "";
    } catch (const QueryError& e) {
      return e.what();
    }
  };
  for (const char* text : {"", " ", "go", "to", "to x", "to -1", "to 1 2", "start 1", "step 1 2", "back x", "STEP"})
    EXPECT_THAT(error(text), HasSubstr("is no move; moves: to N, start, end, ")) << text;
  for (const char* text : {"next", "next kind", "next kind=", "next what=1", "previous actor=256", "previous actor="})
    EXPECT_THAT(error(text), HasSubstr("says nothing about events; what may be said: kind=NAME, ")) << text;
  EXPECT_THAT(error("next scope=99999"), HasSubstr("there is no scope '99999'"));
  EXPECT_THAT(error("to 4000000000"), HasSubstr("the recording has " + std::to_string(cursor.size()) + " events"));
  EXPECT_EQ(cursor.position(), 0U);

  const Move move = parse_move(cursor, "  next   kind=ready,complete  scope=2+tasks actor=1 ");
  EXPECT_EQ(move.kind, MoveKind::Next);
  EXPECT_EQ(move.query.kinds.count(), 2U);
  EXPECT_EQ(move.query.scope, 2U);
  EXPECT_TRUE(move.query.scope_tasks);
  EXPECT_EQ(move.query.actor, std::uint8_t{1});
  EXPECT_EQ(move.query.task, recording::kNoRow);
}

TEST(Moves, StepsThatDoNotFitSayThatTheyStopped) {
  const Recording r = synthetic_recording({.tasks = 10});
  Cursor cursor(r);
  const auto make = [&](const char* text) { return perform(cursor, parse_move(cursor, text)).moved; };
  EXPECT_TRUE(make("step 5"));
  EXPECT_EQ(cursor.position(), 5U);
  EXPECT_TRUE(make("back"));
  EXPECT_EQ(cursor.position(), 4U);
  EXPECT_FALSE(make("back 5"));
  EXPECT_EQ(cursor.position(), 0U);
  EXPECT_TRUE(make("end"));
  EXPECT_EQ(cursor.position(), cursor.size());
  EXPECT_FALSE(make("step"));
  EXPECT_TRUE(make("to 7"));
  EXPECT_EQ(cursor.position(), 7U);
  EXPECT_TRUE(make("change ring:1.next"));
  EXPECT_TRUE(make("change-back ring:1.next"));
  EXPECT_EQ(r.events.kind[cursor.position()], static_cast<std::uint8_t>(EventKind::Submit));
  EXPECT_TRUE(make("start"));
  EXPECT_FALSE(make("change-back ring:1.next"));
}

}  // namespace
}  // namespace depscope::replay
