// Dump directories that do not agree with the passes, or not with themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_outcome.h"
#include "dump_directories.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

/// Line of the first occurrence of `what`, from 1.
std::uint32_t line_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

class DumpComparisons : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    use("10_fallbacks_analyze");
  }

  void use(const std::string& tail) {
    directory_ = folder_ / tail / "passes_dump";
    restore_tail(fs::path(DEPSCOPE_TEST_DATA) / "dumps" / "tails" / tail, directory_);
  }

  [[nodiscard]] fs::path dump(int number) const {
    return directory_ / (std::string(kTailDumps.at(static_cast<std::size_t>(number - 37))) + ".py");
  }
  [[nodiscard]] std::string text(int number) const { return text_of(dump(number)); }

  /// Replaces the first occurrence behind `after` in one dump, and gives the line where it stands.
  std::uint32_t damage(int number, const std::string& from, const std::string& to, const std::string& after = "") const {
    std::string t = text(number);
    const std::size_t at = t.find(from, t.find(after));
    EXPECT_NE(at, std::string::npos) << from;
    t.replace(at, from.size(), to);
    write_text(dump(number), t);
    return static_cast<std::uint32_t>(std::count(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
  }

  json explain(std::vector<const char*> options = {}) const {
    std::vector<const char*> arguments{"explain", directory_.c_str(), "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, kDone) << o.err;
    return json::parse(o.out)["findings"];
  }

  static json of_kind(const json& findings, const std::string& kind, const std::string& what = "") {
    json out = json::array();
    for (const json& f : findings) {
      if (f["kind"] == kind && (what.empty() || f.value("what", "") == what)) out.push_back(f);
    }
    return out;
  }
  static json agreement(const json& findings) {
    const json found = of_kind(findings, "agreement");
    return found.empty() ? json() : found[0];
  }

  fs::path directory_;
};

// ---------------------------------------------------------------- differences

TEST_F(DumpComparisons, ADamagedDumpIsFoundWithFunctionAndLine) {
  const std::uint32_t line = damage(38, "pl.adir.input", "pl.adir.inout");
  const json findings = explain();
  const json found = of_kind(findings, "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  const json& f = found[0];
  EXPECT_EQ(f["severity"], "warning");
  EXPECT_EQ(f["pass"], "DeriveCallDirections");
  EXPECT_EQ(f["dump"], "38");
  EXPECT_EQ(f["function"], "main");
  EXPECT_EQ(f["line"], line);
  EXPECT_THAT(f["a"].get<std::string>(), HasSubstr("pl.adir.input"));
  EXPECT_THAT(f["b"].get<std::string>(), HasSubstr("pl.adir.inout"));
  EXPECT_EQ(f["alone_on"], "37");
  EXPECT_EQ(f["alone"], "differs");
  EXPECT_THAT(f["structure"].get<std::string>(), HasSubstr("main"));
  // Our own chain goes on from our own result, so that the later dumps agree again.
  const json a = agreement(findings);
  EXPECT_EQ(a["agree"], 5);
  EXPECT_EQ(a["compared"], 6);
  EXPECT_THAT(a["summary"].get<std::string>(),
              AllOf(StartsWith("dumps: 5 of 6 later dumps agree (AutoDeriveTaskDependencies 39, "),
                    HasSubstr("first difference: DeriveCallDirections, dump 38, main, line " + std::to_string(line))));
}

TEST_F(DumpComparisons, EveryLaterDumpIsCompared) {
  for (const int number : {38, 39, 40, 45, 46, 47}) {
    SCOPED_TRACE(number);
    use("10_fallbacks_analyze");
    const std::uint32_t line = damage(number, "muls(t__ssa_v0, 2.0)", "muls(t__ssa_v0, 2.5)", "def get(");
    const json found = of_kind(explain(), "difference", "pass_text");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["dump"], std::to_string(number));
    EXPECT_EQ(found[0]["function"], "get");
    EXPECT_EQ(found[0]["line"], line);
  }
}

TEST_F(DumpComparisons, TheDumpsOfPassesWithoutAModelAreCompared) {
  damage(48, "muls(t__ssa_v0, 2.0)", "muls(t__ssa_v0, 2.5)", "def get(");
  const json findings = explain();
  const json found = of_kind(findings, "difference", "not_modelled");
  ASSERT_EQ(found.size(), 1U);  // dump 49 says again what the passes say
  EXPECT_EQ(found[0]["severity"], "warning");
  EXPECT_EQ(found[0]["pass"], "InsertCommFence");
  EXPECT_EQ(found[0]["dump"], "48");
  EXPECT_EQ(found[0]["functions"], json({"get"}));
  EXPECT_EQ(agreement(findings)["agree"], 6);
}

// The change of a pass that has no model stays in all later dumps: the passes behind it are judged on those.
TEST_F(DumpComparisons, BehindAPassWithoutAModelThePassesRunAlone) {
  for (int number = 44; number <= 49; ++number) damage(number, "muls(t__ssa_v0, 2.0)", "muls(t__ssa_v0, 2.5)", "def get(");
  json findings = explain();
  EXPECT_EQ(of_kind(findings, "difference", "not_modelled").size(), 1U);
  EXPECT_THAT(of_kind(findings, "difference", "pass_text"), IsEmpty());
  json a = agreement(findings);
  EXPECT_EQ(a["agree"], 6);
  EXPECT_EQ(a["passes"][3], json({{"pass", "Simplify"}, {"dump", "45"}, {"outcome", "agrees alone"}, {"alone_on", "44"}}));
  EXPECT_EQ(a["passes"][5]["alone_on"], "46");
  EXPECT_THAT(a["summary"].get<std::string>(), HasSubstr("MaterializeRuntimeScopes 46 run on dump 45"));

  // A second difference behind it is still found, and only that one.
  const std::uint32_t line = damage(46, "with pl.scope():", "with pl.scope(mode=pl.ScopeMode.MANUAL):", "def main(");
  findings = explain();
  const json found = of_kind(findings, "difference", "pass_text");
  ASSERT_GE(found.size(), 1U);
  EXPECT_EQ(found[0]["pass"], "MaterializeRuntimeScopes");
  EXPECT_EQ(found[0]["function"], "main");
  EXPECT_EQ(found[0]["line"], line);
  EXPECT_EQ(found[0]["alone"], "differs");
}

TEST_F(DumpComparisons, LinesAreThoseOfTheFile) {
  use("10_fallbacks_ruff_analyze");
  damage(39, "@pl.program", "# an added line\n\n@pl.program");
  EXPECT_THAT(of_kind(explain(), "difference", "pass_text"), IsEmpty());  // layout and comments say nothing
  const std::string t = text(39);
  // The attribute of a call that the formatter broke over lines: the place is the statement.
  const std::size_t main = t.find("def main(");
  const std::size_t attribute = t.find("\"arg_directions\"", main);
  const std::size_t direction = t.find("pl.adir.", attribute);
  std::string damaged = t;
  damaged.replace(direction, t.find_first_of(",]", direction) - direction, "pl.adir.no_dep");
  ASSERT_NE(damaged, t);
  write_text(dump(39), damaged);
  const json found = of_kind(explain(), "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  const std::size_t statement = t.rfind("self.", attribute);
  const auto line =
      static_cast<std::uint32_t>(std::count(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(statement), '\n')) + 1;
  EXPECT_EQ(found[0]["function"], "main");
  EXPECT_EQ(found[0]["line"], line) << found[0];
}

TEST_F(DumpComparisons, FunctionsThatComeAndGo) {
  // A function that only the dump has.
  std::string t = text(39);
  const std::size_t at = t.find("    @pl.function(");
  t.insert(at,
           "    @pl.function(type=pl.FunctionType.AIV)\n    def extra(x: pl.Tensor[[4], pl.FP32]) -> pl.Tensor[[4], pl.FP32]:\n"
           "        return x\n");
  write_text(dump(39), t);
  json found = of_kind(explain(), "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["function"], "extra");
  EXPECT_EQ(found[0]["line"], line_of(t, "def extra("));
  EXPECT_EQ(found[0]["a"], "");
  EXPECT_THAT(found[0]["b"].get<std::string>(), StartsWith("def extra("));

  // A statement that only we have, and one that only the dump has.
  use("10_fallbacks_analyze");
  const std::uint32_t line = damage(40, "        return", "        # nothing\n        pass\n        return", "def main(") + 1;
  found = of_kind(explain(), "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["line"], line);
  EXPECT_EQ(found[0]["b"], "pass");
  EXPECT_THAT(found[0]["a"].get<std::string>(), StartsWith("return"));
}

TEST_F(DumpComparisons, NamesCountButNotThePrintersSuffix) {
  // One name in one place: another variable.
  damage(39, "store(t__tmp_v0", "store(t__ssa_v0", "def get(");
  EXPECT_EQ(of_kind(explain(), "difference", "pass_text").size(), 1U);

  // Everywhere another suffix for a name that occurs once.
  use("10_fallbacks_analyze");
  std::string t = text(39);
  for (std::size_t at = t.find("t__tmp_v0"); at != std::string::npos; at = t.find("t__tmp_v0", at + 11))
    t.replace(at, 9, "t__tmp_v0_7");
  write_text(dump(39), t);
  EXPECT_THAT(of_kind(explain(), "difference", "pass_text"), IsEmpty());

  // Another name everywhere is a difference of the text only.
  use("10_fallbacks_analyze");
  t = text(39);
  for (std::size_t at = t.find("t__tmp_v0"); at != std::string::npos; at = t.find("t__tmp_v0", at + 9))
    t.replace(at, 9, "u__tmp_v0");
  write_text(dump(39), t);
  const json found = of_kind(explain(), "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["structure"], "the same but for names and spelling");
}

// ---------------------------------------------------------------- the setting of the analysis

TEST_F(DumpComparisons, TheDumpsTellWhetherTheAnalysisWasOn) {
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes"], "on");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes_reason"], "dump 39 agrees");
  use("e02_plain");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes"], "off");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes_reason"], "dump 39 agrees");
  use("e07");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes"], "off");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes_reason"], "dump 39 agrees either way");
}

