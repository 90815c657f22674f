// What is generated of the description of the commands: completion of shells, and the manual page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "command_outcome.h"
#include "command_words.h"
#include "manual_page.h"
#include "shell_completion.h"

namespace depscope::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const CommandWords* command(const std::vector<CommandWords>& all, std::string_view name) {
  for (const CommandWords& c : all) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

/// A program with an option of each kind.
std::vector<CommandWords> small_program() {
  static std::string text;
  static bool flag = false;
  CLI::App app("Does things.", "small");
  CLI::App* sub = app.add_subcommand("go", "Go: 'now' [or later]");
  sub->add_option("INPUT", text, "What goes")->required();
  sub->add_option("-o,--output", text, "Write it")->option_text("FILE");
  sub->add_option("--how", text, "In which way")->option_text("fast|slow[,SPEED]|list:FILE|N");
  sub->add_flag("--json", flag, "Print JSON");
  return command_words(app);
}

TEST(CommandWords, OfEachKindOfOption) {
  const std::vector<CommandWords> all = small_program();
  const CommandWords* go = command(all, "go");
  ASSERT_NE(go, nullptr);
  ASSERT_EQ(go->options.size(), 5U) << "--help is one";
  const OptionWords& input = go->options[1];
  EXPECT_TRUE(input.positional && input.file);
  EXPECT_EQ(input.name, "INPUT");
  const OptionWords& output = go->options[2];
  EXPECT_EQ(output.name, "--output");
  EXPECT_THAT(output.others, ElementsAre("-o"));
  EXPECT_TRUE(output.file);
  EXPECT_THAT(go->options[3].choices, ElementsAre("fast", "slow")) << "what is no whole word is none to choose";
  EXPECT_EQ(go->options[4].value, "") << "a flag";
}

TEST(Completion, OfTheShells) {
  const std::vector<CommandWords> all = small_program();
  EXPECT_THAT(
      completion_script(Shell::Bash, all),
      AllOf(HasSubstr("compgen -W 'go help completion man'"), HasSubstr("'go --how') words='fast slow' files=1 ;;"),
            HasSubstr("'go --output'|'go -o') files=1 ;;"), HasSubstr("'go') options='--help -h --output -o --how --json' ;;")));
  EXPECT_THAT(completion_script(Shell::Zsh, all),
              AllOf(HasSubstr("'go:Go\\: '\\''now'\\'' \\[or later\\]'"), HasSubstr("'*--output=[Write it]:FILE:_files'"),
                    HasSubstr("'*--json[Print JSON]'")));
  EXPECT_THAT(completion_script(Shell::Fish, all),
              AllOf(HasSubstr("-a go -d 'Go: \\'now\\' [or later]'\n"),
                    HasSubstr("-n '__fish_seen_subcommand_from go' -l how -r -a 'fast slow' -d 'In which way'\n"),
                    HasSubstr("-l output -s o -r -d 'Write it'\n")));
}

/// What a person may choose or name, the shell can offer: of every option of the real program.
TEST(CommandWords, NoOptionOfTheProgramIsWithoutItsWordsOrFiles) {
  const std::string bash = run({"completion", "bash"}).out;
  for (const char* line :
       {"'export --format') words='html deps-json perfetto dot csv' files=0 ;;", "'export --output'|'export -o') files=1 ;;",
        "'bundle --output'|'bundle -o') files=1 ;;", "'view --ground') words='dark light' files=0 ;;",
        "'view --script') files=1 ;;", "'view --bench') words='idle play scroll passes pan-zoom scrub' files=0 ;;",
        "'check --format') words='text json sarif' files=0 ;;", "'run --timing') files=1 ;;",
        "'watch --schedule') words='canonical random' files=1 ;;"})
    EXPECT_THAT(bash, HasSubstr(line));
}

TEST(Completion, IsPrintedForThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome o = run({"completion", shell});
    EXPECT_EQ(o.status, kDone) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("depscope"), HasSubstr("analyze-auto-scopes"))) << shell;
  }
  EXPECT_EQ(run({"completion"}).status, kBadInput);
  EXPECT_THAT(run({"completion", "tcsh"}).err, HasSubstr("bash, zsh, fish"));
}

TEST(ManualPage, HasEveryCommandAndOption) {
  const Outcome o = run({"man"});
  ASSERT_EQ(o.status, kDone) << o.err;
  for (const char* name : {"run", "view", "explain", "replay", "diff", "check", "watch", "import", "export", "bundle"}) {
    EXPECT_THAT(o.out, HasSubstr(".SS \"" + std::string(name) + "\"\n"));
    const std::string help = run({"help", name}).out;
    for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
      if (at > 0 && help[at - 1] != ' ' && help[at - 1] != ',') continue;
      const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
      std::string option = help.substr(at, end - at);
      for (std::size_t i = 0; (i = option.find('-', i)) != std::string::npos; i += 2) option.insert(i, "\\");
      EXPECT_THAT(o.out, HasSubstr(option)) << name;
    }
  }
  // Nothing that roff would take for a request.
  EXPECT_THAT(manual_page(small_program()), HasSubstr("Go: 'now' [or later]"));
}

}  // namespace
}  // namespace depscope::app
