#include "depscope/execute/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include <string>

namespace depscope::execute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kArg =
    R"({"type":"INOUT","addr":"4096","version":0,"dtype":"FLOAT32","buffer_numel":"64","shape":[8,8],"start_offset":"0",)"
    R"("strides":[8,1],"owner_task_id":null,"manual_dep":false})";

std::string task(const std::string& id, const std::string& args = "", const std::string& deps = "") {
  return R"({"task_id":")" + id + R"(","scope":"auto","kernel_ids":[-1,0,-1],"block_num":1,"explicit_deps":[)" + deps +
         R"(],"args":[)" + args + "]}";
}

std::string trace(const std::string& tasks) { return R"({"comment":"c","tasks":[)" + tasks + "]}"; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Result {
  runtime::CountingRuntimeSink sink;
  std::optional<Diagnostic> error;
};

std::unique_ptr<Result> read(const std::string& text) {
  auto result = std::make_unique<Result>();
  const SourceFile source("t.trace.json", text);
  runtime::Model model({}, result->sink);
  try {
    read_trace(source, model);
    model.finish();
  } catch (const InputError& e) {
    result->error = e.diagnostics().at(0);
  }
  return result;
}

void expect_error(const std::string& text, const std::string& path, const std::string& message) {
  const auto result = read(text);
  ASSERT_TRUE(result->error) << text;
  EXPECT_EQ(result->error->json_path, path);
  EXPECT_THAT(result->error->message, HasSubstr(message));
  EXPECT_EQ(result->error->file, "t.trace.json");
  EXPECT_GT(result->error->line, 0U);
}

TEST(TraceReader, ReadsTasksInOrder) {
  const auto result =
      read(trace(task("0", kArg) + "," + task("4294967296", std::string(kArg) + R"(,{"type":"OUTPUT"})", R"("0")")));
  EXPECT_FALSE(result->error);
  EXPECT_EQ(result->sink.tasks, 2U);
  EXPECT_EQ(result->sink.accesses, 3U);
  EXPECT_EQ(result->sink.edges, 1U);
  EXPECT_EQ(result->sink.edge_reasons, 2U);
}

TEST(TraceReader, FlaggedDependencies) {
  const auto result =
      read(trace(task("0") + "," + task("1", "", R"({"task":"0","flags":["wait"]},{"flags":[],"task":"0"},"0")")));
  EXPECT_FALSE(result->error);
  EXPECT_EQ(result->sink.edges, 1U);
  EXPECT_EQ(result->sink.edge_reasons, 3U);
}

TEST(TraceReader, UnknownKeysAreIgnoredButChecked) {
  EXPECT_FALSE(read(replaced(trace(task("0")), "\"scope\"", R"("x":{"y":[1.5e-3,null,true,"\u00e9\n"],"z":{}},"scope")"))->error);
  expect_error(replaced(trace(task("0")), "\"scope\"", R"("x":[1,2,],"scope")"), "tasks[0].x[2]", "expected");
}

TEST(TraceReader, ValueErrorsNameTheirPath) {
  const std::string two = trace(task("0") + "," + task("1", std::string(kArg) + "," + kArg));
  const auto second = [&](const std::string& from, const std::string& to) {
    return trace(task("0") + "," + task("1", std::string(kArg) + "," + replaced(kArg, from, to)));
  };
  EXPECT_FALSE(read(two)->error);
  expect_error(second("FLOAT32", "FLOAT"), "tasks[1].args[1].dtype", "allowed: FLOAT32");
  expect_error(second("INOUT", "IN"), "tasks[1].args[1].type", "allowed: INPUT");
  expect_error(second("\"4096\"", "4096"), "tasks[1].args[1].addr", "string was expected");
  expect_error(second("\"4096\"", "\"-1\""), "tasks[1].args[1].addr", "decimal number");
  expect_error(second("\"4096\"", "\"18446744073709551616\""), "tasks[1].args[1].addr", "out of range");
  expect_error(second("[8,1]", "[8,0]"), "tasks[1].args[1].strides[1]", "0 is out of range");
  expect_error(second("[8,1]", "[8]"), "tasks[1].args[1]", "1 strides for a shape of rank 2");
  expect_error(second("[8,8]", "[1,1,1,1,1,1]"), "tasks[1].args[1].shape[5]", "more than 5");
  expect_error(second("[8,8]", "[]"), "tasks[1].args[1].shape", "1 to 5");
  expect_error(second("[8,8]", "[8,8.5]"), "tasks[1].args[1].shape[1]", "an integer");
  expect_error(second("[8,8]", "8"), "tasks[1].args[1].shape", "an array");
  expect_error(second("\"version\":0,", ""), "tasks[1].args[1]", "\"version\" is missing");
  expect_error(second("false", "0"), "tasks[1].args[1].manual_dep", "true or false");
  expect_error(second("null", "\"17179869184\""), "tasks[1].args[1].owner_task_id", "ring 4");
  expect_error(trace(task("17179869184")), "tasks[0].task_id", "rings are 0 to 3");
  expect_error(trace(task("18446744073709551615")), "tasks[0].task_id", "invalid task id");
  expect_error(trace(task("3") + "," + task("3")), "tasks[1].task_id", "used twice");
  expect_error(replaced(trace(task("0")), "auto", "Auto"), "tasks[0].scope", "allowed: auto, manual");
  expect_error(replaced(trace(task("0")), "[-1,0,-1]", "[-1,0]"), "tasks[0].kernel_ids", "exactly 3");
  expect_error(replaced(trace(task("0")), "[-1,0,-1]", "[-1,-2,0]"), "tasks[0].kernel_ids[1]", "-2 is out of range");
  expect_error(replaced(trace(task("0")), "\"block_num\":1", "\"block_num\":-1"), "tasks[0].block_num", "out of range");
  expect_error(trace(task("0", "", R"({"task":"1","flags":["hold"]})")), "tasks[0].explicit_deps[0].flags[0]",
               "allowed: wait, retain");
  expect_error(trace(task("0", "", R"({"task":"1"})")), "tasks[0].explicit_deps[0]", "\"flags\" is missing");
  expect_error(trace(task("0", "", "1")), "tasks[0].explicit_deps[0]", "string was expected");
  expect_error(R"({"comment":"x"})", "", "\"tasks\" is missing");
  expect_error("[1]", "", "an object was expected");
  expect_error(R"({"tasks":{}})", "tasks", "an array was expected");
}

TEST(TraceReader, AtMost32TensorArguments) {
  std::string args = kArg;
  for (int i = 1; i < 32; ++i) args += std::string(",") + kArg;
  EXPECT_FALSE(read(trace(task("0", args)))->error);
  expect_error(trace(task("0", args + "," + kArg)), "tasks[0].args[32]", "more than 32");
}

/// Whatever the place of the cut: one error that says where the text ends.
TEST(TraceReader, EveryTruncationIsOneClearError) {
  const std::string whole = trace(task("0", kArg, R"({"task":"1","flags":["wait","retain"]})") + ",\n" + task("2"));
  ASSERT_FALSE(read(whole)->error);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto result = read(whole.substr(0, size));
    ASSERT_TRUE(result->error) << size;
    EXPECT_THAT(result->error->message, HasSubstr("unexpected end of JSON")) << size;
    EXPECT_EQ(result->error->byte_offset, size);
  }
}

