// Answers to --why from made-up tables, and what is known of places.
#include "depscope/replay/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "depscope/pass/decisions.h"
#include "synthetic_recording.h"
#include "why_places.h"
#include "why_program.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Recording recorded() { return synthetic_recording({.tasks = 1}); }

TEST(WhyTest, TextOfAnEdge) {
  EXPECT_EQ(why_text(why(recorded(), "main:0", "main:1")),
            "question  fill (main:0, line 6) -> copy (main:1, line 7)\n"
            "answer    an edge: compiler_edge\n"
            "          the compiler added an edge on 'fill_tid' for RAW on scratch\n"
            "edge      compiler edge fill_tid\n"
            "kind      RAW on scratch: compiler edge fill_tid\n"
            "  first   writes scratch [0:64]: argument scratch, output_existing (scalar)\n"
            "  second  reads scratch [0:64]: argument scratch, input (scalar), then no_dep: an edge orders every\n"
            "          hazard\n"
            "  bytes   not known, because no one type of 'scratch' is printed; 64 elements, [0:64]\n"
            "region    region 0 auto_scope (line 5): analysed\n"
            "run       no task of fill (main:0, line 6) ran; by itself it would not find the pair: scratch of\n"
            "          copy is no_dep, which is not looked up\n"
            "rule      passes.md 5.6: an access that conflicts with one on record gets an edge to that producer\n"
            "where     demo.py:6 -> demo.py:7\n"
            "change    let the two touch other elements of scratch (constant, disjoint slices), or pl.no_dep()\n"
            "          the argument\n");
}

TEST(WhyTest, JsonHasTheSameFacts) {
  const Recording r = recorded();
  const auto object = nlohmann::json::parse(why_json(r, why(r, "6", "7")));
  EXPECT_EQ(object["schema"], "depscope.facts/1");
  const auto& why = object["why"];
  EXPECT_EQ(why["first"], (nlohmann::json{{"function", "main"}, {"call", 0}, {"callee", "fill"}, {"line", 6}}));
  EXPECT_EQ(why["edge"], true);
  EXPECT_EQ(why["meetings"][0]["elements"], 64);
  EXPECT_TRUE(why["meetings"][0]["bytes"].is_null());
  EXPECT_TRUE(why["path"].empty());
}

TEST(WhyTest, EdgesThatDidNotStay) {
  Recording r = recorded();
  r.hazards.edge_row[0] = kNoRow;
  r.regions.outcome[0] = static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
  r.regions.reason[0] = r.strings.add("producer_without_task_id");
  r.pass_edges.stripped_by[0] = 0;
  r.pass_edges.status[0] = static_cast<std::uint8_t>(pass::EdgeStatus::Stripped);
  EXPECT_EQ(why(r, "fill", "copy").code, "region_fell_back");
  r.pass_edges.status[0] = static_cast<std::uint8_t>(pass::EdgeStatus::GivenUp);
  EXPECT_EQ(why(r, "fill", "copy").code, "call_fell_back");
  r.pass_edges.status[0] = static_cast<std::uint8_t>(pass::EdgeStatus::Replaced);
  EXPECT_EQ(why(r, "fill", "copy").code, "replaced_by_fence");
  EXPECT_FALSE(why(r, "fill", "copy").edge);
}

TEST(WhyTest, AnEdgeThatTheCodeGeneratorLost) {
  Recording r = recorded();
  r.findings.kind.push_back(r.strings.add("lost_edge"));
  r.findings.severity.push_back(1);
  r.findings.summary.push_back(r.strings.add("nothing is left of it"));
  r.findings.fields.push_back(r.strings.add(R"({"function":"main","consumer":{"index":1},"dep":"fill_tid"})"));
  r.findings.line.push_back(7);
  const WhyAnswer answer = why(r, "fill", "copy");
  EXPECT_EQ(answer.code, "lost_edge");
  EXPECT_FALSE(answer.edge);
  EXPECT_THAT(answer.rule, HasSubstr("9.4, step 3"));
  // That of another edge changes nothing.
  r.findings.fields.back() = r.strings.add(R"({"function":"main","consumer":{"index":0},"dep":"fill_tid"})");
  EXPECT_EQ(why(r, "fill", "copy").code, "compiler_edge");
}

TEST(WhyTest, RegionsThatWereNotLookedAt) {
  for (const auto& [reason, code] : {std::pair{pass::RewriteReason::NotModelled, "not_modelled"},
                                     std::pair{pass::RewriteReason::Container, "container_invisible"},
                                     std::pair{pass::RewriteReason::SwitchOff, "switch_off"}}) {
    Recording r = recorded();
    const auto clear = [](auto& table) {
      std::decay_t<decltype(table)>::columns(table, [](std::string_view, auto& values, recording::Target) { values.clear(); });
    };
    clear(r.pass_edges);
    clear(r.hazards);
    clear(r.pass_accesses);
    r.arguments.rewrite[1] = static_cast<std::uint8_t>(reason);
    const WhyAnswer answer = why(r, "fill", "copy");
    EXPECT_EQ(answer.code, code);
    EXPECT_EQ(answer.shared, "not known, because the analysis did not look at fill (main:0, line 6)");
  }
}

