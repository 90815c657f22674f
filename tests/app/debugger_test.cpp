// The debugger: moves in both directions, breakpoints, watches, lists, errors, completion; what a line gives in text and in JSON.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "debugger_situation.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kDiamond = sample_path("11_retained_diamond.py");

TEST(Debugger, StepsForwardAndBackward) {
  Situation s(kDiamond);
  const std::uint64_t at_start = s.cursor().state().digest();
  EXPECT_EQ(s.text("info").find("11_retained_diamond.py (RetainedDiamond): "), 0U);
  EXPECT_EQ(s.json("step 40")["position"], 40);
  EXPECT_THAT(s.text("step"), StartsWith("event 1 of "));
  s.go("to 40");
  const std::uint64_t at_40 = s.cursor().state().digest();
  s.go("step 100").go("back 90").go("back").go("back 9");
  EXPECT_EQ(s.cursor().position(), 40U);
  EXPECT_EQ(s.cursor().state().digest(), at_40);
  s.go("back 40");
  EXPECT_EQ(s.cursor().state().digest(), at_start);
  s.go("end").go("start");
  EXPECT_EQ(s.cursor().state().digest(), at_start);
  const json beyond = s.json("step 99999");
  EXPECT_EQ(beyond["moved"], false);
  EXPECT_EQ(beyond["position"], s.cursor().size());
  EXPECT_THAT(s.text("step 99999"), StartsWith("stopped at the end after " + std::to_string(s.cursor().size()) + " events\n"));
}

TEST(Debugger, NextAndPrevAreTheMovesOfTheCursor) {
  Situation s(kDiamond);
  const auto first = s.json("next kind=complete task=t0")["position"].get<std::uint32_t>();
  EXPECT_EQ(static_cast<runtime::EventKind>(s.recording().events.kind[first - 1]), runtime::EventKind::Complete);
  EXPECT_EQ(s.recording().events.subject[first - 1], 0U);
  EXPECT_EQ(s.json("prev kind=complete")["position"], first - 1) << "just before it";
  EXPECT_EQ(s.json("previous kind=submit task=t0")["moved"], true);
  s.go("start");
  EXPECT_THAT(s.error("prev kind=complete"), "there is no event with kind=complete before event 0");
  EXPECT_THAT(s.error("next kind=error"), "there is no event with kind=error after event 0");
}

/// Events at which one of the two breakpoints is hit, by looking at every event.
std::vector<std::uint32_t> hits(const recording::Recording& r) {
  std::vector<std::uint32_t> out;
  replay::Cursor cursor(r);
  std::uint32_t ready = 0;
  while (cursor.step()) {
    const std::uint32_t event = cursor.position() - 1;
    const std::uint32_t now = cursor.state().tasks_in_state[static_cast<std::size_t>(runtime::TaskState::Ready)];
    const bool consume = r.events.kind[event] == static_cast<std::uint8_t>(runtime::EventKind::Consume);
    if (consume || (ready < 2 && now >= 2)) out.push_back(event);
    ready = now;
  }
  return out;
}

