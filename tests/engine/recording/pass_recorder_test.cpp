#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/recording/recorder.h"

namespace depscope::recording {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A pass that does nothing, for its name and properties.
class NamedPass final : public pass::Pass {
 public:
  explicit NamedPass(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] pass::PropertySet required() const override { return 5; }
  [[nodiscard]] ir::Program run(const ir::Program& program, const pass::Options&, pass::DecisionSink&) const override {
    return program;
  }

 private:
  std::string name_;
};

constexpr std::string_view kProgram = R"py(import pypto.language as pl


@pl.program
class Demo:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, src: pl.Tensor[[64], pl.FP32], dst: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return dst

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        with pl.scope():
            a, ta = pl.submit(self.fill, x)
            for i in pl.range(4):
                with pl.manual_scope():
                    b, tb = pl.submit(self.copy, a, y, deps=[ta])
        c = self.copy(a, y)
        return c
)py";

/// Statements of the task sites of `main`, in program order.
std::vector<ir::StmtId> sites_of(const ir::Program& program) {
  std::vector<ir::StmtId> out;
  ir::for_each_stmt(*program.store, program.find("main")->body, [&](ir::StmtId id) {
    const ir::Stmt& s = program.store->stmt(id);
    const ir::ExprId value(s.kind == ir::StmtKind::Assign ? s.b : s.a);
    if (s.kind != ir::StmtKind::Assign || program.store->expr(value).kind != ir::ExprKind::Call) return;
    const ir::CallForm form = program.store->call(value).form;
    if (form == ir::CallForm::Submit || form == ir::CallForm::Function) out.push_back(id);
  });
  return out;
}

class PassRecorderTest : public ::testing::Test {
 protected:
  PassRecorderTest() {
    ir::ReadResult result = ir::read_text(std::make_shared<SourceFile>("demo.py", std::string(kProgram)));
    for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << d.text();
    program_ = result.programs.at(0);
    sites_ = sites_of(program_);
    main_ = static_cast<std::uint32_t>(program_.find("main") - program_.functions.data());
  }

  std::vector<std::string> strings(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& count,
                                   std::uint32_t row) const {
    std::vector<std::string> out;
    for (std::uint32_t k = 0; k < count[row]; ++k) out.emplace_back(r_.text(r_.pool[begin[row] + k]));
    return out;
  }
  std::vector<std::uint32_t> words(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& count,
                                   std::uint32_t row) const {
    return {r_.pool.begin() + begin[row], r_.pool.begin() + begin[row] + count[row]};
  }

  ir::Program program_;
  std::vector<ir::StmtId> sites_;
  std::uint32_t main_ = 0;
  Recording r_;
  PassRecorder recorder_{r_};
};

TEST_F(PassRecorderTest, FunctionsSitesScopesAndArguments) {
  recorder_.after_pass(0, nullptr, program_, true, {});
  recorder_.finish(program_);

  ASSERT_EQ(r_.functions.rows(), 3U);
  EXPECT_EQ(r_.text(r_.functions.name[2]), "main");
  EXPECT_EQ(r_.text(r_.functions.kind[2]), "Orchestration");
  EXPECT_EQ(r_.functions.auto_scope[2], 0);
  EXPECT_EQ(r_.functions.line[2], 15U);

  EXPECT_THAT(r_.ir_scopes.manual, ElementsAre(0, 1));
  EXPECT_THAT(r_.ir_scopes.parent, ElementsAre(kNoRow, 0U));
  EXPECT_THAT(r_.ir_scopes.index, ElementsAre(0U, 1U));

  const auto& s = r_.call_sites;
  ASSERT_EQ(s.rows(), 3U);
  EXPECT_THAT(s.kind, ElementsAre(1, 1, 0));
  EXPECT_THAT(s.loop_depth, ElementsAre(0U, 1U, 0U));
  EXPECT_THAT(s.line, ElementsAre(17U, 20U, 21U));
  EXPECT_EQ(r_.text(s.callee[1]), "copy");
  EXPECT_THAT(words(s.scope_begin, s.scope_begin_count, 1), ElementsAre(0U, 1U));
  EXPECT_THAT(words(s.scope_begin, s.scope_begin_count, 2), ElementsAre());
  EXPECT_THAT(strings(s.user_dep_begin, s.user_dep_begin_count, 1), ElementsAre("ta"));
  EXPECT_THAT(strings(s.result_begin, s.result_begin_count, 2), ElementsAre("c"));
  EXPECT_THAT(s.argument_count, ElementsAre(1U, 2U, 2U));
  EXPECT_EQ(r_.text(r_.arguments.name[2]), "y");
  EXPECT_EQ(r_.arguments.callee_direction[2], static_cast<std::uint8_t>(ir::ParamDirection::Out));
  for (const std::uint8_t direction : r_.arguments.direction) EXPECT_EQ(direction, 0);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(recorder_.call_site_of(sites_[i]), i);
  EXPECT_EQ(recorder_.call_site_of(ir::StmtId()), kNoRow);
}

