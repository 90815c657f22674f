// Entries and lookups of real runs against a set that is kept event by event.
#include "tensormap_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "sample_runs.h"
#include "view_bytes.h"

namespace depscope::viewers {
namespace {

using runtime::ArgKind;
using runtime::EventKind;

class TensorMapModelTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Samples, TensorMapModelTest,
                         ::testing::Values("02_softmax_tiles", "06_moe_dispatch", "09_scopes_and_lifetimes", "03_matmul_ksplit",
                                           "08_fused_mlp_war", "traces/diamond.trace.json"));

TEST_P(TensorMapModelTest, EntriesAtEveryPosition) {
  Document document(sample_run(GetParam()), "sample");
  const auto& r = document.recording();
  const Buffers buffers(document);
  const TensorMapModel model(document, buffers);
  std::set<std::uint32_t> live;
  std::vector<std::uint32_t> changes;
  for (std::uint32_t position = 0; position <= document.cursor().size(); ++position) {
    if (position > 0) {
      const auto kind = static_cast<EventKind>(r.events.kind[position - 1]);
      const std::uint32_t entry = r.events.subject[position - 1];
      if (kind == EventKind::TensorMapInsert) live.insert(entry), changes.push_back(position - 1);
      if (kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup)
        live.erase(entry), changes.push_back(position - 1);
    }
    document.cursor().seek(position);
    std::uint32_t total = 0;
    const auto rows = model.entries(document.cursor(), total);
    ASSERT_EQ(total, live.size()) << "position " << position;
    ASSERT_EQ(total, static_cast<std::uint32_t>(document.cursor().state().tensormap_entries));
    std::set<std::uint32_t> listed;
    std::set<std::uint32_t> heads;
    std::uint32_t left = 0;
    for (const EntryRow& row : rows) {
      if (row.access == kNoRow) {
        EXPECT_EQ(left, 0U);
        EXPECT_TRUE(heads.insert(row.buffer).second) << "a buffer stands once";
        left = row.count;
        continue;
      }
      ASSERT_GT(left--, 0U);
      ASSERT_EQ(buffers.of_access(row.access), row.buffer);
      listed.insert(row.access);
    }
    ASSERT_EQ(listed, live);
  }
  EXPECT_EQ(model.changes(), changes);
}

TEST_P(TensorMapModelTest, EverySubmitFindsWhatTheRuntimeFound) {
  Document document(sample_run(GetParam()), "sample");
  const auto& r = document.recording();
  const Buffers buffers(document);
  const TensorMapModel model(document, buffers);
  std::size_t hits = 0;
  std::size_t hit_events = 0;
  std::set<std::uint32_t> live;  // entries before the submit
  std::uint32_t at = 0;
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    const SubmitView view = model.submit_of(task);
    ASSERT_EQ(view.task, task);
    // Up to the first lookup nothing but clean-up happens.
    for (; at < document.moments().submitted[task]; ++at) {
      const auto kind = static_cast<EventKind>(r.events.kind[at]);
      if (kind == EventKind::TensorMapInsert) live.insert(r.events.subject[at]);
      if (kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup) live.erase(r.events.subject[at]);
    }
    std::set<std::uint32_t> there = live;
    for (const MapChange& change : view.changes) {
      if (change.kind == EventKind::TensorMapCleanup) there.erase(change.entry);
    }
    const auto [first, last] = document.accesses_of_task(task);
    for (std::uint32_t access = first; access < last; ++access) {
      std::vector<LookupRow> rows;
      std::copy_if(view.lookups.begin(), view.lookups.end(), std::back_inserter(rows),
                   [&](const LookupRow& row) { return row.access == access; });
      ASSERT_FALSE(rows.empty()) << "every argument says something";
      const auto kind = static_cast<ArgKind>(r.accesses.kind[access]);
      const bool looks = (kind == ArgKind::Input || kind == ArgKind::InOut) && (r.tasks.flags[task] & 1U) == 0 &&
                         r.tensors.manual_dep[r.accesses.tensor[access]] == 0;
      if (!looks) {
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0].verdict, Verdict::NoLookup);
        EXPECT_FALSE(no_lookup_words(r, access).empty());
        continue;
      }
      // Every entry of the address is told once, with the verdict that the two boxes give.
      std::set<std::uint32_t> expected;
      for (const std::uint32_t entry : there) {
        if (r.tensors.address[r.accesses.tensor[entry]] == r.tensors.address[r.accesses.tensor[access]]) expected.insert(entry);
      }
      std::set<std::uint32_t> told;
      for (const LookupRow& row : rows) {
        if (row.entry == kNoRow) {
          EXPECT_EQ(row.verdict, Verdict::Miss);
          continue;
        }
        EXPECT_TRUE(told.insert(row.entry).second);
        const auto overlap = runtime::classify_overlap(descriptor_of_access(r, row.entry), descriptor_of_access(r, access));
        switch (row.verdict) {
          case Verdict::Overlaps: EXPECT_EQ(overlap, runtime::Overlap::Other); break;
          case Verdict::Covers:
            EXPECT_EQ(overlap, runtime::Overlap::Covered);
            EXPECT_EQ(kind, ArgKind::Input);
            break;
          case Verdict::Removes:
            EXPECT_EQ(overlap, runtime::Overlap::Covered);
            EXPECT_EQ(kind, ArgKind::InOut);
            there.erase(row.entry);
            break;
          case Verdict::Disjoint: EXPECT_EQ(overlap, runtime::Overlap::None); break;
          case Verdict::Stale: EXPECT_NE(overlap, runtime::Overlap::None); break;
          default: ADD_FAILURE() << "no verdict of an entry";
        }
        if (row.event != kNoRow) {
          ++hits;
          EXPECT_EQ(static_cast<EventKind>(r.events.kind[row.event]), EventKind::TensorMapHit);
          if (row.edge != kNoRow) {
            EXPECT_EQ(r.edges.producer[row.edge], r.accesses.task[row.entry]);
            EXPECT_EQ(r.edges.consumer[row.edge], task);
          }
        }
      }
      EXPECT_EQ(told, expected) << "task " << task << " access " << access;
    }
  }
  for (std::uint32_t e = 0; e < r.events.rows(); ++e)
    hit_events += r.events.kind[e] == static_cast<std::uint8_t>(EventKind::TensorMapHit);
  EXPECT_EQ(hits, hit_events);
}

