// What a check says of recordings of particular shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check_order.h"
#include "check_reach.h"
#include "check_touches.h"
#include "depscope/recording/findings.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/check.h"
#include "depscope/replay/run_findings.h"
#include "depscope/runtime/model.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::Recording;
using runtime::ArgKind;
using runtime::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Trace {
  explicit Trace(runtime::ReductionKind reduction = runtime::ReductionKind::None)
      : recorder(r), model(options(reduction), recorder) {}
  static runtime::ModelOptions options(runtime::ReductionKind reduction) {
    runtime::ModelOptions out;
    out.reduction = {.kind = reduction, .window = 64};
    out.hazards.set(3, true);  // element ranges, as upstream: some of the pairs below have no edge only because of that
    return out;
  }

  Trace& task(std::vector<runtime::Argument> args, std::vector<std::uint64_t> deps = {}, bool manual = true,
              std::int32_t kernel = 0) {
    runtime::Submission s;
    s.forced_id = next++;
    s.manual_scope = manual;
    s.kernel_ids = {-1, kernel, -1};
    s.args = std::move(args);
    for (const std::uint64_t dep : deps) s.deps.push_back({.task = dep});
    model.submit(s);
    return *this;
  }
  const Recording& done() {
    model.finish();
    return r;
  }

  Recording r;
  recording::RuntimeRecorder recorder;
  runtime::Model model;
  std::uint64_t next = 0;
};

runtime::TensorDescriptor flat(std::uint64_t address, std::uint32_t count = 16, std::uint64_t start = 0,
                               std::uint64_t stride = 1) {
  runtime::TensorDescriptor t;
  t.address = address;
  t.buffer_elements = 64;
  t.start_offset = start;
  t.rank = 1;
  t.shape = {count};
  t.strides = {stride};
  return t;
}

runtime::TensorDescriptor owned(runtime::TensorDescriptor t, runtime::TaskId owner) {
  t.owner = owner;
  return t;
}

runtime::Argument reads(const runtime::TensorDescriptor& t) { return {ArgKind::Input, t, 0}; }
runtime::Argument writes(const runtime::TensorDescriptor& t) { return {ArgKind::OutputExisting, t, 0}; }
runtime::Argument both(const runtime::TensorDescriptor& t) { return {ArgKind::InOut, t, 0}; }
runtime::Argument creates() {
  runtime::Argument out;
  out.kind = ArgKind::Output;
  out.tensor.dtype = ElementType::Unknown;
  return out;
}

struct Said {
  std::vector<std::string> pairs;  // "0-2 RAW+WAW" of one kind, in order
  std::vector<json> fields;
};

Said said(const Recording& r, std::string_view kind, const CheckOptions& options = {}) {
  Said out;
  Check(r).each(options, [&](const CheckFinding& finding) {
    if (finding.kind != kind) return;
    const json fields = json::parse(finding.fields);
    std::string text = fields["first"]["task"].get<std::string>() + "-" + fields["second"]["task"].get<std::string>();
    if (fields.contains("hazard")) {
      std::string hazards;
      for (const json& one : fields["hazard"].is_array() ? fields["hazard"] : json::array({fields["hazard"]}))
        hazards += (hazards.empty() ? " " : "+") + one.get<std::string>();
      text += hazards;
    }
    out.pairs.push_back(text);
    out.fields.push_back(fields);
  });
  return out;
}

std::vector<std::string> missing(const Recording& r) { return said(r, "missing_order").pairs; }

// ---------------------------------------------------------------- which pairs

TEST(CheckMissing, KindsFollowTheDirections) {
  Trace t;
  t.task({writes(flat(4096))}).task({reads(flat(4096))}).task({writes(flat(4096))});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 RAW", "0-2 WAW", "1-2 WAR"));
}

TEST(CheckMissing, AnInOutReadsAndWrites) {
  Trace t;
  t.task({both(flat(4096))}).task({both(flat(4096))});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 RAW+WAR+WAW"));
}

TEST(CheckMissing, APathIsEnough) {
  Trace t;
  t.task({writes(flat(4096))}).task({}, {0}).task({}, {1}).task({reads(flat(4096))}, {2});
  EXPECT_THAT(missing(t.done()), IsEmpty());
}

TEST(CheckMissing, RetainIsNoOrder) {
  Trace t;
  t.task({writes(flat(4096))});
  runtime::Submission s;
  s.forced_id = 1;
  s.manual_scope = true;
  s.kernel_ids = {-1, 0, -1};
  s.args = {reads(flat(4096))};
  s.deps = {{.task = 0, .flags = runtime::kRetain}};
  t.model.submit(s);
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 RAW"));
}

