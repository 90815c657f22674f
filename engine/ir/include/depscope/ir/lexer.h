// Tokens of the Python subset (ir-text.md, section 2). Also for tools that rewrite the text and keep its layout.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/base/ids.h"

namespace depscope::ir {

enum class TokenKind : std::uint8_t {
  Name,  ///< a name or a dotted chain written without blanks: "pl.tensor.create"
  Int,
  Float,
  String,  ///< with prefix and quotes
  Op,
  Newline,
  Indent,
  Dedent,
  Bad,  ///< a character that starts no token; an error only inside decorated code
  End,
};

enum class Op : std::uint8_t {
  None,
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Dot,
  Assign,
  Arrow,
  At,
  Semicolon,
  Plus,
  Minus,
  Star,
  Slash,
  SlashSlash,
  Percent,
  StarStar,
  ShiftLeft,
  ShiftRight,
  Amp,
  Pipe,
  Caret,
  Tilde,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Walrus,
  AugAssign,
  Exclamation,
};

enum class Keyword : std::uint8_t {
  None,
  And,
  Or,
  Xor,
  Not,
  If,
  Else,
  Elif,
  For,
  In,
  Is,
  While,
  With,
  As,
  Def,
  Class,
  Return,
  Pass,
  Break,
  Continue,
  True,
  False,
  NoneValue,
  Lambda,
  Import,
  From,
  Async,
  Await,
  Try,
  Except,
  Finally,
  Raise,
  Del,
  Assert,
  Global,
  Nonlocal,
  Yield,
};

struct Token {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  TokenKind kind = TokenKind::End;
  Op op = Op::None;
  Keyword keyword = Keyword::None;
  bool dotted = false;  ///< Name with at least one dot
};

struct Comment {
  Span span;                 ///< from '#' to the end of the line, trailing blanks left out
  std::uint32_t before = 0;  ///< index of the first token after it
  bool own_line = false;     ///< nothing but blanks before it on its line
};

struct TokenStream {
  std::vector<Token> tokens;  ///< ends with End
  std::vector<Comment> comments;
  std::vector<Diagnostic> errors;  ///< unclosed bracket or string, bad dedent, too many brackets: fatal for the rest of the file
};

/// None if the word is no keyword.
[[nodiscard]] Keyword keyword_of(std::string_view word);
/// Stops at the first bracket inside more than `max_nesting` others.
[[nodiscard]] TokenStream tokenize(const SourceFile& source, std::uint32_t max_nesting);

}  // namespace depscope::ir
