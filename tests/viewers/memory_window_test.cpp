// The Memory panel in the window, against the recording's tables and the cursor's state.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <fstream>

#include "depscope/replay/file.h"
#include "depscope/replay/state_queries.h"
#include "depscope/viewers/document.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using MemoryWindow = WindowTest;

/// The rectangle of an element in a dump.
std::array<int, 4> box_of_element(const std::string& dump, const std::string& name) {
  std::array<int, 4> box{};
  std::ifstream file(dump);
  const auto all = nlohmann::json::parse(file);
  for (const auto& element : all["elements"]) {
    if (element["name"] != name) continue;
    for (std::size_t i = 0; i < 4; ++i) box[i] = static_cast<int>(element["box"][i].get<double>());
  }
  return box;
}

TEST_F(MemoryWindow, SlotsAndHeapAreThoseOfTheCursor) {
  record("09_scopes_and_lifetimes", "r.depscope");
  Document document(load("r.depscope"), "r");
  const auto& tasks = document.recording().tasks;
  const std::uint32_t position = document.moments().submitted[20] + 1;
  document.cursor().seek(position);
  const std::uint32_t ring = 2;
  std::string script_text = fmt::format("panel Memory\nseek {}\nwait 2\nexpect \"Slots of ring {}\"\n", position, ring);
  std::uint32_t taken = 0;
  for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
    if (runtime::ring_of(tasks.id[task]) != ring) continue;
    const auto state = static_cast<runtime::TaskState>(document.cursor().state().task_state[task]);
    if (state == runtime::TaskState::Unborn) continue;
    ++taken;
    script_text += fmt::format("expect-element \"memory/slot {}\" \"slot {}: {}, {}\"\n", tasks.slot[task], tasks.slot[task],
                               document.task_label(task), runtime::task_state_name(state));
  }
  ASSERT_GT(taken, 1U);
  const auto heap = replay::heap_map(document.cursor(), ring);
  ASSERT_FALSE(heap.empty());
  for (const auto& block : heap) {
    script_text +=
        fmt::format("expect-element \"memory/block of task {}\" \"bytes {} to {}\"\n", block.task, block.begin, block.end);
    script_text +=
        fmt::format("expect-element \"memory/allocation of task {}\" \"{}\"\n", block.task, document.task_label(block.task));
  }
  const auto use = replay::ring_use(document.cursor(), ring);
  script_text += fmt::format("expect-element \"memory/slot {}\" \"free\"\n", taken);
  script_text += fmt::format("expect-element \"memory/pointer next\" \"next {}\"\n", use.next);
  script_text += fmt::format("expect-element \"memory/pointer watermark\" \"watermark {}\"\n", use.watermark);
  script_text += "expect-element \"memory/pointer top\"\nexpect-element \"memory/pointer tail\"\n";
  for (const std::uint32_t r : {2U, 3U}) {
    const auto of = replay::ring_use(document.cursor(), r);
    script_text += fmt::format("expect-element \"memory/ring {} slots\" \"{} of 16,384, most {}\"\n", r, of.slots_used,
                               document.moments().slots[r]);
    script_text += fmt::format("expect-element \"memory/ring {} dep pool\" \"{} of 16,384\"\n", r, *of.dep_used);
    script_text +=
        fmt::format("expect-element \"memory/ring {} heap\" \"of 256 MiB, most {} KiB\"\n", r, document.moments().heap[r] / 1024);
  }
  script_text += fmt::format("expect-element \"memory/tensormap\" \"{} of 65,536, most {}\"\n",
                             document.cursor().state().tensormap_entries, document.moments().tensormap);
  script_text += "expect-legible\nexpect \"no tasks on rings 0, 1\"\n";
  script_text += "click-element \"memory/slot 1\"\nwait 1\nexpect \"Why is it alive?\"\n";
  script_text += "expect \"ring 2, local 1, slot 1\"\n";
  const Result result = script(script_text, "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output << script_text;
}

TEST_F(MemoryWindow, StatesHaveTheirColoursAndTheSelectionIsBright) {
  record("09_scopes_and_lifetimes", "r.depscope");
  Document document(load("r.depscope"), "r");
  const std::uint32_t position = document.moments().completed[0] + 1;
  const Result result = script(fmt::format("panel Memory\nseek {}\nwait 2\nscreenshot {}\ndump {}\nselect task 0\nwait 2\n"
                                           "screenshot {}\nhover-element \"memory/block of task 0\"\nwait 2\n"
                                           "expect \"It is still there, because\"\nexpect \"16 KiB\"\n",
                                           position, path("a.png"), path("a.json"), path("b.png")),
                               "", "r.depscope");
  ASSERT_EQ(result.status, 0) << result.output;
  const Picture before(path("a.png"));
  const Picture after(path("b.png"));
  for (const char* name : {"memory/slot 0", "memory/block of task 0"}) {
    const auto box = box_of_element(path("a.json"), name);
    ASSERT_GT(box[2], box[0]) << name;
    EXPECT_GT(before.count_in(box[0], box[1], box[2] + 1, box[3] + 1, 70, 190, 130, 20), 30) << "completed, " << name;
    const auto bright = [&](const Picture& picture) {
      return picture.count_in(box[0], box[1], box[2] + 1, box[1] + 2, 226, 229, 235, 20);
    };
    EXPECT_EQ(bright(before), 0) << name;
    EXPECT_GT(bright(after), 30) << name;
  }
}

