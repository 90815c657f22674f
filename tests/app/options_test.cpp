#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command.h"

namespace depscope::app {
namespace {

using ::testing::HasSubstr;

RunOptions parse_arguments(std::vector<std::string> arguments) {
  OptionTexts texts;
  CLI::App app;
  add_run_options(app, texts);
  std::reverse(arguments.begin(), arguments.end());  // how CLI11 takes a vector
  app.parse(arguments);
  return parse(texts);
}

std::string usage_error(std::vector<std::string> arguments) {
  try {
    parse_arguments(std::move(arguments));
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Options, Defaults) {
  const RunOptions o = parse_arguments({});
  EXPECT_FALSE(o.passes);
  EXPECT_FALSE(o.profile);
  EXPECT_FALSE(o.reduction);
  EXPECT_EQ(o.platform, runtime::Platform::A2A3);
  EXPECT_EQ(o.events, EventChoice::Auto);
}

TEST(Options, Values) {
  const RunOptions o = parse_arguments({"--platform", "a5", "--reduce", "bitmap:128", "--edges=coupled", "--passes",
                                        "Simplify,ConvertToSSA", "--profile", "upstream-2026-08", "--arg", "n=2", "--arg",
                                        "m=a=b", "--events", "summary", "--analyze-auto-scopes", "--seed", "7"});
  EXPECT_EQ(o.platform, runtime::Platform::A5);
  ASSERT_TRUE(o.reduction);
  EXPECT_EQ(o.reduction->window, 128U);
  EXPECT_EQ(reduction_text(*o.reduction), "bitmap:128");
  EXPECT_EQ(o.edges, runtime::EdgeRepresentation::Coupled);
  EXPECT_EQ(o.passes, (std::vector<std::string>{"Simplify", "ConvertToSSA"}));
  EXPECT_EQ(o.profile, Profile::Upstream2026_08);
  EXPECT_EQ(o.args, (std::vector<std::pair<std::string, std::string>>{{"n", "2"}, {"m", "a=b"}}));
  EXPECT_EQ(o.events, EventChoice::Summary);
  EXPECT_TRUE(o.analyze_auto_scopes);
  EXPECT_EQ(o.seed, 7U);
}

TEST(Options, TheAnalysisCanBeSwitchedOffByName) {
  EXPECT_FALSE(parse_arguments({}).analyze_auto_scopes_given);
  EXPECT_TRUE(parse_arguments({"--analyze-auto-scopes=true"}).analyze_auto_scopes);
  const RunOptions off = parse_arguments({"--analyze-auto-scopes=false"});
  EXPECT_FALSE(off.analyze_auto_scopes);
  EXPECT_TRUE(off.analyze_auto_scopes_given);
  for (const char* wrong : {"maybe", "2", "-1", "99999999999999999999"}) {
    EXPECT_THROW((void)parse_arguments({std::string("--analyze-auto-scopes=") + wrong}), UsageError) << wrong;
  }
}

TEST(Options, AnEmptyPassListRunsNone) {
  const RunOptions o = parse_arguments({"--passes", ""});
  ASSERT_TRUE(o.passes);
  EXPECT_TRUE(o.passes->empty());
}

TEST(Options, ListsAreKeptAsGiven) {
  const RunOptions o = parse_arguments({"--data", "x=[1,2]", "--data", "y=f.json"});
  EXPECT_EQ(o.data, (std::vector<std::pair<std::string, std::string>>{{"x", "[1,2]"}, {"y", "f.json"}}));
}

TEST(Options, WrongValuesListWhatIsAllowed) {
  EXPECT_THAT(usage_error({"--platform", "a4"}), HasSubstr("--platform: \"a4\" is not allowed; allowed: a2a3, a5"));
  EXPECT_THAT(usage_error({"--reduce", "bitmap:0"}), HasSubstr("bitmap:N with N from 1 to 4096, none, exact, one-hop"));
  EXPECT_THAT(usage_error({"--reduce", "bitmap:64x"}), HasSubstr("not allowed"));
  EXPECT_THAT(usage_error({"--reduce", "bitmap"}), HasSubstr("not allowed"));
  EXPECT_THAT(usage_error({"--edges", "both"}), HasSubstr("allowed: split, coupled, maskbug"));
  EXPECT_THAT(usage_error({"--profile", "x"}), HasSubstr("allowed: seed, upstream-2026-08"));
  EXPECT_THAT(usage_error({"--events", "all"}), HasSubstr("allowed: auto, full, summary"));
  EXPECT_THAT(usage_error({"--arg", "n"}), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(usage_error({"--arg", "n=1", "--arg", "n=2"}), HasSubstr("given twice"));
  EXPECT_THAT(usage_error({"--passes", "A,,B"}), HasSubstr("a name is empty"));
}

TEST(Options, RecordedInOrder) {
  recording::Recording recording;
  runtime::ModelOptions model;
  model.reduction = {.kind = runtime::ReductionKind::Exact};
  record_options(parse_arguments({}), model, Profile::Seed, recording);
  std::vector<std::string> names;
  for (const std::uint32_t name : recording.options.name) names.emplace_back(recording.text(name));
  EXPECT_EQ(names.front(), "program");
  const auto reduce = std::find(names.begin(), names.end(), "reduce");
  ASSERT_NE(reduce, names.end());
  EXPECT_EQ(recording.text(recording.options.value[static_cast<std::size_t>(reduce - names.begin())]), "exact");
}

}  // namespace
}  // namespace depscope::app
