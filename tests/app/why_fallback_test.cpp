// `depscope explain --why`: pairs without an edge because their region fell back, for every reason of passes.md 5.9; and the
// advice of both commands, followed.
#include <gmock/gmock.h>

#include "why_situation.h"

namespace depscope::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WhyFallback : public WhyTest {
 protected:
  /// What `explain` says of a program.
  [[nodiscard]] std::string explain(const std::string& body, const std::string& profile) const {
    const std::string path = write("explained.py", why_program(body, /*in_scope=*/true).text);
    return app::run({"explain", path.c_str(), "--analyze-auto-scopes", "--profile", profile.c_str()}).out;
  }
  /// The region falls back, and does not once the advice is followed.
  void check_advice(const std::string& before, const std::string& reason, const std::string& advice,
                    const std::string& after) const {
    SCOPED_TRACE(reason);
    for (const char* profile : {"seed", "upstream-2026-08"}) {
      const std::string text = explain(before, profile);
      EXPECT_THAT(text, HasSubstr("fell_back, " + reason));
      EXPECT_THAT(text, HasSubstr("        what would change it: " + advice));
      EXPECT_THAT(explain(after, profile), Not(HasSubstr("fell_back"))) << after;
    }
  }
};

TEST_F(WhyFallback, UnknownStorage) {
  check({.name = "a view that is not followed",
         .body = "p = self.put(a)\nf = pl.reshape(p, [64])\ng = self.get(f)",
         .first = "put",
         .second = "get",
         .code = "unresolved_storage.unknown",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.2, 5.9",
         .second_line = 2,
         .change = "pass a value whose buffer is followed",
         .more = "the runtime finds one"});
  check({.name = "what a kernel makes itself",
         .body = "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p)",
         .first = "t",
         .second = "u",
         .code = "unresolved_storage.unknown",
         .shared = "not known, because nobody knows where an argument lies",
         .rule = "passes.md 5.2, 5.9",
         .change = "name its task"});
  check_advice("p = self.put(a)\nf = pl.reshape(p, [64])\ng = self.get(f)", "unresolved_storage.unknown",
               "pass a value whose buffer is followed", "p = self.put(a)\ng = self.get(p)");
  check_advice("p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p)", "unresolved_storage.unknown",
               "name its task: `p, tid = pl.submit(...)`",
               "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p, deps=[t])");
}

TEST_F(WhyFallback, DynamicAccess) {
  const std::string before =
      "p, t = pl.submit(self.put, a)\nq = pl.tensor.gather(p, dim=0, index=b)\ng, u = pl.submit(self.get, q)";
  check({.name = "gather",
         .body = before,
         .first = "t",
         .second = "u",
         .code = "unresolved_storage.dynamic_access",
         .shared = "not known, because",
         .rule = "passes.md 5.2, 5.9: gathers",
         .second_line = 2,
         .change = "let a kernel pick the elements"});
  check_advice(before, "unresolved_storage.dynamic_access", "let a kernel pick the elements",
               "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)");
}

TEST_F(WhyFallback, MergesOfUnknownAndOfMany) {
  const std::string mixed =
      "p, t = pl.submit(self.put, a)\nf = pl.reshape(p, [64])\nif k:\n    s = pl.yield_(p)\nelse:\n"
      "    s = pl.yield_(f)\ng, u = pl.submit(self.get, s)";
  check({.name = "one branch is not followed",
         .body = mixed,
         .first = "t",
         .second = "u",
         .code = "unresolved_storage.mixed_merge",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.2, 5.9: a merge",
         .second_line = 6,
         .change = "let every branch give a value whose buffer is followed"});
  check_advice(mixed, "unresolved_storage.mixed_merge", "let every branch give",
               "p, t = pl.submit(self.put, a)\nif k:\n    s = pl.yield_(p)\nelse:\n    s = pl.yield_(b)\n"
               "g, u = pl.submit(self.get, s)");
  std::string many;
  for (int i = 0; i < 5; ++i) many += "w" + std::to_string(i) + " = pl.create_tensor([64], dtype=pl.FP32)\n";
  const auto merged = [&](int buffers) {
    std::string body = many + "p, t = pl.submit(self.put, w0)\ns = w0\n";
    for (int i = 1; i < buffers; ++i) body += "if n > " + std::to_string(i) + ":\n    s = w" + std::to_string(i) + "\n";
    return body + "g, u = pl.submit(self.get, s)";
  };
  check({.name = "five buffers",
         .body = merged(5),
         .first = "t",
         .second = "u",
         .code = "unresolved_storage.too_many_roots",
         .shared = "none: when they ran, they had no buffer in common",
         .rule = "passes.md 5.2, 5.9: at most 4",
         .first_line = 5,
         .second_line = 15,
         .change = "be one of at most 4 buffers"});
  check_advice(merged(5), "unresolved_storage.too_many_roots", "let 's' be one of at most 4 buffers", merged(4));
}

