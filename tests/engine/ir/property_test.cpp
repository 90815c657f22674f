// Random programs: printing and reading again changes nothing.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

int up_to(int n) { return *rc::gen::inRange(0, n); }
std::string one_of(const std::vector<std::string>& all) {
  return all[static_cast<std::size_t>(up_to(static_cast<int>(all.size())))];
}

/// Writes the body of one orchestration function, statement by statement.
class Writer {
 public:
  std::string body() {
    block(0, 1 + up_to(6));
    return out_;
  }

 private:
  std::string integer(int depth) {
    const int kind = depth <= 0 ? up_to(4) : up_to(12);
    switch (kind) {
      case 0:
      case 1: return one_of(integers_);
      case 2: return std::to_string(*rc::gen::arbitrary<std::int64_t>() % (up_to(2) == 0 ? 10 : INT64_MAX));
      case 3: return "pl.const(" + std::to_string(up_to(100) - 50) + ", pl.INDEX)";
      case 4: return one_of({"-", "~", "+"}) + integer(depth - 1);
      case 5: return one_of({"pl.min(", "pl.max("}) + integer(depth - 1) + ", " + integer(depth - 1) + ")";
      case 6: return "abs(" + integer(depth - 1) + ")";
      case 7: return "pl.cast(" + one_of({"k", "f"}) + ", pl.INDEX)";
      case 8:
        return "(" + integer(depth - 1) + ") " + one_of({"**", "<<", ">>", "&", "|", "^"}) + " (" + integer(depth - 1) + ")";
      default: return integer(depth - 1) + one_of({" + ", " - ", " * ", " % ", " // ", " ** ", " - ("}) + integer(depth - 1);
    }
  }

  std::string balanced(std::string text) {
    int open = 0;
    for (const char c : text) open += c == '(' ? 1 : c == ')' ? -1 : 0;
    return text + std::string(static_cast<std::size_t>(open), ')');
  }

  std::string condition(int depth) {
    if (depth <= 0) return one_of({"flag", "True", "not flag", "n < m", "(n == m)"});
    switch (up_to(4)) {
      case 0: return "not " + condition(depth - 1);
      case 1:
        return "(" + balanced(integer(1)) + ") " + one_of({"<", "<=", ">", ">=", "==", "!="}) + " (" + balanced(integer(1)) + ")";
      default: return "(" + condition(depth - 1) + ") " + one_of({"and", "or", "xor", "=="}) + " (" + condition(depth - 1) + ")";
    }
  }

  void line(int indent, const std::string& text) {
    if (up_to(8) == 0)
      out_ += std::string(static_cast<std::size_t>(indent) * 4, ' ') + one_of({"# note", "#", "#   # x\t"}) + "\n";
    out_ += std::string(static_cast<std::size_t>(indent) * 4, ' ') + text + (up_to(12) == 0 ? "  # behind" : "") + "\n";
  }

  std::string fresh() { return one_of({"a", "b", "v", "w_1", "n", "_"}); }

  void define(const std::string& name) {
    if (std::find(integers_.begin(), integers_.end(), name) == integers_.end()) integers_.push_back(name);
  }

  void block(int indent, int count) {
    for (int i = 0; i < count; ++i) statement(indent);
  }

