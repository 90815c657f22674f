// Worked cases of the pass specification, section 11, in both profiles. The names are the case numbers.
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "worked_case.h"

namespace depscope::pass::testing {
namespace {

/// What must come out; fields that a case does not speak about are nullopt.
struct Expected {
  std::optional<std::string> edges, after, scopes, fallback;
};

struct Case {
  std::string name;
  Frame frame;
  std::string body;
  Expected observed;
  Expected seed = {};  ///< fields that differ from `observed`
  std::string notice = {};
  std::string parameters = {};
  bool analyse = true;
  bool simplify = true;  ///< whether Simplify runs before AutoDerive
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

constexpr const char* kHalves = R"(
l = pl.slice(a, [64], [0])
r = pl.slice(a, [64], [64])
)";

const std::vector<Case> kCases = {
    // ---- hazards and edges
    {"B01", Frame::Auto, "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)", {"get:[t]", "put E, get N", "A", ""}},
    {"B02", Frame::Auto, "g, t = pl.submit(self.get, a)\np, u = pl.submit(self.put, a)", {"put:[t]", "get I, put E", "A", ""}},
    {"B03", Frame::Auto, "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, p)", {"put:[t]", "put E, put E", "A", ""}},
    {"B04", Frame::Auto, "g, t = pl.submit(self.get, a)\nh, u = pl.submit(self.get, a)", {"", "get I, get I", "A", ""}},
    {"B05", Frame::Default, "p = self.put(a)\ng = self.get(p)", {"get:[p]", "put E, get N", "M!", ""}},
    {"B06", Frame::Auto, "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, p)", {"mod:[t]", "put E, mod E", "A", ""}},
    {"B07",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
     {"", "put E, get I", "A", ""},
     {},
     "",
     "",
     false},
    {"B08",
     Frame::Manual,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])",
     {"", "put E, get I", "A(M)", ""}},
    {"B09",
     Frame::Default,
     "with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)",
     {"", "put E, get I", "A(M)", ""},
     {},
     "manual_invisible"},
    {"B10", Frame::Auto, "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t])", {"", "put E, get N", "A", ""}},
    {"B11",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nx, v = pl.submit(self.get, b)\ng, u = pl.submit(self.get, p, deps=[v])",
     {"get:[t]", "put E, get I, get N", "A", ""}},
    {"B12",
     Frame::Default,
     "p = self.put(a)\nq = self.map(p, b)\nr = self.map(q, c)",
     {"map:[p] map:[q]", "put E, map N E, map N E", "M!", ""}},
    {"B13",
     Frame::Auto,
     "g, t = pl.submit(self.get, a)\nh, u = pl.submit(self.get, a)\np, v = pl.submit(self.put, a)",
     {"put:[t,u]", "get I, get I, put E", "A", ""}},
    {"B14",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, p)\ng, v = pl.submit(self.get, m)",
     {"mod:[t] get:[t,u]", "put E, mod E, get N", "A", ""},
     {},
     "redundant_edges"},
    {"B15", Frame::Default, "self.put(a)\ng = self.get(a)", {"get:[a]", "put E, get N", "M!", ""}},
    {"B16", Frame::Default, "self.get(a)\np = self.put(a)", {"", "get I, put E", "A", "producer_without_task_id@put.0"}},
    {"B17", Frame::Default, "p, q = self.put2(a, b)\ng = self.get(q)", {"get:[_tuple_tmp]", "put2 E E, get N", "M!", ""}},
    {"B18", Frame::Auto, "r = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a)", {"get:[r]", "put E, get N", "A", ""}},
    {"B19",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, pl.no_dep(p))",
     {"", "put E, get N", "A", ""}},
    {"B20",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nm, u = pl.submit(self.mod, pl.no_dep(p))\ng, v = pl.submit(self.get, m)",
     {"get:[t]", "put E, mod N, get N", "A", ""},
     {},
     "no_dep_invisible"},
    // ---- regions and aliases
    {"R01",
     Frame::Auto,
     std::string(kHalves) + "p, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)",
     {"", "puth E, geth I", "A", ""}},
    {"R02",
     Frame::Auto,
     "l = pl.slice(a, [64], [0])\nr = pl.slice(a, [64], [63])\np, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)",
     {"geth:[t]", "puth E, geth N", "A", ""}},
    {"R03",
     Frame::Auto,
     "s = pl.slice(a, [96], [32])\nl = pl.slice(s, [64], [0])\np, t = pl.submit(self.puth, l)\nz = pl.slice(a, [64], [0])\n"
     "g, u = pl.submit(self.geth, z)",
     {"geth:[t]", "puth E, geth N", "A", ""}},
    {"R04",
     Frame::Auto,
     "l = pl.slice(a, [64], [0])\nr = pl.slice(a, [64], [n])\np, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)",
     {"geth:[t]", "puth E, geth I", "A", ""}},
    {"R05",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nr = pl.slice(p, [64], [0])\ng, u = pl.submit(self.geth, r)",
     {"geth:[t]", "put E, geth N", "A", ""}},
    {"R06",
     Frame::Auto,
     "l = pl.slice(v, [2, 16], [0, 0])\nr = pl.slice(v, [2, 16], [2, 0])\np, t = pl.submit(self.putr, l)\n"
     "g, u = pl.submit(self.getr, r)",
     {"getr:[t]", "putr E, getr N", "A", ""},
     {},
     "",
     "a: pl.Tensor[[128], pl.FP32], v: pl.Tensor[[4, 16], pl.FP32, pl.TensorView(valid_shape=[4, 8], stride=[], "
     "layout=pl.TensorLayout.ND)]"},
    {"R07",
     Frame::Auto,
     "l = pl.slice(v, [2, 16], [0, 0])\nr = pl.slice(v, [2, 16], [2, 0])\np, t = pl.submit(self.putr, l)\n"
     "g, u = pl.submit(self.getr, r)",
     {"getr:[t]", "putr E, getr I", "A", ""},
     {},
     "",
     "a: pl.Tensor[[128], pl.FP32], v: pl.Tensor[[4, 16], pl.FP32, pl.TensorView(stride=[32, 1], layout=pl.TensorLayout.ND)]"},
    {"R08",
     Frame::Auto,
     "l = pl.create_tensor([64], dtype=pl.FP32)\np, t = pl.submit(self.puth, l)\nw = pl.assemble(a, p, [0])\n"
     "g, u = pl.submit(self.get, w)",
     {"", "puth E, get I", "A", ""},
     {},
     "assemble_copy"},
    {"R09",
     Frame::Auto,
     "w = pl.create_tensor([128], dtype=pl.FP32)\nx = pl.create_tensor([128], dtype=pl.FP32)\np, t = pl.submit(self.put, w)\n"
     "q, v = pl.submit(self.put, x)\ng, u = pl.submit(self.get, q)",
     {"get:[v]", "put E, put E, get N", "A", ""}},
    {"R10",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, b)",
     {"get:[t]", "put E, get N", "A", ""},
     {},
     "",
     "a: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 0, 256)], b: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 128, 256)]"},
    {"R10Windows",  // not in the list: the same buffers in parts
     Frame::Auto,
     "l = pl.slice(a, [64], [64])\nr = pl.slice(b, [64], [0])\np, t = pl.submit(self.puth, l)\ng, u = pl.submit(self.geth, r)",
     {"", "puth E, geth I", "A", ""},
     {},
     "alias_offsets",
     "a: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 0, 256)], b: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 128, 256)]"},
    {"R11",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, b)",
     {"", "put E, get I", "A", ""},
     {},
     "",
     "a: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 0, 256)], b: pl.Tensor[[128], pl.FP32, pl.MemRef(\"pool\", 256, 256)]"},
    {"R12",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nq, v = pl.submit(self.put, b)\nif k0:\n    l = pl.slice(a, [64], [0])\n    s = "
     "pl.yield_(l)\n"
     "else:\n    r = pl.slice(b, [64], [n])\n    s = pl.yield_(r)\ng, u = pl.submit(self.geth, s)",
     {"geth:[t,v]", "put E, put E, geth N", "A", ""},
     {},
     "mixed_alternatives"},
    // ---- branches
    {"C01",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nif k0:\n    s = pl.yield_(p)\nelse:\n    s = pl.yield_(p)\ng, u = pl.submit(self.get, s)",
     {"get:[t]", "put E, get N", "A", ""}},
    {"C02",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nq, v = pl.submit(self.put, b)\nif k0:\n    s = pl.yield_(p)\nelse:\n    s = pl.yield_(q)\n"
     "g, u = pl.submit(self.get, s)",
     {"get:[t,v]", "put E, put E, get N", "A", ""}},
    {"C03",
     Frame::Auto,
     "s, t1 = pl.submit(self.put, a)\np2, t2 = pl.submit(self.put, b)\np3, t3 = pl.submit(self.put, c)\np4, t4 = "
     "pl.submit(self.put, d)\n"
     "p5, t5 = pl.submit(self.put, e)\nif n > 1:\n    s = p2\nif n > 2:\n    s = p3\nif n > 3:\n    s = p4\nif n > 4:\n    s = "
     "p5\n"
     "g, u = pl.submit(self.get, s)",
     {"", "put E, put E, put E, put E, put E, get I", "A", "unresolved_storage.too_many_roots@get.0"}},
    {"C03b",
     Frame::Auto,
     "s, t0 = pl.submit(self.put, a)\np1, t1 = pl.submit(self.put, b)\np2, t2 = pl.submit(self.put, c)\np3, t3 = "
     "pl.submit(self.put, d)\n"
     "if n > 1:\n    s = p1\nif n > 2:\n    s = p2\nif n > 3:\n    s = p3\ng, u = pl.submit(self.get, s)",
     {"get:[t3,t2,t1,t0]", "put E, put E, put E, put E, get N", "A", ""}},
    {"C04",
     Frame::Default,
     "if k0:\n    p = self.put(a)\nelse:\n    p = self.mod(a)\ng = self.get(p)",
     {"mod:[p] get:[p,p]", "put E, mod E, get N", "M!", ""},
     {},
     "else_sees_then"},
    {"C05",
     Frame::Default,
     "p = self.put(a)\nif k0:\n    g = self.get(p)\nelse:\n    g = self.get(b)",
     {"get:[p]", "put E, get N, get I", "M!", ""}},
    // ---- loops
    // The yielded value and the result have different names; the analysis does not mind, the code generator does (L01, L03 of
    // 9.5, tested with the plan).
    {"L01",
     Frame::Default,
     "for i, (x,) in pl.range(4, init_values=(a,)):\n    x2 = self.mod(x)\n    y = pl.yield_(x2)\ng = self.get(y)",
     {"get:[y]", "mod IO, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L03",
     Frame::Default,
     "for i, (x,) in pl.parallel(0, n, init_values=(a,)):\n    x2 = self.put(x)\n    y = pl.yield_(x2)\ng = self.get(y)",
     {"get:[y]", "put E, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L01b",
     Frame::Default,
     "for i in pl.range(4):\n    a = self.mod(a)\ng = self.get(a)",
     {"get:[rv(a)]", "mod IO, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L02",
     Frame::Default,
     "for i in pl.range(0, n):\n    a = self.mod(a)\ng = self.get(a)",
     {"", "mod IO, get I", "A(A)", "prior_in_closed_dynamic_loop@get.0"}},
    {"L03b",
     Frame::Default,
     "for i in pl.parallel(n):\n    a = self.put(a)\ng = self.get(a)",
     {"get:[rv(a)]", "put E, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L04",
     Frame::Default,
     "for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\ng = self.get(a)",
     {"", "put IO, get I", "A(A)", "prior_in_loop_without_summary@get.0"}},
    {"L05",
     Frame::Default,
     "for i in pl.range(1, 2):\n    a = self.put(a)\ng = self.get(a)",
     {"get:[a]", "put E, get N", "M!", ""}},
    {"L06",
     Frame::Default,
     "for i in pl.range(4):\n    b = self.put(b)\n    g = self.get(b)",
     {"", "put IO, get I", "A(A)", "prior_in_loop_without_summary@get.0"},
     {},
     "same_iteration_fallback"},
    {"L07",
     Frame::Default,
     "for i in pl.range(n):\n    b = self.put(b)\n    g = self.get(b)",
     {"get:[b]", "put IO, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L08",
     Frame::Default,
     "for i in pl.range(4):\n    a = self.mod(a)",
     {"", "mod IO", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt},
     "loop_carried_unchecked"},
    {"L09",
     Frame::Default,
     "p = self.put(a)\nfor i in pl.range(4):\n    b = self.map(p, b)",
     {"map:[p]", "put E, map N IO", "M!", ""},
     {std::nullopt, std::nullopt, "A(M*)", std::nullopt},
     "loop_carried_unchecked"},
    {"L10",
     Frame::Default,
     "for i in pl.range(4, 0, -1):\n    a = self.mod(a)\ng = self.get(a)",
     {"", "mod IO, get I", "A(A)", "prior_in_closed_dynamic_loop@get.0"}},
    {"L12",
     Frame::Default,
     "for i in pl.range(2):\n    for j in pl.parallel(n):\n        a = self.mod(a)\ng = self.get(a)",
     {"", "mod IO, get I", "A(A(A))", "prior_in_closed_dynamic_loop@get.0"}},
    {"L13",
     Frame::Default,
     "while n < 9:\n    a = self.mod(a)\ng = self.get(a)",
     {"", "mod IO, get I", "A", "prior_in_closed_dynamic_loop@get.0"}},
    {"L14",
     Frame::Default,
     "z0: pl.Scalar[pl.TASK_ID] = None\nfor i, (x, tt) in pl.range(4, init_values=(a, z0)):\n    x2, t2 = pl.submit(self.mod, "
     "x)\n"
     "    y, z = pl.yield_(x2, t2)\ng = self.get(y)",
     {"get:[z]", "mod IO, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L15",
     Frame::Default,
     "for i in pl.parallel(4):\n    b = self.map(a, b)\ng = self.get(b)",
     {"get:[rv(b)]", "map I E, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"L16",
     Frame::Default,
     "for i in pl.range(4):\n    l = pl.slice(b, [64], [0])\n    p, t = pl.submit(self.puth, l)\nr = pl.slice(b, [64], [64])\n"
     "g = self.geth(r)",
     {"", "puth IO, geth I", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt},
     "loop_carried_unchecked"},
    {"L17",
     Frame::Default,
     "p, t = pl.submit(self.put, a)\nq, v = pl.submit(self.put, b)\nfor i, (x,) in pl.range(4, init_values=(p,)):\n"
     "    g = self.get(x)\n    r = pl.yield_(q)",
     {"get:[t]", "put E, put E, get N", "M!", ""},
     {},
     "iter_arg_initial_only"},
    {"L18",
     Frame::Default,
     "for i in pl.range(4):\n    a = self.mod(a)\n    if i == 2:\n        a = self.mod(a)",
     {"", "mod IO, mod IO", "A(A(A,A))", "prior_in_loop_without_summary@mod.0"}},
    {"Z01",
     Frame::Default,
     "for i in pl.parallel(1):\n    a = self.mod(a)\ng = self.get(a)",
     {"get:[rv(a)]", "mod IO, get N", "M!", ""}},
    {"Z02",
     Frame::Default,
     "for i in pl.range(5, 4, -1):\n    a = self.mod(a)\ng = self.get(a)",
     {"get:[rv(a)]", "mod IO, get N", std::nullopt, ""},
     {},
     {},
     {},
     true,
     false},
    {"Z03",
     Frame::Default,
     "for i in pl.parallel(0):\n    a = self.mod(a)\ng = self.get(a)",
     {"", "mod IO, get I", "A(A)", "prior_in_loop_without_summary@get.0"}},
    {"Z05",
     Frame::Default,
     "for i in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    g = self.get(p)",
     {"", "put E, get I", "A(A)", "prior_in_loop_without_summary@get.0"}},
    {"Z06",
     Frame::Default,
     "for i in pl.parallel(1):\n    p, t = pl.submit(self.put, a)\ng = self.get(a)",
     {"get:[t]", "put E, get N", "M!", ""}},
    {"Z09",
     Frame::Default,
     "for i in pl.range(n):\n    p, t = pl.submit(self.put, a)\n    w = pl.system.task_dummy(deps=[t])\n"
     "    g, u = pl.submit(self.get, p, deps=[w])",
     {"", "put IO, get N", "M!", ""},
     {"get:[t]", std::nullopt, "A(A)", std::nullopt},
     "windowed_blanket"},
    {"Z10",
     Frame::Default,
     "for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\n    g, u = pl.submit(self.get, p, deps=[t])",
     {"", "put IO, get I", "M!", ""},
     {std::nullopt, std::nullopt, "A(A)", std::nullopt}},
    {"P18",
     Frame::Default,
     "prev: pl.Scalar[pl.TASK_ID] = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])\n"
     "g, u = pl.submit(self.get, a, deps=[prev])",
     {"", "mod IO, get N", "M!", ""}},
    // ---- arrays and coverage
    {"T01",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "g, u = pl.submit(self.get, a, deps=[tids])",
     {"", "put E, get I", "A", ""}},
    {"T02",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "g, u = pl.submit(self.get, a, deps=[tids[0], tids[1], tids[2], tids[3]])",
     {"", "put E, get N", "A", ""}},
    {"T03",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "g, u = pl.submit(self.get, a, deps=[tids[0], tids[1]])",
     {"", "put E, get I", "A", "prior_in_loop_without_summary@get.0"}},
    {"T04",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "w = tids[n]\ng, u = pl.submit(self.get, a, deps=[w])",
     {"", "put E, get I", "A", ""},
     {std::nullopt, std::nullopt, std::nullopt, "prior_in_loop_without_summary@get.0"},
     "windowed_blanket"},
    {"T05",
     Frame::Auto,
     "for k in pl.range(4):\n    p, t = pl.submit(self.put, a)\nz = pl.system.task_invalid()\ng, u = pl.submit(self.get, a, "
     "deps=[z])",
     {"", "put IO, get I", "A", ""},
     {std::nullopt, std::nullopt, std::nullopt, "prior_in_loop_without_summary@get.0"},
     "windowed_blanket"},
    {"T06",
     Frame::Auto,
     "tids = pl.array.create(2, pl.TASK_ID)\np, t = pl.submit(self.put, a)\ntids[0] = t\nq, v = pl.submit(self.put, p)\n"
     "tids[1] = v\ng, u = pl.submit(self.get, q, deps=[tids])",
     {"put:[t]", "put E, put E, get N", "A", ""}},
    {"T07",
     Frame::Auto,
     "tids = pl.array.create(2, pl.TASK_ID)\np, t = pl.submit(self.put, a)\ntids[0] = t\ng, u = pl.submit(self.get, p, "
     "deps=[tids])",
     {"", "put E, get N", "A", ""}},
    {"T08",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nt2 = t\ng, u = pl.submit(self.get, p, deps=[t2])",
     {"", "put E, get N", "A", ""}},
    {"T09",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "bar = pl.system.task_dummy(deps=[tids])\ng, u = pl.submit(self.get, a, deps=[bar])",
     {"", "put E, get I", "A", ""},
     {std::nullopt, std::nullopt, std::nullopt, "prior_in_loop_without_summary@get.0"}},
    {"T10",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nbar = pl.system.task_dummy(deps=[t])\ng, u = pl.submit(self.get, p, deps=[bar])",
     {"get:[t]", "put E, get N", "A", ""}},
    {"T11",
     Frame::Auto,
     "for k in pl.range(n):\n    p, t = pl.submit(self.put, a)\nz = pl.system.task_invalid()\ng, u = pl.submit(self.get, a, "
     "deps=[z])",
     {"", "put IO, get N", "A", ""},
     {std::nullopt, "put IO, get I", std::nullopt, "prior_in_closed_dynamic_loop@get.0"}},
    // The seed lets an array cover a hazard only when all its slots are covered; two of four are not.
    {"T12",
     Frame::Auto,
     "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(2):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
     "g, u = pl.submit(self.get, a, deps=[tids[0], tids[1], tids[2], tids[3]])",
     {"", "put E, get N", "A", ""},
     {std::nullopt, "put E, get I", std::nullopt, "prior_in_loop_without_summary@get.0"},
     "partial_fill_counts_full"},
    {"T13",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\nq, v = pl.submit(self.mod, p)\nif k0:\n    w = pl.yield_(t)\nelse:\n    w = pl.yield_(v)\n"
     "g, u = pl.submit(self.get, q, deps=[w])",
     {"mod:[t] get:[t,v]", "put E, mod E, get N", "A", ""}},
    // ---- fallback, nesting, scope modes
    {"F01",
     Frame::Auto,
     "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p)\nq = pl.tensor.gather(a, dim=-1, index=b)\n"
     "h, v = pl.submit(self.get, q)",
     {"", "put E, get I, get I", "A", "unresolved_storage.dynamic_access@get.0"}},
    {"F02",
     Frame::Default,
     "p = self.put(a)\ng = self.get(p)\nq = pl.tensor.gather(a, dim=-1, index=b)\nh = self.get(q)\nm = self.mod(g)",
     {"get:[p] mod:[p,g]", "put E, get I, get I, mod IO", "A", "unresolved_storage.dynamic_access@get.0"},
     {"", std::nullopt, std::nullopt, std::nullopt}},
    {"F03",
     Frame::Auto,
     "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p)",
     {"", "new I, get I", "A", "unresolved_storage.unknown@get.0"}},
    {"F04", Frame::Auto, "p, t = pl.submit(self.new, a)\ng, u = pl.submit(self.get, p, deps=[t])", {"", "new I, get I", "A", ""}},
    {"F05",
     Frame::Auto,
     "with pl.scope():\n    q = pl.tensor.gather(a, dim=-1, index=b)\n    h, v = pl.submit(self.get, q)\np, t = "
     "pl.submit(self.put, a)\n"
     "g, u = pl.submit(self.get, p)",
     {"get:[t]", "get I, put E, get N", "A(A)", "unresolved_storage.dynamic_access@get.0"}},
    {"F06",
     Frame::Plain,
     "with pl.scope():\n    p = self.put(a)\nwith pl.scope():\n    q = pl.tensor.gather(a, dim=-1, index=b)\n    h = "
     "self.get(q)\n"
     "    g = self.get(p)\nwith pl.scope():\n    m = self.mod(p)",
     {"mod:[p]", "put E, get I, get I, mod E", "A,A,A", "unresolved_storage.dynamic_access@get.0"},
     {std::nullopt, "put E, get I, get I, mod IO", std::nullopt, std::nullopt},
     "fallback_invisible"},
    {"X01",
     Frame::Plain,
     "with pl.scope():\n    p = self.put(a)\nwith pl.scope():\n    g = self.get(p)",
     {"get:[p]", "put E, get N", "A,A", ""},
     {std::nullopt, "put E, get I", std::nullopt, std::nullopt}},
    {"X02",
     Frame::Plain,
     "p = self.put(a)\nwith pl.scope():\n    g = self.get(p)",
     {"", "put E, get I", "A", ""},
     {},
     "container_invisible"},
    {"X03",
     Frame::Auto,
     "with pl.scope():\n    p = self.put(a)\ng = self.get(p)",
     {"get:[p]", "put E, get N", "A(A)", ""},
     {std::nullopt, "put E, get I", std::nullopt, std::nullopt}},
    {"X04",
     Frame::Auto,
     "p = self.put(a)\nwith pl.scope():\n    g = self.get(p)",
     {"get:[p]", "put E, get N", "A(A)", ""},
     {std::nullopt, "put E, get I", std::nullopt, std::nullopt}},
    {"X05", Frame::Plain, "with pl.scope():\n    p = self.put(a)\ng = self.get(p)", {"", "put E, get I", "A", ""}},
    {"X06",
     Frame::Default,
     "with pl.manual_scope():\n    p = self.put(a)\nq = self.mod(p)\ng = self.get(q)\nfor i in pl.range(4):\n    b = self.map(q, "
     "b)",
     {"get:[q] map:[q]", "put E, mod IO, get N, map N IO", "A(M,M*)", ""}},
    {"X07",
     Frame::Default,
     "with pl.manual_scope():\n    p = self.put(a)\nq = self.mod(b)\nfor i in pl.range(4):\n    g = self.get(q)",
     {"get:[q]", "put E, mod IO, get N", "A(M,M*)", ""}},
    {"X08",
     Frame::Default,
     "with pl.manual_scope():\n    p = self.put(c)\nq = self.mod(b)\nfor i in pl.range(4):\n    g = self.get(q)\n    h = "
     "self.get(a)",
     {"get:[q]", "put E, mod IO, get N, get I", "A(M,A)", ""}},
    {"X09",
     Frame::Plain,
     "with pl.scope():\n    p = self.put(a)\nwith pl.manual_scope():\n    m, t = pl.submit(self.mod, p)\nwith pl.scope():\n"
     "    g = self.get(m)",
     {"get:[p]", "put E, mod IO, get N", "A,M,A", ""},
     {std::nullopt, "put E, mod IO, get I", std::nullopt, std::nullopt},
     "manual_invisible"},
    {"X10",
     Frame::Plain,
     "with pl.scope():\n    p, t = pl.submit(self.put, a)\n    if k0:\n        with pl.scope():\n            s = pl.yield_(p)\n  "
     "  else:\n"
     "        s = pl.yield_(p)\n    g, u = pl.submit(self.get, s)",
     {"", "put E, get I", "A(A)", "unresolved_storage.unknown@get.0"},
     {},
     "yield_in_scope"},
    // ---- wrappers
    {"D16", Frame::Default, "p = self.grp(a, b)\nq = self.grp(p, b)", {"grp:[p]", "grp I E, grp N E", "M!", ""}},
    // ---- nested constant loops: the seed names the outer result
    {"L11",
     Frame::Default,
     "for i in pl.range(2):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)",
     {"get:[rv(a)]", "mod IO, get N", "M!", ""},
     {std::nullopt, std::nullopt, "A(A(A))", std::nullopt}},
};

class WorkedCase : public ::testing::TestWithParam<Case> {};

void check(const Case& c, Profile profile) {
  const Summary got = run_case(c.body, c.frame, {c.analyse, profile}, c.parameters, c.simplify);
  const auto expect = [&](const char* what, const std::string& value, std::optional<std::string> Expected::*field) {
    const std::optional<std::string>& other = c.seed.*field;
    const std::optional<std::string>& wanted = profile == Profile::Seed && other ? other : c.observed.*field;
    if (!wanted) return;
    EXPECT_EQ(value, *wanted) << what << " under profile " << profile_name(profile);
  };
  expect("edges", got.edges, &Expected::edges);
  expect("directions", got.after, &Expected::after);
  expect("scopes", got.scopes, &Expected::scopes);
  expect("fallback", got.fallback, &Expected::fallback);
  if (profile == Profile::Upstream202608 && !c.notice.empty()) {
    EXPECT_NE(got.notices.find(c.notice), std::string::npos) << "notices: " << got.notices;
  }
}

TEST_P(WorkedCase, Observed) { check(GetParam(), Profile::Upstream202608); }
TEST_P(WorkedCase, Seed) { check(GetParam(), Profile::Seed); }

INSTANTIATE_TEST_SUITE_P(Section11, WorkedCase, ::testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST(WorkedLoops, L11NamesTheResultOfOneOfTheLoops) {
  const std::string body = "for i in pl.range(2):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)";
  EXPECT_EQ(run_case(body, Frame::Default, {true, Profile::Upstream202608}).loops, "get:[1]") << "the inner loop's";
  EXPECT_EQ(run_case(body, Frame::Default, {true, Profile::Seed}).loops, "get:[0]") << "the outer loop's";
}

/// Directions before AutoDerive, with the analysis switched off; they are the same in both profiles.
std::string directions(std::string_view body, std::string_view parameters = {}) {
  std::string seed = run_case(body, Frame::Plain, {false, Profile::Seed}, parameters).before;
  EXPECT_EQ(run_case(body, Frame::Plain, {false, Profile::Upstream202608}, parameters).before, seed);
  return seed;
}

TEST(WorkedDirections, D01) { EXPECT_EQ(directions("p = self.map(a, b)"), "map I E"); }
TEST(WorkedDirections, D02) {
  EXPECT_EQ(directions("l = pl.create_tensor([128], dtype=pl.FP32)\np = self.map(a, l)\nq = self.map(a, p)"),
            "map I E, map I IO");
}
TEST(WorkedDirections, D03) {
  EXPECT_EQ(directions("l = pl.create_tensor([128], dtype=pl.FP32)\nfor i in pl.range(4):\n    self.map(a, l)"), "map I IO");
}
TEST(WorkedDirections, D04) {
  EXPECT_EQ(
      directions("l = pl.create_tensor([128], dtype=pl.FP32)\nfor i in pl.parallel(4):\n    self.map(a, l)\nself.map(a, l)"),
      "map I E, map I IO");
}
TEST(WorkedDirections, D05) {
  EXPECT_EQ(directions("p = self.map(a, b)", "a: pl.Tensor[[128], pl.FP32], b: pl.InOut[pl.Tensor[[128], pl.FP32]]"), "map I IO");
}
TEST(WorkedDirections, D06) {
  EXPECT_EQ(directions("if k0:\n    self.map(a, b)\nelse:\n    self.map(a, b)"), "map I E, map I E");
}
TEST(WorkedDirections, D07) {
  EXPECT_EQ(directions("if k0:\n    s = pl.yield_(b)\nelse:\n    s = pl.yield_(c)\np = self.map(a, s)"), "map I IO");
}
TEST(WorkedDirections, D09) {
  EXPECT_EQ(directions("s = pl.slice(b, [128], [0])\np = self.map(a, s)\ns2 = pl.slice(b, [128], [0])\nq = self.map(a, s2)"),
            "map I E, map I E");
}
TEST(WorkedDirections, D10) {
  EXPECT_EQ(directions("w = pl.assemble(b, a, [0])\np = self.map(a, w)\nq = self.map(a, b)"), "map I E, map I IO");
}
TEST(WorkedDirections, D11) {
  EXPECT_EQ(directions("p = self.map(pl.no_dep(a), pl.no_dep(b))\nq = self.map(a, p)"), "map N N, map I IO");
}
TEST(WorkedDirections, D12) {
  EXPECT_EQ(directions("for i, (x,) in pl.parallel(0, n, init_values=(b,)):\n    f = pl.create_tensor([128], dtype=pl.FP32)\n"
                       "    g = self.map(a, f)\n    y = pl.yield_(g)\nq = self.map(a, y)"),
            "map I E, map I IO");
}
TEST(WorkedDirections, D13) { EXPECT_EQ(directions("p, t = pl.submit(self.map, a)"), "map I"); }
TEST(WorkedDirections, D14) { EXPECT_EQ(directions("g = self.get(b)\np = self.map(a, b)"), "get I, map I E"); }
TEST(WorkedDirections, D15) {
  const std::string body = "p = self.put(a)\nm = self.mod(a)";
  EXPECT_EQ(directions(body), "put E, mod IO") << "an undecorated parameter";
  EXPECT_EQ(directions(body, "a: pl.InOut[pl.Tensor[[128], pl.FP32]]"), "put IO, mod IO") << "as the whole pipeline declares it";
}
TEST(WorkedDirections, D16) { EXPECT_EQ(directions("p = self.grp(a, b)\nq = self.grp(p, b)"), "grp I E, grp I IO"); }

}  // namespace
}  // namespace depscope::pass::testing
