// Containers that try to write elsewhere, to fill the memory or to be read in two ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <random>
#include <string>
#include <vector>

#include "depscope/replay/file.h"
#include "raw_zip.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using ::testing::HasSubstr;

class ContainerTricks : public ::testing::Test {
 protected:
  ContainerTricks() : recording_(synthetic_recording({.tasks = 6})) {
    const std::string path = directory_.file("a.depscope");
    save(recording_, path);
    bytes_ = read_bytes(path);
    int code = 0;
    zip_t* in = zip_open(path.c_str(), ZIP_RDONLY, &code);
    for (zip_int64_t i = 0; i < zip_get_num_entries(in, 0); ++i) {
      zip_stat_t stat;
      zip_stat_index(in, static_cast<zip_uint64_t>(i), 0, &stat);
      std::string content(stat.size, '\0');
      zip_file_t* file = zip_fopen_index(in, static_cast<zip_uint64_t>(i), 0);
      zip_fread(file, content.data(), content.size());
      zip_fclose(file);
      members_.push_back({.name = stat.name, .bytes = content});
    }
    zip_discard(in);
  }

  /// Why the members and one more are refused, from a file and from memory alike.
  std::string refused(const RawMember& added) {
    std::vector<RawMember> members = members_;
    members.push_back(added);
    return refused_bytes(raw_zip(members));
  }

  std::string refused_bytes(const std::string& bytes) {
    const std::string path = directory_.file("tricky.depscope");
    write_bytes(path, bytes);
    std::string from_file, from_memory;
    try {
      (void)load(path);
      ADD_FAILURE() << "was loaded";
    } catch (const FileError& error) {
      EXPECT_EQ(error.fault(), FileFault::Corrupt) << error.what();
      from_file = error.what();
    }
    try {
      (void)load_bytes(bytes, path);
      ADD_FAILURE() << "was loaded from memory";
    } catch (const FileError& error) {
      from_memory = error.what();
    }
    EXPECT_EQ(from_file, from_memory);
    EXPECT_EQ(directory_.entries(), 2U);  // nothing was written anywhere
    return from_file;
  }

  TemporaryDirectory directory_;
  recording::Recording recording_;
  std::string bytes_;
  std::vector<RawMember> members_;
};

TEST_F(ContainerTricks, WithoutATrickItLoads) {
  EXPECT_TRUE(same_recording(recording_, load_bytes(raw_zip(members_), "memory")));
  EXPECT_TRUE(same_recording(recording_, load_bytes(bytes_, "memory")));
}

TEST_F(ContainerTricks, NamesThatLeadOutside) {
  for (const char* name : {"/etc/passwd", "../x", "a/../../x", "a\\..\\x", "C:x", "..", ""}) {
    EXPECT_THAT(refused({.name = name, .bytes = "x"}), HasSubstr("is absolute or leads outside")) << name;
  }
}

TEST_F(ContainerTricks, TwoMembersOfOneName) {
  EXPECT_THAT(refused({.name = "manifest.json", .bytes = "{}"}), HasSubstr("two members have the same name"));
  EXPECT_THAT(refused({.name = "notes", .bytes = "x", .local_name = "other"}), HasSubstr("ZIP"));
}

TEST_F(ContainerTricks, SizesThatAreClaimed) {
  constexpr std::uint64_t kTenGigabytes = 10'000'000'000;
  EXPECT_THAT(refused({.name = "big", .bytes = "x", .declared_bytes = kTenGigabytes}),
              HasSubstr("big declares 10000000000 bytes, the limit max_member_bytes is 8589934592"));
  EXPECT_THAT(refused({.name = "big", .bytes = "x", .declared_bytes = 4'000'000'000, .method = 8}),
              HasSubstr("big declares 4000000000 bytes but is stored in 1"));
}

TEST_F(ContainerTricks, ArchivesInside) {
  EXPECT_THAT(refused({.name = "inner.zip", .bytes = bytes_}), HasSubstr("inner.zip is an archive itself"));
  EXPECT_THAT(refused({.name = "tables/later", .bytes = bytes_}), HasSubstr("tables/later is an archive itself"));
}

TEST_F(ContainerTricks, WhatIsNotRead) {
  EXPECT_THAT(refused({.name = "x", .bytes = "x", .flags = 1}), HasSubstr("x is encrypted"));
  EXPECT_THAT(refused({.name = "x", .bytes = "x", .method = 12}), HasSubstr("compression method 12"));
}

TEST_F(ContainerTricks, MembersThatShareTheirBytes) {
  EXPECT_THAT(refused({.name = "twin", .bytes = members_[0].bytes, .same_data_as = 0}), HasSubstr("ZIP container"));
}

TEST_F(ContainerTricks, ALinkIsAMemberLikeAnyOther) {
  std::vector<RawMember> members = members_;
  members.push_back({.name = "link", .bytes = "/etc/passwd", .attributes = 0120777U << 16U});
  EXPECT_TRUE(same_recording(recording_, load_bytes(raw_zip(members), "memory")));
}

TEST_F(ContainerTricks, TruncationsAndFlippedBitsInMemory) {
  for (std::size_t size = 0; size < bytes_.size(); size += 97) {
    EXPECT_THROW((void)load_bytes(bytes_.substr(0, size), "memory"), FileError) << size;
  }
  std::mt19937_64 random(11);
  unsigned refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes_;
    char& at = damaged[random() % damaged.size()];
    at = static_cast<char>(at ^ (1 << (random() % 8)));
    try {
      EXPECT_TRUE(same_recording(recording_, load_bytes(damaged, "memory")));
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 150U);
}

}  // namespace
}  // namespace depscope::replay
