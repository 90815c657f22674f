// Statements of the Python subset. A statement that cannot be parsed becomes a Broken node and parsing goes on behind it.
#include <algorithm>
#include <utility>

#include "syntax_parser.h"

namespace depscope::ir {

bool SyntaxParser::accept(Op op) {
  if (!is(op)) return false;
  ++at_;
  return true;
}

bool SyntaxParser::accept(Keyword keyword) {
  if (!is(keyword)) return false;
  ++at_;
  return true;
}

void SyntaxParser::expect(Op op, std::string_view what) {
  if (!accept(op)) fail(std::string(what) + " was expected, found " + found());
}

// A name that can be defined: one word, no keyword.
bool SyntaxParser::at_identifier() const {
  const Token& t = peek();
  return t.kind == TokenKind::Name && !t.dotted && t.keyword == Keyword::None && source_.text()[t.begin] != '.';
}

void SyntaxParser::fail(std::string message) const { fail_at(peek().begin, std::move(message)); }

void SyntaxParser::fail_foreign(std::string_view what) const {
  throw Failure{peek().begin, std::string(what) + " is not part of the language", true};
}

void SyntaxParser::fail_at(std::uint32_t offset, std::string message) const { throw Failure{offset, std::move(message)}; }

std::string SyntaxParser::found() const {
  const Token& t = peek();
  switch (t.kind) {
    case TokenKind::Newline: return "the end of the line";
    case TokenKind::Indent: return "an indented block";
    case TokenKind::Dedent: return "the end of the block";
    case TokenKind::End: return "the end of the file";
    default: break;
  }
  std::string_view word = text(t);
  std::size_t shown = std::min<std::size_t>(word.size(), 40);
  while (shown < word.size() && (static_cast<unsigned char>(word[shown]) & 0xC0U) == 0x80U) ++shown;
  std::string out = "'";
  for (const char c : word.substr(0, shown)) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      out += c;
    else
      out += c == '\n' ? "\\n" : "?";
  }
  return out + (shown < word.size() ? "…'" : "'");
}

SynStmtId SyntaxParser::add(const SynStmt& stmt) {
  tree_.stmts.push_back(stmt);
  if (tree_.exprs.size() + tree_.stmts.size() > limits_.max_nodes) {
    fail_at(stmt.span.begin, "more than the node limit of " + std::to_string(limits_.max_nodes));
  }
  return SynStmtId(static_cast<std::uint32_t>(tree_.stmts.size() - 1));
}

// Comments on lines of their own above the next statement, "# " and "#" taken off.
Range SyntaxParser::take_comments() {
  const Range r = pool_list(pending_comments_);
  pending_comments_.clear();
  return r;
}

// Moves comments that stand before `until_offset` to the pending list.
void SyntaxParser::take_line_comments(std::uint32_t until_offset) {
  while (comment_at_ < stream_.comments.size() && stream_.comments[comment_at_].span.begin < until_offset) {
    std::string_view body = source_.text(stream_.comments[comment_at_].span).substr(1);
    if (!body.empty() && body.front() == ' ') body.remove_prefix(1);
    pending_comments_.push_back(names_.intern(body));
    ++comment_at_;
  }
}

SyntaxTree SyntaxParser::run() {
  tree_.fatal = stream_.errors;
  tree_.exprs.reserve(stream_.tokens.size() / 2);
  tree_.stmts.reserve(stream_.tokens.size() / 16);
  tree_.pool.reserve(stream_.tokens.size() / 2);
  std::vector<SynStmtId> module;
  try {
    while (peek().kind != TokenKind::End) {
      if (peek().kind == TokenKind::Newline || peek().kind == TokenKind::Dedent) {
        ++at_;
        continue;
      }
      statement(module);
    }
  } catch (const Failure& failure) {  // only limits reach this far
    tree_.fatal.push_back(source_.diagnostic(Severity::Error, failure.offset, failure.message));
  }
  tree_.module = pool_list(module);
  return std::move(tree_);
}

void SyntaxParser::skip_line_and_block() {
  while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End) {
    if (peek().kind == TokenKind::Indent || peek().kind == TokenKind::Dedent) break;
    ++at_;
  }
  if (peek().kind == TokenKind::Newline) ++at_;
  if (peek().kind != TokenKind::Indent) return;
  int open = 0;
  do {
    if (peek().kind == TokenKind::Indent) ++open;
    if (peek().kind == TokenKind::Dedent) --open;
    if (peek().kind == TokenKind::End) return;
    ++at_;
  } while (open > 0);
}

