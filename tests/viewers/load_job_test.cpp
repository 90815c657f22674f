// Opening in the background with work of the test's own; what errors say; options as text.
#include "depscope/viewers/load_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/viewers/command_words.h"
#include "depscope/viewers/load_error.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LoadJob, GivesADocumentAndAComparison) {
  const auto work = [](const LoadRequest& request, LoadProgress& progress) {
    progress.set("half", 0.5F);
    return std::make_unique<Document>(sample_recording(20), request.path);
  };
  LoadJob first({"a", {}}, work, nullptr);
  LoadResult result = first.take();
  ASSERT_NE(result.document, nullptr);
  EXPECT_EQ(result.document->path(), "a");
  EXPECT_EQ(result.comparison, nullptr);
  EXPECT_EQ(first.progress().text(), "half");
  EXPECT_EQ(first.progress().fraction(), 0.5F);
  const std::shared_ptr<Document> a = std::move(result.document);
  LoadJob second({"b", {}}, work, a);
  LoadResult compared = second.take();
  ASSERT_NE(compared.comparison, nullptr);
  EXPECT_EQ(&compared.comparison->here(), a.get());
  EXPECT_EQ(&compared.comparison->there(), compared.document.get());
}

TEST(LoadJob, ErrorsComeWithTheirCaret) {
  const auto work = [](const LoadRequest&, LoadProgress&) -> std::unique_ptr<Document> {
    Diagnostic d;
    d.file = "x.py";
    d.line = 3;
    d.column = 5;
    d.message = "no such name";
    d.source_line = "x = zoo";
    throw InputError(d);
  };
  const LoadResult result = LoadJob({"x.py", {}}, work, nullptr).take();
  EXPECT_EQ(result.document, nullptr);
  EXPECT_THAT(result.error, HasSubstr("x.py:3:5: no such name\n"));
  EXPECT_THAT(result.error, HasSubstr("x = zoo"));
  EXPECT_THAT(result.error, HasSubstr("^"));
  const auto other = [](const LoadRequest&, LoadProgress&) -> std::unique_ptr<Document> { throw std::runtime_error("odd"); };
  EXPECT_EQ(LoadJob({"x.py", {}}, other, nullptr).take().error, "odd");
}

TEST(LoadJob, CancellingReachesTheWork) {
  std::promise<void> began;
  std::future<void> has_begun = began.get_future();
  const auto work = [&](const LoadRequest&, LoadProgress& progress) -> std::unique_ptr<Document> {
    began.set_value();
    while (!progress.cancelled()) std::this_thread::yield();
    return nullptr;
  };
  LoadJob job({"x", {}}, work, nullptr);
  has_begun.wait();
  EXPECT_FALSE(job.done());
  job.cancel();
  const LoadResult result = job.take();
  EXPECT_EQ(result.document, nullptr);
  EXPECT_EQ(result.error, "");
}

TEST(LoadError, KeepsTheCaretViewApart) {
  const LoadError error =
      explain_load_error("p.py", "depscope: error: p.py:3:5: bad\n    x = 1\n        ^\ndepscope: error: q\n");
  ASSERT_EQ(error.lines.size(), 4U);
  EXPECT_EQ(error.lines[0].text, "p.py:3:5: bad");
  EXPECT_FALSE(error.lines[0].code);
  EXPECT_TRUE(error.lines[1].code);
  EXPECT_TRUE(error.lines[2].code);
  EXPECT_EQ(error.lines[2].text, "        ^");
  EXPECT_EQ(error.lines[3].text, "q");
  EXPECT_FALSE(error.lines[3].code);
  EXPECT_EQ(error.text, "p.py:3:5: bad\n    x = 1\n        ^\nq\n");
  EXPECT_THAT(error.advice, HasSubstr("caret"));
}

TEST(LoadError, SaysWhatToDo) {
  EXPECT_THAT(explain_load_error("x.py", "x.py: give it with --data NAME=…").advice, HasSubstr("--data FILE.json"));
  EXPECT_THAT(explain_load_error("x.depscope", "x.depscope: not a recording").advice, HasSubstr("depscope run"));
  EXPECT_THAT(explain_load_error("x", "x: cannot open: No such file or directory").advice, HasSubstr("path"));
  EXPECT_THAT(explain_load_error("x", "").lines, IsEmpty());
  EXPECT_NE(explain_load_error("x", "").advice, "");
}

TEST(CommandWords, SplitAsAShellDoes) {
  EXPECT_THAT(split_words("--a  --data 'my file.json'\t--arg \"n=\\\"x\\\"\" b\\ c"),
              ElementsAre("--a", "--data", "my file.json", "--arg", "n=\"x\"", "b c"));
  EXPECT_THAT(split_words("  "), IsEmpty());
  EXPECT_THAT(split_words("''"), ElementsAre(""));
  EXPECT_THAT(split_words("'no end"), ElementsAre("no end"));
  const std::vector<std::string> words{"plain", "", "with blank", "it's", "\"q\"", "back\\slash"};
  EXPECT_EQ(split_words(join_words(words)), words);
  EXPECT_EQ(join_words({"a", "b"}), "a b");
}

}  // namespace
}  // namespace depscope::viewers
