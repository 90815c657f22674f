#include "depscope/viewers/script.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gmock/gmock.h>

#include "depscope/base/diagnostics.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

TEST(Script, ReadsEveryCommand) {
  const auto commands = parse_script("s.txt",
                                     "# comment\n"
                                     "key ctrl+f\n\n"
                                     "mouse 10 20.5\n"
                                     "click 1 2\n"
                                     "click \"A \\\"label\\\"\"  # after\n"
                                     "hover \"L\"\n"
                                     "drag 1 2 3 4\n"
                                     "wheel -3\n"
                                     "type two words\n"
                                     "wait 10\n"
                                     "screenshot a b.png\n"
                                     "panel Events\n"
                                     "select task 12\n"
                                     "seek 7\n"
                                     "expect \"x\"\n"
                                     "expect-not \"y\"\n"
                                     "drag-element \"main-bottom\" 0 -40\n"
                                     "quit");
  ASSERT_EQ(commands.size(), 17U);
  EXPECT_EQ(commands[0].verb, ScriptVerb::Key);
  EXPECT_EQ(commands[0].line, 2U);
  EXPECT_EQ(commands[0].key, (Key{GLFW_KEY_F, true, false, false}));
  EXPECT_FLOAT_EQ(commands[1].y, 20.5F);
  EXPECT_EQ(commands[3].verb, ScriptVerb::ClickLabel);
  EXPECT_EQ(commands[3].text, "A \"label\"");
  EXPECT_FLOAT_EQ(commands[5].to_y, 4.0F);
  EXPECT_FLOAT_EQ(commands[6].y, -3.0F);
  EXPECT_EQ(commands[7].text, "two words");
  EXPECT_EQ(commands[8].count, 10U);
  EXPECT_EQ(commands[9].text, "a b.png");
  EXPECT_EQ(commands[11].item, (Item{ItemKind::Task, 12}));
  EXPECT_EQ(commands[15].text, "main-bottom");
  EXPECT_FLOAT_EQ(commands[15].to_y, -40.0F);
}

TEST(Script, NamesEveryBadLine) {
  try {
    (void)parse_script("s.txt",
                       "key nokey\nwait 5\nfly\nclick 1\nwait 1000000\nexpect x\nselect tusk 1\nquit now\nexpect \"\"\n");
    FAIL() << "no error";
  } catch (const InputError& error) {
    const auto& found = error.diagnostics();
    ASSERT_EQ(found.size(), 8U);
    EXPECT_THAT(found[0].headline(), HasSubstr("s.txt:1:1: 'nokey' is not a key"));
    EXPECT_THAT(found[1].headline(), HasSubstr("s.txt:3:1: unknown command 'fly'"));
    EXPECT_THAT(found[2].headline(), HasSubstr("s.txt:4:1: expected a number of pixels"));
    EXPECT_THAT(found[3].headline(), HasSubstr("above the limit of 100000"));
    EXPECT_THAT(found[4].headline(), HasSubstr("double quotes"));
    EXPECT_THAT(found[5].headline(), HasSubstr("'tusk' cannot be selected"));
    EXPECT_THAT(found[6].headline(), HasSubstr("takes no more"));
    EXPECT_THAT(found[7].headline(), HasSubstr("empty"));
  }
}

TEST(Keys, NamesGoThereAndBack) {
  for (const char* name :
       {"F1", "Ctrl+F", "Shift+N", "Alt+Left", "Ctrl+Shift+PageDown", "[", ".", "Space", "7", "Ctrl+Backspace"}) {
    const auto key = key_from_name(name);
    ASSERT_TRUE(key.has_value()) << name;
    EXPECT_EQ(key_name(*key), name);
  }
  for (const char* name : {"", "ctrl+", "F13", "hyper+a", "ctrl+ctrl+a", "ab"})
    EXPECT_FALSE(key_from_name(name).has_value()) << name;
}

}  // namespace
}  // namespace depscope::viewers
