// Two recordings side by side: marks, words, and which position belongs to which.
#include "depscope/viewers/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "depscope/viewers/colours.h"
#include "sample_recording.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using recording::Recording;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::array kCompared{ItemKind::Task,   ItemKind::Edge,   ItemKind::Scope,    ItemKind::CallSite, ItemKind::Pass,
                               ItemKind::Region, ItemKind::Tensor, ItemKind::Argument, ItemKind::Access};

/// A recording and a copy of it that is changed.
struct Pair {
  explicit Pair(const std::function<void(Recording&)>& change, const Recording& r = sample_recording(30)) : a(r, "a.depscope") {
    Recording changed = r;
    change(changed);
    b = std::make_unique<Document>(std::move(changed), "b.depscope");
    comparison = std::make_unique<Comparison>(a, *b);
  }
  Document a;
  std::unique_ptr<Document> b;
  std::unique_ptr<Comparison> comparison;
};

TEST(Comparison, ARecordingWithItself) {
  Pair pair([](Recording&) {});
  const Comparison& c = *pair.comparison;
  for (const ItemKind kind : kCompared) {
    SCOPED_TRACE(item_kind_name(kind));
    ASSERT_FALSE(c.rows(kind).counterpart.empty());
    for (std::uint32_t row = 0; row < c.rows(kind).counterpart.size(); ++row) EXPECT_EQ(c.counterpart(kind, row), row);
    EXPECT_THAT(c.rows(kind).mark, Each(Mark::Same));
    EXPECT_THAT(c.rows(kind).only_there, IsEmpty());
    EXPECT_EQ(c.count(kind, Mark::Same), c.rows(kind).mark.size());
  }
  EXPECT_EQ(c.report().total(), 0U);
  EXPECT_EQ(c.mark(ItemKind::Event, 0), Mark::Same) << "events are not compared";
  EXPECT_EQ(c.counterpart(ItemKind::Event, 0), kNoRow);
  EXPECT_THAT(c.differences(ItemKind::Task, 0), IsEmpty());
  for (std::uint32_t p = 0; p <= pair.a.recording().events.rows(); ++p) ASSERT_EQ(c.position_there(p), p);
}

TEST(Comparison, FlagsAndProvenanceInWords) {
  Pair pair([](Recording& r) {
    r.edges.flags[3] = runtime::kRetain;
    r.edges.flags_final[3] = runtime::kRetain;
    r.edges.provenance[5] = runtime::kFence;
  });
  Comparison& c = *pair.comparison;
  const auto& a = pair.a.recording().edges;
  const auto names = [](const auto& list) {
    std::string out;
    for (const std::string_view name : list) out += (out.empty() ? "" : " ") + std::string(name);
    return out;
  };
  EXPECT_EQ(c.mark(ItemKind::Edge, 3), Mark::Differs);
  const std::string flags = "flags: " + names(runtime::dep_flag_names(a.flags[3])) + " in a, " +
                            names(runtime::dep_flag_names(runtime::kRetain)) + " in b";
  EXPECT_THAT(c.differences(ItemKind::Edge, 3), Contains(flags));
  const std::string provenance = "asked for by: " + names(runtime::provenance_names(a.provenance[5])) + " in a, fence in b";
  EXPECT_THAT(c.differences(ItemKind::Edge, 5), ElementsAre(provenance));
  EXPECT_EQ(c.mark(ItemKind::Edge, 4), Mark::Same);
  EXPECT_EQ(c.count(ItemKind::Edge, Mark::Differs), 2U);
  EXPECT_EQ(c.words(c.mark(ItemKind::Edge, 3)), "differs");
  // Seen from the other side: the same mark, the same words.
  c.swap();
  EXPECT_EQ(c.mark(ItemKind::Edge, 3), Mark::Differs);
  EXPECT_THAT(c.differences(ItemKind::Edge, 3), Contains(flags));
}

