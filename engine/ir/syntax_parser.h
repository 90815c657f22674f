// Recursive-descent parser over tokens. Split in two files: expressions and statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax.h"

namespace depscope::ir {

class SyntaxParser {
 public:
  SyntaxParser(const SourceFile& source, StringPool& names, const ReadLimits& limits)
      : source_(source),
        names_(names),
        limits_(limits),
        stream_(tokenize(source, limits.max_nesting)),
        printed_text_(source.text().starts_with("# pypto.program:")) {}

  SyntaxTree run();

 private:
  /// Ends the current statement; caught by statement(). Carries the place and the reason.
  struct Failure {
    std::uint32_t offset;
    std::string message;
    bool python = false;
  };

  // ---- tokens
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return stream_.tokens[std::min(at_ + ahead, stream_.tokens.size() - 1)];
  }
  [[nodiscard]] bool is(Op op) const { return peek().kind == TokenKind::Op && peek().op == op; }
  [[nodiscard]] bool is(Keyword k) const { return peek().kind == TokenKind::Name && peek().keyword == k; }
  [[nodiscard]] std::string_view text(const Token& t) const { return source_.text(Span{t.begin, t.end}); }
  [[nodiscard]] bool at_identifier() const;
  bool accept(Op op);
  bool accept(Keyword keyword);
  void expect(Op op, std::string_view what);
  [[noreturn]] void fail(std::string message) const;
  [[noreturn]] void fail_foreign(std::string_view what) const;  ///< Python, but not part of the language
  [[noreturn]] void fail_at(std::uint32_t offset, std::string message) const;
  [[nodiscard]] std::string found() const;  ///< "end of line", "'x'", …

  // ---- building
  SynExprId make(SynKind kind, Span span, std::uint8_t op = 0, NameId name = {});
  SynExprId make(SynKind kind, Span span, const std::vector<SynExprId>& kids, std::uint8_t op = 0, NameId name = {});
  template <class IdT>
  Range pool_list(const std::vector<IdT>& ids) {
    if (ids.empty()) return {};
    const Range r{static_cast<std::uint32_t>(tree_.pool.size()), static_cast<std::uint32_t>(ids.size())};
    for (const IdT id : ids) tree_.pool.push_back(id.value);
    return r;
  }
  [[nodiscard]] Span span_of(SynExprId id) const { return tree_.exprs[id.value].span; }
  [[nodiscard]] Span from(std::uint32_t begin) const { return {begin, stream_.tokens[at_ == 0 ? 0 : at_ - 1].end}; }

  // ---- expressions (syntax_expressions.cpp)
  SynExprId expression();           ///< no top-level comma
  SynExprId expression_or_tuple();  ///< commas make a Tuple without parentheses
  SynExprId target_list();          ///< loop target: names, nested tuples
  SynExprId binary(int level);
  SynExprId unary();
  SynExprId power();
  SynExprId postfix();
  SynExprId atom();
  SynExprId call(SynExprId callee);
  SynExprId subscript(SynExprId base);
  SynExprId subscript_item();
  SynExprId bracketed();
  SynExprId parenthesised();
  SynExprId dict();
  SynExprId comprehension(SynExprId element, std::uint32_t begin, Op close);
  SynExprId unsupported(std::uint32_t begin, std::string_view what);
  SynExprId unsupported_to_close(std::uint32_t begin, std::string_view what);
  SynExprId unsupported_node(std::uint32_t begin, std::string_view what);
  SynExprId lambda();
  [[nodiscard]] bool is_comparison(SynExprId id) const;
  [[nodiscard]] bool at_expression_end() const;

  // ---- statements (syntax_statements.cpp)
  void statement(std::vector<SynStmtId>& out);
  void simple_line(std::vector<SynStmtId>& out);
  SynStmtId simple();
  SynStmtId compound_if(bool is_elif);
  SynStmtId compound_for();
  SynStmtId compound_while();
  SynStmtId compound_with();
  SynStmtId definition();
  SynStmtId class_definition(Range decorators, std::uint32_t begin);
  SynStmtId function_definition(Range decorators, std::uint32_t begin);
  SynStmtId other_statement();
  SynStmtId broken(std::size_t first_token, const Failure& failure);
  Range suite();
  Range take_comments();
  void take_line_comments(std::uint32_t until_offset);
  void end_of_line();
  void skip_line_and_block();
  void drop_trailing_comments();
  [[nodiscard]] bool at_match_statement() const;
  SynStmtId add(const SynStmt& stmt);

  const SourceFile& source_;
  StringPool& names_;
  const ReadLimits& limits_;
  TokenStream stream_;
  const bool printed_text_;  ///< the file begins like a dump
  SyntaxTree tree_;
  std::size_t at_ = 0;
  std::size_t comment_at_ = 0;
  std::uint32_t depth_ = 0;
  std::vector<NameId> pending_comments_;

  /// Counts nesting for the time it lives; fails with the limit's name when there is too much.
  class Nesting {
   public:
    explicit Nesting(SyntaxParser& parser) : parser_(parser) {
      if (++parser_.depth_ > parser_.limits_.max_nesting) {
        --parser_.depth_;
        parser_.fail("nested deeper than the nesting limit of " + std::to_string(parser_.limits_.max_nesting));
      }
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.depth_; }

   private:
    SyntaxParser& parser_;
  };
};

}  // namespace depscope::ir