TEST(Debugger, BreakpointsAreHitAtTheSameEventsInBothDirections) {
  Situation s(kDiamond);
  EXPECT_EQ(s.json("break tasks:ready >= 2")["breakpoint"]["number"], 1);
  s.text("break tasks:ready >= 2");
  s.go("break kind=consume");
  const std::vector<std::uint32_t> expected = hits(s.recording());
  ASSERT_GT(expected.size(), 12U);
  std::vector<std::uint32_t> forward;
  std::map<std::uint32_t, std::size_t> by_number;
  for (;;) {
    const json answer = s.json("continue");
    if (answer["breakpoint"].is_null()) break;
    EXPECT_EQ(answer["position"], answer["event"].get<std::uint32_t>() + 1);
    forward.push_back(answer["event"]);
    ++by_number[answer["breakpoint"]["number"].get<std::uint32_t>()];
  }
  EXPECT_EQ(forward, expected);
  EXPECT_EQ(by_number[2], 12U) << "tasks that are consumed";
  EXPECT_GT(by_number[1], 0U);
  std::vector<std::uint32_t> backward;
  for (;;) {
    const json answer = s.json("rc");
    if (answer["breakpoint"].is_null()) break;
    EXPECT_EQ(answer["position"], answer["event"]);
    backward.push_back(answer["event"]);
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(backward, expected);
  EXPECT_EQ(s.json("info")["position"], 0);
}

TEST(Debugger, BreakpointsHaveNumbersThatStay) {
  Situation s(kDiamond);
  EXPECT_EQ(s.text("break list"), "there is no breakpoint\n");
  s.go("break kind=error").go("break task:t3").go("br task:t1.need > 1").go("break delete 2");
  EXPECT_EQ(s.text("break list"), "1 kind=error\n3 task:t1.need > 1\n");
  EXPECT_EQ(s.json("break l")["breakpoints"][1], (json{{"number", 3}, {"text", "task:t1.need > 1"}}));
  s.go("break kind=ready");
  EXPECT_THAT(s.text("break list"), EndsWith("\n4 kind=ready\n"));
  EXPECT_EQ(s.error("break delete 2"), "there is no breakpoint 2");
  EXPECT_THAT(s.error("break delete"), HasSubstr("break delete N"));
  EXPECT_THAT(s.error("break"), HasSubstr("break COND"));
  EXPECT_THAT(s.error("break tasks:ready => 4"), HasSubstr("'=>' is no comparison"));
  EXPECT_THAT(s.error("break task:t99"), HasSubstr("there is no task 't99'"));
}

TEST(Debugger, UntilGoesOnUntilTheConditionHolds) {
  Situation s(kDiamond);
  const json there = s.json("until tasks:ready >= 2");
  s.text("until tasks:ready >= 2");
  const auto ready = [&] { return s.cursor().state().tasks_in_state[static_cast<std::size_t>(runtime::TaskState::Ready)]; };
  EXPECT_EQ(ready(), 2U);
  EXPECT_EQ(there["before"], "1");
  EXPECT_EQ(there["after"], "2");
  EXPECT_EQ(s.json("until tasks:ready >= 2")["moved"], false);
  EXPECT_THAT(s.text("until tasks:ready >= 2"), StartsWith("tasks:ready >= 2 holds already\n"));
  s.go("end");
  ASSERT_EQ(ready(), 0U);
  s.go("until back tasks:ready >= 2");
  EXPECT_EQ(ready(), 2U) << "backward too it holds where the move ends";
  const std::uint32_t position = s.cursor().position();
  s.go("step");
  EXPECT_LT(ready(), 2U) << "and it is the last such position";
  s.go("until back tasks:ready >= 2");
  EXPECT_EQ(s.cursor().position(), position);
  EXPECT_THAT(s.error("until tasks:ready >= 99"), HasSubstr("tasks:ready >= 99 does not come about after event "));
  EXPECT_THAT(s.error("until"), HasSubstr("until [back] COND"));
  EXPECT_THAT(s.error("until back"), HasSubstr("until [back] COND"));
}

class LongRun : public TemporaryFolder {
 protected:
  /// The diamond with many rounds: more events than are gone through between two looks at Ctrl+C.
  [[nodiscard]] std::string path() const {
    std::ifstream file(kDiamond);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::string rounds = "ROUNDS = 4\n";
    text.replace(text.find(rounds), rounds.size(), "ROUNDS = 1000\n");
    return write("rounds.py", text);
  }
};

TEST_F(LongRun, AMoveCanBeInterrupted) {
  const Situation made(path());
  ASSERT_GT(made.recording().events.rows(), 40000U);
  int asked = 0;
  Debugger debugger(made.recording(), {.interrupted = [&] { return ++asked == 2; }});
  EXPECT_EQ(debugger.execute("break tasks:ready >= 9999").error, "");
  EXPECT_THAT(debugger.execute("continue").text, StartsWith("interrupted\nevent "));
  EXPECT_EQ(asked, 2);
  const std::uint32_t position = debugger.cursor().position();
  EXPECT_GT(position, 0U);
  EXPECT_LT(position, debugger.cursor().size());
  EXPECT_THAT(debugger.execute("continue").text, StartsWith("no breakpoint was hit: this is the end\n")) << "it goes on";
  asked = 1;
  EXPECT_THAT(debugger.execute("until back tasks:ready >= 9999").text, StartsWith("interrupted\nevent "));
  EXPECT_LT(debugger.cursor().position(), debugger.cursor().size());
}

TEST(Debugger, WatchesAreShownAfterEachMoveWithTheirChange) {
  Situation s(kDiamond);
  EXPECT_EQ(s.text("watch task:t0"), "1 task:r2t0: unborn\n");
  s.json("watch task:t0");
  s.go("watch tasks:ready");
  EXPECT_THAT(s.text("next kind=ready"), EndsWith("\n  1 task:r2t0: unborn -> ready\n  2 tasks:ready: 0 -> 1\n"));
  const json watches = s.json("next kind=ready")["watches"];
  EXPECT_EQ(watches[0], (json{{"number", 1}, {"watch", "task:r2t0"}, {"value", "ready"}, {"before", "unborn"}}));
  EXPECT_THAT(s.text("step"), EndsWith("\n  1 task:r2t0: ready\n  2 tasks:ready: 1\n"));
  s.json("step");
  EXPECT_EQ(s.text("watch"), "1 task:r2t0: ready\n2 tasks:ready: 1\n");
  s.go("unwatch 1");
  EXPECT_EQ(s.text("watch"), "2 tasks:ready: 1\n");
  EXPECT_EQ(s.error("unwatch 1"), "there is no watch 1");
  EXPECT_THAT(s.error("watch nonsense"), HasSubstr("'nonsense' cannot be watched"));
}

TEST(Debugger, PrintsValuesTasksEdgesTensorsAndScopes) {
  Situation s(kDiamond);
  s.go("until task:t2 = pending").go("next kind=payload-init task=t2");
  EXPECT_EQ(s.text("print task:t2.need"), "task:r2t2.need: " + s.json("print task:t2.need")["value"].get<std::string>() + "\n");
  EXPECT_THAT(s.text("print t2"), HasSubstr("\n  after r2t0 make, ready: retain\n"));
  EXPECT_THAT(s.text("print join#0"), StartsWith("r2t2 join: pending, call 2 of main (line 73), iteration 0\n"));
  EXPECT_EQ(s.json("print t2")["producers"]["total"], 2);
  EXPECT_THAT(s.text("print t0->t2"),
              StartsWith("r2t0 make -> r2t2 join: discovered wait|retain, now retain, at the end retain\n"));
  EXPECT_EQ(s.json("print t0 -> t2")["edge"]["via"]["row"], 1);
  EXPECT_EQ(s.error("print t1->t3"), "there is no edge r2t1 halve -> r2t3 make");
  const json tensor = s.json("print tensor=out");
  EXPECT_EQ(tensor["name"], "out");
  EXPECT_EQ(tensor["accesses"]["total"], 4) << "one of each join";
  EXPECT_EQ(s.json("print out")["tensor"], tensor["tensor"]);
  EXPECT_EQ(tensor["accesses"]["accesses"][0]["in_map"], true);
  EXPECT_EQ(tensor["accesses"]["accesses"][1]["in_map"], false);
  const auto scope = std::to_string(s.recording().tasks.scope[0]);
  const json open = s.json("print scope=" + scope);
  EXPECT_EQ(open["state"], "open");
  EXPECT_EQ(open["tasks_in_state"]["pending"], 2);
  EXPECT_THAT(s.error("print 3"), HasSubstr("rite t3, tensor=3 or scope=3"));
  EXPECT_THAT(s.error("print nothing"), HasSubstr("'nothing' is neither a watch nor a task nor a tensor"));
  EXPECT_THAT(s.error("print scope=77"), HasSubstr("there is no scope '77'"));
}

TEST(Debugger, ListsTasksRingsHeapsAndTheTensorMap) {
  Situation s(kDiamond, {}, 3);
  s.go("until task:t5 = ready");
  const json tasks = s.json("tasks");
  for (const auto& [state, count] : tasks["tasks_in_state"].items()) {
    const json listed = s.json("tasks " + state)["tasks"];
    EXPECT_EQ(listed["total"], count);
    EXPECT_EQ(listed["tasks"].size(), std::min<std::size_t>(3, count)) << "no more than the limit";
  }
  s.go("start").go("next kind=run-end");
  EXPECT_THAT(s.text("tasks consumed"), EndsWith("\n  and 9 more consumed tasks\n"));
  EXPECT_EQ(s.text("tasks run"), "no task is running\n");
  EXPECT_THAT(s.error("tasks sleeping"), "'sleeping' is no state of tasks: unborn, pending, ready, running, completed, consumed");
  EXPECT_EQ(s.error("tasks co"), "'co' may be completed or consumed");
  EXPECT_THAT(s.text("heap"), EndsWith("\n  and 5 more allocations\n"));
  EXPECT_EQ(s.json("heap 2")["heaps"][0]["total"], 8);
  EXPECT_EQ(s.text("heap 0"), "nothing is allocated on the ring\n");
  EXPECT_EQ(s.error("heap 4"), "there is no ring 4: rings are numbered 0 to 3");
  EXPECT_THAT(s.text("rings"), StartsWith("ring 2: next 12, watermark 12"));
  EXPECT_EQ(s.json("rings")["rings"][2]["next"], 12);
  EXPECT_EQ(s.text("tensormap out"), "TensorMap: argument 2 out of r2t11 join\n");
  EXPECT_EQ(s.json("tensormap")["tensormap"]["total"], 1);
  EXPECT_EQ(s.text("tensormap x"), "no write of it is in the TensorMap\n");
  s.go("start");
  EXPECT_EQ(s.text("rings"), "no ring has a task yet\n");
  EXPECT_EQ(s.text("heap"), "nothing is allocated\n");
}

TEST(Debugger, ListMarksTheLastEvent) {
  Situation s(kDiamond);
  s.go("to 100");
  const json list = s.json("list 5")["list"];
  ASSERT_EQ(list.size(), 5U);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["event"], list[0]["event"].get<std::uint32_t>() + i);
    EXPECT_EQ(list[i]["current"], list[i]["event"] == 99);
  }
  EXPECT_EQ(list[2]["event"], 99) << "in the middle";
  EXPECT_THAT(s.text("list 5"), HasSubstr("\n=>     99  "));
  s.go("start");
  EXPECT_EQ(s.json("list 5")["list"][0]["event"], 0);
  EXPECT_EQ(s.text("list 5").find("=>"), std::string::npos) << "nothing has happened";
  s.go("end");
  EXPECT_EQ(s.json("list 5")["list"][4]["current"], true);
  EXPECT_THAT(s.text("list 50"), EndsWith("\n  and 30 more events: see --limit\n"));
}

