// The statements of a file around and of a program, as runs of tokens.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/lexer.h"

namespace depscope::replay {

enum class StatementKind : std::uint8_t {
  Other,     ///< Python around the program
  Program,   ///< decorated by the language
  Constant,  ///< NAME = …
  Import,    ///< of the language
};

struct ModuleStatement {
  std::size_t first = 0;  ///< token
  std::size_t end = 0;    ///< behind its block
  StatementKind kind = StatementKind::Other;
  bool kept = false;   ///< of a constant: the program uses it
  std::string import;  ///< of an import: what it comes to
};

/// Tokens and statements of one file, and what its imports call the language.
class ProgramModule {
 public:
  /// Throws InputError if the text cannot be taken into tokens.
  explicit ProgramModule(const SourceFile& source);

  [[nodiscard]] std::string_view source_text() const { return source_; }
  [[nodiscard]] const std::vector<ir::Comment>& comments() const { return stream_.comments; }
  [[nodiscard]] std::vector<ModuleStatement>& statements() { return statements_; }
  /// Of the program and of the module: they may be called by bare name.
  [[nodiscard]] const std::set<std::string, std::less<>>& functions() const { return functions_; }

  // ---- tokens; an index behind the end is nothing
  [[nodiscard]] const ir::Token& token(std::size_t i) const { return stream_.tokens[i]; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return source_.substr(token(i).begin, token(i).end - token(i).begin);
  }
  [[nodiscard]] bool is(std::size_t i, ir::TokenKind kind) const { return i < stream_.tokens.size() && token(i).kind == kind; }
  [[nodiscard]] bool is(std::size_t i, ir::Op op) const { return is(i, ir::TokenKind::Op) && token(i).op == op; }
  [[nodiscard]] bool is(std::size_t i, ir::Keyword keyword) const {
    return is(i, ir::TokenKind::Name) && token(i).keyword == keyword;
  }
  /// A name without dots.
  [[nodiscard]] bool is_plain_name(std::size_t i) const {
    return is(i, ir::Keyword::None) && !token(i).dotted && text(i)[0] != '.';
  }
  [[nodiscard]] bool ends_statement(std::size_t i) const {
    return is(i, ir::TokenKind::Newline) || is(i, ir::TokenKind::End) || is(i, ir::Op::Semicolon);
  }
  /// The Newline (or End) behind `i`.
  [[nodiscard]] std::size_t line_end(std::size_t i) const;
  /// Behind the block that begins at the Indent `i`.
  [[nodiscard]] std::size_t block_end(std::size_t i) const;

  /// "pl" or "pld" for what the file calls them; nothing for any other name.
  [[nodiscard]] std::string_view prefix_of(std::string_view name) const;
  /// "pl.tensor.create", whatever the file calls "pl"; empty if the token is nothing of the language.
  [[nodiscard]] std::string api_name(std::size_t i) const;

 private:
  void split();
  void read_import(ModuleStatement& s);
  void classify(ModuleStatement& s);

  std::string_view source_;
  ir::TokenStream stream_;
  std::vector<ModuleStatement> statements_;
  std::map<std::string, std::string_view, std::less<>> prefixes_{{"pl", "pl"}, {"pld", "pld"}};
  std::set<std::string, std::less<>> functions_;
};

}  // namespace depscope::replay