SynStmtId SyntaxParser::broken(std::size_t first_token, const Failure& failure) {
  const std::uint32_t begin = stream_.tokens[first_token].begin;
  // Go on at the end of the logical line the failure is in, then skip the block behind it and the other branches.
  skip_line_and_block();
  if (stream_.tokens[first_token].keyword == Keyword::If) {
    while (is(Keyword::Elif) || is(Keyword::Else)) skip_line_and_block();
  }
  tree_.messages.push_back({failure.offset, failure.message, failure.python});
  SynStmt s;
  s.kind = SynStmtKind::Broken;
  s.span = from(begin);
  s.whole = s.span;
  s.message = static_cast<std::uint32_t>(tree_.messages.size() - 1);
  return add(s);
}

void SyntaxParser::statement(std::vector<SynStmtId>& out) {
  take_line_comments(peek().begin);
  const std::size_t first = at_;
  const std::uint32_t depth = depth_;
  try {
    if (peek().kind == TokenKind::Indent) {
      fail("unexpected indentation");
    }
    switch (peek().keyword) {
      case Keyword::If: out.push_back(compound_if(false)); return;
      case Keyword::For: out.push_back(compound_for()); return;
      case Keyword::While: out.push_back(compound_while()); return;
      case Keyword::With: out.push_back(compound_with()); return;
      case Keyword::Def:
      case Keyword::Class: out.push_back(definition()); return;
      case Keyword::Try:
      case Keyword::Async: out.push_back(other_statement()); return;
      case Keyword::Elif:
      case Keyword::Else:
      case Keyword::Except:
      case Keyword::Finally: fail("'" + std::string(text(peek())) + "' without its opening statement");
      default: break;
    }
    if (is(Op::At)) {
      out.push_back(definition());
      return;
    }
    if (at_match_statement()) {
      out.push_back(other_statement());
      return;
    }
    simple_line(out);
  } catch (const Failure& failure) {
    depth_ = depth;
    if (peek().kind == TokenKind::Indent) {
      skip_line_and_block();
      tree_.messages.push_back({failure.offset, failure.message, failure.python});
      SynStmt s;
      s.kind = SynStmtKind::Broken;
      s.span = from(stream_.tokens[first].begin);
      s.whole = s.span;
      s.message = static_cast<std::uint32_t>(tree_.messages.size() - 1);
      out.push_back(add(s));
      return;
    }
    out.push_back(broken(first, failure));
  }
}

// `match` is a keyword only in front of a subject and a block.
bool SyntaxParser::at_match_statement() const {
  if (peek().kind != TokenKind::Name || text(peek()) != "match") return false;
  std::size_t end = at_;
  while (stream_.tokens[end].kind != TokenKind::Newline && stream_.tokens[end].kind != TokenKind::End) ++end;
  return stream_.tokens[end - 1].op == Op::Colon && stream_.tokens[end].kind == TokenKind::Newline &&
         stream_.tokens[end + 1].kind == TokenKind::Indent;
}

void SyntaxParser::end_of_line() {
  const std::uint32_t line_end = peek().begin;
  if (peek().kind == TokenKind::Newline) {
    ++at_;
  } else if (peek().kind != TokenKind::End) {
    fail("the end of the statement was expected, found " + found());
  }
  // Comments on the statement's own lines belong to it.
  take_line_comments(line_end + 1);
}

void SyntaxParser::simple_line(std::vector<SynStmtId>& out) {
  const std::size_t first_out = out.size();
  std::vector<SynStmtId> stmts;
  for (;;) {
    stmts.push_back(simple());
    if (!accept(Op::Semicolon)) break;
    if (peek().kind == TokenKind::Newline || peek().kind == TokenKind::End) break;
  }
  end_of_line();
  const Range comments = take_comments();
  tree_.stmts[stmts.front().value].comments = comments;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(first_out), stmts.begin(), stmts.end());
}

