// Reads a whole file: module names, program classes, and the functions that belong to each.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "depscope/ir/text.h"
#include "function_reader.h"

namespace depscope::ir {
namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && is_letter(text[0]) && keyword_of(text) == Keyword::None &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

class Reader {
 public:
  Reader(std::shared_ptr<const SourceFile> source, const ReadLimits& limits) : context_(std::move(source), limits) {}

  ReadResult run();

 private:
  void module_statement(SynStmtId id);
  void report_broken(const SynStmt& s) {
    const SynMessage& m = context_.tree.messages[s.message];
    context_.report(Severity::Error, m.offset, m.text);
  }
  void import(const SynStmt& s);
  void module_assignment(const SynStmt& s);
  void read_program(SynStmtId class_id);
  void read_functions(const std::string& name, std::vector<SynStmtId> defs, bool bare);
  [[nodiscard]] std::string decorator_name(const SynStmt& s, std::string_view wanted) const;
  void add_called_functions(std::vector<SynStmtId>& defs) const;
  [[nodiscard]] std::string dotted(SynExprId id) const;

  ReaderContext context_;
  ReadResult result_;
  std::vector<SynStmtId> classes_;
  std::vector<SynStmtId> module_functions_;
  std::uint32_t first_jit_ = 0xffffffffU;
};

std::string Reader::dotted(SynExprId id) const {
  const SynExpr& e = context_.tree.expr(id);
  if (e.kind == SynKind::Call) return dotted(context_.tree.kid_id(id, 0));
  if (e.kind != SynKind::Name) return {};
  const std::string_view text = context_.store->text(e.name);
  const std::size_t dot = text.find('.');
  const NameId first = context_.store->names.find(text.substr(0, dot));
  const auto it = first.valid() ? context_.prefixes.find(first.value) : context_.prefixes.end();
  if (it == context_.prefixes.end() || dot == std::string_view::npos) return std::string(text);
  return std::string(it->second) + std::string(text.substr(dot));
}

/// The decorator of `s` that begins with `wanted` ("pl.function", "pl.jit"), or "".
std::string Reader::decorator_name(const SynStmt& s, std::string_view wanted) const {
  for (std::uint32_t i = 0; i < s.decorators.count; ++i) {
    std::string name = dotted(context_.tree.at<SynExprId>(s.decorators, i));
    if (name == wanted || (name.starts_with(wanted) && name[wanted.size()] == '.')) return name;
  }
  return {};
}

void Reader::import(const SynStmt& s) {
  const std::string_view text = context_.source->text(s.span);
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t,()\\\n", i);
    if (begin == std::string_view::npos) break;
    i = std::min(text.find_first_of(" \t,()\\\n", begin), text.size());
    words.push_back(text.substr(begin, i - begin));
  }
  const auto alias = [&](std::string_view module) -> std::string_view {
    if (module == "pypto.language" || module == "language") return "pl";
    if (module == "pypto.language.distributed" || module == "distributed") return "pld";
    return {};
  };
  const bool from = !words.empty() && words[0] == "from";
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::string_view prefix;
    if (from) {
      if (w < 3 || words[2] != "import") continue;
      const bool of_language = words[1] == "pypto.language";
      if (words[1] != "pypto" && !of_language) continue;
      prefix = words[w] == "language" && !of_language     ? "pl"
               : words[w] == "distributed" && of_language ? "pld"
                                                          : std::string_view();
    } else {
      prefix = alias(words[w]);
    }
    if (prefix.empty()) continue;
    std::string_view name = words[w];
    if (w + 2 < words.size() && words[w + 1] == "as") name = words[w + 2];
    context_.prefixes[context_.store->names.intern(name).value] = prefix;
  }
}

void Reader::module_assignment(const SynStmt& s) {
  const SyntaxTree& tree = context_.tree;
  const SynExpr target = tree.expr(s.e0);
  if (target.kind != SynKind::Name || target.op != 0 || !s.e2.valid()) return;
  ModuleBinding b;
  b.syntax = s.e2;
  if (tree.expr(s.e2).kind == SynKind::Call && dotted(s.e2) == "pl.dynamic" && tree.kid_count(s.e2) == 2 &&
      tree.kid(s.e2, 1).kind == SynKind::String) {
    FunctionReader reader(context_);
    const ExprId text = reader.read_constant(tree.kid_id(s.e2, 1));
    const NameId name(context_.store->expr(text).a);
    if (!is_identifier(context_.store->text(name))) {
      context_.report(Severity::Error, tree.kid(s.e2, 1).span.begin, "the name of a dynamic dimension must be an identifier");
      return;
    }
    b.kind = ModuleBinding::Kind::Dynamic;
    b.dynamic = context_.store->make_var(name, context_.store->scalar_type(DType::Index), target.span, true);
  } else {
    try {
      FunctionReader reader(context_);
      b.constant = reader.read_constant(s.e2);
      b.kind = ModuleBinding::Kind::Constant;
    } catch (const ReadFailure&) {
      // Ordinary Python around the program; an error only where the program uses it.
      b.kind = ModuleBinding::Kind::Syntax;
    }
  }
  context_.module_names[target.name.value] = b;
}

