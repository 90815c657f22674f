// Input at random, the same each time: nothing that a user can press, drag or open may end the window. Scripts of fixed seeds on
// recordings of all kinds; DEPSCOPE_FUZZ_STEPS and DEPSCOPE_FUZZ_SEED make longer and other ones.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/file.h"
#include "sample_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 800;
constexpr std::array kPanels = {"Passes",    "Regions",  "Directions", "Graph",    "Timeline", "Memory",
                                "TensorMap", "Resource", "Events",     "Findings", "Inspector"};
constexpr std::array kKinds = {"task",   "edge",   "scope",  "call site", "pass",     "event",
                               "region", "hazard", "tensor", "finding",   "argument", "access"};
/// Keys of one letter do what a panel or the transport does; the others are of dialogs, lists and the layout.
constexpr std::string_view kLetters = "abcefghijklmnopqrtuvxyz/=-[],.0123456789";
constexpr std::array kNamedKeys = {
    "space",      "escape",   "enter",          "tab",     "backspace", "delete",       "left",    "right",        "up",
    "down",       "pageup",   "pagedown",       "home",    "end",       "f1",           "f2",      "f8",           "f9",
    "shift+f9",   "alt+left", "alt+right",      "ctrl+up", "ctrl+down", "shift+escape", "shift+n", "shift+t",      "ctrl+=",
    "ctrl+-",     "ctrl+0",   "ctrl+l",         "alt+e",   "alt+f",     "alt+z",        "alt+m",   "ctrl+shift+m", "ctrl+shift+l",
    "ctrl+enter", "alt+a",    "ctrl+shift+w",   "f5",      "shift+tab", "alt+=",        "alt+-",   "shift+=",      "shift+-",
    "alt+o",      "shift+o",  "ctrl+backspace", "ctrl+a",  "ctrl+v",    "ctrl+x",       "ctrl+z",  "ctrl+end",     "ctrl+home"};
constexpr std::string_view kControlled = "bcfgop";         // with Ctrl
constexpr std::string_view kShifted = "1234bcdgiknouxmw";  // with Ctrl and Shift
constexpr std::array kTexts = {"a", "task 3", "event:",      "kind=edge", "-1", "op\"en", "t1 ", "severity:error",
                               "ä", "/",      "99999999999", "k(",        "..", "~/"};

/// Lines of a script for depscope-view.
class RandomInput {
 public:
  RandomInput(std::uint32_t seed, std::vector<std::string> files) : random_(seed), files_(std::move(files)) {}

  std::string lines(int steps) {
    std::string text;
    for (int i = 0; i < steps; ++i) text += step();
    return text;
  }

 private:
  std::uint32_t below(std::size_t limit) { return random_() % static_cast<std::uint32_t>(limit); }
  template <class List>
  auto one_of(const List& list) {
    return list[below(list.size())];
  }
  /// Also some pixels outside.
  std::string point() {
    return fmt::format("{} {}", static_cast<int>(below(kWidth + 10)) - 5, static_cast<int>(below(kHeight + 10)) - 5);
  }

  std::string key() {
    switch (below(6)) {
      case 0:
      case 1: return std::string(1, one_of(kLetters));
      case 2: return fmt::format("shift+{}", one_of(std::string_view("agmnotufz0")));
      case 3: return fmt::format("ctrl+{}", one_of(kControlled));
      case 4: return fmt::format("ctrl+shift+{}", one_of(kShifted));
      default: return one_of(kNamedKeys);
    }
  }

  std::string position() {
    constexpr std::array<std::uint32_t, 5> kLimits{1, 40, 700, 30000, 4294967295U};
    return std::to_string(below(one_of(kLimits)));
  }

  std::string step() {
    const std::uint32_t which = below(100);
    if (which < 34) return fmt::format("key {}\n", key());
    if (which < 46) return fmt::format("click {}\n", point());
    if (which < 51) return fmt::format("mouse {}\nwheel {}\n", point(), static_cast<int>(below(13)) - 6);
    if (which < 58) return fmt::format("drag {} {}\n", point(), point());
    if (which < 65) return fmt::format("seek {}\n", position());
    if (which < 74) return fmt::format("panel {}\n", one_of(kPanels));
    if (which < 82) return fmt::format("key escape\nkey ctrl+p\ntype {} {}\nkey enter\n", one_of(kKinds), below(1 + below(60)));
    if (which < 84) return fmt::format("open {}\n", one_of(files_));
    if (which < 87) return fmt::format("open-b {}\n", one_of(files_));
    if (which < 88) return fmt::format("open-async {}\n", one_of(files_));
    if (which < 91) return fmt::format("type {}\n", one_of(kTexts));
    if (which < 96) return fmt::format("key {}\n", one_of(std::array{"tab", "escape", "ctrl+shift+m", "ctrl+l", "enter"}));
    return fmt::format("wait {}\n", below(4));
  }

  std::mt19937 random_;
  std::vector<std::string> files_;
};

std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

class FuzzWindowTest : public WindowTest {
 protected:
  void survives(std::uint32_t seed, const std::vector<std::string>& names, const std::string& arguments = "") {
    std::vector<std::string> files;
    for (const std::string& name : names) files.push_back(path(name));
    const std::uint32_t first = from_environment("DEPSCOPE_FUZZ_SEED", seed);
    const std::string text = RandomInput(first, files).lines(static_cast<int>(from_environment("DEPSCOPE_FUZZ_STEPS", 25)));
    const Result result =
        script(text, "--screenshots '" + path(".") + "' --settings '" + path("settings.json") + "' " + arguments, names.front());
    EXPECT_EQ(result.status, 0) << "seed " << first << "\n" << result.output << "\n" << text;
  }
};

TEST_F(FuzzWindowTest, ComparedRuns) {
  const std::string data = "--data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'";
  record("10_fallbacks", "a.depscope", data);
  record("10_fallbacks", "b.depscope", "--analyze-auto-scopes " + data);
  record("02_softmax_tiles", "other.depscope", "--analyze-auto-scopes");
  for (const std::uint32_t seed : {1U, 2U})
    survives(seed, {"a.depscope", "b.depscope", "other.depscope"}, "'" + path("b.depscope") + "'");
}

TEST_F(FuzzWindowTest, ScarceRecordings) {
  record("02_softmax_tiles", "summary.depscope", "--events summary");
  record("02_softmax_tiles", "deadlock.depscope", "--ring-task-window 4");
  record(std::string(DEPSCOPE_SAMPLES) + "/traces/diamond.trace.json", "trace.depscope");
  write("empty.py",
        "import pypto.language as pl\n\n@pl.program\nclass Empty:\n    @pl.function(type=pl.FunctionType.Orchestration)\n"
        "    def main(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:\n        return x\n");
  record("empty.py", "empty.depscope");
  write("broken.depscope", "no recording");
  for (const std::uint32_t seed : {3U, 4U}) {
    survives(seed,
             {"empty.depscope", "summary.depscope", "deadlock.depscope", "trace.depscope", "broken.depscope", "gone.depscope"});
  }
}

TEST_F(FuzzWindowTest, ManyTasks) {
  replay::save(sample_recording(3000), path("large.depscope"));
  survives(5, {"large.depscope", "sample.depscope"});
}

}  // namespace
}  // namespace depscope::viewers
