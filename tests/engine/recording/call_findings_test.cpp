// Findings "rewrite", "provenance" and "fallback" of worked cases (cases/book contract).
#include "call_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "recorded_case.h"

namespace depscope::recording::testing {
namespace {

using nlohmann::json;
using pass::Profile;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Those keys of a finding that the contract compares, and a few more.
json picked(const json& finding, const std::vector<const char*>& keys) {
  json out = json::object();
  for (const char* key : keys) {
    if (finding.contains(key)) out[key] = finding[key];
  }
  return out;
}

std::vector<json> rewrites(const Recording& r) {
  std::vector<json> out;
  for (const json& finding : findings_of(r, "rewrite")) {
    json one = picked(finding, {"argument", "from", "to", "rule", "accepted", "reason"});
    one["call"] = finding["call"]["index"];
    out.push_back(one);
  }
  return out;
}

TEST(RewriteFindings, RaisedByARule) {
  const Recording r = record_case("l = pl.create_tensor([128], dtype=pl.FP32)\np = self.map(a, l)\nq = self.map(a, p)",
                                  Frame::Default);  // D02
  ASSERT_THAT(rewrites(r), SizeIs(2));
  EXPECT_EQ(rewrites(r)[0], json::parse(R"({"call":1,"argument":"p","from":"Out","to":"inout","rule":"r_prior"})"));
  EXPECT_EQ(rewrites(r)[1], json::parse(R"({"call":1,"argument":"p","from":"inout","to":"output_existing","accepted":true})"));
  const json full = findings_of(r, "rewrite")[0];
  EXPECT_EQ(full["function"], "main");
  EXPECT_EQ(full["call"], json::parse(R"({"callee":"map","occurrence":1,"index":1,"line":48})"));

  const Recording in_loop = record_case("l = pl.create_tensor([128], dtype=pl.FP32)\nfor i in pl.range(4):\n    self.map(a, l)",
                                        Frame::Default);  // D03
  ASSERT_THAT(rewrites(in_loop), SizeIs(1));
  EXPECT_EQ(rewrites(in_loop)[0], json::parse(R"({"call":0,"argument":"l","from":"Out","to":"inout","rule":"r_seq"})"));
  // D01: nothing is raised.
  EXPECT_THAT(rewrites(record_case("p = self.map(a, b)", Frame::Default)), IsEmpty());
}

TEST(RewriteFindings, SayWhichEdgeOrdersTheHazards) {
  const Recording b10 = record_case("p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])", Frame::Auto);
  EXPECT_EQ(findings_of(b10, "rewrite").at(0)["why"], "RAW after put (call 0) is ordered by user edge t");
  const Recording b14 =
      record_case("p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, p)\ng, v = pl.submit(self.get, m)", Frame::Auto);
  EXPECT_EQ(findings_of(b14, "rewrite").at(1)["why"],
            "RAW after put (call 0) is ordered by compiler edge t, and so is one more hazard");
}

TEST(RewriteFindings, RefusedWhereAHazardStood) {
  const std::string siblings =
      "with pl.scope():\n    p, t = pl.submit(self.put, a)\nwith pl.scope():\n    g, u = pl.submit(self.get, p)";
  ASSERT_THAT(rewrites(record_case(siblings, Frame::Plain)), SizeIs(1));  // X01
  EXPECT_EQ(rewrites(record_case(siblings, Frame::Plain))[0],
            json::parse(R"({"call":1,"argument":"p","from":"input","to":"input","accepted":false,"reason":"cross_scope"})"));
  EXPECT_EQ(rewrites(record_case(siblings, Frame::Plain, Profile::Upstream202608)).at(0),
            json::parse(R"({"call":1,"argument":"p","from":"input","to":"no_dep","accepted":true})"));

  const std::string window =
      "l = pl.slice(a, [64], [0])\nr = pl.slice(a, [64], [n])\np, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)";
  EXPECT_EQ(rewrites(record_case(window, Frame::Auto)).at(0)["reason"], "dynamic_region");  // R04
  const std::string one_iteration =
      "for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\n    g, u = pl.submit(self.get, p, deps=[t])";
  EXPECT_EQ(rewrites(record_case(one_iteration, Frame::Default)).at(1)["reason"], "loop_producer_incomplete");  // Z10
  // A read without a hazard is no news, whatever becomes of its region.
  EXPECT_THAT(rewrites(record_case("g, t = pl.submit(self.get, a)\nh, u = pl.submit(self.get, a)", Frame::Auto)), IsEmpty());
  EXPECT_THAT(rewrites(record_case("g = self.get(a)\nq = pl.reshape(a, [128])\nh = self.get(q)", Frame::Default)), IsEmpty());
}

TEST(ProvenanceFindings, UserAndCompilerEdgesApart) {
  const Recording r = record_case(  // B11
      "p, t = pl.submit(self.put, a)\nx, v = pl.submit(self.get, b)\ng, u = pl.submit(self.get, p, deps=[v])", Frame::Auto);
  const std::vector<json> found = findings_of(r, "provenance");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0], json::parse(R"({"function":"main","call":{"callee":"get","occurrence":1,"index":2,"line":49},
                                      "user_deps":["v"],"compiler_deps":["t"],"compiler_deps_set":["t"]})"));
}