void Reader::module_statement(SynStmtId id) {
  const SynStmt s = context_.tree.stmt(id);
  switch (s.kind) {
    case SynStmtKind::Import: import(s); break;
    case SynStmtKind::Assign: module_assignment(s); break;
    case SynStmtKind::Class:
      if (!decorator_name(s, "pl.program").empty()) classes_.push_back(id);
      break;
    case SynStmtKind::Def:
      if (!decorator_name(s, "pl.function").empty() || !decorator_name(s, "pl.inline").empty()) {
        module_functions_.push_back(id);
        ModuleBinding b;
        b.kind = ModuleBinding::Kind::Function;
        b.function = id;
        context_.module_names[s.name.value] = b;
      } else if (!decorator_name(s, "pl.jit").empty()) {
        first_jit_ = std::min(first_jit_, s.span.begin);
      }
      break;
    case SynStmtKind::Broken: {
      // Outside decorated code other Python is allowed, but what no Python would accept is an error anyway.
      if (!context_.tree.messages[s.message].python) report_broken(s);
      break;
    }
    default: break;
  }
}

// Module-level functions that are called by bare name, directly or through others, join the program.
void Reader::add_called_functions(std::vector<SynStmtId>& defs) const {
  const SyntaxTree& tree = context_.tree;
  // Every mention of such a function, in the order of the text: the ones inside a definition are a run of it.
  std::vector<std::pair<std::uint32_t, SynStmtId>> mentions;
  for (const SynExpr& e : tree.exprs) {
    if (e.kind != SynKind::Name || e.op != 0) continue;
    const auto it = context_.module_names.find(e.name.value);
    if (it != context_.module_names.end() && it->second.kind == ModuleBinding::Kind::Function)
      mentions.emplace_back(e.span.begin, it->second.function);
  }
  std::sort(mentions.begin(), mentions.end());
  std::unordered_set<std::uint32_t> known;
  for (const SynStmtId def : defs) known.insert(def.value);
  for (std::size_t i = 0; i < defs.size(); ++i) {
    const Span whole = tree.stmt(defs[i]).whole;
    for (auto it = std::lower_bound(mentions.begin(), mentions.end(), std::pair(whole.begin, SynStmtId(0)));
         it != mentions.end() && it->first < whole.end; ++it) {
      if (known.insert(it->second.value).second) defs.push_back(it->second);
    }
  }
}

void Reader::read_functions(const std::string& name, std::vector<SynStmtId> defs, bool bare) {
  if (!bare && !module_functions_.empty()) add_called_functions(defs);
  const std::size_t first_expr = context_.store->expr_count();
  Program program;
  program.store = context_.store;
  program.source = context_.source;
  program.name = name;
  context_.signatures.clear();
  context_.invented_dims.clear();

  struct Open {
    std::unique_ptr<FunctionReader> reader;
    SynStmtId def;
    Function function;
  };
  std::vector<Open> open;
  for (const SynStmtId def : defs) {
    const SynStmt s = context_.tree.stmt(def);
    Open o{std::make_unique<FunctionReader>(context_), def, {}};
    try {
      o.function = o.reader->read_header(def);
    } catch (const ReadFailure& failure) {
      context_.report(Severity::Error, failure.offset, failure.message);
      // The name stays known, so that calls of it are not reported as well.
      context_.signatures[s.name.value] = {s.name, def, FunctionKind::Opaque, {}, 0};
      continue;
    }
    if (context_.signatures.contains(s.name.value)) {
      context_.report(Severity::Error, s.span.begin,
                      "function '" + std::string(context_.store->text(s.name)) + "' is defined twice");
      continue;
    }
    context_.signatures[s.name.value] = {s.name, def, o.function.kind, o.function.return_types,
                                         static_cast<std::uint32_t>(o.function.params.size())};
    open.push_back(std::move(o));
  }
  for (Open& o : open) {
    o.reader->read_body(o.def, o.function);
    program.functions.push_back(std::move(o.function));
  }
  // Declared dimensions that the program uses, and invented ones, by name.
  std::vector<bool> used(context_.store->var_count(), false);
  const NodeStore& store = *context_.store;
  for (std::size_t i = first_expr; i < store.expr_count(); ++i) {
    const Expr& e = store.expr(ExprId(static_cast<std::uint32_t>(i)));
    if (e.kind == ExprKind::Var && e.a < used.size()) used[e.a] = true;
  }
  for (const auto& [n, b] : context_.module_names) {
    // A dump declares a name also where a parameter of that name stands for it everywhere (ir-text 4.6).
    if (b.kind == ModuleBinding::Kind::Dynamic && (used[b.dynamic.value] || context_.printed_text))
      program.dynamic_dims.push_back(b.dynamic);
  }
  for (const auto& [name, v] : context_.invented_dims) program.dynamic_dims.push_back(v);
  std::sort(program.dynamic_dims.begin(), program.dynamic_dims.end(),
            [&](VarId a, VarId b) { return store.name(a) != store.name(b) ? store.name(a) < store.name(b) : a < b; });
  result_.programs.push_back(std::move(program));
}

