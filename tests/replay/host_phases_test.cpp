// The host's phases before a run (artefacts.md 12, 13.3).
#include "depscope/replay/artefacts/host_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_text.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kMost = ~std::uint64_t{0};

HostPhases read(std::string text) { return read_host_phases({"host_phase_records.jsonl", std::move(text)}); }

std::string record(const std::string& phase, std::uint64_t start, std::uint64_t end) {
  return R"({"phase": ")" + phase + R"(", "start_ns": )" + std::to_string(start) + R"(, "end_ns": )" + std::to_string(end) +
         R"(, "detail": 0, "tid": 1})";
}
std::string pass(std::uint64_t pid, std::uint64_t inv, const std::string& records) {
  return R"({"pid": )" + std::to_string(pid) + R"(, "inv": )" + std::to_string(inv) +
         R"(, "clock": "host_monotonic_ns", "dropped": 0, "records": [)" + records + "]}\n";
}

TEST(HostPhasesTest, TheSample) {
  const HostPhases p = read(sample_text("host_graph/host_phase_records.jsonl"));
  EXPECT_EQ(p.skipped, 0U);
  ASSERT_EQ(p.passes.rows(), 1U);
  EXPECT_EQ(p.passes.pid[0], 77U);
  EXPECT_EQ(p.passes.inv[0], 1U);
  EXPECT_EQ(p.passes.dropped[0], 0U);
  EXPECT_EQ(p.text(p.passes.clock[0]), "host_monotonic_ns");
  EXPECT_THAT(p.passes.first_record, ElementsAre(0U, 4U));
  EXPECT_EQ(p.text(p.records.phase[1]), "submit_task");
  EXPECT_THAT(p.records.start, ElementsAre(5'000'009'000U, 5'000'010'000U, 5'000'012'000U, 5'000'020'000U));
  EXPECT_THAT(p.records.end, ElementsAre(5'000'016'000U, 5'000'012'000U, 5'000'015'000U, 5'000'030'000U));
  EXPECT_THAT(p.records.detail, ElementsAre(2U, 0U, 1U, 4'096U));
  EXPECT_THAT(p.records.tid, ElementsAre(77U, 77U, 77U, 77U));

  const HostPhaseSums sums = host_phase_sums(p);
  ASSERT_EQ(sums.passes.size(), 1U);
  EXPECT_EQ(sums.passes[0].control_plane_ns, 17'000U);  // host_orch 7000, arena_h2d 10000
  EXPECT_TRUE(sums.passes[0].warm_up);
  ASSERT_EQ(sums.phases.size(), 3U);
  EXPECT_EQ(sums.phases[1].phase, "submit_task");
  EXPECT_EQ(sums.phases[1].count, 2U);
  EXPECT_EQ(sums.phases[1].total_ns, 5'000U);
  EXPECT_EQ(sums.phases[1].longest_ns, 3'000U);
  EXPECT_EQ(sums.phases[1].warm_up_ns, 5'000U);
}

TEST(HostPhasesTest, TheFirstPassOfAProcessIsWarmUpAndRetiredPhasesCount) {
  const HostPhases p =
      read(pass(1, 1, record("host_orch", 0, 100)) + pass(2, 1, record("relocate", 0, 30) + "," + record("args", 0, 5)) +
           pass(1, 2, record("sm_h2d", 0, 7) + "," + record("graph_upload", 0, 2) + "," + record("arena_h2d", 9, 4)));
  const HostPhaseSums sums = host_phase_sums(p);
  ASSERT_EQ(sums.passes.size(), 3U);
  EXPECT_TRUE(sums.passes[0].warm_up);
  EXPECT_TRUE(sums.passes[1].warm_up);
  EXPECT_FALSE(sums.passes[2].warm_up);
  EXPECT_EQ(sums.passes[0].control_plane_ns, 100U);
  EXPECT_EQ(sums.passes[1].control_plane_ns, 30U);  // without args
  EXPECT_EQ(sums.passes[2].control_plane_ns, 9U);   // one that ends before it starts counts as nothing
  EXPECT_EQ(sums.passes[2].of, 1U);
  EXPECT_EQ(sums.passes[2].inv, 2U);
  EXPECT_EQ(sums.phases[1].phase, "relocate");
}

TEST(HostPhasesTest, MalformedLinesAreSkippedWithAllTheyHave) {
  const std::string good = pass(1, 1, record("host_orch", 0, 1));
  const std::string half = R"({"pid": 1, "records": [)" + record("args", 0, 1) + ", {\"phase\": 3}]}\n";
  const HostPhases p =
      read("\xEF\xBB\xBF" + good + "\r\n" + half + "text\n{}\n[1]\n" + R"({"pid": 1})" + "\n" + R"({"records": []})" + "\n" +
           R"({"pid": "x", "records": []})" + "\n" + R"({"pid": 1, "records": [], "records": []})" + "\n" +
           R"({"pid": 1, "records": [{"phase": "a", "start_ns": 1}]})" + "\n" +
           R"({"pid": 1, "records": [{"start_ns": 1, "end_ns": 1}]})" + "\n" + good.substr(0, 60));
  EXPECT_EQ(p.passes.rows(), 1U);
  EXPECT_EQ(p.records.rows(), 1U);
  EXPECT_EQ(p.skipped, 11U);
  ASSERT_TRUE(p.first_skipped.has_value());
  EXPECT_EQ(p.first_skipped->line, 3U);
  EXPECT_EQ(p.first_skipped->json_path, "records[1].phase");
  EXPECT_EQ(p.first_skipped->file, "host_phase_records.jsonl");
  EXPECT_EQ(p.first_skipped->byte_offset, 3 + good.size() + 2 + half.find("3}"));
  EXPECT_THAT(read("text\n" + good).first_skipped->message, HasSubstr("object"));
}

TEST(HostPhasesTest, EnormousNumbersStayAtTheLargest) {
  const HostPhases p = read(pass(kMost, kMost, record("host_orch", 0, kMost) + "," + record("host_orch", 1, kMost)));
  ASSERT_EQ(p.passes.rows(), 1U);
  EXPECT_EQ(p.passes.pid[0], kMost);
  const HostPhaseSums sums = host_phase_sums(p);
  EXPECT_EQ(sums.passes[0].control_plane_ns, kMost);
  EXPECT_EQ(sums.phases[0].total_ns, kMost);
  EXPECT_EQ(sums.phases[0].longest_ns, kMost);
  EXPECT_EQ(read(R"({"pid": 99999999999999999999, "records": []})").skipped, 1U);
}

TEST(HostPhasesTest, EveryBeginningOfTheSample) {
  std::string text = sample_text("host_graph/host_phase_records.jsonl");
  const std::size_t line = text.size();
  const std::size_t object = text.find_last_of('}') + 1;  // whole without its line end
  text += text;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const HostPhases p = read(text.substr(0, size));
    ASSERT_EQ(p.passes.rows(), (size >= object ? 1U : 0U) + (size >= line + object ? 1U : 0U));
    ASSERT_EQ(p.records.rows(), p.passes.rows() * 4);
    ASSERT_LE(p.skipped, 1U);
  }
}

TEST(HostPhasesTest, PassesOfALogEndWithTheUploadOfTheArena) {
  const auto line = [](const char* thread, const char* phase, int dur) {
    return "[mono_ns=1][T0x" + std::string(thread) + "][TIMING] bind: bind phase=" + phase +
           " start_ns=5 dur_ns=" + std::to_string(dur) + "\n";
  };
  const RunLog log = read_run_log(source_of(line("a", "args", 1) + line("a", "host_orch", 10) + line("b", "host_orch", 100) +
                                            line("a", "arena_h2d", 5) + line("a", "host_orch", 7) + line("b", "arena_h2d", 50) +
                                            line("a", "arena_h2d", 3) + line("a", "host_orch", 1)));
  const HostPhaseSums sums = host_phase_sums(log);
  ASSERT_EQ(sums.passes.size(), 4U);
  EXPECT_EQ(sums.passes[0].control_plane_ns, 15U);
  EXPECT_EQ(sums.passes[1].control_plane_ns, 150U);
  EXPECT_EQ(sums.passes[2].control_plane_ns, 10U);
  EXPECT_EQ(sums.passes[3].control_plane_ns, 1U);
  EXPECT_TRUE(sums.passes[0].warm_up);
  EXPECT_TRUE(sums.passes[1].warm_up);
  EXPECT_FALSE(sums.passes[2].warm_up);
  EXPECT_TRUE(sums.passes[2].complete);
  EXPECT_FALSE(sums.passes[3].complete);
  EXPECT_EQ(sums.passes[1].of, 0xbU);
  EXPECT_EQ(sums.passes[2].line, 5U);
  EXPECT_EQ(sums.phases[1].phase, "host_orch");
  EXPECT_EQ(sums.phases[1].total_ns, 118U);
  EXPECT_EQ(sums.phases[1].warm_up_ns, 110U);
}

}  // namespace
}  // namespace depscope::replay
