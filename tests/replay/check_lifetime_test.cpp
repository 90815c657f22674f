// Memory that the runtime created: who uses it, what keeps it alive until then, and what is said where nothing does.
#include "check_lifetime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check_touches.h"
#include "deps_text.h"
#include "depscope/replay/check.h"
#include "model_run.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

runtime::ModelOptions by_hand() {
  runtime::ModelOptions o;
  o.schedule.kind = runtime::ScheduleKind::Manual;
  return o;
}

Lifetimes lifetimes(const Recording& r) { return find_lifetimes(r, Touches(r)); }

std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(const Recording& r) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (const LifetimeBreach& b : lifetimes(r).breaches) out.emplace_back(b.owner, b.user);
  return out;
}

/// The only breach.
LifetimeBreach breach(const Recording& r) {
  const Lifetimes found = lifetimes(r);
  EXPECT_EQ(found.breaches.size(), 1U);
  return found.breaches.empty() ? LifetimeBreach{} : found.breaches[0];
}

struct Said {
  std::string severity;
  std::string summary;
  json fields;
};

std::vector<Said> said(const Recording& r, std::string_view kind, Severity at_least = Severity::Warning) {
  std::vector<Said> out;
  Check(r).each({.facts = at_least == Severity::Info}, [&](const CheckFinding& f) {
    if (f.kind != kind) return;
    if (at_least == Severity::Info ? f.severity != Severity::Info : f.severity == Severity::Info) return;
    out.push_back({std::string(to_string(f.severity)), f.summary, json::parse(f.fields)});
  });
  return out;
}

/// The event's kind and subject, to prove that a number names it.
void expect_event(const Recording& r, std::uint32_t number, EventKind kind, std::uint32_t subject) {
  ASSERT_LT(number, r.events.rows());
  EXPECT_EQ(static_cast<EventKind>(r.events.kind[number]), kind);
  EXPECT_EQ(r.events.subject[number], subject);
}

std::uint32_t event_of(const Recording& r, EventKind kind, std::uint32_t subject) {
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (static_cast<EventKind>(r.events.kind[i]) == kind && r.events.subject[i] == subject) return i;
  }
  return kNoRow;
}

// ---------------------------------------------------------------- which pairs

TEST(CheckLifetime, WhatIsRetainedIsSilent) {
  ModelRun run;
  const auto owner = run.task({creates(1024)});
  run.task({reads(owner.output)});
  const Recording& r = run.done();
  EXPECT_THAT(pairs(r), IsEmpty());
  EXPECT_THAT(said(r, "lifetime"), IsEmpty());
}

TEST(CheckLifetime, ManualScopesRetainNothingByThemselves) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  const auto user = run.task({reads(owner.output)});
  run.end();
  run.end();           // the canonical schedule ends the scope before anything runs
  run.allocate(1024);  // behind it, in the heap of the root's ring
  run.begin();
  run.allocate(1024);  // the ring of the first one goes on: its bytes may be handed out
  run.end();
  const Recording& r = run.done();

  const LifetimeBreach b = breach(r);
  EXPECT_EQ(b.owner, owner.row);
  EXPECT_EQ(b.user, user.row);
  EXPECT_FALSE(b.harmless);
  EXPECT_EQ(r.accesses.task[b.access], user.row);
  EXPECT_EQ(b.edge, kNoRow);
  EXPECT_FALSE(b.stale);
  expect_event(r, b.consumed_at, EventKind::Consume, owner.row);
  EXPECT_LT(b.consumed_at, event_of(r, EventKind::Complete, user.row));
  EXPECT_EQ(b.reused_by, kNoRow);

  const std::vector<Said> found = said(r, "lifetime");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, "warning");
  EXPECT_THAT(found[0].summary, HasSubstr("was reclaimed while"));
  EXPECT_EQ(found[0].fields["what"], "reclaimed before last reader");
  EXPECT_EQ(found[0].fields["consumed_at"], b.consumed_at);
  EXPECT_THAT(found[0].fields["why"].get<std::string>(), HasSubstr("creator edges are not made in MANUAL scopes"));
  EXPECT_FALSE(found[0].fields.contains("flags_lost_at"));
}

