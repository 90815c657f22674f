// why, waits and alive of the debugger: what they say in situations whose answer is known from the program.
#include <algorithm>

#include "debugger_situation.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Rows = std::vector<std::uint32_t>;

OptionTexts analysed() {
  OptionTexts out;
  out.analyze_auto_scopes = "true";
  return out;
}
OptionTexts window(const std::string& slots) {
  OptionTexts out;
  out.ring_task_window = slots;
  return out;
}

// 11_retained_diamond: t0 make, t1 halve(t0), t2 join(t0, t1, out), t3 make, ...; join writes `out` in every round.
const std::string kDiamond = sample_path("11_retained_diamond.py");

TEST(DebuggerAnswers, CreatorEdgeIsWaitedFor) {
  Situation s(kDiamond);
  s.go("until task:t1 = pending").go("next kind=payload-init task=t1");
  const json why = s.json("why t1 t0");
  EXPECT_EQ(why["verdict"], "waits");
  EXPECT_EQ(why["consumer"]["row"], 1);
  EXPECT_EQ(why["producer"]["row"], 0);
  EXPECT_EQ(why["edge"]["provenance"], json({"creator"}));
  EXPECT_EQ(why["edge"]["reasons"][0]["hazards"], json::array());
  EXPECT_THAT(s.text("why t1 t0"), StartsWith("r2t1 halve waits for r2t0 make, which is ready\n"));
  EXPECT_THAT(s.text("why t1 t0"), HasSubstr("because the producer owns the buffer of argument 0 a (INPUT); gives wait|retain"));
  const json waits = s.json("waits t1");
  EXPECT_EQ(rows_of(waits["waits_for"]), Rows{0});
  EXPECT_EQ(waits["state"], "pending");
  EXPECT_EQ(s.text("waits r2t1"), "r2t1 halve is pending and waits for 1 task\n  r2t0 make, ready: creator edge\n");
}

TEST(DebuggerAnswers, ReadAfterWriteOfTheTensorMap) {
  // join of round 2 (t5) reads what join of round 1 (t2) has written: InOut after InOut.
  Situation s(kDiamond);
  s.go("until task:t5 = pending").go("next kind=payload-init task=t5");
  const json why = s.json("why t5 t2");
  EXPECT_EQ(why["verdict"], "waits");
  EXPECT_EQ(why["edge"]["provenance"], json({"tensormap"}));
  EXPECT_EQ(why["edge"]["reasons"][0]["hazards"], json({"RAW", "WAW"}));
  EXPECT_EQ(why["edge"]["now"], json({"wait"}));
  EXPECT_THAT(s.text("why t5 t2"), HasSubstr("the TensorMap: argument 2 out (INOUT), which covers the write of argument 2 out"));
  // The answer of the program stands behind it.
  EXPECT_EQ(why["program"]["edge"], true);
  EXPECT_THAT(s.text("why t5 t2"), HasSubstr("\nquestion  join (main:2, line 73)"));
}

TEST(DebuggerAnswers, CompilerEdgesForRawAndWar) {
  // scale (t0) writes acc, probe (t1) reads it, scale (t2) writes it again.
  Situation s(book_path("01-war-reader-then-writer"), analysed());
  s.go("until task:t2 = pending").go("next kind=payload-init task=t2");
  const json war = s.json("why t2 t1");
  EXPECT_EQ(war["verdict"], "waits");
  EXPECT_EQ(war["edge"]["provenance"], json({"compiler"}));
  EXPECT_EQ(war["edge"]["reasons"][0]["hazards"], json({"WAR"}));
  EXPECT_THAT(s.text("why t2 t1"), HasSubstr("because the compiler added it, for WAR on acc after call 1 probe (line 17)"));
  EXPECT_EQ(s.json("why t1 t0")["edge"]["reasons"][0]["hazards"], json({"RAW"}));
  EXPECT_EQ(rows_of(s.json("waits t2")["waits_for"]), Rows{1});
}

TEST(DebuggerAnswers, UserAndCompilerEdgesOfOneTask) {
  // blend (t2) names the first fill in deps=, the compiler adds the second.
  Situation s(book_path("47-user-and-compiler-edge-on-one-task"), analysed());
  s.go("until task:t2 = pending").go("next kind=payload-init task=t2");
  EXPECT_EQ(s.json("why t2 t0")["edge"]["provenance"], json({"user"}));
  EXPECT_THAT(s.text("why t2 t0"), HasSubstr("because the user named it in deps=; gives wait|retain"));
  EXPECT_EQ(s.json("why t2 t1")["edge"]["provenance"], json({"compiler"}));
  const json waits = s.json("waits t2");
  EXPECT_EQ(rows_of(waits["waits_for"]), (Rows{0, 1}));
  EXPECT_EQ(waits["total"], 2);
  EXPECT_EQ(waits["waits_for"][0]["provenance"], json({"user"}));
}

