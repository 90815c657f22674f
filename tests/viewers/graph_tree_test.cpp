#include "depscope/viewers/graph_tree.h"

#include <gtest/gtest.h>

#include "graph_recording.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;

/// What every tree has to keep: parts are in order, cover their group once, and know their parent.
void check(const GraphTree& tree, std::uint32_t tasks) {
  ASSERT_FALSE(tree.groups().empty());
  EXPECT_EQ(tree.group(0).begin, 0U);
  EXPECT_EQ(tree.group(0).end, tasks);
  for (std::uint32_t group = 0; group < tree.groups().size(); ++group) {
    const TaskGroup& own = tree.group(group);
    ASSERT_LT(own.begin, own.end);
    if (group > 0) {
      ASSERT_LT(own.parent, group);
      EXPECT_EQ(own.depth, tree.group(own.parent).depth + 1);
    }
    EXPECT_LE(own.parts, GraphTree::kMaxParts + 1);
    std::uint32_t next = own.begin;
    std::uint32_t parts = 0;
    tree.for_each_part(group, [&](bool is_group, std::uint32_t index) {
      ++parts;
      EXPECT_EQ(is_group ? tree.group(index).begin : index, next);
      EXPECT_EQ(is_group ? tree.group(index).parent : tree.group_of_task(index), group);
      next = is_group ? tree.group(index).end : index + 1;
    });
    EXPECT_EQ(next, own.end);
    EXPECT_EQ(parts, own.parts);
  }
}

TEST(GraphTree, NestsScopeLoopIterationTask) {
  GraphRecording g;
  const std::uint32_t root = g.scope();
  const std::uint32_t before = g.site({});
  const std::uint32_t a = g.site({7});
  const std::uint32_t b = g.site({7});
  g.task("first", root, before);
  for (std::uint32_t i = 0; i < 3; ++i) {
    g.task("load", root, a, {i});
    g.task("store", root, b, {i});
  }
  const GraphTree tree(g.r);
  check(tree, 7);
  ASSERT_EQ(tree.groups().size(), 5U);
  EXPECT_EQ(tree.label(g.r, 0), "scope 0 AUTO");
  EXPECT_EQ(tree.label(g.r, 1), "loop in line 17");
  EXPECT_EQ(tree.label(g.r, 2), "iteration 0");
  EXPECT_EQ(tree.label(g.r, 4), "iteration 2");
  EXPECT_EQ(tree.group_of_task(0), 0U);
  EXPECT_EQ(tree.group_of_task(6), 4U);
  EXPECT_EQ(tree.group(1).parts, 3U);
}

TEST(GraphTree, AScopeInEveryIterationTakesItsPlace) {
  GraphRecording g;
  const std::uint32_t root = g.scope();
  const std::uint32_t site = g.site({3});
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t inner = g.scope(root, true);
    const std::uint32_t buffer = g.task("", inner);  // an allocation knows neither its call site nor its loop
    g.r.tasks.kind[buffer] = static_cast<std::uint8_t>(runtime::TaskKind::Alloc);
    g.task("load", inner, site, {i});
    g.task("store", inner, site, {i});
  }
  const GraphTree tree(g.r);
  check(tree, 6);
  ASSERT_EQ(tree.groups().size(), 4U);
  EXPECT_EQ(tree.group(1).kind, GroupKind::Loop);
  EXPECT_EQ(tree.label(g.r, 2), "scope 1 MANUAL, iteration 0");
  EXPECT_EQ(tree.label(g.r, 3), "scope 2 MANUAL, iteration 1");
  EXPECT_EQ(tree.group_of_task(3), 3U);
}

TEST(GraphTree, LoopsOfOneTaskPerIterationHaveNoIterations) {
  GraphRecording g;
  const std::uint32_t root = g.scope();
  const std::uint32_t site = g.site({1});
  g.task("before", root, g.site({}));
  for (std::uint32_t i = 0; i < 4; ++i) g.task("tile", root, site, {i});
  const GraphTree tree(g.r);
  check(tree, 5);
  ASSERT_EQ(tree.groups().size(), 2U);
  EXPECT_EQ(tree.group(1).kind, GroupKind::Loop);
  EXPECT_EQ(tree.group(1).parts, 4U);
}

TEST(GraphTree, ManyPartsGetRanges) {
  GraphRecording g;
  for (std::uint32_t i = 0; i < 25'000; ++i) g.task("k");
  const GraphTree tree(g.r);
  check(tree, 25'000);
  EXPECT_EQ(tree.label(g.r, 0), "all tasks");
  EXPECT_EQ(tree.group(0).parts, 3U);
  EXPECT_EQ(tree.label(g.r, 1), "t0 – t9999");
  EXPECT_EQ(tree.label(g.r, 2), "t0 – t99");
}

TEST(GraphTree, KeepsItsRulesOnMadeUpRunsAndBadScopes) {
  for (const std::uint32_t tasks : {1U, 20U, 1'000U}) check(GraphTree(sample_recording(tasks)), tasks);
  GraphRecording g;
  const std::uint32_t a = g.scope();
  const std::uint32_t b = g.scope();
  for (std::uint32_t i = 0; i < 300; ++i) g.task("k", i % 2 == 0 ? a : b);  // scopes that are left and entered again
  check(GraphTree(g.r), 300);
  std::uint32_t deep = a;
  for (int i = 0; i < 200; ++i) deep = g.scope(deep);
  g.task("k", deep);
  check(GraphTree(g.r), 301);
  EXPECT_TRUE(GraphTree(recording::Recording()).groups().empty());
}

}  // namespace
}  // namespace depscope::viewers