TEST(WhyPlaces, WhatIsNotKnownSaysWhy) {
  Recording r = recorded();
  const WhyProgram program(r);
  const auto kind = [&](pass::StorageKind kind) {
    r.storage.kind[0] = static_cast<std::uint8_t>(kind);
    const SharedPlace shared = shared_place(r, program, 0, 0, 0);
    EXPECT_FALSE(shared.bytes);
    return shared.text;
  };
  EXPECT_THAT(kind(pass::StorageKind::Full), HasSubstr("not known, because the size of scratch does not show"));
  EXPECT_THAT(kind(pass::StorageKind::Conservative), HasSubstr("not known, because which part of scratch it is"));
  EXPECT_THAT(kind(pass::StorageKind::Dynamic), HasSubstr("depends on values of the run"));
  EXPECT_THAT(kind(pass::StorageKind::Unknown), HasSubstr("strides or a layout"));
  EXPECT_THAT(shared_place(r, program, 0, 0, kNoRow).text, HasSubstr("nobody knows where"));
}

TEST(WhyProgram, IdsAreTracedThroughCopiesArraysLoopsAndBranches) {
  Recording r = recorded();
  const std::string text =
      "# pypto.program: Demo\n"
      "class Demo:\n"
      "    def main(self, scratch: pl.Tensor[[64, 2], pl.FP16], n: pl.Scalar[pl.INDEX]):\n"
      "        tmp: pl.Tuple[pl.Tensor[[64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.fill, scratch)\n"
      "        fill_tid: pl.Scalar[pl.TASK_ID] = tmp[1]\n"
      "        ids: pl.Array[2, pl.TASK_ID] = pl.array.create(2, dtype=pl.TASK_ID)\n"
      "        tmp_1: pl.Tuple[pl.Tensor[[64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.copy, scratch, deps=[x])\n"
      "        copy_tid: pl.Scalar[pl.TASK_ID] = tmp_1[1]\n"
      "        ids__ssa_v1: pl.Array[2, pl.TASK_ID] = pl.array.update_element(ids, 0, fill_tid)\n"
      "        ids__ssa_v2: pl.Array[2, pl.TASK_ID] = pl.array.update_element(ids__ssa_v1, 1, copy_tid)\n"
      "        one: pl.Scalar[pl.TASK_ID] = pl.array.get_element(ids__ssa_v2, 1)\n"
      "        for i, (x, carried) in pl.range(0, n, init_values=(scratch, fill_tid)):\n"
      "            x__rv, carried__rv = pl.yield_(x, one)\n"
      "        if n > 1:\n"
      "            either: pl.Scalar[pl.TASK_ID] = pl.yield_(one)\n"
      "        else:\n"
      "            either: pl.Scalar[pl.TASK_ID] = pl.yield_(fill_tid)\n";
  r.passes.text.back() = r.strings.add(text);
  const std::uint32_t last = r.passes.rows() - 1;
  r.pool[r.call_sites.pass_line_begin[0] + last] = 4;
  r.pool[r.call_sites.pass_line_begin[1] + last] = 7;
  const WhyProgram program(r);
  EXPECT_THAT(program.results(0), ElementsAre("_submit_tmp", "fill_tid"));
  EXPECT_EQ(program.tail(1), "copy_tid");
  EXPECT_THAT(program.producers(1, "fill_tid"), ElementsAre(0));
  EXPECT_THAT(program.producers(1, "ids__ssa_v1"), ElementsAre(0));
  EXPECT_THAT(program.producers(1, "ids__ssa_v2"), ElementsAre(0, 1));
  EXPECT_THAT(program.producers(1, "one"), ElementsAre(1));
  EXPECT_THAT(program.producers(1, "carried"), ElementsAre(0));
  EXPECT_THAT(program.producers(1, "carried__rv"), ElementsAre(1));
  EXPECT_THAT(program.producers(1, "either"), ElementsAre(0, 1));
  EXPECT_TRUE(program.producers(1, "nobody").empty());
  const auto type = program.buffer(0, "scratch");
  ASSERT_TRUE(type);
  EXPECT_THAT(type->shape, ElementsAre(64, 2));
  EXPECT_EQ(type->element_bits, 16U);
  EXPECT_FALSE(program.buffer(0, "n"));
}

TEST(WhyProgram, OtherBranches) {
  Recording r = recorded();
  const auto other = [&](const std::string& body, std::uint32_t first, std::uint32_t second) {
    r.passes.text.back() = r.strings.add("class Demo:\n    def main(self):\n" + body);
    const std::uint32_t last = r.passes.rows() - 1;
    r.pool[r.call_sites.pass_line_begin[0] + last] = first + 2;
    r.pool[r.call_sites.pass_line_begin[1] + last] = second + 2;
    return WhyProgram(r).in_other_branch(0, 1);
  };
  EXPECT_TRUE(other("        if a:\n            x()\n        else:\n            y()\n", 2, 4));
  EXPECT_TRUE(other("        if a:\n            with pl.scope():\n                x()\n        else:\n            y()\n", 3, 5));
  EXPECT_TRUE(other("        if a:\n            x()\n        elif b:\n            y()\n", 2, 4));
  EXPECT_FALSE(other("        if a:\n            x()\n            y()\n", 2, 3));
  EXPECT_FALSE(other("        if a:\n            x()\n        y()\n", 2, 3));
  EXPECT_FALSE(other("        x()\n        if a:\n            z()\n        else:\n            y()\n", 1, 5));
  EXPECT_FALSE(other("        if a:\n            x()\n        if b:\n            z()\n        else:\n            y()\n", 2, 6));
}

}  // namespace
}  // namespace depscope::replay
