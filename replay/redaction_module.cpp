#include "redaction_module.h"

#include <utility>

#include "depscope/ir/text.h"

namespace depscope::replay {

using ir::Keyword;
using ir::Op;
using ir::TokenKind;

ProgramModule::ProgramModule(const SourceFile& source)
    : source_(source.text()), stream_(ir::tokenize(source, ir::ReadLimits{}.max_nesting)) {
  if (!stream_.errors.empty()) throw InputError(stream_.errors);
  split();
  for (ModuleStatement& s : statements_) read_import(s);
  for (ModuleStatement& s : statements_) classify(s);
}

std::size_t ProgramModule::line_end(std::size_t i) const {
  while (!is(i, TokenKind::Newline) && !is(i, TokenKind::End)) ++i;
  return i;
}

std::size_t ProgramModule::block_end(std::size_t i) const {
  std::size_t open = 0;
  for (; !is(i, TokenKind::End); ++i) {
    if (is(i, TokenKind::Indent)) ++open;
    if (is(i, TokenKind::Dedent) && --open == 0) return i + 1;
  }
  return i;
}

std::string_view ProgramModule::prefix_of(std::string_view name) const {
  const auto at = prefixes_.find(name);
  return at == prefixes_.end() ? std::string_view() : std::string_view(at->second);
}

std::string ProgramModule::api_name(std::size_t i) const {
  if (!is(i, TokenKind::Name)) return {};
  const std::string_view word = text(i);
  if (i > 1 && is(i - 1, Op::Dot) && is(i - 2, TokenKind::Name)) {  // a chain with blanks in it
    std::string base = api_name(i - 2);
    if (base.empty()) base = prefix_of(text(i - 2));
    return base.empty() ? base : base.append(".").append(word);
  }
  if (!token(i).dotted) return {};
  const std::size_t dot = word.find('.');
  const std::string_view prefix = prefix_of(word.substr(0, dot));
  return prefix.empty() ? std::string() : std::string(prefix) + std::string(word.substr(dot));
}

void ProgramModule::split() {
  std::size_t i = 0;
  while (!is(i, TokenKind::End)) {
    if (is(i, TokenKind::Newline) || is(i, TokenKind::Dedent)) {
      ++i;
      continue;
    }
    ModuleStatement s;
    s.first = i;
    while (is(i, Op::At)) {
      i = line_end(i);
      if (is(i, TokenKind::Newline)) ++i;
    }
    if (is(i, TokenKind::Indent)) {
      i = block_end(i);
    } else {
      i = line_end(i);
      if (is(i, TokenKind::Newline)) ++i;
      if (is(i, TokenKind::Indent)) i = block_end(i);
    }
    s.end = i;
    statements_.push_back(s);
  }
}

void ProgramModule::read_import(ModuleStatement& s) {
  if (!is(s.first, Keyword::Import) && !is(s.first, Keyword::From)) return;
  std::vector<std::string_view> words;
  const std::size_t end = line_end(s.first);
  for (std::size_t i = s.first; i < end; ++i) {
    if (is(i, TokenKind::Name)) words.push_back(text(i));
  }
  std::string canonical;
  const bool from = words[0] == "from";
  for (std::size_t w = from ? 3 : 1; w < words.size(); ++w) {
    std::string_view prefix;
    if (from) {
      if (words[2] != "import") break;
      if (words[1] == "pypto" && words[w] == "language") prefix = "pl";
      if (words[1] == "pypto.language" && words[w] == "distributed") prefix = "pld";
    } else {
      if (words[w] == "pypto.language" || words[w] == "language") prefix = "pl";
      if (words[w] == "pypto.language.distributed" || words[w] == "distributed") prefix = "pld";
    }
    if (prefix.empty()) continue;
    const bool renamed = w + 2 < words.size() && words[w + 1] == "as";
    prefixes_[std::string(renamed ? words[w + 2] : words[w])] = prefix;
    if (!canonical.empty()) canonical += "; ";
    canonical += prefix == "pl" ? "import pypto.language as pl" : "from pypto.language import distributed as pld";
  }
  if (canonical.empty()) return;
  s.kind = StatementKind::Import;
  s.import = std::move(canonical);
}

void ProgramModule::classify(ModuleStatement& s) {
  if (s.kind == StatementKind::Import) return;
  bool decorated = false;
  std::size_t i = s.first;
  while (is(i, Op::At)) {
    std::size_t last = i + 1;
    while (is(last + 1, Op::Dot) && is(last + 2, TokenKind::Name)) last += 2;
    const std::string name = api_name(last);
    for (const std::string_view wanted : {"pl.function", "pl.inline", "pl.program", "pl.jit"}) {
      decorated = decorated || name == wanted || (name.starts_with(wanted) && name[wanted.size()] == '.');
    }
    i = line_end(i);
    if (is(i, TokenKind::Newline)) ++i;
  }
  if (decorated) {
    s.kind = StatementKind::Program;
    for (; i < s.end; ++i) {
      if (is(i, Keyword::Def) && is(i + 1, TokenKind::Name)) functions_.emplace(text(i + 1));
    }
  } else if (is_plain_name(s.first) && (is(s.first + 1, Op::Assign) || is(s.first + 1, Op::Colon))) {
    s.kind = StatementKind::Constant;
  }
}

}  // namespace depscope::replay
