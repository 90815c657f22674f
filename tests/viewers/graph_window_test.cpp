// The Graph panel in the window: what stands where, what the pointer and the keys do, and what colours are seen.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "depscope/replay/file.h"
#include "depscope/runtime/submission.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

struct Rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;
};

class GraphWindow : public WindowTest {
 protected:
  void expect_script(const std::string& text, const std::string& recording, const std::string& arguments = "") const {
    const Result result = script("panel Graph\nwait 2\n" + text, arguments, recording);
    EXPECT_EQ(result.status, 0) << result.output;
  }
  /// Names and texts of the elements of a dump.
  [[nodiscard]] std::map<std::string, std::string> elements(const std::string& dump) const {
    std::ifstream in(path(dump));
    const nlohmann::json json = nlohmann::json::parse(in);
    std::map<std::string, std::string> found;
    for (const auto& one : json.at("elements")) found[one.at("name")] = one.at("text");
    return found;
  }
  /// Where an element of a dump stands; the dump has "elements" with name, text and box.
  [[nodiscard]] Rectangle element(const std::string& dump, const std::string& name) const {
    std::ifstream in(path(dump));
    const nlohmann::json json = nlohmann::json::parse(in);
    Rectangle found;
    for (const auto& one : json.at("elements")) {
      if (one.at("name") != name) continue;
      const auto at = [&](std::size_t i) { return static_cast<int>(one.at("box").at(i).get<double>()); };
      found = {at(0), at(1), at(2), at(3)};
    }
    EXPECT_GT(found.right, found.left) << name;
    return found;
  }
};

std::string words(std::uint8_t provenance, std::uint8_t flags, std::uint8_t flags_final) {
  std::string text;
  for (const std::string_view name : runtime::provenance_names(provenance)) text += std::string(name) + " ";
  if ((flags & ~flags_final & runtime::kWait) != 0) text += "WAIT removed";
  if ((flags_final & runtime::kWait) != 0) text += "WAIT";
  return text;
}

TEST_F(GraphWindow, TasksStandInTheOrderOfTheirEdges) {
  record("02_softmax_tiles", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  expect_script("key End\nkey Z\nwait 2\nexpect-legible\nscreenshot " + path("g.png") + "\ndump " + path("g.json") + "\n",
                "g.depscope");
  const auto shown = elements("g.json");
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    const std::string number = std::to_string(task);
    ASSERT_TRUE(shown.contains("graph/task " + number));
    EXPECT_THAT(shown.at("graph/task " + number), HasSubstr("t" + number + ", consumed"));
  }
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    const std::string name = "graph/edge " + std::to_string(edge);
    ASSERT_TRUE(shown.contains(name)) << edge;
    EXPECT_THAT(shown.at(name), HasSubstr(words(r.edges.provenance[edge], r.edges.flags[edge], r.edges.flags_final[edge])));
  }
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    const Rectangle producer = element("g.json", "graph/task " + std::to_string(r.edges.producer[edge]));
    const Rectangle consumer = element("g.json", "graph/task " + std::to_string(r.edges.consumer[edge]));
    EXPECT_LT(producer.right, consumer.left) << edge;
  }
  const Picture picture(path("g.png"));
  ASSERT_NE(picture.pixels, nullptr);
  // Between a task and its reader: an edge in the colour of the creator.
  const Rectangle from = element("g.json", "graph/task 0");
  const Rectangle to = element("g.json", "graph/task 1");
  EXPECT_GT(picture.count_in(from.right + 1, from.top - 30, to.left, from.bottom + 30, 70, 190, 130), 20);
}