TEST_F(DumpComparisons, AGivenSettingWins) {
  json a = agreement(explain({"--analyze-auto-scopes"}));
  EXPECT_EQ(a["agree"], 6);
  EXPECT_EQ(a["analyze_auto_scopes_reason"], "given");

  const json findings = explain({"--analyze-auto-scopes=false"});
  a = agreement(findings);
  EXPECT_EQ(a["analyze_auto_scopes"], "off");
  EXPECT_EQ(a["analyze_auto_scopes_reason"], "given; with it on dump 39 agrees");
  const json found = of_kind(findings, "difference", "pass_text");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["pass"], "AutoDeriveTaskDependencies");
  EXPECT_EQ(found[0]["alone_on"], "38");
  // What follows from it is not said again.
  EXPECT_EQ(a["agree"], 5);
}

TEST_F(DumpComparisons, TheSettingIsReadFromTracesWhereNothingAgrees) {
  damage(39, "muls(t__ssa_v0, 2.0)", "muls(t__ssa_v0, 2.5)", "def get(");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes"], "on");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes_reason"], "dump 39 has traces of the analysis");
  use("10_fallbacks_plain");
  damage(39, "muls(t__ssa_v0, 2.0)", "muls(t__ssa_v0, 2.5)", "def get(");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes"], "off");
  EXPECT_EQ(agreement(explain())["analyze_auto_scopes_reason"], "dump 39 has no trace of the analysis");
}