/// The later writer stands for the earlier one that it waits for.
TEST(CheckMissing, OnlyTheNearestOfAChain) {
  Trace t;
  t.task({writes(flat(4096))}).task({writes(flat(4096))}, {0}).task({reads(flat(4096))});
  EXPECT_THAT(missing(t.done()), ElementsAre("1-2 RAW"));
}

/// … but only for the bytes that it writes.
TEST(CheckMissing, WhatALaterWriterLeavesIsTheEarlierOnes) {
  Trace t;
  t.task({writes(flat(4096))}).task({writes(flat(4096, 8))}, {0}).task({reads(flat(4096))});
  const Said found = said(t.done(), "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-2 RAW", "1-2 RAW"));
  EXPECT_EQ(found.fields[0]["shared_bytes"], 32);
  EXPECT_EQ(found.fields[0]["first_shared_byte"], 32);
  EXPECT_EQ(found.fields[0]["overlap_elements"], 8);
}

/// An unordered writer in between stands for nobody.
TEST(CheckMissing, BrokenChainsGoOn) {
  Trace t;
  t.task({writes(flat(4096))}).task({writes(flat(4096))}).task({reads(flat(4096))}, {1});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 WAW", "0-2 RAW"));
}

/// A reader that the next write overtakes is reported there, not again at each later write.
TEST(CheckMissing, AReaderIsReportedAtTheNextWrite) {
  Trace t;
  t.task({reads(flat(4096))}).task({writes(flat(4096))}).task({writes(flat(4096))}, {1}).task({writes(flat(4096))}, {2});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 WAR"));
}

TEST(CheckMissing, BytesDecideNotElements) {
  Trace t;
  runtime::TensorDescriptor bytes = flat(4096, 16, 32);  // bytes 32 to 47: elements 8 to 11 of a FLOAT32 buffer
  bytes.dtype = ElementType::Int8;
  t.task({both(flat(4096, 16))}, {}, false).task({both(bytes)}, {}, false);
  const Said found = said(t.done(), "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-1 RAW+WAR+WAW"));
  EXPECT_EQ(found.fields[0]["why"], "element_types");
  EXPECT_EQ(found.fields[0]["shared_bytes"], 16);
}

TEST(CheckMissing, BasesThatOverlapAreOneBuffer) {
  Trace t;
  t.task({writes(flat(4096, 16))}).task({reads(flat(4096 + 60, 4))}).task({reads(flat(4096 + 64, 4))});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-1 RAW"));
}

TEST(CheckMissing, InterleavedViewsAreApart) {
  Trace t;
  t.task({both(flat(4096, 8, 0, 2))}).task({both(flat(4096, 8, 1, 2))}).task({both(flat(4096, 4, 0, 4))});
  EXPECT_THAT(missing(t.done()), ElementsAre("0-2 RAW+WAR+WAW"));
}

/// Far more elements than can be looked at one by one.
TEST(CheckMissing, HugeViews) {
  constexpr std::uint32_t kMany = 0x7fffffffU;
  Trace t;
  t.task({both(flat(4096, kMany, 0, 2))}).task({both(flat(4096, kMany, 1, 2))}).task({reads(flat(4096, kMany, 4, 6))});
  const Said found = said(t.done(), "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-2 RAW"));
  EXPECT_FALSE(found.fields[0].contains("shared_bytes"));  // not counted
}

TEST(CheckMissing, ATaskIsNoConflictWithItself) {
  Trace t;
  t.task({reads(flat(4096)), writes(flat(4096))});
  EXPECT_THAT(missing(t.done()), IsEmpty());
}

TEST(CheckMissing, NoDepIsAnAccess) {
  Trace t;
  t.task({both(flat(4096))}, {}, false).task({{ArgKind::NoDep, flat(4096), 0}}, {}, false);
  const Said found = said(t.done(), "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-1 RAW"));
  EXPECT_EQ(found.fields[0]["why"], "no_dep");
}

// ---------------------------------------------------------------- buffers that tasks create

TEST(CheckBuffers, TheCreatorWritesWhatItMakes) {
  Trace t;
  t.task({creates()}).task({reads(owned(flat(8192), 0))});
  const Said found = said(t.done(), "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-1 RAW"));  // MANUAL: no creator edge
  EXPECT_EQ(found.fields[0]["buffer"], "addr:8192");
}

