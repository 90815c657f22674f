// `depscope explain --why`: edges that are not there, and why.
#include "why_situation.h"

namespace depscope::app {
namespace {

class WhyAbsent : public WhyTest {};

TEST_F(WhyAbsent, NoConflict) {
  check({.name = "disjoint windows",
         .body = "l = a[0:32]\nr = a[32:64]\np, t = pl.submit(self.put_half, l)\ng, u = pl.submit(self.get_half, r)",
         .first = "t",
         .second = "u",
         .code = "disjoint_boxes",
         .kind = {"RAW"},
         .bytes = 0,
         .shared = "none: windows [0:32] and [32:64] of a do not meet",
         .rule = "passes.md 5.3",
         .first_line = 2,
         .second_line = 3,
         .change = "put deps=[t] on get_half"});
  check({.name = "disjoint in one dimension",
         .body = "l = pl.slice(h, [8, 4], [0, 0])\nr = pl.slice(h, [8, 4], [0, 4])\n"
                 "p, t = pl.submit(self.put_tile, l)\ng, u = pl.submit(self.get_tile, r)",
         .first = "t",
         .second = "u",
         .code = "disjoint_boxes",
         .kind = {"RAW"},
         .bytes = 0,
         .shared = "none: windows [0:8, 0:4] and [0:8, 4:8] of h do not meet in dimension 1",
         .rule = "passes.md 5.3",
         .first_line = 2,
         .second_line = 3,
         .change = "put deps=[t]"});
  check({.name = "two reads",
         .body = "g, t = pl.submit(self.get, a)\nh2, u = pl.submit(self.get, a)",
         .first = "t",
         .second = "u",
         .code = "read_read",
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6: two reads",
         .change = "nothing is needed"});
  check({.name = "different buffers",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, b)",
         .first = "t",
         .second = "u",
         .code = "different_roots",
         .shared = "none: ",
         .rule = "passes.md 5.4",
         .change = "put deps=[t] on get"});
  check({.name = "different parts of one memory",
         .body = "p, t = pl.submit(self.put, m0)\ng, u = pl.submit(self.get, m2)",
         .first = "t",
         .second = "u",
         .code = "different_roots",
         .shared = "none: ",
         .rule = "passes.md 5.4",
         .change = "put deps=[t] on get"});
  check({.name = "no tensor at all",
         .body = "p, t = pl.submit(self.put, a)\nx = pl.submit(self.tick, n)",
         .first = "t",
         .second = "tick",
         .code = "no_shared_storage",
         .shared = "none: tick (main:1, line",
         .rule = "passes.md 5.6: only tensor arguments",
         .change = "put deps=[t] on tick"});
  check({.name = "branches without a conflict",
         .body = "if k:\n    p, t = pl.submit(self.put, a)\nelse:\n    p, t = pl.submit(self.get, b)",
         .first = "main:0",
         .second = "main:1",
         .code = "other_branch",
         .shared = "none: they have no buffer in common",
         .rule = "passes.md 2",
         .first_line = 1,
         .second_line = 3,
         .change = "nothing is needed"});
  check({.name = "one task",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
         .first = "t",
         .second = "t",
         .code = "same_call",
         .shared = "none: the call runs once",
         .rule = "passes.md 5.6",
         .second_line = 0,
         .change = "name two calls"});
}

TEST_F(WhyAbsent, HiddenByTheUser) {
  check({.name = "the reader is no_dep",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, pl.no_dep(p))",
         .first = "t",
         .second = "u",
         .code = "no_dep",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 0.3, 13",
         .change = "leave pl.no_dep() out"});
  check({.name = "the writer is no_dep",
         .body = "p, t = pl.submit(self.put, a)\nm, v = pl.submit(self.mod, pl.no_dep(p))\ng, u = pl.submit(self.get, m)",
         .first = "v",
         .second = "u",
         .code = "no_dep",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 0.3, 13",
         .first_line = 1,
         .second_line = 2,
         .change = "leave pl.no_dep() out"});
  check(
      {.name = "without a run, by the name of the value",
       .body =
           "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, pl.no_dep(p))\nfor j in pl.range(n):\n    x = self.get(b)",
       .first = "t",
       .second = "u",
       .code = "no_dep",
       .shared = "not known, because the analysis did not look at get",
       .rule = "passes.md 0.3, 13",
       .change = "leave pl.no_dep() out",
       .run = false,
       .more = "not run: needs_data"});
}

