// What the Passes panel lists and puts side by side.
#include "pass_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using recording::Recording;
using ::testing::ElementsAre;

/// Removes a pass from the tables of the passes.
void remove_pass(Recording& r, std::uint32_t pass) {
  const auto erase = [&](auto& column) { column.erase(column.begin() + pass); };
  erase(r.passes.name);
  erase(r.passes.text);
  erase(r.passes.changed);
  erase(r.passes.required);
  erase(r.passes.produced);
  erase(r.passes.invalidated);
  erase(r.passes.message_begin);
  erase(r.passes.message_begin_count);
}

TEST(PassSides, OneRecordingListsItsPasses) {
  const Document document(sample_recording(20), "a");
  const auto rows = pass_rows(document, nullptr);
  ASSERT_EQ(rows.size(), 6U);
  for (std::uint32_t pass = 0; pass < 6; ++pass) EXPECT_EQ(rows[pass], (PassRow{pass, kNoRow}));
  const PassSides input = sides_of(document, 0);
  EXPECT_FALSE(input.before.exists());
  EXPECT_TRUE(input.after.exists());
  const PassSides second = sides_of(document, 2);
  EXPECT_EQ(second.before.pass, 1U);
  EXPECT_EQ(second.before.text(), document.text(document.recording().passes.text[1]));
}

TEST(PassSides, PassesOfTheOtherSideStandBeforeWhatFollowsThere) {
  Recording without_second = sample_recording(20);
  remove_pass(without_second, 2);
  Recording without_last = sample_recording(20);
  remove_pass(without_last, 5);
  Document a(std::move(without_second), "a");
  Document b(std::move(without_last), "b");
  Comparison c(a, b);
  EXPECT_THAT(pass_rows(a, &c),
              ElementsAre(PassRow{0, 0}, PassRow{1, 1}, PassRow{kNoRow, 2}, PassRow{2, 3}, PassRow{3, 4}, PassRow{4, kNoRow}));
  // a is on the left, whichever is shown.
  PassSides sides = sides_of(c, {2, 3});
  EXPECT_EQ(sides.before.document, &a);
  EXPECT_EQ(sides.before.pass, 2U);
  EXPECT_EQ(sides.after.document, &b);
  c.swap();
  EXPECT_THAT(pass_rows(b, &c),
              ElementsAre(PassRow{0, 0}, PassRow{1, 1}, PassRow{2, kNoRow}, PassRow{3, 2}, PassRow{4, 3}, PassRow{kNoRow, 4}));
  sides = sides_of(c, {3, 2});
  EXPECT_EQ(sides.before.document, &a);
  EXPECT_EQ(sides.after.pass, 3U);
  EXPECT_FALSE(sides_of(c, {2, kNoRow}).before.exists());
}

TEST(PassSides, FunctionsOfBothSidesAndWhichOfThemDiffer) {
  Recording other = sample_recording(20);
  std::string text(other.text(other.passes.text[4]));
  const std::size_t at = text.find("def fill(");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 9, "def load(");
  other.passes.text[4] = other.strings.add(text);
  Document a(sample_recording(20), "a");
  Document b(std::move(other), "b");
  const Comparison c(a, b);
  const PassSides sides = sides_of(c, {4, 4});
  const ShownTexts main = texts_of(sides, "main");
  const auto entry = [&](std::string_view name) {
    const auto found = std::find_if(main.functions.begin(), main.functions.end(), [&](const auto& e) { return e.name == name; });
    return found == main.functions.end() ? -1 : found->changed ? 1 : 0;
  };
  EXPECT_EQ(entry(""), 1);
  EXPECT_EQ(entry("main"), 0);
  EXPECT_EQ(entry("fill"), 1) << "only in a";
  EXPECT_EQ(entry("load"), 1) << "only in b";
  EXPECT_EQ(entry("copy"), -1);
  EXPECT_TRUE(main.has_before && main.has_after);
  EXPECT_EQ(main.before.text, main.after.text);
  const ShownTexts load = texts_of(sides, "load");
  EXPECT_FALSE(load.has_before);
  EXPECT_TRUE(load.has_after);
  // A function of neither side: the whole program.
  EXPECT_EQ(texts_of(sides, "nothing").before.text, sides.before.text());
}

}  // namespace
}  // namespace depscope::viewers
