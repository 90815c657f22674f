// Where panels stand: moving, splitting, what is remembered.
#include "depscope/viewers/layout.h"

#include <gtest/gtest.h>

#include "depscope/viewers/settings.h"

namespace depscope::viewers {
namespace {

Layout six() {
  return Layout({{"Passes", Place::Main},
                 {"Graph", Place::Main},
                 {"Timeline", Place::Main},
                 {"Events", Place::Bottom},
                 {"Findings", Place::Bottom},
                 {"Inspector", Place::Side}});
}

TEST(Layout, BeginsWithTheFirstOfEachPlaceInFront) {
  const Layout layout = six();
  EXPECT_EQ(layout.front(Area::Main), 0U);
  EXPECT_EQ(layout.front(Area::Bottom), 3U);
  EXPECT_EQ(layout.front(Area::Side), 5U);
  EXPECT_TRUE(layout.empty(Area::Right));
  EXPECT_EQ(layout.find("tImElInE"), 2U);
  EXPECT_EQ(layout.find("nowhere"), std::nullopt);
}

TEST(Layout, AMovedPanelIsInFrontAndItsNeighbourFollows) {
  Layout layout = six();
  layout.bring_to_front(1);
  EXPECT_TRUE(layout.move(1, Area::Bottom));
  EXPECT_EQ(layout.area(1), Area::Bottom);
  EXPECT_EQ(layout.front(Area::Bottom), 1U);
  EXPECT_EQ(layout.front(Area::Main), 0U);
  EXPECT_TRUE(layout.move(5, Area::Main));
  EXPECT_TRUE(layout.empty(Area::Side));
}

TEST(Layout, TheMainAreaKeepsOnePanel) {
  Layout layout = six();
  EXPECT_TRUE(layout.move(0, Area::Side));
  EXPECT_TRUE(layout.move(1, Area::Side));
  EXPECT_FALSE(layout.move(2, Area::Side));
  EXPECT_EQ(layout.area(2), Area::Main);
  EXPECT_FALSE(layout.split_main());
}

TEST(Layout, SplittingPutsTheNextPanelBeside) {
  Layout layout = six();
  layout.bring_to_front(1);
  EXPECT_TRUE(layout.split_main());
  EXPECT_TRUE(layout.split());
  EXPECT_EQ(layout.front(Area::Main), 1U);
  EXPECT_EQ(layout.front(Area::Right), 2U);
  // The left half may not run empty: what is right comes back.
  EXPECT_TRUE(layout.move(0, Area::Right));
  EXPECT_TRUE(layout.move(1, Area::Bottom));
  EXPECT_FALSE(layout.split());
  EXPECT_EQ(layout.area(0), Area::Main);
  EXPECT_FALSE(layout.empty(Area::Main));
}

TEST(Layout, IsRememberedAndReset) {
  Layout layout = six();
  layout.bring_to_front(1);
  layout.split_main();
  layout.move(3, Area::Side);
  layout.side = 0.55F;
  layout.bottom = 0.25F;
  layout.middle = 0.375F;
  Settings settings;
  layout.save(settings);
  Layout again = six();
  again.restore(Settings::from_json("x", settings.to_json()));
  for (std::size_t i = 0; i < layout.size(); ++i) EXPECT_EQ(again.area(i), layout.area(i)) << i;
  for (const Area area : {Area::Main, Area::Right, Area::Side, Area::Bottom}) EXPECT_EQ(again.front(area), layout.front(area));
  EXPECT_EQ(again.side, 0.55F);
  EXPECT_EQ(again.bottom, 0.25F);
  EXPECT_EQ(again.middle, 0.375F);
  again.reset();
  EXPECT_FALSE(again.split());
  EXPECT_EQ(again.side, Layout::kSide);
  EXPECT_EQ(again.area(3), Area::Bottom);
}

TEST(Layout, NonsenseIsPassedOver) {
  Settings settings;
  settings.set("layout.side", std::string("-4"));
  settings.set("layout.place.Passes", std::string("moon"));
  settings.set("layout.place.Graph", std::string("side"));
  settings.set("layout.place.Timeline", std::string("side"));
  settings.set("layout.place.Gone", std::string("side"));
  settings.set("layout.front.main", std::string("Events"));
  Layout layout = six();
  layout.restore(settings);
  EXPECT_EQ(layout.side, 0.3F);
  EXPECT_EQ(layout.area(0), Area::Main);
  EXPECT_EQ(layout.front(Area::Main), 0U);
}

}  // namespace
}  // namespace depscope::viewers
