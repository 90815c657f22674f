#include "depscope/replay/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "depscope/replay/file.h"
#include "raw_zip.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

class BundleContainer : public ::testing::Test {
 protected:
  BundleContainer() {
    save(synthetic_recording({.tasks = 6}), directory_.file("a.depscope"));
    bundle_.run.input = {{"a program.py", "x = 1\n"}};
    bundle_.run.options = {{"--platform", "a5", std::nullopt}, {"--data", "n=", 0}};
    bundle_.run.option_files = {{"n.json", "[1, 2]"}};
    bundle_.recording = read_bytes(directory_.file("a.depscope"));
    bundle_.extras = {{"page.html", std::string(4000, 'p'), "a page"}, {"screenshots/run.png", noise(20'000, 1), "a picture"}};
  }

  BundleSize write(std::uint64_t max_bytes = kNoSizeLimit) {
    return write_bundle(
        bundle_,
        [](const Bundle& kept, const std::vector<BundleDropped>& dropped) {
          return std::to_string(kept.extras.size()) + " extras, " + std::to_string(dropped.size()) + " dropped";
        },
        path_, max_bytes);
  }

  static std::vector<std::string> names(const BundleSize& size) {
    std::vector<std::string> out;
    for (const BundleDropped& d : size.dropped) out.push_back(d.member);
    return out;
  }

  FileError error_of(const std::string& bytes) {
    write_bytes(path_, bytes);
    try {
      (void)read_bundle(path_);
    } catch (const FileError& error) {
      return error;
    }
    ADD_FAILURE() << "was read";
    return {FileFault::Unreadable, ""};
  }

  /// A bundle with another manifest, and members added.
  static std::string raw(const ordered_json& manifest, std::vector<RawMember> members = {}) {
    members.insert(members.begin(), {.name = "bundle.json", .bytes = manifest.dump()});
    return raw_zip(members);
  }

  static ordered_json manifest() {
    return {{"schema", "depscope.bundle/1"},
            {"tool", "depscope 9"},
            {"directory", false},
            {"input", {{{"name", "x.py"}, {"bytes", 2}, {"member", "input/x.py"}}}},
            {"options", ordered_json::array()},
            {"option_files", ordered_json::array()},
            {"recording", false},
            {"redacted", false},
            {"difference", ""},
            {"error", ""}};
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("b.zip");
  Bundle bundle_;
};

TEST_F(BundleContainer, ReadsBackWhatWasWritten) {
  bundle_.difference = "why";
  bundle_.redacted = true;
  const BundleSize size = write();
  EXPECT_EQ(size.bytes, read_bytes(path_).size());
  EXPECT_TRUE(size.dropped.empty());
  const Bundle read = read_bundle(path_);
  ASSERT_EQ(read.run.input.size(), 1U);
  EXPECT_EQ(read.run.input[0].name, "a program.py");
  EXPECT_EQ(read.run.input[0].text, "x = 1\n");
  EXPECT_FALSE(read.run.directory);
  ASSERT_EQ(read.run.options.size(), 2U);
  EXPECT_EQ(read.run.options[0].option, "--platform");
  EXPECT_EQ(read.run.options[0].value, "a5");
  EXPECT_FALSE(read.run.options[0].file);
  EXPECT_EQ(read.run.options[1].file, 0U);
  EXPECT_EQ(read.run.option_files.at(0).text, "[1, 2]");
  EXPECT_EQ(read.recording, bundle_.recording);
  EXPECT_EQ(read.difference, "why");
  EXPECT_TRUE(read.redacted);
  EXPECT_EQ(container_kind(path_), ContainerKind::Bundle);
  EXPECT_EQ(container_kind(directory_.file("a.depscope")), ContainerKind::Recording);
  EXPECT_THAT([&] { (void)load(path_); }, ::testing::ThrowsMessage<FileError>(HasSubstr("is an archive itself")));
}

TEST_F(BundleContainer, ItsRecordingIsLoadedAsAFileIs) {
  write();
  const recording::Recording whole = load(directory_.file("a.depscope"));
  EXPECT_TRUE(same_recording(load_recording(path_), whole));
  EXPECT_TRUE(same_recording(load_recording(directory_.file("a.depscope")), whole));
  bundle_.recording.clear();
  write();
  EXPECT_THAT([&] { (void)load_recording(path_); },
              ::testing::ThrowsMessage<FileError>(HasSubstr("a bundle without a recording")));
  bundle_.recording = "PK\3\4 no archive";
  write();
  EXPECT_THAT([&] { (void)load_recording(path_); },
              ::testing::ThrowsMessage<FileError>(HasSubstr("b.zip: recording.depscope: ")));
  EXPECT_THROW((void)load_recording("/nowhere"), FileError);
}

TEST_F(BundleContainer, LeavesOutTheLastExtraFirst) {
  const std::uint64_t all = write().bytes;
  EXPECT_THAT(names(write(all)), ElementsAre());
  EXPECT_THAT(names(write(all - 1)), ElementsAre("screenshots/run.png"));
  const std::uint64_t without_picture = write(all - 1).bytes;
  EXPECT_LE(without_picture, all - 20'000);
  EXPECT_THAT(names(write(without_picture - 1)), ElementsAre("screenshots/run.png", "page.html"));
  const std::uint64_t core = write(without_picture - 1).bytes;
  EXPECT_EQ(read_bundle(path_).recording, bundle_.recording);
  EXPECT_THAT(names(write(core - 1)), ElementsAre("screenshots/run.png", "page.html", "recording.depscope"));
  EXPECT_EQ(read_bundle(path_).recording, "");
  EXPECT_EQ(read_bundle(path_).run.input.at(0).text, "x = 1\n");
}

TEST_F(BundleContainer, KeepsTheRecordingThatTheInputDoesNotGive) {
  bundle_.run.input[0].text = noise(50'000, 2);
  bundle_.extras.clear();
  const std::uint64_t all = write().bytes;
  EXPECT_THAT(names(write(all - 1)), ElementsAre("recording.depscope"));
  bundle_.difference = "it is another one";
  EXPECT_THAT(names(write(write().bytes - 1)), ElementsAre("input/00/a_program.py"));
  EXPECT_EQ(read_bundle(path_).recording, bundle_.recording);
  // Where the recording alone would fit and the input not, the recording stays in any case.
  bundle_.difference = "";
  EXPECT_THAT(names(write(40'000)), ElementsAre("input/00/a_program.py"));
}

TEST_F(BundleContainer, WhatCannotFitIsNotWritten) {
  write_bytes(path_, "old");
  EXPECT_THAT([&] { write(100); }, ::testing::ThrowsMessage<FileError>(HasSubstr("the limit --max-size is 100")));
  EXPECT_EQ(read_bytes(path_), "old");
  EXPECT_EQ(directory_.entries(), 2U);
}

TEST_F(BundleContainer, EqualBundlesGiveEqualBytes) {
  write();
  const std::string first = read_bytes(path_);
  write();
  EXPECT_EQ(read_bytes(path_), first);
}

TEST_F(BundleContainer, DamageIsNamedOrHarmless) {
  bundle_.extras.resize(1);
  write();
  const std::string bytes = read_bytes(path_);
  const Bundle whole = read_bundle(path_);
  for (std::size_t size = 0; size < bytes.size(); size += 41) (void)error_of(bytes.substr(0, size));
  std::mt19937_64 random(3);
  unsigned refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    char& at = damaged[random() % damaged.size()];
    at = static_cast<char>(at ^ (1 << (random() % 8)));
    write_bytes(path_, damaged);
    try {
      const Bundle read = read_bundle(path_);
      EXPECT_EQ(read.recording, whole.recording);
      EXPECT_EQ(read.run.input.at(0).text, whole.run.input[0].text);
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500U);
}

TEST_F(BundleContainer, FaultsOfTheManifest) {
  const std::vector<RawMember> good{{.name = "input/x.py", .bytes = "xy"}};
  write_bytes(path_, raw(manifest(), good));
  EXPECT_EQ(read_bundle(path_).run.input.at(0).text, "xy");

  ordered_json m = manifest();
  m["schema"] = "depscope.bundle/2";
  EXPECT_EQ(error_of(raw(m, good)).fault(), FileFault::Incompatible);
  m["schema"] = "other/1";
  EXPECT_EQ(error_of(raw(m, good)).fault(), FileFault::Unrecognised);
  EXPECT_EQ(error_of(raw_zip({{.name = "x", .bytes = "y"}})).fault(), FileFault::Unrecognised);
  for (const char* key : {"input", "directory", "options", "option_files", "recording", "redacted", "difference", "error"}) {
    m = manifest();
    m[key] = nullptr;
    EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr(key));
    m.erase(key);
    EXPECT_EQ(error_of(raw(m, good)).fault(), FileFault::Corrupt) << key;
  }
  for (const char* name : {"", ".", "..", "../x.py", "/etc/x", "a/b"}) {
    m = manifest();
    m["input"][0]["name"] = name;
    EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("is no name of a file")) << name;
  }
  m = manifest();
  m["input"][0]["name"] = std::string("a\0b", 3);
  EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("is no name of a file"));
  m = manifest();
  m["input"][0]["bytes"] = 3;
  EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("has 2 bytes, bundle.json says 3"));
  m["input"][0]["member"] = "elsewhere";
  EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("member elsewhere is missing"));
  m = manifest();
  m["input"].push_back(m["input"][0]);
  EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("member input/x.py is named twice"));
  std::vector<RawMember> two = good;
  two.push_back({.name = "input/y.py", .bytes = "yz"});
  m["input"][1]["member"] = "input/y.py";
  EXPECT_THAT(error_of(raw(m, two)).what(), HasSubstr("two files of the input are named x.py"));
  m["input"][1]["name"] = "y.py";
  EXPECT_THAT(error_of(raw(m, two)).what(), HasSubstr("2 input files, but no directory"));
  m = manifest();
  m["options"] = {{{"option", "--data"}, {"value", ""}, {"file", 0}}};
  EXPECT_THAT(error_of(raw(m, good)).what(), HasSubstr("names file 0 of 0"));
  m = manifest();
  m["input"] = ordered_json::array();
  EXPECT_THAT(error_of(raw(m)).what(), HasSubstr("neither an input nor a recording"));
}

TEST_F(BundleContainer, ArchivesInside) {
  const std::vector<RawMember> good{{.name = "input/x.py", .bytes = "xy"}};
  std::vector<RawMember> members = good;
  members.push_back({.name = "more.zip", .bytes = bundle_.recording});
  EXPECT_THAT(error_of(raw(manifest(), members)).what(), HasSubstr("more.zip is an archive itself"));
  ordered_json m = manifest();
  m["input"][0]["bytes"] = bundle_.recording.size();
  EXPECT_THAT(error_of(raw(m, {{.name = "input/x.py", .bytes = bundle_.recording}})).what(),
              HasSubstr("input/x.py is an archive"));
  // A bundle in the place of the recording is none.
  write();
  const std::string inner = read_bytes(path_);
  m = manifest();
  m["recording"] = true;
  members = good;
  members.push_back({.name = "recording.depscope", .bytes = inner});
  write_bytes(path_, raw(m, members));
  const Bundle read = read_bundle(path_);
  EXPECT_THROW((void)load_bytes(read.recording, "inner"), FileError);
}

}  // namespace
}  // namespace depscope::replay
