// `depscope explain --why`: edges that are there, and what they are there for.
#include "why_situation.h"

namespace depscope::app {
namespace {

constexpr const char* kFillArray =
    "ids = pl.array.create(4, pl.TASK_ID)\n"
    "for j in pl.range(4):\n"
    "    p, t = pl.submit(self.put, a)\n"
    "    ids[j] = t\n";

class WhyPresent : public WhyTest {};

TEST_F(WhyPresent, CompilerEdges) {
  WhySituation raw{.name = "RAW",
                   .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
                   .first = "t",
                   .second = "u",
                   .edge = true,
                   .code = "compiler_edge",
                   .kind = {"RAW"},
                   .bytes = 256,
                   .shared = "256 bytes (64 elements of FP32), all of a",
                   .rule = "passes.md 5.6",
                   .change = "disjoint slices",
                   .more = "reads a: argument p, input (callee_in), then no_dep"};
  check(raw);
  raw.profile = "upstream-2026-08";
  check(raw);
  check({.name = "WAR",
         .body = "g, u = pl.submit(self.get, a)\np, t = pl.submit(self.put, a)",
         .first = "u",
         .second = "t",
         .edge = true,
         .code = "compiler_edge",
         .kind = {"WAR"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6",
         .change = "pl.no_dep()",
         .more = "a of put is output_existing, which is not looked up"});
  check({.name = "RAW and WAW",
         .body = "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, p)",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "compiler_edge",
         .kind = {"RAW", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6",
         .change = "disjoint slices",
         .more = "inout (r_prior), then output_existing"});
  check({.name = "a call without an id",
         .body = "p = self.put(a)\ng = self.get(p)",
         .first = "put",
         .second = "get",
         .edge = true,
         .code = "compiler_edge_made_up",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6, 5.7",
         .change = "disjoint slices",
         .more = "compiler edge p__ssa_v0, id made up for a call without one"});
}

TEST_F(WhyPresent, CompilerEdgesOfOneMemory) {
  check({.name = "two parameters whose MemRefs meet",
         .body = "p, t = pl.submit(self.put, m0)\ng, u = pl.submit(self.get, m1)",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "compiler_edge",
         .kind = {"RAW"},
         .bytes = 128,
         .shared = "128 bytes: both are names of memory \"pool\", bytes 128 to 255",
         .rule = "passes.md 5.6",
         .change = "slices"});
}

TEST_F(WhyPresent, CompilerEdgesOfWindows) {
  check({.name = "one element in common",
         .body = "l = a[0:32]\nr = a[31:63]\np, t = pl.submit(self.put_half, l)\ng, u = pl.submit(self.get_half, r)",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "compiler_edge",
         .kind = {"RAW"},
         .bytes = 4,
         .shared = "4 bytes (1 element of FP32), window [31:32] of a, bytes 124 to 127",
         .rule = "passes.md 5.6",
         .first_line = 2,
         .second_line = 3,
         .change = "disjoint slices"});
  check({.name = "a corner of two tiles",
         .body = "l = pl.slice(h, [8, 4], [0, 0])\nr = pl.slice(h, [8, 4], [0, 3])\n"
                 "p, t = pl.submit(self.put_tile, l)\ng, u = pl.submit(self.get_tile, r)",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "compiler_edge",
         .kind = {"RAW"},
         .bytes = 16,
         .shared = "16 bytes (8 elements of FP16), window [0:8, 3:4] of h, within bytes 6 to 119",
         .rule = "passes.md 5.6",
         .first_line = 2,
         .second_line = 3,
         .change = "disjoint slices"});
  check(
      {.name = "a window of the run",
       .body = "l = a[0:32]\nr = pl.slice(a, [32], [n])\np, t = pl.submit(self.put_half, l)\ng, u = pl.submit(self.get_half, r)",
       .first = "t",
       .second = "u",
       .edge = true,
       .code = "compiler_edge",
       .kind = {"RAW"},
       .shared = "not known, because a window of a depends on values of the run",
       .rule = "passes.md 5.6",
       .first_line = 2,
       .second_line = 3,
       .change = "disjoint slices",
       .more = "(compiler, tensormap; wait+retain)"});
}

TEST_F(WhyPresent, CompilerEdgesOfLoopsAndBranches) {
  check({.name = "what a loop leaves",
         .body = "for j in pl.range(4):\n    a = self.mod(a)\ng = self.get(a)",
         .first = "mod",
         .second = "get",
         .edge = true,
         .code = "compiler_edge_of_loop",
         .kind = {"RAW"},
         .shared = "not known, because which part of a it is does not show",
         .rule = "passes.md 5.8.1, 9.5",
         .first_line = 1,
         .second_line = 2,
         .change = "slices",
         .more = "4 of 4 x 1 pairs of tasks have an edge (compiler"});
  check({.name = "the same iteration of an open loop of unknown length",
         .body = "for j in pl.range(n):\n    b = self.put(b)\n    g = self.get(b)",
         .first = "put",
         .second = "get",
         .edge = true,
         .code = "compiler_edge_made_up",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6, 5.7",
         .first_line = 1,
         .second_line = 2,
         .change = "slices"});
  check({.name = "the other branch",
         .body = "if k:\n    p, t = pl.submit(self.put, a)\nelse:\n    p, t = pl.submit(self.mod, a)",
         .first = "main:0",
         .second = "main:1",
         .edge = true,
         .code = "else_sees_then",
         .kind = {"RAW", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.6: both branches",
         .first_line = 1,
         .second_line = 3,
         .change = "nothing is needed"});
  WhySituation siblings{
      .name = "another scope",
      .body = "with pl.scope():\n    p, t = pl.submit(self.put, a)\nwith pl.scope():\n    q, u = pl.submit(self.get, p)",
      .first = "t",
      .second = "u",
      .edge = true,
      .code = "compiler_edge",
      .kind = {"RAW"},
      .bytes = 256,
      .shared = "256 bytes",
      .rule = "passes.md 5.6",
      .first_line = 1,
      .second_line = 3,
      .change = "slices",
      .more = "by itself it would find the pair"};
  check(siblings);
  siblings.profile = "upstream-2026-08";  // rewrites across scopes
  siblings.more = "by itself it would not find the pair: p of get is no_dep";
  check(siblings);
}

TEST_F(WhyPresent, UserEdges) {
  check({.name = "covers the conflict",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge_covers",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.3",
         .change = "take 't' out of deps=",
         .more = "user edge t__ssa_v0"});
  check({.name = "a copy of the id",
         .body = "p, t = pl.submit(self.put, a)\nt2 = t\ng, u = pl.submit(self.get, p, deps=[t2])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge_covers",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.3",
         .second_line = 2,
         .change = "take 't2' out of deps="});
  check({.name = "an array that a loop fills",
         .body = std::string(kFillArray) + "g, u = pl.submit(self.get, a, deps=[ids])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge_covers",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.3",
         .first_line = 2,
         .second_line = 4,
         .change = "take 'ids' out of deps="});
  check({.name = "every slot of an array",
         .body = std::string(kFillArray) + "g, u = pl.submit(self.get, a, deps=[ids[s] for s in range(4)])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge_covers",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 5.8.3",
         .first_line = 2,
         .second_line = 4,
         .change = "out of deps=",
         .more = "(whole_array)"});
  check({.name = "without a conflict",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, b, deps=[t])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge",
         .shared = "none: ",
         .rule = "passes.md 9.4",
         .change = "take 't' out of deps="});
  check({.name = "a value whose buffer nobody knows",
         .body = "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p, deps=[t])",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "user_edge",
         .shared = "not known, because",
         .rule = "passes.md 9.4",
         .change = "take 't' out of deps="});
}

TEST_F(WhyPresent, CarriedIds) {
  check({.name = "to itself",
         .body = "with pl.manual_scope():\n    prev = None\n    for j in pl.range(4):\n        a, prev = pl.submit(self.mod, a, "
                 "deps=[prev])",
         .first = "prev",
         .second = "mod",
         .edge = true,
         .code = "user_edge",
         .kind = {"RAW", "WAR", "WAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 9.4",
         .first_line = 3,
         .second_line = 3,
         .change = "take 'prev' out of deps=",
         .in_scope = false,
         .more = "3 of 4 x 4 pairs of tasks have an edge (user"});
  check({.name = "to a call further up",
         .body = "with pl.manual_scope():\n    prev = None\n    for j in pl.range(4):\n"
                 "        g, t = pl.submit(self.get, a, deps=[prev])\n        a, prev = pl.submit(self.mod, a, deps=[t])",
         .first = "prev",
         .second = "t",
         .edge = true,
         .code = "user_edge",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 9.4",
         .first_line = 4,
         .second_line = 3,
         .change = "take 'prev' out of deps=",
         .in_scope = false,
         .more = "which is carried or copied"});
}

TEST_F(WhyPresent, EdgesOfTheRuntime) {
  check({.name = "the analysis is off",
         .body = "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
         .first = "t",
         .second = "u",
         .edge = true,
         .code = "runtime_edge",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes (64 elements of FLOAT32) from byte 0 of a",
         .rule = "passes.md 9.8",
         .change = "pl.no_dep()",
         .in_scope = false,
         .analysis = false,
         .more = "a of put is output_existing and on record, p of get is input and looked up"});
  WhySituation loop{.name = "iterations",
                    .body = "for j in pl.range(4):\n    a = self.mod(a)",
                    .first = "mod",
                    .second = "mod",
                    .edge = true,
                    .code = "runtime_edge",
                    .kind = {"RAW", "WAR", "WAW"},
                    .bytes = 256,
                    .shared = "256 bytes",
                    .rule = "passes.md 9.8",
                    .first_line = 1,
                    .change = "pl.no_dep()",
                    .in_scope = false};
  check(loop);
  loop.profile = "upstream-2026-08";  // makes the whole body a MANUAL scope
  loop.edge = false;
  loop.code = "same_call";
  loop.rule = "passes.md 5.6: a call is judged against those before it";
  loop.change = "carry the task id through the loop";
  check(loop);
}

TEST_F(WhyPresent, Fences) {
  const std::string body =
      "with pl.manual_scope():\n    ids = pl.array.create(4, pl.TASK_ID)\n    for j in pl.range(4):\n"
      "        p, t = pl.submit(self.put, a)\n        ids[j] = t\n"
      "    for j in pl.parallel(4):\n        g, u = pl.submit(self.get, a, deps=[ids])";
  check({.name = "from the barrier",
         .body = body,
         .first = "main:1",
         .second = "u",
         .edge = true,
         .code = "fence_edge",
         .shared = "none: barrier (main:1, line",
         .rule = "passes.md 6.5",
         .first_line = 5,
         .second_line = 6,
         .change = "fewer consumers",
         .in_scope = false});
  check({.name = "from a producer behind the barrier",
         .body = body,
         .first = "t",
         .second = "u",
         .edge = false,
         .code = "replaced_by_fence",
         .kind = {"RAW"},
         .bytes = 256,
         .shared = "256 bytes",
         .rule = "passes.md 6.5",
         .first_line = 3,
         .second_line = 6,
         .change = "deps= with more than one entry",
         .in_scope = false,
         .more = "through barrier (main:1"});
}

}  // namespace
}  // namespace depscope::app