TEST_F(DumpComparisons, WithoutTheDumpOfTheAnalysisALaterOneTells) {
  for (int number = 38; number <= 45; ++number) fs::remove(dump(number));
  const json findings = explain();
  EXPECT_EQ(agreement(findings)["analyze_auto_scopes_reason"], "dump 46 agrees");
  EXPECT_EQ(agreement(findings)["analyze_auto_scopes"], "on");
  EXPECT_EQ(agreement(findings)["agree"], 2);
  EXPECT_THAT(of_kind(findings, "input_error")[0]["summary"].get<std::string>(),
              StartsWith("gap: no dump 38 to 45 between 37 and 46"));
}

// ---------------------------------------------------------------- which passes

TEST_F(DumpComparisons, OnlyWhatRunsIsCompared) {
  EXPECT_EQ(agreement(explain({"--passes", "DeriveCallDirections"}))["compared"], 1);
  EXPECT_TRUE(agreement(explain({"--passes", ""})).is_null());
  for (const char* stop : {"Simplify", "Simplify#2"}) {
    SCOPED_TRACE(stop);
    const json findings = explain({"--stop-after", stop});
    EXPECT_EQ(agreement(findings)["compared"], 4);
    EXPECT_EQ(agreement(findings)["agree"], 4);
    EXPECT_THAT(of_kind(findings, "difference", "pass_text"), IsEmpty());
    EXPECT_THAT(of_kind(findings, "difference", "not_modelled"), IsEmpty());
    // The dumps behind it are explained all the same.
    EXPECT_EQ(of_kind(findings, "difference", "pass_changed").size() + of_kind(findings, "difference", "pass_noop").size(), 12U);
  }
  EXPECT_EQ(run({"explain", directory_.c_str(), "--stop-after", "Simplify#3"}).status, kBadInput);
  // With a list of one's own the second Simplify is the second of the list.
  EXPECT_EQ(run({"explain", directory_.c_str(), "--passes", "Simplify", "--stop-after", "Simplify#2"}).status, kBadInput);
}