TEST_F(GraphWindow, RemovedWaitsAreGhostsThatTellTheirWitness) {
  record("02_softmax_tiles", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  std::uint32_t ghost = recording::kNoRow;
  for (std::uint32_t edge = 0; edge < r.edges.rows() && ghost == recording::kNoRow; ++edge) {
    if ((r.edges.flags[edge] & ~r.edges.flags_final[edge] & runtime::kWait) != 0 && r.edges.via[edge] != recording::kNoRow) {
      ghost = edge;
    }
  }
  ASSERT_NE(ghost, recording::kNoRow) << "the sample has a WAIT that was removed";
  const std::string via = "WAIT removed: already ordered through t" + std::to_string(r.edges.via[ghost]);
  const std::string task = std::to_string(r.edges.producer[ghost]);
  expect_script("expect-not \"already ordered\"\nselect edge " + std::to_string(ghost) + "\nexpect \"" + via +
                    "\"\nkey Escape\nexpect-not \"already ordered\"\nhover-element \"graph/task " + task +
                    "\"\nexpect \"already ordered through\"\n",
                "g.depscope");
}

TEST_F(GraphWindow, ClicksSelectTasksAndEdges) {
  record("02_softmax_tiles", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  const std::string kernel(r.text(r.tasks.callee[1]));
  // The edge of two neighbours that the TensorMap found: nothing else is in its middle.
  std::uint32_t edge = 0;
  while (edge < r.edges.rows() && (r.edges.producer[edge] != 1 || r.edges.consumer[edge] != 2)) ++edge;
  ASSERT_LT(edge, r.edges.rows());
  const std::string name = "\"graph/edge " + std::to_string(edge) + "\"\n";
  expect_script("key Z\nwait 2\nclick-element \"graph/task 1\"\nexpect \"Why is it alive?\"\nexpect \"" + kernel +
                    " t1\"\nclick-element " + name + "expect \"Who asked for this edge?\"\nexpect \"edge " +
                    std::to_string(edge) + "\"\nhover-element " + name + "expect \"asked for by\"\n",
                "g.depscope");
}

TEST_F(GraphWindow, GroupsOpenAndClose) {
  record("02_softmax_tiles", "g.depscope", "--analyze-auto-scopes");
  expect_script(
      "key Z\nwait 2\nexpect-element \"graph/group 0\" \"scope 0 AUTO, open\"\nexpect-element \"graph/task 15\"\n"
      "key shift+o\nwait 2\nexpect-no-element \"graph/task 15\"\nexpect-element \"graph/group 3\" \"4 tasks\"\n"
      "expect-legible\n"
      "double-click-element \"graph/group 3\"\nwait 2\nexpect-element \"graph/group 3\" \"open\"\n"
      "click-element \"graph/group 3\"\nexpect \"scope 2\"\nkey Enter\nwait 2\n"
      "expect-element \"graph/group 3\" \"4 tasks\"\n"
      "select task 5\nkey alt+o\nkey Z\nwait 2\nexpect-element \"graph/task 5\"\nexpect-no-element \"graph/task 15\"\n"
      "key o\nwait 2\nkey Z\nwait 2\nexpect-element \"graph/task 15\"\n",
      "g.depscope");
}

TEST_F(GraphWindow, SearchGoesThroughTheHits) {
  record("05_decoder_layer", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  std::vector<std::uint32_t> hits;
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    if (r.text(r.tasks.callee[task]).find("softmax") != std::string_view::npos) hits.push_back(task);
  }
  ASSERT_GE(hits.size(), 3U);
  const std::string all = std::to_string(hits.size());
  const auto at = [&](std::size_t hit) { return "expect \"softmax t" + std::to_string(hits[hit]) + "\"\n"; };
  expect_script("key shift+o\nkey /\nwait 2\ntype softm\nexpect-element \"graph/search\" \"1 of " + all + "\"\n" + at(0) +
                    "key Enter\nwait 2\nexpect \"2 of " + all + "\"\n" + at(1) + "key Enter\nwait 2\nexpect \"3 of " + all +
                    "\"\nkey shift+Enter\nwait 2\nexpect \"2 of " + all + "\"\n" + at(1) + "expect-element \"graph/task " +
                    std::to_string(hits[1]) + "\"\ntype zzz\nexpect-element \"graph/search\" \"none\"\n",
                "g.depscope");
}

TEST_F(GraphWindow, FilterDimsAndHides) {
  record("05_decoder_layer", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  expect_script(
      "key Z\nkey alt+f\nwait 2\ntype prov:tensormap flag:wait\nwait 2\n"
      "expect-element \"graph/filter\" \"prov:tensormap flag:wait\"\ndump " +
          path("edges.json") + "\nkey alt+Backspace\nwait 2\ndump " + path("all.json") +
          "\nkey alt+f\nwait 2\ntype kernel:rope\nwait 2\ndump " + path("kernels.json") +
          "\nkey alt+Backspace\nkey alt+f\nwait 2\ntype prov:nobody\nexpect \"'nobody' is no provenance\"\n",
      "g.depscope");
  const auto filtered = elements("edges.json");
  const auto all = elements("all.json");
  std::uint32_t hidden = 0;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    const bool passes =
        (r.edges.provenance[edge] & runtime::kTensorMap) != 0 && (r.edges.flags_final[edge] & runtime::kWait) != 0;
    hidden += passes ? 0 : 1;
    const std::string name = "graph/edge " + std::to_string(edge);
    EXPECT_EQ(filtered.contains(name), passes) << edge;
    EXPECT_TRUE(all.contains(name)) << edge;
  }
  EXPECT_GT(hidden, 0U);
  EXPECT_LT(hidden, r.edges.rows());
  const auto kernels = elements("kernels.json");
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    const bool passes = r.text(r.tasks.callee[task]).find("rope") != std::string_view::npos;
    const std::string name = "graph/task " + std::to_string(task);
    ASSERT_TRUE(kernels.contains(name)) << task;
    EXPECT_EQ(kernels.at(name).find("filtered out") == std::string::npos, passes) << task;
  }
}

TEST_F(GraphWindow, FocusShowsTheHops) {
  record("05_decoder_layer", "g.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("g.depscope");
  constexpr std::uint32_t kTask = 20;
  expect_script("select task 20\nkey f\nkey -\nwait 2\nkey Z\nwait 2\nexpect \"1 up, 1 down\"\nexpect-legible\ndump " +
                    path("near.json") +
                    "\nkey alt+=\nexpect \"2 up, 1 down\"\nkey shift+=\nexpect \"2 up, 2 down\"\n"
                    "key shift+Escape\nkey Z\nwait 2\ndump " +
                    path("all.json") + "\n",
                "g.depscope");
  const auto shown = elements("near.json");
  const auto all = elements("all.json");
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    bool near = task == kTask;
    for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
      near = near || (r.edges.producer[edge] == task && r.edges.consumer[edge] == kTask) ||
             (r.edges.consumer[edge] == task && r.edges.producer[edge] == kTask);
    }
    const std::string name = "graph/task " + std::to_string(task);
    EXPECT_EQ(shown.contains(name), near) << task;
    EXPECT_TRUE(all.contains(name)) << task;
  }
}

