#include "depscope/replay/deps_json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "deps_text.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/model.h"
#include "temporary_directory.h"
#include "validate.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Everything in it: an allocation without record, all three sources, a barrier, two rings, manual scope, blocks.
std::string whole_file() {
  return deps_file(
      {deps_task("4294967296", 0, {deps_arg(0, "INPUT", "11"), deps_arg(1, "INOUT", "22"), deps_output(2)}),
       deps_task("4294967297", 1, {deps_arg(0, "INPUT", "22"), deps_arg(1, "INPUT", "33")}, "auto", 4),
       deps_task("4294967298", -1, {}, "manual"), deps_task("1", 1, {deps_arg(0, "UNKNOWN", "22"), deps_arg(1, "INPUT", "33")})},
      {deps_tensor("11", "4096"), deps_tensor("22", "8192"), deps_tensor("33", "12288")},
      {deps_creator("0", "4294967296", 1, "22"), deps_creator("0", "4294967297", 0, "22"),
       deps_hit("4294967296", "4294967297", 0, "22"), deps_creator("4294967296", "4294967297", 1, "33"),
       deps_explicit("4294967297", "4294967298"), deps_explicit("4294967296", "1"), deps_hit("4294967296", "1", 0, "22")});
}

void expect_error(const std::string& text, const std::string& path, const std::string& message) {
  try {
    static_cast<void>(read_deps(text));
    ADD_FAILURE() << "no error, expected: " << message;
  } catch (const InputError& e) {
    ASSERT_EQ(e.diagnostics().size(), 1U);
    const Diagnostic& d = e.diagnostics()[0];
    EXPECT_EQ(d.json_path, path);
    EXPECT_THAT(d.message, HasSubstr(message));
    EXPECT_EQ(d.file, "t.deps.json");
    EXPECT_TRUE(d.byte_offset);
  }
}

TEST(DepsJsonReader, Tasks) {
  const DepsFile file = read_deps(whole_file());
  const Recording& r = file.recording;
  // The allocation stands before its first consumer.
  EXPECT_THAT(r.tasks.id, ElementsAre(0, 4294967296, 4294967297, 4294967298, 1));
  EXPECT_THAT(r.tasks.kind, ElementsAre(1, 0, 0, 2, 0));
  EXPECT_THAT(r.tasks.block_num, ElementsAre(1, 1, 4, 1, 1));
  EXPECT_THAT(r.tasks.flags, ElementsAre(0, 0, 0, 1, 0));
  EXPECT_THAT(r.tasks.kernel_aiv0, ElementsAre(-1, 0, 1, -1, 1));
  EXPECT_EQ(r.tasks.scope[0], kNoRow);
  EXPECT_THAT(r.scopes.ring, ElementsAre(0, 1));
  EXPECT_EQ(r.tasks.scope[1], 1U);
  EXPECT_EQ(r.tasks.scope[4], 0U);
  EXPECT_EQ(file.health.producers_without_record, 1U);
  EXPECT_EQ(file.health.consumers_without_record, 0U);
  EXPECT_TRUE(file.health.complete);
}

TEST(DepsJsonReader, TensorsHaveTheOwnersThatCreatorEdgesTell) {
  const Recording r = read_deps(whole_file()).recording;
  ASSERT_EQ(r.accesses.rows(), 7U);
  const auto owner = [&r](std::uint32_t access) { return r.tensors.owner[r.accesses.tensor[access]]; };
  const auto address = [&r](std::uint32_t access) { return r.tensors.address[r.accesses.tensor[access]]; };
  EXPECT_EQ(owner(0), runtime::kInvalidTask);
  EXPECT_EQ(owner(1), 0U);
  EXPECT_EQ(owner(2), 4294967296U);  // its own output
  EXPECT_EQ(owner(3), 0U);
  EXPECT_EQ(owner(4), 4294967296U);
  EXPECT_EQ(owner(5), runtime::kInvalidTask);  // nothing tells
  EXPECT_EQ(address(1), 8192U);
  EXPECT_EQ(address(3), 8192U);
  EXPECT_EQ(address(2), 0U);
  EXPECT_EQ(static_cast<runtime::ArgKind>(r.accesses.kind[5]), runtime::ArgKind::NoDep);
}

