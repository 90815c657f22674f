#include "program_facts.h"

#include <cctype>
#include <fstream>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using nlohmann::json;

class FactWriter {
 public:
  explicit FactWriter(const ir::Program& program) : program_(program), store_(*program.store) {}

  json run(const ir::Function& function) {
    visit(function.body);
    return {{"calls", calls_}, {"scopes", scopes_}};
  }

 private:
  void visit(Range body) {
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const StmtId stmt = store_.at<StmtId>(body, i);
      switch (store_.stmt(stmt).kind) {
        case StmtKind::Assign: call(ExprId(store_.stmt(stmt).b), VarId(store_.stmt(stmt).a)); break;
        case StmtKind::Eval: call(ExprId(store_.stmt(stmt).a), VarId()); break;
        case StmtKind::If: {
          const ir::IfData d = store_.if_data(stmt);
          visit(d.then_body);
          visit(d.else_body);
          break;
        }
        case StmtKind::For:
        case StmtKind::While:
          ++depth_;
          visit(store_.stmt(stmt).kind == StmtKind::For ? store_.for_data(stmt).body : store_.while_data(stmt).body);
          --depth_;
          break;
        case StmtKind::Scope: {
          const ir::ScopeData d = store_.scope_data(stmt);
          scopes_.push_back({{"mode", d.manual ? "MANUAL" : "AUTO"}, {"parent", path_.empty() ? json() : json(path_.back())}});
          path_.push_back(scopes_.size() - 1);
          visit(d.body);
          path_.pop_back();
          break;
        }
        default: break;
      }
    }
  }

  json names(Range list) {
    json out = json::array();
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const VarId var = store_.as_var(store_.at<ExprId>(list, i));
      out.push_back(var.valid() ? json(store_.name(var)) : json("·"));
    }
    return out;
  }

  void call(ExprId value, VarId target) {
    if (store_.expr(value).kind != ir::ExprKind::Call) return;
    const ir::Call c = store_.call(value);
    const bool dummy = store_.is_op(value, "system.task_dummy");
    if (!dummy && program_.find(c.callee) == nullptr) return;
    json directions = json::array();
    const ExprId list = store_.find_pair(c.attrs, "arg_directions");
    for (std::uint32_t i = 0; list.valid() && i < store_.expr(list).b; ++i) {
      const ExprId item = store_.at<ExprId>({store_.expr(list).a, store_.expr(list).b}, i);
      const std::string_view name = store_.text(NameId(store_.expr(item).a));
      directions.push_back(std::string(name.substr(name.rfind('.') + 1)));
    }
    json edges = json::array();
    const ExprId compiler = store_.find_pair(c.attrs, "compiler_manual_dep_edges");
    if (compiler.valid()) edges = names({store_.expr(compiler).a, store_.expr(compiler).b});
    json fact = {{"kind", dummy                            ? "dummy"
                          : c.form == ir::CallForm::Submit ? "submit"
                                                           : "call"},
                 {"callee", std::string(store_.text(c.callee))},
                 {"directions", dummy ? json::array() : directions},
                 {"user_deps", names(c.deps)},
                 {"compiler_deps", edges},
                 {"dummy", dummy},
                 {"loop_depth", depth_},
                 {"scope_path", path_}};
    if (!dummy) {
      fact["args"] = names(c.args);
      fact["results"] = target.valid() ? json::array({std::string(store_.name(target))}) : json::array();
    }
    calls_.push_back(std::move(fact));
  }

  const ir::Program& program_;
  const ir::NodeStore& store_;
  json calls_ = json::array(), scopes_ = json::array();
  std::vector<std::size_t> path_;
  int depth_ = 0;
};

bool is_name(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  }
  return true;
}

json normal(const json& call) {
  json out;
  for (const char* key : {"callee", "kind", "directions", "user_deps", "compiler_deps", "dummy", "loop_depth", "scope_path"}) {
    out[key] = call.at(key);
  }
  if (call.at("dummy")) {
    out["directions"] = json::array();
    out["callee"] = "system.task_dummy";
    out["kind"] = "dummy";
    return out;
  }
  out["args"] = json::array();
  for (const std::string arg : call.at("args")) out["args"].push_back(is_name(arg) ? arg : "·");
  out["results"] = call.at("results");
  return out;
}