TEST(Debugger, WordsMayBeShortened) {
  Situation s(kDiamond);
  EXPECT_EQ(s.json("ste 5")["position"], 5);
  EXPECT_EQ(s.json("bac")["position"], 4);
  s.go("start");
  EXPECT_EQ(s.error("st"), "'st' may be step or start");
  EXPECT_EQ(s.error("t"), "'t' may be to or tensormap or tasks");
  EXPECT_EQ(s.json("to 3")["position"], 3) << "a whole word is itself";
  EXPECT_EQ(s.json("rev")["position"], 0);
  s.go("start");
  EXPECT_EQ(s.error("jump"), "there is no command 'jump': help lists them");
  EXPECT_EQ(s.error("step two"), "'two' is no number: write step [N]");
  EXPECT_EQ(s.error("step -1"), "'-1' is no number: write step [N]");
  EXPECT_THAT(s.error("step 0"), HasSubstr("goes nowhere"));
  EXPECT_EQ(s.error("back"), "there is no event before event 0");
  EXPECT_EQ(s.error("start now"), "'now' is too much: write start");
  EXPECT_THAT(s.error("to 99999999"), HasSubstr("to 99999999: the recording has "));
  EXPECT_THAT(s.error("to"), HasSubstr("to where?"));
  for (const char* command : {"waits", "alive", "print", "why", "why t1", "why t1 t0 t2", "next", "prev colour=red"})
    EXPECT_NE(s.error(command), "") << command;
}