TEST(DepsJsonReader, EdgesAreGroupedByPair) {
  const Recording r = read_deps(whole_file()).recording;
  EXPECT_THAT(r.edges.producer, ElementsAre(0, 0, 1, 2, 1));
  EXPECT_THAT(r.edges.consumer, ElementsAre(1, 2, 2, 3, 4));
  EXPECT_THAT(r.edges.flags, ElementsAre(3, 3, 3, 3, 3));
  EXPECT_THAT(r.edges.provenance, ElementsAre(runtime::kCreator, runtime::kCreator, runtime::kCreator | runtime::kTensorMap,
                                              runtime::kExplicit, runtime::kExplicit | runtime::kTensorMap));
  EXPECT_THAT(r.edge_reasons.edge, ElementsAre(0, 1, 2, 2, 3, 4, 4));
  EXPECT_THAT(r.edge_reasons.consumer_access, ElementsAre(1, 3, 3, 4, kNoRow, kNoRow, 5));
  EXPECT_THAT(r.edge_reasons.producer_access, ElementsAre(kNoRow, kNoRow, 1, kNoRow, kNoRow, kNoRow, 1));
}

TEST(DepsJsonReader, TheRecordingIsValidAndWritesTheSameText) {
  const std::string text = replaced(whole_file(), "\n", "");
  const DepsFile file = read_deps(text);
  EXPECT_NO_THROW(validate(file.recording, "x"));
  std::string again = deps_json(file.recording, DepsSchema::Upstream);
  // Tensor ids are hashes of address and version; the test's are not.
  std::string expected = text;
  for (const auto& [id, address] : {std::pair{"11", 4096}, std::pair{"22", 8192}, std::pair{"33", 12288}}) {
    const std::string from = std::string("\"tensor_id\":\"") + id + "\"";
    const std::string to = "\"tensor_id\":\"" + std::to_string(tensor_id(static_cast<std::uint64_t>(address), 0)) + "\"";
    for (std::size_t at = expected.find(from); at != std::string::npos; at = expected.find(from, at + to.size()))
      expected.replace(at, from.size(), to);
  }
  EXPECT_EQ(again, expected + "\n");
}

TEST(DepsJsonReader, ASavedRecordingStillKnowsWhatWasAssumed) {
  TemporaryDirectory directory;
  const DepsFile file = read_deps(replaced(whole_file(), "\"early_dispatch\":false,", ""));
  EXPECT_THAT(file.health.assumed, ElementsAre("explicit_retain", "early_dispatch"));
  save(file.recording, directory.file("x.depscope"));
  const Recording r = load(directory.file("x.depscope"));
  ASSERT_EQ(r.options.rows(), 3U);
  EXPECT_EQ(r.text(r.options.name[0]), "imported");
  EXPECT_EQ(r.text(r.options.value[0]), "deps.json");
  EXPECT_EQ(r.text(r.options.value[1]), "current");
  EXPECT_EQ(r.text(r.options.value[2]), "explicit_retain,early_dispatch");
}

/// Wherever `edges` and `tensors` stand, the result is the same.
TEST(DepsJsonReader, OrderOfTheSectionsDoesNotMatter) {
  const std::string text = whole_file();
  const std::size_t tensors = text.find(",\"tensors\":");
  const std::size_t edges = text.find(",\"edges\":");
  const std::string a = text.substr(1, tensors - 1);
  const std::string b = text.substr(tensors + 1, edges - tensors - 1);
  const std::string c = text.substr(edges + 1, text.rfind('}') - edges - 1);
  const std::string expected = deps_json(read_deps(text).recording);
  for (const std::string& order : {c + "," + b + "," + a, b + "," + a + "," + c, a + "," + c + "," + b, c + "," + a + "," + b})
    EXPECT_EQ(deps_json(read_deps("{" + order + "}").recording), expected);
}

TEST(DepsJsonReader, EdgesInAnyOrderAreSorted) {
  const std::vector<std::string> tasks{deps_task("0", 0), deps_task("1", 0), deps_task("2", 0)};
  const Recording r =
      read_deps(deps_file(tasks, {}, {deps_explicit("1", "2"), deps_explicit("0", "1"), deps_explicit("0", "2")})).recording;
  EXPECT_NO_THROW(validate(r, "x"));
  EXPECT_THAT(r.edges.producer, ElementsAre(0, 1, 0));
  EXPECT_THAT(r.edges.consumer, ElementsAre(1, 2, 2));
}