/// Nobody gets the bytes of an allocation when nothing is allocated on its ring any more.
TEST(CheckLifetime, AnAllocationThatNobodyFollowsIsNoAlarm) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  run.task({reads(owner.output)});
  run.end();
  run.end();
  const Recording& r = run.done();
  EXPECT_TRUE(breach(r).harmless);
  EXPECT_FALSE(Check(r).alarming());
  std::size_t told = 0;
  Check(r).each({.facts = true}, [&](const CheckFinding& f) {
    if (f.kind != "lifetime" || f.fields.find("reclaimed before last reader") == std::string::npos) return;
    ++told;
    EXPECT_EQ(f.severity, Severity::Info);
    EXPECT_THAT(f.summary, HasSubstr("harmless in this run"));
  });
  EXPECT_EQ(told, 1U);
}

TEST(CheckLifetime, WhatWasHeldByChanceIsToldToo) {
  ModelRun run(by_hand());
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  const auto user = run.task({reads(owner.output)});
  run.run_all();  // the user is done while the scope of the owner is open
  run.end();
  run.end();
  const Recording& r = run.done();
  ASSERT_GT(event_of(r, EventKind::Consume, owner.row), event_of(r, EventKind::Complete, user.row));

  const LifetimeBreach b = breach(r);
  EXPECT_EQ(std::pair(b.owner, b.user), std::pair(owner.row, user.row));
  EXPECT_EQ(b.consumed_at, kNoRow);
  const std::vector<Said> found = said(r, "lifetime");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].summary, HasSubstr("can be reclaimed while"));
  EXPECT_EQ(found[0].fields["what"], "reclaimed before last reader");
  EXPECT_FALSE(found[0].fields.contains("consumed_at"));
}

TEST(CheckLifetime, ARetainerThatWaitsForTheUserKeepsIt) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  const auto user = run.task({reads(owner.output)});
  run.task({reads(owner.output)}, {owner.all(), user.wait()});
  run.end();
  run.end();
  EXPECT_THAT(pairs(run.done()), IsEmpty());
}

TEST(CheckLifetime, ARetainerThatWaitsThroughOthersKeepsIt) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  const auto user = run.task({reads(owner.output)});
  const auto first = run.task({}, {user.wait()});
  const auto second = run.task({}, {first.all()});
  run.task({}, {owner.flagged(runtime::kRetain), second.wait()});
  run.end();
  run.end();
  EXPECT_THAT(pairs(run.done()), IsEmpty());
}

TEST(CheckLifetime, OneOfManyRetainersIsEnough) {
  for (const int which : {0, 199}) {
    ModelRun run(by_hand());
    const auto owner = run.allocate(1024);
    for (int i = 0; i < 100; ++i) run.task({reads(owner.output)});
    run.begin(true);
    const auto user = run.task({reads(owner.output)});
    for (int i = 0; i < 200; ++i) {
      std::vector<runtime::ExplicitDep> deps{owner.all()};
      if (i == which) deps.push_back(user.wait());
      run.task({}, deps);
    }
    run.run_all();
    run.end();
    EXPECT_THAT(pairs(run.done()), IsEmpty()) << which;
  }
}

TEST(CheckLifetime, ARetainerThatDoesNotWaitKeepsNothing) {
  for (const std::uint8_t flags : {runtime::kRetain, runtime::kNone}) {
    ModelRun run(by_hand());
    const auto owner = run.allocate(1024);
    run.begin(true);
    const auto user = run.task({reads(owner.output)});
    run.task({}, {owner.all(), user.flagged(flags)});
    run.run_all();
    run.end();
    EXPECT_THAT(pairs(run.done()), ::testing::ElementsAre(std::pair(owner.row, user.row))) << int{flags};
  }
}