TEST_F(PassRecorderTest, PassTextsAndTheLinesOfSitesInThem) {
  const NamedPass pass("ConvertToSSA");
  recorder_.after_pass(0, nullptr, program_, true, {});
  Diagnostic message;
  message.message = "something odd";
  recorder_.after_pass(1, &pass, program_, false, {message});
  recorder_.finish(program_);
  ASSERT_EQ(r_.passes.rows(), 2U);
  EXPECT_EQ(r_.text(r_.passes.name[0]), "frontend");
  EXPECT_EQ(r_.text(r_.passes.name[1]), "ConvertToSSA");
  EXPECT_EQ(r_.passes.text[0], r_.passes.text[1]);
  EXPECT_EQ(r_.passes.required[1], 5U);
  EXPECT_THAT(strings(r_.passes.message_begin, r_.passes.message_begin_count, 1), ElementsAre(HasSubstr("something odd")));
  const std::string text(r_.text(r_.passes.text[0]));
  EXPECT_EQ(text, ir::print_program(program_));
  for (std::uint32_t site = 0; site < 3; ++site) {
    const auto lines = words(r_.call_sites.pass_line_begin, r_.call_sites.pass_line_begin_count, site);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], lines[1]);
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < lines[0]; ++line) begin = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    EXPECT_THAT(line, HasSubstr("self." + std::string(r_.text(r_.call_sites.callee[site]))));
  }
}