TEST(Comparison, RowsOfOneSideOnly) {
  const Recording shorter = sample_recording(20);
  Document a(sample_recording(30), "a");
  Document b(shorter, "b");
  Comparison c(a, b);
  EXPECT_EQ(c.count(ItemKind::Task, Mark::OnlyHere), 10U);
  EXPECT_EQ(c.mark(ItemKind::Task, 25), Mark::OnlyHere);
  EXPECT_EQ(c.words(Mark::OnlyHere), "only in a");
  EXPECT_EQ(c.colour(Mark::OnlyHere), colour::side_legend()[0].colour);
  EXPECT_THAT(c.rows(ItemKind::Task).only_there, IsEmpty());
  EXPECT_THAT(c.differences(ItemKind::Task, 25), IsEmpty());
  c.swap();
  EXPECT_EQ(&c.here(), &b);
  EXPECT_EQ(c.rows(ItemKind::Task).only_there.size(), 10U);
  EXPECT_EQ(c.rows(ItemKind::Task).only_there.back(), 29U);
  EXPECT_EQ(c.count(ItemKind::Task, Mark::OnlyHere), 0U);
  EXPECT_EQ(c.words(Mark::OnlyHere), "only in b");
  EXPECT_EQ(c.there_colour(), colour::side_legend()[0].colour);
}

TEST(Comparison, TasksInWords) {
  Pair pair([](Recording& r) {
    r.tasks.block_num[4] = 8;
    r.tasks.flags[6] ^= 2U;
    r.tasks.flags[7] ^= 1U;
  });
  const Comparison& c = *pair.comparison;
  EXPECT_THAT(c.differences(ItemKind::Task, 4), ElementsAre("blocks: 1 in a, 8 in b"));
  const bool early = (pair.a.recording().tasks.flags[6] & 2U) != 0;
  EXPECT_THAT(c.differences(ItemKind::Task, 6),
              ElementsAre(early ? "early dispatch: yes in a, no in b" : "early dispatch: no in a, yes in b"));
  const bool manual = (pair.a.recording().tasks.flags[7] & 1U) != 0;
  EXPECT_THAT(c.differences(ItemKind::Task, 7),
              ElementsAre(manual ? "scope: MANUAL in a, AUTO in b" : "scope: AUTO in a, MANUAL in b"));
  EXPECT_EQ(c.count(ItemKind::Task, Mark::Differs), 3U);
}

TEST(Comparison, DecisionsOfThePassesInWords) {
  const Recording r = sample_recording(30);
  ASSERT_GT(r.arguments.rows(), 0U);
  ASSERT_GT(r.regions.rows(), 0U);
  const auto other = r.arguments.direction[0] == static_cast<std::uint8_t>(pass::ArgDirection::NoDep) ? pass::ArgDirection::InOut
                                                                                                      : pass::ArgDirection::NoDep;
  Pair pair([&](Recording& changed) {
    changed.arguments.direction[0] = static_cast<std::uint8_t>(other);
    changed.regions.outcome[0] = static_cast<std::uint8_t>(pass::RegionOutcome::SkippedManual);
  });
  const Comparison& c = *pair.comparison;
  EXPECT_EQ(c.mark(ItemKind::Argument, 0), Mark::Differs);
  EXPECT_THAT(c.differences(ItemKind::Argument, 0), Contains(StartsWith("direction: ")));
  const std::uint32_t site = r.arguments.call_site[0];
  EXPECT_EQ(c.mark(ItemKind::CallSite, site), Mark::Differs);
  EXPECT_THAT(c.differences(ItemKind::CallSite, site),
              ElementsAre(std::string("direction of ") + std::string(r.text(r.arguments.name[0])) + ": " +
                          std::string(pass::arg_direction_name(static_cast<pass::ArgDirection>(r.arguments.direction[0]))) +
                          " in a, " + std::string(pass::arg_direction_name(other)) + " in b"));
  EXPECT_EQ(c.mark(ItemKind::Region, 0), Mark::Differs);
  EXPECT_THAT(c.differences(ItemKind::Region, 0), Contains(::testing::EndsWith("skipped_manual in b")));
}