TEST(DebuggerAnswers, AProducerThatHasCompletedButNotReachedTheConsumer) {
  Situation s(book_path("47-user-and-compiler-edge-on-one-task"), analysed());
  s.go("next kind=complete task=t0");
  EXPECT_EQ(rows_of(s.json("waits t2")["waits_for"]), (Rows{0, 1}));
  EXPECT_THAT(s.text("waits t2"), HasSubstr("r1t0 fill, completed, but has not reached it in its list of consumers: user edge"));
  s.go("next kind=have-add task=t2");
  EXPECT_EQ(rows_of(s.json("waits t2")["waits_for"]), Rows{1});
  EXPECT_EQ(s.json("why t2 t0")["verdict"], "satisfied");
}

TEST(DebuggerAnswers, AnEdgeThatTheReductionTookTheWaitFrom) {
  Situation s(kDiamond);
  s.go("until task:t2 = pending").go("next kind=payload-init task=t2");
  const json why = s.json("why t2 t0");
  EXPECT_EQ(why["verdict"], "waits_through");
  EXPECT_EQ(rows_of(why["path"]), Rows{1});
  EXPECT_EQ(why["edge"]["discovered"], json({"wait", "retain"}));
  EXPECT_EQ(why["edge"]["now"], json({"retain"}));
  EXPECT_EQ(why["edge"]["via"]["row"], 1);
  EXPECT_LT(why["events"]["discovered"], why["events"]["reduced"]);
  EXPECT_THAT(s.text("why t2 t0"), StartsWith("r2t2 join waits for r2t0 make, but only by way of r2t1 halve\n"));
  EXPECT_EQ(rows_of(s.json("waits t2")["waits_for"]), Rows{1}) << "not t0";
  // RETAIN stays all the same.
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), ::testing::Contains("consumer"));
}

TEST(DebuggerAnswers, AnEdgeThatIsStillToBeFound) {
  Situation s(kDiamond);
  s.go("until task:t1 = pending");
  const json why = s.json("why t1 t0");
  EXPECT_EQ(why["verdict"], "not_found_yet");
  EXPECT_GE(why["events"]["discovered"], s.cursor().position());
  EXPECT_THAT(s.text("why t1 t0"), HasSubstr("now not discovered yet"));
}

class DebuggerTrace : public TemporaryFolder {};

TEST_F(DebuggerTrace, AnExplicitDependencyOfATraceHasNoOrigin) {
  const std::string task = R"("scope":"auto","early_dispatch":false,"kernel_ids":[-1,0,-1],"block_num":1,"args":[],)";
  const std::string path =
      write("two.trace.json", R"({"tasks":[{"task_id":"0",)" + task + R"("explicit_deps":[]},{"task_id":"1",)" + task +
                                  R"("explicit_deps":["0"]}]})");
  Situation s(path);
  s.go("until task:t1 = pending").go("next kind=payload-init task=t1");
  const json why = s.json("why t1 t0");
  EXPECT_EQ(why["verdict"], "waits");
  EXPECT_EQ(why["edge"]["provenance"], json({"explicit"}));
  EXPECT_THAT(s.text("why t1 t0"), HasSubstr("because an explicit dependency of the submit; gives "));
  EXPECT_FALSE(why.contains("program")) << "a trace has no calls";
  EXPECT_EQ(rows_of(s.json("waits t1")["waits_for"]), Rows{0});
}