TEST(TraceReader, SyntaxErrorsNameThePlace) {
  const auto result = read("{\n \"tasks\": [}\n");
  ASSERT_TRUE(result->error);
  EXPECT_EQ(result->error->line, 2U);
  EXPECT_EQ(result->error->column, 12U);
  EXPECT_EQ(result->error->byte_offset, 13U);
  EXPECT_TRUE(read(trace(task("0")) + "x")->error);
  EXPECT_TRUE(read("{\"tasks\":[],}")->error);
  EXPECT_TRUE(read("{\"tasks\":[] \"a\":1}")->error);
  EXPECT_TRUE(read("{\"a\":01,\"tasks\":[]}")->error);
  EXPECT_TRUE(read("{\"a\":\"\\x\\q\",\"tasks\":[]}")->error);
  EXPECT_TRUE(read(std::string("{\"a\":\"\0\",\"tasks\":[]}", 20))->error);
  EXPECT_FALSE(read("\xEF\xBB\xBF{\"tasks\":[]}\n")->error);
}

TEST(TraceReader, DeepNestingIsRefusedNotFollowed) {
  const std::string deep(100000, '[');
  const auto result = read("{\"a\":" + deep);
  ASSERT_TRUE(result->error);
  EXPECT_THAT(result->error->message, HasSubstr("256 levels"));
}

TEST(TraceReader, CountsTasksWithoutParsing) { EXPECT_EQ(count_trace_tasks(trace(task("0", kArg) + "," + task("1", kArg))), 2U); }

}  // namespace
}  // namespace depscope::execute
