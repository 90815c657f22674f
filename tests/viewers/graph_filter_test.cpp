#include "depscope/viewers/graph_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GraphFilter, ReadsItsWords) {
  const ParsedGraphFilter parsed = parse_graph_filter(" kernel:Soft,exp prov:compiler,user flag:retain,removed  scope:2,4 add");
  EXPECT_EQ(parsed.error, "");
  EXPECT_THAT(parsed.filter.kernels, ElementsAre("soft", "exp", "add"));
  EXPECT_THAT(parsed.filter.scopes, ElementsAre(2U, 4U));
  EXPECT_EQ(parsed.filter.provenance, runtime::kUser | runtime::kCompiler);
  EXPECT_EQ(parsed.filter.fates, kHasRetain | kWaitRemoved);
  EXPECT_EQ(parsed.filter.text(), "kernel:soft,exp,add scope:2,4 prov:user,compiler flag:retain,removed");
  EXPECT_EQ(parse_graph_filter(parsed.filter.text()).filter, parsed.filter);
  EXPECT_TRUE(parse_graph_filter("  ").filter.empty());
}

TEST(GraphFilter, SaysWhatIsWrongAndKeepsTheRest) {
  const auto error = [](std::string_view text) { return parse_graph_filter(text).error; };
  EXPECT_THAT(error("colour:red"), HasSubstr("'colour' is no filter"));
  EXPECT_THAT(error("prov:me"), HasSubstr("'me' is no provenance"));
  EXPECT_THAT(error("flag:go"), HasSubstr("'go' is no flag"));
  EXPECT_THAT(error("scope:x"), HasSubstr("'x' is no number"));
  EXPECT_THAT(error("scope:99999999999"), HasSubstr("is no number"));
  EXPECT_THAT(error("kernel:"), HasSubstr("needs a value"));
  EXPECT_THAT(parse_graph_filter("flag:go kernel:a").filter.kernels, ElementsAre("a"));
}

TEST(GraphFilter, TellsTheFatesOfEdges) {
  GraphRecording g;
  g.task("a");
  g.task("b");
  const std::uint32_t both = g.edge(0, 1);
  const std::uint32_t gone = g.edge(0, 1, runtime::kWaitRetain, runtime::kRetain, recording::kNoRow, runtime::kCreator);
  const std::uint32_t wait = g.edge(0, 1, runtime::kWait, runtime::kWait, recording::kNoRow, runtime::kCompiler);
  EXPECT_EQ(edge_fate(g.r, both), kHasWait | kHasRetain);
  EXPECT_EQ(edge_fate(g.r, gone), kHasRetain | kWaitRemoved);
  EXPECT_EQ(edge_fate(g.r, wait), kHasWait);
  const auto passing = [&](std::string_view text) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t edge = 0; edge < g.r.edges.rows(); ++edge) {
      if (parse_graph_filter(text).filter.passes_edge(g.r, edge)) rows.push_back(edge);
    }
    return rows;
  };
  EXPECT_THAT(passing(""), ElementsAre(both, gone, wait));
  EXPECT_THAT(passing("flag:removed"), ElementsAre(gone));
  EXPECT_THAT(passing("flag:wait"), ElementsAre(both, wait));
  EXPECT_THAT(passing("prov:user,compiler flag:wait"), ElementsAre(both, wait));
  EXPECT_THAT(passing("prov:creator flag:wait"), IsEmpty());
}

TEST(GraphFilter, TasksPassByKernelAndScope) {
  GraphRecording g;
  const std::uint32_t root = g.scope();
  const std::uint32_t inner = g.scope(root);
  const std::uint32_t other = g.scope();
  g.task("SoftMax", root);
  g.task("add", inner);
  g.task("softplus", other);
  const auto passing = [&](std::string_view text) { return passing_tasks(g.r, parse_graph_filter(text).filter); };
  EXPECT_THAT(passing(""), IsEmpty());
  EXPECT_THAT(passing("prov:user"), IsEmpty());
  EXPECT_THAT(passing("soft"), ElementsAre(true, false, true));
  EXPECT_THAT(passing("scope:0"), ElementsAre(true, true, false));
  EXPECT_THAT(passing("soft scope:2"), ElementsAre(false, false, true));
}

TEST(GraphFilter, SearchFindsNumbersAndWords) {
  GraphRecording g;
  for (const char* kernel : {"load_tile", "exp", "load_row", "exp_row"}) g.task(kernel);
  EXPECT_THAT(search_tasks(g.r, "LOAD"), ElementsAre(0U, 2U));
  EXPECT_THAT(search_tasks(g.r, "row load"), ElementsAre(2U));
  EXPECT_THAT(search_tasks(g.r, "t3"), ElementsAre(3U));
  EXPECT_THAT(search_tasks(g.r, "1"), ElementsAre(1U));
  EXPECT_THAT(search_tasks(g.r, "load t1"), IsEmpty());
  EXPECT_THAT(search_tasks(g.r, "t99"), IsEmpty());
  EXPECT_THAT(search_tasks(g.r, " "), IsEmpty());
  EXPECT_THAT(search_tasks(g.r, "t"), ElementsAre(0U));
}

}  // namespace
}  // namespace depscope::viewers
