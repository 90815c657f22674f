// What is odd about an args_dump.json, as sentences (artefacts.md 7, 16), and files of real runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "depscope/replay/artefacts/args_dump.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kFolder = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/l2_full/dfx_outputs/args_dump/";

ArgsDump read(const std::string& text, bool salvage = false) {
  return read_args_dump(SourceFile("args_dump.json", text), {.salvage = salvage});
}
/// One argument of 4 INT8 elements at byte 8, and `fields`.
std::string arg(const std::string& fields = "") {
  return R"({"task_id":"0x0","arg_index":0,"role":"input","stage":"before_dispatch","kind":"tensor","dtype":"INT8","shape":[4],)"
         R"("strides":[1],"numel":4)" +
         std::string(fields.empty() ? "" : ",") + fields + "}";
}
const std::string kPayload = R"("bin_offset":8,"bin_size":4)";

TEST(ArgsNotes, NothingOfTheSample) {
  const ArgsDump d = read(read_bytes(kFolder + "args_dump.json"));
  const std::string binary = read_bytes(kFolder + "args.bin");
  ASSERT_EQ(binary.size(), 1280U);
  EXPECT_THAT(args_notes(d, binary.size()), IsEmpty());
  EXPECT_THAT(args_notes(d, 1279), ElementsAre("1 payload goes beyond the end of args.bin, which has 1279 bytes"));
  EXPECT_THAT(args_notes(d, 1), ElementsAre("3 payloads go beyond the end of args.bin, which has 1 byte"));
  EXPECT_THAT(args_notes(d, std::nullopt), ElementsAre("args.bin is not there: 3 payloads cannot be shown"));
}

TEST(ArgsNotes, TheBinary) {
  EXPECT_THAT(args_notes(read(R"({"dump_args_level":3,"bin_file":null,"args":[)" + arg() + "]}"), std::nullopt),
              ElementsAre("level 3 and no binary: of no argument was the value marked, or none was saved"));
  EXPECT_THAT(args_notes(read(R"({"bin_file":null,"args":[)" + arg(kPayload) + "]}"), std::nullopt),
              ElementsAre("no binary was written, but 1 payload is listed"));
  EXPECT_THAT(args_notes(read(R"({"bin_file":"b","args":[)" + arg() + "]}"), std::nullopt), ElementsAre("b is not there"));
  EXPECT_THAT(args_notes(read(R"({"args":[)" + arg() + "]}"), std::nullopt), IsEmpty());
  EXPECT_THAT(args_notes(read(R"({"bin_file":"../b\n","args":[]})"), 5),
              ElementsAre("the binary is \"../b?\", which leads out of the directory: it is not read"));
  // The end of the payload is beyond 2^64.
  const ArgsDump huge = read(R"({"args":[)" + arg(R"("bin_offset":18446744073709551615,"bin_size":4)") + "]}");
  EXPECT_THAT(args_notes(huge, 100), ElementsAre("1 payload goes beyond the end of args.bin, which has 100 bytes"));
  EXPECT_THAT(args_notes(read(R"({"args":[)" + arg(kPayload) + "]}"), 12), IsEmpty());
}

TEST(ArgsNotes, WhatWasLost) {
  EXPECT_THAT(
      args_notes(
          read(R"({"dropped_records":1,"dropped_overwrite":2,"args":[)" +
               arg(kPayload + R"(,"overwritten":true,"arg_index_ambiguous":true)") + "," +
               arg(R"("bin_offset":0,"bin_size":2,"truncated":true)") + "," + arg(kPayload + R"(,"overwritten":true)") + "]}"),
          12),
      ElementsAre("1 record was dropped: such arguments are missing",
                  "2 payloads were dropped because the arena was written over",
                  "2 payloads were overwritten before being saved: the bytes say nothing",
                  "1 payload was truncated: the tensor is larger than the arena", "1 argument has an index that is ambiguous"));
}

TEST(ArgsNotes, CountersThatDisagree) {
  EXPECT_THAT(args_notes(read(R"({"total_args":2,"before_dispatch":0,"after_completion":3,"input_args":4,"output_args":5,)"
                              R"("inout_args":6,"truncated_args":7,"args":[)" +
                              arg() + "]}"),
                         0),
              ElementsAre("total_args says 2, and the file has 1", "before_dispatch says 0, and the file has 1",
                          "after_completion says 3, and the file has 0", "input_args says 4, and the file has 1",
                          "output_args says 5, and the file has 0", "inout_args says 6, and the file has 0",
                          "truncated_args says 7, and the file has 0"));
}

