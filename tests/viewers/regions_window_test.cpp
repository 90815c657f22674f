// The Regions panel: each region opens the call, the argument and the way that led there.
#include <fmt/format.h>

#include "depscope/pass/decisions.h"
#include "depscope/replay/file.h"
#include "synthetic_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

constexpr const char* kFallbackOptions = "--analyze-auto-scopes --data '" DEPSCOPE_SAMPLES "/data/10_fallbacks.json'";

using recording::kNoRow;

class RegionsWindowTest : public WindowTest {};

TEST_F(RegionsWindowTest, EachRegionOpensItsCallItsArgumentAndTheWayBack) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const recording::Recording r = load("f.depscope");
  std::string script_text = "panel Regions\nwait 2\n";
  std::size_t fallbacks = 0;
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    const auto outcome = static_cast<pass::RegionOutcome>(r.regions.outcome[region]);
    script_text += fmt::format("select region {}\nwait 3\nexpect-element \"regions/row {}\" \"{}\"\n", region, region,
                               pass::region_outcome_name(outcome));
    script_text += fmt::format("expect-element \"regions/why\" \"{}\"\n", pass::region_outcome_name(outcome));
    if (outcome != pass::RegionOutcome::FellBack) {
      script_text += "expect-no-element \"regions/call\"\nexpect-no-element \"regions/lineage 0\"\n";
      continue;
    }
    ++fallbacks;
    const std::uint32_t site = r.regions.offending_site[region];
    script_text += fmt::format("expect-element \"regions/row {}\" \"{}\"\n", region, r.text(r.regions.reason[region]));
    script_text += fmt::format("expect-element \"regions/call\" \"call {} {} (line {}), argument \"\n", r.call_sites.index[site],
                               r.text(r.call_sites.callee[site]), r.call_sites.line[site]);
    script_text += fmt::format("expect-element \"regions/call\" \"(number {})\"\n", r.regions.offending_arg[region]);
    std::uint32_t step = 0;
    for (std::uint32_t row = 0; row < r.lineage.rows(); ++row) {
      if (r.lineage.region[row] != region) continue;
      script_text += fmt::format("expect-element \"regions/lineage {}\" \"line {}: {}\"\n", step++, r.lineage.line[row],
                                 r.text(r.lineage.what[row]));
    }
    EXPECT_GT(step, 0U) << region;
    script_text +=
        fmt::format("expect-no-element \"regions/lineage {}\"\nexpect-element \"regions/change\"\nexpect-legible\n", step);
  }
  EXPECT_GE(fallbacks, 7U);
  const Result result = script(script_text, "--size 1280x1600", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(RegionsWindowTest, ClicksSelectAndStepsLeadToThePasses) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const Result result = script(
      "panel Regions\nwait 2\nclick-element \"regions/row 6\"\nwait 2\nexpect \"region 6\"\n"
      "expect \"Why did this region fall back?\"\nexpect-element \"regions/lost\" \"edge f0 of call 11 bump\"\n"
      "expect-legible\nclick-element \"regions/lineage 0\"\nwait 3\nexpect \"main call 12 get_flat\"\n"
      "expect \"after 01 ConvertToSSA\"\n"
      // What was open stays open.
      "panel Regions\nwait 2\nexpect-element \"regions/call\" \"call 12 get_flat\"\n"
      "click-element \"link/call-site 12\"\nwait 2\nexpect \"main call 12 get_flat\"\n",
      "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(RegionsWindowTest, KeysGoFromRegionToRegion) {
  record("10_fallbacks", "f.depscope", kFallbackOptions);
  const Result result = script(
      "key ctrl+shift+X\nwait 2\nexpect-element \"regions/call\" \"argument f_flat\"\nkey ctrl+shift+X\nwait 2\n"
      "expect-element \"regions/call\" \"argument g_src\"\nkey ctrl+shift+B\nkey ctrl+shift+B\nwait 2\n"
      "expect-no-element \"regions/call\"\nkey ctrl+shift+N\nwait 2\nexpect-element \"regions/call\" \"argument f_flat\"\n",
      "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(RegionsWindowTest, FencesScopesAndCarriedValuesStandBelow) {
  record("07_manual_pipeline", "p.depscope", "--analyze-auto-scopes");
  const recording::Recording r = load("p.depscope");
  ASSERT_GT(r.scope_decisions.rows(), 0U);
  std::string script_text = "panel Regions\nwait 2\n";
  if (r.fences.rows() != 0) script_text += "expect \"Phase fences\"\nexpect-element \"regions/fence 0\" \"before the loop\"\n";
  script_text += fmt::format("expect \"Scopes\"\nexpect-element \"regions/scope 0\" \"{}\"\nexpect-legible\n",
                             r.text(r.scope_decisions.decision[0]));
  const Result result = script(script_text, "--size 1280x3000", "p.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(RegionsWindowTest, OtherSamplesAndSizesAreLegible) {
  for (const char* sample : {"05_decoder_layer", "08_fused_mlp_war"}) {
    record(sample, "s.depscope", "--analyze-auto-scopes");
    for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
      const Result result = script(
          "panel Regions\nwait 2\nexpect-legible\nselect region 0\nwait 2\nexpect-element \"regions/why\"\nexpect-legible\n",
          size, "s.depscope");
      EXPECT_EQ(result.status, 0) << sample << " " << size << ": " << result.output;
    }
  }
}

TEST_F(RegionsWindowTest, WithoutAProgramItSaysSo) {
  replay::save(replay::synthetic_recording({.program = false}), path("trace.depscope"));
  const Result result = script(
      "panel Regions\nwait 2\nexpect \"This recording has no regions\"\nkey ctrl+shift+N\nkey ctrl+shift+X\n"
      "panel Directions\nwait 2\nexpect \"This recording has no call sites\"\n",
      "", "trace.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
