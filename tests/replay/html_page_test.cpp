// The page: what it says of the tables, its limits, and that no text of a recording becomes markup.
#include "depscope/replay/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "depscope/runtime/submission.h"
#include "html_diff.h"
#include "html_writer.h"
#include "script_output.h"
#include "synthetic_recording.h"
#include "temporary_directory.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::HasSubstr;
using ::testing::Not;

std::string escaped(std::string_view text) {
  std::string out;
  append_html(out, text);
  return out;
}

std::string page_of(const Recording& r, const HtmlOptions& options = {}) {
  std::string out;
  write_html_page(r, options, [&out](std::string_view piece) { out += piece; });
  return out;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// What the parser of Python's library has to say against each page, and its rows.
std::vector<std::string> checked(const std::vector<std::string>& pages) {
  TemporaryDirectory directory;
  std::string files;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::string file = directory.file("page" + std::to_string(i) + ".html");
    write_bytes(file, pages[i]);
    files += " " + file;
  }
  const std::string all = script_output("check_html.py", files);
  std::vector<std::string> out;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      out.emplace_back();
    } else if (!out.empty()) {
      out.back() += line + "\n";
    }
  }
  if (out.size() != pages.size()) ADD_FAILURE() << all;
  out.resize(pages.size());
  return out;
}

TEST(HtmlText, MarkupIsText) {
  EXPECT_EQ(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escaped("Größe → ≥ 𝄞"), "Größe → ≥ 𝄞");
}

TEST(HtmlText, InvalidUtf8AndControlCharactersAreReplaced) {
  const std::string no = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFF"), "a" + no);
  EXPECT_EQ(escaped("\xC3"), no);                             // cut short
  EXPECT_EQ(escaped("\xC3(x"), no + "(x");                    // no continuation
  EXPECT_EQ(escaped("\xC0\x80"), no + no);                    // overlong
  EXPECT_EQ(escaped("\xE0\x80\x80"), no + no + no);           // overlong
  EXPECT_EQ(escaped("\xED\xA0\x80"), no + no + no);           // half of a pair
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), no + no + no + no);  // above the last code point
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a" + no + "b");
  EXPECT_EQ(escaped("\x1B[31m\r\x7F"), no + "[31m" + no + no);
  EXPECT_EQ(escaped("\t\n"), "\t\n");
  EXPECT_EQ(escaped("\xC2\x85"), no);  // U+0085
  EXPECT_EQ(escaped("a\xE2\x80\xAE"
                    "b"),
            "a" + no + "b");               // U+202E turns the direction
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), no);  // U+FFFE
}

TEST(HtmlText, IsCutBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 5), "abc");
  EXPECT_EQ(cut_text("abc", 2), "ab");
  EXPECT_EQ(cut_text("aé", 2), "a");
  EXPECT_EQ(cut_text("aé", 3), "aé");
}

std::string marked(std::string_view text, const std::vector<ByteSpan>& spans) {
  std::string out;
  std::size_t at = 0;
  for (const ByteSpan& span : spans) {
    out.append(text.substr(at, span.begin - at)).append("[").append(text.substr(span.begin, span.end - span.begin)).append("]");
    at = span.end;
  }
  return out.append(text.substr(at));
}

TEST(HtmlDiff, MarksTheCharactersThatChanged) {
  const auto both = [](std::string_view a, std::string_view b) {
    const auto [of_a, of_b] = changed_characters(a, b);
    return marked(a, of_a) + " | " + marked(b, of_b);
  };
  EXPECT_EQ(both("x = f(y)", "x__ssa_v0 = f(y__ssa_v1)"), "x = f(y) | x[__ssa_v0] = f(y[__ssa_v1])");
  EXPECT_EQ(both("f(a, b)", "f(b)"), "f([a, ]b) | f(b)");
  EXPECT_EQ(both("same", "same"), "same | same");
  EXPECT_EQ(both("é", "è"), "[é] | [è]");  // whole characters, although they share a byte
}

TEST(HtmlDiff, PairsVersionsOfALine) {
  const auto kinds = [](std::string_view a, std::string_view b) {
    std::string out;
    for (const DiffLine& line : diff_lines(a, b)) {
      constexpr std::string_view kLetters = "=-+~";
      out += kLetters[static_cast<std::size_t>(line.kind)];
    }
    return out;
  };
  EXPECT_EQ(kinds("a\nb\nc\n", "a\nb\nc\n"), "===");
  EXPECT_EQ(kinds("a\nx = f(1)\nc\n", "a\nx__ssa_v0 = f(1)\nc\n"), "=~=");
  EXPECT_EQ(kinds("a\nc\n", "a\nnew = g()\nc\n"), "=+=");
  EXPECT_EQ(kinds("a\ngone = g()\nc\n", "a\nc\n"), "=-=");
  // The call keeps its target and callee: the line before it is the new one.
  EXPECT_EQ(kinds("y: T = store(add(a, b), 0)\n", "t: T = add(a, b)\ny: T = store(t, 0)\n"), "+~");
  EXPECT_EQ(kinds("", "a\n"), "+");
}