TEST(CheckBuffers, ACreatorEdgeOrders) {
  Trace t;
  t.task({creates()}, {}, false).task({reads(owned(flat(8192), 0))}, {}, false);
  EXPECT_THAT(missing(t.done()), IsEmpty());
  EXPECT_THAT(said(t.r, "false_order").pairs, IsEmpty());
}

TEST(CheckBuffers, AnAllocationIsNoAccess) {
  Trace t;
  t.next = 1;
  t.task({both(owned(flat(8192), 0))}, {}, true);  // task 0 has no record: an allocation
  EXPECT_THAT(missing(t.done()), IsEmpty());
}

/// The same addresses again, for another owner: what came before the second owner is not its business.
TEST(CheckBuffers, EveryOwnerHasItsTime) {
  Trace t;
  t.task({creates()}).task({reads(owned(flat(8192), 0))}, {0});
  t.task({creates()}).task({reads(owned(flat(8192), 2))}, {2});
  EXPECT_THAT(missing(t.done()), IsEmpty());
}

/// An access that names no owner belongs to the last one.
TEST(CheckBuffers, WithoutOwnerTheLatestCounts) {
  Trace t;
  t.task({creates()}).task({reads(owned(flat(8192), 0))}, {0});
  t.task({creates()}).task({reads(owned(flat(8192), 2))}, {2}).task({writes(flat(8192))});
  EXPECT_THAT(missing(t.done()), ElementsAre("3-4 WAR"));
}

TEST(CheckBuffers, UnknownTypesAreLeftOut) {
  Trace t;
  runtime::TensorDescriptor unknown = flat(4096);
  unknown.dtype = ElementType::Unknown;
  t.task({writes(unknown)}).task({reads(unknown)});
  EXPECT_THAT(missing(t.done()), IsEmpty());
  EXPECT_EQ(Check(t.r).counts().unplaced, 2);
}

// ---------------------------------------------------------------- false order

TEST(CheckFalse, AUsersEdgeIsADecision) {
  Trace t;
  t.task({both(flat(4096))}, {}, false).task({both(flat(8192))}, {0}, false);
  EXPECT_THAT(said(t.done(), "false_order").pairs, IsEmpty());
}

TEST(CheckFalse, ReadersOfOneBufferDoNotConflict) {
  Trace t;
  t.task({both(flat(4096, 8, 0, 2))}, {}, false).task({reads(flat(4096, 8, 1, 2))}, {}, false);
  const Said found = said(t.done(), "false_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-1"));
  EXPECT_EQ(found.fields[0]["why"], "equal last stride is not 1: conservative");
  EXPECT_EQ(found.fields[0]["buffer"], "addr:4096");
  EXPECT_TRUE(Check(t.r).alarming());
}

TEST(CheckFalse, ARealConflictBesideItKeepsTheEdge) {
  Trace t;
  t.task({both(flat(4096, 8, 0, 2)), both(flat(8192))}, {}, false)
      .task({reads(flat(4096, 8, 1, 2)), reads(flat(8192))}, {}, false);
  EXPECT_THAT(said(t.done(), "false_order").pairs, IsEmpty());
}

TEST(CheckFalse, AnEdgeThatDoesNotWaitAnyMoreIsInformation) {
  Trace t(runtime::ReductionKind::Exact);
  t.task({both(flat(4096, 8, 0, 2))}, {}, false).task({}, {0}, false).task({reads(flat(4096, 8, 1, 2))}, {1}, false);
  EXPECT_THAT(said(t.done(), "false_order").pairs, IsEmpty());
  EXPECT_THAT(said(t.r, "false_order", {.facts = true}).pairs, ElementsAre("0-2"));
  EXPECT_FALSE(Check(t.r).alarming());
}

// ---------------------------------------------------------------- the reduced graph

TEST(CheckReduced, AReductionThatHoldsSaysNothing) {
  Trace t(runtime::ReductionKind::Exact);
  t.task({both(flat(4096))}, {}, false).task({both(flat(4096))}, {}, false).task({both(flat(4096))}, {0}, false);
  ASSERT_EQ(t.done().edges.flags_final[1] & runtime::kWait, 0);
  EXPECT_THAT(missing(t.r), IsEmpty());
}

TEST(CheckReduced, ALostWaitIsAMissingOrder) {
  Trace t;
  t.task({both(flat(4096))}, {}, false).task({both(flat(4096))}, {}, false);
  t.done();
  t.r.edges.flags_final[0] = runtime::kRetain;  // and no witness
  const Said found = said(t.r, "missing_order");
  EXPECT_THAT(found.pairs, ElementsAre("0-1 RAW+WAR+WAW"));
  EXPECT_EQ(found.fields[0]["graph"], "reduced");
  EXPECT_EQ(found.fields[0]["why"], "lost_in_reduction");
}