TEST_F(WhyAbsent, ManualScopes) {
  check({.name = "nobody named the id",
         .body = "with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\n    g, u = pl.submit(self.get, p)",
         .first = "t",
         .second = "u",
         .code = "manual_scope",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.1",
         .first_line = 1,
         .second_line = 2,
         .change = "put deps=[t] on get",
         .in_scope = false,
         .more = "in a MANUAL scope it looks nothing up by itself"});
  check({.name = "out of one",
         .body = "with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
         .first = "t",
         .second = "u",
         .code = "manual_invisible",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 13",
         .first_line = 1,
         .second_line = 2,
         .change = "put deps=[t] on get",
         .in_scope = false});
  check({.name = "through another call",
         .body = "with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\n    q, v = pl.submit(self.mod, p, deps=[t])\n"
                 "    g, u = pl.submit(self.get, q, deps=[v])",
         .first = "t",
         .second = "u",
         .code = "ordered_through",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6: edges are not transitive",
         .first_line = 1,
         .second_line = 3,
         .change = "would add nothing",
         .in_scope = false,
         .more = "through mod (main:1"});
  check({.name = "through a barrier",
         .body = "with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\n    e = pl.system.task_dummy(deps=[t])\n"
                 "    g, u = pl.submit(self.get, p, deps=[e])",
         .first = "t",
         .second = "u",
         .code = "ordered_through",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6",
         .first_line = 1,
         .second_line = 3,
         .change = "would add nothing",
         .in_scope = false,
         .more = "through barrier (main:1"});
}

TEST_F(WhyAbsent, NothingAnalysed) {
  check({.name = "the analysis is off: a writer does not look for readers",
         .body = "g, u = pl.submit(self.get, a)\np, t = pl.submit(self.put, a)",
         .first = "u",
         .second = "t",
         .code = "write_without_lookup",
         .kind = {"WAR"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 9.8",
         .change = "put deps=[u] on put",
         .in_scope = false,
         .analysis = false});
  check({.name = "the analysis is off: readers are not on record",
         .body = "g, u = pl.submit(self.get, a)\np, t = pl.submit(self.mod, a)",
         .first = "u",
         .second = "t",
         .code = "war_untracked",
         .kind = {"WAR"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 9.8",
         .change = "put deps=[u] on mod",
         .in_scope = false,
         .analysis = false});
  check({.name = "the analysis is off, and nothing ran",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)\nfor j in pl.range(n):\n    g = self.get(b)",
         .first = "t",
         .second = "u",
         .code = "switch_off",
         .shared = "not known, because the analysis did not look at put",
         .rule = "passes.md 5.1",
         .change = "run with --analyze-auto-scopes",
         .in_scope = false,
         .analysis = false,
         .run = false});
}

TEST_F(WhyAbsent, LostByTheCodeGenerator) {
  WhySituation lost{.name = "the id of a closed scope",
                    .body = "for j in pl.range(4):\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, b, deps=[t])",
                    .first = "t",
                    .second = "u",
                    .code = "user_edge_lost",
                    .shared = "none: they have no buffer in common",
                    .rule = "passes.md 9.4, step 3",
                    .first_line = 1,
                    .second_line = 2,
                    .change = "pl.manual_scope()",
                    .in_scope = false};
  check(lost);
  lost.profile = "upstream-2026-08";  // the whole body is one MANUAL scope, where the id stays
  lost.edge = true;
  lost.code = "user_edge";
  lost.shared = "none: when they ran, they had no buffer in common";
  lost.rule = "passes.md 9.4: deps=";
  lost.change = "take 't' out of deps=";
  check(lost);
}

TEST_F(WhyAbsent, NoTasks) {
  const std::string body = "w = pl.create_tensor([64], dtype=pl.FP32)\nv = self.group(w)\ng = self.get(v)";
  check({.name = "a kernel inside a group",
         .body = body,
         .first = "put",
         .second = "get",
         .code = "not_a_task",
         .shared = "none: it is no task",
         .rule = "passes.md 0.1",
         .first_line = -1,
         .change = "FUNCTION:CALL",
         .more = "the task is the call of 'group'"});
  check({.name = "a kernel that nobody launches",
         .body = body,
         .first = "g",
         .second = "new",
         .code = "not_a_task",
         .shared = "none: it is no task",
         .rule = "passes.md 0.1",
         .first_line = -1,
         .change = "FUNCTION:CALL",
         .more = "a function of kind InCore that no orchestration launches"});
  check({.name = "a buffer",
         .body = body,
         .first = "w",
         .second = "g",
         .code = "not_a_task",
         .shared = "none: it is no task",
         .rule = "passes.md 0.1",
         .first_line = -1,
         .change = "FUNCTION:CALL",
         .more = "pl.tensor.create"});
  check({.name = "a parameter",
         .body = body,
         .first = "a",
         .second = "g",
         .code = "not_a_task",
         .shared = "none: it is no task",
         .rule = "passes.md 0.1",
         .first_line = -1,
         .change = "FUNCTION:CALL",
         .more = "a parameter of 'main'"});
}

}  // namespace
}  // namespace depscope::app
