// Finding by a few letters, and what the palette offers.
#include "depscope/viewers/palette.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "depscope/pass/decisions.h"
#include "depscope/runtime/submission.h"
#include "depscope/viewers/fuzzy.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Fuzzy, LettersInOrderInAnyCase) {
  EXPECT_TRUE(fuzzy_score("nxev", "Next event of the kind"));
  EXPECT_TRUE(fuzzy_score("EVENT next", "Next event of the kind")) << "words in any order";
  EXPECT_FALSE(fuzzy_score("kindx", "Next event of the kind"));
  EXPECT_FALSE(fuzzy_score("next zoo", "Next event of the kind")) << "every word has to fit";
  EXPECT_EQ(fuzzy_score("", "anything"), 0);
  EXPECT_EQ(fuzzy_score("  ", ""), 0);
  EXPECT_FALSE(fuzzy_score("a", ""));
}

TEST(Fuzzy, WholeWordsBeforePartsBeforeLetters) {
  const auto word = fuzzy_score("play", "Play faster");
  const auto part = fuzzy_score("play", "Replay");
  const auto letters = fuzzy_score("play", "place any");
  ASSERT_TRUE(word && part && letters);
  EXPECT_GT(*word, *part);
  EXPECT_GT(*part, *letters);
  EXPECT_GT(*fuzzy_score("pf", "Play faster"), *fuzzy_score("pf", "xpxxxf")) << "beginnings of words count";
}

class PaletteTest : public ::testing::Test {
 protected:
  PaletteTest() : document_(sample_recording(20), "") {
    actions_.add("Window", "Open a file", "Ctrl+O", [] {});
    actions_.add("Window", "Light or dark", "Ctrl+L", [] {});
    actions_.add("Time", "Play or pause", "Space", [] {});
    palette_.attach(&document_);
  }
  std::vector<std::string> texts(const std::string& query) {
    palette_.query(query, actions_);
    std::vector<std::string> out;
    for (const PaletteEntry& entry : palette_.entries()) out.push_back(entry.text);
    return out;
  }
  Document document_;
  Actions actions_;
  Palette palette_;
};

TEST_F(PaletteTest, ListsActionsAndWhatWasRunLastFirst) {
  EXPECT_THAT(texts(""), ::testing::ElementsAre("Open a file", "Light or dark", "Play or pause"));
  palette_.ran("Play or pause");
  palette_.ran("Light or dark");
  EXPECT_THAT(texts(""), ::testing::ElementsAre("Light or dark", "Play or pause", "Open a file"));
  EXPECT_EQ(texts("pause").front(), "Play or pause");
  EXPECT_EQ(palette_.entries().front().detail, "Time   Space");
  EXPECT_THAT(texts("window"), Not(Contains("Play or pause"))) << "the group counts too";
  EXPECT_THAT(texts("window"), Contains("Open a file"));
}

TEST_F(PaletteTest, JumpsToRows) {
  ASSERT_FALSE(texts("task 12").empty());
  EXPECT_EQ(palette_.entries()[0].item, (Item{ItemKind::Task, 12}));
  EXPECT_EQ(palette_.entries()[0].text, document_.task_label(12));
  texts("event 3");
  EXPECT_EQ(palette_.entries().at(0).item, (Item{ItemKind::Event, 3}));
  texts("pass 2");
  EXPECT_EQ(palette_.entries().at(0).item, (Item{ItemKind::Pass, 2}));
  for (const char* beyond : {"task 20", "task 99999999999999", "task", "task x", "cow 1"}) {
    texts(beyond);
    for (const PaletteEntry& entry : palette_.entries()) EXPECT_NE(entry.what, PaletteEntry::What::Item) << beyond;
  }
}

TEST_F(PaletteTest, AKernelListsItsTasks) {
  const auto& r = document_.recording();
  const std::string kernel(r.text(r.tasks.callee[0]));
  ASSERT_FALSE(kernel.empty());
  std::size_t expected = 0;
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) expected += r.tasks.callee[task] == r.tasks.callee[0] ? 1 : 0;
  texts(kernel);
  std::size_t listed = 0;
  for (const PaletteEntry& entry : palette_.entries()) {
    if (entry.what != PaletteEntry::What::Item) continue;
    EXPECT_EQ(r.text(r.tasks.callee[entry.item.row]), kernel);
    ++listed;
  }
  EXPECT_EQ(listed, expected);
  palette_.attach(nullptr);
  EXPECT_THAT(texts(kernel), IsEmpty());
}

