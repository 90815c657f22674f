// The window as a whole: what it remembers, where panels stand, grounds and sizes, the palette, copying, pictures.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depscope/replay/file.h"
#include "sample_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ShellWindowTest : public WindowTest {
 protected:
  /// Corners of an element in a file that `dump` wrote: left, top, right, bottom; empty if it was not drawn.
  [[nodiscard]] std::vector<float> box(const std::string& dump, const std::string& name) const {
    std::ifstream in(path(dump));
    const nlohmann::json drawn = nlohmann::json::parse(in, nullptr, false);
    if (!drawn.is_object()) return {};
    for (const auto& element : drawn["elements"]) {
      if (element["name"] == name) return element["box"].get<std::vector<float>>();
    }
    return {};
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Moves all other panels of the main area to another one.
  [[nodiscard]] static std::string all_but_passes(const std::string& area) {
    std::string text;
    for (const char* panel : {"Regions", "Directions", "Graph", "Timeline", "Memory", "TensorMap", "Resource"})
      text += std::string("panel ") + panel + "\naction \"Move the panel to the " + area + "\"\n";
    return text;
  }
  /// Drags the middle of a splitter that stands where `dump` says.
  [[nodiscard]] std::string drag(const std::string& dump, const std::string& splitter, float by_x, float by_y) const {
    const std::vector<float> b = box(dump, splitter);
    if (b.size() != 4) return "no " + splitter;
    const float x = (b[0] + b[2]) / 2;
    const float y = (b[1] + b[3]) / 2;
    return "drag " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(x + by_x) + " " +
           std::to_string(y + by_y) + "\n";
  }
};

TEST_F(ShellWindowTest, LayoutIsTheSameAfterAnotherStart) {
  const std::string settings = " --settings '" + path("view.json") + "'";
  ASSERT_EQ(script("dump " + path("first.json") + "\n").status, 0);
  Result result = script(drag("first.json", "shell/splitter left-side", -150, 0) + "wait 2\n" +
                             drag("first.json", "shell/splitter main-bottom", 0, -120) +
                             // Events beside Passes.
                             "click-element \"shell/tab Events\"\nkey ctrl+shift+2\nexpect \"Events is in the right area\"\n"
                             "click-element \"shell/tab Findings\"\nkey ctrl+shift+3\nkey L\ndump " +
                             path("left.json") + "\n",
                         settings);
  ASSERT_EQ(result.status, 0) << result.output;
  result = script("dump " + path("again.json") + "\n", settings);
  ASSERT_EQ(result.status, 0) << result.output;
  for (const char* name : {"shell/area main", "shell/area right", "shell/area side", "shell/splitter main-right",
                           "shell/splitter left-side", "shell/tab Events"}) {
    EXPECT_EQ(box("left.json", name).size(), 4U) << name;
    EXPECT_EQ(box("left.json", name), box("again.json", name)) << name;
  }
  EXPECT_NE(box("first.json", "shell/area side"), box("again.json", "shell/area side"));
  EXPECT_TRUE(box("again.json", "shell/area bottom").empty()) << "it has no panel any more";
  EXPECT_THAT(read("view.json"), HasSubstr("\"legends\": \"false\""));
  // Back to what it was at first.
  result = script("action \"Reset layout\"\ndump " + path("reset.json") + "\n", settings);
  ASSERT_EQ(result.status, 0) << result.output;
  for (const char* name : {"shell/area main", "shell/area bottom", "shell/area side"})
    EXPECT_EQ(box("first.json", name), box("reset.json", name)) << name;
}

TEST_F(ShellWindowTest, ABrokenSettingsFileIsToldAndStaysUntilSomethingChanges) {
  write("view.json", "{broken");
  const std::string settings = " --settings '" + path("view.json") + "'";
  Result result = view("--frames 3" + settings);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read("view.json"), "{broken");
  write("s.txt", "expect \"settings not used\"\nexpect \"view.json\"\nkey L\n");
  result = view("--script '" + path("s.txt") + "'" + settings);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read("view.json.broken"), "{broken");
  EXPECT_THAT(read("view.json"), HasSubstr("\"legends\": \"false\""));
}

TEST_F(ShellWindowTest, HeadlessRunsRememberNothingOfTheirOwnAccord) {
  fs::create_directories(path("config"));
  write("s.txt", "key L\n");
  const Result result = run_command("XDG_CONFIG_HOME='" + path("config") + "' sh '" + DEPSCOPE_WITH_XVFB + "' '" +
                                    DEPSCOPE_VIEW_PROGRAM + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::is_empty(path("config")));
}

