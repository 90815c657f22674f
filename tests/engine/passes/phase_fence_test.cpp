// ExpandManualPhaseFence: worked cases E01 to E16 of the pass specification, section 11.8 (the pass after ConvertToSSA alone).
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {
namespace {

/// Fence decisions in order: "ts 3*3=3 ok" or "ts 2*2=0 no_profit".
class FenceSink final : public DecisionSink {
 public:
  explicit FenceSink(const ir::NodeStore& store) : store_(store) {}
  void region(const RegionRecord&) override {}
  void argument(const ArgumentRecord&) override {}
  void rewrite(const RewriteRecord&) override {}
  void storage(const StorageRecord&) override {}
  void hazard(const HazardRecord&) override {}
  void edge(const EdgeRecord&) override {}
  void scope(const ScopeRecord&) override {}
  void carry(const CarryRecord&) override {}
  void notice(const NoticeRecord&) override {}
  void fence(const FenceRecord& r) override {
    if (!text.empty()) text += "; ";
    const std::string name(store_.name(r.array));
    text += name.substr(0, name.find("__"));
    if (r.producers != 0) {
      text += " " + std::to_string(r.producers) + "*" + std::to_string(r.consumers) + "=" + std::to_string(r.saving);
    }
    text += " " + (r.accepted ? std::string("ok") : r.reason);
  }
  std::string text;

 private:
  const ir::NodeStore& store_;
};

struct Result {
  std::string fences;
  std::string shape;  ///< statements that matter, in order: "bar(ts)", "for{…}", "nop[bar0]"
};

class Shape {
 public:
  explicit Shape(const ir::NodeStore& store) : store_(store) {}
  std::string of(Range body) {
    std::string out;
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const ir::StmtId stmt = store_.at<ir::StmtId>(body, i);
      std::string part;
      switch (store_.stmt(stmt).kind) {
        case ir::StmtKind::Assign: part = call(ir::ExprId(store_.stmt(stmt).b)); break;
        case ir::StmtKind::For: part = "for{" + of(store_.for_data(stmt).body) + "}"; break;
        case ir::StmtKind::If:
          part = "if{" + of(store_.if_data(stmt).then_body) + "|" + of(store_.if_data(stmt).else_body) + "}";
          break;
        case ir::StmtKind::Scope: part = of(store_.scope_data(stmt).body); break;
        default: break;
      }
      if (part.empty()) continue;
      if (!out.empty()) out += ' ';
      out += part;
    }
    return out;
  }

 private:
  std::string call(ir::ExprId value) {
    if (store_.expr(value).kind != ir::ExprKind::Call) return {};
    const ir::Call& c = store_.call(value);
    const bool barrier = store_.is_op(value, "system.task_dummy");
    if (!barrier && c.form != ir::CallForm::Submit) return {};
    std::string deps;
    for (std::uint32_t i = 0; i < c.deps.count; ++i) {
      std::string name(store_.name(store_.as_var(store_.at<ir::ExprId>(c.deps, i))));
      if (name.starts_with("phase_fence_barrier_")) {
        name = "bar" + name.substr(20, name.size() - 24);
      } else {
        name = name.substr(0, name.find("__"));
      }
      deps += (deps.empty() ? "" : ",") + name;
    }
    return barrier ? "bar(" + deps + ")" : "nop[" + deps + "]";
  }

  const ir::NodeStore& store_;
};

Result expand(const std::string& body, bool manual = true) {
  std::ostringstream out;
  out << "import pypto.language as pl\n\n\n@pl.program\nclass Prog:\n    @pl.function(type=pl.FunctionType.InCore)\n    def "
         "nop(self):\n"
         "        pass\n\n    @pl.function(type=pl.FunctionType.Orchestration)\n"
         "    def main(self, ts: pl.Array[N, pl.TASK_ID], us: pl.Array[N, pl.TASK_ID], w: pl.Scalar[pl.TASK_ID], n: "
         "pl.Scalar[pl.INDEX]):\n";
  const std::string indent = manual ? "            " : "        ";
  if (manual) out << "        with pl.manual_scope():\n";
  std::istringstream lines(body.substr(2));
  std::string line;
  while (std::getline(lines, line)) out << indent << line << "\n";
  std::string text = out.str();
  for (std::size_t at = text.find("Array[N"); at != std::string::npos; at = text.find("Array[N")) text[at + 6] = body[0];
  const ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("fence.py", text));
  if (!read.ok) throw InputError(read.diagnostics);
  std::vector<Result> results;
  for (const Profile profile : {Profile::Seed, Profile::Upstream202608}) {
    const Options options{false, profile};
    CountingSink quiet;
    ir::Program program = ConvertToSSA()->run(read.programs.at(0), options, quiet);
    FenceSink sink(*program.store);
    program = ExpandManualPhaseFence()->run(program, options, sink);
    results.push_back({sink.text, Shape(*program.store).of(program.find("main")->body)});
  }
  EXPECT_EQ(results[0].fences, results[1].fences) << "the same in both profiles";
  EXPECT_EQ(results[0].shape, results[1].shape);
  return results[0];
}

