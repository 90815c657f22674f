// What a log says about a hang (artefacts.md 13.4).
#include "depscope/replay/artefacts/stall_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "log_text.h"

namespace depscope::replay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;
using runtime::ErrorClass;

RunLog read(std::string text) { return read_run_log(source_of(std::move(text))); }

std::string stall(int thread, int idle, const std::string& rest) {
  return "[STALL thread=" + std::to_string(thread) + " idle_iterations=" + std::to_string(idle) + "] " + rest + "\n";
}
std::string summary(int completed, int total) {
  return "SUMMARY completed=" + std::to_string(completed) + "/" + std::to_string(total) +
         " last_progress_iteration=0 scan_ready=0 scan_waiting=1 scan_running=0";
}
std::string gives_up(const std::string& sub_class, const std::string& stuck = "stuck_task_id=-1 stuck_core=-1") {
  return "TIMEOUT_EXIT after_idle_iterations=20 sub_class=" + sub_class +
         " completed=1/3 running=0 ready=0 waiting=2 orch_done=0 " + stuck;
}
std::string waits(std::uint64_t task, const std::string& state = "WAIT   ") {
  return "TASK ring=1 task_id=" + std::to_string(task) + " state=" + state +
         " fanin_refcount=0/1 kernels=[aic:-1 aiv0:0 aiv1:-1] missing_deps=1";
}
std::string echo(const std::string& sub_class, int completed, const std::string& stuck) {
  return "PTO2 scheduler timeout sub_class=" + sub_class + " (detail=4) completed=" + std::to_string(completed) + "/3 " + stuck +
         "\n";
}

TEST(StallReportTest, TheSample) {
  const RunLog log = read(sample_text("logs/device_stall.log"));
  const std::vector<StallReport> reports = stall_reports(log);
  ASSERT_EQ(reports.size(), 1U);
  const StallReport& r = reports.front();
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.error_class, ErrorClass::S1);
  EXPECT_EQ(r.stuck_task, 4'294'967'298U);
  EXPECT_EQ(r.stuck_core, 0);
  EXPECT_EQ(r.progress, StallProgress::None);
  EXPECT_EQ(r.rounds, 2U);
  EXPECT_EQ(r.idle_iterations, 960'000U);
  EXPECT_THAT(r.running_tasks, ElementsAre(0U));
  EXPECT_THAT(r.waiting_tasks, ElementsAre(1U));
  EXPECT_THAT(r.ready_tasks, IsEmpty());
  EXPECT_THAT(r.contradicting_cores, IsEmpty());
  EXPECT_THAT(r.stuck_cores, ElementsAre(0U));

  EXPECT_THAT(
      stall_sentences(log, r),
      ElementsAre("the run made no progress and was given up: S1:running-stalled, stuck at task r1t2 (4294967298) on core 0",
                  "a task has a core and does not end: its kernel hangs, or waits for what never comes",
                  "3 of 7 tasks were done; 1 ran, 0 were ready, 2 waited; the orchestrator had submitted everything",
                  "running: r1t2 with 3 of 3 dependencies met on core 0 (aic)",
                  "waiting: r1t3 with 1 of 2 dependencies met, 1 missing",
                  "where it is stuck: core 0 (aic) is busy with r1t2, and its register says \"ack\"",
                  "no task completed in 2 rounds: 3 each time",
                  "the lists of tasks and cores are capped: what is not in them may be there all the same"));

  const std::vector<StallFinding> findings = stall_findings(log, reports);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "runtime_error");
  EXPECT_EQ(findings[0].severity, Severity::Error);
  EXPECT_EQ(findings[0].line, 6U);
  EXPECT_EQ(
      findings[0].summary,
      "the run made no progress and was given up: S1:running-stalled, stuck at task r1t2 (4294967298) on core 0; a task has "
      "a core and does not end: its kernel hangs, or waits for what never comes (error 100, scheduler timeout)");
  EXPECT_EQ(Json::parse(findings[0].fields), Json::parse(R"({
    "error_code": 100, "at": {"task": "4294967298"}, "class": "running-stalled", "sub_class": "S1:running-stalled",
    "detail": null, "core": 0, "completed": 3, "total": 7, "running": 1, "ready": 0, "waiting": 2, "orchestrator_done": true,
    "progress": "none", "rounds": 2, "idle_iterations": 960000,
    "running_tasks": [{"task": "4294967298", "fanin_done": 3, "fanin": 3, "missing": null, "cores": [0]}],
    "ready_tasks": [],
    "waiting_tasks": [{"task": "4294967299", "fanin_done": 1, "fanin": 2, "missing": 1, "cores": []}],
    "contradicting_cores": [], "lists_capped": true})"));
}

