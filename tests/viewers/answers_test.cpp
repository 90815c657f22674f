#include "depscope/viewers/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/replay/state_queries.h"
#include "depscope/runtime/sink.h"
#include "sample_runs.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Document& fallbacks() {
  static Document document(sample_run("10_fallbacks", "--analyze-auto-scopes"), "fallbacks");
  return document;
}

bool links_to(const Answer& answer, Item item) {
  for (const AnswerLine& line : answer.lines) {
    for (const AnswerPart& part : line.parts) {
      if (part.item == item) return true;
    }
  }
  return false;
}

/// Moves the cursor on until `wanted(document)`; false at the end.
template <class Wanted>
bool seek_until(Document& document, Wanted&& wanted) {
  for (std::uint32_t position = 0; position <= document.cursor().size(); ++position) {
    document.cursor().seek(position);
    if (wanted()) return true;
  }
  return false;
}

TEST(AnswersTest, WordsAreFoundWhereTheyStandAlone) {
  EXPECT_EQ(find_word("f1 = self.get_flat(f_flat, f1)", "f_flat"), std::pair(19U, 25U));
  EXPECT_EQ(find_word("x = self.put(x, x2)", "x"), std::pair(13U, 14U)) << "the argument, not the result";
  EXPECT_EQ(find_word("flat = pl.reshape(a, [1])", "flat"), std::pair(0U, 4U));
  EXPECT_EQ(find_word("y = self.put(xx)", "x"), std::pair(0U, 0U));
  EXPECT_EQ(find_word("y", ""), std::pair(0U, 0U));
}

TEST(AnswersTest, SourceLinesAreThoseOfTheInput) {
  EXPECT_THAT(std::string(source_line(fallbacks(), 142)), HasSubstr("self.get_flat(f_flat, f1)"));
  EXPECT_EQ(source_line(fallbacks(), 0), "");
  EXPECT_EQ(source_line(fallbacks(), 1000000), "");
}

TEST(AnswersTest, AWaitingTaskNamesEveryProducerItWaitsFor) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::uint32_t task = kNoRow;
  ASSERT_TRUE(seek_until(document, [&] {
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      const auto& state = document.cursor().state();
      if (state.task_state[t] == static_cast<std::uint8_t>(TaskState::Pending) && state.need[t] != 0 &&
          !document.cursor().waiting_for(t).empty()) {
        task = t;
        return true;
      }
    }
    return false;
  }));
  const Answer answer = why_waiting(document, task);
  const auto waiting = document.cursor().waiting_for(task);
  for (const std::uint32_t edge : waiting) {
    EXPECT_TRUE(links_to(answer, {ItemKind::Edge, edge}));
    EXPECT_TRUE(links_to(answer, {ItemKind::Task, r.edges.producer[edge]}));
  }
  const auto& state = document.cursor().state();
  EXPECT_THAT(answer_text(answer), HasSubstr(std::to_string(state.have[task]) + " of " + std::to_string(state.need[task]) +
                                             " readiness units have come in"));
  document.cursor().seek(document.cursor().size());
  EXPECT_THAT(answer_text(why_waiting(document, task)), HasSubstr("It is not: it has completed."));
  document.cursor().seek(0);
  const Answer before = why_waiting(document, task);
  EXPECT_THAT(answer_text(before), HasSubstr("not submitted yet"));
  EXPECT_TRUE(links_to(before, {ItemKind::Event, document.moments().submitted[task]}));
  for (const std::uint32_t edge : waiting) EXPECT_TRUE(links_to(before, {ItemKind::Edge, edge})) << "it will wait for it";
}

TEST(AnswersTest, WhatIsAliveNamesAllItsHolders) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::array<bool, 5> met{};
  for (std::uint32_t position = 0; position <= document.cursor().size(); position += 7) {
    document.cursor().seek(position);
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
      const Answer answer = why_alive(document, task);
      const std::string text = answer_text(answer);
      const auto holders = replay::holders_of(document.cursor(), task);
      EXPECT_EQ(holders.empty(), text.find("It is not:") != std::string::npos) << text;
      for (const replay::Holder& holder : holders) {
        met[static_cast<std::size_t>(holder.kind)] = true;
        switch (holder.kind) {
          case replay::HolderKind::Unfinished: EXPECT_THAT(text, HasSubstr("It has not completed.")); break;
          case replay::HolderKind::Scope: EXPECT_TRUE(links_to(answer, {ItemKind::Scope, holder.scope})); break;
          case replay::HolderKind::Consumer: EXPECT_TRUE(links_to(answer, {ItemKind::Edge, holder.edge})); break;
          case replay::HolderKind::OlderTask:
            EXPECT_TRUE(holder.task == kNoRow || links_to(answer, {ItemKind::Task, holder.task}));
            EXPECT_THAT(text, HasSubstr("slots of a ring go back in order"));
            break;
          case replay::HolderKind::HeapTail: EXPECT_THAT(text, HasSubstr("the tail of the heap")); break;
        }
      }
    }
  }
  EXPECT_TRUE(met[0] && met[1] && met[2]) << "unfinished, scope and consumer occur in this sample";
  document.cursor().seek(0);
}

