// Which rows of two small runs are the same, and in what they differ.
#include "depscope/replay/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "deps_text.h"
#include "matching_errors.h"
#include "model_run.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Matching matched(const Recording& a, const Recording& b) {
  Matching out;
  (void)compare(a, b, {}, out);
  EXPECT_EQ(error_of_matching(out, a, b), "");
  // Who only asks which rows are the same gets the same.
  const Matching rows = match_rows(a, b);
  EXPECT_EQ(rows.tasks.b_of_a, out.tasks.b_of_a);
  EXPECT_EQ(rows.edges.b_of_a, out.edges.b_of_a);
  EXPECT_EQ(rows.scopes.b_of_a, out.scopes.b_of_a);
  EXPECT_EQ(rows.hazards.b_of_a, out.hazards.b_of_a);
  EXPECT_EQ(rows.tensors.b_of_a, out.tensors.b_of_a);
  EXPECT_THAT(rows.edges.differs, IsEmpty());
  return out;
}

TEST(Match, ARecordingWithItself) {
  const Recording r = synthetic_recording({.tasks = 60});
  const Matching m = matched(r, r);
  EXPECT_EQ(m.by, AlignedBy::TaskId);
  for (const MatchedRows* rows : {&m.passes, &m.functions, &m.call_sites, &m.arguments, &m.ir_scopes, &m.regions, &m.hazards,
                                  &m.tasks, &m.accesses, &m.tensors, &m.edges, &m.scopes})
    EXPECT_TRUE(is_identity(*rows));
  EXPECT_EQ(error_of_followers(m, r, r), "");
}

TEST(Match, EdgesFollowTheirTasks) {
  // t1 is gone in b, t3 has another producer.
  const auto file = [](const std::vector<std::string>& tasks, const std::vector<std::string>& edges) {
    return read_deps(deps_file(tasks, {}, edges)).recording;
  };
  const Recording a = file({deps_task("0", 0), deps_task("1", 1), deps_task("2", 2), deps_task("3", 3)},
                           {deps_explicit("0", "1"), deps_explicit("0", "2"), deps_explicit("2", "3")});
  const Recording b =
      file({deps_task("0", 0), deps_task("2", 2), deps_task("3", 3)}, {deps_explicit("0", "2"), deps_explicit("0", "3")});
  const Matching m = matched(a, b);
  EXPECT_THAT(m.tasks.b_of_a, ElementsAre(0, kNoRow, 1, 2));
  EXPECT_THAT(m.tasks.only_a, ElementsAre(1));
  EXPECT_THAT(m.tasks.only_b, IsEmpty());
  EXPECT_THAT(m.edges.b_of_a, ElementsAre(kNoRow, 0, kNoRow));
  EXPECT_THAT(m.edges.only_a, ElementsAre(0, 2));
  EXPECT_THAT(m.edges.only_b, ElementsAre(1));
  EXPECT_EQ(error_of_followers(m, a, b), "");
  EXPECT_FALSE(m.passes.compared);
}

TEST(Match, WhatAnArgumentDiffersInMarksTaskAndAccess) {
  const auto file = [](int extent, int offset, const std::string& type) {
    return read_deps(deps_file({deps_task("0", 0, {deps_arg(0, "INOUT", "1"), deps_arg(1, type, "2", extent, offset)}),
                                deps_task("1", 1, {deps_arg(0, "INPUT", "2")})},
                               {deps_tensor("1", "64"), deps_tensor("2", "128")}, {}))
        .recording;
  };
  const Recording a = file(64, 0, "INPUT");
  Matching m = matched(a, file(32, 0, "INPUT"));
  EXPECT_THAT(m.accesses.b_of_a, ElementsAre(0, 1, 2));
  EXPECT_THAT(m.accesses.differs, ElementsAre(0, 1U << static_cast<unsigned>(DifferenceKind::Argument), 0));
  EXPECT_THAT(m.tasks.differs, ElementsAre(1U << static_cast<unsigned>(DifferenceKind::Argument), 0));
  m = matched(a, file(64, 8, "INPUT"));
  EXPECT_EQ(marked(m.accesses, DifferenceKind::Argument), 1U);
  m = matched(a, file(64, 0, "INOUT"));
  EXPECT_TRUE(m.accesses.differs_in(1, DifferenceKind::Direction));
  EXPECT_FALSE(m.accesses.differs_in(1, DifferenceKind::Argument));
  EXPECT_TRUE(m.tasks.differs_in(0, DifferenceKind::Direction));
}

TEST(Match, KernelsAndBlocks) {
  const auto file = [](int kernel, int blocks) {
    std::vector<std::string> tasks;
    for (int i = 0; i < 12; ++i)
      tasks.push_back(deps_task(std::to_string(i), i == 3 ? kernel : i % 2, {}, "auto", i == 5 ? blocks : 1));
    return read_deps(deps_file(tasks, {}, {})).recording;
  };
  const Matching m = matched(file(1, 1), file(0, 4));
  EXPECT_EQ(marked(m.tasks, DifferenceKind::Kernel), 1U);
  EXPECT_TRUE(m.tasks.differs_in(3, DifferenceKind::Kernel));
  EXPECT_EQ(marked(m.tasks, DifferenceKind::BlockNum), 1U);
  EXPECT_TRUE(m.tasks.differs_in(5, DifferenceKind::BlockNum));
}