TEST(CheckReduced, AWitnessThatStandsForNothingIsFound) {
  Trace t;
  t.task({both(flat(4096))}, {}, false).task({both(flat(8192))}, {}, false).task({both(flat(4096)), both(flat(8192))}, {}, false);
  t.done();
  for (std::uint32_t e = 0; e < t.r.edges.rows(); ++e) {
    if (t.r.edges.producer[e] != 0) continue;
    t.r.edges.flags_final[e] = 0;
    t.r.edges.via[e] = 1;  // no path leads from 0 to 1
  }
  EXPECT_THAT(missing(t.r), ElementsAre("0-2 RAW+WAR+WAW"));
}

// ---------------------------------------------------------------- limits, text

TEST(CheckLimits, PairsAreCountedBeyondWhatIsTold) {
  Trace t;
  for (std::uint32_t i = 0; i < 300; ++i) t.task({reads(flat(4096))});
  t.task({writes(flat(4096))});
  EXPECT_EQ(missing(t.done()).size(), kMaxPairsOfGroup);
  EXPECT_EQ(Check(t.r).counts().missing_order, 300);
  EXPECT_EQ(said(t.r, "missing_order", {.all = true}).pairs.size(), 300);
  EXPECT_EQ(said(t.r, "missing_order").fields[0]["pairs"], 300);
}

TEST(CheckLimits, OnlyTheNearestUnorderedAreKept) {
  Trace t;
  for (std::uint32_t i = 0; i < 200; ++i) t.task({both(flat(4096))});
  const Check check(t.done());
  EXPECT_TRUE(check.counts().cut);
  EXPECT_LE(check.counts().missing_order, 200U * 65U);
  EXPECT_GT(check.counts().missing_order, 200U * 60U / 2);
}

TEST(CheckLimits, EdgesOfManyTasks) {
  Trace t;
  for (std::uint32_t i = 0; i < kMaxProvenance + 20; ++i)
    t.task({both(flat(4096))}, i == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{i - 1});
  EXPECT_EQ(said(t.done(), "provenance", {.facts = true}).pairs.size(), kMaxProvenance);
  EXPECT_EQ(said(t.r, "provenance", {.facts = true, .all = true}).pairs.size(), kMaxProvenance + 19);
}

TEST(CheckText, NamesGroupsAndCounts) {
  Trace t;
  for (std::uint32_t i = 0; i < 12; ++i) t.task({reads(flat(4096))}, {}, true, 3);
  t.task({writes(flat(4096))}, {}, true, 4);
  std::string text;
  write_check_text(Check(t.done()), {}, "", [&](std::string_view piece) { text += piece; });
  EXPECT_THAT(text,
              HasSubstr("warning: missing order: task 12 may overwrite addr:4096 while task 0 still reads it (WAR), and so"));
  EXPECT_THAT(text, HasSubstr("and 3 more"));
  EXPECT_THAT(text, HasSubstr("0 errors, 12 warnings, 12 pairs without order"));
}

TEST(CheckText, FindingsWithoutFieldsOfTheirOwn) {
  Recording r;
  recording::add_finding(r, "remark", Severity::Warning, "it says \"so\"", "", 3);
  std::string text;
  write_check_json(Check(r), {}, [&](std::string_view piece) { text += piece; });
  const json object = json::parse(text);
  EXPECT_EQ(object["findings"][0]["summary"], "it says \"so\"");
  EXPECT_EQ(object["counts"]["warnings"], 1);
}

TEST(RunFindings, TheTensorMapBelongsToNoRing) {
  runtime::RunFinding f;
  f.kind = runtime::RunFindingKind::Deadlock;
  f.error_class = runtime::ErrorClass::Backstop;
  f.resource = runtime::Resource::TensorMapPool;
  f.ring = 1;
  f.code = 11;
  f.id = 7;
  f.requested = 1;
  f.used = f.capacity = 4;
  Recording r;
  add_run_findings(r, {f});
  ASSERT_EQ(r.findings.rows(), 1U);
  EXPECT_EQ(r.text(r.findings.summary[0]),
            "task 7 waits for ever for 1 entry of the TensorMap pool: 4 of 4 in use (error 11, TensorMap overflow); nothing that "
            "can still happen frees any");
}

}  // namespace
}  // namespace depscope::replay