TEST(CheckLifetime, ARetainerThatCameTooLateKeepsNothing) {
  ModelRun run(by_hand());
  run.begin();
  const auto owner = run.task({creates(1024)});
  run.begin(true);
  const auto user = run.task({reads(owner.output)}, {owner.wait()});
  run.run_all();
  run.end();
  run.end();  // the owner is consumed
  run.begin(true);
  const auto late = run.task({}, {owner.all(), user.wait()});
  run.end();
  const Recording& r = run.done();
  ASSERT_LT(event_of(r, EventKind::Consume, owner.row), event_of(r, EventKind::Submit, late.row));
  EXPECT_THAT(pairs(r), ::testing::ElementsAre(std::pair(owner.row, user.row)));
  EXPECT_THAT(lifetimes(r).kept, IsEmpty());
}

TEST(CheckLifetime, OrderIsNotLifetime) {
  for (const std::uint8_t flags : {runtime::kWait, runtime::kNone}) {
    ModelRun run;
    run.begin();
    const auto owner = run.task({creates(1024)});
    run.begin(true);
    const auto user = run.task({reads(owner.output)}, {owner.flagged(flags)});
    run.end();
    run.end();
    const Recording& r = run.done();
    const LifetimeBreach b = breach(r);
    ASSERT_NE(b.edge, kNoRow);
    EXPECT_EQ(r.edges.producer[b.edge], owner.row);
    EXPECT_EQ(r.edges.consumer[b.edge], user.row);
    EXPECT_EQ(b.lost_at, kNoRow);
    const std::vector<Said> found = said(r, "lifetime");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0].fields["why"].get<std::string>(), HasSubstr("does not retain: order is not lifetime"));
  }
}

/// The owner is still there by chance: no alarm, but a fact.
TEST(CheckLifetime, ALateHandleThatIsRetainedIsAFact) {
  ModelRun run;
  run.begin();
  const auto first = run.task({creates(1024)});
  run.end();
  run.task({reads(first.output)});  // nothing has run yet, so that the creator edge still finds its task
  const Recording& r = run.done();
  EXPECT_FALSE(Check(r).alarming());
  std::size_t told = 0;
  Check(r).each({.facts = true}, [&](const CheckFinding& f) {
    if (f.kind == "lifetime" && f.fields.find("handle used after its scope") != std::string::npos) ++told;
  });
  EXPECT_EQ(told, 1U);
}

TEST(CheckLifetime, AHandleIsNotGoodBeyondItsScope) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.end();
  const auto user = run.task({reads(owner.output)});
  const Recording& r = run.done();
  const LifetimeBreach b = breach(r);
  EXPECT_TRUE(b.stale);
  EXPECT_EQ(std::pair(b.owner, b.user), std::pair(owner.row, user.row));
  expect_event(r, b.consumed_at, EventKind::Consume, owner.row);
  EXPECT_LT(b.consumed_at, event_of(r, EventKind::Submit, user.row));
  const std::vector<Said> found = said(r, "lifetime");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fields["what"], "handle used after its scope");
  EXPECT_THAT(found[0].summary, HasSubstr("had ended"));
}

// ---------------------------------------------------------------- flags that get lost, bytes that are used again

/// The user reads bytes 1024 to 3072 of a heap of 4096; the second allocation after its scope gets those from 1024 on.
Recording flags_lost(runtime::EventLevel level) {
  runtime::ModelOptions o;
  o.edges = runtime::EdgeRepresentation::MaskBug;
  o.events = level;
  for (runtime::RingLimits& ring : o.limits) ring.heap = 4096;
  ModelRun run(o);
  run.begin();
  run.allocate(1024);
  const auto owner = run.allocate(2048);
  const auto user = run.task({reads(owner.output)}, {}, 5);
  run.end();
  run.begin();
  run.allocate(1024);
  const auto next = run.allocate(2048);
  run.end();
  Recording r = run.done();
  EXPECT_EQ(owner.row, 1U);
  EXPECT_EQ(user.row, 2U);
  EXPECT_EQ(next.row, 4U);
  return r;
}

