// The TensorMap panel in the window, against events and tables.
#include <fmt/format.h>

#include "depscope/replay/file.h"
#include "depscope/replay/state_queries.h"
#include "depscope/viewers/document.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using TensorMapWindow = WindowTest;
using runtime::EventKind;

std::string access_text(const Document& document, std::uint32_t access) {
  const auto& accesses = document.recording().accesses;
  return fmt::format("{} #{}", document.task_label(accesses.task[access]), accesses.arg[access]);
}

TEST_F(TensorMapWindow, EntriesAndHitsAreThoseOfTheEvents) {
  record("02_softmax_tiles", "r.depscope");
  Document document(load("r.depscope"), "r");
  const auto& r = document.recording();
  std::string text = "panel TensorMap\n";
  int covered = 0;
  int hits = 0;
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    if (static_cast<EventKind>(r.events.kind[e]) != EventKind::TensorMapHit) continue;
    document.cursor().seek(e + 1);
    const auto entries = replay::tensormap_entries(document.cursor(), 1000);
    ASSERT_TRUE(entries);
    text += fmt::format("seek {}\nwait 1\nexpect-element \"tensormap/use\" \"{} of 65,536 entries in use, most {}\"\n", e + 1,
                        entries->total, document.moments().tensormap);
    for (const std::uint32_t access : entries->rows)
      text += fmt::format("expect-element \"tensormap/entry {}\" \"{}\"\n", access, access_text(document, access));
    text += fmt::format("expect \"{}\"\n", access_text(document, r.events.object[e]));
    text +=
        fmt::format("expect-element \"tensormap/submit\" \"{}\"\n", document.task_label(r.accesses.task[r.events.subject[e]]));
    const bool covers = r.events.new_value[e] == 2;
    const bool writes = static_cast<runtime::ArgKind>(r.accesses.kind[r.events.subject[e]]) == runtime::ArgKind::InOut;
    text += fmt::format("expect \"{}\"\n", !covers ? "overlaps" : writes ? "covers: entry is removed" : "covers the whole write");
    covered += covers && writes;
    if (++hits == 8) break;
  }
  ASSERT_EQ(hits, 8);
  const Result result = script(text + "expect-legible\n", "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(TensorMapWindow, KeysGoToTheChangesAndLinksSelect) {
  record("02_softmax_tiles", "r.depscope");
  const recording::Recording r = load("r.depscope");
  std::vector<std::uint32_t> changes;
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    const auto kind = static_cast<EventKind>(r.events.kind[e]);
    if (kind == EventKind::TensorMapInsert || kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup)
      changes.push_back(e);
  }
  ASSERT_GT(changes.size(), 2U);
  const std::string of = fmt::format(" of {}\"\n", r.events.rows());
  const std::uint32_t entry = r.events.subject[changes[0]];
  const Result result =
      script(fmt::format("panel TensorMap\nkey U\nexpect \"event {}{}click-element \"tensormap/entry {}\"\nwait 1\n"
                         "expect \"argument {} of \"\nexpect \"{}\"\nkey U\nexpect \"event {}{}key shift+u\nexpect \"event {}{}"
                         "click-element \"tensormap/next change\"\nexpect \"event {}{}"
                         "key Home\nkey shift+u\nexpect \"no change of the TensorMap before from here\"\n"
                         "expect \"No submit has begun at the cursor\"\nexpect \"The TensorMap is empty at the cursor\"\n",
                         changes[0] + 1, of, entry, r.accesses.arg[entry], r.text(r.tensors.name[r.accesses.tensor[entry]]),
                         changes[1] + 1, of, changes[1], of, changes[1] + 1, of),
             "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(TensorMapWindow, TheSubmitOfTheSelectedTask) {
  record("06_moe_dispatch", "r.depscope", std::string("--data '") + DEPSCOPE_SAMPLES + "/data/06_moe_dispatch.json'");
  const Document document(load("r.depscope"), "r");
  const auto& r = document.recording();
  std::string text =
      "panel TensorMap\nkey End\nclick \"selected task\"\nexpect \"Select a task that was submitted\"\nmouse 5 5\n";
  for (std::uint32_t task = 0; task < r.tasks.rows(); task += 3) {
    text += fmt::format("select task {}\nwait 1\nexpect-element \"tensormap/submit\" \"{}\"\nexpect-legible\n", task,
                        document.task_label(task));
  }
  text += "key ctrl+shift+u\nwait 1\nexpect-element \"tensormap/submit\" \"" + document.task_label(r.tasks.rows() - 1) + "\"\n";
  const Result result = script(text, "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(TensorMapWindow, DisjointEntriesSayBothBoxes) {
  // Rows of one matrix are written one after the other by INOUT arguments: each lookup passes over those of the others.
  record("02_softmax_tiles", "r.depscope");
  const Document document(load("r.depscope"), "r");
  const auto& r = document.recording();
  // The last write of y: [96:128, 0:256] of four blocks of 32 rows.
  std::uint32_t last = kNoRow;
  for (std::uint32_t access = 0; access < r.accesses.rows(); ++access) {
    if (r.text(r.tensors.name[r.accesses.tensor[access]]) == "y") last = access;
  }
  ASSERT_NE(last, kNoRow);
  const Result result = script(
      fmt::format("panel TensorMap\nseek {}\nwait 1\nexpect \"miss: no entry overlaps\"\nexpect \"disjoint\"\n"
                  "expect \"[0:32, 0:256] and [96:128, 0:256]\"\nexpect \"[64:96, 0:256] and [96:128, 0:256]\"\nexpect-legible\n",
                  document.moments().submitted[r.accesses.task[last]] + 1),
      "", "r.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(TensorMapWindow, SummariesAndEmptyRecordings) {
  record("02_softmax_tiles", "s.depscope", "--events summary");
  Result result = script(
      "panel TensorMap\nkey End\nwait 1\nexpect \"This recording is a summary\"\nexpect \"A summary tells only the hits\"\n"
      "expect \"covers the whole write\"\nexpect-not \"miss: no entry\"\nkey U\nexpect \"no change of the "
      "TensorMap\"\nexpect-legible\n",
      "", "s.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
  replay::save(recording::Recording(), path("empty.depscope"));
  result = script("panel TensorMap\nkey U\nexpect \"This recording has no tensor arguments\"\n", "", "empty.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(TensorMapWindow, EverythingFitsAtBothSizes) {
  record("09_scopes_and_lifetimes", "r.depscope");
  for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
    const Result result = script(
        "panel TensorMap\nseek 400\nwait 1\nexpect-legible\nselect task 3\nkey End\nwait 1\nexpect-legible\nseek 1450\nwait 1\n"
        "expect-legible\n",
        size, "r.depscope");
    EXPECT_EQ(result.status, 0) << size << result.output;
  }
}

}  // namespace
}  // namespace depscope::viewers