SynStmtId SyntaxParser::simple() {
  const std::uint32_t begin = peek().begin;
  SynStmt s;
  switch (peek().keyword) {
    case Keyword::Pass:
      ++at_;
      s.kind = SynStmtKind::Pass;
      break;
    case Keyword::Break:
      ++at_;
      s.kind = SynStmtKind::Break;
      break;
    case Keyword::Continue:
      ++at_;
      s.kind = SynStmtKind::Continue;
      break;
    case Keyword::Return: {
      ++at_;
      s.kind = SynStmtKind::Return;
      std::vector<SynExprId> values;
      while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End && !is(Op::Semicolon)) {
        values.push_back(expression());
        if (!accept(Op::Comma)) break;
      }
      s.exprs = pool_list(values);
      break;
    }
    case Keyword::Import:
    case Keyword::From:
      s.kind = SynStmtKind::Import;
      while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End && !is(Op::Semicolon)) ++at_;
      break;
    case Keyword::Raise:
    case Keyword::Del:
    case Keyword::Assert:
    case Keyword::Global:
    case Keyword::Nonlocal:
      s.kind = SynStmtKind::Other;
      while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End && !is(Op::Semicolon)) ++at_;
      break;
    default: {
      const SynExprId first = expression_or_tuple();
      if (is(Op::Colon)) {
        ++at_;
        s.kind = SynStmtKind::Assign;
        s.e0 = first;
        s.e1 = expression();
        if (accept(Op::Assign)) s.e2 = expression_or_tuple();
      } else if (is(Op::Assign)) {
        ++at_;
        s.kind = SynStmtKind::Assign;
        s.e0 = first;
        s.e2 = expression_or_tuple();
        if (is(Op::Assign)) fail_foreign("a chained assignment");
      } else if (is(Op::AugAssign)) {
        fail_foreign("an augmented assignment");
      } else {
        s.kind = SynStmtKind::Expr;
        s.e0 = first;
      }
    }
  }
  s.span = from(begin);
  s.whole = s.span;
  return add(s);
}

Range SyntaxParser::suite() {
  expect(Op::Colon, "':'");
  std::vector<SynStmtId> body;
  if (peek().kind != TokenKind::Newline) {  // a body on the header's line
    simple_line(body);
    return pool_list(body);
  }
  ++at_;
  if (peek().kind != TokenKind::Indent) fail("an indented block was expected, found " + found());
  const Nesting nesting(*this);
  ++at_;
  while (peek().kind != TokenKind::Dedent && peek().kind != TokenKind::End) statement(body);
  if (peek().kind == TokenKind::Dedent) {
    drop_trailing_comments();
    ++at_;
  }
  return pool_list(body);
}

// A comment after the last statement of a block is dropped (5.9): one that stands deeper than the statement behind the block.
// Before `else` it belongs to the first statement of that branch.
void SyntaxParser::drop_trailing_comments() {
  std::size_t next = at_;
  while (stream_.tokens[next].kind == TokenKind::Dedent) ++next;
  const Token& t = stream_.tokens[next];
  if (t.keyword == Keyword::Else || t.keyword == Keyword::Elif) return;
  const std::uint32_t column = t.kind == TokenKind::End ? 0 : source_.position(t.begin).column;
  while (comment_at_ < stream_.comments.size() && stream_.comments[comment_at_].span.begin < t.begin &&
         source_.position(stream_.comments[comment_at_].span.begin).column > column) {
    ++comment_at_;
  }
}

SynStmtId SyntaxParser::compound_if(bool is_elif) {
  const std::uint32_t begin = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::If;
  s.is_elif = is_elif;
  s.e0 = expression();
  s.span = from(begin);
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  take_line_comments(peek().begin);
  if (is(Keyword::Elif)) {
    s.has_else = true;
    const Nesting nesting(*this);
    std::vector<SynStmtId> nested{compound_if(true)};
    s.orelse = pool_list(nested);
  } else if (is(Keyword::Else)) {
    s.has_else = true;
    ++at_;
    s.orelse = suite();
  }
  s.whole = from(begin);
  return add(s);
}

SynStmtId SyntaxParser::compound_for() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::For;
  s.e0 = target_list();
  if (!accept(Keyword::In)) fail("'in' was expected, found " + found());
  s.e1 = expression_or_tuple();
  s.span = from(begin);
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  if (is(Keyword::Else)) fail_foreign("'else' of a loop");
  s.whole = from(begin);
  return add(s);
}