TEST(CheckLifetime, LostFlagsAndReusedBytesNameTheirEvents) {
  const Recording r = flags_lost(runtime::EventLevel::Full);
  const LifetimeBreach b = breach(r);
  EXPECT_EQ(std::pair(b.owner, b.user), std::pair(1U, 2U));
  ASSERT_NE(b.edge, kNoRow);
  expect_event(r, b.lost_at, EventKind::EdgeLost, b.edge);
  EXPECT_EQ(r.events.object[b.lost_at], b.user);
  EXPECT_EQ(r.events.old_value[b.lost_at], runtime::kWaitRetain);
  EXPECT_EQ(r.events.new_value[b.lost_at], runtime::kWait);
  expect_event(r, b.consumed_at, EventKind::Consume, b.owner);
  EXPECT_EQ(b.reused_by, 4U);
  expect_event(r, b.reused_at, EventKind::Submit, 4);
  EXPECT_LT(b.reused_at, event_of(r, EventKind::Complete, b.user));
  EXPECT_EQ(b.first_byte, 1024U);
  EXPECT_EQ(r.tasks.heap_begin[b.owner], 1024U);
  EXPECT_EQ(r.tasks.heap_begin[b.reused_by], 0U);

  const std::vector<Said> found = said(r, "lifetime");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, "error");
  const json& f = found[0].fields;
  EXPECT_EQ(f["flags_lost_at"], b.lost_at);
  EXPECT_EQ(f["consumed_at"], b.consumed_at);
  EXPECT_EQ(f["reused_at"], b.reused_at);
  EXPECT_EQ(f["first_byte"], 1024);
  EXPECT_EQ(f["ring"], 1);
  EXPECT_EQ(f["reused_by"]["task"], std::to_string(r.tasks.id[4]));
  EXPECT_EQ(f["producer"]["task"], std::to_string(r.tasks.id[1]));
  EXPECT_EQ(f["consumer"]["task"], std::to_string(r.tasks.id[2]));
  EXPECT_THAT(f["why"].get<std::string>(), HasSubstr("the edge had RETAIN and lost it in payload init"));
}

/// Everything but the numbers of events, which are those of the recording at hand.
std::string without_events(const Recording& r) {
  std::string out;
  for (const LifetimeBreach& b : lifetimes(r).breaches) {
    out += std::to_string(b.owner) + ">" + std::to_string(b.user) + " edge " + std::to_string(b.edge) + " lost " +
           std::to_string(b.lost_at != kNoRow) + " consumed " + std::to_string(b.consumed_at != kNoRow) + " by " +
           std::to_string(b.reused_by) + " at " + std::to_string(b.first_byte) + " stale " + std::to_string(b.stale) + "\n";
  }
  for (const KeptAlive& k : lifetimes(r).kept) out += std::to_string(k.owner) + " until " + std::to_string(k.consumer) + "\n";
  return out;
}

TEST(CheckLifetime, ASummarySaysTheSame) {
  const Recording full = flags_lost(runtime::EventLevel::Full);
  const Recording summary = flags_lost(runtime::EventLevel::Summary);
  ASSERT_LT(summary.events.rows(), full.events.rows());
  EXPECT_THAT(without_events(full), Not(IsEmpty()));
  EXPECT_EQ(without_events(summary), without_events(full));
  const LifetimeBreach b = breach(summary);
  expect_event(summary, b.lost_at, EventKind::EdgeLost, b.edge);
  expect_event(summary, b.consumed_at, EventKind::Consume, b.owner);
  expect_event(summary, b.reused_at, EventKind::Submit, b.reused_by);
}

// ---------------------------------------------------------------- facts