TEST(AnswersTest, EveryDiscoveryOfAnEdgeIsAnswered) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::uint8_t met = 0;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    const Answer answer = who_asked(document, edge);
    const std::string text = answer_text(answer);
    const auto reasons = document.reasons_of_edge().of(edge);
    const auto bullets = std::count_if(answer.lines.begin(), answer.lines.end(),
                                       [](const AnswerLine& line) { return line.style == AnswerStyle::Bullet; });
    EXPECT_EQ(static_cast<std::size_t>(bullets), std::min(reasons.size(), kMaxAnswerItems)) << text;
    for (const std::uint32_t reason : reasons) {
      met |= r.edge_reasons.source[reason];
      switch (r.edge_reasons.source[reason]) {
        case runtime::kUser: EXPECT_THAT(text, HasSubstr("The user named it: ")); break;
        case runtime::kCompiler: EXPECT_THAT(text, HasSubstr("The compiler added it (passes.md 5.6)")); break;
        case runtime::kCreator: EXPECT_THAT(text, HasSubstr("The producer owns the buffer")); break;
        case runtime::kTensorMap:
          EXPECT_TRUE(links_to(answer, {ItemKind::Access, r.edge_reasons.consumer_access[reason]}));
          EXPECT_TRUE(links_to(answer, {ItemKind::Access, r.edge_reasons.producer_access[reason]}));
          EXPECT_THAT(text, HasSubstr(r.edge_reasons.overlap[reason] == 2 ? "covers the whole write" : "the two overlap"));
          break;
        default: break;
      }
    }
  }
  EXPECT_EQ(met & (runtime::kUser | runtime::kCompiler | runtime::kTensorMap),
            runtime::kUser | runtime::kCompiler | runtime::kTensorMap)
      << "the sample has edges of all three";
}

TEST(AnswersTest, ACompilerEdgeNamesTheHazardItStandsFor) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::size_t named = 0;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    if ((r.edges.provenance[edge] & runtime::kCompiler) == 0) continue;
    const std::uint32_t site = r.tasks.call_site[r.edges.consumer[edge]];
    const Answer answer = who_asked(document, edge);
    for (const std::uint32_t hazard : document.hazards_of_current().of(site)) {
      if (r.hazards.prior[hazard] != r.tasks.call_site[r.edges.producer[edge]]) continue;
      EXPECT_TRUE(links_to(answer, {ItemKind::Hazard, hazard}));
      EXPECT_THAT(answer_text(answer), HasSubstr(" on root "));
      ++named;
    }
  }
  EXPECT_GT(named, 0U);
}

TEST(AnswersTest, ALostWaitNamesItsWitness) {
  Document& document = fallbacks();
  recording::Recording r = document.recording();
  ASSERT_GT(r.edges.rows(), 0U);
  r.edges.flags[0] = runtime::kWait | runtime::kRetain;
  r.edges.flags_final[0] = runtime::kRetain;
  r.edges.via[0] = 1;
  const Answer lost = where_did_wait_go(Document(r, "changed"), 0);
  EXPECT_TRUE(links_to(lost, {ItemKind::Task, 1}));
  EXPECT_THAT(answer_text(lost), HasSubstr("RETAIN stays."));
  r.edges.via[0] = kNoRow;
  EXPECT_THAT(answer_text(where_did_wait_go(Document(r, "changed"), 0)), HasSubstr("no witness"));
  r.edges.flags_final[0] = r.edges.flags[0];
  EXPECT_THAT(answer_text(where_did_wait_go(Document(r, "changed"), 0)), HasSubstr("Nowhere"));
  r.edges.flags[0] = r.edges.flags_final[0] = runtime::kRetain;
  EXPECT_THAT(answer_text(where_did_wait_go(Document(r, "changed"), 0)), HasSubstr("never had one"));
}

