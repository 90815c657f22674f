#include "depscope/ir/lexer.h"

#include <array>
#include <cstring>
#include <string_view>

namespace depscope::ir {
namespace {

constexpr std::uint8_t kNameStart = 1;
constexpr std::uint8_t kDigit = 2;
constexpr std::uint8_t kBlank = 4;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> t{};
  for (int c = 'a'; c <= 'z'; ++c) t[static_cast<std::size_t>(c)] = kNameStart;
  for (int c = 'A'; c <= 'Z'; ++c) t[static_cast<std::size_t>(c)] = kNameStart;
  for (int c = '0'; c <= '9'; ++c) t[static_cast<std::size_t>(c)] = kDigit;
  for (std::size_t c = 128; c < 256; ++c) t[c] = kNameStart;  // any Python identifier of U-text
  t[static_cast<std::size_t>('_')] = kNameStart;
  t[static_cast<std::size_t>(' ')] = kBlank;
  t[static_cast<std::size_t>('\t')] = kBlank;
  t[static_cast<std::size_t>('\r')] = kBlank;
  t[static_cast<std::size_t>('\f')] = kBlank;
  return t;
}
constexpr auto kClasses = make_classes();

[[nodiscard]] bool is_class(char c, std::uint8_t mask) { return (kClasses[static_cast<unsigned char>(c)] & mask) != 0; }

/// Offset of the first byte that is no UTF-8 text (NUL included), or npos.
std::size_t first_bad_byte(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight plain characters at a time: no high bit, no zero byte.
    std::uint64_t word = 0;
    if (i + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof word);
      constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
      if (((word | (word - 0x0101010101010101ULL)) & kHigh) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const unsigned c = byte(i);
    if (c != 0 && c < 0x80U) {
      ++i;
      continue;
    }
    const std::size_t more = c >= 0xC2U && c <= 0xDFU ? 1 : (c & 0xF0U) == 0xE0U ? 2 : c >= 0xF0U && c <= 0xF4U ? 3 : 0;
    if (more == 0) return i;
    // Second byte: no overlong form, no surrogate, nothing above U+10FFFF.
    const unsigned low = c == 0xE0U ? 0xA0U : c == 0xF0U ? 0x90U : 0x80U;
    const unsigned high = c == 0xEDU ? 0x9FU : c == 0xF4U ? 0x8FU : 0xBFU;
    if (byte(i + 1) < low || byte(i + 1) > high) return i;
    for (std::size_t k = 2; k <= more; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) return i;
    }
    i += more + 1;
  }
  return std::string_view::npos;
}

class Lexer {
 public:
  Lexer(const SourceFile& source, std::uint32_t max_nesting) : source_(source), text_(source.text()), max_nesting_(max_nesting) {}