TEST(CheckLifetime, KeptAliveNamesTheConsumerThatReleasesLast) {
  for (const bool first_is_slow : {false, true}) {
    ModelRun run;
    const auto owner = run.task({creates(1024)});
    const auto a = run.task({reads(owner.output)}, {}, first_is_slow ? 9 : 1);
    const auto b = run.task({reads(owner.output)}, {}, first_is_slow ? 1 : 9);
    const Recording& r = run.done();
    const auto last = first_is_slow ? a : b;
    const auto other = first_is_slow ? b : a;
    ASSERT_GT(event_of(r, EventKind::Release, last.row), event_of(r, EventKind::Release, other.row));
    const Lifetimes found = lifetimes(r);
    ASSERT_EQ(found.kept.size(), 1U);
    EXPECT_EQ(found.kept[0].owner, owner.row);
    EXPECT_EQ(found.kept[0].consumer, last.row);
    const std::vector<Said> facts = said(r, "lifetime", Severity::Info);
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].fields["what"], "kept alive by RETAIN until task " + std::to_string(last.id) + " releases");
    EXPECT_EQ(facts[0].fields["consumer"]["task"], std::to_string(last.id));
  }
}

TEST(CheckLifetime, ReductionFactsNameTheWitnessAndWhatStays) {
  runtime::ModelOptions o;
  o.reduction.kind = runtime::ReductionKind::Exact;
  ModelRun run(o);
  run.r.options.name.push_back(run.r.strings.add("reduce"));
  run.r.options.value.push_back(run.r.strings.add("exact"));
  const auto a = run.task({creates(1024)});
  const auto b = run.task({reads(a.output)});
  const auto c = run.task({reads(a.output)}, {b.all()});
  const auto d = run.task({}, {c.wait(), b.wait()});
  const std::vector<Said> facts = said(run.done(), "reduction", Severity::Info);
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].fields["algorithm"], "exact");
  EXPECT_EQ(facts[0].fields["pred"]["task"], std::to_string(a.id));
  EXPECT_EQ(facts[0].fields["succ"]["task"], std::to_string(c.id));
  EXPECT_EQ(facts[0].fields["via"]["task"], std::to_string(b.id));
  EXPECT_EQ(facts[0].fields["wait_cleared"], true);
  EXPECT_EQ(facts[0].fields["flags_final"], json::array({"retain"}));
  EXPECT_THAT(facts[0].summary, HasSubstr("RETAIN stays"));
  EXPECT_EQ(facts[1].fields["succ"]["task"], std::to_string(d.id));
  EXPECT_EQ(facts[1].fields["flags_final"], json::array());
  EXPECT_THAT(facts[1].summary, HasSubstr("nothing stays"));
}

// ---------------------------------------------------------------- task graphs without a run

/// Only creator rows tell owners, and the second reader of the buffer has none (hazard H8).
TEST(CheckLifetime, AnImportedTaskGraphIsSilent) {
  for (const char* scope : {"auto", "manual"}) {
    const Recording r = read_deps(deps_file({deps_task("0", 0, {deps_output(0)}), deps_task("1", 1, {deps_arg(0, "INPUT", "1")}),
                                             deps_task("2", 2, {deps_arg(0, "INPUT", "1")}, scope)},
                                            {deps_tensor("1", "4096")}, {deps_creator("0", "1", 0, "1")}))
                            .recording;
    ASSERT_EQ(r.events.rows(), 0U);
    EXPECT_THAT(pairs(r), IsEmpty());
    const Lifetimes found = lifetimes(r);
    ASSERT_EQ(found.kept.size(), 1U);
    EXPECT_EQ(found.kept[0].consumer, 1U);
  }
}

TEST(CheckLifetime, WithoutEventsOnlyManualScopesAreJudged) {
  ModelRun run;
  run.begin();
  const auto owner = run.allocate(1024);
  run.begin(true);
  const auto user = run.task({reads(owner.output)});
  run.end();
  run.end();
  Recording r = run.done();
  r.events = {};
  const LifetimeBreach b = breach(r);
  EXPECT_EQ(std::pair(b.owner, b.user), std::pair(owner.row, user.row));
  EXPECT_EQ(b.consumed_at, kNoRow);
  EXPECT_FALSE(b.stale);
  r.tasks.flags[user.row] = 0;
  EXPECT_THAT(pairs(r), IsEmpty());
}

}  // namespace
}  // namespace depscope::replay