// A pass that was left out on purpose is no difference; those behind it are judged on the dumps.
TEST_F(DumpComparisons, APassLeftOutIsNoDifference) {
  const json findings = explain({"--passes", "DeriveCallDirections,Simplify,MaterializeRuntimeScopes,ClassifyIterArgCarry"});
  EXPECT_THAT(of_kind(findings, "difference", "pass_text"), IsEmpty());
  EXPECT_THAT(of_kind(findings, "difference", "not_modelled"), IsEmpty());
  const json a = agreement(findings);
  EXPECT_EQ(a["agree"], 4);
  EXPECT_EQ(a["passes"][1]["outcome"], "agrees alone");
}

// ---------------------------------------------------------------- where the run starts

TEST_F(DumpComparisons, TheFirstTextHasTheNameOfItsDump) {
  use("e02_analyze");
  const Outcome o = run({"run", directory_.c_str()});
  EXPECT_THAT(o.out, HasSubstr("Passes\n  FuseCreateAssembleToSlice  input\n  DeriveCallDirections       changed\n"));
  EXPECT_THAT(o.out, Not(HasSubstr("frontend")));
}

TEST_F(DumpComparisons, WithoutTheDumpOfDeriveCallDirectionsTheRunStartsBeforeItAllTheSame) {
  fs::remove(dump(38));
  json findings = explain();
  EXPECT_EQ(agreement(findings)["agree"], 5);
  EXPECT_EQ(agreement(findings)["passes"][0]["pass"], "AutoDeriveTaskDependencies");
  // Of two texts after a Simplify the one without directions lies before.
  for (int number = 39; number <= 44; ++number) fs::remove(dump(number));
  fs::rename(dump(37), directory_ / "05_after_Simplify.py");
  findings = explain();
  EXPECT_EQ(agreement(findings)["agree"], 3);
  EXPECT_EQ(agreement(findings)["passes"][0]["pass"], "Simplify");
}

TEST_F(DumpComparisons, ADirectoryThatBeginsLateRunsOnlyWhatIsLeft) {
  for (int number = 37; number <= 39; ++number) fs::remove(dump(number));
  json findings = explain();
  EXPECT_THAT(of_kind(findings, "difference", "pass_text"), IsEmpty());
  EXPECT_EQ(agreement(findings)["agree"], 3);
  for (int number = 40; number <= 45; ++number) fs::remove(dump(number));
  findings = explain();
  EXPECT_EQ(agreement(findings)["compared"], 1);
  EXPECT_EQ(agreement(findings)["agree"], 1);
  EXPECT_EQ(run({"run", directory_.c_str(), "--print-ir"}).status, kDone);
}

