#include "depscope/execute/durations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "depscope/execute/trace_reader.h"
#include "program_log.h"

namespace depscope::execute {
namespace {

using runtime::kNeverFinishes;
using ::testing::HasSubstr;

Durations read(const std::string& text) { return Durations::read(SourceFile("t.json", text)); }

/// "LINE PATH: message" of what is wrong.
std::string error_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const InputError& e) {
    const Diagnostic& d = e.diagnostics().at(0);
    return d.json_path + ": " + d.message;
  }
  return "";
}

std::string swimlane(const std::string& rows, const std::string& frequency = "50000000") {
  return R"({"chip_swimlane_level": 1, "metadata": {"clock_freq_hz": )" + frequency + R"(, "num_cores": 1}, "aicore_tasks": [)" +
         rows + R"(], "aicpu_tasks": []})";
}

TEST(Durations, TheTaskGoesBeforeItsKernelBeforeTheDefault) {
  const Durations d =
      read(R"({"schema": "depscope.timing/1", "default": 3, "kernels": {"a": 10, "slow": "never"}, "tasks": {"4294967296": 7}})");
  EXPECT_EQ(d.of(4294967296, "a"), 7U);
  EXPECT_EQ(d.of(0, "a"), 10U);
  EXPECT_EQ(d.of(0, "slow"), kNeverFinishes);
  EXPECT_EQ(d.of(0, "other"), 3U);
  EXPECT_EQ(read(R"({"kernels": {}})").of(0, "a"), 1U);
}

TEST(Durations, ATraceNamesKernelsByTheirIds) {
  const Durations d = read(R"({"default": 3, "kernels": {"0": 10, "4": 20, "5": "never"}, "tasks": {"9": 7}})");
  EXPECT_EQ(d.of(9, {0, -1, -1}, 50), 7U);
  EXPECT_EQ(d.of(0, {0, -1, 4}, 50), 20U) << "the longest";
  EXPECT_EQ(d.of(0, {0, 5, 4}, 50), kNeverFinishes);
  EXPECT_EQ(d.of(0, {1, 4, -1}, 50), 20U);
  EXPECT_EQ(d.of(0, {1, -1, -1}, 50), 50U);
  EXPECT_EQ(d.of(0, {1, -1, -1}, std::nullopt), 3U);
}

TEST(Durations, SwimlaneRecordings) {
  const Durations d =
      read(swimlane("[0, 4294967296, 1, 1000, 1500, 25], [1, 4294967296, 1, 1000, 1700, 25], [0, 5, 2, 2000, 2000, "
                    "3], [0, 6, 3, 0, 9, 1]"));
  EXPECT_EQ(d.of(4294967296, ""), 700U) << "the longest row";
  EXPECT_EQ(d.of(5, ""), 1U) << "at least one unit";
  EXPECT_EQ(d.of(6, ""), 1U) << "not recorded";
  EXPECT_EQ(d.of(4294967296, {0, -1, -1}, 9), 700U);
  EXPECT_EQ(d.of(8, {0, -1, -1}, 9), 9U);
  // 1 GHz: 20 cycles are a unit of 20 ns, rounded to the nearest; five columns are the older layout.
  const Durations a5 = read(swimlane("[0, 1, 1, 18446744073709550000, 18446744073709550609]", "1000000000"));
  EXPECT_EQ(a5.of(1, ""), 30U);
}

TEST(Durations, KeysMayStandInAnyOrder) {
  EXPECT_EQ(read(R"({"aicore_tasks": [[0, 1, 1, 100, 200]], "metadata": {"clock_freq_hz": 25000000}})").of(1, ""), 200U);
}

