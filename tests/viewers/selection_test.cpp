#include "depscope/viewers/selection.h"

#include <gmock/gmock.h>

#include "depscope/viewers/document.h"
#include "depscope/viewers/transport.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

class SelectionTest : public ::testing::Test {
 protected:
  SelectionTest() {
    selection_.attach(&document_.recording());
    transport_.attach(&document_, &selection_);
  }
  Document document_{sample_recording(30), "sample"};
  Selection selection_;
  Transport transport_;
};

TEST_F(SelectionTest, AnEdgeSelectsItsConsumerAndItsScope) {
  ASSERT_TRUE(selection_.select({ItemKind::Edge, 4}));
  const std::uint32_t consumer = document_.recording().edges.consumer[4];
  EXPECT_TRUE(selection_.is(ItemKind::Task, consumer));
  EXPECT_TRUE(selection_.is(ItemKind::Scope, document_.recording().tasks.scope[consumer]));
}

TEST_F(SelectionTest, MissingRowsAreRefused) {
  EXPECT_FALSE(selection_.select({ItemKind::Task, 30}));
  EXPECT_FALSE(selection_.select({ItemKind::Task, recording::kNoRow}));
  EXPECT_FALSE(selection_.select({ItemKind::None, 0}));
  EXPECT_EQ(selection_.current(), Item{});
}

TEST_F(SelectionTest, HistoryGoesBackAndForward) {
  selection_.select({ItemKind::Task, 1});
  selection_.select({ItemKind::Task, 2});
  EXPECT_TRUE(selection_.back());
  EXPECT_EQ(selection_.current(), (Item{ItemKind::Task, 1}));
  EXPECT_FALSE(selection_.back());
  EXPECT_TRUE(selection_.forward());
  EXPECT_EQ(selection_.current(), (Item{ItemKind::Task, 2}));
  selection_.back();
  selection_.select({ItemKind::Task, 3});
  EXPECT_FALSE(selection_.can_go_forward());
}

TEST_F(SelectionTest, ASelectedEventFollowsTheCursorAndOthersStay) {
  selection_.select({ItemKind::Event, 0});
  transport_.seek(10);
  transport_.tick(0.0, 1);
  EXPECT_EQ(selection_.current(), (Item{ItemKind::Event, 9}));
  selection_.select({ItemKind::Task, 2});
  transport_.step();
  transport_.tick(0.0, 1);
  EXPECT_EQ(selection_.current(), (Item{ItemKind::Task, 2}));
}

TEST_F(SelectionTest, ThePassStaysWhileOthersAreSelected) {
  selection_.select({ItemKind::Pass, 3});
  selection_.select({ItemKind::Task, 2});
  EXPECT_EQ(selection_.row(ItemKind::Pass), 3U);
}

TEST_F(SelectionTest, CallSitesAreFoundByTheirLine) {
  const std::uint32_t line = document_.pass_line(1, 2);
  ASSERT_NE(line, 0U);
  EXPECT_EQ(document_.call_site_at(2, line), 1U);
  EXPECT_EQ(document_.call_site_at(2, 1), recording::kNoRow);
}

}  // namespace
}  // namespace depscope::viewers