// The first character of a body is the extent of the arrays.
TEST(PhaseFence, E01) {
  const Result r = expand("3\nfor i in pl.parallel(3):\n    t = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 3*3=3 ok");
  EXPECT_EQ(r.shape, "bar(ts) for{nop[bar0]}");
}
TEST(PhaseFence, E02) {
  EXPECT_EQ(expand("2\nfor i in pl.parallel(3):\n    t = pl.submit(self.nop, deps=[ts])").fences, "ts 2*3=1 ok");
}
TEST(PhaseFence, E03) {
  const Result r = expand("2\nfor i in pl.parallel(2):\n    t = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 2*2=0 no_profit");
  EXPECT_EQ(r.shape, "for{nop[ts]}");
}
TEST(PhaseFence, E04) {
  const Result r =
      expand("8\nt = pl.submit(self.nop, deps=[ts])\nu = pl.submit(self.nop, deps=[ts])\nv = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "");
  EXPECT_EQ(r.shape, "nop[ts] nop[ts] nop[ts]");
}
TEST(PhaseFence, E05) {
  const Result r = expand("4\nfor i in pl.parallel(4):\n    x = pl.submit(self.nop, deps=[ts])\n    ts[i] = x[0]");
  EXPECT_EQ(r.fences, "ts 4*4=8 loop_iter_arg");
}
TEST(PhaseFence, E06) {
  const Result r = expand("4\nfor i in pl.parallel(4):\n    x = pl.submit(self.nop, deps=[ts])\n    us[i] = x[0]");
  EXPECT_EQ(r.fences, "ts 4*4=8 ok");
}
TEST(PhaseFence, E07) {
  const Result r = expand("4\nfor i in pl.range(2):\n    for j in pl.parallel(3):\n        t = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 4*6=14 ok");
  EXPECT_EQ(r.shape, "bar(ts) for{for{nop[bar0]}}");
}
TEST(PhaseFence, E08) {
  const Result r = expand("4\nfor i in pl.parallel(2):\n    for j in pl.range(3):\n        t = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 4*3=5 ok");
  EXPECT_EQ(r.shape, "for{bar(ts) for{nop[bar0]}}");
}
TEST(PhaseFence, E09) {
  EXPECT_EQ(expand("4\nfor i in pl.range(0):\n    t = pl.submit(self.nop, deps=[ts])").fences, "ts 4*1=-1 zero_trip");
}
TEST(PhaseFence, E10) {
  const Result r =
      expand("4\nfor i in pl.range(n):\n    t = pl.submit(self.nop, deps=[ts])\n    u = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 4*2=2 ok");
}
TEST(PhaseFence, E11) {
  EXPECT_EQ(expand("4\nfor i in pl.range(n):\n    t = pl.submit(self.nop, deps=[ts])").fences, "ts 4*1=-1 no_profit");
}
TEST(PhaseFence, E12) {
  EXPECT_EQ(expand("4\nfor i in pl.parallel(n):\n    t = pl.submit(self.nop, deps=[ts])\n    u = pl.submit(self.nop, deps=[ts])")
                .fences,
            "ts 4*2=2 parallel_trip_not_positive_constant");
}
TEST(PhaseFence, E13) {
  const Result r = expand("4\nfor i in pl.parallel(4):\n    t = pl.submit(self.nop, deps=[ts])", false);
  EXPECT_EQ(r.fences, "ts 4*4=8 not_manual_scope");
  EXPECT_EQ(r.shape, "for{nop[ts]}");
}
TEST(PhaseFence, E14) {
  const Result r = expand("4\nfor i in pl.parallel(4):\n    t = pl.submit(self.nop, deps=[ts, w])");
  EXPECT_EQ(r.fences, "ts mixed_or_multiple_deps");
}
TEST(PhaseFence, E15) {
  const Result r =
      expand("4\nfor i in pl.parallel(4):\n    t = pl.submit(self.nop, deps=[ts])\n    u = pl.submit(self.nop, deps=[us])");
  EXPECT_EQ(r.fences, "ts 4*4=8 ok; us 4*4=8 ok");
  EXPECT_EQ(r.shape, "bar(ts) bar(us) for{nop[bar0] nop[bar1]}");
}
TEST(PhaseFence, E16) {
  const Result r = expand(
      "3\nfor i in pl.range(1, 2):\n    if n > 1:\n        t = pl.submit(self.nop, deps=[ts])\n    else:\n"
      "        u = pl.submit(self.nop, deps=[ts])");
  EXPECT_EQ(r.fences, "ts 3*2=1 ok");
  EXPECT_EQ(r.shape, "bar(ts) for{if{nop[bar0]|nop[bar0]}}");
}
TEST(PhaseFence, UpdatedArrayIsLeftAlone) {
  const Result r = expand(
      "4\nfor i in pl.parallel(4):\n    x = pl.submit(self.nop, deps=[ts])\n    other = pl.array.update_element(ts, 0, w)");
  EXPECT_EQ(r.fences, "ts 4*4=8 updated_in_body");
}

}  // namespace
}  // namespace depscope::pass::testing
