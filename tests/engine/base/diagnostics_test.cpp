#include "depscope/base/diagnostics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace depscope {
namespace {

TEST(Diagnostics, HeadlineNamesThePlace) {
  Diagnostic d;
  d.message = "wrong";
  EXPECT_EQ(d.headline(), "wrong");
  d.file = "a.py";
  EXPECT_EQ(d.headline(), "a.py: wrong");
  d.line = 3;
  d.column = 7;
  EXPECT_EQ(d.headline(), "a.py:3:7: wrong");
  Diagnostic json;
  json.file = "t.json";
  json.json_path = "tasks[3].dtype";
  json.message = "wrong";
  EXPECT_EQ(json.headline(), "t.json: at tasks[3].dtype: wrong");
  Diagnostic binary;
  binary.file = "r.dscope";
  binary.byte_offset = 64;
  binary.message = "wrong";
  EXPECT_EQ(binary.headline(), "r.dscope: byte offset 64: wrong");
}

TEST(Diagnostics, TextShowsTheLineWithACaret) {
  const SourceFile source("a.py", "x = 1\n\ty = é + q\n");
  EXPECT_EQ(source.diagnostic(Severity::Error, 0, "here").text(), "a.py:1:1: here\n  x = 1\n  ^");
  // Tabs keep their width, a character of several bytes is one wide.
  EXPECT_EQ(source.diagnostic(Severity::Error, 16, "here").text(), "a.py:2:11: here\n  \ty = é + q\n  \t        ^");
}

TEST(Diagnostics, LongLinesAreCutBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "é";
  const SourceFile source("a.py", line);
  for (std::uint32_t offset = 0; offset < 2000; offset += 2) {
    const std::string text = source.diagnostic(Severity::Error, offset, "here").text();
    EXPECT_LT(text.size(), 600U);
    const std::size_t shown = text.find("\n  ") + 3;
    EXPECT_EQ(text.compare(shown, 2, "é"), 0) << offset;
    EXPECT_EQ(text[text.find('\n', shown) - 1], "é"[1]) << offset;
  }
}

TEST(Diagnostics, InputErrorCarriesAll) {
  Diagnostic a;
  a.message = "one";
  Diagnostic b;
  b.message = "two";
  const InputError error(std::vector<Diagnostic>{a, b});
  EXPECT_STREQ(error.what(), "one\ntwo");
  EXPECT_EQ(error.diagnostics().size(), 2U);
  EXPECT_EQ(InputError(a).diagnostics().size(), 1U);
  EXPECT_EQ(to_string(Severity::Warning), "warning");
}

TEST(SourceFile, PositionsAndLines) {
  const SourceFile source("a.py", "ab\n\ncd\r\ne");
  EXPECT_EQ(source.position(0).line, 1U);
  EXPECT_EQ(source.position(2).line, 1U);
  EXPECT_EQ(source.position(2).column, 3U);
  EXPECT_EQ(source.position(3).line, 2U);
  EXPECT_EQ(source.position(8).line, 4U);
  EXPECT_EQ(source.line_text(1), "ab");
  EXPECT_EQ(source.line_text(2), "");
  EXPECT_EQ(source.line_text(3), "cd");
  EXPECT_EQ(source.line_text(4), "e");
  EXPECT_EQ(source.line_text(5), "");
  EXPECT_EQ(source.line_text(0), "");
  EXPECT_EQ(source.line(Span{}), 0U);
  EXPECT_EQ(source.line(Span{4, 5}), 3U);
  EXPECT_EQ(source.text(Span{0, 2}), "ab");
  EXPECT_EQ(source.text(Span{7, 100}), "\ne");
  EXPECT_EQ(source.diagnostic(Severity::Error, 1000, "end").line, 4U);
  EXPECT_EQ(SourceFile("e", "").diagnostic(Severity::Error, 0, "empty").headline(), "e:1:1: empty");
}

TEST(SourceFile, ReadsWholeFiles) {
  const std::string path = ::testing::TempDir() + "depscope_source_file.py";
  std::ofstream(path, std::ios::binary) << std::string("a\0b\n", 4) << std::string(200000, 'x');
  EXPECT_EQ(SourceFile::read(path, 1000000).text().size(), 200004U);
  EXPECT_EQ(SourceFile::read(path, 200004).name(), path);
  const auto message = [](const std::string& file, std::uint64_t limit) {
    try {
      (void)SourceFile::read(file, limit);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.size());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(path, 200003), ": larger than the file-size limit of 200003 bytes");
  EXPECT_EQ(message(path + ".none", 1), ": cannot open: No such file or directory");
  EXPECT_EQ(message(::testing::TempDir(), 1), ": is a directory, a file was expected");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace depscope
