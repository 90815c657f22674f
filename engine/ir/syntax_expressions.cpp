// Expressions of the Python subset (ir-text.md 6.1).
#include <algorithm>

#include "depscope/ir/nodes.h"
#include "syntax_parser.h"

namespace depscope::ir {
namespace {

// Binary operators by level, weakest first; comparisons are one level and fold left.
constexpr int kNotLevel = 3;
constexpr int kCompareLevel = 4;
constexpr int kMultiplyLevel = 10;

struct Operator {
  int level = -1;  ///< -1: no binary operator
  BinaryOp op = BinaryOp::Or;
};

Operator operator_at(const Token& t) {
  if (t.kind == TokenKind::Name) {
    switch (t.keyword) {
      case Keyword::Or: return {0, BinaryOp::Or};
      case Keyword::Xor: return {1, BinaryOp::Xor};
      case Keyword::And: return {2, BinaryOp::And};
      default: return {};
    }
  }
  if (t.kind != TokenKind::Op) return {};
  switch (t.op) {
    case Op::Eq: return {kCompareLevel, BinaryOp::Eq};
    case Op::Ne: return {kCompareLevel, BinaryOp::Ne};
    case Op::Lt: return {kCompareLevel, BinaryOp::Lt};
    case Op::Le: return {kCompareLevel, BinaryOp::Le};
    case Op::Gt: return {kCompareLevel, BinaryOp::Gt};
    case Op::Ge: return {kCompareLevel, BinaryOp::Ge};
    case Op::Pipe: return {5, BinaryOp::BitOr};
    case Op::Caret: return {6, BinaryOp::BitXor};
    case Op::Amp: return {7, BinaryOp::BitAnd};
    case Op::ShiftLeft: return {8, BinaryOp::ShiftLeft};
    case Op::ShiftRight: return {8, BinaryOp::ShiftRight};
    case Op::Plus: return {9, BinaryOp::Add};
    case Op::Minus: return {9, BinaryOp::Sub};
    case Op::Star: return {10, BinaryOp::Mul};
    case Op::Slash: return {10, BinaryOp::FloatDiv};
    case Op::SlashSlash: return {10, BinaryOp::FloorDiv};
    case Op::Percent: return {10, BinaryOp::FloorMod};
    default: return {};
  }
}

}  // namespace

SynExprId SyntaxParser::make(SynKind kind, Span span, std::uint8_t op, NameId name) {
  tree_.exprs.push_back({kind, op, 1, span, name, {}});
  if (tree_.exprs.size() + tree_.stmts.size() > limits_.max_nodes) {
    fail_at(span.begin, "more than the node limit of " + std::to_string(limits_.max_nodes));
  }
  return SynExprId(static_cast<std::uint32_t>(tree_.exprs.size() - 1));
}

SynExprId SyntaxParser::make(SynKind kind, Span span, const std::vector<SynExprId>& kids, std::uint8_t op, NameId name) {
  // The depth of the tree bounds the recursion of everything that walks it later.
  std::uint32_t depth = 0;
  for (const SynExprId k : kids) depth = std::max<std::uint32_t>(depth, tree_.exprs[k.value].depth);
  if (depth + 1 > limits_.max_nesting) {
    fail_at(span.begin, "nested deeper than the nesting limit of " + std::to_string(limits_.max_nesting));
  }
  const SynExprId id = make(kind, span, op, name);
  const Range list = pool_list(kids);
  SynExpr& e = tree_.exprs[id.value];
  e.kids = list;
  e.depth = static_cast<std::uint16_t>(depth + 1);
  return id;
}

bool SyntaxParser::at_expression_end() const {
  const Token& t = peek();
  if (t.kind == TokenKind::Newline || t.kind == TokenKind::End) return true;
  if (t.kind != TokenKind::Op) return false;
  return t.op == Op::Comma || t.op == Op::RParen || t.op == Op::RBracket || t.op == Op::RBrace || t.op == Op::Colon ||
         t.op == Op::Assign;
}

SynExprId SyntaxParser::unsupported_node(std::uint32_t begin, std::string_view what) {
  tree_.messages.push_back({begin, std::string(what) + " is not part of the language", true});
  return make(SynKind::Unsupported, from(begin), 0, NameId(static_cast<std::uint32_t>(tree_.messages.size() - 1)));
}

// Leaves an expression form outside the subset as one node; it is an error only where the program needs it.
SynExprId SyntaxParser::unsupported(std::uint32_t begin, std::string_view what) {
  int open = 0;
  while (!(open == 0 && at_expression_end()) && peek().kind != TokenKind::End) {
    if (peek().kind == TokenKind::Op) {
      if (peek().op == Op::LParen || peek().op == Op::LBracket || peek().op == Op::LBrace) ++open;
      if (peek().op == Op::RParen || peek().op == Op::RBracket || peek().op == Op::RBrace) --open;
    }
    ++at_;
  }
  return unsupported_node(begin, what);
}

// The same for a form that takes everything up to the bracket around it: a comprehension, a set.
SynExprId SyntaxParser::unsupported_to_close(std::uint32_t begin, std::string_view what) {
  int open = 0;
  for (; peek().kind != TokenKind::End; ++at_) {
    if (peek().kind != TokenKind::Op) continue;
    if (peek().op == Op::LParen || peek().op == Op::LBracket || peek().op == Op::LBrace) ++open;
    if ((peek().op == Op::RParen || peek().op == Op::RBracket || peek().op == Op::RBrace) && open-- == 0) break;
  }
  return unsupported_node(begin, what);
}

SynExprId SyntaxParser::lambda() {
  const std::uint32_t begin = peek().begin;
  int open = 0;
  while (!(open == 0 && is(Op::Colon))) {
    if (is(Op::LParen) || is(Op::LBracket) || is(Op::LBrace)) ++open;
    if (is(Op::RParen) || is(Op::RBracket) || is(Op::RBrace)) --open;
    if (open < 0 || peek().kind == TokenKind::Newline || peek().kind == TokenKind::End)
      fail("':' was expected, found " + found());
    ++at_;
  }
  ++at_;
  expression();
  return unsupported_node(begin, "lambda");
}

SynExprId SyntaxParser::expression() {
  const Nesting nesting(*this);
  const std::uint32_t begin = peek().begin;
  if (is(Keyword::Lambda)) return lambda();
  if (is(Keyword::Yield) || is(Keyword::Await)) return unsupported(begin, "this expression");
  if (is(Op::Star) || is(Op::StarStar)) {
    ++at_;
    binary(0);
    return unsupported_node(begin, "a starred expression");
  }
  const SynExprId left = binary(0);
  if (accept(Keyword::If)) {
    binary(0);
    if (!accept(Keyword::Else)) fail("'else' was expected, found " + found());
    expression();
    return unsupported_node(begin, "a conditional expression");
  }
  if (accept(Op::Walrus)) {
    expression();
    return unsupported_node(begin, "':='");
  }
  return left;
}

SynExprId SyntaxParser::expression_or_tuple() {
  const std::uint32_t begin = peek().begin;
  const SynExprId first = expression();
  if (!is(Op::Comma)) return first;
  std::vector<SynExprId> items{first};
  while (accept(Op::Comma)) {
    if (at_expression_end()) break;
    items.push_back(expression());
  }
  return make(SynKind::Tuple, from(begin), items);
}

SynExprId SyntaxParser::target_list() {
  const std::uint32_t begin = peek().begin;
  std::vector<SynExprId> items;
  bool comma = false;
  do {
    if (is(Keyword::In)) break;
    const std::uint32_t item = peek().begin;
    if (accept(Op::Star)) {
      postfix();
      items.push_back(unsupported_node(item, "a starred target"));
    } else {
      items.push_back(postfix());
    }
    comma = is(Op::Comma);
  } while (accept(Op::Comma));
  if (items.empty()) fail("a loop target was expected, found " + found());
  if (items.size() == 1 && !comma) return items[0];
  return make(SynKind::Tuple, from(begin), items);
}

bool SyntaxParser::is_comparison(SynExprId id) const {
  const SynExpr& e = tree_.exprs[id.value];
  const auto op = static_cast<BinaryOp>(e.op);
  return e.kind == SynKind::Binary && op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

SynExprId SyntaxParser::binary(int level) {
  const std::uint32_t begin = peek().begin;
  SynExprId left;
  if (is(Keyword::Not)) {
    const Nesting nesting(*this);
    ++at_;
    const SynExprId operand = binary(kNotLevel);
    left = make(SynKind::Unary, from(begin), {operand}, static_cast<std::uint8_t>(UnaryOp::Not));
  } else {
    left = unary();
  }
  for (;;) {
    const Operator next = operator_at(peek());
    if (next.level < level) {
      if (next.level >= 0) return left;
      const bool not_in = is(Keyword::Not) && peek(1).keyword == Keyword::In;
      if ((is(Keyword::In) || is(Keyword::Is) || not_in) && level <= kCompareLevel) {
        at_ += not_in || (is(Keyword::Is) && peek(1).keyword == Keyword::Not) ? 2 : 1;
        binary(kCompareLevel + 1);
        left = unsupported_node(begin, "'in' / 'is'");
        continue;
      }
      if (is(Op::At) && level <= kMultiplyLevel) {
        ++at_;
        binary(kMultiplyLevel + 1);
        left = unsupported_node(begin, "'@'");
        continue;
      }
      return left;
    }
    // In printed text `a < b == c` is (a < b) == c (ir-text 10.6); in Python it means something else.
    if (next.level == kCompareLevel && !printed_text_ && is_comparison(left) && span_of(left).begin == begin) {
      ++at_;
      binary(next.level + 1);
      left = unsupported_node(begin, "a chained comparison");
      continue;
    }
    ++at_;
    const SynExprId right = binary(next.level + 1);
    left = make(SynKind::Binary, from(begin), {left, right}, static_cast<std::uint8_t>(next.op));
  }
}

SynExprId SyntaxParser::unary() {
  const std::uint32_t begin = peek().begin;
  if (peek().kind == TokenKind::Op) {
    UnaryOp op = UnaryOp::Plus;
    bool yes = true;
    switch (peek().op) {
      case Op::Minus: op = UnaryOp::Neg; break;
      case Op::Plus: op = UnaryOp::Plus; break;
      case Op::Tilde: op = UnaryOp::BitNot; break;
      default: yes = false;
    }
    if (yes) {
      const Nesting nesting(*this);
      ++at_;
      const SynExprId operand = unary();
      return make(SynKind::Unary, from(begin), {operand}, static_cast<std::uint8_t>(op));
    }
  }
  return power();
}

SynExprId SyntaxParser::power() {
  const std::uint32_t begin = peek().begin;
  const SynExprId base = postfix();
  if (!is(Op::StarStar)) return base;
  const Nesting nesting(*this);
  ++at_;
  const SynExprId exponent = unary();  // right associative
  return make(SynKind::Binary, from(begin), {base, exponent}, static_cast<std::uint8_t>(BinaryOp::Pow));
}

SynExprId SyntaxParser::postfix() {
  SynExprId e = atom();
  for (;;) {
    if (peek().kind != TokenKind::Op) return e;
    switch (peek().op) {
      case Op::LParen: e = call(e); break;
      case Op::LBracket: e = subscript(e); break;
      case Op::Dot: {
        const std::uint32_t begin = span_of(e).begin;
        ++at_;
        if (peek().kind != TokenKind::Name) fail("a name was expected after '.', found " + found());
        const NameId name = names_.intern(text(peek()));
        ++at_;
        e = make(SynKind::Attribute, from(begin), {e}, 0, name);
        break;
      }
      default: return e;
    }
  }
}

SynExprId SyntaxParser::call(SynExprId callee) {
  const std::uint32_t begin = span_of(callee).begin;
  expect(Op::LParen, "'('");
  std::vector<SynExprId> kids{callee};
  while (!is(Op::RParen)) {
    const std::uint32_t arg = peek().begin;
    if (at_identifier() && peek(1).kind == TokenKind::Op && peek(1).op == Op::Assign) {
      const NameId name = names_.intern(text(peek()));
      at_ += 2;
      const SynExprId value = expression();
      kids.push_back(make(SynKind::Keyword, from(arg), {value}, 0, name));
    } else {
      SynExprId value = expression();
      if (is(Keyword::For)) value = unsupported_to_close(arg, "a generator expression");
      kids.push_back(value);
    }
    if (!accept(Op::Comma)) break;
  }
  expect(Op::RParen, "',' or ')'");
  return make(SynKind::Call, from(begin), kids);
}

SynExprId SyntaxParser::subscript_item() {
  const std::uint32_t begin = peek().begin;
  std::vector<SynExprId> kids;
  std::uint8_t parts = 0;
  if (!is(Op::Colon)) {
    kids.push_back(expression());
    if (!is(Op::Colon)) return kids[0];
    parts |= 1U;
  }
  ++at_;
  const auto at_end = [&] { return is(Op::Comma) || is(Op::RBracket) || is(Op::Colon); };
  if (!at_end()) {
    kids.push_back(expression());
    parts |= 2U;
  }
  if (accept(Op::Colon)) {
    if (!at_end()) expression();
    return unsupported_node(begin, "a slice step");
  }
  return make(SynKind::Slice, from(begin), kids, parts);
}

SynExprId SyntaxParser::subscript(SynExprId base) {
  const std::uint32_t begin = span_of(base).begin;
  expect(Op::LBracket, "'['");
  const std::uint32_t inner = peek().begin;
  std::vector<SynExprId> items;
  bool comma = false;
  while (!is(Op::RBracket)) {
    items.push_back(subscript_item());
    comma = is(Op::Comma);
    if (!accept(Op::Comma)) break;
  }
  if (items.empty()) fail("an index was expected, found " + found());
  SynExprId index = items[0];
  if (items.size() > 1 || comma) index = make(SynKind::Tuple, from(inner), items);
  expect(Op::RBracket, "',' or ']'");
  return make(SynKind::Subscript, from(begin), {base, index});
}

SynExprId SyntaxParser::atom() {
  const Token t = peek();
  const Span span{t.begin, t.end};
  switch (t.kind) {
    case TokenKind::Name:
      if (t.keyword != Keyword::None) {
        switch (t.keyword) {
          case Keyword::True: ++at_; return make(SynKind::True, span);
          case Keyword::False: ++at_; return make(SynKind::False, span);
          case Keyword::NoneValue: ++at_; return make(SynKind::None, span);
          case Keyword::Not: return binary(kNotLevel);  // lenient: `a < not b`
          default: fail("an expression was expected, found " + found());
        }
      }
      ++at_;
      if (text(t) == "...") return make(SynKind::Ellipsis, span);
      return make(SynKind::Name, span, t.dotted ? 1 : 0, names_.intern(text(t)));
    case TokenKind::Int: ++at_; return make(SynKind::Int, span);
    case TokenKind::Float: ++at_; return make(SynKind::Float, span);
    case TokenKind::String: {
      // Adjacent literals are one string, as in Python.
      bool formatted = false;
      for (; peek().kind == TokenKind::String; ++at_) {
        const std::string_view literal = text(peek());
        formatted = formatted || literal.find_first_of("fF") < literal.find_first_of("\"'");
      }
      return make(formatted ? SynKind::FString : SynKind::String, from(t.begin));
    }
    case TokenKind::Op:
      if (t.op == Op::LParen) return parenthesised();
      if (t.op == Op::LBracket) return bracketed();
      if (t.op == Op::LBrace) return dict();
      break;
    default: break;
  }
  fail("an expression was expected, found " + found());
}

SynExprId SyntaxParser::comprehension(SynExprId element, std::uint32_t begin, Op close) {
  const Nesting nesting(*this);
  std::vector<SynExprId> kids{element};
  if (!accept(Keyword::For)) fail("'for' was expected, found " + found());
  kids.push_back(target_list());
  if (!accept(Keyword::In)) fail("'in' was expected, found " + found());
  kids.push_back(binary(0));
  while (accept(Keyword::If)) kids.push_back(binary(0));
  if (is(Keyword::For)) {
    const SynExprId rest = unsupported_to_close(begin, "a nested comprehension");
    expect(close, "a closing bracket");
    return rest;
  }
  expect(close, "a closing bracket");
  return make(SynKind::Comprehension, from(begin), kids);
}

SynExprId SyntaxParser::bracketed() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  std::vector<SynExprId> items;
  while (!is(Op::RBracket)) {
    items.push_back(expression());
    if (items.size() == 1 && is(Keyword::For)) return comprehension(items[0], begin, Op::RBracket);
    if (!accept(Op::Comma)) break;
  }
  expect(Op::RBracket, "',' or ']'");
  return make(SynKind::List, from(begin), items);
}

SynExprId SyntaxParser::parenthesised() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  std::vector<SynExprId> items;
  bool comma = false;
  while (!is(Op::RParen)) {
    items.push_back(expression());
    if (items.size() == 1 && is(Keyword::For)) {
      const SynExprId rest = unsupported_to_close(begin, "a generator expression");
      expect(Op::RParen, "')'");
      return rest;
    }
    if (is(Keyword::As)) {  // with (open(a) as b, …):
      const SynExprId rest = unsupported_to_close(begin, "'as' in parentheses");
      expect(Op::RParen, "')'");
      return rest;
    }
    comma = is(Op::Comma);
    if (!accept(Op::Comma)) break;
  }
  expect(Op::RParen, "',' or ')'");
  if (items.size() == 1 && !comma) return items[0];
  return make(SynKind::Tuple, from(begin), items, 1);
}

SynExprId SyntaxParser::dict() {
  const std::uint32_t begin = peek().begin;
  ++at_;
  std::vector<SynExprId> items;
  while (!is(Op::RBrace)) {
    items.push_back(expression());
    if (!is(Op::Colon)) {
      const SynExprId rest = unsupported_to_close(begin, "a set literal");
      expect(Op::RBrace, "'}'");
      return rest;
    }
    ++at_;
    items.push_back(expression());
    if (is(Keyword::For)) {
      const SynExprId rest = unsupported_to_close(begin, "a dict comprehension");
      expect(Op::RBrace, "'}'");
      return rest;
    }
    if (!accept(Op::Comma)) break;
  }
  expect(Op::RBrace, "',' or '}'");
  return make(SynKind::Dict, from(begin), items);
}

}  // namespace depscope::ir