TEST(ArgsNotes, OfAFileThatEndsEarlyOnlyHowMuchIsMissing) {
  const ArgsDump d = read(R"({"total_args":3,"input_args":3,"args":[)" + arg() + ",{", true);
  ASSERT_TRUE(d.cut.has_value());
  EXPECT_THAT(args_notes(d, 0), ElementsAre("1 of 3 arguments were read"));
}

TEST(ArgsNotes, WordsAndFormatsThatAreNotKnown) {
  EXPECT_THAT(
      args_notes(read(R"({"dump_args_level":4,"bin_format":{"type":"strided","byte_order":"big_endian"},"args":[)"
                      R"({"task_id":"0x0","arg_index":0,"role":"x","stage":"before_dispatch","kind":"tensor",)"
                      R"("dtype":"FP6\u0007","shape":[],"strides":[]}]})"),
                 0),
      ElementsAre("level 4 is not known: 1 to 3 are",
                  "payloads are \"strided\": they are read as row-major and without gaps all the same",
                  "the byte order is \"big_endian\": payloads are read as little_endian all the same",
                  "1 argument has a role that is not known: \"x\"", "1 argument has a dtype that is not known: \"FP6?\""));
  EXPECT_THAT(
      args_notes(read(R"({"dump_args_level":0,"args":[{"task_id":"0x0","arg_index":0},{"task_id":"0x0","arg_index":1}]})"), 0),
      ElementsAre("level 0 is not known: 1 to 3 are", "2 arguments have a role that is not known",
                  "2 arguments have a stage that is not known", "2 arguments have a kind that is not known",
                  "2 arguments have a dtype that is not known"));
}

TEST(ArgsNotes, SizesThatDisagree) {
  const auto row = [](const std::string& dtype, const std::string& shape, int numel, int size, const std::string& more = "") {
    return R"({"args":[{"task_id":"0x0","arg_index":0,"role":"input","stage":"before_dispatch","kind":"tensor","dtype":")" +
           dtype + R"(","shape":[)" + shape + R"(],"strides":[2,1],"numel":)" + std::to_string(numel) + R"(,"bin_size":)" +
           std::to_string(size) + more + "}]}";
  };
  EXPECT_THAT(args_notes(read(row("FLOAT32", "2,2", 4, 16)), 16), IsEmpty());
  EXPECT_THAT(args_notes(read(row("FLOAT32", "2,2", 4, 12)), 16),
              ElementsAre("1 payload has a size that is not that of the elements"));
  EXPECT_THAT(args_notes(read(row("FLOAT32", "2,2", 4, 18)), 18),
              ElementsAre("1 payload has a size that is not that of the elements"));
  EXPECT_THAT(args_notes(read(row("FLOAT32", "2,2", 4, 8, R"(,"truncated":true)")), 16),
              ElementsAre("1 payload was truncated: the tensor is larger than the arena"));
  EXPECT_THAT(args_notes(read(row("FP4E2M1", "2,2", 4, 2)), 16), IsEmpty());
  EXPECT_THAT(args_notes(read(row("INT8", "2,3", 4, 4)), 4),
              ElementsAre("1 argument has a number of elements that is not that of the shape"));
  EXPECT_THAT(args_notes(read(row("INT8", "4", 4, 4)), 4), ElementsAre("1 argument has a shape and strides of different length"));
}

TEST(ArgsRealRuns, AreReadAndSound) {
  const fs::path artefacts = fs::path(DEPSCOPE_SHARED) / "artefacts";
  if (!fs::is_directory(artefacts)) GTEST_SKIP() << "no artefacts beside the project";
  std::size_t files = 0, rows = 0, scalars = 0;
  for (const auto& entry : fs::directory_iterator(artefacts)) {
    const fs::path path = entry.path() / "args_dump" / "args_dump.json";
    if (!fs::is_regular_file(path)) continue;
    SCOPED_TRACE(path.string());
    ++files;
    const ArgsDump d = read_args_dump(SourceFile::read(path.string(), kMaxArgsBytes));
    EXPECT_EQ(d.level, 2U);
    EXPECT_EQ(d.counters.total, d.rows());
    EXPECT_TRUE(std::is_sorted(d.task.begin(), d.task.end()));
    std::uint64_t end = 0;
    for (std::uint32_t row = 0; row < d.rows(); ++row) {
      end = std::max(end, d.bin_offset[row] + d.bin_size[row]);
      EXPECT_EQ(d.kind[row] == ArgForm::Scalar, !d.value(row).empty());
      scalars += d.kind[row] == ArgForm::Scalar ? 1 : 0;
    }
    EXPECT_THAT(args_notes(d, end), IsEmpty());
    rows += d.rows();
  }
  EXPECT_EQ(files, 14U);
  EXPECT_EQ(rows, 2034U);
  EXPECT_EQ(scalars, 270U);
}

}  // namespace
}  // namespace depscope::replay