TEST(Debugger, CommentsAndBlankLinesSayNothing) {
  Situation s(kDiamond);
  Debugger debugger(s.recording(), {});
  EXPECT_EQ(debugger.execute("").text, "");
  EXPECT_EQ(debugger.execute("   # only a comment").text, "");
  const std::string text = debugger.execute("step 2  # two").text;
  EXPECT_EQ(text, debugger.where());
  EXPECT_THAT(text, StartsWith("event 2 of "));
  EXPECT_EQ(debugger.execute("waits halve#0").error, "") << "a name, no comment";
  EXPECT_EQ(debugger.execute("").text, "") << "repeats nothing unless asked to";
  EXPECT_TRUE(debugger.execute("quit").quit);
  EXPECT_FALSE(debugger.execute("step").quit);
}

TEST(Debugger, AnEmptyLineRepeatsTheLastMoveAtATerminal) {
  Situation s(kDiamond);
  Debugger debugger(s.recording(), {.repeat = true});
  EXPECT_EQ(debugger.execute("").text, "") << "there was none";
  debugger.execute("step 3");
  debugger.execute("");
  EXPECT_EQ(debugger.cursor().position(), 6U);
  debugger.execute("info");
  debugger.execute("");
  EXPECT_EQ(debugger.cursor().position(), 6U) << "info is no move";
  debugger.execute("back");
  debugger.execute("# a comment repeats nothing");
  EXPECT_EQ(debugger.cursor().position(), 5U);
}

