// Decorators, signatures and bodies of functions (ir-text.md, section 3).
#include <array>

#include "function_reader.h"

namespace depscope::ir {
namespace {

struct KindInfo {
  std::string_view name;
  FunctionKind kind;
  std::string_view level, role;  // implied, empty if none
};

constexpr std::array<KindInfo, 9> kKinds = {{
    {"Opaque", FunctionKind::Opaque, "", ""},
    {"Orchestration", FunctionKind::Orchestration, "CHIP", "Orchestrator"},
    {"Graph", FunctionKind::Graph, "CHIP", "Orchestrator"},
    {"InCore", FunctionKind::InCore, "CHIP_DIE", "SubWorker"},
    {"AIC", FunctionKind::Aic, "AIC", "SubWorker"},
    {"AIV", FunctionKind::Aiv, "AIV", "SubWorker"},
    {"Group", FunctionKind::Group, "CORE_GROUP", "SubWorker"},
    {"Spmd", FunctionKind::Spmd, "", ""},
    {"Inline", FunctionKind::Inline, "", ""},
}};

std::string_view level_alias(std::string_view level) {
  if (level == "L2CACHE") return "CHIP_DIE";
  if (level == "PROCESSOR" || level == "UMA") return "CHIP";
  if (level == "NODE") return "HOST";
  if (level == "POD") return "CLUSTER_0";
  if (level == "CLOS1") return "CLUSTER_1";
  if (level == "CLOS2") return "CLUSTER_2";
  return level;
}

bool host_or_above(std::string_view level) { return level == "HOST" || level.starts_with("CLUSTER_") || level == "GLOBAL"; }

}  // namespace

Function FunctionReader::read_header(SynStmtId def) {
  const SynStmt s = tree_.stmt(def);
  Function f;
  f.name = s.name;
  f.span = s.span;
  const KindInfo* kind = &kKinds[0];
  std::string level;
  std::string role;
  for (std::uint32_t i = 0; i < s.decorators.count; ++i) {
    const SynExprId decorator = tree_.at<SynExprId>(s.decorators, i);
    const SynExpr d = tree_.expr(decorator);
    const std::string name = d.kind == SynKind::Call ? dotted(tree_.kid_id(decorator, 0)) : dotted(decorator);
    if (name == "pl.inline") {
      kind = &kKinds[8];
      continue;
    }
    if (name != "pl.function") continue;
    for (std::uint32_t k = 1; d.kind == SynKind::Call && k < d.kids.count; ++k) {
      const SynExprId arg = tree_.kid_id(decorator, k);
      if (tree_.expr(arg).kind != SynKind::Keyword) read_fail(tree_.expr(arg).span, "pl.function takes keyword arguments only");
      const std::string_view key = store_.text(tree_.expr(arg).name);
      const SynExprId value = tree_.kid_id(arg, 0);
      const std::string text = dotted(value);
      const auto enum_value = [&](std::string_view prefix) -> std::string {
        if (!text.starts_with(prefix))
          read_fail(tree_.expr(value).span, "a value such as " + std::string(prefix) + "… was expected");
        return text.substr(prefix.size());
      };
      if (key == "type") {
        const std::string wanted = enum_value("pl.FunctionType.");
        kind = nullptr;
        for (const KindInfo& info : kKinds) {
          if (info.name == wanted) kind = &info;
        }
        if (kind == nullptr) read_fail(tree_.expr(value).span, "'" + wanted + "' is not a function type");
      } else if (key == "level") {
        level = level_alias(enum_value("pl.Level."));
      } else if (key == "role") {
        role = enum_value("pl.Role.");
      } else if (key == "auto_scope") {
        const SynKind v = tree_.expr(value).kind;
        if (v != SynKind::True && v != SynKind::False) read_fail(tree_.expr(value).span, "True or False was expected");
        f.auto_scope = v == SynKind::True;
      } else if (key == "external_source") {
        const ExprId path = expr(value);
        if (store_.expr(path).kind != ExprKind::Str) read_fail(tree_.expr(value).span, "a path was expected");
        f.external_source = NameId(store_.expr(path).a);
      } else if (key == "attrs") {
        f.attrs = attribute_pairs(value);
      } else if (key != "strict_ssa") {
        read_fail(tree_.expr(arg).span, "'" + std::string(key) + "=' is not a keyword of pl.function");
      }
    }
  }
  f.kind = kind->kind;
  if (level.empty()) level = kind->level;
  if (role.empty()) role = kind->role;
  f.level = store_.names.intern(level);
  f.role = store_.names.intern(role);

  // All parameters exist before their types are read: a dimension may name a later scalar parameter.
  struct Pending {
    VarId var;
    SynExprId annotation;
    ParamDirection direction;
    Span span;
  };
  std::vector<Pending> pending;
  for (std::uint32_t i = 0; i < s.params.count; ++i) {
    const SynParam p = tree_.params[s.params.begin + i];
    if (!p.plain) read_fail(p.span, "a parameter has no default and no '*'");
    if (i == 0 && store_.text(p.name) == "self" && !p.annotation.valid()) continue;
    if (!p.annotation.valid()) read_fail(p.span, "parameter '" + std::string(store_.text(p.name)) + "' has no type annotation");
    Pending out{VarId(), p.annotation, ParamDirection::In, p.span};
    const SynExpr a = tree_.expr(p.annotation);
    if (a.kind == SynKind::Subscript) {
      const std::string head = dotted(tree_.kid_id(p.annotation, 0));
      if (head == "pl.Out" || head == "pl.InOut") {
        out.direction = head == "pl.Out" ? ParamDirection::Out : ParamDirection::InOut;
        out.annotation = tree_.kid_id(p.annotation, 1);
      }
    }
    if (lookup(p.name).valid()) read_fail(p.span, "two parameters are named '" + std::string(store_.text(p.name)) + "'");
    out.var = define_fresh(p.name, TypeId(), p.span);
    bind(p.name, out.var);
    pending.push_back(out);
  }
  for (const Pending& p : pending) {
    const TypeId t = type(p.annotation);
    store_.set_var_type(p.var, t);
    f.params.push_back({p.var, p.direction, t});
  }
  if (s.e0.valid()) {
    f.has_return_annotation = true;
    const SynExpr r = tree_.expr(s.e0);
    if (r.kind == SynKind::None) {
      f.has_return_annotation = false;
    } else if (r.kind == SynKind::Subscript && dotted(tree_.kid_id(s.e0, 0)) == "tuple") {
      const SynExprId index = tree_.kid_id(s.e0, 1);
      if (tree_.expr(index).kind == SynKind::Tuple) {
        for (std::uint32_t i = 0; i < tree_.kid_count(index); ++i) f.return_types.push_back(type(tree_.kid_id(index, i)));
      } else {
        f.return_types.push_back(type(index));
      }
    } else {
      f.return_types.push_back(type(s.e0));
    }
  }
  return f;
}

void FunctionReader::read_body(SynStmtId def, Function& function) {
  const SynStmt s = tree_.stmt(def);
  function_ = &function;
  for (const Param& p : function.params) bind(store_.var(p.var).name, p.var);  // other headers were read meanwhile
  std::vector<NameId> comments;
  for (std::uint32_t i = 0; i < s.comments.count; ++i) comments.push_back(tree_.at<NameId>(s.comments, i));
  function.comments = store_.make_list(comments);
  if (host_or_above(store_.text(function.level)) && store_.text(function.role) == "SubWorker") {
    foreign_body(s, function);
  } else {
    function.body = block(read_prologue(s.body));
    report_lost_targets();
    bind_forward_edges();
  }
  function_ = nullptr;
}

// Docstring and attributes in front of the first statement; returns the statements behind them.
Range FunctionReader::read_prologue(Range statements) {
  prologue_ = true;
  while (!statements.empty()) {
    const SynStmtId first = tree_.at<SynStmtId>(statements, 0);
    const SynStmt s = tree_.stmt(first);
    if (s.kind != SynStmtKind::Expr || (tree_.expr(s.e0).kind != SynKind::String && !is_call_to(s.e0, "pl.func_attr"))) break;
    const Range docstring = docstring_;
    checked_statement(first);
    if (docstring_.empty()) docstring_ = docstring;  // its lines belong to the first statement, not to the attributes
    statements = {statements.begin + 1, statements.count - 1};
  }
  prologue_ = false;
  return statements;
}

// A host SubWorker's body is Python of its own: kept line by line, without the indentation of its block (3.6).
void FunctionReader::foreign_body(const SynStmt& s, Function& function) {
  function.foreign_body = true;
  std::vector<StmtId> body;
  Range rest = read_prologue(s.body);  // the attribute prologue is ours
  const bool only_prologue = rest.empty();
  if (only_prologue)
    body.push_back(store_.make_stmt({.kind = StmtKind::Opaque, .span = s.span, .a = store_.names.intern("pass").value}));
  if (rest.count == 1) {
    const SynStmt only = tree_.stmt(tree_.at<SynStmtId>(rest, 0));
    // The empty body of an external kernel prints as `pass`.
    const bool empty = only.kind == SynStmtKind::Pass && !store_.text(function.external_source).empty();
    if (empty || (only.kind == SynStmtKind::Expr && tree_.expr(only.e0).kind == SynKind::Ellipsis)) {
      body.push_back(store_.make_stmt({.kind = StmtKind::Ellipsis, .span = only.span}));
      function.foreign_body = false;
      function.body = store_.make_list(body);
      return;
    }
  }
  // A docstring behind the attributes is part of the foreign text.
  while (!only_prologue && rest.begin > s.body.begin) {
    const SynStmt before = tree_.stmt(tree_.at<SynStmtId>({rest.begin - 1, 1}, 0));
    if (tree_.expr(before.e0).kind != SynKind::String) break;
    rest = {rest.begin - 1, rest.count + 1};
  }
  if (!rest.empty()) {
    const Span first = tree_.stmt(tree_.at<SynStmtId>(rest, 0)).whole;
    const Span last = tree_.stmt(tree_.at<SynStmtId>(rest, rest.count - 1)).whole;
    const SourceFile& source = *context_.source;
    const std::uint32_t first_line = source.position(first.begin).line;
    const std::uint32_t last_line = source.position(last.end == 0 ? 0 : last.end - 1).line;
    const std::size_t indent = source.position(first.begin).column - 1;
    std::string text;
    for (std::uint32_t line = first_line; line <= last_line; ++line) {
      std::string_view l = source.line_text(line);
      const std::size_t blank = std::min(l.find_first_not_of(" \t"), l.size());
      if (line == first_line)
        l.remove_prefix(std::min(l.size(), indent));
      else
        l.remove_prefix(std::min(blank, indent));
      if (!text.empty() || line > first_line) text += '\n';
      text += l;
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    body.push_back(
        store_.make_stmt({.kind = StmtKind::Opaque, .span = {first.begin, last.end}, .a = store_.names.intern(text).value}));
  }
  function.body = store_.make_list(body);
}

}  // namespace depscope::ir
