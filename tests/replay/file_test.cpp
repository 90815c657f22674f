#include "depscope/replay/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/output_file.h"
#include "depscope/replay/summary_text.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"
#include "zip_archive.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using ::testing::HasSubstr;

/// The fault and message of loading a file, which must fail.
FileError load_error(const std::string& path, const LoadLimits& limits = {}) {
  try {
    (void)load(path, limits);
  } catch (const FileError& error) {
    return error;
  }
  ADD_FAILURE() << path << " was loaded";
  return {FileFault::Unreadable, ""};
}

/// Rewrites a container with changed, added or left-out members.
using Edit = std::function<bool(std::string& name, std::string& bytes)>;  // false = leave out
void edit_container(const std::string& from, const std::string& to, const Edit& edit,
                    const std::vector<std::pair<std::string, std::string>>& added = {}) {
  int code = 0;
  zip_t* in = zip_open(from.c_str(), ZIP_RDONLY, &code);
  zip_t* out = zip_open(to.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  std::vector<std::pair<std::string, std::string>> members;
  for (zip_int64_t i = 0; i < zip_get_num_entries(in, 0); ++i) {
    zip_stat_t stat;
    zip_stat_index(in, static_cast<zip_uint64_t>(i), 0, &stat);
    std::string name = stat.name;
    std::string bytes(stat.size, '\0');
    zip_file_t* file = zip_fopen_index(in, static_cast<zip_uint64_t>(i), 0);
    zip_fread(file, bytes.data(), bytes.size());
    zip_fclose(file);
    if (edit(name, bytes)) members.emplace_back(name, bytes);
  }
  members.insert(members.end(), added.begin(), added.end());
  for (const auto& [name, bytes] : members) {
    zip_file_add(out, name.c_str(), zip_source_buffer(out, bytes.data(), bytes.size(), 0), 0);
  }
  ASSERT_EQ(zip_close(out), 0) << zip_strerror(out);
  zip_discard(in);
}

class FileTest : public ::testing::Test {
 protected:
  FileTest() : recording_(synthetic_recording()) { save(recording_, path_); }

  FileError error_after(const Edit& edit, const std::vector<std::pair<std::string, std::string>>& added = {}) {
    const std::string edited = directory_.file("edited.depscope");
    edit_container(path_, edited, edit, added);
    return load_error(edited);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.depscope");
  Recording recording_;
};

TEST_F(FileTest, RoundTripKeepsEverything) {
  const Recording loaded = load(path_);
  EXPECT_TRUE(same_recording(recording_, loaded));
  EXPECT_EQ(loaded.text(loaded.passes.text[2]), recording_.text(recording_.passes.text[2]));
  EXPECT_EQ(container_kind(path_), ContainerKind::Recording);
}

TEST_F(FileTest, LoadedStringsAreFoundAgain) {
  Recording loaded = load(path_);
  const std::uint32_t rows = loaded.strings.rows();
  EXPECT_EQ(loaded.text(loaded.strings.add("matmul")), "matmul");
  EXPECT_EQ(loaded.strings.rows(), rows);
  EXPECT_EQ(loaded.strings.add("a new one"), rows);
}

TEST_F(FileTest, EmptyRecording) {
  const std::string path = directory_.file("empty.depscope");
  save(Recording{}, path);
  EXPECT_TRUE(same_recording(Recording{}, load(path)));
}

TEST_F(FileTest, LargerRecordingWithNegativeAndWideValues) {
  Recording r = synthetic_recording({.tasks = 20000, .seed = 5});
  for (std::uint32_t i = 0; i < r.tensors.rows(); ++i) {
    r.tensors.version[i] = static_cast<std::int32_t>(i) - 5000;
    r.tensors.address[i] = ~std::uint64_t{0} - i * 977;
  }
  const std::string path = directory_.file("large.depscope");
  save(r, path);
  EXPECT_TRUE(same_recording(r, load(path)));
}

TEST_F(FileTest, EqualRecordingsGiveEqualBytes) {
  const std::string again = directory_.file("b.depscope");
  save(synthetic_recording(), again);
  EXPECT_EQ(read_bytes(path_), read_bytes(again));
  save(load(path_), again);  // and a loaded one gives them again
  EXPECT_EQ(read_bytes(path_), read_bytes(again));
  EXPECT_EQ(directory_.entries(), 2U) << "temporary files are left";
}

TEST_F(FileTest, PassTextsStandOnlyInTheirMembers) {
  int members = 0;
  edit_container(path_, directory_.file("copy.zip"), [&](std::string& name, std::string& bytes) {
    if (name == "passes/00_frontend.py" || name == "passes/01_after_ConvertToSSA.py") {
      EXPECT_EQ(bytes, "# pypto.program: Demo\nclass Demo:\n  pass\n");
      ++members;
    } else if (name.rfind("passes/", 0) != 0) {
      EXPECT_EQ(bytes.find("class Demo"), std::string::npos) << name;
    }
    return true;
  });
  EXPECT_EQ(members, 2);
}

TEST_F(FileTest, HoldsWhatOtherToolsAndPeopleRead) {
  std::vector<std::string> names;
  edit_container(path_, directory_.file("copy.zip"), [&](std::string& name, std::string& bytes) {
    names.push_back(name);
    if (name == "deps.json") {
      EXPECT_EQ(bytes, deps_json(recording_, DepsSchema::Upstream));
    }
    if (name == "facts.json") {
      EXPECT_EQ(bytes, facts_json(recording_));
    }
    if (name == "report.md") {
      EXPECT_EQ(bytes, summary_text(recording_, {.markdown = true}));
    }
    if (name == "input/demo.py") {
      EXPECT_EQ(bytes, recording_.input_text);
    }
    return true;
  });
  ASSERT_GT(names.size(), 10U);
  names.resize(10);
  EXPECT_THAT(names,
              ::testing::ElementsAre("manifest.json", "report.md", "facts.json", "deps.json", "input/demo.py",
                                     "input/options/00_lengths.json", "input/options/01_a_b_.._t.json", "passes/00_frontend.py",
                                     "passes/01_after_ConvertToSSA.py", "passes/02_after_AutoDeriveTaskDependencies.py"));
}

TEST_F(FileTest, ATextThatBeginsBehindAPassIsNamedAfterIt) {
  recording::Recording r = synthetic_recording();
  r.passes.name[0] = r.strings.add("FuseCreateAssembleToSlice");
  const std::string path = directory_.file("tail.depscope");
  save(r, path);
  std::vector<std::string> passes;
  edit_container(path, directory_.file("copy.zip"), [&](std::string& name, std::string&) {
    if (name.starts_with("passes/")) passes.push_back(name);
    return true;
  });
  EXPECT_EQ(passes.at(0), "passes/00_after_FuseCreateAssembleToSlice.py");
  EXPECT_EQ(passes.at(1), "passes/01_after_ConvertToSSA.py");
  EXPECT_TRUE(same_recording(r, load(path)));
}

TEST_F(FileTest, FactsOfManyHazardsAreLeftOut) {
  recording::Recording r = synthetic_recording({.tasks = 2});
  recording::HazardsTable::columns(
      r.hazards, [](std::string_view, auto& values, recording::Target) { values.resize(500'001, values.front()); });
  const std::string path = directory_.file("many.depscope");
  save(r, path);
  bool omitted = false;
  edit_container(path, directory_.file("copy.zip"), [&](std::string& name, std::string& bytes) {
    EXPECT_NE(name, "facts.json");
    if (name == "manifest.json") omitted = nlohmann::json::parse(bytes)["omitted"] == nlohmann::json::array({"facts.json"});
    return true;
  });
  EXPECT_TRUE(omitted);
  EXPECT_TRUE(same_recording(load(path), r));
}

TEST_F(FileTest, TruncationAtEveryByteIsRefused) {
  const std::string cut = directory_.file("cut.depscope");
  save(synthetic_recording({.tasks = 6}), cut);
  EXPECT_NO_THROW((void)load(cut));
  for (std::uintmax_t size = std::filesystem::file_size(cut); size-- > 0;) {
    std::filesystem::resize_file(cut, size);
    EXPECT_THROW((void)load(cut), FileError) << "at byte " << size;
    if (HasFailure()) break;
  }
}

TEST_F(FileTest, FlippedBitsNeverChangeTheRecording) {
  const std::string bytes = read_bytes(path_);
  const std::string flipped = directory_.file("flipped.depscope");
  std::mt19937_64 random(7);
  std::uint32_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    const std::size_t at = random() % bytes.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    write_bytes(flipped, damaged);
    try {
      EXPECT_TRUE(same_recording(recording_, load(flipped))) << "byte " << at;
    } catch (const FileError&) {
      ++refused;
    }
    (void)container_kind(flipped);
  }
  EXPECT_GT(refused, 500U);  // the rest hit names and dates that nothing depends on
}

TEST_F(FileTest, FaultsOfTheContainer) {
  EXPECT_EQ(load_error(directory_.file("missing")).fault(), FileFault::Unreadable);
  EXPECT_EQ(load_error(directory_.file(".")).fault(), FileFault::Unreadable);
  const std::string text = directory_.file("text.depscope");
  write_bytes(text, "not a recording");
  EXPECT_EQ(load_error(text).fault(), FileFault::Unrecognised);
  write_bytes(text, "");
  EXPECT_EQ(load_error(text).fault(), FileFault::Unrecognised);
  EXPECT_EQ(container_kind(text), ContainerKind::None);
  EXPECT_EQ(container_kind("/nowhere"), ContainerKind::None);
}

TEST_F(FileTest, FaultsOfTheManifest) {
  const auto with_schema = [](const std::string& schema) {
    return [schema](std::string& name, std::string& bytes) {
      if (name == "manifest.json") bytes.replace(bytes.find("depscope.recording/1"), 20, schema);
      return true;
    };
  };
  const FileError newer = error_after(with_schema("depscope.recording/2"));
  EXPECT_EQ(newer.fault(), FileFault::Incompatible);
  EXPECT_THAT(newer.what(), HasSubstr("depscope.recording/2"));
  EXPECT_EQ(error_after(with_schema("something.else/1")).fault(), FileFault::Unrecognised);
  EXPECT_EQ(error_after(with_schema("depscope.recording/x")).fault(), FileFault::Corrupt);
  EXPECT_EQ(error_after([](std::string& name, std::string&) { return name != "manifest.json"; }).fault(),
            FileFault::Unrecognised);
  EXPECT_EQ(error_after([](std::string& name, std::string& bytes) {
              if (name == "manifest.json") bytes = "{\"schema\": \"depscope.recording/1\"";
              return true;
            }).fault(),
            FileFault::Corrupt);
  EXPECT_EQ(error_after([](std::string& name, std::string& bytes) {
              if (name == "manifest.json") bytes = std::string(100000, '[');
              return true;
            }).fault(),
            FileFault::Corrupt);
}

TEST_F(FileTest, FaultsOfTheMembers) {
  const auto keep = [](std::string&, std::string&) { return true; };
  EXPECT_THAT(error_after(keep, {{"../evil", "x"}}).what(), HasSubstr("leads outside"));
  EXPECT_THAT(error_after(keep, {{"/evil", "x"}}).what(), HasSubstr("leads outside"));
  EXPECT_THAT(error_after(keep, {{"a/../../evil", "x"}}).what(), HasSubstr("leads outside"));
  for (const char* gone :
       {"tables/events", "tables/strings", "tables/pool", "input/demo.py", "passes/01_after_ConvertToSSA.py"}) {
    const FileError error = error_after([&](std::string& name, std::string&) { return name != gone; });
    EXPECT_EQ(error.fault(), FileFault::Corrupt);
    EXPECT_THAT(error.what(), HasSubstr(gone));
  }
  EXPECT_THAT(error_after([](std::string& name, std::string& bytes) {
                if (name == "tables/edges") bytes += "tail";
                return true;
              }).what(),
              HasSubstr("nothing describes"));
  EXPECT_THAT(error_after([](std::string& name, std::string& bytes) {
                if (name == "tables/edges") bytes.replace(bytes.find("u32"), 3, "i16");
                return true;
              }).what(),
              HasSubstr("tables/edges"));
  EXPECT_THAT(error_after([](std::string& name, std::string& bytes) {
                if (name == "passes/01_after_ConvertToSSA.py") bytes = "another";
                return true;
              }).what(),
              HasSubstr("differs"));
  EXPECT_EQ(load_error(path_, {.max_members = 3}).fault(), FileFault::Corrupt);
  EXPECT_THAT(load_error(path_, {.max_member_bytes = 100}).what(), HasSubstr("max_member_bytes"));
  EXPECT_THAT(load_error(path_, {.max_total_bytes = 1000}).what(), HasSubstr("max_total_bytes"));
}

TEST_F(FileTest, UnknownMembersTablesAndColumnsAreSkipped) {
  const std::string edited = directory_.file("edited.depscope");
  edit_container(path_, edited,
                 [](std::string& name, std::string& bytes) {
                   if (name == "tables/scopes") {
                     bytes[8] = static_cast<char>(bytes[8] + 1);  // one more column, of the table's 4 rows
                     bytes += std::string("\x05\0later", 7) + std::string("u16\0\0", 5) + std::string("\4\0\0\0\0\0\0\0", 8) +
                              std::string("\x08\0\0\0\0\0\0\0", 8) + "abcdefgh";
                   }
                   return true;
                 },
                 {{"tables/later", "anything"}, {"notes.txt", "anything"}});
  ASSERT_EQ(recording_.scopes.rows(), 4U);
  EXPECT_TRUE(same_recording(recording_, load(edited)));
}

TEST_F(FileTest, ClaimOfManyRowsCostsNoMemory) {
  const FileError error = error_after([](std::string& name, std::string& bytes) {
    if (name == "tables/pool") {
      for (std::size_t i = 0; i < 4; ++i) bytes[12 + 2 + 4 + 4 + 1 + i] = '\x7f';  // rows of its only column
    }
    return true;
  });
  EXPECT_EQ(error.fault(), FileFault::Corrupt);
  EXPECT_THAT(error.what(), HasSubstr("declares"));
}

TEST_F(FileTest, NamesOfInputsCannotLeaveTheContainer) {
  Recording r = synthetic_recording({.tasks = 3});
  for (const char* name : {"../../etc/passwd", "..", "a/b\\c.py", ""}) {
    r.input_name = name;
    const std::string file = directory_.file("named.depscope");
    save(r, file);
    EXPECT_TRUE(same_recording(r, load(file))) << name;
  }
}

TEST_F(FileTest, WhatCouldNotBeLoadedIsNotWritten) {
  recording_.edges.producer[1] = 99;
  const std::string file = directory_.file("broken.depscope");
  EXPECT_THROW(save(recording_, file), InternalError);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(OutputFileTest, NothingIsLeftWithoutACommit) {
  TemporaryDirectory directory;
  const std::string path = directory.file("out");
  write_bytes(path, "old");
  {
    OutputFile file(path);
    file.write("new");
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(directory.entries(), 1U);
  OutputFile file(path);
  file.write("new");
  file.commit();
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(OutputFileTest, LinksAreFollowedAndDevicesWrittenDirectly) {
  TemporaryDirectory directory;
  write_bytes(directory.file("target"), "old");
  std::filesystem::create_symlink("target", directory.file("link"));
  OutputFile link(directory.file("link"));
  link.write("new");
  link.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(read_bytes(directory.file("target")), "new");

  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return read_bytes(pipe); });
  OutputFile file(pipe);
  file.write("through");
  file.commit();
  EXPECT_EQ(reader.get(), "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(OutputFileTest, ErrorsNameThePath) {
  TemporaryDirectory directory;
  std::filesystem::create_symlink("loop", directory.file("loop"));
  for (const std::string& path : {directory.file("no/such/directory"), directory.file("."), directory.file("loop"),
                                  directory.file(std::string(300, 'n'))}) {
    try {
      OutputFile file(path);
      ADD_FAILURE() << path;
    } catch (const FileError& error) {
      EXPECT_EQ(error.fault(), FileFault::Unwritable);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("loop")));
  EXPECT_THROW(save(recording::Recording{}, "/dev/full"), FileError);
}

/// Fails when most of it was read.
class FaultySource final : public ByteSource {
 public:
  [[nodiscard]] std::uint64_t size() const override { return 1'000'000; }
  void rewind() override { at_ = 0; }
  std::size_t read(char* out, std::size_t count) override {
    if (at_ > 500'000) throw InternalError("the source is at fault");
    std::fill_n(out, count, 'x');
    at_ += count;
    return count;
  }

 private:
  std::uint64_t at_ = 0;
};

TEST(ZipWriterTest, AFaultOfASourceComesOutAsItIs) {
  TemporaryDirectory directory;
  for (const std::string& path : {directory.file("out.zip"), std::string("/dev/null")}) {
    ZipWriter zip;
    zip.add("good", std::string("text"));
    zip.add("faulty", std::make_unique<FaultySource>());
    EXPECT_THROW(zip.write(path), InternalError);
  }
  EXPECT_EQ(directory.entries(), 0U);
}

}  // namespace
}  // namespace depscope::replay