TEST(StallReportTest, TasksThatWaitForEachOtherAreADeadlock) {
  const RunLog log = read(stall(0, 10, waits(8'589'934'593U)) + stall(0, 10, summary(1, 3)) +
                          stall(0, 20, gives_up("S4:dependency-deadlock", "stuck_task_id=8589934593 stuck_core=-1")));
  const auto findings = stall_findings(log, stall_reports(log));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "deadlock");
  const Json fields = Json::parse(findings[0].fields);
  EXPECT_EQ(fields["resource"], nullptr);
  EXPECT_EQ(fields["ring"], 2);
  EXPECT_EQ(fields["error_code"], 100);
  EXPECT_EQ(fields["class"], "dependency-deadlock");
  EXPECT_EQ(fields["at"], Json::parse(R"({"task": "8589934593"})"));
  EXPECT_EQ(fields["core"], nullptr);
  EXPECT_EQ(fields["orchestrator_done"], false);
}

TEST(StallReportTest, ClassesAndTheirMeaning) {
  for (const auto& [printed, error_class, words] :
       {std::tuple("S3:ready-but-all-idle", ErrorClass::S3, "no scheduler starts it"),
        std::tuple("S5:orchestrator-starvation", ErrorClass::S5, "orchestrator has not"),
        std::tuple("unknown:accounting/corruption", ErrorClass::Unknown, "counts are wrong"),
        std::tuple("S9:new", ErrorClass::Unknown, "counts are wrong"), std::tuple("none", ErrorClass::None, "nobody said why")}) {
    const RunLog log = read(stall(0, 20, gives_up(printed)));
    const auto reports = stall_reports(log);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].error_class, error_class) << printed;
    EXPECT_EQ(reports[0].sub_class, printed);
    const auto findings = stall_findings(log, reports);
    EXPECT_EQ(findings[0].kind, "runtime_error");
    EXPECT_THAT(findings[0].summary, HasSubstr(words));
    EXPECT_EQ(Json::parse(findings[0].fields)["at"], nullptr);
  }
}

TEST(StallReportTest, ProgressBetweenRounds) {
  const RunLog moved = read(stall(0, 10, summary(1, 9)) + stall(0, 20, summary(4, 9)) + stall(0, 30, summary(4, 9)));
  const auto reports = stall_reports(moved);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].progress, StallProgress::Moved);
  EXPECT_FALSE(reports[0].timed_out);
  EXPECT_THAT(stall_sentences(moved, reports[0]),
              Contains("1 tasks were done in the first round and 4 in the last: something went on meanwhile"));
  const auto findings = stall_findings(moved, reports);
  EXPECT_EQ(findings[0].severity, Severity::Warning);
  EXPECT_THAT(findings[0].summary, HasSubstr("does not say that they gave up"));
  EXPECT_EQ(Json::parse(findings[0].fields)["error_code"], nullptr);
  EXPECT_EQ(Json::parse(findings[0].fields)["progress"], "moved");

  const RunLog once = read(stall(0, 10, summary(1, 9)));
  EXPECT_EQ(stall_reports(once)[0].progress, StallProgress::Unknown);
  EXPECT_THAT(stall_sentences(once, stall_reports(once)[0]), Contains(HasSubstr("was not told twice")));
}

TEST(StallReportTest, WhereTasksCompletedOnlyTheLastRoundTellsWhatIsLeft) {
  const std::string tasks = stall(0, 10, waits(5)) + stall(0, 10, summary(1, 9)) + stall(0, 20, waits(6));
  EXPECT_THAT(stall_reports(read(tasks + stall(0, 20, summary(1, 9)))).at(0).waiting_tasks, ElementsAre(0U, 1U));
  EXPECT_THAT(stall_reports(read(tasks + stall(0, 20, summary(2, 9)))).at(0).waiting_tasks, ElementsAre(1U));
}

