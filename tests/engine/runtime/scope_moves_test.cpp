// A run with moved scopes is the run of the program whose scopes stand there.
#include <gtest/gtest.h>

#include <functional>

#include "recorded_run.h"

namespace depscope::runtime {
namespace {

using Program = std::function<void(Model&)>;

/// The same rows and events, byte for byte where it matters.
void expect_same(const ScopeMoves& moves, const Program& program, const Program& written) {
  for (const Platform platform : {Platform::A2A3, Platform::A5}) {
    ModelOptions options;
    options.platform = platform;
    options.limits[1].task_window = 4;
    RecordedRun plain(options);
    written(plain.model);
    plain.model.finish();
    options.scope_moves = moves;
    RecordedRun moved(options);
    program(moved.model);
    moved.model.finish();
    ASSERT_EQ(moved.sink.events.size(), plain.sink.events.size());
    for (std::size_t i = 0; i < plain.sink.events.size(); ++i) {
      const Event& a = plain.sink.events[i];
      const Event& b = moved.sink.events[i];
      ASSERT_TRUE(a.kind == b.kind && a.subject == b.subject && a.object == b.object && a.old_value == b.old_value &&
                  a.new_value == b.new_value && a.time == b.time && a.actor == b.actor && a.extra == b.extra)
          << "event " << i << ": " << event_kind_name(a.kind) << ", " << event_kind_name(b.kind);
    }
    ASSERT_EQ(moved.sink.scopes.size(), plain.sink.scopes.size());
    for (std::size_t i = 0; i < plain.sink.scopes.size(); ++i) {
      EXPECT_EQ(moved.sink.scopes[i].depth, plain.sink.scopes[i].depth);
      EXPECT_EQ(moved.sink.scopes[i].manual, plain.sink.scopes[i].manual);
      EXPECT_EQ(moved.sink.scopes[i].owner, plain.sink.scopes[i].owner);
    }
    ASSERT_EQ(moved.sink.tasks.size(), plain.sink.tasks.size());
    for (std::size_t i = 0; i < plain.sink.tasks.size(); ++i) EXPECT_EQ(moved.sink.tasks[i].id, plain.sink.tasks[i].id);
  }
}

void submits(Model& m, int count) {
  for (int i = 0; i < count; ++i) {
    Submission s = kernel();
    s.args = {Argument{ArgKind::InOut, vector_of(0x1000, 64), 0}};
    m.submit(s);
  }
}

TEST(ScopeMoves, SplitEndsAllScopesFromThatDepth) {
  ScopeMoves moves;
  moves.splits = {{3, 1}};
  expect_same(
      moves,
      [](Model& m) {
        m.begin_scope(false, 1);
        submits(m, 1);
        m.begin_scope(true);
        submits(m, 3);
        m.end_scope();
        submits(m, 1);
        m.end_scope();
      },
      [](Model& m) {
        m.begin_scope(false, 1);
        submits(m, 1);
        m.begin_scope(true);
        submits(m, 2);
        m.end_scope();
        m.end_scope();
        m.begin_scope(false, 1);
        m.begin_scope(true);
        submits(m, 1);
        m.end_scope();
        submits(m, 1);
        m.end_scope();
      });
}

TEST(ScopeMoves, OwnTakesTheModeOfWhereItStands) {
  for (const bool manual : {false, true}) {
    ScopeMoves moves;
    moves.own = 1;
    expect_same(
        moves,
        [&](Model& m) {
          m.begin_scope(manual);
          submits(m, 3);
          m.end_scope();
        },
        [&](Model& m) {
          m.begin_scope(manual);
          submits(m, 1);
          m.begin_scope(manual);
          submits(m, 1);
          m.end_scope();
          submits(m, 1);
          m.end_scope();
        });
  }
}

TEST(ScopeMoves, LeftOutGivesItsTasksToTheScopeAround) {
  ScopeMoves moves;
  moves.left_out = 2;  // the root scope is the first
  expect_same(
      moves,
      [](Model& m) {
        m.begin_scope(false);
        submits(m, 1);
        m.begin_scope(true);
        submits(m, 1);
        m.begin_scope(true);
        submits(m, 1);
        m.end_scope();
        m.end_scope();
        m.end_scope();
        submits(m, 1);
      },
      [](Model& m) {
        m.begin_scope(false);
        submits(m, 2);
        m.begin_scope(true);
        submits(m, 1);
        m.end_scope();
        m.end_scope();
        submits(m, 1);
      });
}

TEST(ScopeMoves, PartsHoldNoMoreThanTheyMay) {
  ScopeMoves moves;
  moves.part_depth = 1;
  moves.part_tasks = 2;
  expect_same(
      moves,
      [](Model& m) {
        submits(m, 3);
        m.begin_scope(false);
        submits(m, 5);
        m.end_scope();
      },
      [](Model& m) {
        submits(m, 3);
        for (const int count : {2, 2, 1}) {
          m.begin_scope(false);
          submits(m, count);
          m.end_scope();
        }
      });
}

TEST(ScopeMoves, AFatalErrorStaysTheFirst) {
  ModelOptions options;
  options.limits[0].task_window = 4;
  options.scope_moves.splits = {{5, 1}};
  options.scope_moves.own = 6;
  RecordedRun run(options);
  submits(run.model, 8);
  EXPECT_EQ(run.model.error_code(), 1);
  EXPECT_EQ(run.model.open_scopes(), 1U);
}

}  // namespace
}  // namespace depscope::runtime