TEST(Comparison, APassWhoseTextDiffersNamesTheFunctions) {
  Pair pair([](Recording& r) {
    std::string text(r.text(r.passes.text[4]));
    text.replace(text.find("pl.adir.inout"), 13, "pl.adir.input");
    r.passes.text[4] = r.strings.add(text);
  });
  const Comparison& c = *pair.comparison;
  EXPECT_EQ(c.mark(ItemKind::Pass, 4), Mark::Differs);
  EXPECT_THAT(c.differences(ItemKind::Pass, 4), ElementsAre("text after it: differs in main"));
  EXPECT_EQ(c.count(ItemKind::Pass, Mark::Differs), 1U);
}

TEST(Comparison, NamesOfVariablesAreNoDifference) {
  Pair pair([](Recording& r) {
    std::string text(r.text(r.passes.text[5]));
    for (std::size_t at = text.find("scratch__ssa_v1"); at != std::string::npos; at = text.find("scratch__ssa_v1", at + 1))
      text.replace(at, 15, "scratch__ssa_v7");
    r.passes.text[5] = r.strings.add(text);
  });
  EXPECT_EQ(pair.comparison->mark(ItemKind::Pass, 5), Mark::Same);
}

// ---------------------------------------------------------------- positions

/// Life events of matched tasks up to each position, counted one by one.
std::vector<std::uint32_t> counted(const Recording& r, const std::vector<std::uint32_t>& counterpart) {
  std::vector<std::uint32_t> out{0};
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    const auto kind = static_cast<runtime::EventKind>(r.events.kind[e]);
    const bool life = kind == runtime::EventKind::Submit || kind == runtime::EventKind::Dispatch ||
                      kind == runtime::EventKind::Complete || kind == runtime::EventKind::Consume;
    out.push_back(out.back() + (life && counterpart[r.events.subject[e]] != kNoRow ? 1 : 0));
  }
  return out;
}

struct Runs {
  const char* name;
  replay::SyntheticOptions a, b;
  friend void PrintTo(const Runs& runs, std::ostream* out) { *out << runs.name; }
};

class Positions : public ::testing::TestWithParam<Runs> {};

TEST_P(Positions, AsMuchHasHappened) {
  Document a(replay::synthetic_recording(GetParam().a), "a");
  Document b(replay::synthetic_recording(GetParam().b), "b");
  Comparison c(a, b);
  for (const int side : {0, 1}) {
    SCOPED_TRACE(side);
    const std::uint32_t size = c.here().recording().events.rows();
    const std::uint32_t size_there = c.there().recording().events.rows();
    const auto here = counted(c.here().recording(), c.rows(ItemKind::Task).counterpart);
    c.swap();
    const auto there = counted(c.here().recording(), c.rows(ItemKind::Task).counterpart);
    c.swap();
    ASSERT_GT(here.back(), 0U);
    EXPECT_EQ(c.position_there(0), 0U);
    EXPECT_EQ(c.position_there(size), size_there);
    std::uint32_t before = 0;
    for (std::uint32_t p = 0; p < size; ++p) {
      const std::uint32_t q = c.position_there(p);
      ASSERT_LE(q, size_there);
      ASSERT_GE(q, before) << "at " << p;
      before = q;
      ASSERT_EQ(there[q], std::min(here[p], there.back())) << "at " << p;
    }
    c.swap();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Positions,
    ::testing::Values(Runs{"another_order", {.tasks = 200, .seed = 1}, {.tasks = 200, .cores = 2, .seed = 9}},
                      Runs{"summary", {.tasks = 100}, {.tasks = 100, .pins = false}},
                      Runs{"longer", {.tasks = 64}, {.tasks = 200, .in_flight = 8}},
                      Runs{"unfinished", {.tasks = 40, .faults = true}, {.tasks = 40}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Positions, WithoutTasksInCommonOnlyTheEndsBelongTogether) {
  Document a(replay::synthetic_recording({.tasks = 20}), "a");
  Document b(Recording(), "b");
  Comparison c(a, b);
  EXPECT_EQ(c.position_there(0), 0U);
  EXPECT_EQ(c.position_there(7), 0U);
  EXPECT_EQ(c.position_there(a.recording().events.rows()), 0U);
  c.swap();
  EXPECT_EQ(c.position_there(0), 0U);
}

}  // namespace
}  // namespace depscope::viewers
