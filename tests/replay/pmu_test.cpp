// pmu.csv: every value of the sample, sums, damage (artefacts.md 8, 16).
#include "depscope/replay/artefacts/pmu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reader_errors.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kSample = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/l2_full/dfx_outputs/pmu.csv";
const std::string kHeader = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,a,b,event_type\n";

Pmu read(const std::string& text) { return read_pmu(SourceFile("pmu.csv", text)); }
Diagnostic error_of(const std::string& text) {
  SCOPED_TRACE(text.substr(0, 200));
  return reader_error([&] { (void)read(text); });
}

TEST(PmuReader, EveryValueOfTheSample) {
  const Pmu p = read(read_bytes(kSample));
  EXPECT_THAT(p.counters, ElementsAre("vec_busy_cycles", "cube_busy_cycles", "scalar_busy_cycles", "mte1_busy_cycles",
                                      "mte2_busy_cycles", "mte3_busy_cycles", "icache_miss", "icache_req"));
  EXPECT_EQ(p.columns.size(), 15U);
  EXPECT_THAT(p.ignored, IsEmpty());
  ASSERT_EQ(p.rows(), 7U);
  EXPECT_THAT(p.thread, ElementsAre(0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(p.core, ElementsAre(0U, 1U, 2U, 0U, 1U, 1U, 2U));
  EXPECT_THAT(p.task,
              ElementsAre(0x100000000U, 0x100000001U, 0x100000001U, 0x100000002U, 0x100000002U, 0x100000005U, 0x100000004U));
  EXPECT_THAT(p.function, ElementsAre(0U, 1U, 1U, 2U, 3U, 1U, 4U));
  EXPECT_THAT(p.core_type, ElementsAre(0, 1, 1, 0, 1, 1, 1));
  EXPECT_THAT(p.cycles, ElementsAre(18500U, 18400U, 21300U, 22000U, 12100U, 5500U, 18450U));
  EXPECT_THAT(p.event_type, ElementsAre(2U, 2U, 2U, 2U, 2U, 2U, 2U));
  EXPECT_THAT(p.values_of(0), ElementsAre(0U, 12000U, 900U, 3000U, 5200U, 0U, 4U, 640U));
  EXPECT_THAT(p.values_of(2), ElementsAre(9100U, 0U, 720U, 0U, 5000U, 4200U, 2U, 412U));
  EXPECT_THAT(p.values_of(6), ElementsAre(8800U, 0U, 650U, 0U, 4000U, 3800U, 2U, 400U));
  EXPECT_EQ(p.values.size(), 56U);
  EXPECT_FALSE(p.cut.has_value());
  EXPECT_THAT(pmu_notes(p), IsEmpty());
}

TEST(PmuSumsTest, ByFunctionAndByTask) {
  const Pmu p = read(read_bytes(kSample));
  const PmuSums f = pmu_by_function(p);
  EXPECT_THAT(f.key, ElementsAre(0U, 1U, 2U, 3U, 4U));
  EXPECT_THAT(f.rows, ElementsAre(1U, 3U, 1U, 1U, 1U));
  EXPECT_THAT(f.cycles, ElementsAre(18500U, 45200U, 22000U, 12100U, 18450U));
  ASSERT_EQ(f.values.size(), 40U);
  EXPECT_EQ(std::vector<std::uint64_t>(f.values.begin() + 8, f.values.begin() + 16),
            (std::vector<std::uint64_t>{20100, 0, 1720, 0, 10600, 9000, 5, 942}));
  const PmuSums t = pmu_by_task(p);
  EXPECT_THAT(t.key, ElementsAre(0x100000000U, 0x100000001U, 0x100000002U, 0x100000004U, 0x100000005U));
  EXPECT_THAT(t.rows, ElementsAre(1U, 2U, 2U, 1U, 1U));
  EXPECT_THAT(t.cycles, ElementsAre(18500U, 39700U, 34100U, 18450U, 5500U));
  ASSERT_EQ(t.values.size(), 40U);
  EXPECT_EQ(std::vector<std::uint64_t>(t.values.begin() + 16, t.values.begin() + 24),
            (std::vector<std::uint64_t>{6000, 15000, 1300, 3300, 8300, 2100, 6, 1000}));
}

TEST(PmuSumsTest, LargeNumbersDoNotWrap) {
  const std::string row = "0,0,0x1,0,0,18446744073709551615,4294967295,0,2\n";
  const PmuSums f = pmu_by_function(read(kHeader + row + row + row));
  EXPECT_THAT(f.cycles, ElementsAre(~std::uint64_t{0}));
  EXPECT_THAT(f.values, ElementsAre(12884901885U, 0U));
  const PmuSums none = pmu_by_task(read(kHeader));
  EXPECT_THAT(none.key, IsEmpty());
  EXPECT_THAT(none.values, IsEmpty());
}

/// By name, so that the order does not matter; what stands outside is told.
TEST(PmuReader, ColumnsAreThoseOfTheHeader) {
  const Pmu p = read(
      "core_id,extra,task_id,thread_id,pmu_total_cycles,icache_req,core_type,icache_miss,event_type,func_id,more\r\n"
      "3,oops,0xa,1,50,7,1,8,4,4294967295,\r\n");
  EXPECT_THAT(p.counters, ElementsAre("icache_req", "icache_miss"));
  EXPECT_THAT(p.ignored, ElementsAre("extra", "more"));
  EXPECT_THAT(p.core, ElementsAre(3U));
  EXPECT_THAT(p.thread, ElementsAre(1));
  EXPECT_THAT(p.task, ElementsAre(10U));
  EXPECT_THAT(p.function, ElementsAre(kUnknownFunction));
  EXPECT_THAT(p.core_type, ElementsAre(1));
  EXPECT_THAT(p.cycles, ElementsAre(50U));
  EXPECT_THAT(p.values, ElementsAre(7U, 8U));
  EXPECT_THAT(p.event_type, ElementsAre(4U));
  EXPECT_THAT(pmu_notes(p), ElementsAre("columns that are not known: extra, more", "1 row has no function that is known"));
  EXPECT_THAT(read("thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,event_type\n0,0,0x0,-1,7,1,2\n").counters,
              IsEmpty());
}

TEST(PmuReader, NamesOfEventTypes) {
  std::vector<std::string> names;
  for (std::uint32_t type = 0; type <= 9; ++type) names.push_back(pmu_event_name(type));
  EXPECT_THAT(names, ElementsAre("0", "arithmetic", "pipe", "3", "memory", "L0", "conflicts", "UB", "L2 cache", "9"));
  EXPECT_EQ(pmu_event_name(4294967295U), "4294967295");
}

TEST(PmuNotes, WhatIsOdd) {
  const Pmu p =
      read(kHeader + "0,0,0x0,4294967295,0,1,1,1,2\n0,0,0x1,-1,2,1,1,1,4\n\n-1,0,0x2,0,1,1,1,1,9\n0,0,0x2,0,1,1,1,1,9\n");
  EXPECT_THAT(p.core_type, ElementsAre(0, kOtherCoreType, 1, 1));
  EXPECT_THAT(p.thread, ElementsAre(0, 0, -1, 0));
  EXPECT_THAT(
      pmu_notes(p),
      ElementsAre("rows of 3 event types in one file (pipe: 1 row, memory: 1 row, 9: 2 rows): the names of the counters can be "
                  "right for one only",
                  "event types that are not known: 9", "2 rows have no function that is known",
                  "1 row has a type of core that is not known"));
  EXPECT_THAT(pmu_notes(read(kHeader)), ElementsAre("has no row"));
  EXPECT_THAT(pmu_notes(read(kHeader + "0,0,0x0,0,0,0,0,0,2\n")), ElementsAre("every counter is 0: a simulator measures none"));
  std::string many = kHeader;
  for (int type = 100; type < 200; ++type) many += "0,0,0x0,0,0,1,1,1," + std::to_string(type) + "\n";
  EXPECT_THAT(pmu_notes(read(many)).back(), HasSubstr("106, 107 and 92 more"));
}

TEST(PmuReader, WhatIsWrongIsSaidWithItsPlace) {
  struct Case {
    std::string row;
    std::uint32_t column;
    std::string message;
  };
  const std::string good = "0,0,0x0,0,0,1,1,1,2\n";
  for (const Case& c : std::vector<Case>{
           {"x,0,0x0,0,0,1,1,1,2", 1, "a whole number was expected for thread_id"},
           {"0,,0x0,0,0,1,1,1,2", 3, "a whole number was expected for core_id"},
           {"0,65536,0x0,0,0,1,1,1,2", 3, "65536 for core_id is out of range; allowed: 0 to 65535"},
           {"0,0,0y0,0,0,1,1,1,2", 5, "a task id was expected"},
           {"0,0,0x10000000000000000,0,0,1,1,1,2", 5, "a task id was expected"},
           {"0,0,0x0,4294967296,0,1,1,1,2", 9, "4294967296 for func_id is out of range; allowed: -1 to 4294967295"},
           {"0,0,0x0,0,-1,1,1,1,2", 11, "-1 for core_type is out of range"},
           {"0,0,0x0,0,0,18446744073709551616,1,1,2", 13, "18446744073709551616 for pmu_total_cycles is out of range"},
           {"0,0,0x0,0,0,-1,1,1,2", 13, "a whole number was expected for pmu_total_cycles"},
           {"0,0,0x0,0,0,1,1.5,1,2", 15, "a whole number was expected for a"},
           {"0,0,0x0,0,0,1,1, 1,2", 17, "a whole number was expected for b"},
           {"0,0,0x0,0,0,1,1,4294967296,2", 17, "4294967296 for b is out of range; allowed: 0 to 4294967295"},
           {"0,0,0x0,0,0,1,1,1,", 19, "a whole number was expected for event_type"},
           {"0,0,0x0,0,0,1,1,1", 1, "the line has 8 cells, and the header 9 columns"},
           {"0,0,0x0,0,0,1,1,1,2,3", 1, "the line has 10 cells, and the header 9 columns"},
       }) {
    const Diagnostic d = error_of(kHeader + good + c.row + "\n" + good);
    EXPECT_EQ(d.line, 3U) << c.row;
    EXPECT_EQ(d.column, c.column) << c.row;
    EXPECT_EQ(d.source_line, c.row);
    EXPECT_THAT(d.message, HasSubstr(c.message));
  }
}

TEST(PmuReader, WhatIsNoHeaderIsRefused) {
  EXPECT_THAT(error_of("").message, HasSubstr("the file is empty"));
  EXPECT_THAT(error_of("\n\n").message, HasSubstr("the file is empty"));
  EXPECT_THAT(error_of("0,0,0x0,0,0,1,1,1,2\n").message, HasSubstr("is there twice"));
  EXPECT_THAT(error_of("thread_id,core_id,task_id\n").message, HasSubstr("the header has no column func_id"));
  EXPECT_THAT(error_of("thread_id,,task_id\n").message, HasSubstr("the name of a column was expected"));
  EXPECT_EQ(error_of("thread_id,,task_id\n").column, 11U);
  EXPECT_EQ(error_of("thread_id,\xff\n").column, 11U);
  EXPECT_THAT(error_of("{\"tasks\":[]}\n").message, HasSubstr("the name of a column was expected"));
  EXPECT_THAT(error_of("thread_id,core_id,task_id,func_id,core_type,event_type,a,pmu_total_cycles\n").message,
              HasSubstr("pmu_total_cycles must come before event_type"));
  std::string many = "thread_id";
  for (std::size_t i = 0; i < kMaxPmuColumns; ++i) many += ",c" + std::to_string(i);
  EXPECT_THAT(error_of(many).message, HasSubstr("more than 256 columns"));
}

/// What is whole before the cut is kept; without a header there is nothing.
TEST(PmuReader, CutAtEveryByte) {
  const std::string whole = read_bytes(kSample);
  const std::size_t header = whole.find('\n');
  for (std::size_t size = 0; size < header; ++size) ASSERT_THROW((void)read(whole.substr(0, size)), InputError) << size;
  for (std::size_t size = header; size < whole.size(); ++size) {
    const std::string text = whole.substr(0, size);
    const Pmu p = read(text);
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    const bool without_line_end = whole[size] == '\n' && size != header;
    ASSERT_EQ(p.rows(), lines == 0 ? 0 : lines - 1 + (without_line_end ? 1 : 0)) << size;
    const bool partial = text.back() != '\n' && size != header && !without_line_end;
    ASSERT_EQ(p.cut.has_value(), partial) << size;
    if (!partial) continue;
    ASSERT_EQ(p.cut->byte_offset, size);
    ASSERT_EQ(p.cut->line, lines + 1);
    ASSERT_EQ(p.values.size(), p.rows() * p.counters.size());
    ASSERT_EQ(p.thread.size(), p.rows());
  }
}

/// One byte replaced by another anywhere: a result or an error, never anything else.
TEST(PmuReader, AnyByteReplaced) {
  const std::string whole = read_bytes(kSample);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {',', '\n', '"', '-', '\0', '\xff'}) {
      std::string text = whole;
      text[at] = byte;
      try {
        const Pmu p = read(text);
        ASSERT_EQ(p.values.size(), p.rows() * p.counters.size());
        (void)pmu_notes(p);
      } catch (const InputError& e) {
        ASSERT_NE(e.diagnostics().front().line, 0U);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, whole.size());
}

/// What a merge that failed leaves behind.
TEST(PmuReader, RowsWithoutAHeader) {
  const Pmu merged = read(kHeader);
  const Pmu shard = read_pmu_shard(SourceFile("pmu.csv.shard0.tmp", "0,1,0x2,3,1,4,5,6,2\n1,1,0x3,3,1,7,8,9,2\n0,0,0x"), merged);
  EXPECT_THAT(shard.counters, ElementsAre("a", "b"));
  EXPECT_THAT(shard.task, ElementsAre(2U, 3U));
  EXPECT_THAT(shard.values, ElementsAre(5U, 6U, 8U, 9U));
  ASSERT_TRUE(shard.cut.has_value());
  EXPECT_EQ(shard.cut->line, 3U);
  EXPECT_EQ(read_pmu_shard(SourceFile("pmu.csv.shard1.tmp", ""), merged).rows(), 0U);
  EXPECT_THAT(reader_error([&] { (void)read_pmu_shard(SourceFile("s.tmp", "0,0\n1,1\n"), merged); }).message,
              HasSubstr("the line has 2 cells, and the header 9 columns"));
  EXPECT_THAT(reader_error([] { (void)read_pmu_shard(SourceFile("s.tmp", "0,0\n"), Pmu{}); }).message,
              HasSubstr("nothing says what their columns are"));
}

}  // namespace
}  // namespace depscope::replay
