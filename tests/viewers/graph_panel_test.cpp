// What the Graph panel says and keeps, without a window.
#include "graph_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "graph_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// load t0 → exp t1 → store t2, and t0 → t2 whose WAIT was removed.
recording::Recording chain() {
  GraphRecording g;
  const std::uint32_t scope = g.scope();
  g.task("load", scope);
  g.task("exp", scope);
  g.task("store", scope);
  g.edge(0, 1);
  g.edge(0, 2, runtime::kWaitRetain, runtime::kRetain, 1, runtime::kCreator);
  g.edge(1, 2, runtime::kWait, runtime::kWait, kNoRow, runtime::kUser | runtime::kTensorMap);
  g.r.tasks.block_num[1] = 4;
  return g.r;
}

class GraphPanelTest : public ::testing::Test {
 protected:
  void open(recording::Recording recording) {
    document_ = std::make_unique<Document>(std::move(recording), "");
    context_.document = document_.get();
    context_.selection.attach(&document_->recording());
    panel_.add_actions(context_);
    panel_.opened(context_);
  }

  Context context_;
  std::unique_ptr<Document> document_;
  GraphPanel panel_;
};

TEST_F(GraphPanelTest, CopiesWhatIsShown) {
  EXPECT_EQ(panel_.copy_text(context_), "");
  EXPECT_EQ(panel_.copy_json(context_), "");
  open(chain());
  const std::string text = panel_.copy_text(context_);
  EXPECT_THAT(text, HasSubstr("3 nodes:\n  load t0: unborn\n  exp t1: unborn (×4 blocks)\n"));
  EXPECT_THAT(text, HasSubstr("3 lines:\n  edge 0: load t0 → exp t1: user WAIT RETAIN\n"));
  EXPECT_THAT(text, HasSubstr("edge 1: load t0 → store t2: creator WAIT removed, RETAIN\n"));
  EXPECT_THAT(text, HasSubstr("edge 2: exp t1 → store t2: user tensormap WAIT\n"));
  EXPECT_THAT(text, Not(HasSubstr("critical path")));
  const nlohmann::json json = nlohmann::json::parse(panel_.copy_json(context_));
  ASSERT_EQ(json["nodes"].size(), 3U);
  EXPECT_EQ(json["nodes"][1]["blocks"], 4);
  ASSERT_EQ(json["edges"].size(), 3U);
  EXPECT_EQ(json["edges"][1]["wait_removed"], 1);
  EXPECT_EQ(json["edges"][1]["flags_final"], nlohmann::json::array({"retain"}));
}

TEST_F(GraphPanelTest, ListsTheCriticalPath) {
  open(chain());
  context_.actions.run("Critical path");
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr("critical path, 3 units of time:\n  load t0\n  exp t1\n  store t2\n"));
  EXPECT_EQ(nlohmann::json::parse(panel_.copy_json(context_))["critical_path"]["tasks"], nlohmann::json::array({0, 1, 2}));
  context_.actions.run("Critical path");
  EXPECT_THAT(panel_.copy_text(context_), Not(HasSubstr("critical path")));
}

TEST_F(GraphPanelTest, FocusesAndShowsAllAgain) {
  open(chain());
  context_.actions.run("Focus on the selection");
  EXPECT_THAT(context_.status, HasSubstr("select a task"));
  context_.selection.select({ItemKind::Task, 0});
  context_.actions.run("Focus on the selection");
  context_.actions.run("Fewer hops");
  context_.actions.run("Fewer hops");
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr("focus: 0 up, 0 down\n1 node:\n  load t0"));
  context_.actions.run("More hops down");
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr("focus: 0 up, 1 down\n3 nodes:"));
  context_.actions.run("Show everything");
  EXPECT_THAT(panel_.copy_text(context_), Not(HasSubstr("focus")));
}

TEST_F(GraphPanelTest, ClosedGroupsAreCopiedWithTheirCounts) {
  open(chain());
  context_.selection.select({ItemKind::Task, 0});
  context_.actions.run("Open or close the selected group");
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr("1 node:\n  scope 0 AUTO (3 tasks: 1 load, 1 exp, 1 store)\n0 lines:"));
  context_.actions.run("Open all groups");
  EXPECT_THAT(panel_.copy_text(context_), HasSubstr("3 nodes:"));
}

TEST_F(GraphPanelTest, KeepsHowItIsLookedAt) {
  open(chain());
  Settings settings;
  settings.set("graph.filter", std::string("kernel:load"));
  settings.set("graph.top-to-bottom", true);
  settings.set("graph.hops-up", 5.0);
  settings.set("graph.hops-down", 7.0);
  settings.set("graph.at-cursor", true);
  panel_.restore(settings);
  Settings saved;
  panel_.save(saved);
  EXPECT_EQ(saved, settings);
  panel_.opened(context_);
  const std::string text = panel_.copy_text(context_);
  EXPECT_THAT(text, HasSubstr("filter: kernel:load\n"));
  EXPECT_THAT(text, HasSubstr("load t0"));
  EXPECT_THAT(text, Not(HasSubstr("exp t1")));
  context_.actions.run("Turn the graph");
  context_.actions.run("Edges as at the cursor or as at the end");
  panel_.save(saved);
  EXPECT_FALSE(saved.truth("graph.top-to-bottom", true));
  EXPECT_FALSE(saved.truth("graph.at-cursor", true));
}

TEST_F(GraphPanelTest, SaysWhatOnlyOneSideHas) {
  const auto a = std::make_unique<Document>(chain(), "a");
  GraphRecording other;
  const std::uint32_t scope = other.scope();
  for (const char* kernel : {"load", "exp", "scale", "store"}) other.task(kernel, scope);
  other.edge(1, 2);
  const auto b = std::make_unique<Document>(other.r, "b");
  Comparison comparison(*a, *b);
  const_cast<Comparison::Rows&>(comparison.rows(ItemKind::Task)) = {{0, 1, 3}, {Mark::Same, Mark::Differs, Mark::Same}, {2}};
  const_cast<Comparison::Rows&>(comparison.rows(ItemKind::Edge)) = {
      {kNoRow, kNoRow, kNoRow}, {Mark::OnlyHere, Mark::OnlyHere, Mark::OnlyHere}, {0}};
  context_.document = a.get();
  context_.comparison = &comparison;
  context_.selection.attach(&a->recording());
  panel_.opened(context_);
  const std::string text = panel_.copy_text(context_);
  EXPECT_THAT(text, HasSubstr("exp t1: unborn (×4 blocks, differs)\n"));
  EXPECT_THAT(text, HasSubstr("scale t2 (only in b)\n"));
  EXPECT_THAT(text, HasSubstr("load t0 → exp t1: user WAIT RETAIN, only in a\n"));
  EXPECT_THAT(text, HasSubstr("edge 0: exp t1 → scale t2: user WAIT RETAIN, only in b\n"));
  const nlohmann::json json = nlohmann::json::parse(panel_.copy_json(context_));
  EXPECT_EQ(json["edges"].back()["only_in"], "b");
}

}  // namespace
}  // namespace depscope::viewers