  TokenStream run() {
    out_.tokens.reserve(text_.size() / 3 + 16);
    if (const std::size_t bad = first_bad_byte(text_); bad != std::string_view::npos) {
      fail(bad, text_[bad] == '\0' ? "a NUL byte: this is not a text file" : "this byte is not UTF-8: the text must be UTF-8");
      out_.errors.back().source_line.clear();  // messages stay valid UTF-8
      out_.errors.back().byte_offset = bad;
    }
    if (text_.size() >= 3 && text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (at_ < text_.size() && !fatal_) line();
    if (!fatal_ && !brackets_.empty()) unclosed();
    finish();
    return std::move(out_);
  }

 private:
  void push(TokenKind kind, std::size_t begin, Op op = Op::None) {
    out_.tokens.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_), kind, op, Keyword::None, false});
  }

  void fail(std::size_t offset, std::string message) {
    out_.errors.push_back(source_.diagnostic(Severity::Error, static_cast<std::uint32_t>(offset), std::move(message)));
    fatal_ = true;
  }

  void unclosed() {
    const std::size_t open = brackets_.back();
    fail(open, std::string("'") + text_[open] + "' was never closed");
  }

  void finish() {
    at_ = text_.size();
    if (!out_.tokens.empty() && out_.tokens.back().kind != TokenKind::Newline && out_.tokens.back().kind != TokenKind::Dedent) {
      push(TokenKind::Newline, at_);
    }
    for (std::size_t i = 1; i < indents_.size(); ++i) push(TokenKind::Dedent, at_);
    push(TokenKind::End, at_);
  }

  // One physical line at bracket depth 0: indentation, then tokens up to its newline (brackets may span lines).
  void line() {
    std::size_t column = 0;
    std::size_t p = at_;
    while (p < text_.size() && is_class(text_[p], kBlank)) {
      column = text_[p] == '\t' ? (column / 8 + 1) * 8 : (text_[p] == '\f' || text_[p] == '\r' ? column : column + 1);
      ++p;
    }
    at_ = p;
    if (p >= text_.size()) return;
    if (text_[p] == '\n') {
      ++at_;
      return;
    }
    if (text_[p] == '#') {
      comment(true);
      return;
    }
    indentation(column);
    if (!fatal_) tokens();
  }

  void indentation(std::size_t column) {
    if (column > indents_.back()) {
      indents_.push_back(column);
      push(TokenKind::Indent, at_);
      return;
    }
    while (column < indents_.back()) {
      indents_.pop_back();
      push(TokenKind::Dedent, at_);
    }
    if (column != indents_.back()) fail(at_, "unindent matches no outer indentation level");
  }

  void comment(bool own_line) {
    const std::size_t begin = at_;
    std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    at_ = end;
    while (end > begin && is_class(text_[end - 1], kBlank)) --end;
    out_.comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                             static_cast<std::uint32_t>(out_.tokens.size()),
                             own_line});
  }

  void tokens() {
    bool own_line = false;  // inside brackets a comment can have a line of its own
    while (at_ < text_.size() && !fatal_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        if (brackets_.empty()) {
          --at_;
          push(TokenKind::Newline, at_);
          ++at_;
          return;
        }
        own_line = true;
        continue;
      }
      if (is_class(c, kBlank)) {
        ++at_;
        continue;
      }
      if (c == '#') {
        comment(own_line);
        continue;
      }
      own_line = false;
      if (c == '\\' && continuation()) continue;
      one_token(c);
    }
  }

  bool continuation() {
    std::size_t p = at_ + 1;
    if (p < text_.size() && text_[p] == '\r') ++p;
    if (p >= text_.size() || text_[p] != '\n') return false;
    at_ = p + 1;
    return true;
  }

  void one_token(char c) {
    if (is_class(c, kNameStart)) {
      name();
    } else if (is_class(c, kDigit) || (c == '.' && at_ + 1 < text_.size() && is_class(text_[at_ + 1], kDigit))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_);
    } else {
      punctuation(c);
    }
  }

  void name() {
    const std::size_t begin = at_;
    const char* p = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    bool dotted = false;
    for (;;) {
      while (p != end && is_class(*p, kNameStart | kDigit)) ++p;
      if (p + 1 < end && *p == '.' && is_class(p[1], kNameStart)) {
        dotted = true;
        ++p;
        continue;
      }
      break;
    }
    at_ = static_cast<std::size_t>(p - text_.data());
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (p != end && (*p == '"' || *p == '\'') && word.size() <= 2 &&
        word.find_first_not_of("rRbBuUfF") == std::string_view::npos) {
      string(begin);
      return;
    }
    push(TokenKind::Name, begin);
    Token& t = out_.tokens.back();
    t.dotted = dotted;
    if (!dotted && word.size() <= 8) t.keyword = keyword_of(word);
  }

  void number() {
    const std::size_t begin = at_;
    bool is_float = false;
    const auto peek = [&](std::size_t k) { return at_ + k < text_.size() ? text_[at_ + k] : '\0'; };
    if (text_[at_] == '0' &&
        (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'o' || peek(1) == 'O' || peek(1) == 'b' || peek(1) == 'B')) {
      at_ += 2;
      while (at_ < text_.size() && is_class(text_[at_], kNameStart | kDigit)) ++at_;
      push(TokenKind::Int, begin);
      return;
    }
    const auto digits = [&] {
      while (at_ < text_.size() && (is_class(text_[at_], kDigit) || text_[at_] == '_')) ++at_;
    };
    digits();
    if (peek(0) == '.') {
      is_float = true;
      ++at_;
      digits();
    }
    if (peek(0) == 'e' || peek(0) == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_class(peek(sign), kDigit)) {
        is_float = true;
        at_ += sign;
        digits();
      }
    }
    if (peek(0) == 'j' || peek(0) == 'J') {  // imaginary: Python around the program may have it
      is_float = true;
      ++at_;
    }
    push(is_float ? TokenKind::Float : TokenKind::Int, begin);
  }

  void string(std::size_t begin) {
    const char quote = text_[at_];
    const bool triple = at_ + 2 < text_.size() && text_[at_ + 1] == quote && text_[at_ + 2] == quote;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        at_ += at_ + 2 < text_.size() && text_[at_ + 1] == '\r' && text_[at_ + 2] == '\n' ? 3 : 2;
        continue;
      }
      const bool closes =
          c == quote && (!triple || (at_ + 2 < text_.size() && text_[at_ + 1] == quote && text_[at_ + 2] == quote));
      if (closes) {
        at_ += triple ? 3 : 1;
        push(TokenKind::String, begin);
        return;
      }
      if (c == '\n' && !triple) break;
      ++at_;
    }
    at_ = std::min(at_, text_.size());
    fail(begin, "this string is never closed");
  }

  void punctuation(char c) {
    const std::size_t begin = at_;
    const auto next = [&](std::size_t k) { return at_ + k < text_.size() ? text_[at_ + k] : '\0'; };
    const auto take = [&](std::size_t n, Op op) {
      at_ += n;
      push(TokenKind::Op, begin, op);
    };
    const char n1 = next(1);
    switch (c) {
      case '(': return open(Op::LParen);
      case '[': return open(Op::LBracket);
      case '{': return open(Op::LBrace);
      case ')': return close('(', Op::RParen);
      case ']': return close('[', Op::RBracket);
      case '}': return close('{', Op::RBrace);
      case ',': return take(1, Op::Comma);
      case ':': return n1 == '=' ? take(2, Op::Walrus) : take(1, Op::Colon);
      case ';': return take(1, Op::Semicolon);
      case '.':
        if (n1 == '.' && next(2) == '.') {
          at_ += 3;
          push(TokenKind::Name, begin);
          return;
        }
        return take(1, Op::Dot);
      case '=': return n1 == '=' ? take(2, Op::Eq) : take(1, Op::Assign);
      case '!': return n1 == '=' ? take(2, Op::Ne) : take(1, Op::Exclamation);
      case '-': return n1 == '>' ? take(2, Op::Arrow) : n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Minus);
      case '+': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Plus);
      case '*':
        if (n1 == '*') return next(2) == '=' ? take(3, Op::AugAssign) : take(2, Op::StarStar);
        return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Star);
      case '/':
        if (n1 == '/') return next(2) == '=' ? take(3, Op::AugAssign) : take(2, Op::SlashSlash);
        return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Slash);
      case '%': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Percent);
      case '<':
        if (n1 == '<') return next(2) == '=' ? take(3, Op::AugAssign) : take(2, Op::ShiftLeft);
        return n1 == '=' ? take(2, Op::Le) : take(1, Op::Lt);
      case '>':
        if (n1 == '>') return next(2) == '=' ? take(3, Op::AugAssign) : take(2, Op::ShiftRight);
        return n1 == '=' ? take(2, Op::Ge) : take(1, Op::Gt);
      case '&': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Amp);
      case '|': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Pipe);
      case '^': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::Caret);
      case '~': return take(1, Op::Tilde);
      case '@': return n1 == '=' ? take(2, Op::AugAssign) : take(1, Op::At);
      default: ++at_; push(TokenKind::Bad, begin);
    }
  }

  // More brackets inside one another than the parser would follow: there is no use in reading on.
  void open(Op op) {
    if (brackets_.size() >= max_nesting_)
      return fail(at_, "nested deeper than the nesting limit of " + std::to_string(max_nesting_));
    brackets_.push_back(at_);
    ++at_;
    push(TokenKind::Op, at_ - 1, op);
  }

  void close(char open, Op op) {
    if (brackets_.empty()) return fail(at_, std::string("'") + text_[at_] + "' closes nothing");
    if (text_[brackets_.back()] != open) {
      const SourceFile::Position p = source_.position(static_cast<std::uint32_t>(brackets_.back()));
      return fail(at_, std::string("'") + text_[at_] + "' does not close the '" + text_[brackets_.back()] + "' of line " +
                           std::to_string(p.line));
    }
    brackets_.pop_back();
    ++at_;
    push(TokenKind::Op, at_ - 1, op);
  }

  const SourceFile& source_;
  std::string_view text_;
  std::uint32_t max_nesting_;
  std::size_t at_ = 0;
  bool fatal_ = false;
  std::vector<std::size_t> brackets_;
  std::vector<std::size_t> indents_{0};
  TokenStream out_;
};

}  // namespace

