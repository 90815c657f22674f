// Tokens, indentation, continuation, strings, comments (ir-text 2).
#include "depscope/ir/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/ir/text.h"

namespace depscope::ir {
namespace {

using ::testing::ElementsAre;

struct Lexed {
  explicit Lexed(std::string text) : source("test.py", std::move(text)), stream(tokenize(source, ReadLimits{}.max_nesting)) {}

  /// Token texts; layout tokens as NL, IN, DE, END, a bad character as BAD.
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> out;
    for (const Token& t : stream.tokens) {
      switch (t.kind) {
        case TokenKind::Newline: out.emplace_back("NL"); break;
        case TokenKind::Indent: out.emplace_back("IN"); break;
        case TokenKind::Dedent: out.emplace_back("DE"); break;
        case TokenKind::End: out.emplace_back("END"); break;
        case TokenKind::Bad: out.emplace_back("BAD"); break;
        default: out.emplace_back(source.text(Span{t.begin, t.end}));
      }
    }
    return out;
  }
  [[nodiscard]] std::string error() const { return stream.errors.empty() ? "" : stream.errors[0].headline(); }

  SourceFile source;
  TokenStream stream;
};

std::vector<std::string> words(std::string text) { return Lexed(std::move(text)).words(); }

TEST(Lexer, DottedNamesAreOneToken) {
  const Lexed l("pl.tensor.create(x . y)\n");
  EXPECT_THAT(l.words(), ElementsAre("pl.tensor.create", "(", "x", ".", "y", ")", "NL", "END"));
  EXPECT_TRUE(l.stream.tokens[0].dotted);
  EXPECT_FALSE(l.stream.tokens[2].dotted);
}

TEST(Lexer, IndentationMakesBlocks) {
  EXPECT_THAT(words("if a:\n  b\n  if c:\n      d\ne\n"), ElementsAre("if", "a", ":", "NL", "IN", "b", "NL", "if", "c", ":", "NL",
                                                                      "IN", "d", "NL", "DE", "DE", "e", "NL", "END"));
  EXPECT_THAT(words("if a:\n\tb\n        c"), ElementsAre("if", "a", ":", "NL", "IN", "b", "NL", "c", "NL", "DE", "END"));
  EXPECT_EQ(Lexed("if a:\n    b\n  c\n").error(), "test.py:3:3: unindent matches no outer indentation level");
}

TEST(Lexer, BracketsJoinLines) {
  EXPECT_THAT(words("f(a,\n# note\n        b)\nc\n"), ElementsAre("f", "(", "a", ",", "b", ")", "NL", "c", "NL", "END"));
  EXPECT_THAT(words("a + \\\n  b\n"), ElementsAre("a", "+", "b", "NL", "END"));
  EXPECT_THAT(words("a + \\\r\n  b\r\n"), ElementsAre("a", "+", "b", "NL", "END"));
  EXPECT_THAT(words("\\ a\n"), ElementsAre("BAD", "a", "NL", "END"));
}

TEST(Lexer, EmptyAndCommentLinesAreNoTokens) {
  EXPECT_THAT(words(""), ElementsAre("END"));
  EXPECT_THAT(words("\n\n   \n  # only\n"), ElementsAre("END"));
  EXPECT_THAT(words("\xEF\xBB\xBFpass"), ElementsAre("pass", "NL", "END"));
}

TEST(Lexer, CommentsKnowTheirLine) {
  const Lexed l("# one  \nx = 1  # two\n");
  ASSERT_EQ(l.stream.comments.size(), 2U);
  EXPECT_EQ(l.source.text(l.stream.comments[0].span), "# one");
  EXPECT_TRUE(l.stream.comments[0].own_line);
  EXPECT_FALSE(l.stream.comments[1].own_line);
  EXPECT_EQ(l.stream.comments[1].before, 3U);
}

TEST(Lexer, Strings) {
  EXPECT_THAT(words("'a\\'b' \"c\\\\\" r'd' \"\"\"e\n'f\"\"\" f\"g\"\n"),
              ElementsAre("'a\\'b'", "\"c\\\\\"", "r'd'", "\"\"\"e\n'f\"\"\"", "f\"g\"", "NL", "END"));
  EXPECT_THAT(words("'a\\\nb'\n"), ElementsAre("'a\\\nb'", "NL", "END"));
  EXPECT_THAT(words("'a\\\r\nb'\r\n"), ElementsAre("'a\\\r\nb'", "NL", "END"));
  EXPECT_EQ(Lexed("x = 'abc\ny\n").error(), "test.py:1:5: this string is never closed");
  EXPECT_EQ(Lexed("x = \"\"\"abc\n").error(), "test.py:1:5: this string is never closed");
  EXPECT_EQ(Lexed("x = 'abc\\").error(), "test.py:1:5: this string is never closed");
}

TEST(Lexer, Numbers) {
  const Lexed l("1 1_000 0x1F 0o17 0b1 1. .5 1e5 1E-5 1.5e+3 1e 5.real\n");
  EXPECT_THAT(l.words(), ElementsAre("1", "1_000", "0x1F", "0o17", "0b1", "1.", ".5", "1e5", "1E-5", "1.5e+3", "1", "e", "5.",
                                     "real", "NL", "END"));
  EXPECT_EQ(l.stream.tokens[2].kind, TokenKind::Int);
  EXPECT_EQ(l.stream.tokens[5].kind, TokenKind::Float);
  EXPECT_EQ(l.stream.tokens[7].kind, TokenKind::Float);
}

TEST(Lexer, Operators) {
  EXPECT_THAT(words("a**b//c<<d>>e<=f!=g->h:=i+=j@k...\n"),
              ElementsAre("a", "**", "b", "//", "c", "<<", "d", ">>", "e", "<=", "f", "!=", "g", "->", "h", ":=", "i", "+=", "j",
                          "@", "k", "...", "NL", "END"));
  EXPECT_EQ(Lexed("xor x").stream.tokens[0].keyword, Keyword::Xor);
  EXPECT_THAT(words("a $ b ? c"), ElementsAre("a", "BAD", "b", "BAD", "c", "NL", "END"));
}

TEST(Lexer, BracketFaults) {
  EXPECT_EQ(Lexed("f(a\nb\n").error(), "test.py:1:2: '(' was never closed");
  EXPECT_EQ(Lexed("f(a]\n").error(), "test.py:1:4: ']' does not close the '(' of line 1");
  EXPECT_EQ(Lexed("a)\n").error(), "test.py:1:2: ')' closes nothing");
}

TEST(Lexer, OnlyUtf8Text) {
  EXPECT_EQ(Lexed("é = 'ß𝄞'\n").error(), "");
  EXPECT_EQ(Lexed("a = 12345678901\n# \xe9t\xe9\n").error(),
            "test.py:2:3: byte offset 18: this byte is not UTF-8: the text must be UTF-8");
  EXPECT_EQ(Lexed(std::string("a = 'b\0c'\n", 10)).error(), "test.py:1:7: byte offset 6: a NUL byte: this is not a text file");
  for (const char* bad :
       {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\x80", "\xe2\x82", "\xf0\x9d\x84"}) {
    const Lexed l(std::string("abcdefgh = '") + bad + "'");
    ASSERT_EQ(l.stream.errors.size(), 1U);
    EXPECT_EQ(l.stream.errors[0].byte_offset, 12U);
    EXPECT_EQ(l.stream.errors[0].source_line, "");
  }
}

}  // namespace
}  // namespace depscope::ir
