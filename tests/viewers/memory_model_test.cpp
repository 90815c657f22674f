// Slots and heap of every position of real runs against what all tasks say.
#include "memory_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "depscope/replay/watch.h"
#include "memory_history.h"
#include "sample_recording.h"
#include "sample_runs.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

struct Run {
  const char* name;
  const char* options;
};

class MemoryModelTest : public ::testing::TestWithParam<Run> {};

INSTANTIATE_TEST_SUITE_P(Samples, MemoryModelTest,
                         ::testing::Values(Run{"02_softmax_tiles", ""}, Run{"06_moe_dispatch", ""},
                                           Run{"09_scopes_and_lifetimes", ""}, Run{"02_softmax_tiles", "--events summary"},
                                           Run{"05_decoder_layer", "--ring-task-window 64 --ring-heap 131072"},
                                           Run{"09_scopes_and_lifetimes", "--ring-task-window 16 --ring-heap 65536"},
                                           Run{"02_softmax_tiles", "--ring-task-window 8 --ring-heap 32768"},
                                           Run{"traces/diamond.trace.json", ""}));

TEST_P(MemoryModelTest, EveryPositionIsThatOfTheCursor) {
  Document document(sample_run(GetParam().name, GetParam().options), "sample");
  const auto& tasks = document.recording().tasks;
  const RingTasks ring_tasks(document);
  std::size_t most = 0;
  for (std::uint32_t position = 0; position <= document.cursor().size(); ++position) {
    document.cursor().seek(position);
    const auto& state = document.cursor().state();
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      if (ring_tasks.tasks(ring).empty()) continue;
      const RingView view = RingView::at(document.cursor(), ring_tasks, ring);
      // Slots, from the events that take and pass them.
      std::map<std::uint32_t, std::uint32_t> in_slot;
      for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
        if (runtime::ring_of(tasks.id[task]) != ring || document.moments().submitted[task] >= position) continue;
        const bool back = document.cursor().full() ? state.reclaimed[task] != 0 : document.moments().reclaimed[task] < position;
        if (!back) in_slot[tasks.slot[task]] = task;
      }
      ASSERT_EQ(view.taken.size(), in_slot.size()) << "position " << position;
      for (std::uint32_t slot = 0; slot < ring_tasks.slots_seen(ring); ++slot) {
        const auto found = in_slot.find(slot);
        ASSERT_EQ(view.task_in(slot), found == in_slot.end() ? kNoRow : found->second) << "slot " << slot;
        const std::int64_t watched = replay::value(document.cursor(), {replay::WatchKind::Slot, ring, slot});
        const std::int64_t expected =
            found == in_slot.end() ? replay::kNothing : std::int64_t{state.task_state[found->second]} << 32U | found->second;
        ASSERT_EQ(watched, expected);
      }
      // Cells of any width count the same tasks.
      for (const std::uint32_t per_cell : {1U, 3U, 64U}) {
        std::uint32_t taken = 0;
        for (const SlotCell& cell : slot_cells(view, state, 0, view.slots, per_cell)) {
          std::uint32_t states = 0;
          for (const std::uint32_t count : cell.in_state) states += count;
          ASSERT_EQ(states, cell.taken);
          taken += cell.taken;
        }
        ASSERT_EQ(taken, view.taken.size());
      }
      // The heap: blocks apart, between tail and top; what is not taken is free.
      ASSERT_EQ(view.heap, replay::heap_map(document.cursor(), ring));
      std::uint64_t end = 0;
      std::uint64_t widest = 0;
      for (const replay::HeapBlock& block : view.heap) {
        ASSERT_GE(block.begin, end);
        widest = std::max(widest, block.begin - end);
        end = block.end;
      }
      if (view.largest_free && !view.heap.empty() && !view.use.heap_wrapped) {
        ASSERT_EQ(*view.largest_free, std::max(widest, view.heap_bytes - end)) << "position " << position;
      }
      if (view.largest_free && view.heap.empty() && view.use.heap_top == view.use.heap_tail) {
        ASSERT_EQ(*view.largest_free, view.heap_bytes);
      }
      for (const std::uint64_t least : {std::uint64_t{1}, std::uint64_t{5000}, std::uint64_t{1} << 40U}) {
        std::uint32_t blocks = 0;
        for (const HeapCell& cell : heap_cells(view.heap, 0, view.heap_bytes + 1, least)) {
          ASSERT_EQ(cell.first, blocks);
          blocks += cell.count;
        }
        ASSERT_EQ(blocks, std::count_if(view.heap.begin(), view.heap.end(), [](const auto& b) { return b.begin < b.end; }));
      }
      most = std::max(most, view.taken.size());
    }
  }
  EXPECT_GT(most, 1U);
}