SynStmtId SyntaxParser::compound_while() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::While;
  s.e0 = expression();
  s.span = from(begin);
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  if (is(Keyword::Else)) fail_foreign("'else' of a loop");
  s.whole = from(begin);
  return add(s);
}

SynStmtId SyntaxParser::compound_with() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::With;
  std::vector<SynExprId> further;
  s.e0 = expression();
  if (accept(Keyword::As)) s.e1 = postfix();
  while (accept(Op::Comma)) {
    further.push_back(expression());
    if (accept(Keyword::As)) postfix();
  }
  s.exprs = pool_list(further);
  s.span = from(begin);
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  s.whole = from(begin);
  return add(s);
}

SynStmtId SyntaxParser::definition() {
  const std::uint32_t begin = peek().begin;
  std::vector<SynExprId> decorators;
  while (accept(Op::At)) {
    decorators.push_back(expression());
    end_of_line();
  }
  const Range list = pool_list(decorators);
  take_line_comments(peek().begin);
  if (is(Keyword::Def)) return function_definition(list, begin);
  if (is(Keyword::Class)) return class_definition(list, begin);
  if (is(Keyword::Async)) return other_statement();
  fail("'def' or 'class' was expected after a decorator, found " + found());
}

SynStmtId SyntaxParser::class_definition(Range decorators, std::uint32_t begin) {
  const std::uint32_t header = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::Class;
  s.decorators = decorators;
  if (!at_identifier()) fail("a class name was expected, found " + found());
  s.name = names_.intern(text(peek()));
  ++at_;
  if (is(Op::LParen)) {
    int open = 0;
    do {
      if (is(Op::LParen)) ++open;
      if (is(Op::RParen)) --open;
      ++at_;
    } while (open > 0 && peek().kind != TokenKind::End);
  }
  s.span = from(header);
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  s.whole = from(begin);
  return add(s);
}

SynStmtId SyntaxParser::function_definition(Range decorators, std::uint32_t begin) {
  const std::uint32_t header = peek().begin;
  ++at_;
  SynStmt s;
  s.kind = SynStmtKind::Def;
  s.decorators = decorators;
  if (!at_identifier()) fail("a function name was expected, found " + found());
  s.name = names_.intern(text(peek()));
  ++at_;
  expect(Op::LParen, "'('");
  std::vector<SynParam> params;
  while (!is(Op::RParen)) {
    SynParam p;
    p.span.begin = peek().begin;
    if (is(Op::Star) || is(Op::StarStar) || is(Op::Slash)) {
      p.plain = false;
      ++at_;
    }
    if (at_identifier()) {
      p.name = names_.intern(text(peek()));
      ++at_;
    } else if (p.plain) {
      fail("a parameter name was expected, found " + found());
    }
    if (accept(Op::Colon)) p.annotation = expression();
    if (accept(Op::Assign)) {
      p.plain = false;
      expression();
    }
    p.span.end = from(p.span.begin).end;
    params.push_back(p);
    if (!accept(Op::Comma)) break;
  }
  expect(Op::RParen, "',' or ')'");
  if (accept(Op::Arrow)) s.e0 = expression();
  s.span = from(header);
  s.params = {static_cast<std::uint32_t>(tree_.params.size()), static_cast<std::uint32_t>(params.size())};
  tree_.params.insert(tree_.params.end(), params.begin(), params.end());
  take_line_comments(peek(1).begin);
  s.comments = take_comments();
  s.body = suite();
  s.whole = from(begin);
  return add(s);
}

// A statement of ordinary Python around the program: only its extent matters.
SynStmtId SyntaxParser::other_statement() {
  const std::uint32_t begin = peek().begin;
  do {
    skip_line_and_block();
  } while (is(Keyword::Except) || is(Keyword::Finally) || is(Keyword::Else));
  pending_comments_.clear();
  SynStmt s;
  s.kind = SynStmtKind::Other;
  s.span = from(begin);
  s.whole = s.span;
  return add(s);
}

SyntaxTree parse_syntax(const SourceFile& source, StringPool& names, const ReadLimits& limits) {
  return SyntaxParser(source, names, limits).run();
}

}  // namespace depscope::ir