TEST(DebuggerAnswers, AFenceStandsForManyProducers) {
  // make t0 to t3, barrier t4, use t5 to t8.
  Situation s(book_path("40-fan-in-replaced-by-barrier"));
  s.go("until task:t4 = pending").go("next kind=payload-init task=t4");
  EXPECT_EQ(rows_of(s.json("waits t4")["waits_for"]), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(s.json("why t4 t2")["edge"]["provenance"], json({"fence"}));
  s.go("until task:t5 = pending").go("next kind=payload-init task=t5");
  EXPECT_EQ(rows_of(s.json("waits t5")["waits_for"]), Rows{4});
  const json through = s.json("why t5 t0");
  EXPECT_EQ(through["verdict"], "waits_through");
  EXPECT_EQ(rows_of(through["path"]), Rows{4});
  EXPECT_FALSE(through.contains("edge"));
}

TEST(DebuggerAnswers, ADummyWaitsForNoCore) {
  Situation s(book_path("40-fan-in-replaced-by-barrier"));
  s.go("until task:t4 = ready");
  EXPECT_THAT(s.text("waits t4"), HasSubstr("r2t4 dummy is ready and waits for a scheduler to complete it"));
}

TEST(DebuggerAnswers, ReadyRunningAndCompletedTasksWaitForNoTask) {
  Situation s(kDiamond);
  s.go("until task:t0 = ready");
  EXPECT_THAT(s.text("waits t0"), StartsWith("r2t0 make is ready and waits for a core (event "));
  s.go("until task:t0 = running");
  EXPECT_THAT(s.text("waits t0"), ::testing::MatchesRegex("r2t0 make is running on core [0-9]+: it waits for nothing\n"));
  s.go("until task:t0 = completed");
  EXPECT_EQ(s.text("waits t0"), "r2t0 make is completed: it waits for nothing\n");
  EXPECT_THAT(rows_of(s.json("waits t0")["waits_for"]), IsEmpty());
  s.go("until task:t1 = ready");
  EXPECT_EQ(s.json("why t1 t0")["verdict"], "started");
}

TEST(DebuggerAnswers, AnAllocationIsCompletedAtOnce) {
  Situation s(sample_path("08_fused_mlp_war.py"));
  s.go("until task:t0 = completed");
  EXPECT_EQ(s.json("waits t0")["state"], "completed");
  EXPECT_THAT(s.text("waits t0"), HasSubstr("alloc is completed: it waits for nothing"));
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), ElementsAre("scope"));
}

TEST(DebuggerAnswers, PositionsBeforeTheSubmit) {
  Situation s(kDiamond);
  EXPECT_THAT(s.text("waits t7"), StartsWith("r2t7 halve is not submitted yet (event "));
  EXPECT_EQ(s.json("waits t7")["state"], "unborn");
  EXPECT_THAT(s.text("alive t7"), StartsWith("r2t7 halve is not submitted yet (event "));
  EXPECT_THAT(kinds_of(s.json("alive t7")["kept_by"]), IsEmpty());
  const json why = s.json("why t7 t6");
  EXPECT_EQ(why["verdict"], "not_submitted");
  s.go("to " + std::to_string(why["events"]["submitted"].get<std::uint32_t>()));
  EXPECT_EQ(s.json("waits t7")["state"], "unborn") << "just before the event that is named";
  s.go("step");
  EXPECT_EQ(s.json("waits t7")["state"], "pending") << "just after it";
}

TEST(DebuggerAnswers, NoEdgeAndTheWrongOrder) {
  Situation s(kDiamond);
  s.go("until task:t4 = pending").go("next kind=payload-init task=t4");
  EXPECT_EQ(s.json("why t4 t1")["verdict"], "no_edge");
  EXPECT_THAT(s.text("why t4 t1"), StartsWith("r2t4 halve does not wait for r2t1 halve: no edge, and no path"));
  EXPECT_EQ(s.json("why t1 t4")["verdict"], "later");
  EXPECT_THAT(s.error("why t4 r2t4"), HasSubstr("r2t4 halve does not wait for itself"));
}

TEST(DebuggerAnswers, KeptByItsScope) {
  Situation s(kDiamond);
  s.go("until task:t0 = pending").go("next kind=submit");
  const json alive = s.json("alive t0");
  ASSERT_THAT(kinds_of(alive["kept_by"]), ElementsAre("unfinished", "scope"));
  const auto scope = alive["kept_by"][1]["scope"].get<std::uint32_t>();
  EXPECT_EQ(scope, s.recording().tasks.scope[0]);
  EXPECT_THAT(s.text("alive t0"), HasSubstr("\n  scope s" + std::to_string(scope) + ", which has not ended for it\n"));
  s.go("next kind=scope-release task=t0");
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), Not(::testing::Contains("scope")));
}

TEST(DebuggerAnswers, KeptByAConsumerAfterItHasCompleted) {
  Situation s(kDiamond);
  s.go("until task:t1 = completed");
  const json alive = s.json("alive t0");
  EXPECT_EQ(alive["state"], "completed");
  std::vector<std::uint32_t> consumers;
  for (const json& holder : alive["kept_by"]) {
    EXPECT_EQ(holder["kind"], "consumer");
    consumers.push_back(holder["row"]);
  }
  EXPECT_EQ(consumers, (Rows{1, 2}));
  EXPECT_THAT(s.text("alive t0"), HasSubstr("\n  r2t2 join, pending: retain\n"));
  s.go("until task:t1.own_released = yes");
  EXPECT_EQ(rows_of(s.json("alive t0")["kept_by"]), Rows{2});
}