TEST_P(MemoryModelTest, HistoryHasEveryAllocationOnceAndFindsWhoHasAByte) {
  Document document(sample_run(GetParam().name, GetParam().options), "sample");
  const auto& tasks = document.recording().tasks;
  const auto& moments = document.moments();
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    const HeapHistory history(document, ring);
    std::uint64_t bytes_seen = 1;
    std::uint32_t expected = 0;
    for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
      const bool has = runtime::ring_of(tasks.id[task]) == ring && tasks.heap_begin[task] < tasks.heap_end[task];
      EXPECT_EQ(history.index_of(task) != kNoRow, has);
      expected += has ? 1 : 0;
      if (has) bytes_seen = std::max(bytes_seen, tasks.heap_end[task]);
    }
    ASSERT_EQ(history.tasks().size(), expected);
    const double last = document.cursor().size();
    for (const double least : {0.5, 50.0, 1e12}) {
      std::vector<HeapBox> boxes;
      history.boxes({0, last, 0, static_cast<double>(bytes_seen), least, least}, 1000, boxes);
      std::uint32_t count = 0;
      for (const HeapBox& box : boxes) {
        EXPECT_EQ(box.first, count);
        count += box.count;
      }
      EXPECT_EQ(count, expected);
      if (least > 1e9 && expected > 0) {
        EXPECT_EQ(boxes.size(), 1U);
      }
    }
    // A point in the drawing against all allocations.
    for (std::uint32_t position = 0; position <= document.cursor().size(); position += 37) {
      for (std::uint64_t byte = 17; byte < bytes_seen; byte += bytes_seen / 23 + 1) {
        std::uint32_t owner = kNoRow;
        for (const std::uint32_t task : history.tasks()) {
          const std::uint32_t begin = moments.submitted[task] + 1;
          const std::uint32_t end =
              moments.reclaimed[task] == replay::kNever ? document.cursor().size() : moments.reclaimed[task] + 1;
          if (position >= begin && position < end && byte >= tasks.heap_begin[task] && byte < tasks.heap_end[task] &&
              owner == kNoRow)
            owner = task;
        }
        ASSERT_EQ(history.at(position, static_cast<double>(byte)), owner) << position << " " << byte;
      }
    }
  }
}

TEST(MemoryHistory, ManyAllocationsAreFewBoxes) {
  const Document document(sample_recording(20'000), "sample");
  std::uint32_t all = 0;
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    const HeapHistory history(document, ring);
    all += static_cast<std::uint32_t>(history.tasks().size());
    std::vector<HeapBox> boxes;
    const double events = document.cursor().size();
    // A drawing of 1000 × 250 pixels, of which 3 are too few to be told apart.
    const double bytes = static_cast<double>(RingTasks(document).bytes_seen(ring)) + 1;
    history.boxes({0, events, 0, bytes, events / 1000 * 3, bytes / 250 * 3}, 5000, boxes);
    EXPECT_LT(boxes.size(), 2000U);
    std::uint32_t count = 0;
    for (const HeapBox& box : boxes) count += box.count;
    EXPECT_EQ(count, history.tasks().size());
    history.boxes({0, events, 0, 1e15, 1e-9, 1e-9}, 100, boxes);
    EXPECT_LE(boxes.size(), 100U) << "the limit holds, whatever the sizes";
    // A window of the middle has no box outside it.
    history.boxes({events / 2, events / 2 + 500, 0, 1e15, 1, 1}, 5000, boxes);
    for (const HeapBox& box : boxes) {
      EXPECT_LE(box.begin, events / 2 + 500);
      EXPECT_GE(box.end, events / 2);
    }
  }
  EXPECT_GT(all, 1000U);
}

TEST(MemoryCells, AWindowOf65536SlotsFolds) {
  const Document document(sample_recording(20), "sample");
  replay::State state;
  state.task_state.assign(70'000, static_cast<std::uint8_t>(TaskState::Running));
  RingView view;
  view.slots = 65'536;
  for (std::uint32_t slot = 0; slot < view.slots; slot += 2) view.taken.push_back({slot, slot});
  const auto cells = slot_cells(view, state, 0, view.slots, 1);
  EXPECT_LE(cells.size(), std::size_t{kMaxCells} + 1);
  std::uint32_t taken = 0;
  for (const SlotCell& cell : cells) {
    EXPECT_EQ(cell.taken, (cell.last - cell.first) / 2);
    EXPECT_EQ(cell.in_state[static_cast<std::size_t>(TaskState::Running)], cell.taken);
    taken += cell.taken;
  }
  EXPECT_EQ(taken, view.slots / 2);
}

TEST(MemoryWords, WhyATaskIsStillThere) {
  Document document(sample_run("09_scopes_and_lifetimes"), "sample");
  const auto& moments = document.moments();
  // In the middle of its life a task has not completed, and its scope holds it.
  document.cursor().seek(moments.submitted[1] + 1);
  EXPECT_THAT(holders_words(document, 1, 10), ::testing::Contains("it has not completed"));
  EXPECT_THAT(holders_words(document, 1, 10), ::testing::Contains(::testing::HasSubstr("holds a reference until it ends")));
  // Every line that is said of any task at any time is one of the holders that replay tells.
  for (std::uint32_t position = 0; position <= document.cursor().size(); position += 101) {
    document.cursor().seek(position);
    for (std::uint32_t task = 0; task < document.recording().tasks.rows(); ++task) {
      const auto holders = replay::holders_of(document.cursor(), task);
      const auto words = holders_words(document, task, 1000);
      if (!holders.empty()) {
        ASSERT_EQ(words.size(), holders.size());
      }
      const auto two = holders_words(document, task, 2);
      ASSERT_LE(two.size(), 3U);
    }
  }
  document.cursor().seek(0);
  EXPECT_TRUE(holders_words(document, 1, 10).empty());
}

TEST(MemoryWords, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(65'536), "65,536");
  EXPECT_EQ(grouped(268'435'456), "268,435,456");
  EXPECT_EQ(bytes_words(1), "1 byte");
  EXPECT_EQ(bytes_words(1536), "1.5 KiB");
  EXPECT_EQ(bytes_words(256ULL << 20U), "256 MiB");
  EXPECT_EQ(state_letter(TaskState::Consumed), 'Z');
  EXPECT_EQ(state_letter(TaskState::Completed), 'C');
}

}  // namespace
}  // namespace depscope::viewers
