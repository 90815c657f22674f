// Scope decisions, phase fences and carried values of worked cases, as rows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/ir/text.h"
#include "recorded_case.h"

namespace depscope::recording::testing {
namespace {

using pass::Profile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kFirstLine = 46;  // of the body

/// "scope 1 MANUAL inserted_manual +3: leaf, all marked": ir_scopes index, mode, change, line after the first of the body.
std::vector<std::string> decisions_of(const Recording& r) {
  const auto& d = r.scope_decisions;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < d.rows(); ++i) {
    const std::string scope = d.scope[i] == kNoRow ? "none" : std::to_string(r.ir_scopes.index[d.scope[i]]);
    if (d.scope[i] != kNoRow) {
      EXPECT_EQ(d.manual[i], r.ir_scopes.manual[d.scope[i]]);
    }
    out.push_back(fmt::format("scope {} {} {:+}: {}", scope, pass::scope_change_name(static_cast<pass::ScopeChange>(d.change[i])),
                              static_cast<std::int64_t>(d.line[i]) - kFirstLine, r.text(d.decision[i])));
  }
  return out;
}

TEST(ScopeDecisions, FunctionMarker) {
  EXPECT_THAT(decisions_of(record_case("p = self.put(a)\ng = self.get(p)", Frame::Default)),
              ElementsAre("scope 0 inserted_manual -1: function marker"));
}

TEST(ScopeDecisions, ALeafOfMarkedSitesAndOneWithout) {
  const std::string body =
      "with pl.manual_scope():\n    p, t = pl.submit(self.put, b)\nq = self.mod(b)\nfor i in pl.range(4):\n    g = self.get(q)\n";
  EXPECT_THAT(decisions_of(record_case(body, Frame::Default)),  // X07
              ElementsAre("scope 1 kept +0: kept, nothing is inserted inside", "scope 2 inserted_manual +3: leaf, all marked",
                          "scope 0 inserted_auto -1: whole body"));
  EXPECT_THAT(decisions_of(record_case(body + "    h = self.get(a)\n", Frame::Default)),  // X08
              ElementsAre("scope 1 kept +0: kept, nothing is inserted inside",
                          fmt::format("scope 2 inserted_auto +3: missing marker (line {})", kFirstLine + 5),
                          "scope 0 inserted_auto -1: whole body"));
}

TEST(ScopeDecisions, NothingIsInsertedInsideAManualScope) {
  EXPECT_THAT(decisions_of(record_case("for i in pl.range(3):\n    p, t = pl.submit(self.put, a)", Frame::Manual)),
              ElementsAre("scope none not_inserted +1: inside a MANUAL scope",
                          "scope 1 kept +0: kept, nothing is inserted inside", "scope 0 inserted_auto -1: whole body"));
}

/// L07: the seed has no marker where iterations may race.
TEST(ScopeDecisions, ProfilesDiffer) {
  const std::string body = "for i in pl.range(n):\n    b = self.put(b)\n    g = self.get(b)";
  EXPECT_THAT(decisions_of(record_case(body, Frame::Default, Profile::Upstream202608)),
              ElementsAre("scope none not_inserted +0: function marker", "scope 0 inserted_manual -1: function marker"));
  EXPECT_THAT(decisions_of(record_case(body, Frame::Default)),
              ElementsAre(fmt::format("scope 1 inserted_auto +0: missing marker (line {})", kFirstLine + 1),
                          "scope 0 inserted_auto -1: whole body"));
}

TEST(ScopeDecisions, BothBranches) {
  EXPECT_THAT(decisions_of(record_case("if k0:\n    g = self.get(a)\nelse:\n    h = self.get(b)\nq = pl.reshape(c, [128])\n"
                                       "z = self.get(q)",
                                       Frame::Default)),
              ElementsAre(fmt::format("scope 1 inserted_auto +0: missing marker (line {})", kFirstLine + 1),
                          fmt::format("scope 2 inserted_auto +0: missing marker (line {})", kFirstLine + 3),
                          "scope 0 inserted_auto -1: whole body"));
}

TEST(ScopeDecisions, NoneWithoutAutoScope) {
  EXPECT_THAT(decisions_of(record_case("p, t = pl.submit(self.put, a)", Frame::Auto)), IsEmpty());
}

std::vector<std::string> fences_of(const Recording& r) {
  const auto& f = r.fences;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < f.rows(); ++i) {
    out.push_back(fmt::format("{} N {} M {} saving {} {}", ir::source_name(r.text(f.array[i])), f.producers[i], f.consumers[i],
                              f.saving[i], f.accepted[i] != 0 ? "accepted" : r.text(f.reason[i])));
  }
  return out;
}

std::string uses(int extent, const char* loop, const char* deps = "ts") {
  return fmt::format("ts = pl.array.create({}, pl.TASK_ID)\nw = None\nfor i in pl.{}:\n    x = pl.submit(self.nop, deps=[{}])",
                     extent, loop, deps);
}

TEST(Fences, OfTheWorkedCases) {
  EXPECT_THAT(fences_of(record_case(uses(3, "parallel(3)"), Frame::Manual)), ElementsAre("ts N 3 M 3 saving 3 accepted"));  // E01
  EXPECT_THAT(fences_of(record_case(uses(2, "parallel(3)"), Frame::Manual)), ElementsAre("ts N 2 M 3 saving 1 accepted"));  // E02
  EXPECT_THAT(fences_of(record_case(uses(2, "parallel(2)"), Frame::Manual)),
              ElementsAre("ts N 2 M 2 saving 0 no_profit"));                                                               // E03
  EXPECT_THAT(fences_of(record_case(uses(4, "range(n)"), Frame::Manual)), ElementsAre("ts N 4 M 1 saving -1 no_profit"));  // E11
  EXPECT_THAT(fences_of(record_case(uses(3, "parallel(3)"), Frame::Plain)), ElementsAre("ts N 3 M 3 saving 3 not_manual_scope"));
  EXPECT_THAT(fences_of(record_case(uses(3, "parallel(3)", "ts, w"), Frame::Manual)),
              ElementsAre("ts N 0 M 0 saving 0 mixed_or_multiple_deps"));  // E14
}

std::vector<std::string> carries_of(const Recording& r) {
  const auto& c = r.carries;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < c.rows(); ++i) {
    out.push_back(fmt::format("{} #{} +{} {} {}", ir::source_name(r.text(c.name[i])), c.index[i], c.line[i] - kFirstLine,
                              c.rebind[i] != 0 ? "rebind" : "trivial", c.array_size[i]));
  }
  return out;
}

TEST(Carries, OfTheWorkedCases) {
  EXPECT_THAT(carries_of(record_case("for i in pl.range(4):\n    a = self.mod(a)", Frame::Default)),
              ElementsAre("a #0 +0 trivial 0"));  // L08
  EXPECT_THAT(carries_of(record_case("prev = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])",
                                     Frame::Manual)),
              ElementsAre("a #0 +2 trivial 0", "prev #1 +2 rebind 0"));  // P02
  EXPECT_THAT(carries_of(record_case("prev = None\nfor i in pl.parallel(3):\n    p, prev = pl.submit(self.put, a, deps=[prev])\n"
                                     "g, u = pl.submit(self.get, a, deps=[prev])",
                                     Frame::Manual)),
              ElementsAre("prev #0 +2 rebind 3"));  // P19
}

}  // namespace
}  // namespace depscope::recording::testing
