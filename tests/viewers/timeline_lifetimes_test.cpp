// Segments and holders from the tables against the state of a cursor that walks through all positions.
#include "depscope/viewers/timeline_lifetimes.h"

#include <gtest/gtest.h>

#include <utility>

#include "depscope/viewers/colours.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using replay::HolderKind;
using runtime::TaskState;

std::string text_of(const std::vector<replay::Holder>& holders) {
  std::string out;
  for (const auto& h : holders) {
    out += std::to_string(static_cast<int>(h.kind)) + "/" + std::to_string(h.edge) + "/" + std::to_string(h.task) + "/" +
           std::to_string(h.scope) + " ";
  }
  return out;
}

/// Fails once per recording, with the first difference.
void expect_holders_as_at_cursor(recording::Recording recording) {
  Document document(std::move(recording), "");
  const Lifetimes lifetimes(document);
  std::uint64_t held = 0;
  for (std::uint32_t position = 0; position <= document.cursor().size(); ++position) {
    document.cursor().seek(position);
    for (std::uint32_t task = 0; task < document.recording().tasks.rows(); ++task) {
      const auto expected = replay::holders_of(document.cursor(), task);
      held += expected.size();
      const auto found = lifetimes.holders(task, position);
      ASSERT_EQ(found, expected) << "task " << task << " at " << position << "\n" << text_of(found) << "\n" << text_of(expected);
    }
  }
  EXPECT_GT(held, 1000U);
}

TEST(Lifetimes, HoldersAreThoseAtTheCursor) {
  for (const char* name : {"02_softmax_tiles", "07_manual_pipeline", "09_scopes_and_lifetimes"}) {
    SCOPED_TRACE(name);
    expect_holders_as_at_cursor(sample_run(name));
  }
}

TEST(Lifetimes, HoldersAreThoseAtTheCursorInSmallRings) {
  expect_holders_as_at_cursor(sample_run("09_scopes_and_lifetimes", "--ring-task-window 16"));
}

TEST(Lifetimes, HoldersAreThoseAtTheCursorInASummary) {
  expect_holders_as_at_cursor(sample_run("09_scopes_and_lifetimes", "--events summary"));
  expect_holders_as_at_cursor(replay::synthetic_recording({.tasks = 60, .pins = false}));
}

TEST(Lifetimes, HoldersAreThoseAtTheCursorInAMadeUpRunThatFails) {
  expect_holders_as_at_cursor(replay::synthetic_recording({.tasks = 60, .faults = true}));
}

void expect_segments_as_replayed(recording::Recording recording) {
  Document document(std::move(recording), "");
  const Lifetimes lifetimes(document);
  auto& cursor = document.cursor();
  const std::uint32_t tasks = document.recording().tasks.rows();
  // The last position at which somebody with RETAIN holds the task.
  std::vector<std::uint32_t> retained(tasks, 0);
  for (std::uint32_t position = cursor.size() + 1; position-- > 0;) {
    cursor.seek(position);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      if (retained[task] != 0) continue;
      for (const std::uint32_t edge : cursor.kept_alive_by(task)) {
        if ((document.recording().edges.flags_final[edge] & runtime::kRetain) != 0) retained[task] = position;
      }
    }
  }
  std::array<int, kLifeSegments> seen{};
  for (std::uint32_t position = 0; position <= cursor.size(); ++position) {
    cursor.seek(position);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const Life life = lifetimes.slot(task);
      const auto state = static_cast<TaskState>(cursor.state().task_state[task]);
      ASSERT_EQ(life.born() && life.begin[0] < position, state != TaskState::Unborn) << "task " << task << " at " << position;
      if (state == TaskState::Unborn) continue;
      LifeSegment expected = LifeSegment::Allocated;
      if (state == TaskState::Completed) {
        expected = position <= retained[task] ? LifeSegment::Completed : LifeSegment::LastReader;
      } else if (state == TaskState::Consumed) {
        const auto holders = replay::holders_of(cursor, task);
        const bool given_back = holders.empty() || holders[0].kind == HolderKind::HeapTail;
        expected = given_back ? LifeSegment::Reused : LifeSegment::Consumed;
        ASSERT_EQ(lifetimes.buffer(task).at(position) == LifeSegment::Reused, holders.empty()) << task << " at " << position;
      }
      ASSERT_EQ(life.at(position), expected) << "task " << task << " at " << position;
      ++seen[static_cast<std::size_t>(expected)];
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(Lifetimes, SegmentsAreTheStatesOfTheReplay) {
  for (const char* name : {"02_softmax_tiles", "07_manual_pipeline", "09_scopes_and_lifetimes"}) {
    SCOPED_TRACE(name);
    expect_segments_as_replayed(sample_run(name));
  }
}

TEST(Lifetimes, SegmentsAscendAndCoverTheLife) {
  for (const char* events : {"full", "summary"}) {
    Document document(sample_run("09_scopes_and_lifetimes", "--events " + std::string(events) + " --ring-task-window 16"), "");
    const Lifetimes lifetimes(document);
    const std::uint32_t last = document.cursor().size();
    for (std::uint32_t task = 0; task < document.recording().tasks.rows(); ++task) {
      for (const Life& life : {lifetimes.slot(task), lifetimes.buffer(task)}) {
        ASSERT_TRUE(life.born());
        EXPECT_EQ(life.begin[0], document.moments().submitted[task]);
        for (std::size_t k = 0; k + 1 < kLifeSegments; ++k) {
          EXPECT_LE(life.begin[k], life.begin[k + 1]);
          EXPECT_EQ(life.end_of(static_cast<LifeSegment>(k), last), std::min(life.begin[k + 1], last));
        }
      }
      EXPECT_EQ(lifetimes.slot(task).begin[1], document.moments().completed[task]);
    }
  }
}

TEST(Lifetimes, SegmentsHaveTheNamesOfTheLegend) {
  for (std::size_t k = 0; k < kLifeSegments; ++k)
    EXPECT_EQ(life_segment_name(static_cast<LifeSegment>(k)), colour::lifetime_legend()[k].name);
  EXPECT_EQ(colour::lifetime_legend().size(), kLifeSegments);
}

TEST(Lifetimes, NothingToLiveIsNoFault) {
  Document empty(recording::Recording(), "");
  const Lifetimes lifetimes(empty);
  // Tasks without events are never born.
  recording::Recording without = replay::synthetic_recording({.tasks = 5});
  without.events = {};
  Document document(std::move(without), "");
  const Lifetimes unborn(document);
  EXPECT_FALSE(unborn.slot(3).born());
  EXPECT_TRUE(unborn.holders(3, 0).empty());
}

}  // namespace
}  // namespace depscope::viewers