TEST_F(PassRecorderTest, DecisionsBecomeRows) {
  const NamedPass pass("AutoDeriveTaskDependencies");
  recorder_.after_pass(0, nullptr, program_, true, {});
  const ir::VarId x = program_.functions[main_].params[0].var;
  recorder_.argument({main_, sites_[1], 0, ir::ParamDirection::In, pass::ArgDirection::Input, pass::DirectionRule::CalleeIn});
  recorder_.rewrite({main_, sites_[1], 0, pass::ArgDirection::Input, pass::ArgDirection::NoDep, pass::RewriteReason::Rewritten});
  recorder_.rewrite({main_, sites_[2], 1, pass::ArgDirection::Output, pass::ArgDirection::Output, pass::RewriteReason::NoHazard});
  pass::StorageRecord storage;
  storage.root = x;
  storage.kind = pass::StorageKind::Box;
  storage.offset = {0, -1};
  storage.shape = {4, std::int64_t{1} << 33};
  recorder_.storage(storage);
  pass::HazardRecord hazard;
  hazard.function = main_;
  hazard.region = 1;
  hazard.prior_site = sites_[0];
  hazard.current_site = sites_[1];
  hazard.kinds = pass::kRaw | pass::kWaw;
  hazard.verdict = pass::HazardVerdict::CompilerEdge;
  hazard.edge = x;
  hazard.reason = "whole_array";
  hazard.current_storage = 7;  // beyond the records: none
  recorder_.hazard(hazard);
  // Inner regions end first; rows stand in order of their indices.
  pass::RegionRecord inner;
  inner.function = main_;
  inner.index = 1;
  inner.parent = 0;
  inner.kind = pass::RegionKind::AutoScope;
  inner.outcome = pass::RegionOutcome::FellBack;
  inner.reason = "producer_without_task_id";
  inner.offending_site = sites_[2];
  inner.offending_arg = 0;
  inner.stripped_edges = 2;
  recorder_.region(inner);
  pass::RegionRecord container;
  container.function = main_;
  container.kind = pass::RegionKind::Container;
  recorder_.region(container);
  pass::FenceRecord fence;
  fence.function = main_;
  fence.array = x;
  fence.producers = 4;
  fence.consumers = 4;
  fence.saving = 8;
  fence.accepted = true;
  recorder_.fence(fence);
  recorder_.notice({main_, "not_modelled", "'exec' is not modelled", sites_[0]});
  recorder_.after_pass(1, &pass, program_, true, {});
  recorder_.notice({main_, "not_modelled", "'exec' is not modelled", sites_[0]});  // said again by the next pass
  recorder_.finish(program_);

  EXPECT_EQ(r_.arguments.derived[1], static_cast<std::uint8_t>(pass::ArgDirection::Input));
  EXPECT_EQ(r_.arguments.rule[1], static_cast<std::uint8_t>(pass::DirectionRule::CalleeIn));
  EXPECT_EQ(r_.arguments.rewrite[1], static_cast<std::uint8_t>(pass::RewriteReason::Rewritten));
  EXPECT_EQ(r_.arguments.derived[4], static_cast<std::uint8_t>(pass::ArgDirection::Output));
  EXPECT_EQ(r_.arguments.rewrite[4], static_cast<std::uint8_t>(pass::RewriteReason::NoHazard));

  ASSERT_EQ(r_.regions.rows(), 2U);
  EXPECT_THAT(r_.regions.index, ElementsAre(0U, 1U));
  EXPECT_THAT(r_.regions.parent, ElementsAre(kNoRow, 0U));
  EXPECT_THAT(r_.regions.offending_site, ElementsAre(kNoRow, 2U));
  EXPECT_THAT(words(r_.storage.box_begin, r_.storage.box_begin_count, 0),
              ElementsAre(0U, 0U, 0xffffffffU, 0xffffffffU, 4U, 0U, 0U, 2U));
  ASSERT_EQ(r_.hazards.rows(), 1U);
  EXPECT_EQ(r_.hazards.region[0], 1U);
  EXPECT_EQ(r_.hazards.prior[0], 0U);
  EXPECT_EQ(r_.hazards.current[0], 1U);
  EXPECT_EQ(r_.hazards.prior_storage[0], 0U);
  EXPECT_EQ(r_.hazards.current_storage[0], kNoRow);
  EXPECT_EQ(r_.text(r_.hazards.edge[0]), "x");
  EXPECT_EQ(r_.text(r_.hazards.reason[0]), "whole_array");

  ASSERT_EQ(r_.findings.rows(), 5U);
  EXPECT_EQ(r_.text(r_.findings.kind[0]), "fallback");
  EXPECT_EQ(r_.findings.severity[0], static_cast<std::uint8_t>(Severity::Info));
  EXPECT_EQ(
      r_.text(r_.findings.fields[0]),
      R"({"function":"main","region":1,"region_kind":"auto_scope","outcome":"fell_back","reason":"producer_without_task_id",)"
      R"("call":{"callee":"copy","occurrence":1,"index":2,"line":21},"argument":"a","stripped_edges":2,)"
      R"("edges_stripped":[],"edges_stripped_count":0,"rewrites_undone":[],"rewrites_undone_count":0,"line":21})");
  EXPECT_EQ(r_.text(r_.findings.kind[1]), "rewrite");
  EXPECT_THAT(std::string(r_.text(r_.findings.fields[1])),
              HasSubstr(R"("what":"phase_fence","array":"x","accepted":true,"N":4,"M":4,"saving":8)"));
  EXPECT_EQ(r_.text(r_.findings.kind[2]), "not_modelled");
  EXPECT_EQ(r_.findings.severity[2], static_cast<std::uint8_t>(Severity::Warning));
  EXPECT_EQ(r_.findings.line[2], 17U);
}