TEST(Durations, WrongFilesNameThePlace) {
  EXPECT_THAT(error_of(R"({"kernels": {"a": 0}})"), HasSubstr("kernels.a: 0 is out of range; allowed: 1 to 4294967294"));
  EXPECT_THAT(error_of(R"({"kernels": {"a": "soon"}})"), HasSubstr("kernels.a: a number from 1 to 4294967294 or \"never\""));
  EXPECT_THAT(error_of(R"({"kernels": {"a": 1.5}})"), HasSubstr("kernels.a: an integer was expected"));
  EXPECT_THAT(error_of(R"({"kernels": {"a": 1, "a": 2}})"), HasSubstr("kernel \"a\" is given twice"));
  EXPECT_THAT(error_of(R"({"tasks": {"x": 1}})"), HasSubstr("\"x\" is no task id"));
  EXPECT_THAT(error_of(R"({"tasks": {"1": 1, "01": 1}})"), HasSubstr("task id 1 is given twice"));
  EXPECT_THAT(error_of(R"({"schema": "depscope.timing/2", "default": 1})"),
              HasSubstr("the schema must be \"depscope.timing/1\""));
  EXPECT_THAT(error_of(R"({"kernel": {"a": 1}})"), HasSubstr("unknown key \"kernel\""));
  EXPECT_THAT(error_of("{}"), HasSubstr("neither kernel durations"));
  EXPECT_THAT(error_of("[]"), HasSubstr("an object was expected"));
  EXPECT_THAT(error_of(R"({"default": 1} x)"), HasSubstr("the document goes on"));
  EXPECT_THAT(error_of(swimlane("[0, 1, 1, 5]")), HasSubstr("aicore_tasks[0]: 4 numbers in a row; 5 or 6 are needed"));
  EXPECT_THAT(error_of(swimlane("[0, 1, 1, 9, 5]")), HasSubstr("aicore_tasks[0]: task 1 ends at 5, before its start at 9"));
  EXPECT_THAT(error_of(swimlane("[0, 1, 1, 9.5, 10]")), HasSubstr("aicore_tasks[0][3]: a whole number was expected"));
  EXPECT_THAT(error_of(swimlane("", "0")), HasSubstr("metadata.clock_freq_hz: 0 is out of range"));
  EXPECT_THAT(error_of(swimlane("[0, 1, 1, 1, 9000000000000]")), HasSubstr("task 1 takes 8999999999999 cycles"));
  EXPECT_THAT(error_of(R"({"aicore_tasks": []})"), HasSubstr("key \"metadata\" is missing"));
  EXPECT_THAT(error_of(R"({"l2_swimlane_level": 3, "tasks": [{"task_id": 1}]})"), HasSubstr("in microseconds"));
}

// A duration is looked up before the model gives the task its id; the interpreter checks that it is the id it expected.
TEST(Durations, TheNextTaskIdIsKnownBeforeTheSubmit) {
  testing::ProgramSetup setup;
  const Durations d = read(R"({"default": 2, "kernels": {"put": 5}, "tasks": {"4294967297": 9}})");
  setup.input.durations = &d;
  std::string body = "a = self.put(a)\nx = pl.create_tensor([64], dtype=pl.FP32)\nx = self.put(x)\n";
  std::string indent;
  for (int depth = 0; depth < 5; ++depth) {
    body += indent + "with pl.scope():\n";
    indent += "    ";
    body += indent + "a = self.mod(a)\n" + indent + "b" + std::to_string(depth) + " = self.get(a)\n";
  }
  body += "a = self.mod(a)\n";
  const testing::ProgramLog log = testing::interpret("a: pl.InOut[pl.Tensor[[64], pl.FP32]]", body, setup);
  EXPECT_EQ(log.error, "");
  ASSERT_GT(log.tasks.size(), 12U);
  std::set<std::uint32_t> rings;
  for (const runtime::TaskRow& task : log.tasks) rings.insert(runtime::ring_of(task.id));
  EXPECT_GE(rings.size(), 3U);
}

TEST(Durations, TracesSayThemThemselves) {
  const std::string task = R"({"task_id":"0","scope":"auto","kernel_ids":[-1,0,-1],"block_num":1,"explicit_deps":[],"args":[])";
  const auto fault = [&](const std::string& more) -> std::string {
    const SourceFile source("t.trace.json", R"({"tasks":[)" + task + more + "}]}");
    runtime::CountingRuntimeSink sink;
    runtime::Model model({}, sink);
    try {
      read_trace(source, model);
    } catch (const InputError& e) {
      return e.diagnostics().at(0).json_path + ": " + e.diagnostics().at(0).message;
    }
    return "";
  };
  EXPECT_EQ(fault(""), "");
  EXPECT_EQ(fault(R"(,"duration":5,"predicate":false)"), "");
  EXPECT_EQ(fault(R"(,"duration":"never","predicate":true)"), "");
  EXPECT_THAT(fault(R"(,"duration":0)"), HasSubstr("tasks[0].duration: 0 is out of range; allowed: 1 to 4294967294"));
  EXPECT_THAT(fault(R"(,"duration":"long")"),
              HasSubstr("tasks[0].duration: a number from 1 to 4294967294 or \"never\" was expected"));
  EXPECT_THAT(fault(R"(,"predicate":1)"), HasSubstr("tasks[0].predicate: "));
  EXPECT_THAT(fault(R"(,"duration":5,"duration":5)"), HasSubstr("\"duration\" is given twice"));
}

}  // namespace
}  // namespace depscope::execute