TEST(HtmlDiff, FoldsWhatIsUnchangedAndStopsAtTheLimit) {
  std::string before;
  for (int i = 0; i < 40; ++i) before += "line " + std::to_string(i) + "\n";
  std::string out;
  const TextOutput to_out = [&out](std::string_view piece) { out += piece; };
  HtmlWriter writer(to_out);
  std::uint32_t left = 100;
  EXPECT_EQ(html_diff(writer, diff_lines(before, before + "last\n"), left, 1000), 0U);
  writer.finish();
  EXPECT_THAT(out, HasSubstr("<details class=\"fold\"><summary>38 unchanged lines</summary>"));
  EXPECT_EQ(count(out, "class=\"l "), 41U);
  EXPECT_EQ(left, 59U);
  EXPECT_EQ(html_diff(writer, diff_lines("", before + before), left, 1000), 21U);
  EXPECT_EQ(left, 0U);
}

class HtmlPages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  }
};

TEST_F(HtmlPages, AreWellFormedAndSayHowManyRowsThereAre) {
  std::vector<Recording> recordings;
  std::vector<std::string> pages;
  for (const bool program : {true, false}) {
    for (const bool faults : {true, false}) {
      recordings.push_back(synthetic_recording({.tasks = 40, .faults = faults, .program = program}));
      pages.push_back(page_of(recordings.back()));
    }
  }
  const std::vector<std::string> results = checked(pages);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Recording& r = recordings[i];
    EXPECT_THAT(results[i], Not(HasSubstr("line ")));
    EXPECT_THAT(results[i], HasSubstr("rows task-table " + std::to_string(r.tasks.rows()) + "\n"));
    EXPECT_THAT(results[i], HasSubstr("rows edge-table " + std::to_string(r.edges.rows()) + "\n"));
    EXPECT_EQ(results[i].find("rows pass-list") != std::string::npos, r.passes.rows() != 0);
  }
}

TEST_F(HtmlPages, TheCheckerFindsFaults) {
  const std::vector<std::string> results =
      checked({"<p><b>x</p></b>", "<p>", "<a href=\"http://x\">x</a>", "<a href=\"#x\">x</a>", "<p id=\"a\"></p><p id=\"a\"></p>",
               "<p onclick=\"x\"></p>", "<script>fetch('x')</script>", "<p>fine</p>"});
  EXPECT_THAT(results[0], HasSubstr("</p> while ['b'] is open"));
  EXPECT_THAT(results[1], HasSubstr("open at the end"));
  EXPECT_THAT(results[2], HasSubstr("link to http://x"));
  EXPECT_THAT(results[3], HasSubstr("no element for #x"));
  EXPECT_THAT(results[4], HasSubstr("id a twice"));
  EXPECT_THAT(results[5], HasSubstr("attribute onclick"));
  EXPECT_THAT(results[6], HasSubstr("fetch( in script"));
  EXPECT_EQ(results[7], "ids 0\n");
}

TEST_F(HtmlPages, NoTextBecomesMarkup) {
  const std::string evil = "</style></script><script>alert(1)</script><img src=x onerror=\"y\">&'\xFF\x01";
  Recording r = synthetic_recording({.tasks = 20});
  Recording renamed = r;
  renamed.strings = {};
  // Every string of the recording, the programs included, says something evil.
  for (std::uint32_t s = 1; s < r.strings.rows(); ++s) renamed.strings.add(std::string(r.text(s)) + evil + std::to_string(s));
  renamed.input_name = renamed.program_name = renamed.input_digest = renamed.input_text = evil;
  ASSERT_EQ(renamed.strings.rows(), r.strings.rows());
  const std::string page = page_of(renamed);
  const std::string result = checked({page}).front();
  EXPECT_THAT(result, Not(HasSubstr("line "))) << result;
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(count(page, "<script>"), 1U);
  EXPECT_EQ(count(page, "</style>"), 1U);
  EXPECT_GT(count(page, "&lt;script&gt;alert(1)"), 20U);
}

