#include "schedule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_outcome.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ScheduleFile = TemporaryFolder;

std::vector<std::uint32_t> read(const std::string& text) { return read_choices(SourceFile("s.txt", text)); }

std::string error_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const InputError& e) {
    return e.diagnostics().at(0).headline();
  }
  return "";
}

TEST_F(ScheduleFile, NumbersBetweenWhiteSpaceAndComments) {
  EXPECT_THAT(read(""), IsEmpty());
  EXPECT_THAT(read("# nothing"), IsEmpty());
  EXPECT_THAT(read("0 1\t2\r\n# 9\n 4294967295#7\n3"), ElementsAre(0, 1, 2, 4294967295, 3));
}

TEST_F(ScheduleFile, WhatIsNoNumberIsNamedWithItsPlace) {
  EXPECT_THAT(error_of("0\n1 -2"), HasSubstr("s.txt:2:3: \"-2\" is no choice: a number from 0 to 4294967295 was expected"));
  EXPECT_THAT(error_of("x"), HasSubstr("s.txt:1:1: "));
  EXPECT_THAT(error_of("# c\n\n  4294967296"), HasSubstr("s.txt:3:3: "));
  EXPECT_THAT(error_of("1,2"), HasSubstr("\"1,2\""));
  EXPECT_THAT(error_of("1.0"), HasSubstr("s.txt:1:1: "));
}

TEST_F(ScheduleFile, AChoiceHasItsPlace) {
  const SourceFile source("s.txt", "# 9\n0 11#2\n  3");
  EXPECT_EQ(offset_of_choice(source, 0), 4U);
  EXPECT_EQ(offset_of_choice(source, 1), 6U);
  EXPECT_EQ(offset_of_choice(source, 2), 13U);
  EXPECT_EQ(offset_of_choice(source, 3), source.text().size());
  EXPECT_EQ(offset_of_choice(SourceFile("s.txt", "#"), 0), 1U);
}

TEST_F(ScheduleFile, WhatIsWrittenIsRead) {
  const std::string path = (folder_ / "s.txt").string();
  for (const std::size_t count : {0U, 1U, 20U, 21U, 1000U}) {
    std::vector<std::uint32_t> choices;
    for (std::size_t i = 0; i < count; ++i) choices.push_back(static_cast<std::uint32_t>(i * 2654435761U));
    write_choices(path, choices);
    EXPECT_EQ(read_choices(SourceFile::read(path, kMaxScheduleBytes)), choices);
  }
  EXPECT_THROW(write_choices((folder_ / "no" / "s.txt").string(), {}), replay::FileError);
}

}  // namespace
}  // namespace depscope::app