Keyword keyword_of(std::string_view s) {
  switch (s.size()) {
    case 2:
      if (s == "or") return Keyword::Or;
      if (s == "if") return Keyword::If;
      if (s == "in") return Keyword::In;
      if (s == "is") return Keyword::Is;
      if (s == "as") return Keyword::As;
      return Keyword::None;
    case 3:
      if (s == "and") return Keyword::And;
      if (s == "xor") return Keyword::Xor;
      if (s == "not") return Keyword::Not;
      if (s == "for") return Keyword::For;
      if (s == "def") return Keyword::Def;
      if (s == "try") return Keyword::Try;
      if (s == "del") return Keyword::Del;
      return Keyword::None;
    case 4:
      if (s == "else") return Keyword::Else;
      if (s == "elif") return Keyword::Elif;
      if (s == "with") return Keyword::With;
      if (s == "pass") return Keyword::Pass;
      if (s == "True") return Keyword::True;
      if (s == "None") return Keyword::NoneValue;
      if (s == "from") return Keyword::From;
      return Keyword::None;
    case 5:
      if (s == "while") return Keyword::While;
      if (s == "class") return Keyword::Class;
      if (s == "break") return Keyword::Break;
      if (s == "False") return Keyword::False;
      if (s == "async") return Keyword::Async;
      if (s == "await") return Keyword::Await;
      if (s == "raise") return Keyword::Raise;
      if (s == "yield") return Keyword::Yield;
      return Keyword::None;
    case 6:
      if (s == "return") return Keyword::Return;
      if (s == "lambda") return Keyword::Lambda;
      if (s == "import") return Keyword::Import;
      if (s == "except") return Keyword::Except;
      if (s == "assert") return Keyword::Assert;
      if (s == "global") return Keyword::Global;
      return Keyword::None;
    case 7: return s == "finally" ? Keyword::Finally : Keyword::None;
    case 8:
      if (s == "continue") return Keyword::Continue;
      if (s == "nonlocal") return Keyword::Nonlocal;
      return Keyword::None;
    default: return Keyword::None;
  }
}

TokenStream tokenize(const SourceFile& source, std::uint32_t max_nesting) { return Lexer(source, max_nesting).run(); }

}  // namespace depscope::ir