TEST_F(MemoryWindow, RingsAreSteppedAndFollowTheSelection) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const recording::Recording r = load("r.depscope");
  std::uint32_t on_three = 0;
  while (runtime::ring_of(r.tasks.id[on_three]) != 3) ++on_three;
  const Result result = script(
      "panel Memory\nseek 300\nexpect \"Heap of ring 2\"\nkey M\nexpect \"Heap of ring 3\"\nkey M\nexpect \"Heap of ring 2\"\n"
      "key shift+m\nexpect \"Slots of ring 3\"\nclick-element \"memory/ring 2\"\nwait 1\nexpect \"Slots of ring 2\"\n" +
          fmt::format("select task {}\nwait 2\nexpect \"Slots of ring 3\"\n", on_three),
      "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(MemoryWindow, SlotsFoldIntoRangesWithCountsWhenZoomedOut) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const Result result = script(
      "panel Memory\nkey M\nseek 300\nwait 1\nexpect-element \"memory/slot 1\" \"slot 1: \"\nhover-element \"memory/slot 3\"\n"
      "wheel -60\nwait 2\nexpect-element \"memory/slot 0\" \" taken: \"\nexpect-element \"memory/slot 0\" \"slots 0 to \"\n"
      "expect-no-element \"memory/slot 1\"\nexpect-legible\nkey alt+m\nwait 1\nexpect-element \"memory/slot 1\" \"slot 1: "
      "\"\n",
      "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(MemoryWindow, TheHistoryMovesTheCursor) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const Result result = script(
      "panel Memory\nseek 0\nwait 1\ndouble-click-element \"memory/allocation of task 0\"\nwait 2\nexpect-not \"event 0 of\"\n"
      "expect \"ring 2, local 0, slot 0\"\nexpect-element \"memory/cursor\" \"event \"\n",
      "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(MemoryWindow, ASummaryAndATraceSayWhatTheyDoNotTell) {
  record("02_softmax_tiles", "s.depscope", "--events summary");
  Result result = script(
      "panel Memory\nkey End\nwait 1\nexpect-element \"memory/ring 2 dep pool\" \"not told by a summary\"\n"
      "expect-element \"memory/tensormap\" \"not told by a summary\"\nexpect-element \"memory/ring 2 slots\" \"of 16,384\"\n"
      "expect-legible\n",
      "", "s.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
  replay::save(recording::Recording(), path("empty.depscope"));
  result = script("panel Memory\nkey M\nkey alt+m\nexpect \"This recording has no tasks\"\n", "", "empty.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
  const Result run = run_command(
      fmt::format("'{}' run '{}/traces/diamond.trace.json' -o '{}'", DEPSCOPE_PROGRAM, DEPSCOPE_SAMPLES, path("t.depscope")));
  ASSERT_EQ(run.status, 0) << run.output;
  result = script(
      "panel Memory\nkey End\nwait 1\nexpect \"Slots of ring 0\"\nexpect-legible\npanel TensorMap\nwait 1\n"
      "expect \"Entries at the cursor\"\nexpect-legible\npanel Resource\nselect access 1\nwait 1\nexpect \"output of t0\"\n"
      "expect \"RAW\"\nexpect-legible\n",
      "", "t.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(MemoryWindow, EverythingFitsAtBothSizes) {
  for (const char* name : {"09_scopes_and_lifetimes", "02_softmax_tiles"}) {
    record(name, "r.depscope");
    for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
      const Result result = script(
          "panel Memory\nseek 200\nwait 1\nexpect-legible\nselect task 3\nwait 2\nexpect-legible\nkey End\nwait "
          "1\nexpect-legible\n"
          "key M\nwait 1\nexpect-legible\nhover-element \"memory/pointer next\"\nwheel 6\nwait 2\nexpect-legible\n",
          size, "r.depscope");
      EXPECT_EQ(result.status, 0) << name << size << result.output;
    }
  }
}

}  // namespace
}  // namespace depscope::viewers