TEST_F(GraphWindow, CriticalPathIsSeen) {
  record("03_matmul_ksplit", "g.depscope", "--analyze-auto-scopes");
  expect_script("key Z\nscreenshot " + path("a.png") + "\nkey k\nwait 2\nexpect \"critical path\"\nexpect \"length\"\n" +
                    "expect-legible\nscreenshot " + path("b.png") + "\n",
                "g.depscope");
  const Picture before(path("a.png"));
  const Picture after(path("b.png"));
  ASSERT_NE(before.pixels, nullptr);
  ASSERT_NE(after.pixels, nullptr);
  EXPECT_GT(after.count_in(0, 150, 890, 500, 235, 105, 80, 10), before.count_in(0, 150, 890, 500, 235, 105, 80, 10) + 200);
}

TEST_F(GraphWindow, SpmdTasksAreOneBox) {
  std::filesystem::copy_file(std::string(DEPSCOPE_TEST_DATA) + "/runtime/random_0001.trace.json", path("spmd.trace.json"));
  record("spmd.trace.json", "g.depscope");
  const recording::Recording r = load("g.depscope");
  std::string text = "key Z\nwait 2\n";
  std::uint32_t found = 0;
  for (std::uint32_t task = 0; task < r.tasks.rows() && found < 3; ++task) {
    if (r.tasks.block_num[task] <= 1) continue;
    ++found;
    text += "expect-element \"graph/task " + std::to_string(task) + "\" \"×" + std::to_string(r.tasks.block_num[task]) +
            " blocks\"\n";
  }
  EXPECT_GT(found, 0U);
  expect_script(text + "expect-legible\n", "g.depscope", "--size 2560x1440 --scale 2");
}

TEST_F(GraphWindow, AllProvenancesHaveTheirColours) {
  // The made-up recording has edges of every kind, also with several reasons.
  const recording::Recording r = load("sample.depscope");
  std::uint8_t bits = 0;
  for (const std::uint8_t provenance : r.edges.provenance) bits |= provenance;
  EXPECT_NE(bits & runtime::kCompiler, 0);
  expect_script("key Z\nkey l\nwait 2\nexpect-not \"tensormap\"\nscreenshot " + path("c.png") + "\nkey l\nexpect \"tensormap\"\n",
                "sample.depscope");
  const Picture picture(path("c.png"));
  ASSERT_NE(picture.pixels, nullptr);
  EXPECT_GT(picture.count_in(0, 110, 890, 500, 86, 170, 255, 16), 30) << "user";
  EXPECT_GT(picture.count_in(0, 110, 890, 500, 240, 160, 60, 16), 30) << "compiler";
  EXPECT_GT(picture.count_in(0, 110, 890, 500, 70, 190, 130, 16), 30) << "creator";
  EXPECT_GT(picture.count_in(0, 110, 890, 500, 95, 205, 210, 16), 30) << "tensormap";
}

TEST_F(GraphWindow, EdgesAsAtTheCursor) {
  const recording::Recording r = load("sample.depscope");
  expect_script("key Z\nexpect \"edges as at the end\"\nscreenshot " + path("a.png") +
                    "\nkey alt+e\nwait 2\nexpect \"edges as at the cursor\"\nscreenshot " + path("b.png") + "\n",
                "sample.depscope");
  const Picture before(path("a.png"));
  const Picture after(path("b.png"));
  ASSERT_NE(before.pixels, nullptr);
  ASSERT_NE(after.pixels, nullptr);
  // Nothing is discovered before the first event: the edges are faint.
  EXPECT_GT(before.count_in(0, 160, 890, 500, 86, 170, 255, 16), 100 + after.count_in(0, 160, 890, 500, 86, 170, 255, 16));
}

TEST_F(GraphWindow, SaysWhatToDoWithoutTasks) {
  replay::save(recording::Recording(), path("none.depscope"));
  expect_script("expect \"This recording has no tasks\"\nkey f\nkey k\nkey o\nkey shift+o\nkey Enter\nkey alt+o\nkey =\n",
                "none.depscope");
}

}  // namespace
}  // namespace depscope::viewers