/// An allocation is placed before the next task of its ring, too, not only before its first consumer.
TEST(DepsJsonReader, AllocationsKeepTheOrderOfTheirRing) {
  const std::vector<std::string> tasks{deps_task("0", 0), deps_task("2", 0), deps_task("4294967296", 0), deps_task("4", 0)};
  const Recording r = read_deps(deps_file(tasks, {}, {deps_explicit("1", "4"), deps_explicit("3", "4")})).recording;
  EXPECT_THAT(r.tasks.id, ElementsAre(0, 1, 2, 4294967296, 3, 4));
  EXPECT_THAT(r.tasks.kind, ElementsAre(0, 1, 0, 0, 1, 0));
}

TEST(DepsJsonReader, VersionOne) {
  const DepsFile file = read_deps(R"({"version":1,"edges":[[0,4294967296],[0,4294967297],[4294967296,4294967297],["0",1]]})");
  const Recording& r = file.recording;
  EXPECT_EQ(file.health.version, DepsVersion::V1);
  EXPECT_THAT(r.tasks.id, ElementsAre(0, 4294967296, 4294967297, 1));
  EXPECT_THAT(r.tasks.kind, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(r.edges.producer, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(r.edges.flags, ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(file.health.assumed,
              ElementsAre("tasks", "sources", "flags", "scope", "kernel_ids", "block_num", "early_dispatch"));
  EXPECT_NO_THROW(validate(r, "x"));
  EXPECT_EQ(r.findings.rows(), 0U);
}

TEST(DepsJsonReader, VersionTwoHasOffsetsByDimension) {
  const DepsFile file = read_deps(
      R"({"version":2,"tasks":[{"task_id":"0","scope":"auto","args":[)"
      R"({"idx":0,"type":"INOUT","tensor_id":"7","dtype":"FLOAT32","shape":[2,8],"offset":[3,16]}]},)"
      R"({"task_id":"1","scope":"auto","args":[{"idx":0,"type":"INPUT","tensor_id":"7","dtype":"FLOAT32","shape":[2,8],"offset":[3,16]}]}],)"
      R"("tensors":[{"tensor_id":"7","buffer_addr":"4096","version":0,"dtype":"FLOAT32","ndims":2,"raw_shapes":[16,32]}],)"
      R"("edges":[{"pred":"0","succ":"1","arg":0,"source":"tensormap","overlap":"covered","tensor_id":"7","consumer_shape":[2,8],)"
      R"("consumer_offset":[3,16],"producer_shape":[2,8],"producer_offset":[3,16]}]})");
  const Recording& r = file.recording;
  EXPECT_EQ(file.health.version, DepsVersion::V2);
  EXPECT_THAT(file.health.assumed, ElementsAre("flags", "kernel_ids", "block_num", "early_dispatch", "strides"));
  EXPECT_THAT(r.accesses.start_offset, ElementsAre(3 * 32 + 16, 3 * 32 + 16));
  const std::uint32_t* words = r.pool.data() + r.accesses.geometry_begin[0];
  EXPECT_THAT(std::vector<std::uint32_t>(words, words + 6), ElementsAre(2, 8, 32, 0, 1, 0));
  EXPECT_THAT(r.tensors.buffer_elements, ElementsAre(512));
  EXPECT_THAT(r.edges.flags, ElementsAre(runtime::kWait));
  EXPECT_THAT(r.edge_reasons.producer_access, ElementsAre(0));
  // Without kernel ids nothing says that a task is a barrier.
  EXPECT_THAT(r.tasks.kind, ElementsAre(0, 0));
}

TEST(DepsJsonReader, WithoutFlagsTheSourceTells) {
  std::string text = deps_file({deps_task("0", 0, {deps_arg(0, "INOUT", "1")}), deps_task("1", 0, {deps_arg(0, "INPUT", "1")})},
                               {deps_tensor("1", "64")}, {deps_hit("0", "1", 0, "1")});
  text = replaced(text, "\"flags\":[\"wait\"],", "");
  const DepsFile file = read_deps(text);
  EXPECT_THAT(file.recording.edges.flags, ElementsAre(runtime::kWait));
  EXPECT_THAT(file.health.assumed, ElementsAre("flags"));
}

TEST(DepsJsonReader, OwnSchemaHasPairsAndSubmissions) {
  Recording r;
  {
    recording::RuntimeRecorder recorder(r);
    runtime::ModelOptions options;
    options.reduction.kind = runtime::ReductionKind::Exact;
    runtime::Model model(options, recorder);
    runtime::Submission s;
    s.callee = r.strings.add("fill");
    s.kernel_ids = {-1, 3, -1};
    std::vector<runtime::TaskId> ids;
    for (int i = 0; i < 4; ++i) {
      s.deps.clear();
      for (const runtime::TaskId id : ids) s.deps.push_back({id, runtime::kWaitRetain, runtime::kUser});
      ids.push_back(model.submit(s).id);
    }
    model.finish();
  }
  r.passes.name.push_back(0);  // a program, so that the submissions are written
  recording::PassesTable::columns(r.passes, [](std::string_view, auto& values, auto) { values.resize(1); });
  const DepsFile file = read_deps(deps_json(r));
  EXPECT_EQ(file.health.version, DepsVersion::Depscope);
  EXPECT_THAT(file.health.assumed, IsEmpty());
  const Recording& again = file.recording;
  EXPECT_EQ(again.edges.flags_final, r.edges.flags_final);
  EXPECT_EQ(again.edges.provenance, r.edges.provenance);
  EXPECT_EQ(again.edges.via, r.edges.via);
  ASSERT_EQ(again.tasks.rows(), 4U);
  EXPECT_EQ(again.text(again.tasks.callee[2]), "fill");
}

TEST(DepsJsonReader, RowsThatAreNoEdgesAreCounted) {
  std::string text = deps_file({deps_task("0", 0), deps_task("1", 0)}, {},
                               {"5", "null", R"({"pred":"x","succ":"1","arg":-1,"source":"explicit"})", R"({"pred":"0"})",
                                R"({"pred":"0","succ":"1","arg":-1,"source":"guess"})", "[0]",
                                R"({"pred":"0","succ":"1","arg":4294967296,"source":"creator"})", deps_explicit("0", "1")});
  const DepsFile file = read_deps(text);
  EXPECT_EQ(file.health.skipped_edges, 7U);
  EXPECT_EQ(file.recording.edges.rows(), 1U);
  ASSERT_EQ(file.recording.findings.rows(), 1U);
  EXPECT_THAT(std::string(file.recording.text(file.recording.findings.summary[0])), HasSubstr("7 rows of edges"));
}

TEST(DepsJsonReader, ConsumersWithoutRecordAreKeptAndSaid) {
  const DepsFile file = read_deps(deps_file({deps_task("0", 0)}, {}, {deps_explicit("0", "9")}));
  EXPECT_EQ(file.health.consumers_without_record, 1U);
  EXPECT_THAT(file.recording.tasks.id, ElementsAre(0, 9));
  EXPECT_EQ(file.recording.findings.rows(), 1U);
  EXPECT_NO_THROW(validate(file.recording, "x"));
}

TEST(DepsJsonReader, EmptyGraph) {
  const DepsFile file = read_deps(R"({"tasks":[],"tensors":[],"edges":[]})");
  EXPECT_EQ(file.recording.tasks.rows(), 0U);
  EXPECT_NO_THROW(validate(file.recording, "x"));
}

TEST(DepsJsonReader, ErrorsNameTheirPath) {
  const std::string text = whole_file();
  expect_error(replaced(text, "\"block_num\":4", "\"block_num\":-4"), "tasks[1].block_num", "-4 is out of range");
  expect_error(replaced(text, "\"manual\"", "\"hand\""), "tasks[2].scope", "allowed: auto, manual");
  expect_error(replaced(text, "\"INOUT\"", "\"BOTH\""), "tasks[0].args[1].type", "allowed: INPUT");
  expect_error(replaced(text, "[-1,0,-1]", "[-1,0]"), "tasks[0].kernel_ids", "exactly 3");
  expect_error(replaced(text, "\"shape\":[64]", "\"shape\":[1,2,3,4,5,6]"), "tasks[0].args[0].shape[5]", "more than 5");
  expect_error(replaced(text, "\"strides\":[1]", "\"strides\":[1,1]"), "tasks[0].args[0]", "2 strides for a shape of rank 1");
  expect_error(replaced(text, "\"task_id\":\"1\"", "\"task_id\":\"4294967296\""), "tasks[3].task_id", "used twice");
  expect_error(replaced(text, "\"task_id\":\"1\"", "\"task_id\":\"-1\""), "tasks[3].task_id", "invalid task id");
  expect_error(replaced(text, "\"task_id\":\"1\"", "\"task_id\":\"one\""), "tasks[3].task_id", "whole number");
  expect_error(replaced(text, "[\"wait\",\"retain\"]", "[\"hold\"]"), "edges[0].flags[0]", "allowed: wait, retain");
  expect_error(replaced(text, "\"buffer_addr\":\"4096\"", "\"buffer_addr\":null"), "tensors[0].buffer_addr", "whole number");
  expect_error(R"({"version":4,"tasks":[]})", "version", "allowed: 1, 2, 3");
  expect_error(R"({"schema":"depscope.facts/1","tasks":[]})", "schema", "depscope.deps/1 was expected");
  expect_error(R"({"x":1})", "", "not a deps.json");
  expect_error(R"({"tensors":[],"edges":[]})", "", "\"tasks\" is missing");
  expect_error(R"({"tasks":[],"tasks":[]})", "tasks", "given twice");
  expect_error("[]", "", "an object was expected");
  const auto own = [](const std::string& rest) { return R"({"schema":"depscope.deps/1","tasks":[],"tensors":[],)" + rest + "}"; };
  expect_error(own(R"("pairs":[{"pred":"0"}])"), "pairs[0]", "\"succ\" is missing");
  expect_error(own(R"("pairs":[{"pred":"-1"}])"), "pairs[0].pred", "invalid task id");
  expect_error(own(R"("pairs":[{"pred":"0","provenance":["friend"]}])"), "pairs[0].provenance[0]", "unknown provenance");
  expect_error(own(R"("submissions":[{"task_id":"0","kind":"kernel"},{"task_id":"0","kind":"kernel"}])"), "submissions[1]",
               "submitted twice");
}

/// Whatever the place of the cut: one error that says where the text ends; salvaging gives what is whole before it.
TEST(DepsJsonReader, EveryTruncationIsOneClearError) {
  const std::string whole = whole_file();
  const std::size_t end = whole.rfind('}');
  for (std::size_t size = 0; size <= end; ++size) {
    const std::string text = whole.substr(0, size);
    try {
      static_cast<void>(read_deps(text));
      FAIL() << size;
    } catch (const InputError& e) {
      ASSERT_EQ(e.diagnostics().size(), 1U);
      EXPECT_THAT(e.diagnostics()[0].message, HasSubstr("unexpected end of JSON")) << size;
      EXPECT_EQ(e.diagnostics()[0].byte_offset, size);
    }
    if (size == 0) continue;
    const DepsFile file = read_deps(text, {.salvage = true});
    EXPECT_FALSE(file.health.complete);
    ASSERT_TRUE(file.health.cut);
    EXPECT_EQ(file.health.cut->byte_offset, size);
    EXPECT_NO_THROW(validate(file.recording, "x")) << size;
    const auto tasks = static_cast<std::uint32_t>(
        std::count_if(file.recording.tasks.kind.begin(), file.recording.tasks.kind.end(), [](auto kind) { return kind != 1; }));
    std::uint32_t complete = 0;
    for (const char* mark :
         {"]},{\"task_id\":\"4294967297\"", "]},{\"task_id\":\"4294967298\"", "]},{\"task_id\":\"1\"", "]}],\"tensors\""})
      complete += whole.find(mark) + 2 <= size ? 1 : 0;
    EXPECT_EQ(tasks, complete) << size;
  }
}

/// Single bytes changed anywhere: an error or a valid recording, never anything else.
void change_bytes(const std::string& whole) {
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : {'\0', '"', '9', '-', '}', ']', ','}) {
      std::string text = whole;
      text[at] = c;
      try {
        const DepsFile file = read_deps(text);
        ASSERT_NO_THROW(validate(file.recording, "x")) << at << c;
      } catch (const InputError& e) {
        ASSERT_EQ(e.diagnostics().size(), 1U);
      }
    }
  }
}

TEST(DepsJsonReader, ChangedBytesNeverBreakTheReader) {
  change_bytes(whole_file());
  change_bytes(R"({"version":1,"edges":[[0,4294967296],[0,4294967297],[4294967296,4294967297]]})");
  change_bytes(R"({"schema":"depscope.deps/1","tasks":[{"task_id":"1"},{"task_id":"2"}],"tensors":[],"edges":[],"pairs":[)"
               R"({"pred":"0","succ":"1","flags":["wait"],"provenance":["user","creator"],"flags_final":[],"via":"2"},)"
               R"({"pred":"1","succ":"2","flags":["wait"],"provenance":["explicit"],"flags_final":["wait"],"via":null}],)"
               R"("submissions":[{"task_id":"0","kind":"alloc","callee":null},{"task_id":"1","kind":"kernel","callee":"k"},)"
               R"({"task_id":"2","kind":"dummy","callee":null}]})");
}

TEST(JsonContentTest, IsToldByItsKeys) {
  const std::string deps = whole_file();
  EXPECT_EQ(json_content(deps), JsonContent::Deps);
  EXPECT_EQ(json_content(deps.substr(0, 700)), JsonContent::Deps);
  EXPECT_EQ(json_content(R"({"version":1,"edges":[[0,1]]})"), JsonContent::Deps);
  EXPECT_EQ(json_content(R"({"tasks":[],"tensors":[],"edges":[]})"), JsonContent::Deps);
  EXPECT_EQ(json_content(R"({"schema":"depscope.deps/1","tasks":[)"), JsonContent::Deps);
  EXPECT_EQ(json_content(R"({"comment":"c","tasks":[{"task_id":"0","explicit_deps":[],"args":[]}]})"), JsonContent::Trace);
  EXPECT_EQ(json_content(R"({"tasks":[]})"), JsonContent::Unknown);
  EXPECT_EQ(json_content(R"({"chip_swimlane_level":4,"metadata":{}})"), JsonContent::Unknown);
  EXPECT_EQ(json_content("{\"tasks\":[{\"task"), JsonContent::Unknown);
  EXPECT_EQ(json_content("hello"), JsonContent::Unknown);
}

/// Files of real runs are read, are valid, and where they are of the current version, are written again byte by byte.
TEST(DepsJsonReader, FilesOutsideTheProject) {
  namespace fs = std::filesystem;
  int read = 0;
  for (const char* folder : {"artefacts", "spec/artefact-samples"}) {
    const fs::path root = fs::path(DEPSCOPE_SHARED) / folder;
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      if (name.find("deps") == std::string::npos || entry.path().extension() != ".json") continue;
      SCOPED_TRACE(entry.path().string());
      const std::string text = read_bytes(entry.path().string());
      const DepsFile file = read_deps(text);
      EXPECT_NO_THROW(validate(file.recording, "x"));
      EXPECT_EQ(file.health.skipped_edges, 0U);
      EXPECT_EQ(file.health.version == DepsVersion::V1 ? 0U : file.health.consumers_without_record, 0U);
      const std::vector<std::string>& assumed = file.health.assumed;
      const bool whole =
          std::all_of(assumed.begin(), assumed.end(), [](const std::string& what) { return what == "explicit_retain"; });
      if (file.health.version == DepsVersion::Current && whole) {
        EXPECT_TRUE(deps_json(file.recording, DepsSchema::Upstream) == text);
      }
      ++read;
    }
  }
  if (read == 0) GTEST_SKIP() << "no files here";
  EXPECT_GT(read, 20);
}