TEST(TensorMapModel, TheSubmitAtTheCursorIsTheLastThatBegan) {
  Document document(sample_run("02_softmax_tiles"), "sample");
  const auto& r = document.recording();
  const Buffers buffers(document);
  const TensorMapModel model(document, buffers);
  EXPECT_EQ(model.submit_at(0).begin, kNoRow);
  std::uint32_t last = kNoRow;
  for (std::uint32_t position = 1; position <= r.events.rows(); ++position) {
    if (static_cast<EventKind>(r.events.kind[position - 1]) == EventKind::SubmitBegin) last = position - 1;
    ASSERT_EQ(model.submit_at(position).begin, last);
  }
}

TEST(TensorMapModel, ASummaryTellsTheHitsThatGaveAnEdge) {
  Document full(sample_run("09_scopes_and_lifetimes"), "full");
  Document summary(sample_run("09_scopes_and_lifetimes", "--events summary"), "summary");
  const Buffers full_buffers(full);
  const Buffers summary_buffers(summary);
  const TensorMapModel whole(full, full_buffers);
  const TensorMapModel part(summary, summary_buffers);
  EXPECT_TRUE(part.changes().empty());
  const auto hits = [](const SubmitView& view) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, Verdict>> out;
    for (const LookupRow& row : view.lookups) {
      if (row.edge != kNoRow && row.verdict != Verdict::Disjoint && row.verdict != Verdict::Stale)
        out.emplace(row.access, row.entry, row.verdict);
    }
    return out;
  };
  std::size_t count = 0;
  for (std::uint32_t task = 0; task < full.recording().tasks.rows(); ++task) {
    EXPECT_EQ(hits(part.submit_of(task)), hits(whole.submit_of(task))) << task;
    count += hits(whole.submit_of(task)).size();
    for (const LookupRow& row : part.submit_of(task).lookups) EXPECT_NE(row.verdict, Verdict::Miss) << "a summary does not know";
  }
  EXPECT_GT(count, 20U);
}

}  // namespace
}  // namespace depscope::viewers