TEST(Debugger, HelpListsEveryCommand) {
  Situation s(kDiamond);
  const json commands = s.json("help")["commands"];
  std::vector<std::string> names;
  for (const json& command : commands) names.push_back(command["name"]);
  EXPECT_THAT(names, ElementsAre("help", "step", "back", "next", "prev", "to", "start", "end", "break", "continue",
                                 "reverse-continue", "until", "watch", "unwatch", "print", "why", "waits", "alive", "rings",
                                 "heap", "tensormap", "list", "tasks", "info", "quit"));
  EXPECT_THAT(s.text("help"), HasSubstr("--stop-on-error"));
  for (const std::string& name : names) EXPECT_THAT(s.text("help " + name), StartsWith(name));
  EXPECT_EQ(s.error("help jump"), "there is no command 'jump': help lists them");
}

TEST(Debugger, CompletesWhatMayStandThere) {
  Situation s(kDiamond);
  const Debugger debugger(s.recording(), {});
  EXPECT_THAT(debugger.complete("re"), ElementsAre("reverse-continue"));
  EXPECT_THAT(debugger.complete("st"), ElementsAre("step", "start"));
  EXPECT_EQ(debugger.complete("").size(), 25U);
  EXPECT_THAT(debugger.complete("next k"), ElementsAre("kind="));
  EXPECT_THAT(debugger.complete("next kind=subm"), ElementsAre("kind=submit", "kind=submit-begin", "kind=submit-ignored"));
  EXPECT_THAT(debugger.complete("next kind=submit,cons"), ElementsAre("kind=submit,consume"));
  EXPECT_THAT(debugger.complete("next kind=complete task=r2t1"), ElementsAre("task=r2t1", "task=r2t10", "task=r2t11"));
  EXPECT_THAT(debugger.complete("break "), Contains("list"));
  EXPECT_THAT(debugger.complete("break tasks:re"), ElementsAre("tasks:ready"));
  EXPECT_THAT(debugger.complete("until back tasks:pen"), ElementsAre("tasks:pending"));
  EXPECT_THAT(debugger.complete("watch task:r2t0.own"), ElementsAre("task:r2t0.own_released"));
  EXPECT_THAT(debugger.complete("watch ring:2.heap_t"), ElementsAre("ring:2.heap_top", "ring:2.heap_tail"));
  EXPECT_THAT(debugger.complete("print edge:r2t0->"), ElementsAre("edge:r2t0->r2t1", "edge:r2t0->r2t2"));
  EXPECT_THAT(debugger.complete("print tensor=o"), ElementsAre("tensor=out"));
  EXPECT_THAT(debugger.complete("alive ou"), ElementsAre("out"));
  EXPECT_THAT(debugger.complete("wai r2t3"), ElementsAre("r2t3"));
  EXPECT_THAT(debugger.complete("tasks co"), ElementsAre("completed", "consumed"));
  EXPECT_THAT(debugger.complete("help tas"), ElementsAre("tasks"));
  EXPECT_THAT(debugger.complete("jump "), IsEmpty());
  EXPECT_THAT(debugger.complete("quit "), IsEmpty());
  // Whatever is offered for a watch is one.
  for (const std::string& watch : debugger.complete("watch task:r2t0."))
    EXPECT_EQ(s.error("watch " + watch + "x").empty(), false);
  for (const std::string& watch : debugger.complete("watch task:r2t0.")) s.go("watch " + watch);
}

