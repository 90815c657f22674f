// Logs of runs as tables (artefacts.md 13).
#include "depscope/replay/artefacts/run_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_text.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;

RunLog read(std::string text) { return read_run_log(source_of(std::move(text))); }

std::string attribute(const RunLog& log, std::uint32_t span, std::uint32_t index) {
  const std::uint32_t row = log.spans.first_attribute[span] + index;
  return std::string(log.text(log.attributes.key[row])) + "=" + std::string(log.text(log.attributes.value[row]));
}

TEST(RunLogTest, TheSampleHasTwoInvocations) {
  const RunLog log = read(sample_text("logs/run.log"));
  EXPECT_EQ(log.lines, 17U);
  EXPECT_EQ(log.open_line, 0U);
  EXPECT_THAT(log.anchors.pid, ElementsAre(77U));
  EXPECT_THAT(log.anchors.mono, ElementsAre(1'000U));
  EXPECT_THAT(log.anchors.wall, ElementsAre(1'790'000'000'000'000'000U));
  ASSERT_EQ(log.spans.rows(), 16U);
  EXPECT_EQ(log.torn_spans.count, 0U);
  EXPECT_EQ(log.torn_others.count, 0U);

  EXPECT_EQ(log.spans.tid[0], 77U);
  EXPECT_EQ(log.spans.inv[0], 1U);
  EXPECT_EQ(log.text(log.spans.hid[0]), "abcdef12");
  EXPECT_EQ(log.spans.depth[0], 2U);
  EXPECT_EQ(log.text(log.spans.name[0]), "chip.run.bind.args");
  EXPECT_EQ(log.spans.ts[0], 11'000U);
  EXPECT_EQ(log.spans.dur[0], 2'000U);
  EXPECT_EQ(log.spans.mono[0], 13'000U);
  EXPECT_EQ(log.spans.line[0], 2U);
  EXPECT_EQ(log.spans.device[0], 0U);
  EXPECT_EQ(attribute(log, 0, 0), "ntensor=2");
  EXPECT_EQ(log.spans.first_attribute[1], log.spans.first_attribute[2]);  // chip.run.bind has none

  EXPECT_EQ(log.text(log.spans.name[2]), "chip.run.runner_run.device_wall.orch");
  EXPECT_EQ(log.spans.device[2], 1U);
  EXPECT_EQ(log.text(log.spans.name[15]), "chip.run");
  EXPECT_EQ(log.spans.first_attribute[16] - log.spans.first_attribute[15], 5U);
  EXPECT_EQ(attribute(log, 15, 2), "run_epoch=2");
}

TEST(RunLogTest, WallTimesFollowTheLatestAnchorOfTheProcess) {
  const RunLog sample = read(sample_text("logs/run.log"));
  const WallClock clock(sample);
  EXPECT_EQ(clock.at(77, 11'000), 1'790'000'000'000'010'000U);
  EXPECT_EQ(clock.at(77, 1'000), 1'790'000'000'000'000'000U);
  EXPECT_EQ(clock.at(77, 999), std::nullopt);  // older than the anchor
  EXPECT_EQ(clock.at(78, 11'000), std::nullopt);

  const RunLog several = read(
      "[CLOCK_ANCHOR] v=1 pid=2 mono_ns=500 wall_ns=9000\n"
      "[CLOCK_ANCHOR] v=1 pid=1 mono_ns=100 wall_ns=1000\r\n"
      "[CLOCK_ANCHOR] v=1 pid=1 mono_ns=200 wall_ns=5000\n"
      "[CLOCK_ANCHOR] v=1 pid=3 mono_ns=0 wall_ns=18446744073709551615\n"
      "[CLOCK_ANCHOR] v=1 pid=3 mono_ns=0\n"
      "[CLOCK_ANCHOR] v=2 pid=3 mono_ns=0 wall_ns=0\n");
  EXPECT_EQ(several.anchors.rows(), 4U);
  EXPECT_EQ(several.torn_others.count, 1U);
  EXPECT_EQ(several.torn_others.first_line, 5U);
  const WallClock by_process(several);
  EXPECT_EQ(by_process.at(1, 199), 1'099U);
  EXPECT_EQ(by_process.at(1, 201), 5'001U);
  EXPECT_EQ(by_process.at(2, 501), 9'001U);
  EXPECT_EQ(by_process.at(3, 0), 18'446'744'073'709'551'615U);
  EXPECT_EQ(by_process.at(3, 1), std::nullopt);  // beyond 64 bits
}

TEST(RunLogTest, RecordsMayStandAnywhereAndShareALine) {
  const RunLog log = read("noise \xff\xfe " + span_record(1, 0, "a", 1, 2, "k=v") +
                          "[mono_ns=5][T0x1][TIMING] f: " + span_record(2, 0, "b", 3, 4) + "\r\nnothing here\n\n\r\n");
  ASSERT_EQ(log.spans.rows(), 2U);
  EXPECT_EQ(attribute(log, 0, 0), "k=v");
  EXPECT_EQ(log.spans.mono[0], kNoLogTime);
  EXPECT_EQ(log.spans.mono[1], 5U);
  EXPECT_EQ(log.spans.dur[1], 4U);
  EXPECT_EQ(log.lines, 4U);
}

TEST(RunLogTest, AttributesAreDecodedAndCutsAreTold) {
  const RunLog log =
      read(span_record(1, 0, "a%2Eb", 1, 2, "text=x%20y%3d pct=100% half=%4 lone word odd=%zz tilde=a%7E") + "\n" +
           span_record(1, 0, "c", 1, 2, "k=1 long=abc~") + "\n" + span_record(1, 0, "d~", 1, 2, "ts=9 ke~") + "\n");
  ASSERT_EQ(log.spans.rows(), 3U);
  EXPECT_EQ(log.text(log.spans.name[0]), "a.b");
  EXPECT_EQ(attribute(log, 0, 0), "text=x y=");
  EXPECT_EQ(attribute(log, 0, 1), "pct=100%");
  EXPECT_EQ(attribute(log, 0, 2), "half=%4");
  EXPECT_EQ(attribute(log, 0, 3), "odd=%zz");
  EXPECT_EQ(attribute(log, 0, 4), "tilde=a~");
  EXPECT_EQ(log.spans.first_attribute[1], 5U);
  EXPECT_THAT(log.spans.cut, ElementsAre(0, 1, 1));
  EXPECT_EQ(attribute(log, 1, 1), "long=abc");
  EXPECT_EQ(log.text(log.spans.name[2]), "d");
  EXPECT_EQ(log.spans.ts[2], 1U);  // the second one is an attribute
  EXPECT_EQ(attribute(log, 2, 0), "ts=9");
  EXPECT_EQ(attribute(log, 2, 1), "ke=");
}

TEST(RunLogTest, TornSpansAreCountedWithTheLineOfTheFirst) {
  const RunLog log = read("one\n[STRACE] v=1 pid=7 tid=8 in" + span_record(1, 0, "a", 1, 2) +
                          "\n[STRACE] v=1 pid=7 tid=8 inv=1 hid=xyz depth=0 name=a ts=1 dur=2\n"
                          "[STRACE] v=1 pid=7 tid=8 inv=1 hid=ab depth=0 name=a ts=1 dur=2x\n"
                          "[STRACE] v=1 pid=7 tid=8 inv=1 hid=ab depth=0 name= ts=1 dur=2\n"
                          "[STRACE] v=1 pid=7 tid=8 inv=99999999999999999999 hid=ab depth=0 name=a ts=1 dur=2\n"
                          "[STRACE] v=1 pid=7 tid=8 inv=1 hid=ab depth=4294967296 name=a ts=1 dur=2\n"
                          "[STRACE] v=2 pid=7 tid=8 inv=1 hid=ab depth=0 name=a ts=1 dur=2\n");
  EXPECT_EQ(log.spans.rows(), 1U);
  EXPECT_EQ(read(span_record(1, 0, "a", 1, 2, "", "0xAB") + "\n").spans.rows(), 1U);
  EXPECT_EQ(read(span_record(1, 0, "a", 1, 2, "", "0x") + "\n").spans.rows(), 0U);
  EXPECT_EQ(log.torn_spans.count, 6U);
  EXPECT_EQ(log.torn_spans.first_line, 2U);
  EXPECT_EQ(log.other_spans.count, 1U);
  EXPECT_EQ(log.other_spans.first_line, 8U);
  EXPECT_EQ(log.spans.first_attribute.size(), 2U);
}

TEST(RunLogTest, TheSampleOfAHang) {
  const RunLog log = read(sample_text("logs/device_stall.log"));
  EXPECT_EQ(log.torn_stalls.count, 0U);
  EXPECT_THAT(log.thread_times.thread, ElementsAre(1U));
  EXPECT_THAT(log.thread_times.orchestrator, ElementsAre(0));
  EXPECT_THAT(log.thread_times.start, ElementsAre(1'000'000'190U));
  EXPECT_THAT(log.thread_times.end, ElementsAre(1'000'003'070U));
  EXPECT_THAT(log.thread_times.cost, ElementsAre(57'600U));

  EXPECT_THAT(log.stall_rounds.idle_iterations, ElementsAre(480'000U, 960'000U));
  EXPECT_THAT(log.stall_rounds.hang, ElementsAre(0U, 0U));
  const auto& tasks = log.stall_tasks;
  EXPECT_THAT(tasks.task, ElementsAre(4'294'967'298U, 4'294'967'299U));
  EXPECT_EQ(log.text(tasks.state[0]), "RUNNING");
  EXPECT_EQ(log.text(tasks.state[1]), "WAIT");
  EXPECT_THAT(tasks.fanin_done, ElementsAre(3, 1));
  EXPECT_THAT(tasks.fanin, ElementsAre(3, 2));
  EXPECT_THAT(tasks.kernels[0], ElementsAre(2, 3, -1));
  EXPECT_THAT(tasks.kernels[1], ElementsAre(-1, -1, -1));
  EXPECT_THAT(tasks.missing_deps, ElementsAre(kNotLogged, 1));
  EXPECT_THAT(tasks.owner_thread, ElementsAre(0, kNotLogged));
  EXPECT_THAT(tasks.first_core, ElementsAre(0U, 1U, 1U));
  EXPECT_THAT(log.task_cores.core, ElementsAre(0U));
  EXPECT_EQ(log.text(log.task_cores.slot[0]), "aic");

  const auto& summaries = log.stall_summaries;
  ASSERT_EQ(summaries.rows(), 1U);
  EXPECT_EQ(summaries.completed[0], 3);
  EXPECT_EQ(summaries.total[0], 7);
  EXPECT_EQ(summaries.last_progress_iteration[0], 12);
  EXPECT_EQ(summaries.ready[0], 0);
  EXPECT_EQ(summaries.waiting[0], 2);
  EXPECT_EQ(summaries.running[0], 1);

  const auto& cores = log.stall_cores;
  EXPECT_THAT(cores.core, ElementsAre(0, 1, 2));
  EXPECT_THAT(cores.cluster, ElementsAre(0, 0, 0));
  EXPECT_THAT(cores.busy, ElementsAre(1, 0, 0));
  EXPECT_THAT(cores.anomaly, ElementsAre(0, 0, 0));
  EXPECT_THAT(cores.kernel, ElementsAre(2, kNotLogged, kNotLogged));
  EXPECT_THAT(cores.task, ElementsAre(4'294'967'298U, kNoLogTask, kNoLogTask));
  EXPECT_EQ(log.text(cores.slot[2]), "aiv1");
  EXPECT_EQ(log.text(cores.cond_reg_state[0]), "ack");

  const auto& exits = log.timeouts;
  ASSERT_EQ(exits.rows(), 1U);
  EXPECT_EQ(log.text(exits.sub_class[0]), "S1:running-stalled");
  EXPECT_EQ(exits.host[0], 0U);
  EXPECT_EQ(exits.round[0], 1U);
  EXPECT_EQ(exits.completed[0], 3);
  EXPECT_EQ(exits.running[0], 1);
  EXPECT_EQ(exits.waiting[0], 2);
  EXPECT_EQ(exits.orch_done[0], 1);
  EXPECT_EQ(exits.stuck_task[0], 4'294'967'298U);
  EXPECT_EQ(exits.stuck_core[0], 0);
  EXPECT_EQ(exits.line[0], 6U);
}

TEST(RunLogTest, RoundsCountAnewWhereIterationsDo) {
  const auto summary = [](int thread, int idle) {
    return "[STALL thread=" + std::to_string(thread) + " idle_iterations=" + std::to_string(idle) +
           "] SUMMARY completed=1/2 last_progress_iteration=0 scan_ready=0 scan_waiting=1 scan_running=0\n";
  };
  const std::string gives_up =
      "[STALL thread=0 idle_iterations=20] TIMEOUT_EXIT after_idle_iterations=20 sub_class=none completed=1/2 running=0 ready=0 "
      "waiting=1 orch_done=0 stuck_task_id=-1 stuck_core=-1\n";
  const RunLog log =
      read(summary(0, 10) + summary(1, 10) + summary(0, 20) + summary(1, 20) + summary(0, 10) + gives_up + gives_up);
  EXPECT_THAT(log.stall_rounds.idle_iterations, ElementsAre(10U, 20U, 10U, 20U, 20U));
  EXPECT_THAT(log.stall_rounds.hang, ElementsAre(0U, 0U, 1U, 1U, 2U));
  EXPECT_THAT(log.stall_summaries.round, ElementsAre(0U, 0U, 1U, 1U, 2U));
  EXPECT_THAT(log.timeouts.round, ElementsAre(3U, 4U));
  EXPECT_THAT(log.timeouts.stuck_task, ElementsAre(kNoLogTask, kNoLogTask));
  EXPECT_EQ(log.torn_stalls.count, 0U);
}

TEST(RunLogTest, SeveralCoresAnomaliesAndNegativeIds) {
  const RunLog log = read(
      "x [STALL thread=2 idle_iterations=1] TASK ring=3 task_id=-9223372036854775807 state=READY   fanin_refcount=2/2 "
      "kernels=[aic:-1 aiv0:4 aiv1:4] running_on=[owner_thread=1 cores=[core=3(aiv0) core=4(aiv1)]]\n"
      "[STALL thread=2 idle_iterations=1] CLUSTER cluster_id=1 aic=core9(busy kernel=5 task=-1 cond_reg_state=fin ANOMALY) "
      "aiv0=core10(idle kernel=6 task=7 cond_reg_state=ack [ANOMALY])\n"
      "[STALL thread=2 idle_iterations=1] LATER what=ever\n");
  ASSERT_EQ(log.stall_tasks.rows(), 1U);
  EXPECT_EQ(log.stall_tasks.task[0], 0x8000000000000001U);
  EXPECT_THAT(log.task_cores.core, ElementsAre(3U, 4U));
  EXPECT_EQ(log.stall_tasks.owner_thread[0], 1);
  EXPECT_THAT(log.stall_cores.anomaly, ElementsAre(1, 1));
  EXPECT_THAT(log.stall_cores.busy, ElementsAre(1, 0));
  EXPECT_THAT(log.stall_cores.core, ElementsAre(9, 10));
  EXPECT_THAT(log.stall_cores.task, ElementsAre(kNoLogTask, 7U));
  EXPECT_EQ(log.torn_stalls.count, 0U);
}

TEST(RunLogTest, TheHostsEcho) {
  const RunLog log = read(
      "[mono_ns=12][T0x1][ERROR] run: PTO2 scheduler timeout sub_class=S4:dependency-deadlock (detail=4) completed=3/7 "
      "stuck_task_id=4294967299 stuck_core=-1\n");
  ASSERT_EQ(log.timeouts.rows(), 1U);
  EXPECT_EQ(log.timeouts.host[0], 1U);
  EXPECT_EQ(log.text(log.timeouts.sub_class[0]), "S4:dependency-deadlock");
  EXPECT_EQ(log.timeouts.detail[0], 4);
  EXPECT_EQ(log.timeouts.total[0], 7);
  EXPECT_EQ(log.timeouts.stuck_core[0], kNotLogged);
  EXPECT_EQ(log.timeouts.mono[0], 12U);
  EXPECT_EQ(log.torn_stalls.count, 0U);
}

TEST(RunLogTest, TimesOfThreadsAndPhasesOfTheHost) {
  const RunLog log = read(
      "Thread 12: orch_start=5 orch_end=18446744073709551615 orch_cost=0.5us\n"
      "Thread 3: sched_start=1 sched_end=2 sched_cost=7us Thread 4: sched_start=1 sched_end=2 sched_cost=1.23456us\n"
      "Thread 3: sched_start=1 sched_end=\n"
      "Thread 3: started\nThread x: sched_start=1\n"
      "[mono_ns=1][T0xab][TIMING] bind: bind phase=host_orch start_ns=10 dur_ns=20 detail=3\n"
      "bind phase=arena_h2d start_ns=10\n");
  EXPECT_THAT(log.thread_times.thread, ElementsAre(12U, 3U, 4U));
  EXPECT_THAT(log.thread_times.orchestrator, ElementsAre(1, 0, 0));
  EXPECT_THAT(log.thread_times.cost, ElementsAre(500U, 7'000U, 1'234U));
  EXPECT_EQ(log.thread_times.end[0], 18'446'744'073'709'551'615U);
  ASSERT_EQ(log.bind_phases.rows(), 1U);
  EXPECT_EQ(log.text(log.bind_phases.phase[0]), "host_orch");
  EXPECT_EQ(log.bind_phases.host_thread[0], 0xabU);
  EXPECT_EQ(log.bind_phases.dur[0], 20U);
  EXPECT_EQ(log.torn_others.count, 2U);
  EXPECT_EQ(log.torn_others.first_line, 3U);
}

/// What a log that ends early has in its whole lines is what the whole log has there.
TEST(RunLogTest, EveryBeginningOfTheSamples) {
  for (const char* name : {"logs/run.log", "logs/device_stall.log"}) {
    const std::string text = sample_text(name);
    const RunLog whole = read(text);
    for (std::size_t size = 0; size < text.size(); ++size) {
      const RunLog log = read(text.substr(0, size));
      const bool open = size != 0 && text[size - 1] != '\n';
      ASSERT_EQ(log.open_line, open ? log.lines : 0U);
      ASSERT_LE(log.spans.rows(), whole.spans.rows());
      for (std::uint32_t row = 0; row < log.spans.rows() && log.spans.line[row] != log.open_line; ++row) {
        ASSERT_EQ(log.spans.dur[row], whole.spans.dur[row]);
        ASSERT_EQ(log.text(log.spans.name[row]), whole.text(whole.spans.name[row]));
      }
      ASSERT_LE(log.stall_tasks.rows(), whole.stall_tasks.rows());
      ASSERT_LE(log.torn_spans.count + log.torn_stalls.count + log.torn_others.count, 1U);
    }
  }
}

/// Would not end if a record looked at what is behind it.
TEST(RunLogTest, LongLines) {
  constexpr std::size_t kLong = 10'000'000;
  const auto repeated = [](const std::string& piece, std::size_t bytes) {
    std::string out;
    out.reserve(bytes + piece.size());
    while (out.size() < bytes) out += piece;
    return out;
  };
  EXPECT_EQ(read(std::string(kLong, '[') + "\n" + span_record(1, 0, "a", 1, 2)).spans.rows(), 1U);
  EXPECT_EQ(read(repeated(span_record(1, 0, "a", 1, 2), kLong)).spans.rows(),
            (kLong - 1) / span_record(1, 0, "a", 1, 2).size() + 1);
  EXPECT_EQ(read(repeated("[STRACE]", kLong)).torn_spans.count, kLong / 8);
  EXPECT_EQ(read(repeated("Thread 1: sched_start=", kLong)).thread_times.rows(), 0U);
  EXPECT_EQ(read(span_record(1, 0, "a", 1, 2, repeated("k=v ", kLong))).attributes.key.size(), kLong / 4);
  const std::string stall = "[STALL thread=0 idle_iterations=1] ";
  for (const char* piece : {"aic=core", "aic=core1(", "aic=core1(idle) ", "core=1(", "core=1 "}) {
    EXPECT_EQ(read(stall + "CLUSTER cluster_id=0 " + repeated(piece, kLong)).stall_rounds.rows(), 1U) << piece;
    EXPECT_EQ(read(stall + "TASK task_id=1 running_on=[" + repeated(piece, kLong)).stall_tasks.rows(), 1U) << piece;
  }
}

}  // namespace
}  // namespace depscope::replay