TEST_F(DumpComparisons, DumpsOfOursKeepTheNumbers) {
  const fs::path out = folder_ / "out";
  ASSERT_EQ(run({"run", directory_.c_str(), "--print-ir", "--dump-passes", out.c_str()}).status, kDone);
  EXPECT_TRUE(fs::exists(out / "37_after_FuseCreateAssembleToSlice.py"));
  EXPECT_TRUE(fs::exists(out / "38_after_DeriveCallDirections.py"));
  // What we wrote agrees with us, CollectCommGroups too.
  const Outcome o = run({"explain", out.c_str(), "--json"});
  const json a = agreement(json::parse(o.out)["findings"]);
  EXPECT_EQ(a["agree"], 7);
  EXPECT_EQ(a["compared"], 7);
}

TEST_F(DumpComparisons, TheInputIsNotOverwritten) {
  const std::string before = text(38);
  const Outcome o = run({"run", (folder_ / "10_fallbacks_analyze").c_str(), "--print-ir", "--dump-passes", directory_.c_str()});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("--dump-passes: this is the input"));
  EXPECT_EQ(text(38), before);
}

// ---------------------------------------------------------------- texts that cannot be read

TEST_F(DumpComparisons, AnUnreadableDumpIsLeftOut) {
  const std::uint32_t line = damage(39, "        return", "        return (", "def main(");
  const json findings = explain();
  const json errors = of_kind(findings, "input_error");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0]["severity"], "warning");
  EXPECT_EQ(errors[0]["file"], "39_after_AutoDeriveTaskDependencies.py");
  EXPECT_GE(errors[0]["line"], line);
  EXPECT_GE(errors[0]["column"], 1);
  EXPECT_THAT(errors[0]["summary"].get<std::string>(), StartsWith("dump 39 is left out: "));
  const json a = agreement(findings);
  EXPECT_EQ(a["compared"], 5);
  EXPECT_EQ(a["agree"], 5);
  EXPECT_EQ(a["analyze_auto_scopes_reason"], "dump 40 agrees");
  // The dumps around it are compared with each other.
  const json changed = of_kind(findings, "difference", "pass_changed");
  EXPECT_TRUE(std::any_of(changed.begin(), changed.end(), [](const json& f) { return f["from"] == "38" && f["to"] == "40"; }));
}

TEST_F(DumpComparisons, TextsOfAnySortAreLeftOut) {
  for (const std::string& bad :
       {std::string(), std::string("\xff\xfe\x00", 3), std::string("x = 1\n"), std::string(100000, '(')}) {
    for (const int number : {38, 45, 49}) {
      use("e02_analyze");
      write_text(dump(number), bad);
      const json findings = explain();
      EXPECT_EQ(of_kind(findings, "input_error").size(), 1U);
      EXPECT_THAT(of_kind(findings, "difference", "pass_text"), IsEmpty());
      EXPECT_EQ(agreement(findings)["agree"], number == 49 ? 6 : 5);
    }
  }
}

TEST_F(DumpComparisons, TheStartMustBeReadable) {
  write_text(directory_ / "36_after_FoldNoOpReshape.py", text(37));
  write_text(dump(37), text(37) + "(");
  const Outcome o = run({"explain", directory_.c_str(), "--json"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("37_after_FuseCreateAssembleToSlice.py:"));
  EXPECT_EQ(json::parse(o.out)["findings"][0]["severity"], "error");
}

TEST_F(DumpComparisons, AnUnreadableTextBeforeTheStartIsLeftOut) {
  use("e02_analyze");
  write_text(directory_ / "36_after_FoldNoOpReshape.py", "class X(\n");
  write_text(directory_ / "35_after_AllocateMemoryAddr.py", text(37));
  const json findings = explain();
  EXPECT_EQ(of_kind(findings, "input_error").size(), 1U);
  EXPECT_EQ(agreement(findings)["agree"], 6);
  const json same = of_kind(findings, "difference", "pass_noop");
  EXPECT_TRUE(std::any_of(same.begin(), same.end(), [](const json& f) { return f["from"] == "35" && f["to"] == "37"; }));
  EXPECT_THAT(run({"run", directory_.c_str()}).out,
              HasSubstr("Passes\n  AllocateMemoryAddr         input\n  FuseCreateAssembleToSlice  no-op\n"));
}

TEST_F(DumpComparisons, TwoDumpsOfOneNumber) {
  write_text(directory_ / "39_after_Another.py", text(38));
  const json errors = of_kind(explain(), "input_error");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0]["summary"].get<std::string>(),
              HasSubstr("two dumps have the number 39: Another and AutoDeriveTaskDependencies"));
}

