#include "json_fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace depscope::recording {
namespace {

TEST(JsonFieldsTest, ValuesAndOrder) {
  EXPECT_EQ(JsonFields().text(), "{}");
  EXPECT_EQ(JsonFields().add("a", "x\"y\\z\n").add("b", 7U).add("c", std::int64_t{-1}).add("d", true).add_json("e", "[1]").text(),
            R"({"a":"x\"y\\z\n","b":7,"c":-1,"d":true,"e":[1]})");
}

TEST(JsonFieldsTest, AnyBytesGiveValidJson) {
  for (const std::string text : {"\xff", "a\x01", "h\xc3\xa4", "\xe2\x82", "plain"}) {
    EXPECT_TRUE(nlohmann::json::accept(JsonFields().add("k", text).text())) << text;
  }
  EXPECT_EQ(nlohmann::json::parse(json_quoted("h\xc3\xa4")), "h\xc3\xa4");
}

TEST(JsonListTest, KeepsTheFirstAndCountsAll) {
  JsonList list(2);
  for (const char* name : {"a", "b", "c", "d"}) list.add(name);
  EXPECT_EQ(list.text(), R"(["a","b"])");
  EXPECT_EQ(list.count(), 4U);
  EXPECT_FALSE(list.open());
  EXPECT_EQ(JsonList().text(), "[]");
}

}  // namespace
}  // namespace depscope::recording
