// Pages of `depscope export --format html` in a real browser: complete, quiet, and without a single request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "browser.h"
#include "command_outcome.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kSamples = DEPSCOPE_SAMPLES;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

class HtmlBrowser : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    browser_ = find_browser();
    if (browser_.empty()) GTEST_SKIP() << "no chromium on the PATH";
  }

  [[nodiscard]] Visit open(const std::string& page, int width = 1280) const {
    return visit(browser_, page, folder_.string(), width);
  }

  /// Adds a script behind the page's own: it notes by how many pixels the document is wider than the window.
  [[nodiscard]] std::string measured(const std::string& page) const {
    std::ifstream in(page);
    std::ostringstream text;
    text << in.rdbuf();
    std::string all = text.str();
    const std::string script =
        "<script>document.documentElement.dataset.wider = document.documentElement.scrollWidth - "
        "document.documentElement.clientWidth;</script>";
    all.insert(all.rfind("</body>"), script);
    return write("measured.html", all);
  }

  /// Exports an input, opens the page, and compares it with the recording.
  void check_page(std::vector<const char*> input) const {
    const std::string file = (folder_ / "a.depscope").string();
    const std::string page = (folder_ / "page.html").string();
    std::vector<const char*> run_arguments{"run"};
    run_arguments.insert(run_arguments.end(), input.begin(), input.end());
    run_arguments.insert(run_arguments.end(), {"-o", file.c_str()});
    ASSERT_EQ(run(run_arguments).status, kDone);
    const Outcome exported = run({"export", file.c_str(), "--format", "html", "-o", page.c_str()});
    ASSERT_EQ(exported.status, kDone) << exported.err;
    const recording::Recording r = replay::load(file);
    for (const int width : {1280, 390}) {
      const Visit v = open(measured(page), width);
      ASSERT_TRUE(v.loaded) << v.log;
      EXPECT_THAT(v.console, IsEmpty());
      EXPECT_THAT(v.requests, IsEmpty());
      EXPECT_THAT(v.document, HasSubstr("data-wider=\"0\"")) << "at " << width << " pixels";
      for (const char* id : {"summary", "findings", "passes", "lifetimes", "tasks", "edges", "events"})
        EXPECT_EQ(count(v.document, "<section id=\"" + std::string(id) + "\">"), 1U) << id;
      EXPECT_EQ(count(v.document, "<tr id=\"task-"), r.tasks.rows());
      EXPECT_EQ(count(v.document, "<tr id=\"edge-"), r.edges.rows());
      EXPECT_EQ(count(v.document, "<li id=\"region-"), r.regions.rows());
      // The script has run: every table with a filter has its field.
      EXPECT_EQ(count(v.document, "<input type=\"search\""), count(v.document, " data-filter=\""));
      EXPECT_GT(count(v.document, "<input type=\"search\""), 0U);
    }
  }

  std::string browser_;
};

TEST_F(HtmlBrowser, AProgramWithFindings) { check_page({(kSamples + "/08_fused_mlp_war.py").c_str()}); }

TEST_F(HtmlBrowser, AProgramThatFallsBack) {
  const std::string program = kSamples + "/10_fallbacks.py";
  const std::string data = kSamples + "/data/10_fallbacks.json";
  check_page({program.c_str(), "--data", data.c_str(), "--analyze-auto-scopes"});
}

TEST_F(HtmlBrowser, ScopesAndLifetimes) { check_page({(kSamples + "/09_scopes_and_lifetimes.py").c_str()}); }

TEST_F(HtmlBrowser, ATrace) { check_page({(kSamples + "/traces/diamond.trace.json").c_str()}); }

TEST_F(HtmlBrowser, TheCheckSeesRequestsAndErrors) {
  const std::string image = write("image.html", "<!DOCTYPE html><p id=\"a\">a</p><img src=\"http://elsewhere.invalid/x.png\">");
  const Visit request = open(image);
  ASSERT_TRUE(request.loaded) << request.log;
  EXPECT_THAT(request.requests, Contains("http://elsewhere.invalid/x.png"));

  const Visit error = open(write("error.html", "<!DOCTYPE html><p>a</p><script>throw new Error(\"deliberate\");</script>"));
  ASSERT_TRUE(error.loaded) << error.log;
  EXPECT_THAT(error.console, Contains(HasSubstr("deliberate")));
  EXPECT_THAT(error.requests, IsEmpty());

  const Visit quiet = open(write("quiet.html", "<!DOCTYPE html><p id=\"q\">a</p>"));
  ASSERT_TRUE(quiet.loaded) << quiet.log;
  EXPECT_THAT(quiet.console, IsEmpty());
  EXPECT_THAT(quiet.requests, IsEmpty());
  EXPECT_THAT(quiet.document, HasSubstr("id=\"q\""));
}

TEST_F(HtmlBrowser, TheCheckSeesAPageThatIsTooWide) {
  const std::string page = write("wide.html", "<!DOCTYPE html><html><body><div style=\"width:3000px\">a</div></body></html>");
  const Visit v = open(measured(page));
  ASSERT_TRUE(v.loaded) << v.log;
  EXPECT_THAT(v.document, ::testing::Not(HasSubstr("data-wider=\"0\"")));
  EXPECT_THAT(v.document, HasSubstr("data-wider=\""));
}

TEST_F(HtmlBrowser, ThePolicyOfThePageStopsWhatGotIn) {
  const std::string page = (folder_ / "page.html").string();
  ASSERT_EQ(run({"export", (kSamples + "/traces/diamond.trace.json").c_str(), "--format", "html", "-o", page.c_str()}).status,
            kDone);
  std::ifstream in(page);
  std::ostringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  all.insert(all.rfind("</body>"), "<img src=\"http://elsewhere.invalid/x.png\">");
  const Visit v = open(write("changed.html", all));
  ASSERT_TRUE(v.loaded) << v.log;
  EXPECT_THAT(v.requests, IsEmpty());
  EXPECT_THAT(v.console, Contains(HasSubstr("Content Security Policy")));
}

}  // namespace
}  // namespace depscope::app
