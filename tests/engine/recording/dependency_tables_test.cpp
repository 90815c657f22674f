// Accesses, hazards and edges of the worked cases of passes.md 11, as rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "depscope/ir/program.h"
#include "depscope/recording/recorder.h"
#include "recorded_case.h"

namespace depscope::recording::testing {
namespace {

using pass::Profile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

struct Case {
  std::string name;
  Frame frame;
  std::string body;
  Lines edges, hazards, accesses;
  Profile profile = Profile::Seed;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

constexpr const char* kFill4 =
    "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n";
constexpr const char* kSiblings =
    "with pl.scope():\n    p, t = pl.submit(self.put, a)\nwith pl.scope():\n    g, u = pl.submit(self.get, p)";

const std::vector<Case> kCases = {
    {"B01",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
     {"1 compiler t <- 0 kept"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"B05",
     Frame::Default,
     "p = self.put(a)\ng = self.get(p)",
     {"1 compiler p <- 0 kept synthetic"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"B10",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])",
     {"1 user t <- 0 kept"},
     {"RAW 0.0 1.0 user_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    // The compiler's edges count behind the user's.
    {"B11",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nx, v = pl.submit(self.get, b)\ng, u = pl.submit(self.get, p, deps=[v])",
     {"2 user v <- 1 kept", "2 compiler t <- 0 kept"},
     {"RAW 0.0 2.0 compiler_edge #1"},
     {"0.0 W a recorded", "1.0 R b recorded", "2.0 R a recorded"}},
    {"B14",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, p)\ng, v = pl.submit(self.get, m)",
     {"1 compiler t <- 0 kept", "2 compiler t <- 0 kept", "2 compiler u <- 1 kept"},
     {"RAW+WAW 0.0 1.0 compiler_edge #0", "RAW 0.0 2.0 compiler_edge #1", "RAW 1.0 2.0 compiler_edge #2"},
     {"0.0 W a recorded", "1.0 RW a recorded", "2.0 R a recorded"}},
    {"B16",
     Frame::Default,
     "self.get(a)\np = self.put(a)",
     {},
     {"WAR 0.0 1.0 fell_back -"},
     {"0.0 R a recorded", "1.0 W a site_fell_back"}},
    // What the user takes out of the analysis is no access.
    {"B20",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, pl.no_dep(p))\ng, v = pl.submit(self.get, m)",
     {"2 compiler t <- 0 kept"},
     {"RAW 0.0 2.0 compiler_edge #0"},
     {"0.0 W a recorded", "2.0 R a recorded"}},
    {"R01",
     Frame::Auto,
     "l = pl.slice(a, [64], [0])\nr = pl.slice(a, [64], [64])\np, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)",
     {},
     {"RAW 0.0 1.0 disjoint -"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"F01",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)\nq = pl.reshape(a, [128])\nh, v = pl.submit(self.get, q)",
     {"1 compiler t <- 0 stripped by 1"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded", "2.0 R ? unresolved"}},
    // Edges that were found before the call itself fell back were never there.
    {"F01 in one call",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nq = pl.reshape(b, [128])\nself.get(c)\nh, v = pl.submit(self.map, p, c)",
     {"2 compiler t <- 0 given_up"},
     {"RAW 0.0 2.0 compiler_edge #0", "WAR 1.0 2.1 fell_back -"},
     {"0.0 W a recorded", "1.0 R c recorded", "2.0 R a site_fell_back", "2.1 W c site_fell_back"}},
    {"F02",
     Frame::Default,
     "p = self.put(a)\ng = self.get(p)\nq = pl.reshape(b, [128])\nh = self.get(q)\nm = self.mod(p)",
     {"1 compiler p <- 0 stripped by 0 synthetic", "3 compiler p <- 0 stripped by 0 synthetic",
      "3 compiler g <- 1 stripped by 0 synthetic"},
     {"RAW 0.0 1.0 compiler_edge #0", "RAW+WAW 0.0 3.0 compiler_edge #1", "WAR 1.0 3.0 compiler_edge #2"},
     {"0.0 W a recorded", "1.0 R a recorded", "2.0 R ? unresolved", "3.0 RW a recorded"}},
    {"F02 upstream",
     Frame::Default,
     "p = self.put(a)\ng = self.get(p)\nq = pl.reshape(b, [128])\nh = self.get(q)\nm = self.mod(p)",
     {"1 compiler p <- 0 kept synthetic", "3 compiler p <- 0 kept synthetic", "3 compiler g <- 1 kept synthetic"},
     {"RAW 0.0 1.0 compiler_edge #0", "RAW+WAW 0.0 3.0 compiler_edge #1", "WAR 1.0 3.0 compiler_edge #2"},
     {"0.0 W a recorded", "1.0 R a recorded", "2.0 R ? unresolved", "3.0 RW a recorded"},
     Profile::Upstream202608},
    {"F04",
     Frame::Auto,
     "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p, deps=[t])",
     {"1 user t <- 0 kept"},
     {},
     {"0.0 R a recorded", "1.0 R ? exempt"}},
    {"F05",
     Frame::Plain,
     "with pl.scope():\n    with pl.scope():\n        x, t0 = pl.submit(self.put, b)\n        y, t1 = pl.submit(self.get, x)\n"
     "        q = pl.reshape(b, [128])\n        h, v = pl.submit(self.get, q)\n    p, t = pl.submit(self.put, a)\n"
     "    g, u = pl.submit(self.get, p)",
     {"1 compiler t0 <- 0 stripped by 2", "4 compiler t <- 3 kept"},
     {"RAW 0.0 1.0 compiler_edge #0", "RAW 3.0 4.0 compiler_edge #1"},
     {"0.0 W b recorded", "1.0 R b recorded", "2.0 R ? unresolved", "3.0 W a recorded", "4.0 R a recorded"}},
    // Region 0 is the container that handed the access on; in X03 the nested region handed it up.
    {"X01",
     Frame::Plain,
     kSiblings,
     {"1 compiler t <- 0 kept through 0"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"X03",
     Frame::Plain,
     "with pl.scope():\n    with pl.scope():\n        p, t = pl.submit(self.put, a)\n    g, u = pl.submit(self.get, p)",
     {"1 compiler t <- 0 kept through 2"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"X04",
     Frame::Plain,
     "with pl.scope():\n    p, t = pl.submit(self.put, a)\n    with pl.scope():\n        g, u = pl.submit(self.get, p)",
     {"1 compiler t <- 0 kept through 1"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 W a recorded", "1.0 R a recorded"}},
    {"L02",
     Frame::Default,
     "for i in pl.range(0, n):\n    a = self.mod(a)\ng = self.get(a)",
     {},
     {"RAW 0.0 1.0 fell_back -"},
     {"0.0 RW a recorded in_loop 1", "1.0 R a site_fell_back"}},
    {"L06",
     Frame::Default,
     "for i in pl.range(4):\n    b = self.put(b)\n    g = self.get(b)",
     {},
     {"RAW 0.0 1.0 fell_back -"},
     {"0.0 RW b recorded in_loop 0", "1.0 R b site_fell_back in_loop 0"}},
    {"L07",
     Frame::Default,
     "for i in pl.range(n):\n    b = self.put(b)\n    g = self.get(b)",
     {"1 compiler b <- 0 kept synthetic"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 RW b recorded in_loop 1", "1.0 R b recorded in_loop 1"}},
    {"L08", Frame::Default, "for i in pl.range(4):\n    a = self.mod(a)", {}, {}, {"0.0 RW a recorded in_loop 0"}},
    {"L14",
     Frame::Default,
     "tt = None\nfor i in pl.range(4):\n    a, tt = pl.submit(self.mod, a)\ng = self.get(a)",
     {"1 compiler tt <- 0 kept"},
     {"RAW 0.0 1.0 compiler_edge #0"},
     {"0.0 RW a recorded in_loop 0", "1.0 R a recorded"}},
    {"T02",
     Frame::Auto,
     std::string(kFill4) + "g, u = pl.submit(self.get, a, deps=[tids[k] for k in range(4)])",
     {"1 user _submit_deps_buf <- ? kept"},
     {"RAW 0.0 1.0 user_edge #0"},
     {"0.0 W a recorded in_loop 0", "1.0 R a recorded"}},
    {"T04",
     Frame::Auto,
     std::string(kFill4) + "w = tids[n]\ng, u = pl.submit(self.get, a, deps=[w])",
     {"1 user w <- ? kept"},
     {"RAW 0.0 1.0 fell_back -"},
     {"0.0 W a recorded in_loop 0", "1.0 R a site_fell_back"}},
    {"T04 upstream",
     Frame::Auto,
     std::string(kFill4) + "x, v = pl.submit(self.get, b)\nw = tids[n]\ng, u = pl.submit(self.get, a, deps=[v, w])",
     {"2 user v <- 1 kept", "2 user w <- ? kept"},
     {"RAW 0.0 2.0 windowed #1"},
     {"0.0 W a recorded in_loop 0", "1.0 R b recorded", "2.0 R a recorded"},
     Profile::Upstream202608},
    // Every slot of the array is read: the first of the user's edges that does so stands for all.
    {"whole slots",
     Frame::Auto,
     "tids = pl.array.create(2, pl.TASK_ID)\nfor k in pl.parallel(2):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "x, v = pl.submit(self.get, b)\nw0 = tids[0]\nw1 = tids[1]\ng, u = pl.submit(self.get, a, deps=[v, w1, w0])",
     {"2 user v <- 1 kept", "2 user w1 <- ? kept", "2 user w0 <- ? kept"},
     {"RAW 0.0 2.0 user_edge #1"},
     {"0.0 W a recorded in_loop 0", "1.0 R b recorded", "2.0 R a recorded"}},
    // A barrier is a call site too; waiting for it covers nothing.
    {"T10",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nbar = pl.system.task_dummy(deps=[t])\ng, u = pl.submit(self.get, p, deps=[bar])",
     {"1 user t <- 0 kept", "2 user bar <- 1 kept", "2 compiler t <- 0 kept"},
     {"RAW 0.0 2.0 compiler_edge #2"},
     {"0.0 W a recorded", "2.0 R a recorded"}},
    // The fence's barrier waits for the array, the consumer for the barrier; its own edge is on record.
    {"E01",
     Frame::Manual,
     "ts = pl.array.create(3, pl.TASK_ID)\nfor i in pl.parallel(3):\n    p, t = pl.submit(self.put, a)\n    ts[i] = t\n"
     "for j in pl.parallel(3):\n    g, u = pl.submit(self.get, b, deps=[ts])",
     {"1 fence ts <- ? kept", "2 user ts <- ? replaced", "2 fence phase_fence_barrier_0_tid <- 1 kept"},
     {},
     {}},
    {"E03",
     Frame::Manual,
     "ts = pl.array.create(2, pl.TASK_ID)\nfor i in pl.parallel(2):\n    x = pl.submit(self.nop, deps=[ts])",
     {"0 user ts <- ? kept"},
     {},
     {}},
    {"P02",
     Frame::Manual,
     "prev = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])",
     {"0 user prev <- 0 kept"},
     {},
     {}},
};

class DependencyTables : public ::testing::TestWithParam<Case> {};

TEST_P(DependencyTables, RowsOfTheCase) {
  const Case& c = GetParam();
  const Recording r = record_case(c.body, c.frame, c.profile);
  EXPECT_EQ(edges_of(r), c.edges);
  EXPECT_EQ(hazards_of(r), c.hazards);
  EXPECT_EQ(accesses_of(r), c.accesses);
}

std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Worked, DependencyTables, ::testing::ValuesIn(kCases), test_name);

TEST(RegionRows, TheHazardThatNoEdgeCouldCover) {
  const Recording r = record_case("self.get(a)\np = self.put(a)", Frame::Default);
  ASSERT_EQ(r.regions.rows(), 1U);
  EXPECT_EQ(r.regions.offending_hazard[0], 0U);
  EXPECT_EQ(r.hazards.prior[0], 0U);
  EXPECT_EQ(r.text(r.hazards.edge[0]), "");
  const Recording other = record_case("q = pl.reshape(a, [128])\ng = self.get(q)", Frame::Default);
  ASSERT_EQ(other.regions.rows(), 1U);
  EXPECT_EQ(other.regions.offending_hazard[0], kNoRow);
}

TEST(RegionRows, EdgesOfAWholeBodyStayUpstream) {
  const std::string body = "p = self.put(a)\ng = self.get(p)\nq = pl.reshape(b, [128])\nh = self.get(q)";
  const Recording seed = record_case(body, Frame::Default);
  EXPECT_EQ(seed.regions.stripped_edges[0], 1U);
  EXPECT_EQ(seed.regions.kept_edges[0], 0U);
  const Recording upstream = record_case(body, Frame::Default, Profile::Upstream202608);
  EXPECT_EQ(upstream.regions.stripped_edges[0], 0U);
  EXPECT_EQ(upstream.regions.kept_edges[0], 1U);
}

TEST(RewritesUndone, OnlyWhatTheRegionWouldHaveGiven) {
  const Recording r = record_case(
      "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, p)\nx, y = pl.submit(self.get, b)\nq = pl.reshape(a, [128])\n"
      "h, v = pl.submit(self.map, q, m)",
      Frame::Auto);
  const auto& u = r.rewrites_undone;
  ASSERT_EQ(u.rows(), 1U);
  EXPECT_EQ(r.regions.index[u.region[0]], 1U);
  EXPECT_EQ(r.arguments.call_site[u.argument[0]], 1U);
  EXPECT_EQ(u.from[0], static_cast<std::uint8_t>(pass::ArgDirection::InOut));
  EXPECT_EQ(u.to[0], static_cast<std::uint8_t>(pass::ArgDirection::OutputExisting));
}

/// Directions that the seed keeps anyway are not lost with the region.
TEST(RewritesUndone, NotWhatTheProfileWouldNotHaveGiven) {
  const std::string body =
      "with pl.scope():\n    p, t = pl.submit(self.put, a)\nwith pl.scope():\n    g, u = pl.submit(self.get, p)\n"
      "    q = pl.reshape(a, [128])\n    h, v = pl.submit(self.get, q)";
  EXPECT_EQ(record_case(body, Frame::Plain).rewrites_undone.rows(), 0U);
  EXPECT_EQ(record_case(body, Frame::Plain, Profile::Upstream202608).rewrites_undone.rows(), 1U);
}

TEST(LineageRows, FromTheArgumentToItsDefinition) {
  const Recording r = record_case("p = pl.reshape(a, [128])\ng = self.get(p)", Frame::Default);
  ASSERT_EQ(r.lineage.rows(), 2U);
  EXPECT_THAT(r.lineage.region, ElementsAre(0U, 0U));
  EXPECT_EQ(r.text(r.lineage.what[0]), "argument 'p' of get");
  EXPECT_EQ(r.text(r.lineage.what[1]), "'p' is the result of tensor.reshape, whose storage is not followed");
  EXPECT_EQ(r.lineage.line[0], r.lineage.line[1] + 1);
}

/// Without AutoDerive there is nothing but what the program itself says.
TEST(EdgeRows, OfAProgramThatWasNotAnalysed) {
  const Recording r = record_case("p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])", Frame::Auto,
                                  Profile::Seed, {"ConvertToSSA", "DeriveCallDirections"});
  EXPECT_THAT(edges_of(r), ElementsAre("1 user t <- ? kept"));
  EXPECT_THAT(hazards_of(r), IsEmpty());
  EXPECT_THAT(accesses_of(r), IsEmpty());
  EXPECT_EQ(r.regions.rows(), 0U);
}

/// Its second run does not see the first one's reads any more (passes.md 5.12); only what it says counts.
TEST(EdgeRows, TheLastRunOfAutoDeriveCounts) {
  const Recording r = record_case(
      "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a)\nm, v = pl.submit(self.mod, a)", Frame::Auto, Profile::Seed,
      {"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies", "AutoDeriveTaskDependencies"});
  EXPECT_THAT(edges_of(r), ElementsAre("1 compiler t <- ? kept", "2 compiler t <- 0 kept"));
  EXPECT_THAT(hazards_of(r), ElementsAre("WAW 0.0 2.0 compiler_edge #1"));
  EXPECT_THAT(accesses_of(r), ElementsAre("0.0 W a recorded", "2.0 W a recorded"));
  EXPECT_EQ(r.regions.rows(), 2U);
}

}  // namespace
}  // namespace depscope::recording::testing
