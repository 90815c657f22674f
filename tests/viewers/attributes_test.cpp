#include "depscope/viewers/attributes.h"

#include <gmock/gmock.h>

#include <string>

namespace depscope::viewers {
namespace {

/// What is drawn: badges in brackets with a letter for their kind.
std::string drawn(std::string_view line, const LineStyle& style = {true, false}) {
  std::vector<Segment> segments;
  split_line(line, style, segments);
  std::string text;
  std::uint32_t at = 0;
  for (const Segment& segment : segments) {
    EXPECT_EQ(segment.begin, at) << "gap or overlap in: " << line;
    EXPECT_GT(segment.end, segment.begin);
    at = segment.end;
    switch (segment.kind) {
      case SegmentKind::Direction: text += "[D " + std::string(segment.shown) + "]"; break;
      case SegmentKind::UserDep: text += "[U " + std::string(segment.shown) + "]"; break;
      case SegmentKind::CompilerDep: text += "[C " + std::string(segment.shown) + "]"; break;
      case SegmentKind::Marker: text += "[M " + std::string(segment.shown) + "]"; break;
      default: text += segment.shown;
    }
  }
  EXPECT_EQ(at, line.size());
  return text;
}

TEST(Attributes, DirectionsBecomeBadges) {
  EXPECT_EQ(drawn(R"(self.put(x, a, attrs={"arg_directions": [pl.adir.input, pl.adir.output_existing]}))"),
            "self.put(x, a, [D input][D output_existing])");
}

TEST(Attributes, UserAndCompilerEdgesStayApart) {
  EXPECT_EQ(
      drawn(
          R"(pl.submit(self.f, x, deps=[t0, t1], attrs={"arg_directions": [pl.adir.no_dep], "compiler_manual_dep_edges": [t2], )"
          R"("__compiler_auto_manual_scope_candidate": True}))"),
      "pl.submit(self.f, x, [U t0][U t1], [D no_dep][C t2][M MANUAL candidate])");
  EXPECT_EQ(drawn(R"(f(x, attrs={"manual_dep_edges": [a, ids[i, 0]]}))"), "f(x, [U a][U ids[i, 0]])");
}

TEST(Attributes, UnknownAttributesStayReadable) {
  const char* line = R"(f(x, attrs={"dump_vars": [x], "arg_directions": [pl.adir.input]}))";
  EXPECT_EQ(drawn(line), R"(f(x, attrs={"dump_vars": [x], [D input]}))");
}

TEST(Attributes, WrappedListsAreHandledLineByLine) {
  EXPECT_EQ(drawn(R"(    "arg_directions": [)"), "    ");
  EXPECT_EQ(drawn("        pl.adir.inout,"), "        [D inout],");
}

TEST(Attributes, BadgesCanBeSwitchedOff) {
  const char* line = R"(self.put(x, attrs={"arg_directions": [pl.adir.input]}))";
  EXPECT_EQ(drawn(line, {false, false}), line);
}

TEST(Attributes, TypesFold) {
  EXPECT_EQ(drawn(R"(    a: pl.Tensor[[64, 64], pl.FP32, pl.MemRef("a = b", 0)] = self.f(a))", {true, true}),
            "    a: … = self.f(a)");
  EXPECT_EQ(drawn("with pl.scope(mode=pl.ScopeMode.MANUAL):", {true, true}), "with pl.scope(mode=pl.ScopeMode.MANUAL):");
  EXPECT_EQ(drawn("r: T", {true, true}), "r: T");
}

TEST(Attributes, BrokenLinesAreShownAsTheyAre) {
  for (const char* line :
       {"", "deps=[", "attrs={", R"(attrs={"arg_directions": [pl.adir.)", "\"open string", ")]}", "x = 'a\\", "é = 1"}) {
    drawn(line);  // covers the line without a crash; checked inside
    drawn(line, {true, true});
  }
}

TEST(Attributes, KeywordsAndCommentsAreTold) {
  std::vector<Segment> segments;
  split_line("for i in x:  # note", {true, false}, segments);
  ASSERT_FALSE(segments.empty());
  EXPECT_EQ(segments.front().kind, SegmentKind::Keyword);
  EXPECT_EQ(segments.back().kind, SegmentKind::Comment);
}

}  // namespace
}  // namespace depscope::viewers