class NotModelledSink final : public DecisionSink {
 public:
  void region(const RegionRecord& r) override {
    if (r.outcome == RegionOutcome::NotModelled) construct = r.reason + " (line " + std::to_string(r.line) + ")";
  }
  void argument(const ArgumentRecord&) override {}
  void rewrite(const RewriteRecord&) override {}
  void storage(const StorageRecord&) override {}
  void hazard(const HazardRecord&) override {}
  void edge(const EdgeRecord&) override {}
  void fence(const FenceRecord&) override {}
  void scope(const ScopeRecord&) override {}
  void carry(const CarryRecord&) override {}
  void notice(const NoticeRecord& n) override {
    if (n.name == "not_modelled") construct = n.message;
  }

  std::string construct;
};

std::string compare(const json& got, const json& expected) {
  const json& calls = expected.at("calls");
  if (got["calls"].size() != calls.size()) {
    return std::to_string(got["calls"].size()) + " calls, expected " + std::to_string(calls.size());
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const json a = normal(got["calls"][i]);
    const json b = normal(calls[i]);
    for (const auto& [key, value] : b.items()) {
      if (a.at(key) != value) {
        return "call " + std::to_string(i) + " " + b.at("callee").get<std::string>() + " " + key + ": got " + a.at(key).dump() +
               ", expected " + value.dump();
      }
    }
  }
  json scopes = json::array();
  for (const json& s : expected.at("scopes")) scopes.push_back({{"mode", s.at("mode")}, {"parent", s.at("parent")}});
  if (got["scopes"] != scopes) return "scopes: got " + got["scopes"].dump() + ", expected " + scopes.dump();
  return {};
}

}  // namespace

json function_facts(const ir::Program& program, const ir::Function& function) { return FactWriter(program).run(function); }

namespace {

/// The first difference among the functions that `facts` lists.
std::string compare_functions(const ir::Program& program, const json& facts) {
  for (const auto& [name, expected] : facts.items()) {
    const ir::Function* function = program.find(std::string_view(name));
    const std::string difference =
        function == nullptr ? "no such function" : compare(function_facts(program, *function), expected);
    if (!difference.empty()) return name + ": " + difference;
  }
  return {};
}

}  // namespace

CaseOutcome check_steps(const ir::Program& start, const std::string& expected_path) {
  std::ifstream in(expected_path);
  const json expected = json::parse(in);
  CaseOutcome outcome;
  NotModelledSink sink;
  const Options options{expected.at("analyze_auto_scopes"), Profile::Upstream202608};
  ir::Program program = start;
  for (const json& step : expected.at("steps")) {
    const std::string pass = step.at("pass");
    program = make_pass(pass)->run(program, options, sink);
    const std::string difference = compare_functions(program, step.at("functions"));
    if (difference.empty()) continue;
    outcome.verdict = sink.construct.empty() ? CaseOutcome::Verdict::Wrong : CaseOutcome::Verdict::NotModelled;
    outcome.difference = "[" + pass + "] " + (sink.construct.empty() ? difference : sink.construct);
    break;
  }
  return outcome;
}

CaseOutcome check_case(const std::string& program_path, const std::string& expected_path) {
  std::ifstream in(expected_path);
  const json expected = json::parse(in);
  CaseOutcome outcome;
  for (const json& run : expected.at("runs")) {
    const std::string tag = "[" + run.at("after").get<std::string>() + (run.at("analyze_auto_scopes") ? " analyse] " : "] ");
    NotModelledSink sink;
    std::string difference;
    try {
      ir::Program program = ir::read_file(program_path).programs.at(0);
      const Options options{run.at("analyze_auto_scopes"), Profile::Upstream202608};
      for (const std::string name : run.at("passes")) program = make_pass(name)->run(program, options, sink);
      difference = compare_functions(program, run.at("functions"));
    } catch (const InputError& error) {
      difference = std::string("refused: ") + error.what();
    }
    if (difference.empty()) continue;
    outcome.verdict = sink.construct.empty() ? CaseOutcome::Verdict::Wrong : CaseOutcome::Verdict::NotModelled;
    outcome.difference = tag + (sink.construct.empty() ? difference : sink.construct);
    if (outcome.verdict == CaseOutcome::Verdict::Wrong) return outcome;
  }
  return outcome;
}

}  // namespace depscope::pass::testing