TEST(DebuggerAnswers, KeptByAnOlderTaskOfTheRing) {
  // The first task that is consumed while the watermark stands at an older one: the allocation, which all the others retain.
  Situation s(book_path("60-allocation-takes-a-slot"));
  bool found = false;
  while (!found && s.cursor().position() < s.cursor().size()) {
    s.go("step");
    for (std::uint32_t task = 1; task < s.recording().tasks.rows() && !found; ++task) {
      const auto holders = replay::holders_of(s.cursor(), task);
      found = holders.size() == 1 && holders[0].kind == replay::HolderKind::OlderTask && holders[0].task != recording::kNoRow;
      if (!found) continue;
      const std::string name = "t" + std::to_string(task);
      const json alive = s.json("alive " + name);
      EXPECT_EQ(alive["state"], "consumed");
      EXPECT_THAT(kinds_of(alive["kept_by"]), ElementsAre("older_task"));
      EXPECT_LT(alive["kept_by"][0]["row"], task);
      EXPECT_THAT(s.text("alive " + name), HasSubstr(": slots go back in order\n"));
    }
  }
  EXPECT_TRUE(found);
}

TEST(DebuggerAnswers, KeptByTheTailOfTheHeap) {
  Situation s(kDiamond);
  s.go("end");
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), ElementsAre("heap_tail"));
  EXPECT_EQ(s.text("alive t0"),
            "r2t0 make is consumed and kept by\n  the heap's tail: its bytes go back when the orchestrator looks for memory\n");
}

TEST(DebuggerAnswers, AFullWindowAndASlotThatIsUsedAgain) {
  Situation s(kDiamond, window("8"));
  s.go("next kind=block");
  const json info = s.json("info");
  EXPECT_EQ(info["orchestrator"]["waits_for"], "task_window");
  EXPECT_EQ(info["orchestrator"]["ring"], 2);
  EXPECT_EQ(info["orchestrator"]["in_use"], 7);
  EXPECT_EQ(info["orchestrator"]["oldest"]["row"], 0);
  EXPECT_THAT(s.text("waits t7"), HasSubstr("the orchestrator waits for a slot of the task window on ring 2: 7 in use, 1 asked "
                                            "for; the oldest task there is r2t0 make, ready"));
  s.go("next kind=unblock");
  EXPECT_FALSE(s.json("info").contains("orchestrator"));
  // Slot 0 goes to t8 (window of 8), while t0 has nothing left.
  s.go("until task:t8 = pending");
  const json alive = s.json("alive t0");
  EXPECT_EQ(alive["state"], "consumed");
  EXPECT_THAT(alive["kept_by"], IsEmpty());
  EXPECT_EQ(alive["slot_of"]["row"], 8);
  EXPECT_EQ(s.text("alive t0"), "r2t0 make is consumed, and its slot and bytes are given back; r2t8 join has slot 0 now\n");
}

TEST(DebuggerAnswers, ADeadlockOfAScopeThatIsTooLarge) {
  Situation s(book_path("58-manual-scope-overfills-window"), window("16"));
  s.go("end");
  const json info = s.json("info");
  EXPECT_THAT(info["orchestrator"]["error"].get<std::string>(), StartsWith("error "));
  EXPECT_EQ(info["findings"][0]["kind"], "deadlock");
  EXPECT_THAT(s.text("info"), HasSubstr("the orchestrator has ended with an error: "));
  EXPECT_THAT(s.text("info"), HasSubstr("deadlock: fill#15 does not fit"));
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), ::testing::Contains("scope"));
  EXPECT_EQ(s.error("waits t15"), "there is no task 't15': the recording has tasks rows 0 to 14");
}

TEST(DebuggerAnswers, TensorsLieInTheBufferOfTheirOwner) {
  Situation s(sample_path("08_fused_mlp_war.py"));
  s.go("until task:t2 = pending");
  const auto& t = s.recording().tensors;
  std::uint32_t own = recording::kNoRow;
  std::uint32_t outside = recording::kNoRow;
  for (std::uint32_t row = 0; row < t.rows(); ++row) (t.owner[row] == ~std::uint64_t{0} ? outside : own) = row;
  ASSERT_NE(own, recording::kNoRow);
  ASSERT_NE(outside, recording::kNoRow);
  const json alive = s.json("alive tensor=" + std::to_string(own));
  EXPECT_EQ(alive["owner"]["task"], std::to_string(t.owner[own]));
  EXPECT_THAT(alive["kept_by"], Not(IsEmpty()));
  EXPECT_THAT(s.text("alive tensor=" + std::to_string(own)), HasSubstr(") lies in the buffer of "));
  EXPECT_TRUE(s.json("alive tensor=" + std::to_string(outside))["owner"].is_null());
  EXPECT_THAT(s.text("alive tensor=" + std::to_string(outside)), HasSubstr(" is memory from outside"));
}