  void statement(int indent) {
    const auto inner = [&] {
      const std::vector<std::string> visible = integers_;
      block(indent + 1, 1 + up_to(3));
      integers_ = visible;
    };
    switch (indent >= 3 ? up_to(9) : up_to(16)) {
      case 0:
        line(indent, "pl.foo(" + balanced(integer(2)) + ", mode='" + one_of({"", "x y", "\"", "é"}) + "', attrs={\"k\": [" +
                         one_of(integers_) + "], \"s\": \"a\\\\b\"})");
        return;
      case 1: line(indent, "y = self.fill(x, y)"); return;
      case 2:
        line(indent,
             "y, t" + std::to_string(up_to(3)) + " = pl.submit(self.fill, " + one_of({"x", "pl.no_dep(x)", "y"}) + ", y)");
        return;
      case 3:
        line(indent, "tids = pl.array.create(4, pl.TASK_ID)");
        line(indent, "tids[" + balanced(integer(1)) + "] = None");
        return;
      case 4:
        line(indent, "r" + std::to_string(up_to(3)) + " = pl.spmd_submit(self.fill, x, y, core_num=" + balanced(integer(1)) +
                         ", sync_start=" + one_of({"True", "False"}) + ")");
        return;
      case 5:
        line(indent,
             one_of({"pass", "y[n, 2] = f", "y[0:8, :] = x[8:16, :]", "q = x[n:m, 3]", "z = f * 2.5 - 1e-7", "x2 = x * 3"}));
        return;
      case 6:
      case 7:
      case 8: {
        const std::string name = fresh();
        line(indent, name + one_of({" = ", ": pl.Scalar[pl.INDEX] = "}) + balanced(integer(3)));
        define(name);
        return;
      }
      case 9:
        line(indent, "if " + condition(2) + ":");
        inner();
        if (up_to(2) == 0) {
          line(indent, up_to(2) == 0 ? "else:" : "elif " + condition(1) + ":");
          inner();
        }
        return;
      case 10:
        line(indent, "for i in pl." + one_of({"range", "parallel"}) + "(" +
                         one_of({"4", "n", "0, 8, 2", "pl.const(0, pl.INT64), k, pl.const(1, pl.INT64)"}) + "):");
        inner();
        return;
      case 11: {
        const std::string carried = fresh();
        const std::string result = "out" + std::to_string(up_to(4));
        line(indent, "for i, (" + carried + ",) in pl.range(4, init_values=(" + one_of(integers_) + ",)):");
        const std::vector<std::string> visible = integers_;
        define(carried);
        block(indent + 1, up_to(3));
        line(indent + 1, result + " = pl.yield_(" + balanced(integer(1)) + ")");
        integers_ = visible;
        define(result);
        return;
      }
      case 12:
        line(indent, "while " + condition(1) + ":");
        inner();
        return;
      case 13: {
        const std::string result = "merged" + std::to_string(up_to(4));
        line(indent, "if " + condition(1) + ":");
        line(indent + 1, result + " = pl.yield_(" + balanced(integer(2)) + ")");
        line(indent, "else:");
        line(indent + 1, result + " = pl.yield_(" + balanced(integer(2)) + ")");
        define(result);
        return;
      }
      case 14:
        line(indent, one_of({"with pl.scope():", "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"h\") as t9:",
                             "with pl.cluster(name_hint=\"c\"):", "for j in pl.spmd(4, name_hint=\"s\"):"}));
        inner();
        return;
      default: line(indent, "\"\"\"Text,\n  more text.\"\"\""); return;
    }
  }

  std::vector<std::string> integers_{"n", "m"};
  std::string out_;
};

RC_GTEST_PROP(Property, PrintReadPrintIsTheIdentity, ()) {
  const std::string text = orchestration(Writer().body());
  const ReadResult result = read(text);
  for (const Diagnostic& d : result.diagnostics) RC_LOG() << d.text() << "\n";
  // Constant arithmetic of the generator may divide by zero; nothing else is wrong with what it writes.
  for (const Diagnostic& d : result.diagnostics)
    RC_PRE(d.message != "division by zero" && d.message != "integer does not fit in 64 bits");
  RC_LOG() << text;
  RC_ASSERT(result.ok);
  RC_ASSERT(round_trip_fault(result) == "");
}

RC_GTEST_PROP(Property, StringsComeBack, (const std::string& text)) {
  RC_PRE(text.find('\0') == std::string::npos);
  NodeStore store;
  std::string ascii = text;
  for (char& c : ascii) c = static_cast<char>(static_cast<unsigned char>(c) & 0x7fU);
  const std::string printed = print_expr(store, store.make_str(ascii));
  const Program p = read_one(orchestration("pl.foo(" + printed + ")"));
  const Function& f = *p.find("main");
  const ExprId call(p.store->stmt(p.store->at<StmtId>(f.body, 0)).a);
  const ExprId arg = p.store->at<ExprId>(p.store->call(call).args, 0);
  RC_ASSERT(p.store->text(NameId(p.store->expr(arg).a)) == ascii);
}

RC_GTEST_PROP(Property, NumbersComeBack, (std::int64_t whole, double real)) {
  const std::vector<std::string> all{std::to_string(whole), std::to_string(static_cast<std::uint64_t>(whole))};
  NodeStore store;
  for (const ExprId id : {store.make_int(whole), store.make_int(whole, DType::Int32), store.make_float(real),
                          store.make_float(real, DType::Fp16)}) {
    const std::string printed = print_expr(store, id);
    const std::string body = printed_body("pl.foo(" + printed + ")");
    RC_ASSERT(body == "pl.foo(" + printed + ")");
  }
}

}  // namespace
}  // namespace depscope::ir::testing
