#include "random_orchestration.h"

#include <algorithm>
#include <vector>

#include <rapidcheck.h>

namespace depscope::pass::testing {
namespace {

constexpr const char* kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, b: pl.InOut[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return b

    @pl.function(type=pl.FunctionType.InCore)
    def map(self, i: pl.Tensor[[128], pl.FP32], o: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def put2(self, o: pl.Out[pl.Tensor[[128], pl.FP32]], p: pl.Out[pl.Tensor[[128], pl.FP32]]) -> tuple[pl.Tensor[[128], pl.FP32], pl.Tensor[[128], pl.FP32]]:
        return o, p

    @pl.function(type=pl.FunctionType.InCore)
    def new(self, i: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = pl.create_tensor([128], dtype=pl.FP32)
        return r

    @pl.function(type=pl.FunctionType.InCore)
    def puth(self, o: pl.Out[pl.Tensor[[64], pl.FP32]], k: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def modh(self, b: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return b

    @pl.function(type=pl.FunctionType.InCore)
    def geth(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.Group)
    def grp(self, i: pl.Tensor[[128], pl.FP32], o: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        r = self.map(i, o)
        return r

    @pl.function(type=pl.FunctionType.Inline)
    def twice(self, x: pl.Tensor[[128], pl.FP32], y: pl.Tensor[[128], pl.FP32]) -> pl.Tensor[[128], pl.FP32]:
        h = self.map(x, y)
        self.mod(h)
        return h

)";

// At full size from the first program on: small sizes would give nothing but small numbers.
int up_to(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }
bool one_in(int n) { return up_to(n) == 0; }
const std::string& one_of(const std::vector<std::string>& all) {
  return all[static_cast<std::size_t>(up_to(static_cast<int>(all.size())))];
}

/// Names by type that are defined on every path to the current place.
struct Visible {
  std::vector<std::string> full{"a", "b", "c"};  ///< Tensor[128]
  std::vector<std::string> half;                 ///< Tensor[64]
  std::vector<std::string> ids;                  ///< Scalar[TASK_ID]
  std::vector<std::string> arrays;               ///< Array[4, TASK_ID]
  std::vector<std::string> indices{"n"};         ///< Scalar[INDEX]
};

class Writer {
 public:
  std::string program() {
    placed_ = up_to(2) == 0;
    const bool inout = one_in(3);
    block(2, 3 + up_to(12), false);
    std::string text = kKernels;
    text += "    @pl.function(type=pl.FunctionType.Orchestration";
    text += placed_ ? ", auto_scope=False)\n" : ")\n";
    text += "    def main(self, a: pl.Tensor[[128], pl.FP32], b: ";
    text += inout ? "pl.InOut[pl.Tensor[[128], pl.FP32]]" : "pl.Tensor[[128], pl.FP32]";
    text += ", c: pl.Tensor[[128], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[128], pl.FP32]:\n";
    return text + out_ + "        return a\n";
  }

 private:
  void line(int indent, const std::string& text) { out_ += std::string(static_cast<std::size_t>(indent) * 4, ' ') + text + "\n"; }
  std::string fresh(const char* base) { return base + std::to_string(next_++); }

  static void define(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  /// A new name, or an old one of the same type, so that loops carry and ifs merge.
  std::string target(std::vector<std::string>& names, const char* base) {
    return names.empty() || one_in(2) ? fresh(base) : one_of(names);
  }

  std::string full() { return one_in(9) ? "pl.no_dep(" + one_of(v_.full) + ")" : one_of(v_.full); }

  std::string deps() {
    if (one_in(3) || (v_.ids.empty() && v_.arrays.empty())) return "";
    if (!v_.arrays.empty() && one_in(3)) {
      const std::string array = one_of(v_.arrays);
      switch (up_to(3)) {
        case 0: return ", deps=[" + array + "]";
        case 1: return ", deps=[" + array + "[0], " + array + "[" + std::to_string(up_to(4)) + "]]";
        default: return ", deps=[" + array + "[k] for k in range(4)]";
      }
    }
    if (v_.ids.empty()) return "";
    std::string list = one_of(v_.ids);
    for (int more = up_to(3); more > 0; --more) list += one_in(8) ? std::string(", None") : ", " + one_of(v_.ids);
    return ", deps=[" + list + "]";
  }

  void launch(int indent) {
    std::string kernel = one_of({"put", "get", "mod", "map", "put2", "new", "puth", "geth", "modh", "grp"});
    const bool half = kernel == "puth" || kernel == "geth" || kernel == "modh";
    if (half && v_.half.empty()) kernel = "get";
    std::string args;
    if (half && kernel != "get") {
      args = one_of(v_.half);
      if (kernel == "puth") args += ", " + one_of({one_of(v_.indices), "0", "3"});
    } else {
      args = full();
      if (kernel == "map" || kernel == "put2" || kernel == "grp") args += ", " + full();
    }
    std::vector<std::string>& names = half && kernel != "get" ? v_.half : v_.full;
    const char* base = half && kernel != "get" ? "h" : "v";
    switch (up_to(5)) {
      case 0: line(indent, "self." + kernel + "(" + args + ")"); return;
      case 1:
        if (kernel == "put2") {
          const std::string first = target(names, base);
          const std::string second = fresh(base);
          line(indent, first + ", " + second + " = self.put2(" + args + ")");
          define(names, first);
          define(names, second);
        } else {
          const std::string name = target(names, base);
          line(indent, name + " = self." + kernel + "(" + args + ")");
          define(names, name);
        }
        return;
      default: {
        const std::string call = "pl.submit(self." + kernel + ", " + args + deps() + ")";
        const std::string id = target(v_.ids, "t");
        const std::string name = target(names, base);
        if (kernel == "put2") {
          const std::string second = fresh(base);
          line(indent, "(" + name + ", " + second + "), " + id + " = " + call);
          define(names, second);
        } else {
          line(indent, name + ", " + id + " = " + call);
        }
        define(names, name);
        define(v_.ids, id);
        return;
      }
    }
  }

  void inner(int indent, int count, bool manual) {
    const Visible before = v_;
    block(indent, count, manual);
    v_ = before;
  }

  void block(int indent, int count, bool manual) {
    for (int i = 0; i < count; ++i) statement(indent, manual);
  }

  void statement(int indent, bool manual) {
    const int kind = up_to(indent >= 5 ? 12 : 19);
    switch (kind) {
      case 0: {
        const std::string name = fresh("m");
        line(indent, name + " = pl.create_tensor([128], dtype=pl.FP32)");
        define(v_.full, name);
        return;
      }
      case 1: {
        const std::string name = target(v_.half, "h");
        line(indent, name + " = pl.slice(" + one_of(v_.full) + ", [64], [" + one_of({"0", "64", "32", "n"}) + "])");
        define(v_.half, name);
        return;
      }
      case 2:
        if (!v_.ids.empty() && one_in(2)) {
          const std::string name = fresh("t");
          line(indent, name + " = " + one_of(v_.ids));
          define(v_.ids, name);
        } else if (!v_.arrays.empty() && !v_.ids.empty()) {
          line(indent, one_of(v_.arrays) + "[" + one_of({"0", "1", "2", "3", one_of(v_.indices)}) + "] = " + one_of(v_.ids));
        } else {
          const std::string name = fresh("arr");
          line(indent, name + " = pl.array.create(4, pl.TASK_ID)");
          define(v_.arrays, name);
        }
        return;
      case 3: {
        const std::string name = fresh("t");
        if (!v_.arrays.empty() && one_in(2)) {
          line(indent, name + " = " + one_of(v_.arrays) + "[" + one_of({"0", "3", one_of(v_.indices)}) + "]");
        } else if (!v_.ids.empty()) {
          line(indent, name + " = pl.system.task_dummy(deps=[" + one_of(v_.ids) + "])");
        } else {
          line(indent, name + ": pl.Scalar[pl.TASK_ID] = None");
        }
        define(v_.ids, name);
        return;
      }
      case 4: {
        const std::string name = fresh("k");
        line(indent, name + " = " + one_of({"n + 1", "2", "n * 4", "7 - 3", one_of(v_.indices) + " // 2"}));
        define(v_.indices, name);
        return;
      }
      case 12: {  // a loop that carries by assignment
        const std::string counter = fresh("i");
        line(indent, "for " + counter + " in pl." +
                         one_of({"range(4)", "range(n)", "parallel(4)", "parallel(n)", "range(0)", "range(1, 2)", "parallel(1)",
                                 "range(4, 0, -1)", "range(0, 8, 2)"}) +
                         ":");
        const Visible before = v_;
        define(v_.indices, counter);
        block(indent + 1, 1 + up_to(3), manual);
        v_ = before;
        return;
      }
      case 13: {  // a loop with explicit carries
        const std::string counter = fresh("i");
        const std::string carried = fresh("x");
        const std::string result = fresh("y");
        line(indent, "for " + counter + ", (" + carried + ",) in pl." + one_of({"range", "parallel"}) + "(" +
                         one_of({"4", "0, n", "0, 1"}) + ", init_values=(" + one_of(v_.full) + ",)):");
        const Visible before = v_;
        define(v_.full, carried);
        define(v_.indices, counter);
        block(indent + 1, 1 + up_to(2), manual);
        line(indent + 1, result + " = pl.yield_(" + one_of(v_.full) + ")");
        v_ = before;
        define(v_.full, result);
        return;
      }
      case 14:
        line(indent, "if " + one_of({"n > 2", "n == 0", "n < 5"}) + ":");
        inner(indent + 1, 1 + up_to(2), manual);
        if (one_in(2)) {
          line(indent, "else:");
          inner(indent + 1, 1 + up_to(2), manual);
        }
        return;
      case 15: {
        const std::string result = fresh("s");
        line(indent, "if n > 1:");
        line(indent + 1, result + " = pl.yield_(" + one_of(v_.full) + ")");
        line(indent, "else:");
        line(indent + 1, result + " = pl.yield_(" + one_of(v_.full) + ")");
        define(v_.full, result);
        return;
      }
      case 16:
        if (!manual) {
          line(indent, "with pl.manual_scope():");
          inner(indent + 1, 1 + up_to(3), true);
        } else {
          launch(indent);
        }
        return;
      case 17:
        if (placed_ && !manual) {
          line(indent, "with pl.scope():");
          block(indent + 1, 1 + up_to(4), manual);  // an AUTO scope hides no name
        } else {
          launch(indent);
        }
        return;
      case 18: {
        const std::string name = target(v_.full, "v");
        line(indent, name + " = self.twice(" + one_of(v_.full) + ", " + one_of(v_.full) + ")");
        define(v_.full, name);
        return;
      }
      default: launch(indent); return;
    }
  }

  Visible v_;
  std::string out_;
  int next_ = 0;
  bool placed_ = false;  ///< auto_scope=False: AUTO scopes are placed by hand
};

}  // namespace

std::string random_program() { return Writer().program(); }

}  // namespace depscope::pass::testing