TEST(DebuggerAnswers, CallsOfTheProgramMayBeAskedToo) {
  Situation s(book_path("01-war-reader-then-writer"), analysed());
  const json why = s.json("why main:2 probe");
  EXPECT_FALSE(why.contains("verdict"));
  EXPECT_EQ(why["program"]["edge"], true);
  EXPECT_THAT(s.text("why main:2 probe"), StartsWith("question  probe (main:1, line 17) -> scale (main:2, line 18)\n"));
  EXPECT_THAT(s.error("why t0 nobody"), HasSubstr("'nobody' names no task"));
  EXPECT_THAT(s.error("why nobody else"), StartsWith("why else: nothing has that name (calls: "));
}

TEST(DebuggerAnswers, UnknownNamesAreOneSentence) {
  Situation s(kDiamond);
  EXPECT_EQ(s.error("waits t99"), "there is no task 't99': the recording has tasks rows 0 to 11");
  EXPECT_EQ(s.error("waits r1t3"), "there is no task 'r1t3': ring 1 has 0 tasks");
  EXPECT_THAT(s.error("alive zebra"), HasSubstr("'zebra' names neither a task nor a tensor"));
  EXPECT_THAT(s.error("alive make#9"), HasSubstr("'make#9' names no task"));
  EXPECT_THAT(s.error("alive tensor=zebra"), HasSubstr("no tensor is called 'zebra'"));
  EXPECT_EQ(s.json("alive halve#0")["row"], 1);
}

TEST(DebuggerAnswers, ASummaryAnswersFromWhatItHas) {
  OptionTexts summary;
  summary.events = "summary";
  Situation s(kDiamond, summary);
  s.go("until task:t2 = pending").go("next kind=submit");
  EXPECT_EQ(rows_of(s.json("waits t2")["waits_for"]), Rows{1});
  EXPECT_EQ(s.json("why t2 t0")["verdict"], "waits_through");
  s.go("end");
  EXPECT_THAT(kinds_of(s.json("alive t0")["kept_by"]), ElementsAre("heap_tail"));
  EXPECT_THAT(s.error("tensormap"), HasSubstr("the recording is a summary"));
  EXPECT_THAT(s.error("watch core:3"), HasSubstr("the recording is a summary"));
}

/// At every position of a run, whatever the task: what `waits` lists are exactly the producers whose WAIT is missing, counted
/// from the events alone; and `why` says "waits" for these and for no other pair.
TEST(DebuggerAnswers, WaitsAndWhyAgreeWithAPlainCountOfEvents) {
  Situation s(book_path("47-user-and-compiler-edge-on-one-task"), analysed());
  const recording::Recording& r = s.recording();
  std::vector<std::uint8_t> flags(r.edges.rows(), 0);
  std::vector<bool> counted(r.edges.rows(), false);
  std::size_t waited = 0;
  for (std::uint32_t event = 0; event < r.events.rows(); ++event) {
    const auto kind = static_cast<runtime::EventKind>(r.events.kind[event]);
    const std::uint32_t subject = r.events.subject[event];
    if (kind == runtime::EventKind::EdgeAdd || kind == runtime::EventKind::EdgeReduce)
      flags[subject] = static_cast<std::uint8_t>(r.events.new_value[event]);
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (kind == runtime::EventKind::WaitCount && r.edges.consumer[e] == subject &&
          r.edges.producer[e] == r.events.object[event])
        counted[e] = true;
    }
    s.go("step");
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
      Rows expected;
      for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
        const bool missing = r.edges.consumer[e] == task && (flags[e] & runtime::kWait) != 0 && !counted[e];
        if (missing) expected.push_back(r.edges.producer[e]);
        if (r.edges.consumer[e] != task) continue;
        const json why = s.json("why t" + std::to_string(task) + " t" + std::to_string(r.edges.producer[e]));
        EXPECT_EQ(why["verdict"] == "waits", missing) << "event " << event << why.dump();
        waited += missing ? 1 : 0;
      }
      EXPECT_EQ(rows_of(s.json("waits t" + std::to_string(task))["waits_for"]), expected) << "event " << event;
    }
  }
  EXPECT_GT(waited, 10U);
}

}  // namespace
}  // namespace depscope::app