void Reader::read_program(SynStmtId class_id) {
  const SynStmt s = context_.tree.stmt(class_id);
  std::vector<SynStmtId> defs;
  for (std::uint32_t i = 0; i < s.body.count; ++i) {
    const SynStmtId member = context_.tree.at<SynStmtId>(s.body, i);
    const SynStmt m = context_.tree.stmt(member);
    switch (m.kind) {
      case SynStmtKind::Def: defs.push_back(member); break;
      case SynStmtKind::Broken: report_broken(m); break;
      case SynStmtKind::Pass: break;
      case SynStmtKind::Assign: module_assignment(m); break;
      case SynStmtKind::Expr:
        if (context_.tree.expr(m.e0).kind == SynKind::String || context_.tree.expr(m.e0).kind == SynKind::Ellipsis) break;
        [[fallthrough]];
      default: context_.report(Severity::Error, m.span.begin, "a function was expected in the program class");
    }
  }
  read_functions(std::string(context_.store->text(s.name)), std::move(defs), false);
}

ReadResult Reader::run() {
  context_.store->reserve_for_text(context_.source->text().size());
  context_.tree = parse_syntax(*context_.source, context_.store->names, context_.limits);
  context_.prefixes[context_.store->names.intern("pl").value] = "pl";
  context_.prefixes[context_.store->names.intern("pld").value] = "pld";
  if (!context_.tree.fatal.empty()) {
    context_.diagnostics = context_.tree.fatal;
  } else {
    context_.printed_text = context_.source->text().starts_with("# pypto.program:");
    for (std::uint32_t i = 0; i < context_.tree.module.count; ++i)
      module_statement(context_.tree.at<SynStmtId>(context_.tree.module, i));
    if (classes_.empty() && !module_functions_.empty()) {
      read_functions("Program", module_functions_, true);  // a snippet printed from bare functions
    }
    for (const SynStmtId c : classes_) read_program(c);
    if (classes_.empty() && module_functions_.empty() && context_.diagnostics.empty()) {
      if (first_jit_ != 0xffffffffU) {
        context_.report(
            Severity::Error, first_jit_,
            "not_modelled: @pl.jit functions are specialised while they run; open the passes_dump directory of such a "
            "run instead");
      } else {
        context_.report(Severity::Error, 0, "no @pl.program class in this file");
      }
    }
  }
  result_.diagnostics = std::move(context_.diagnostics);
  std::stable_sort(result_.diagnostics.begin(), result_.diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  result_.ok = std::none_of(result_.diagnostics.begin(), result_.diagnostics.end(),
                            [](const Diagnostic& d) { return d.severity == Severity::Error; });
  return std::move(result_);
}

}  // namespace

ReadResult read_text(std::shared_ptr<const SourceFile> source, const ReadLimits& limits) {
  if (source->text().size() > limits.max_file_bytes || source->text().size() >= 0xffffffffU) {
    ReadResult r;
    r.diagnostics.push_back(source->diagnostic(
        Severity::Error, 0, "larger than the file-size limit of " + std::to_string(limits.max_file_bytes) + " bytes"));
    return r;
  }
  return Reader(std::move(source), limits).run();
}

ReadResult read_file(const std::string& path, const ReadLimits& limits) {
  auto source = std::make_shared<const SourceFile>(SourceFile::read(path, limits.max_file_bytes));
  ReadResult result = read_text(std::move(source), limits);
  if (!result.ok) throw InputError(result.diagnostics);
  return result;
}

}  // namespace depscope::ir