TEST(ProvenanceFindings, SortedSetAndRegions) {
  const Recording r = record_case(
      "z, t2 = pl.submit(self.put, b)\nwith pl.scope():\n    g, u = pl.submit(self.map, a, b)\n"
      "with pl.scope():\n    q, t1 = pl.submit(self.put, b)",
      Frame::Auto);
  const std::vector<json> found = findings_of(r, "provenance");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[1]["compiler_deps"], json({"t2", "u"}));
  EXPECT_EQ(found[1]["compiler_deps_set"], json({"t2", "u"}));
  EXPECT_EQ(found[1]["imported_from_region"], 1);
  EXPECT_FALSE(findings_of(record_case("p = self.put(a)\ng = self.get(p)", Frame::Default), "provenance")
                   .at(0)
                   .contains("imported_from_region"));
}

TEST(ProvenanceFindings, LongListsAreCounted) {
  std::string body;
  for (std::uint32_t i = 0; i < kMaxListed + 6; ++i) body += fmt::format("g{0}, t{0} = pl.submit(self.get, a)\n", i);
  const Recording r = record_case(body + "p, t = pl.submit(self.put, a)", Frame::Auto);
  const std::vector<json> found = findings_of(r, "provenance");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0]["compiler_deps"], SizeIs(kMaxListed));
  EXPECT_EQ(found[0]["compiler_deps_count"], kMaxListed + 6);
  EXPECT_THAT(edges_of(r), SizeIs(kMaxListed + 6));
}

TEST(FallbackFindings, SayWhatWasLost) {
  const std::string body =
      "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)\nq = pl.reshape(a, [128])\nh, v = pl.submit(self.get, q)";
  const json found = findings_of(record_case(body, Frame::Auto), "fallback").at(0);
  EXPECT_EQ(found["reason"], "unresolved_storage.unknown");
  EXPECT_EQ(found["argument"], "q");
  EXPECT_EQ(found["edges_stripped"], json::parse(R"([{"first":{"callee":"put","occurrence":0,"index":0,"line":47},
                                                      "second":{"callee":"get","occurrence":0,"index":1,"line":48},"id":"t"}])"));
  EXPECT_EQ(found["edges_stripped_count"], 1);
  EXPECT_EQ(found["rewrites_undone"], json::parse(R"([{"call":{"callee":"get","occurrence":0,"index":1,"line":48},
                                                       "argument":"p","from":"input","to":"no_dep"}])"));
  EXPECT_EQ(found["lineage"].back()["line"], 49);
  EXPECT_FALSE(found.contains("edges_kept"));
  EXPECT_FALSE(found.contains("prior"));
}

TEST(FallbackFindings, NameTheOtherTaskAndTheEdgesThatStay) {
  const std::string body = "p = self.put(a)\ng = self.get(p)\nself.get(b)\nq = self.put(b)";
  const json upstream = findings_of(record_case(body, Frame::Default, Profile::Upstream202608), "fallback").at(0);
  EXPECT_EQ(upstream["prior"]["index"], 2);
  EXPECT_EQ(upstream["edges_kept_count"], 1);
  EXPECT_EQ(upstream["edges_kept"][0]["id"], "p");
  EXPECT_EQ(upstream["edges_stripped"], json::array());
  const json seed = findings_of(record_case(body, Frame::Default), "fallback").at(0);
  EXPECT_EQ(seed["edges_stripped_count"], 1);
  EXPECT_FALSE(seed.contains("edges_kept"));
}

TEST(FallbackFindings, LongListsAreCounted) {
  std::string body = "p, t = pl.submit(self.put, a)\n";
  for (std::uint32_t i = 0; i < kMaxListed + 6; ++i) body += fmt::format("g{0}, t{0} = pl.submit(self.get, p)\n", i);
  const json found =
      findings_of(record_case(body + "q = pl.reshape(a, [128])\nh, v = pl.submit(self.get, q)", Frame::Auto), "fallback").at(0);
  EXPECT_THAT(found["edges_stripped"], SizeIs(kMaxListed));
  EXPECT_EQ(found["edges_stripped_count"], kMaxListed + 6);
  EXPECT_THAT(found["rewrites_undone"], SizeIs(kMaxListed));
  EXPECT_EQ(found["rewrites_undone_count"], kMaxListed + 6);
}

}  // namespace
}  // namespace depscope::recording::testing
