#include "depscope/base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "depscope/base/json_keys.h"

namespace depscope {
namespace {

using ::testing::HasSubstr;

/// The first diagnostic of what `read` throws.
template <class F>
Diagnostic error_of(const std::string& text, F&& read) {
  const SourceFile source("x.json", text);
  JsonReader reader(source);
  try {
    read(reader);
  } catch (const InputError& e) {
    return e.diagnostics().at(0);
  }
  ADD_FAILURE() << "no error: " << text;
  return {};
}

TEST(JsonReader, WideIntegersAsTextOrPlain) {
  const SourceFile source(
      "x.json",
      R"(["18446744073709551615", 18446744073709551615, -1, "-2", 0, 1.5, "x", null, {"a": [1]}, "", 20000000000000000000, 7])");
  JsonReader reader(source);
  std::vector<std::string> got;
  reader.begin_array();
  while (reader.next_element()) {
    std::uint64_t value = 0;
    got.push_back(reader.wide_integer(value) ? std::to_string(value) : "none");
  }
  reader.end();
  EXPECT_EQ(got, (std::vector<std::string>{"18446744073709551615", "18446744073709551615", "18446744073709551615",
                                           "18446744073709551614", "0", "none", "none", "none", "none", "none", "none", "7"}));
}

TEST(JsonReader, ErrorsHavePathAndOffset) {
  const auto read = [](JsonReader& reader) {
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      reader.begin_array();
      while (reader.next_element()) reader.integer(0, 9);
    }
    reader.end();
  };
  const Diagnostic value = error_of("{\"a\": [1,\n 22]}", read);
  EXPECT_EQ(value.json_path, "a[1]");
  EXPECT_EQ(value.byte_offset, 11U);
  EXPECT_EQ(value.line, 2U);
  EXPECT_THAT(value.message, HasSubstr("22 is out of range"));

  const Diagnostic cut = error_of("{\"a\": [1, 2", read);
  EXPECT_EQ(cut.json_path, "a[1]");
  EXPECT_EQ(cut.byte_offset, 11U);
  EXPECT_THAT(cut.message, HasSubstr("unexpected end of JSON"));
}

TEST(JsonReader, TellsContainersApart) {
  const SourceFile source("x.json", R"([[], {}, "s"])");
  JsonReader reader(source);
  reader.begin_array();
  EXPECT_TRUE(reader.next_element());
  EXPECT_TRUE(reader.is_array());
  EXPECT_FALSE(reader.is_object());
  reader.skip();
  EXPECT_TRUE(reader.next_element());
  EXPECT_TRUE(reader.is_object());
  reader.skip();
  EXPECT_TRUE(reader.next_element());
  EXPECT_FALSE(reader.is_array());
  EXPECT_TRUE(reader.is_string());
}

TEST(JsonReader, ValuesAsTheyAreWritten) {
  const SourceFile source("x.json", R"([ 1.50e+3 , "a\"\u0041", null,{"b": [1, {}]} , [] ])");
  JsonReader reader(source);
  std::vector<std::string> got;
  reader.begin_array();
  while (reader.next_element()) got.emplace_back(reader.raw());
  reader.end();
  EXPECT_EQ(got, (std::vector<std::string>{"1.50e+3", R"("a\"\u0041")", "null", R"({"b": [1, {}]})", "[]"}));
  // What is skipped is checked all the same, and a later complaint names the value's begin.
  EXPECT_EQ(error_of("[1, [2,]]",
                     [](JsonReader& r) {
                       r.begin_array();
                       while (r.next_element()) r.raw();
                     })
                .byte_offset,
            7U);
  EXPECT_EQ(error_of("[ [1, 2] ]",
                     [](JsonReader& r) {
                       r.begin_array();
                       while (r.next_element()) {
                         r.raw();
                         r.fail_value("no");
                       }
                     })
                .byte_offset,
            2U);
}

TEST(JsonKeys, KnownOnesOnceAndRequiredOnesThere) {
  static constexpr std::array<std::string_view, 2> kKeys{"id", "size"};
  const auto read = [](JsonReader& reader) {
    JsonKeys keys(kKeys);
    std::string_view key;
    reader.begin_object();
    while (reader.next_key(key)) {
      keys.take(key, reader);
      reader.skip();
    }
    keys.require(1, reader);
  };
  EXPECT_THAT(error_of(R"({"id":1,"id":2})", read).message, HasSubstr("key \"id\" is given twice"));
  EXPECT_THAT(error_of(R"({"size":1,"other":2})", read).message, HasSubstr("key \"id\" is missing"));
  const SourceFile source("x.json", R"({"id":1,"other":2,"other":3})");
  JsonReader reader(source);
  EXPECT_NO_THROW(read(reader));
}

TEST(JsonReader, ThousandthsAreRounded) {
  const SourceFile source("x.json", "[5, 1.2, -0.0004, 12.3456, 1e3, 9e12, \"5\"]");
  JsonReader reader(source);
  std::vector<std::int64_t> got;
  reader.begin_array();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(reader.next_element());
    got.push_back(reader.thousandths());
  }
  EXPECT_EQ(got, (std::vector<std::int64_t>{5000, 1200, 0, 12346, 1'000'000}));
  ASSERT_TRUE(reader.next_element());
  EXPECT_THROW(reader.thousandths(), InputError);  // out of range
  ASSERT_TRUE(reader.next_element());
  EXPECT_THROW(reader.thousandths(), InputError);  // a string
}

}  // namespace
}  // namespace depscope