/// A pass that takes the second site away: decisions about it lead nowhere, those about the third still do.
TEST_F(PassRecorderTest, SitesAreFollowedToTheLastProgram) {
  recorder_.after_pass(0, nullptr, program_, true, {});
  recorder_.rewrite({main_, sites_[1], 0, pass::ArgDirection::Input, pass::ArgDirection::NoDep, pass::RewriteReason::Rewritten});
  recorder_.rewrite({main_, sites_[2], 0, pass::ArgDirection::InOut, pass::ArgDirection::InOut, pass::RewriteReason::CrossScope});
  ir::Program last = program_;
  ir::NodeStore& store = *last.store;
  std::vector<ir::StmtId> body = store.list<ir::StmtId>(last.functions[main_].body);
  const ir::ScopeData scope = store.scope_data(body[0]);
  std::vector<ir::StmtId> inner = store.list<ir::StmtId>(scope.body);
  inner.pop_back();  // the loop
  ir::ScopeData smaller = scope;
  smaller.body = store.make_list(inner);
  body[0] = store.make_scope(smaller, store.stmt(body[0]).span);
  last.functions[main_].body = store.make_list(body);
  recorder_.after_pass(1, nullptr, last, true, {});
  recorder_.finish(last);

  ASSERT_EQ(r_.call_sites.rows(), 2U);
  EXPECT_THAT(words(r_.call_sites.pass_line_begin, r_.call_sites.pass_line_begin_count, 1).size(), 2U);
  EXPECT_NE(words(r_.call_sites.pass_line_begin, r_.call_sites.pass_line_begin_count, 1)[0], 0U);
  EXPECT_EQ(r_.arguments.rewrite[1], static_cast<std::uint8_t>(pass::RewriteReason::CrossScope));
  EXPECT_EQ(r_.arguments.derived[1], static_cast<std::uint8_t>(pass::ArgDirection::InOut));
  EXPECT_EQ(recorder_.call_site_of(sites_[1]), kNoRow);
  EXPECT_EQ(recorder_.call_site_of(sites_[2]), 1U);
}

/// Dumps are texts of their own: a name has another number in each, and a place in one says nothing about the other.
TEST_F(PassRecorderTest, SitesAreFollowedFromTextToText) {
  std::string other(kProgram);
  const std::string extra =
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def unused(self, late: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n        return late\n\n";
  other.insert(other.find("    @pl.function"), extra);
  const std::string loop = "            for i in pl.range(4):";
  other.insert(other.find(loop), "            z, tz = pl.submit(self.fill, y)\n");
  ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("dump.py", other));
  ASSERT_TRUE(read.ok);
  recorder_.after_pass(0, nullptr, read.programs.at(0), true, {});
  recorder_.after_pass(1, nullptr, program_, true, {});
  recorder_.finish(program_);
  const auto line_of = [&](std::uint32_t site) {
    const std::string text(r_.text(r_.passes.text[0]));
    const std::uint32_t line = words(r_.call_sites.pass_line_begin, r_.call_sites.pass_line_begin_count, site).at(0);
    std::size_t begin = 0;
    for (std::uint32_t k = 1; k < line; ++k) begin = text.find('\n', begin) + 1;
    return line == 0 ? std::string() : text.substr(begin, text.find('\n', begin) - begin);
  };
  ASSERT_EQ(r_.call_sites.rows(), 3U);
  EXPECT_THAT(line_of(0), HasSubstr("self.fill, x"));
  EXPECT_THAT(line_of(1), HasSubstr("self.copy, a, y"));
  EXPECT_THAT(line_of(2), HasSubstr("self.copy(a, y"));
}

TEST_F(PassRecorderTest, FenceCountsStopAtTheLargestNumber) {
  recorder_.after_pass(0, nullptr, program_, true, {});
  pass::FenceRecord fence;
  fence.function = main_;
  fence.array = program_.functions[main_].params[0].var;
  fence.producers = 4;
  fence.consumers = INT64_MAX;
  fence.saving = INT64_MAX;
  fence.accepted = true;
  recorder_.fence(fence);
  recorder_.finish(program_);

  ASSERT_EQ(r_.findings.rows(), 2U);  // and where the user's edge comes from
  EXPECT_THAT(std::string(r_.text(r_.findings.fields[0])),
              HasSubstr(R"("edges_before":9223372036854775807,"edges_after":9223372036854775807)"));
}

TEST_F(PassRecorderTest, DecisionsNeedTheirProgram) {
  EXPECT_THROW(recorder_.rewrite(
                   {main_, sites_[1], 0, pass::ArgDirection::Input, pass::ArgDirection::NoDep, pass::RewriteReason::Rewritten}),
               InternalError);
}

}  // namespace
}  // namespace depscope::recording
