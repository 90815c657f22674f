// Generic syntax tree of the Python subset: every construct of the text, nothing interpreted yet. Private to the reader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/base/string_pool.h"
#include "depscope/ir/lexer.h"
#include "depscope/ir/text.h"

namespace depscope::ir {

struct SynExprTag;
struct SynStmtTag;
using SynExprId = Id<SynExprTag>;
using SynStmtId = Id<SynStmtTag>;

enum class SynKind : std::uint8_t {
  Name,  ///< name = dotted text
  Int,
  Float,
  String,
  FString,
  True,
  False,
  None,
  Ellipsis,
  Attribute,  ///< kids[0].name (only after something that is not a plain chain)
  Call,       ///< kids[0] callee, then arguments; keyword arguments are Keyword nodes
  Keyword,    ///< name = kids[0]
  Subscript,  ///< kids[0][kids[1]]
  Slice,      ///< op bit 0: kids has a start, bit 1: has a stop
  List,
  Tuple,
  Dict,  ///< Dict: key, value, key, value, …; Tuple: op = 1 if written in parentheses
  Unary,
  Binary,         ///< op = UnaryOp / BinaryOp
  Comprehension,  ///< [element for target in iterable if condition …]: kids = element, target, iterable, conditions…
  Unsupported,    ///< an expression form outside the subset; message index in `name`
};

struct SynExpr {
  SynKind kind = SynKind::None;
  std::uint8_t op = 0;
  std::uint16_t depth = 1;
  Span span = {};
  NameId name = {};
  Range kids = {};  ///< SynExprId
};

enum class SynStmtKind : std::uint8_t {
  Expr,    ///< e0
  Assign,  ///< e0 target, e1 annotation (or none), e2 value (or none)
  Return,  ///< exprs
  If,      ///< e0, body, orelse
  For,     ///< e0 target, e1 iterable, body
  While,   ///< e0, body
  With,    ///< e0 item, e1 `as` target (or none), body
  Def,     ///< name, params, e0 returns (or none), decorators, body
  Class,   ///< name, decorators, body
  Import,
  Pass,
  Break,
  Continue,
  Other,   ///< any other Python statement, with its block; only its text matters
  Broken,  ///< could not be parsed; `message` says why
};

struct SynParam {
  NameId name = {};
  Span span = {};
  SynExprId annotation = {};
  bool plain = true;  ///< no default, no star
};

struct SynStmt {
  SynStmtKind kind = SynStmtKind::Pass;
  bool is_elif = false;
  bool has_else = false;
  Span span = {};   ///< the logical header line
  Span whole = {};  ///< header and block
  SynExprId e0 = {}, e1 = {}, e2 = {};
  NameId name = {};
  Range exprs = {};                     ///< SynExprId: Return values; With: further items
  Range body = {};                      ///< SynStmtId
  Range orelse = {};                    ///< SynStmtId
  Range params = {};                    ///< into `params`
  Range decorators = {};                ///< SynExprId
  Range comments = {};                  ///< NameId
  std::uint32_t message = 0xffffffffU;  ///< into `messages`
};

/// Becomes a diagnostic only where the program needs what it is about.
struct SynMessage {
  std::uint32_t offset = 0;
  std::string text;
  bool python = false;  ///< fine in Python, but not part of the language
};

struct SyntaxTree {
  std::vector<SynExpr> exprs;
  std::vector<SynStmt> stmts;
  std::vector<SynParam> params;
  std::vector<std::uint32_t> pool;
  std::vector<SynMessage> messages;  ///< of Broken statements and Unsupported expressions
  std::vector<Diagnostic> fatal;     ///< nothing after the first of them was read
  Range module = {};                 ///< SynStmtId

  [[nodiscard]] const SynExpr& expr(SynExprId id) const { return exprs[id.value]; }
  [[nodiscard]] const SynStmt& stmt(SynStmtId id) const { return stmts[id.value]; }
  template <class IdT>
  [[nodiscard]] IdT at(Range range, std::uint32_t i) const {
    return IdT(pool[range.begin + i]);
  }
  [[nodiscard]] const SynExpr& kid(SynExprId id, std::uint32_t i) const { return exprs[pool[exprs[id.value].kids.begin + i]]; }
  [[nodiscard]] SynExprId kid_id(SynExprId id, std::uint32_t i) const { return SynExprId(pool[exprs[id.value].kids.begin + i]); }
  [[nodiscard]] std::uint32_t kid_count(SynExprId id) const { return exprs[id.value].kids.count; }
};

/// Names are interned into `names`. Never throws on bad text.
[[nodiscard]] SyntaxTree parse_syntax(const SourceFile& source, StringPool& names, const ReadLimits& limits);

}  // namespace depscope::ir