TEST_F(DumpComparisons, SwappedNumbersAreSaidOnceAndReadInTheOrderOfThePasses) {
  use("e02_analyze");
  const std::string derive = text(39);
  const std::string fence = text(40);
  fs::remove(directory_ / "39_after_AutoDeriveTaskDependencies.py");
  fs::remove(directory_ / "40_after_ExpandManualPhaseFence.py");
  write_text(directory_ / "39_after_ExpandManualPhaseFence.py", fence);
  write_text(directory_ / "40_after_AutoDeriveTaskDependencies.py", derive);
  const json findings = explain();
  const json errors = of_kind(findings, "input_error");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0]["severity"], "warning");
  EXPECT_THAT(errors[0]["summary"].get<std::string>(),
              AllOf(StartsWith("39_after_ExpandManualPhaseFence.py stands before 40_after_AutoDeriveTaskDependencies.py"),
                    HasSubstr("were numbers swapped?")));
  EXPECT_EQ(agreement(findings)["agree"], 6);
}

TEST_F(DumpComparisons, ADumpOfAnotherProgramIsSaidOnceAndLeftOut) {
  use("e02_analyze");
  std::string other = text(39);
  const std::string header = "# pypto.program: ";
  ASSERT_TRUE(other.starts_with(header));
  other.insert(header.size(), "Another");
  write_text(directory_ / "39_after_AutoDeriveTaskDependencies.py", other);
  const json findings = explain();
  std::vector<std::string> said;
  for (const json& f : of_kind(findings, "input_error")) said.push_back(f["summary"]);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], AllOf(StartsWith("dump 39 is of another program ('Another"), HasSubstr("it is left out")));
  EXPECT_TRUE(of_kind(findings, "difference", "pass_text").empty());
  EXPECT_EQ(agreement(findings)["agree"], 5);
}

TEST_F(DumpComparisons, TheStartOfAnotherProgramIsLeftOutToo) {
  use("e02_analyze");
  const std::string start = text(37);
  std::string other = start;
  other.insert(std::string("# pypto.program: ").size(), "Another");
  write_text(directory_ / "37_after_FuseCreateAssembleToSlice.py", other);
  write_text(directory_ / "36_after_FoldNoOpReshape.py", start);
  const json findings = explain();
  EXPECT_EQ(of_kind(findings, "input_error").size(), 1U);
  EXPECT_EQ(agreement(findings)["agree"], 6);
}

// ---------------------------------------------------------------- where it can be read

TEST_F(DumpComparisons, ARecordingSaysTheSame) {
  use("e02_analyze");
  damage(38, "pl.adir.input", "pl.adir.inout");
  const std::string file = (folder_ / "x.depscope").string();
  const Outcome written = run({"run", directory_.c_str(), "-o", file.c_str()});
  ASSERT_EQ(written.status, kDone) << written.err;
  EXPECT_THAT(written.out, AllOf(HasSubstr("\ndumps: 5 of 6 later dumps agree ("),
                                 HasSubstr("DeriveCallDirections differs from dump 38 in ")));
  const json findings = json::parse(run({"explain", file.c_str(), "--json"}).out)["findings"];
  EXPECT_EQ(findings, explain());
  EXPECT_EQ(json::parse(run({"run", directory_.c_str(), "--json"}).out)["findings"], findings);
  EXPECT_THAT(run({"explain", file.c_str()}).out, HasSubstr("\ndumps: 5 of 6 later dumps agree ("));
  const std::string again = (folder_ / "y.depscope").string();
  ASSERT_EQ(run({"run", directory_.c_str(), "-o", again.c_str()}).status, kDone);
  EXPECT_EQ(text_of(file), text_of(again));
  // The setting that the dumps told is recorded as the option.
  EXPECT_THAT(run({"explain", file.c_str()}).out, HasSubstr("Option analyze-auto-scopes: on"));
}

}  // namespace
}  // namespace depscope::app
