// args_dump.json: every value of the sample, former shapes, damage (artefacts.md 7, 16).
#include "depscope/replay/artefacts/args_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reader_errors.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using runtime::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kSample = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/l2_full/dfx_outputs/args_dump/args_dump.json";

ArgsDump read(const std::string& text, bool salvage = false) {
  return read_args_dump(SourceFile("args_dump.json", text), {.salvage = salvage});
}
/// A file with one argument that has task and index, and `fields`.
std::string one_arg(const std::string& fields) {
  return R"({"args":[{"task_id":"0x0","arg_index":0)" + (fields.empty() ? "" : "," + fields) + "}]}";
}
Diagnostic error_of(const std::string& text, bool salvage = false) {
  SCOPED_TRACE(text.substr(0, 200));
  return reader_error([&] { (void)read(text, salvage); });
}

TEST(ArgsDumpReader, EveryValueOfTheSample) {
  const ArgsDump d = read(read_bytes(kSample));
  EXPECT_FALSE(d.historic);
  EXPECT_EQ(d.run_dir, "args_dump");
  EXPECT_EQ(d.bin_type, "logical_contiguous");
  EXPECT_EQ(d.byte_order, "little_endian");
  EXPECT_EQ(d.level, 1U);
  EXPECT_EQ(d.bin_file, "args.bin");
  EXPECT_FALSE(d.bin_file_assumed);
  EXPECT_EQ(d.counters.total, 4U);
  EXPECT_EQ(d.counters.before_dispatch, 3U);
  EXPECT_EQ(d.counters.after_completion, 1U);
  EXPECT_EQ(d.counters.input, 2U);
  EXPECT_EQ(d.counters.output, 0U);
  EXPECT_EQ(d.counters.inout, 2U);
  EXPECT_EQ(d.counters.truncated, 0U);
  EXPECT_EQ(d.counters.dropped_records, 0U);
  EXPECT_EQ(d.counters.dropped_overwrite, 0U);

  ASSERT_EQ(d.rows(), 4U);
  EXPECT_THAT(d.task, ElementsAre(0x100000002U, 0x100000002U, 0x100000002U, 0x100000005U));
  const std::array<std::int32_t, 3> mix{2, 3, -1}, one{1, -1, -1};
  EXPECT_THAT(d.functions, ElementsAre(mix, mix, mix, one));
  EXPECT_THAT(d.arg_index, ElementsAre(1U, 2U, 1U, 0U));
  EXPECT_THAT(d.role, ElementsAre(ArgRole::Inout, ArgRole::Input, ArgRole::Inout, ArgRole::Input));
  EXPECT_THAT(d.stage, ElementsAre(ArgStage::BeforeDispatch, ArgStage::BeforeDispatch, ArgStage::AfterCompletion,
                                   ArgStage::BeforeDispatch));
  EXPECT_THAT(d.kind, ElementsAre(ArgForm::Tensor, ArgForm::Scalar, ArgForm::Tensor, ArgForm::Tensor));
  EXPECT_THAT(d.dtype, ElementsAre(ElementType::Float32, ElementType::Float32, ElementType::Float32, ElementType::Float32));
  EXPECT_THAT(d.is_contiguous, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(d.start_offset, ElementsAre(0U, 0U, 0U, 64U));
  EXPECT_THAT(d.numel, ElementsAre(128U, 1U, 128U, 64U));
  EXPECT_THAT(d.bin_offset, ElementsAre(0U, 0U, 768U, 512U));
  EXPECT_THAT(d.bin_size, ElementsAre(512U, 0U, 512U, 256U));
  EXPECT_THAT(d.truncated, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(d.overwritten, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(d.arg_index_ambiguous, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(d.value(0), "");
  EXPECT_EQ(d.value(1), "0.5");
  EXPECT_EQ(d.value(3), "");
  EXPECT_THAT(d.shape(0), ElementsAre(128U));
  EXPECT_THAT(d.strides(0), ElementsAre(1U));
  EXPECT_THAT(d.shape(1), IsEmpty());
  EXPECT_THAT(d.strides(1), IsEmpty());
  EXPECT_THAT(d.shape(3), ElementsAre(64U));
  EXPECT_EQ(d.unknown_roles.rows + d.unknown_stages.rows + d.unknown_kinds.rows + d.unknown_dtypes.rows, 0U);
  EXPECT_FALSE(d.cut.has_value());
}

TEST(ArgsDumpReader, TheShapeThatWasCalledTensorDump) {
  const ArgsDump d = read(
      R"({"run_dir":"tensor_dump","total_tensors":2,"before_dispatch":1,"after_completion":1,"input_tensors":1,"output_tensors":1,
          "inout_tensors":0,"truncated_tensors":1,"dropped_records":3,"dropped_overwrite":4,"bin_file":"tensor_dump.bin",
          "tensors":[{"task_id":"0x0000000000000007","func_id":3,"arg_index":0,"role":"input","stage":"before_dispatch",
                      "kind":"tensor","dtype":"float16","shape":[2,3],"strides":[3,1]},
                     {"task_id":8,"func_id":-1,"arg_index":1,"role":"output","stage":"after_completion","kind":"tensor",
                      "dtype":"Int8","shape":[],"strides":[],"truncated":true,"arg_index_ambiguous":true}]})");
  EXPECT_TRUE(d.historic);
  EXPECT_EQ(d.bin_file, "tensor_dump.bin");
  EXPECT_EQ(d.level, std::nullopt);
  EXPECT_EQ(d.counters.total, 2U);
  EXPECT_EQ(d.counters.input, 1U);
  EXPECT_EQ(d.counters.output, 1U);
  EXPECT_EQ(d.counters.inout, 0U);
  EXPECT_EQ(d.counters.truncated, 1U);
  EXPECT_EQ(d.counters.dropped_records, 3U);
  EXPECT_EQ(d.counters.dropped_overwrite, 4U);
  EXPECT_THAT(d.task, ElementsAre(7U, 8U));
  EXPECT_THAT(d.functions, ElementsAre(std::array<std::int32_t, 3>{3, -1, -1}, std::array<std::int32_t, 3>{-1, -1, -1}));
  EXPECT_THAT(d.dtype, ElementsAre(ElementType::Float16, ElementType::Int8));
  EXPECT_THAT(d.numel, ElementsAre(6U, 1U));  // the file does not say
  EXPECT_THAT(d.truncated, ElementsAre(0, 1));
  EXPECT_THAT(d.arg_index_ambiguous, ElementsAre(0, 1));
  EXPECT_THAT(d.strides(0), ElementsAre(3U, 1U));
}

TEST(ArgsDumpReader, ValuesAreKeptAsTheyAreWritten) {
  for (const char* value : {"null", "\"$Inf\"", "\"-$Inf\"", "1.50000e+10", "-0.0", "18446744073709551615", "true"})
    EXPECT_EQ(read(one_arg(std::string("\"value\":") + value)).value(0), value);
  EXPECT_EQ(read(one_arg("")).value(0), "");
  EXPECT_EQ(error_of(one_arg("\"value\":[1]")).json_path, "args[0].value");
  EXPECT_THAT(error_of(one_arg("\"value\":{}")).message, HasSubstr("a number, a string or null was expected"));
}

TEST(ArgsDumpReader, TheBinary) {
  EXPECT_EQ(read(R"({"bin_file":null,"args":[]})").bin_file, std::nullopt);
  const ArgsDump missing = read(R"({"args":[]})");
  EXPECT_EQ(missing.bin_file, "args.bin");
  EXPECT_TRUE(missing.bin_file_assumed);
  EXPECT_EQ(args_binary_path(missing, "run/args_dump/args_dump.json"), "run/args_dump/args.bin");
  EXPECT_EQ(args_binary_path(missing, "args_dump.json"), "args.bin");
  for (const char* name :
       {R"("")", R"(".")", R"("..")", R"("/etc/hostname")", R"("../args.bin")", R"("a\\b")", R"("a\u0000b")", "null"})
    EXPECT_EQ(args_binary_path(read(std::string(R"({"bin_file":)") + name + R"(,"args":[]})"), "x/y.json"), std::nullopt) << name;
}

TEST(ArgsDumpReader, UnknownWordsAreCountedAndKeptAsUnknown) {
  const ArgsDump d = read(
      R"({"args":[{"task_id":"0x1","arg_index":0,"role":"both","stage":"during","kind":"matrix","dtype":"fp6"},
                  {"task_id":"0x1","arg_index":1,"role":"input","stage":"after_completion","kind":"scalar","dtype":"BOOL"},
                  {"task_id":"0x1","arg_index":2,"role":"both","kind":"unknown","dtype":"UNKNOWN"}]})");
  EXPECT_THAT(d.role, ElementsAre(ArgRole::Unknown, ArgRole::Input, ArgRole::Unknown));
  EXPECT_THAT(d.stage, ElementsAre(ArgStage::Unknown, ArgStage::AfterCompletion, ArgStage::Unknown));
  EXPECT_THAT(d.kind, ElementsAre(ArgForm::Unknown, ArgForm::Scalar, ArgForm::Unknown));
  EXPECT_THAT(d.dtype, ElementsAre(ElementType::Unknown, ElementType::Bool, ElementType::Unknown));
  EXPECT_EQ(d.unknown_roles.rows, 2U);
  EXPECT_THAT(d.unknown_roles.words, ElementsAre("both"));
  EXPECT_EQ(d.unknown_stages.rows, 2U);
  EXPECT_THAT(d.unknown_stages.words, ElementsAre("during"));
  EXPECT_THAT(d.unknown_kinds.words, ElementsAre("matrix", "unknown"));
  EXPECT_THAT(d.unknown_dtypes.words, ElementsAre("FP6", "UNKNOWN"));
  EXPECT_EQ(arg_role_name(d.role[1]), "input");
  EXPECT_EQ(arg_stage_name(d.stage[1]), "after_completion");
  EXPECT_EQ(arg_form_name(d.kind[0]), "unknown");
}

TEST(ArgsDumpReader, TaskIdsAndLargeNumbers) {
  const auto id = [](const std::string& written) {
    return read(R"({"args":[{"arg_index":0,"task_id":)" + written + "}]}").task[0];
  };
  EXPECT_EQ(id(R"("0x0000000100000002")"), 0x100000002U);
  EXPECT_EQ(id(R"("0xFFFFFFFFFFFFFFFF")"), ~std::uint64_t{0});
  EXPECT_EQ(id("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(id("-1"), ~std::uint64_t{0});
  EXPECT_EQ(id(R"("-2")"), ~std::uint64_t{0} - 1);
  for (const char* bad : {R"("0x")", R"("0x1ffffffffffffffff")", R"("0x-1")", R"("")", R"("-")", R"("--1")", R"("12a")", "1.5",
                          "true", "null", "[]", "20000000000000000000"}) {
    const Diagnostic d = error_of(std::string(R"({"args":[{"arg_index":0,"task_id":)") + bad + "}]}");
    EXPECT_EQ(d.json_path, "args[0].task_id");
    EXPECT_THAT(d.message, HasSubstr("a task id was expected"));
  }
  EXPECT_EQ(read(one_arg("\"numel\":18446744073709551615")).numel[0], ~std::uint64_t{0});
  EXPECT_EQ(read(one_arg("\"shape\":[4294967295,4294967295,4294967295]")).numel[0], ~std::uint64_t{0});
  EXPECT_EQ(read(one_arg("\"shape\":[4294967295,4294967295,4294967295,0]")).numel[0], 0U);
}

TEST(ArgsDumpReader, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<std::string, std::string> kinds[] = {
      {"\"func_id\":[1,2,3,4]", "more than 3 kernels"},
      {"\"func_id\":\"0\"", "an integer was expected"},
      {"\"func_id\":[-2]", "-2 is out of range; allowed: -1 to 2147483647"},
      {"\"role\":1", "a string was expected"},
      {"\"dtype\":null", "a string was expected"},
      {"\"is_contiguous\":1", "true or false was expected"},
      {"\"truncated\":\"yes\"", "true or false was expected"},
      {"\"shape\":1", "an array was expected"},
      {"\"shape\":[-1]", "-1 is out of range"},
      {"\"shape\":[4294967296]", "4294967296 is out of range"},
      {"\"strides\":[1.5]", "an integer was expected"},
      {"\"numel\":1.5", "a number of elements was expected"},
      {"\"bin_size\":20000000000000000000", "a number of bytes was expected"},
      {"\"bin_offset\":null", "a number of bytes was expected"},
      {"\"role\":\"input\",\"role\":\"input\"", "key \"role\" is given twice"},
  };
  for (const auto& [fields, message] : kinds) {
    const Diagnostic d = error_of(one_arg(fields));
    EXPECT_THAT(d.message, HasSubstr(message));
    EXPECT_THAT(d.json_path, HasSubstr("args[0]."));
    EXPECT_TRUE(d.byte_offset.has_value());
    EXPECT_EQ(d.line, 1U);
  }
  std::string many = "\"shape\":[1";
  for (std::size_t i = 0; i < kMaxArgRank; ++i) many += ",1";
  EXPECT_THAT(error_of(one_arg(many + "]")).message, HasSubstr("more than 32 dimensions"));
  EXPECT_THAT(error_of(R"({"args":[{"arg_index":0}]})").message, HasSubstr("key \"task_id\" is missing"));
  EXPECT_THAT(error_of(R"({"args":[{"task_id":"0x0"}]})").message, HasSubstr("key \"arg_index\" is missing"));
  EXPECT_EQ(error_of(R"({"args":[{"task_id":"0x0","arg_index":0},7]})").json_path, "args[1]");
  EXPECT_EQ(error_of(R"({"args":{}})").json_path, "args");
  EXPECT_EQ(error_of(R"({"total_args":"many","args":[]})").json_path, "total_args");
  EXPECT_EQ(error_of(R"({"bin_file":5,"args":[]})").json_path, "bin_file");
  EXPECT_THAT(error_of(R"({"args":[],"args":[]})").message, HasSubstr("given twice"));
  EXPECT_THAT(error_of(R"({"args":[],"tensors":[]})").message, HasSubstr("given twice"));
  EXPECT_THAT(error_of(R"({"total_args":1,"total_tensors":1,"args":[]})").message, HasSubstr("given twice"));
  EXPECT_THAT(error_of("{}").message, HasSubstr("neither \"args\" nor \"tensors\""));
  EXPECT_THAT(error_of(R"({"args":[]} x)").message, HasSubstr("goes on after its end"));
  EXPECT_THAT(error_of("[1]").message, HasSubstr("an object was expected"));
  const std::string deep(300, '[');
  EXPECT_THAT(error_of(R"({"more":)" + deep).message, HasSubstr("more than 256 levels"));
  EXPECT_THAT(error_of(one_arg("\"value\":" + deep)).message, HasSubstr("more than 256 levels"));
  // Nothing of that is a file that ends early.
  EXPECT_THAT(error_of(one_arg("\"shape\":1"), true).message, HasSubstr("an array was expected"));
}

/// Without salvage every cut is an error; with it, arguments that are whole are kept.
TEST(ArgsDumpReader, CutAtEveryByte) {
  const std::string whole = read_bytes(kSample);
  const ArgsDump all = read(whole);
  const std::size_t end = whole.rfind('}') + 1;
  std::uint32_t before = 0;
  for (std::size_t size = 0; size < end; ++size) {
    const std::string cut = whole.substr(0, size);
    ASSERT_THROW((void)read(cut), InputError) << size;
    const ArgsDump d = read(cut, true);
    ASSERT_TRUE(d.cut.has_value()) << size;
    ASSERT_EQ(d.cut->byte_offset, size);
    ASSERT_GE(d.rows(), before);
    ASSERT_LE(d.rows(), all.rows());
    before = d.rows();
    for (std::uint32_t row = 0; row < d.rows(); ++row) {
      ASSERT_EQ(d.bin_offset[row], all.bin_offset[row]);
      ASSERT_EQ(d.value(row), all.value(row));
      ASSERT_EQ(d.shape(row).size(), all.shape(row).size());
    }
    ASSERT_EQ(d.value_end.size(), d.rows());
    ASSERT_EQ(d.overwritten.size(), d.rows());
  }
  EXPECT_EQ(before, 4U);
  EXPECT_FALSE(read(whole.substr(0, end)).cut.has_value());
}

/// One byte replaced by another anywhere: a result or an error, never anything else.
TEST(ArgsDumpReader, AnyByteReplaced) {
  const std::string whole = read_bytes(kSample);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'"', '{', ']', '9', '\0', '\xff'}) {
      std::string text = whole;
      text[at] = byte;
      try {
        ASSERT_LE(read(text, true).rows(), 4U) << at;
      } catch (const InputError& e) {
        ASSERT_FALSE(e.diagnostics().front().message.empty());
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, whole.size());
}

}  // namespace
}  // namespace depscope::replay