/// Text that is given up as it is read: the recording is the same, and errors at the end have their places all the same.
TEST(DepsJsonReader, GivingTheTextUpChangesNothing) {
  std::vector<std::string> tasks, edges;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    tasks.push_back(deps_task(std::to_string(i), 0, {deps_arg(0, "INPUT", "11"), deps_output(1)}));
    if (i != 0) edges.push_back(deps_explicit(std::to_string(i - 1), std::to_string(i)));
  }
  const std::vector<std::string> tensors{deps_tensor("11", "4096")};
  const std::string text = deps_file(tasks, tensors, edges);
  ASSERT_GT(text.size(), 4'000'000U);
  const TemporaryDirectory directory;
  const std::string path = directory.file("deps.json");
  const auto given_up = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return read_deps_json(SourceFile::read(path, kMaxDepsBytes));
  };
  const std::string kept = deps_json(read_deps(text).recording, DepsSchema::Upstream);
  EXPECT_TRUE(deps_json(given_up(text).recording, DepsSchema::Upstream) == kept);
  // Edges before tensors: they are read when the tensors are known.
  const std::string other = R"({"tasks":[)" + deps_joined(tasks) + R"(],"edges":[)" + deps_joined(edges) + R"(],"tensors":[)" +
                            deps_joined(tensors) + "]}\n";
  EXPECT_TRUE(deps_json(given_up(other).recording, DepsSchema::Upstream) == kept);
  edges.push_back(R"({"pred" "0"})");
  try {
    static_cast<void>(given_up(deps_file(tasks, tensors, edges)));
    ADD_FAILURE() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().front().json_path, "edges[29999].pred");
  }
}

}  // namespace
}  // namespace depscope::replay
