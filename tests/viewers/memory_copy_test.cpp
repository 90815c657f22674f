// What Memory, TensorMap and Resource copy, and how they are remembered: without a window.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/viewers/settings.h"
#include "memory_panel.h"
#include "resource_panel.h"
#include "sample_runs.h"
#include "tensormap_panel.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

class CopyTest : public ::testing::Test {
 protected:
  CopyTest() : document_(sample_run("02_softmax_tiles"), "sample") {
    context_.document = &document_;
    context_.selection.attach(&document_.recording());
    context_.transport.attach(&document_, &context_.selection);
    context_.transport.seek(document_.moments().submitted[5] + 1);
    context_.transport.tick(0.0, 1);
  }
  [[nodiscard]] const recording::Recording& r() const { return document_.recording(); }

  Document document_;
  Context context_;
};

TEST_F(CopyTest, MemoryTellsSlotsAndBlocks) {
  MemoryPanel panel;
  EXPECT_EQ(panel.copy_text(Context()), "");
  panel.opened(context_);
  const auto json = nlohmann::json::parse(panel.copy_json(context_));
  EXPECT_EQ(json["position"], document_.cursor().position());
  ASSERT_EQ(json["rings"].size(), 1U);
  const auto use = replay::ring_use(document_.cursor(), 2);
  EXPECT_EQ(json["rings"][0]["slots_used"], use.slots_used);
  EXPECT_EQ(json["rings"][0]["taken"].size(), static_cast<std::size_t>(use.slots_used));
  EXPECT_EQ(json["rings"][0]["blocks"].size(), replay::heap_map(document_.cursor(), 2).size());
  EXPECT_EQ(json["rings"][0]["heap_most"], document_.moments().heap[2]);
  EXPECT_EQ(json["tensormap"], document_.cursor().state().tensormap_entries);
  for (std::uint32_t task = 0; task < 6; ++task) EXPECT_THAT(panel.copy_text(context_), HasSubstr(document_.task_label(task)));
}

TEST_F(CopyTest, TensorMapTellsEntriesAndLookups) {
  TensorMapPanel panel;
  panel.opened(context_);
  const auto json = nlohmann::json::parse(panel.copy_json(context_));
  const auto entries = replay::tensormap_entries(document_.cursor(), 1000);
  ASSERT_TRUE(entries);
  ASSERT_GT(entries->total, 0U);
  auto listed = json["entries"].get<std::vector<std::uint32_t>>();
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, entries->rows);
  EXPECT_EQ(json["submit"]["task"], 5U);
  EXPECT_FALSE(json["submit"]["lookups"].empty());
  EXPECT_THAT(panel.copy_text(context_), HasSubstr("submit of " + document_.task_label(5)));
  Settings settings;
  panel.save(settings);
  EXPECT_FALSE(settings.truth("tensormap.of_selection", true));
  settings.set("tensormap.of_selection", true);
  panel.restore(settings);
  EXPECT_TRUE(nlohmann::json::parse(panel.copy_json(context_))["submit"]["task"].is_null()) << "no task is selected";
  context_.selection.select({ItemKind::Task, 2});
  EXPECT_EQ(nlohmann::json::parse(panel.copy_json(context_))["submit"]["task"], 2U);
}

TEST_F(CopyTest, ResourceTellsTheAccesses) {
  ResourcePanel panel;
  panel.opened(context_);
  const auto json = nlohmann::json::parse(panel.copy_json(context_));
  ASSERT_FALSE(json["accesses"].empty());
  const std::uint32_t first = json["accesses"][0]["access"];
  const std::uint32_t tensor = r().accesses.tensor[first];
  std::size_t expected = 0;
  for (std::uint32_t access = 0; access < r().accesses.rows(); ++access) {
    const std::uint32_t other = r().accesses.tensor[access];
    expected +=
        r().tensors.address[other] == r().tensors.address[tensor] && r().tensors.owner[other] == r().tensors.owner[tensor];
  }
  EXPECT_EQ(json["accesses"].size(), expected);
  EXPECT_EQ(json["tensor"], r().text(r().tensors.name[tensor]));
  EXPECT_GT(json["reads"].get<int>(), 0);
  EXPECT_GT(json["writes"].get<int>(), 0);
  EXPECT_THAT(panel.copy_text(context_), HasSubstr(document_.task_label(r().accesses.task[first])));
}

TEST(CopyOfNothing, IsEmpty) {
  Context context;
  MemoryPanel memory;
  TensorMapPanel tensormap;
  ResourcePanel resource;
  for (View* view : std::initializer_list<View*>{&memory, &tensormap, &resource}) {
    view->opened(context);
    EXPECT_EQ(view->copy_text(context), "");
    EXPECT_EQ(view->copy_json(context), "");
  }
}

}  // namespace
}  // namespace depscope::viewers
