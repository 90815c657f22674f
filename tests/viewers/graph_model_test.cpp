#include "depscope/viewers/graph_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "graph_recording.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::ElementsAre;

class GraphModelTest : public ::testing::Test {
 protected:
  void open(recording::Recording recording) {
    document_ = std::make_unique<Document>(std::move(recording), "");
    model_.attach(document_.get(), nullptr);
  }
  [[nodiscard]] const recording::Recording& r() const { return document_->recording(); }

  /// Boxes stand in their frames and not on one another, lines go forward, and every edge between two boxes is in one line.
  void check() const {
    const auto& nodes = model_.nodes();
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      if (nodes[a].frame != kNoRow) {
        const GraphFrame& frame = model_.frames()[nodes[a].frame];
        EXPECT_GE(nodes[a].x, frame.x);
        EXPECT_GE(nodes[a].y, frame.y + GraphModel::kTitleHeight);
        EXPECT_LE(nodes[a].x + nodes[a].width, frame.x + frame.width + 0.1F);
        EXPECT_LE(nodes[a].y + nodes[a].height, frame.y + frame.height + 0.1F);
      }
      for (std::size_t b = 0; b < a; ++b) EXPECT_TRUE(apart(nodes[a], nodes[b])) << a << " on " << b;
    }
    for (std::size_t a = 0; a < model_.frames().size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const GraphFrame& inner = model_.frames()[a];
        const GraphFrame& outer = model_.frames()[b];
        const TaskGroup& x = model_.tree().group(inner.group);
        const TaskGroup& y = model_.tree().group(outer.group);
        const bool nested = x.begin < y.end && y.begin < x.end;
        EXPECT_TRUE(nested || apart(inner, outer)) << a << " on " << b;
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    for (std::uint32_t edge = 0; edge < r().edges.rows(); ++edge) {
      const std::uint32_t from = model_.node_of_task(r().edges.producer[edge]);
      const std::uint32_t to = model_.node_of_task(r().edges.consumer[edge]);
      if (from != kNoRow && to != kNoRow && from != to) ++expected[{from, to}];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> drawn;
    for (const GraphEdge& line : model_.edges()) {
      EXPECT_TRUE(drawn.emplace(std::pair{line.from, line.to}, line.count).second);
      EXPECT_EQ(model_.edges_of_line(line, 1'000'000).size(), line.count);
      if (model_.top_to_bottom()) {
        EXPECT_LT(nodes[line.from].y + nodes[line.from].height, nodes[line.to].y);
      } else {
        EXPECT_LT(nodes[line.from].x + nodes[line.from].width, nodes[line.to].x);
      }
      EXPECT_EQ(model_.line_of_edge(line.row), static_cast<std::uint32_t>(&line - model_.edges().data()));
    }
    EXPECT_EQ(drawn, expected);
  }

  template <class A, class B>
  static bool apart(const A& a, const B& b) {
    return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y + 0.05F || b.y + b.height <= a.y + 0.05F;
  }

  std::unique_ptr<Document> document_;
  GraphModel model_;
};

TEST_F(GraphModelTest, SmallGraphsAreOpen) {
  open(sample_recording(100));
  EXPECT_EQ(model_.nodes().size(), 100U);
  check();
  model_.set_top_to_bottom(true);
  check();
  model_.close_all();
  EXPECT_LT(model_.nodes().size(), 100U);
  check();
  EXPECT_TRUE(model_.open_all());
  EXPECT_EQ(model_.nodes().size(), 100U);
}

TEST_F(GraphModelTest, LargeGraphsOpenWhatFits) {
  open(sample_recording(10'000));
  EXPECT_LE(model_.nodes().size(), kFirstGraphNodes);
  EXPECT_GT(model_.nodes().size(), 1U);
  check();
  EXPECT_FALSE(model_.open_all());
  EXPECT_LE(model_.nodes().size(), kMaxGraphNodes);
  EXPECT_GT(model_.nodes().size(), kMaxGraphNodes / 2);
  // Whatever is opened next, the limit holds and nothing is lost.
  std::uint32_t closed = kNoRow;
  for (const GraphNode& node : model_.nodes()) {
    if (node.kind == GraphNode::Kind::Group) closed = node.row;
  }
  ASSERT_NE(closed, kNoRow);
  bool fits = true;
  for (std::uint32_t group = closed; fits && group < model_.tree().groups().size(); ++group) fits = model_.open(group);
  EXPECT_LE(model_.nodes().size(), kMaxGraphNodes);
}

TEST_F(GraphModelTest, ClosedGroupsCarryTheirEdges) {
  GraphRecording g;
  const std::uint32_t root = g.scope();
  const std::uint32_t first = g.scope(root);
  const std::uint32_t second = g.scope(root);
  g.task("a", first);
  g.task("b", first);
  g.task("c", second);
  g.task("d", second);
  g.edge(0, 1);
  g.edge(0, 2, runtime::kWaitRetain, runtime::kRetain, 1, runtime::kCreator);
  g.edge(1, 2, runtime::kWait, runtime::kWait, kNoRow, runtime::kCompiler);
  g.edge(1, 3);
  open(g.r);
  EXPECT_EQ(model_.nodes().size(), 4U);
  EXPECT_EQ(model_.frames().size(), 3U);
  check();
  model_.close_all();
  ASSERT_EQ(model_.nodes().size(), 2U);
  check();
  ASSERT_EQ(model_.edges().size(), 1U);
  const GraphEdge& line = model_.edges()[0];
  EXPECT_EQ(line.count, 3U);
  EXPECT_EQ(line.wait, 2U);
  EXPECT_EQ(line.retain, 2U);
  EXPECT_EQ(line.gone, 1U);
  EXPECT_EQ(line.provenance, runtime::kUser | runtime::kCreator | runtime::kCompiler);
  EXPECT_THAT(model_.edges_of_line(line, 2), ElementsAre(1U, 2U));
  EXPECT_TRUE(model_.open(model_.nodes()[1].row));
  EXPECT_EQ(model_.nodes().size(), 3U);
  check();
  model_.close_all();
  EXPECT_TRUE(model_.open_to(3));
  EXPECT_EQ(model_.nodes()[model_.node_of_task(3)].kind, GraphNode::Kind::Task);
  EXPECT_EQ(model_.nodes()[model_.node_of_task(0)].kind, GraphNode::Kind::Group);
  model_.close(0);
  EXPECT_EQ(model_.nodes().size(), 1U);
  EXPECT_TRUE(model_.edges().empty());
}

TEST_F(GraphModelTest, AFilterHidesEdgesAndDimsBoxes) {
  open(sample_recording(60));
  const std::vector<GraphNode> before = model_.nodes();
  model_.set_filter(parse_graph_filter("kernel:softmax,fill prov:user").filter);
  ASSERT_EQ(model_.nodes().size(), before.size());
  std::uint32_t expected = 0;
  const auto passes = [&](std::uint32_t task) {
    const std::string_view kernel = r().text(r().tasks.callee[task]);
    return kernel.find("softmax") != std::string_view::npos || kernel.find("fill") != std::string_view::npos;
  };
  for (const GraphNode& node : model_.nodes()) {
    EXPECT_EQ(node.dim, !passes(node.row)) << node.row;
    EXPECT_EQ(node.x, before[node.row].x) << "boxes stay where they are";
    EXPECT_EQ(node.y, before[node.row].y);
  }
  for (std::uint32_t edge = 0; edge < r().edges.rows(); ++edge) {
    if ((r().edges.provenance[edge] & runtime::kUser) != 0 && passes(r().edges.producer[edge]) &&
        passes(r().edges.consumer[edge]))
      ++expected;
  }
  EXPECT_EQ(model_.edges().size(), expected);
  EXPECT_GT(expected, 0U);
  model_.set_filter({});
  EXPECT_EQ(model_.nodes()[7].x, before[7].x);
  EXPECT_EQ(model_.nodes()[7].y, before[7].y);
}

TEST_F(GraphModelTest, AFocusShowsItsTasksOnly) {
  open(sample_recording(10'000));
  const std::vector<std::uint32_t> tasks{17, 18, 4'000, 4'001, 9'999};
  model_.set_focus(tasks);
  ASSERT_EQ(model_.nodes().size(), tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(model_.nodes()[i].row, tasks[i]);
    EXPECT_EQ(model_.node_of_task(tasks[i]), i);
  }
  EXPECT_EQ(model_.node_of_task(19), kNoRow);
  check();
  model_.set_focus({5'000});
  EXPECT_EQ(model_.nodes().size(), 1U);
  EXPECT_EQ(model_.frames().size(), 1U);
  model_.set_focus({});
  EXPECT_NE(model_.node_of_task(19), kNoRow);
}

TEST_F(GraphModelTest, SameRecordingSamePlaces) {
  open(sample_recording(140));
  GraphModel other;
  other.attach(document_.get(), nullptr);
  ASSERT_EQ(other.nodes().size(), model_.nodes().size());
  for (std::size_t i = 0; i < other.nodes().size(); ++i) {
    EXPECT_EQ(other.nodes()[i].x, model_.nodes()[i].x);
    EXPECT_EQ(other.nodes()[i].y, model_.nodes()[i].y);
  }
}

TEST_F(GraphModelTest, WhatOnlyTheOtherHasStandsBesideItsNeighbours) {
  // Here: t0 → t1. There: t0 → t1 (new) → t2, which is our t1.
  GraphRecording a;
  a.task("load");
  a.task("store");
  a.edge(0, 1);
  GraphRecording b;
  b.task("load");
  b.task("exp");
  b.task("store");
  b.edge(0, 1);
  b.edge(1, 2);
  Document here(a.r, "a");
  Document there(b.r, "b");
  Comparison comparison(here, there);
  auto& tasks = const_cast<Comparison::Rows&>(comparison.rows(ItemKind::Task));
  tasks = {{0, 2}, {Mark::Same, Mark::Same}, {1}};
  auto& edges = const_cast<Comparison::Rows&>(comparison.rows(ItemKind::Edge));
  edges = {{kNoRow}, {Mark::OnlyHere}, {0, 1}};
  GraphModel model;
  model.attach(&here, &comparison);
  ASSERT_EQ(model.nodes().size(), 3U);
  EXPECT_EQ(model.nodes()[1].kind, GraphNode::Kind::There);
  EXPECT_EQ(model.node_of_there(1), 1U);
  ASSERT_EQ(model.edges().size(), 3U);
  EXPECT_FALSE(model.edges()[0].there);
  for (const GraphEdge& line : model.edges()) {
    EXPECT_LT(model.nodes()[line.from].x + model.nodes()[line.from].width, model.nodes()[line.to].x);
  }
  EXPECT_TRUE(model.edges()[1].there);
  EXPECT_EQ(model.edges()[1].to, 1U);
  EXPECT_EQ(model.edges()[2].from, 1U);
  model.close(0);
  ASSERT_EQ(model.nodes().size(), 1U);
  EXPECT_EQ(model.nodes()[0].there, 1U);
}

TEST_F(GraphModelTest, NothingIsNothing) {
  model_.attach(nullptr, nullptr);
  EXPECT_TRUE(model_.nodes().empty());
  model_.open_all();
  model_.close_all();
  open(recording::Recording());
  EXPECT_TRUE(model_.nodes().empty());
  EXPECT_EQ(model_.node_of_task(0), kNoRow);
  EXPECT_EQ(model_.node_of_group(0), kNoRow);
}

TEST_F(GraphModelTest, LinesThatSkipALayerAreLedPastTheBoxesBetween) {
  GraphRecording chain;
  for (int i = 0; i < 4; ++i) chain.task("k");
  chain.edge(0, 1);
  chain.edge(0, 2);
  chain.edge(1, 2);
  chain.edge(0, 3);
  chain.edge(2, 3);
  open(chain.r);
  for (const bool down : {false, true}) {
    model_.set_top_to_bottom(down);
    float longest = 0;
    for (const GraphEdge& line : model_.edges()) {
      if (line.to - line.from == 1) {
        EXPECT_EQ(line.bow, 0) << line.from << " to " << line.to;
        continue;
      }
      const GraphNode& box = model_.nodes()[line.from];
      EXPECT_LT(line.bow, -0.5F * (down ? box.width : box.height)) << "its middle is behind a box";
      if (line.to == 3) longest = line.bow;
    }
    EXPECT_EQ(model_.edges()[1].to, 2U);
    EXPECT_LT(longest, model_.edges()[1].bow) << "the farther, the wider";
  }
}

}  // namespace
}  // namespace depscope::viewers