TEST_F(WhyFallback, WithoutTaskId) {
  check({.name = "the reader that nobody names",
         .body = "self.get(a)\np = self.put(a)",
         .first = "get",
         .second = "p",
         .code = "producer_without_task_id",
         .kind = {"WAR"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.7, 5.9",
         .change = "`out = self.get(...)`, or `out, tid = pl.submit(self.get, ...)`"});
  check({.name = "an edge of the same region is lost",
         .body = "q = self.put(b)\nq = self.mod(q)\nself.get(a)\np = self.put(a)",
         .first = "line+0",
         .second = "mod",
         .code = "region_fell_back",
         .kind = {"RAW", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.9",
         .change = "`out = self.get(...)`",
         .more = "compiler edge q__ssa_v0, id made up for a call without one: stripped"});
  check({.name = "an edge of the call at which it happens",
         .body = "p, t = pl.submit(self.put, a)\nself.get(b)\nx, u = pl.submit(self.both, p, b)",
         .first = "t",
         .second = "u",
         .code = "call_fell_back",
         .kind = {"RAW", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.9",
         .second_line = 2,
         .change = "`out = self.get(...)`",
         .more = "given_up"});
  check_advice("self.get(a)\np = self.put(a)", "producer_without_task_id", "bind what call 0 get (line",
               "out = self.get(a)\np = self.put(a)");
  check_advice("self.get(a)\np = self.put(a)", "producer_without_task_id", "bind what call 0 get (line",
               "out, tid = pl.submit(self.get, a)\np = self.put(a)");
}

TEST_F(WhyFallback, Loops) {
  const std::string dynamic = "for j in pl.range(n):\n    a = self.mod(a)\ng = self.get(a)";
  check({.name = "a closed loop of unknown length",
         .body = dynamic,
         .first = "mod",
         .second = "get",
         .code = "prior_in_closed_dynamic_loop",
         .kind = {"RAW"},
         .shared = "not known, because",
         .rule = "passes.md 5.8.2",
         .first_line = 1,
         .second_line = 2,
         .change = "constant trip count"});
  check_advice(dynamic, "prior_in_closed_dynamic_loop", "let the loop carry the value (`x = self.mod(x)`)",
               "for j in pl.range(4):\n    a = self.mod(a)\ng = self.get(a)");
  check_advice(dynamic, "prior_in_closed_dynamic_loop", "let the loop carry the value (`x = self.mod(x)`)",
               "for j in pl.parallel(n):\n    a = self.mod(a)\ng = self.get(a)");
  const std::string fixed = "for j in pl.range(3):\n    p, t = pl.submit(self.put, a)\ng = self.get(a)";
  check({.name = "a loop that leaves no value",
         .body = fixed,
         .first = "t",
         .second = "get",
         .code = "prior_in_loop_without_summary",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.2",
         .first_line = 1,
         .second_line = 2,
         .change = "let the loop carry the value"});
  check_advice(fixed, "prior_in_loop_without_summary", "let the loop carry the value (`x = self.put(x)`)",
               "for j in pl.range(3):\n    a = self.put(a)\ng = self.get(a)");
  const std::string same = "for j in pl.range(4):\n    b = self.put(b)\n    g = self.get(b)";
  check({.name = "the same iteration",
         .body = same,
         .first = "put",
         .second = "get",
         .code = "prior_in_loop_without_summary",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.2",
         .first_line = 1,
         .second_line = 2,
         .change = "name the task of the same iteration"});
  check_advice(same, "prior_in_loop_without_summary", "name the task of the same iteration",
               "for j in pl.range(4):\n    b, tid = pl.submit(self.put, b)\n    g, u = pl.submit(self.get, b, deps=[tid])");
}

TEST_F(WhyFallback, TheOtherBranchRunsInNoIterationWithThisOne) {
  check({.name = "branches of one if in a loop of constant length",
         .body = "for j in pl.range(4):\n    if n > 3:\n        b = self.put(b)\n    else:\n        b = self.mod(b)",
         .first = "put",
         .second = "mod",
         .code = "prior_in_loop_without_summary",
         .kind = {"RAW", "WAR", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.2",
         .first_line = 2,
         .second_line = 4,
         .change = "the two stand in different branches of one if"});
}

TEST_F(WhyFallback, ArraysThatDoNotCover) {
  const std::string fill =
      "ids = pl.array.create(4, pl.TASK_ID)\nfor j in pl.range(4):\n    p, t = pl.submit(self.put, a)\n    ids[j] = t\n";
  check({.name = "some slots",
         .body = fill + "g, u = pl.submit(self.get, a, deps=[ids[0], ids[1]])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge_partial",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.3",
         .first_line = 2,
         .second_line = 4,
         .change = "deps=[tids[k] for k in range(N)]"});
  WhySituation windowed{.name = "an id of unknown origin",
                        .body = fill + "bar = pl.system.task_dummy(deps=[ids])\ng, u = pl.submit(self.get, a, deps=[bar])",
                        .first = "t",
                        .second = "u",
                        .code = "prior_in_loop_without_summary",
                        .kind = {"RAW"},
                        .bytes = 256,
                        .shared = "256 bytes",
                        .rule = "passes.md 5.8.2",
                        .first_line = 2,
                        .second_line = 5,
                        .change = "let the loop carry the value",
                        .more = "through barrier (main:1"};
  check(windowed);
  windowed.profile = "upstream-2026-08";
  windowed.code = "windowed";
  windowed.rule = "passes.md 5.8.3";
  windowed.change = "name the producers themselves";
  windowed.more = "the user edge 'bar'";
  check(windowed);
}

TEST_F(WhyFallback, OtherRegions) {
  check({.name = "the region of the first call fell back",
         .body = "with pl.scope():\n    p, t = pl.submit(self.put, a)\n    f = pl.reshape(p, [64])\n    g = self.get(f)\n"
                 "q, u = pl.submit(self.mod, a)",
         .first = "t",
         .second = "u",
         .code = "fallback_invisible",
         .kind = {"RAW", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.9, 13",
         .first_line = 1,
         .second_line = 4,
         .change = "pass a value whose buffer is followed"});
}

// Of the virtual body, the observed compiler keeps the edges that it had (passes.md 5.9).
TEST_F(WhyFallback, WholeBody) {
  WhySituation body{.name = "an edge before the offending call",
                    .body = "p = self.put(a)\nq = self.mod(p)\nf = pl.reshape(b, [64])\ng = self.get(f)",
                    .first = "put",
                    .second = "mod",
                    .code = "region_fell_back",
                    .kind = {"RAW", "WAW"},
                    .bytes = 256,
                    .shared = "256 bytes",
                    .rule = "passes.md 5.9",
                    .change = "in a function with auto_scope=False",
                    .in_scope = false};
  check(body);
  body.profile = "upstream-2026-08";
  body.edge = true;
  body.code = "compiler_edge_made_up";
  body.rule = "passes.md 5.6, 5.7";
  body.change = "slices";
  check(body);
}

// ---------------------------------------------------------------- refused rewrites

class RewriteAdvice : public WhyFallback {};

TEST_F(RewriteAdvice, ARefusedRewriteSaysWhatWouldBeAccepted) {
  const std::string window = explain(
      "l = a[0:32]\nr = pl.slice(a, [32], [n])\np, t = pl.submit(self.put_half, l)\ng, u = pl.submit(self.get_half, r)", "seed");
  EXPECT_THAT(window, HasSubstr("stays: its window is known at run time only\n"
                                "           what would change it: take the slice at constant offsets, with constant extents\n"));
  const std::string constant =
      explain("l = a[0:32]\nr = a[16:48]\np, t = pl.submit(self.put_half, l)\ng, u = pl.submit(self.get_half, r)", "seed");
  EXPECT_THAT(constant, HasSubstr("r  In -> input (callee_in) -> no_dep"));

  const std::string fill =
      "ids = pl.array.create(4, pl.TASK_ID)\nfor j in pl.range(4):\n    p, t = pl.submit(self.put, a)\n    ids[j] = t\n";
  EXPECT_THAT(explain(fill + "g, u = pl.submit(self.get, a, deps=[ids])", "seed"),
              HasSubstr("what would change it: wait for every slot by itself: deps=[tids[k] for k in range(N)]"));
  EXPECT_THAT(explain(fill + "g, u = pl.submit(self.get, a, deps=[ids[s] for s in range(4)])", "seed"),
              HasSubstr("a  In -> input (callee_in) -> no_dep"));

  const std::string cross =
      "with pl.scope():\n    p, t = pl.submit(self.put, a)\nwith pl.scope():\n    g, u = pl.submit(self.get, p)";
  EXPECT_THAT(explain(cross, "seed"), HasSubstr("what would change it: put producer and consumer into one scope"));
  EXPECT_THAT(explain(cross, "upstream-2026-08"), HasSubstr("p  In -> input (callee_in) -> no_dep"));
  EXPECT_THAT(explain("with pl.scope():\n    p, t = pl.submit(self.put, a)\n    g, u = pl.submit(self.get, p)", "seed"),
              HasSubstr("p  In -> input (callee_in) -> no_dep"));
}

TEST_F(RewriteAdvice, OneCallHasItForEveryArgument) {
  const std::string path = write("one.py", why_program("g = self.get(a)\np = self.put(a)", /*in_scope=*/true).text);
  const auto call = [&](const char* analysis) {
    return app::run({"explain", path.c_str(), "--function", "main", "--call", "0", analysis}).out;
  };
  EXPECT_THAT(call("--analyze-auto-scopes"), HasSubstr("what would change it: nothing is needed: no call before it conflicts"));
  EXPECT_THAT(call("--analyze-auto-scopes=false"), HasSubstr("what would change it: run with --analyze-auto-scopes"));
}

TEST_F(RewriteAdvice, RegionsThatAreNotAnalysed) {
  const std::string manual =
      write("manual.py", why_program("with pl.manual_scope():\n    p = self.put(a)", /*in_scope=*/false).text);
  EXPECT_THAT(app::run({"explain", manual.c_str(), "--analyze-auto-scopes"}).out,
              HasSubstr("skipped_manual\n        what would change it: name what a call has to wait for in its deps=, or"));
  const std::string off = write("off.py", why_program("p = self.put(a)", /*in_scope=*/false).text);
  EXPECT_THAT(app::run({"explain", off.c_str()}).out,
              HasSubstr("switched_off\n        what would change it: run with --analyze-auto-scopes\n"));
}

// ---------------------------------------------------------------- names

TEST_F(RewriteAdvice, NamesThatWouldLookTheSameHaveTheirVersion) {
  const std::string text = explain(
      "p = self.put(a)\nq = self.put(b)\np2, t = pl.submit(self.both, p, q)\n"
      "if k:\n    x, v = pl.submit(self.put, a)\nelse:\n    x, v = pl.submit(self.mod, a)\nself.get(a)",
      "seed");
  EXPECT_THAT(text, HasSubstr("compiler edge v__ssa_v0 from call 3 put"));
  EXPECT_THAT(text, HasSubstr("compiler edge v__ssa_v1 from call 4 mod"));
  EXPECT_THAT(text, HasSubstr(": compiler edge v__ssa_v1\n"));
  EXPECT_THAT(text, HasSubstr("compiler edge t from call 2 both"));
}

TEST_F(RewriteAdvice, RegionsAndScopesAreToldApart) {
  const std::string text = explain("p = self.put(a)\ng = self.get(p)", "seed");
  EXPECT_THAT(
      text,
      HasSubstr("  Regions, as the analysis numbers them (scopes are numbered in the last program)\n    region 0   auto_scope"));
}

}  // namespace
}  // namespace depscope::app