TEST_F(PaletteTest, WhyListsTheEdgesBetweenTwoTasks) {
  const auto& r = document_.recording();
  ASSERT_GT(r.edges.rows(), 0U);
  const std::uint32_t edge = r.edges.rows() - 1;
  const std::uint32_t consumer = r.edges.consumer[edge], producer = r.edges.producer[edge];
  const auto listed = [&] {
    std::vector<std::uint32_t> edges;
    for (const PaletteEntry& entry : palette_.entries()) {
      if (entry.what == PaletteEntry::What::Item && entry.item.kind == ItemKind::Edge) edges.push_back(entry.item.row);
    }
    return edges;
  };
  const auto between = [&](auto&& fits) {
    std::vector<std::uint32_t> edges;
    for (std::uint32_t row = 0; row < r.edges.rows(); ++row) {
      if (fits(row) && edges.size() < Palette::kMostTasks) edges.push_back(row);
    }
    return edges;
  };
  const std::string rows = "t" + std::to_string(consumer) + " t" + std::to_string(producer);
  texts("why " + rows);
  EXPECT_THAT(listed(), ::testing::ElementsAre(edge));
  texts("why does t" + std::to_string(consumer) + " wait for t" + std::to_string(producer));
  EXPECT_THAT(listed(), ::testing::ElementsAre(edge));
  EXPECT_THAT(texts("why t" + std::to_string(producer) + " t" + std::to_string(consumer)), Contains(HasSubstr("no edge from")));
  EXPECT_THAT(listed(), ::testing::ElementsAre(edge)) << "the other way round";
  EXPECT_THAT(palette_.entries().front().detail, ::testing::StartsWith("the other way round: "));
  EXPECT_EQ(palette_.entries().at(1).item, (Item{ItemKind::Task, producer}));
  EXPECT_EQ(palette_.entries().at(1).before, (Item{ItemKind::Task, consumer})) << "both are to be seen together";
  EXPECT_THAT(texts("why t" + std::to_string(consumer) + " nosuchkernel"), Contains(HasSubstr("no such task")));
  const std::uint32_t name = r.tasks.callee[consumer];
  texts("why " + std::string(r.text(name)));
  EXPECT_EQ(listed(), between([&](std::uint32_t row) { return r.tasks.callee[r.edges.consumer[row]] == name; }));
  texts("why " + std::string(r.text(name)) + " t" + std::to_string(consumer));
  EXPECT_EQ(listed(), between([&](std::uint32_t row) { return r.edges.consumer[row] == consumer; })) << "one task, not two";
  EXPECT_THAT(texts("why nosuchkernel"), Contains(HasSubstr("no such task")));
}

TEST_F(PaletteTest, ATensorListsItselfByItsName) {
  const auto& r = document_.recording();
  std::uint32_t tensor = 0;
  while (tensor < r.tensors.rows() && r.text(r.tensors.name[tensor]).empty()) ++tensor;
  ASSERT_LT(tensor, r.tensors.rows());
  const std::string name(r.text(r.tensors.name[tensor]));
  std::vector<std::uint32_t> expected, listed;
  for (std::uint32_t row = 0; row < r.tensors.rows(); ++row) {
    if (r.text(r.tensors.name[row]) == name && expected.size() < Palette::kMostTasks) expected.push_back(row);
  }
  EXPECT_THAT(texts(name), Contains(HasSubstr("tensor " + std::to_string(tensor) + " " + name)));
  for (const PaletteEntry& entry : palette_.entries()) {
    if (entry.what == PaletteEntry::What::Item && entry.item.kind == ItemKind::Tensor) listed.push_back(entry.item.row);
  }
  EXPECT_EQ(listed, expected);
  EXPECT_THAT(texts(name + "x"), Not(Contains(HasSubstr("tensor "))));
}

/// What is said where the compiler added no edge, by what became of the regions.
TEST_F(PaletteTest, WhyTheCompilerAddedNoEdge) {
  recording::Recording r = sample_recording(20);
  for (std::uint8_t& provenance : r.edges.provenance) provenance = runtime::kTensorMap;
  recording::RegionsTable::columns(r.regions, [](std::string_view, auto& column, auto) { column.resize(2); });
  const auto asked = [&](pass::RegionOutcome outcome) {
    std::fill(r.regions.outcome.begin(), r.regions.outcome.end(), static_cast<std::uint8_t>(outcome));
    const Document document(recording::Recording(r), "");
    palette_.attach(&document);
    const auto words = texts("edges compiler");
    palette_.attach(nullptr);
    return words;
  };
  EXPECT_THAT(asked(pass::RegionOutcome::SwitchedOff).at(0), HasSubstr("--analyze-auto-scopes"));
  const auto fell_back = asked(pass::RegionOutcome::FellBack);
  EXPECT_THAT(fell_back.at(0), AllOf(HasSubstr("fell back"), Not(HasSubstr("--analyze-auto-scopes"))));
  EXPECT_EQ(fell_back.at(1), Palette::kFallback);
  EXPECT_THAT(asked(pass::RegionOutcome::Analysed).at(0), HasSubstr("found nothing"));
}

TEST_F(PaletteTest, EdgesAreListedByWhoAskedForThem) {
  const auto& r = document_.recording();
  std::size_t kinds = 0;
  constexpr const char* kNames[] = {"user", "compiler", "fence", "creator", "tensormap", "explicit"};
  for (std::size_t bit = 0; bit < std::size(kNames); ++bit) {
    std::vector<std::uint32_t> expected, listed;
    for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
      if ((r.edges.provenance[edge] >> bit & 1U) != 0) expected.push_back(edge);
    }
    kinds += expected.empty() ? 0 : 1;
    const auto words = texts(std::string("edges ") + kNames[bit]);
    for (const PaletteEntry& entry : palette_.entries()) {
      if (entry.what == PaletteEntry::What::Item && entry.item.kind == ItemKind::Edge) listed.push_back(entry.item.row);
    }
    EXPECT_EQ(listed, expected) << kNames[bit];
    if (expected.empty()) {
      EXPECT_THAT(words, Contains(HasSubstr("no such edge"))) << kNames[bit];
    }
  }
  EXPECT_GT(kinds, 0U);
}

}  // namespace
}  // namespace depscope::viewers