/// Two tasks, the second of which waits for the first and, if `retain`, keeps it.
Recording chain(bool retain, bool manual, int scopes_around = 0) {
  ModelRun run;
  for (int i = 0; i < scopes_around; ++i) run.begin();
  run.begin(manual);
  const ModelRun::Task first = run.task({creates(256)});
  run.task({reads(first.output)}, {retain ? first.all() : first.wait()});
  run.end();
  for (int i = 0; i < scopes_around; ++i) run.end();
  return run.done();
}

TEST(Match, FlagsOfEdges) {
  const Recording a = chain(true, true);
  const Recording b = chain(false, true);
  const Matching m = matched(a, b);
  ASSERT_EQ(a.edges.rows(), 1U);
  EXPECT_THAT(m.edges.b_of_a, ElementsAre(0));
  EXPECT_TRUE(m.edges.differs_in(0, DifferenceKind::Flags));
  EXPECT_FALSE(m.edges.differs_in(0, DifferenceKind::FinalFlags)) << "nothing was reduced: the discovered flags say it";
  // What held the first task's slot was its reader, and is the end of the scope.
  EXPECT_EQ(marked(m.scopes, DifferenceKind::Scope), 0U);
}

TEST(Match, ScopesByTheTasksInThem) {
  const Recording a = chain(true, false);
  const Recording b = chain(true, true);
  const Matching m = matched(a, b);
  ASSERT_EQ(a.scopes.rows(), b.scopes.rows());
  ASSERT_EQ(a.tasks.scope[0], b.tasks.scope[0]);
  const std::uint32_t scope = a.tasks.scope[0];
  EXPECT_EQ(m.scopes.b_of_a[scope], scope);
  EXPECT_TRUE(m.scopes.differs_in(scope, DifferenceKind::Scope));
  EXPECT_TRUE(m.tasks.differs_in(0, DifferenceKind::Scope));
  EXPECT_THAT(m.scopes.only_a, IsEmpty());
}

TEST(Match, AScopeAroundIsTheOneOnlyBHas) {
  const Recording a = chain(true, true, 0);
  const Recording b = chain(true, true, 1);
  const Matching m = matched(a, b);
  ASSERT_EQ(b.scopes.rows(), a.scopes.rows() + 1);
  EXPECT_EQ(m.scopes.b_of_a[a.tasks.scope[0]], b.tasks.scope[0]);
  EXPECT_THAT(m.scopes.only_b, ElementsAre(b.scopes.parent[b.tasks.scope[0]]));
  EXPECT_THAT(m.scopes.differs, Each(0U));
}

TEST(Match, ScopesWithoutTasksInOrder) {
  const auto run = [](bool manual_too) {
    ModelRun run;
    run.begin();
    run.end();
    if (manual_too) {
      run.begin(true);
      run.end();
    }
    run.begin();
    run.task({creates(64)});
    run.end();
    return run.done();
  };
  const Recording a = run(false);
  const Recording b = run(true);
  const Matching m = matched(a, b);
  ASSERT_EQ(b.scopes.rows(), a.scopes.rows() + 1);
  ASSERT_EQ(m.scopes.only_b.size(), 1U);
  EXPECT_EQ(b.scopes.manual[m.scopes.only_b[0]], 1);
  EXPECT_THAT(m.scopes.only_a, IsEmpty());
}

TEST(Match, BuffersOfTasksAreThoseOfTheirCounterparts) {
  // In b the second task reads what the other task made.
  const auto run = [](bool other) {
    ModelRun run;
    const ModelRun::Task x = run.task({creates(256)});
    const ModelRun::Task y = run.task({creates(256)});
    run.task({reads(other ? y.output : x.output)});
    run.task({reads(y.output)});
    return run.done();
  };
  const Recording a = run(false);
  const Recording b = run(true);
  const Matching m = matched(a, b);
  for (std::uint32_t t = 0; t < a.tensors.rows(); ++t) {
    ASSERT_NE(m.tensors.b_of_a[t], kNoRow);
    EXPECT_EQ(b.tensors.owner[m.tensors.b_of_a[t]], a.tensors.owner[t]);
  }
}

TEST(Match, WhatOneSideCannotKnowIsNotListed) {
  // A program beside a task graph: no passes, and explicit allocations only where an edge names them.
  const Recording a = synthetic_recording({.tasks = 20});
  const Recording b = read_deps(deps_file({deps_task("0", 0)}, {}, {})).recording;
  const Matching m = matched(a, b);
  EXPECT_FALSE(m.passes.compared);
  EXPECT_FALSE(m.call_sites.compared);
  EXPECT_TRUE(m.tasks.compared);
  Recording no_run;
  EXPECT_FALSE(matched(no_run, no_run).tasks.compared);
}

}  // namespace
}  // namespace depscope::replay