TEST(HtmlPage, HasItsPolicyAndLoadsNothing) {
  const std::string page = page_of(synthetic_recording({.tasks = 5}));
  EXPECT_THAT(page,
              HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                        "script-src 'unsafe-inline'; img-src data:\">"));
  EXPECT_THAT(page, HasSubstr("<link rel=\"icon\" href=\"data:,\">"));
  EXPECT_EQ(count(page, "src="), 0U);
  EXPECT_EQ(count(page, "url("), count(page, "url(#"));
}

TEST(HtmlPage, ShowsTasksEdgesAndWhoRetainsThem) {
  Recording r = synthetic_recording({.tasks = 30});
  const std::string page = page_of(r);
  EXPECT_EQ(count(page, "<tr id=\"task-"), r.tasks.rows());
  EXPECT_EQ(count(page, "<tr id=\"edge-"), r.edges.rows());
  EXPECT_EQ(count(page, "<g class=\"life\">"), r.tasks.rows());
  EXPECT_THAT(page, HasSubstr("retained for "));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">" + std::to_string(r.tasks.id[7]) + "</td>"));
  // What the reduction took away is struck out, and the witness named.
  std::uint32_t reduced = 0;
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e)
    reduced += (r.edges.flags[e] & ~r.edges.flags_final[e] & runtime::kWait) != 0 ? 1U : 0U;
  EXPECT_EQ(count(page, "<del>wait</del>"), reduced);
}

TEST(HtmlPage, EveryListEndsAndSaysSo) {
  const Recording r = synthetic_recording({.tasks = 60});
  HtmlOptions options;
  options.max_rows = 7;
  options.max_lifetime_rows = 5;
  options.max_scope_rows = 1;
  const std::string page = page_of(r, options);
  EXPECT_EQ(count(page, "<tr id=\"task-"), 7U);
  EXPECT_EQ(count(page, "<tr id=\"edge-"), 7U);
  EXPECT_EQ(count(page, "<g class=\"life\">"), 5U);
  EXPECT_EQ(count(page, "<g class=\"scope\">"), 1U);
  EXPECT_THAT(page, HasSubstr("Shown: 7 of " + std::to_string(r.tasks.rows()) +
                              " tasks, the first in submission order. All of them: "
                              "<code>depscope export FILE --format csv --table tasks -o OUT</code>"));
  EXPECT_THAT(page, HasSubstr("Shown: 5 of " + std::to_string(r.tasks.rows()) + " tasks, those that held their slots longest."));
  // No link leads to a row that is not there.
  EXPECT_THAT(page, Not(HasSubstr("href=\"#task-7\"")));
}

TEST(HtmlPage, DoesNotGrowWithTheRecording) {
  HtmlOptions options;
  options.max_rows = 50;
  const std::size_t small = page_of(synthetic_recording({.tasks = 500}), options).size();
  const std::size_t large = page_of(synthetic_recording({.tasks = 5000}), options).size();
  EXPECT_LT(large, small + small / 2);
}

TEST(HtmlPage, TextsAreCut) {
  Recording r = synthetic_recording({.tasks = 3});
  r.input_name = std::string(5000, 'n');
  EXPECT_THAT(page_of(r), HasSubstr("… (3000 bytes more)"));
}

TEST(HtmlPage, SaysWhatARecordingDoesNotHave) {
  Recording trace = synthetic_recording({.tasks = 4, .program = false});
  const std::string page = page_of(trace);
  EXPECT_THAT(page, HasSubstr("The input is a list of submits, not a program: no pass ran"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"regions\"")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"#directions\"")));
  trace.events = {};
  const std::string graph = page_of(trace);
  EXPECT_THAT(graph, HasSubstr("The recording has no events"));
  EXPECT_THAT(graph, Not(HasSubstr("<g class=\"life\">")));
  EXPECT_EQ(count(graph, "<tr id=\"task-"), trace.tasks.rows());
  EXPECT_THAT(page_of(Recording()), HasSubstr("No task was submitted."));
}

TEST(HtmlPage, IsTheSameEveryTime) {
  EXPECT_EQ(page_of(synthetic_recording({.tasks = 80})), page_of(synthetic_recording({.tasks = 80})));
}

TEST(HtmlPage, TakesATitle) {
  HtmlOptions options;
  options.title = "Report <1>";
  EXPECT_THAT(page_of(synthetic_recording({.tasks = 2}), options), HasSubstr("<title>Report &lt;1&gt; – DepScope</title>"));
}

}  // namespace
}  // namespace depscope::replay