TEST(StallReportTest, TasksAndCoresAreToldAsTheyWereLast) {
  const RunLog log =
      read(stall(0, 10, waits(5)) + stall(0, 10, waits(4)) +
           stall(0, 10, "CLUSTER cluster_id=0 aic=core0(busy kernel=1 task=4 cond_reg_state=ack ANOMALY) aiv0=core1(idle)") +
           stall(0, 20, waits(5, "READY  ")) +
           stall(0, 20,
                 "CLUSTER cluster_id=0 aic=core0(busy kernel=1 task=4 cond_reg_state=ack) "
                 "aiv0=core1(busy kernel=2 task=5 cond_reg_state=fin ANOMALY)"));
  const StallReport r = stall_reports(log).at(0);
  EXPECT_THAT(r.waiting_tasks, ElementsAre(1U));
  EXPECT_THAT(r.ready_tasks, ElementsAre(2U));
  EXPECT_THAT(r.contradicting_cores, ElementsAre(3U));
  EXPECT_THAT(stall_sentences(log, r),
              Contains("cores whose register does not fit what the scheduler has of them: core 1 (aiv0) is busy with t5, and its "
                       "register says \"fin\""));
  const Json fields = Json::parse(stall_findings(log, {r})[0].fields);
  EXPECT_EQ(fields["contradicting_cores"],
            Json::parse(R"([{"core": 1, "slot": "aiv0", "busy": true, "task": "5", "register": "fin"}])"));
}

TEST(StallReportTest, TheHostsEchoAddsToTheHangThatItIsOf) {
  const std::string stuck = "stuck_task_id=9 stuck_core=-1";
  const std::string device = stall(0, 10, summary(1, 3)) + stall(0, 20, gives_up("S4:dependency-deadlock", stuck));
  const RunLog both = read(device + echo("S4:dependency-deadlock", 1, stuck));
  ASSERT_EQ(stall_reports(both).size(), 1U);
  EXPECT_EQ(stall_reports(both)[0].detail, 4);
  const RunLog other = read(device + echo("S4:dependency-deadlock", 1, "stuck_task_id=10 stuck_core=-1"));
  EXPECT_EQ(stall_reports(other).size(), 2U);

  // Threads whose end is not told: the host's line is of that hang if it agrees.
  const RunLog open = read(stall(0, 10, summary(1, 3)) + echo("S1:running-stalled", 1, "stuck_task_id=9 stuck_core=2"));
  const auto joined = stall_reports(open);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_TRUE(joined[0].timed_out);
  EXPECT_EQ(joined[0].stuck_core, 2);
  EXPECT_EQ(stall_reports(read(stall(0, 10, summary(1, 3)) + echo("S1:running-stalled", 2, stuck))).size(), 2U);

  const RunLog alone = read(echo("S4:dependency-deadlock", 2, stuck) + echo("S4:dependency-deadlock", 2, stuck));
  const auto reports = stall_reports(alone);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].completed, 2);
  EXPECT_EQ(reports[0].total, 3);
  EXPECT_EQ(reports[0].line, 1U);
  EXPECT_THAT(stall_sentences(alone, reports[0]), Not(Contains(HasSubstr("capped"))));
}

TEST(StallReportTest, ManyTasksAreCountedAndAnyBytesGiveJson) {
  std::string text;
  for (std::uint64_t task = 0; task < 300; ++task) text += stall(0, 10, waits(task));
  text += stall(0, 20, gives_up("\xff\"\\\x01odd" + std::string(100, 'x')));
  const RunLog log = read(text);
  const auto reports = stall_reports(log);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_THAT(stall_sentences(log, reports[0]), Contains(HasSubstr(", and 292 more")));
  const auto findings = stall_findings(log, reports);
  const Json fields = Json::parse(findings[0].fields);
  EXPECT_EQ(fields["waiting_tasks"].size(), 256U);
  EXPECT_EQ(fields["waiting_tasks_left_out"], 44);
  EXPECT_EQ(fields["sub_class"], "?\"\\?odd" + std::string(57, 'x'));
}

TEST(StallReportTest, EveryBeginningOfTheSample) {
  const std::string text = sample_text("logs/device_stall.log");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const RunLog log = read(text.substr(0, size));
    const auto reports = stall_reports(log);
    ASSERT_LE(reports.size(), 1U);
    for (const StallFinding& f : stall_findings(log, reports)) ASSERT_TRUE(Json::accept(f.fields)) << f.fields;
    for (const StallReport& r : reports) ASSERT_FALSE(stall_sentences(log, r).empty());
  }
}

}  // namespace
}  // namespace depscope::replay