class DebuggerScript : public TemporaryFolder {
 protected:
  [[nodiscard]] Outcome script(const std::string& text, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"replay", kDiamond, "--script", write("commands.txt", text)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
};

TEST_F(DebuggerScript, GoesOnAfterAnErrorAndSaysSoInTheEnd) {
  const Outcome good = script("step 3\n# nothing\n\nback\nquit\nstep\n");
  EXPECT_EQ(good.status, kDone) << good.err;
  EXPECT_THAT(good.out, StartsWith("(depscope) step 3\nevent 3 of "));
  EXPECT_THAT(good.out, EndsWith("\n(depscope) quit\n"));
  const Outcome bad = script("step 3\n# nothing\njump\nback\nwaits t99\nstep\n");
  EXPECT_EQ(bad.status, kBadInput);
  EXPECT_THAT(bad.err, HasSubstr("/commands.txt:3: there is no command 'jump': help lists them\n"));
  EXPECT_THAT(bad.err, HasSubstr("/commands.txt:5: there is no task 't99'"));
  EXPECT_THAT(bad.out, HasSubstr("(depscope) step\nevent 3 of "));
  const Outcome stopped = script("step 3\njump\nback\n", {"--stop-on-error"});
  EXPECT_EQ(stopped.status, kBadInput);
  EXPECT_THAT(stopped.out, EndsWith("(depscope) jump\n"));
}

TEST_F(DebuggerScript, AnswersEachCommandWithOneObject) {
  const Outcome o = script("step 3\n# nothing\njump\nwaits t1\ntasks unborn\n", {"--json", "--limit", "2"});
  EXPECT_EQ(o.status, kBadInput);
  std::vector<json> objects;
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  ASSERT_EQ(objects.size(), 4U);
  for (const json& object : objects) EXPECT_EQ(object["schema"], "depscope.replay/1");
  EXPECT_EQ(objects[0]["command"], "step 3");
  EXPECT_EQ(objects[0]["position"], 3);
  EXPECT_EQ(objects[1]["error"], "there is no command 'jump': help lists them");
  EXPECT_EQ(objects[1]["position"], 3);
  EXPECT_EQ(objects[2]["state"], "unborn");
  EXPECT_EQ(objects[3]["tasks"]["tasks"].size(), 2U);
}

TEST_F(DebuggerScript, BeginsWhereTheOptionsSay) {
  const Outcome o = script("info\n", {"--to", "50", "--move", "step 2", "--watch", "tasks:pending"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, HasSubstr("\nevent 52 of "));
  EXPECT_THAT(o.out, HasSubstr("\n  1 tasks:pending: "));
  for (const auto& [options, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--round-trip"}, "--round-trip does not go with --script"},
           {{"--task", "t0"}, "--task does not go with --script: use the commands waits and alive"},
           {{"--interactive"}, "--script and --interactive both say where commands come from: choose one"},
           {{"--to", "9999999"}, "--to 9999999: the recording has "},
           {{"--watch", "nothing"}, "--watch: 'nothing' cannot be watched"},
       }) {
    const Outcome refused = script("info\n", options);
    EXPECT_EQ(refused.status, kBadInput);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, StartsWith("depscope: error: " + message));
  }
  EXPECT_THAT(run_words({"replay", kDiamond, "--script", (folder_ / "none.txt").string()}).err,
              HasSubstr("--script: cannot open "));
  EXPECT_THAT(run_words({"replay", kDiamond, "--script", folder_.string()}).err, HasSubstr("--script: cannot open "));
  EXPECT_THAT(run_words({"replay", kDiamond, "--stop-on-error"}).err, HasSubstr("--stop-on-error belongs to --script"));
}

}  // namespace
}  // namespace depscope::app