TEST_F(ShellWindowTest, PanelsAreMovedFromTheirTabs) {
  const Result result =
      script("right-click-element \"shell/tab Inspector\"\nexpect \"Move Inspector to\"\nclick \"Bottom\"\nwait 2\ndump " +
             path("moved.json") + "\nexpect \"Nothing selected.\"\nexpect-element \"shell/tab Inspector\" \"front\"\n" +
             // The main area keeps a panel.
             all_but_passes("side") +
             "panel Passes\naction \"Move the panel to the side\"\nexpect \"keeps one panel\"\nexpect-legible\n");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(box("moved.json", "shell/area side").empty());
  const std::vector<float> tab = box("moved.json", "shell/tab Inspector");
  const std::vector<float> bottom = box("moved.json", "shell/area bottom");
  ASSERT_EQ(tab.size(), 4U);
  ASSERT_EQ(bottom.size(), 4U);
  EXPECT_GE(tab[1], bottom[1]);
  EXPECT_NEAR(bottom[2], 1274.0F, 8.0F) << "the room of the side is used";
}

TEST_F(ShellWindowTest, TheMainAreaSplitsAndJoins) {
  const Result result = script(all_but_passes("bottom") +
                               "panel Passes\naction \"Split the main area\"\nexpect \"one panel only\"\npanel "
                               "Events\nclick-element \"shell/tab Events\"\n"
                               "key ctrl+shift+1\naction \"Split the main area\"\nexpect-element \"shell/area right\"\ndump " +
                               path("split.json") + "\naction \"Split the main area\"\nexpect-no-element \"shell/area right\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const std::vector<float> left = box("split.json", "shell/area main");
  const std::vector<float> right = box("split.json", "shell/area right");
  ASSERT_EQ(left.size(), 4U);
  ASSERT_EQ(right.size(), 4U);
  EXPECT_LT(left[2], right[0]);
  EXPECT_EQ(left[1], right[1]);
  EXPECT_NEAR(left[2] - left[0], right[2] - right[0], 2.0F);
}

TEST_F(ShellWindowTest, TheGroundIsDarkOrLight) {
  const std::string settings = " --settings '" + path("view.json") + "'";
  Result result =
      script("screenshot " + path("dark.png") + "\nkey ctrl+l\nwait 1\nscreenshot " + path("light.png") + "\nexpect-legible\n",
             settings);
  EXPECT_EQ(result.status, 0) << result.output;
  const Picture dark(path("dark.png"));
  const Picture light(path("light.png"));
  ASSERT_NE(dark.pixels, nullptr);
  ASSERT_NE(light.pixels, nullptr);
  EXPECT_GT(dark.count(29, 31, 37, 3), 100000);
  EXPECT_GT(light.count(247, 248, 250, 3), 100000);
  EXPECT_LT(light.count(29, 31, 37, 3), 20000);
  // It is remembered, and an option goes before it.
  EXPECT_EQ(view("--screenshot '" + path("kept.png") + "'" + settings).status, 0);
  EXPECT_GT(Picture(path("kept.png")).count(247, 248, 250, 3), 100000);
  EXPECT_EQ(view("--ground dark --screenshot '" + path("given.png") + "'" + settings).status, 0);
  EXPECT_GT(Picture(path("given.png")).count(29, 31, 37, 3), 100000);
  EXPECT_EQ(view("--ground grey --frames 1").status, 2);
}

TEST_F(ShellWindowTest, TheSizeOfTextChangesAndTheRestStays) {
  const Result result = script(
      "select task 3\npanel Events\ndump " + path("one.json") +
      "\nkey ctrl+=\nkey ctrl+=\nkey ctrl+=\nexpect \"Why is it waiting?\"\nexpect-legible\ndump " + path("larger.json") +
      "\nkey ctrl+-\nexpect \"Why is it waiting?\"\nkey ctrl+0\nexpect \"Why is it waiting?\"\ndump " + path("back.json") + "\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const auto height = [&](const char* file) {
    const std::vector<float> tab = box(file, "shell/tab Passes");
    return tab.size() == 4 ? tab[3] - tab[1] : 0.0F;
  };
  EXPECT_GT(height("one.json"), 10.0F);
  EXPECT_GT(height("larger.json"), 1.3F * height("one.json"));
  EXPECT_EQ(box("back.json", "shell/tab Passes"), box("one.json", "shell/tab Passes"));
}

TEST_F(ShellWindowTest, ThePaletteRunsActionsAndJumps) {
  const recording::Recording r = sample_recording(20);
  const std::string kernel(r.text(r.tasks.callee[0]));
  const Result result = script(
      "key ctrl+p\nexpect \"Ctrl+Shift+O\"\ntype legends\nexpect-element \"palette/row 1\" \"Show or hide legends\"\n"
      "expect \"output_existing\"\nkey Enter\nexpect-not \"output_existing\"\nexpect-no-element \"palette/row 1\"\n"
      // What was run last comes first.
      "key ctrl+p\nexpect-element \"palette/row 1\" \"Show or hide legends\"\nkey Down\nkey Up\nkey Enter\n"
      "expect \"output_existing\"\n"
      "key ctrl+p\ntype task 12\nkey Enter\nexpect \"" +
      std::string(r.text(r.tasks.callee[12])) + " t12 is selected\"\nexpect \"Why is it waiting?\"\n" +
      "key ctrl+p\ntype event 30\nkey Enter\nexpect \"event 31 of\"\nkey ctrl+p\ntype " + kernel +
      "\nexpect-element \"palette/row 1\" \"" + kernel + " t0\"\nclick-element \"palette/row 1\"\nexpect \"" + kernel +
      " t0 is selected\"\nkey ctrl+p\ntype zzzz\nexpect \"Nothing fits.\"\nkey Escape\nexpect-not \"Nothing fits.\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ShellWindowTest, CopyingTakesThePanelThatWasClicked) {
  const Result result = script(
      "key ctrl+c\nexpect \"of Passes copied\"\nexpect-clipboard \"ConvertToSSA\"\n"
      "click-element \"shell/tab Events\"\nkey ctrl+c\nexpect \"of Events copied\"\nexpect-clipboard \"config\"\n"
      "key ctrl+shift+c\nexpect \"as JSON\"\nexpect-clipboard \"{\\\"\"\n"
      // A text field keeps the key for itself.
      "key ctrl+f\ntype kind:complete\nkey ctrl+a\nkey ctrl+c\nexpect-clipboard \"kind:complete\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const Result failing = script("key ctrl+c\nexpect-clipboard \"no such text\"\n");
  EXPECT_EQ(failing.status, 1);
  EXPECT_THAT(failing.output, HasSubstr("s.txt:2: the clipboard says"));
}

TEST_F(ShellWindowTest, PicturesTakeTheNextFreeNumber) {
  fs::create_directories(path("pictures"));
  write("pictures/depscope-002.png", "kept");
  const Result result =
      script("key F12\nexpect \"the picture is in\"\nexpect \"depscope-001.png\"\nkey F12\nexpect \"depscope-003.png\"\n",
             "--screenshots '" + path("pictures") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read("pictures/depscope-002.png"), "kept");
  for (const char* name : {"pictures/depscope-001.png", "pictures/depscope-003.png"}) {
    const Picture picture(path(name));
    ASSERT_NE(picture.pixels, nullptr) << name;
    EXPECT_EQ(picture.width, 1280);
    EXPECT_GT(picture.count(29, 31, 37, 3), 100000) << name;
  }
  const Result nowhere = script("key F12\nexpect \"cannot write the picture\"\n", "--screenshots '" + path("nowhere") + "'");
  EXPECT_EQ(nowhere.status, 0) << nowhere.output;
  const Result device = view("--screenshot /dev/null");
  EXPECT_EQ(device.status, 2);
  EXPECT_THAT(device.output, HasSubstr("not a regular file"));
}

TEST_F(ShellWindowTest, LongStatusesEndBeforeTheHint) {
  std::string deep = path(std::string(100, 'd'));
  fs::create_directories(deep);
  const std::string name = std::string(110, 'n') + ".depscope";
  replay::save(sample_recording(20), deep + "/" + name);
  const Result result = script("open " + deep + "/" + name +
                               "\nexpect \"opened nnn\"\nexpect \"…\"\nexpect \"F1 keys\"\nexpect-legible\n"
                               "expect-element \"shell/status\" \"" +
                               name + "\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ShellWindowTest, AllKeysFitTheWindow) {
  for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
    const Result result = script(
        "key F1\nexpect \"Split the main area\"\nexpect \"Ctrl+Shift+L\"\nexpect \"Stop following the name\"\n"
        "mouse 640 400\nwheel -200\nwait 2\nexpect \"right click a tab\"\n",
        size);
    EXPECT_EQ(result.status, 0) << size << result.output;
  }
}

}  // namespace
}  // namespace depscope::viewers