TEST(AnswersTest, ArgumentsSayRuleReasonAndConflicts) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  for (std::uint32_t argument = 0; argument < r.arguments.rows(); ++argument) {
    const bool changed = r.arguments.derived[argument] != r.arguments.direction[argument];
    const Answer rewritten = why_rewritten(document, argument);
    EXPECT_EQ(rewritten.question, changed ? "Why was this direction rewritten?" : "Why was this direction not rewritten?");
    if (changed) {
      EXPECT_TRUE(std::any_of(rewritten.lines.begin(), rewritten.lines.end(), [](const AnswerLine& line) {
        return line.style == AnswerStyle::Bullet;
      })) << "an edge orders a conflict, which is named";
    }
    EXPECT_THAT(answer_text(why_direction(document, argument)), HasSubstr("passes.md 4."));
  }
  ASSERT_GT(r.rewrites_undone.rows(), 0U);
  const Answer undone = why_rewritten(document, r.rewrites_undone.argument[0]);
  EXPECT_TRUE(links_to(undone, {ItemKind::Region, r.rewrites_undone.region[0]}));
  EXPECT_THAT(answer_text(undone), HasSubstr("it would be output_existing"));
}

TEST(AnswersTest, PairsOfCallsSayWhatExplainSays) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::uint32_t edge = 0;  // of the passes, with a known producer
  while (edge < r.pass_edges.rows() && r.pass_edges.producer[edge] == kNoRow) ++edge;
  ASSERT_LT(edge, r.pass_edges.rows());
  const std::string text = answer_text(why_pair(document, r.pass_edges.producer[edge], r.pass_edges.consumer[edge]));
  EXPECT_THAT(text, AllOf(HasSubstr("An edge: "), HasSubstr("rule: passes.md")));
}

TEST(AnswersTest, TensorsSayWhoUsesThem) {
  Document& document = fallbacks();
  const auto& r = document.recording();
  std::size_t owned = 0;
  for (std::uint32_t tensor = 0; tensor < r.tensors.rows(); ++tensor) {
    std::size_t reads = 0;
    std::size_t writes = 0;
    for (const std::uint32_t access : document.accesses_of_tensor().of(tensor)) {
      const auto kind = static_cast<runtime::ArgKind>(r.accesses.kind[access]);
      reads += kind == runtime::ArgKind::Input || kind == runtime::ArgKind::InOut ? 1U : 0U;
      writes += kind == runtime::ArgKind::InOut || kind == runtime::ArgKind::OutputExisting || kind == runtime::ArgKind::Output
                    ? 1U
                    : 0U;
    }
    EXPECT_THAT(answer_text(who_reads(document, tensor)),
                HasSubstr(reads == 0 ? "No task does." : std::to_string(reads) + " read"));
    EXPECT_THAT(answer_text(who_writes(document, tensor)),
                HasSubstr(writes == 0 ? "No task does." : std::to_string(writes) + " write"));
    const std::string life = answer_text(how_long_alive(document, tensor));
    if (r.tensors.owner[tensor] == runtime::kInvalidTask) {
      EXPECT_THAT(life, HasSubstr("external memory"));
    } else {
      ++owned;
      EXPECT_THAT(life, HasSubstr("slot and bytes can be used again"));
    }
  }
  EXPECT_GT(owned, 0U);
}

TEST(AnswersTest, AnswersAreCopiedWithoutTheirLinks) {
  Document& document = fallbacks();
  const auto answers = answers_about(document, {ItemKind::Edge, 0});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers_text(answers), AllOf(HasSubstr("Who asked for this edge?\n"), HasSubstr("\nWhere did its WAIT go?\n")));
  const std::string json = answers_json(answers);
  EXPECT_THAT(json, Not(HasSubstr("\n")));
  const auto parsed = nlohmann::json::parse(json);
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(parsed[1]["question"], "Where did its WAIT go?");
  EXPECT_EQ(parsed[1]["lines"].size(), answers[1].lines.size());
}

TEST(AnswersTest, EveryKindOfItemHasAnswersOrNone) {
  Document& document = fallbacks();
  EXPECT_EQ(answers_about(document, {ItemKind::Task, 0}).size(), 2U);
  EXPECT_EQ(answers_about(document, {ItemKind::Region, 6}).front().question, "Why did this region fall back?");
  EXPECT_EQ(answers_about(document, {ItemKind::Region, 1}).front().question, "What became of this region?");
  EXPECT_EQ(answers_about(document, {ItemKind::Argument, 0}).size(), 2U);
  EXPECT_EQ(answers_about(document, {ItemKind::Access, 0}).size(), 4U);
  EXPECT_TRUE(answers_about(document, {}).empty());
  const auto& r = document.recording();
  std::uint32_t finding = 0;  // the first one with a line that holds a call
  while (finding < r.findings.rows() &&
         std::find(r.call_sites.line.begin(), r.call_sites.line.end(), r.findings.line[finding]) == r.call_sites.line.end())
    ++finding;
  ASSERT_LT(finding, r.findings.rows());
  const Answer where = answers_about(document, {ItemKind::Finding, finding}).front();
  EXPECT_THAT(answer_text(where), HasSubstr("call-site: "));
  EXPECT_THAT(answer_text(where), HasSubstr(std::to_string(r.findings.line[finding])));
}

}  // namespace
}  // namespace depscope::viewers
