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
  EXPECT_EQ(o.schedule.seed, 7U);
}

TEST(Options, OfTheRuntimeModelAreOffByDefault) {
  const RunOptions o = parse_arguments({});
  EXPECT_FALSE(o.hazards);
  EXPECT_EQ(o.schedule.kind, runtime::ScheduleKind::Canonical);
  EXPECT_EQ(o.schedule.granularity, runtime::Granularity::Coarse);
  EXPECT_EQ(o.schedule.seed, 1U);
  EXPECT_EQ(o.ring_limits[0], runtime::PerRing{});
  EXPECT_EQ(o.durations, nullptr);
  EXPECT_FALSE(o.check_invariants);
  EXPECT_TRUE(o.save_schedule.empty());
  EXPECT_TRUE(o.given_for_run.empty());
}

TEST(Options, OfTheRuntimeModel) {
  const RunOptions o = parse_arguments({"--edges", "maskbug", "--schedule=random", "--seed", "0", "--granularity", "fine",
                                        "--ring-task-window", "8", "--ring-heap=4096,0,1024,2048", "--ring-dep-pool", "4",
                                        "--check-invariants", "--save-schedule", "x.txt"});
  EXPECT_EQ(o.edges, runtime::EdgeRepresentation::MaskBug);
  EXPECT_EQ(o.schedule.kind, runtime::ScheduleKind::Random);
  EXPECT_EQ(o.schedule.seed, 0U);
  EXPECT_EQ(o.schedule.granularity, runtime::Granularity::Fine);
  EXPECT_EQ(o.ring_limits[0], runtime::all_rings(8));
  EXPECT_EQ(o.ring_limits[1], (runtime::PerRing{4096, 0, 1024, 2048}));
  EXPECT_EQ(o.ring_limits[2], runtime::all_rings(4));
  EXPECT_TRUE(o.check_invariants);
  EXPECT_EQ(o.save_schedule, "x.txt");
  EXPECT_EQ(o.given_for_run,
            (std::vector<std::string>{"--edges", "--schedule", "--seed", "--granularity", "--save-schedule", "--ring-task-window",
                                      "--ring-heap", "--ring-dep-pool", "--check-invariants"}));
  EXPECT_EQ(parse_arguments({"--schedule", "canonical"}).schedule.kind, runtime::ScheduleKind::Canonical);
  EXPECT_EQ(parse_arguments({"--seed", "18446744073709551615"}).schedule.seed, ~std::uint64_t{0});
}

TEST(Options, MaskBugHasNoReduction) {
  EXPECT_THAT(usage_error({"--edges", "maskbug", "--reduce", "bitmap:64"}), HasSubstr("maskbug knows only WAIT and WAIT|RETAIN"));
  EXPECT_THAT(usage_error({"--edges", "maskbug", "--reduce", "exact"}), HasSubstr("--reduce exact does not go with"));
  EXPECT_EQ(usage_error({"--edges", "maskbug", "--reduce", "none"}), "no error");
}

TEST(Options, Hazards) {
  const auto text = [](const std::string& value) { return hazards_text(parse_hazards(value)); };
  EXPECT_EQ(text("fixed"), "fixed");
  EXPECT_EQ(text("faithful"), "faithful");
  EXPECT_EQ(text("fixed,H11=faithful,H3=faithful"), "fixed,H3=faithful,H11=faithful");
  EXPECT_EQ(text("faithful,H1=fixed"), "faithful,H1=fixed");
  EXPECT_EQ(text("fixed,H1=fixed"), "fixed");
  EXPECT_TRUE(parse_hazards("fixed,H3=faithful").faithful(3));
  EXPECT_FALSE(parse_hazards("fixed,H3=faithful").faithful(1));
  EXPECT_FALSE(parse_hazards("faithful,H10=fixed").faithful(10));
  for (int one = 1; one <= 11; ++one) {
    for (int other = 1; other <= 11; ++other) {
      runtime::HazardSwitches h = one % 2 == 0 ? runtime::HazardSwitches::all_faithful() : runtime::HazardSwitches{};
      h.set(one, true);
      h.set(other, false);
      const runtime::HazardSwitches back = parse_hazards(hazards_text(h));
      for (int i = 1; i <= 11; ++i) EXPECT_EQ(back.faithful(i), h.faithful(i)) << hazards_text(h);
    }
  }
  for (const char* wrong :
       {"on", "H3=faithful", "fixed,", "fixed,H0=faithful", "fixed,H12=faithful", "fixed,H3", "fixed,H3=on", "fixed,h3=faithful",
        "fixed,H=faithful", "fixed,H3x=faithful", "fixed,,H3=faithful", "fixed,H+3=faithful"}) {
    EXPECT_THAT(usage_error({"--hazards", wrong}), HasSubstr("allowed: fixed or faithful, then ,Hn=fixed or ,Hn=faithful"))
        << wrong;
  }
  EXPECT_THAT(usage_error({"--hazards", "fixed,H3=faithful,H3=fixed"}), HasSubstr("H3 is given twice"));
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
  EXPECT_THAT(usage_error({"--schedule", "fastest"}), HasSubstr("allowed: canonical, random, list:FILE"));
  EXPECT_THAT(usage_error({"--schedule", "list:"}), HasSubstr("allowed: canonical, random, list:FILE"));
  EXPECT_THAT(usage_error({"--granularity", "medium"}), HasSubstr("allowed: coarse, fine"));
  for (const char* wrong : {"x", "1,2", "1,2,3,4,5", "1,2,3,", "-1", "+1", "0x10", "1 2", "99999999999999999999"}) {
    EXPECT_THAT(usage_error({"--ring-heap", wrong}), HasSubstr("allowed: one number, or 4 by ring separated by commas")) << wrong;
  }
  for (const char* wrong : {"-1", "x", "1.5", "99999999999999999999"}) {
    EXPECT_THROW((void)parse_arguments({std::string("--seed=") + wrong}), CLI::ParseError) << wrong;
  }
}

TEST(Options, RecordedInOrder) {
  recording::Recording recording;
  runtime::ModelOptions model;
  model.reduction = {.kind = runtime::ReductionKind::Exact};
  model.edges = runtime::EdgeRepresentation::MaskBug;
  model.hazards.set(3, true);
  model.limits[1].heap = 4096;
  record_options(parse_arguments({}), model, Profile::Seed, recording);
  std::string all;
  for (std::uint32_t i = 0; i < recording.options.rows(); ++i) {
    all += std::string(recording.text(recording.options.name[i])) + "=" +
           std::string(recording.text(recording.options.value[i])) + "\n";
  }
  EXPECT_EQ(all,
            "program=\nentry=\npasses=default\nstop-after=\nanalyze-auto-scopes=off\nprofile=seed\nplatform=a2a3\nedges=maskbug\n"
            "reduce=exact\nhazards=fixed,H3=faithful\nschedule=canonical\nseed=1\ngranularity=coarse\n"
            "ring-task-window=16384,16384,16384,16384\nring-heap=268435456,4096,268435456,268435456\n"
            "ring-dep-pool=16384,16384,16384,16384\ntiming=\narg=\ndata=\nevents=full\ncheck-invariants=off\n");
}

}  // namespace
}  // namespace depscope::app
