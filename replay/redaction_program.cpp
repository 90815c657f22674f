#include "redaction_program.h"

#include <algorithm>
#include <array>
#include <set>

#include "depscope/ir/nodes.h"
#include "redaction_module.h"
#include "redaction_text.h"
#include "redaction_vocabulary.h"

namespace depscope::replay {
namespace {

using ir::Keyword;
using ir::Op;
using ir::Token;
using ir::TokenKind;

constexpr std::string_view kHeader = "# pypto.program:";
constexpr std::string_view kCommDomain = "# pld.comm_domain:";
constexpr std::string_view kWindowBuffer = "window_buffer=";
/// Levels whose SubWorker functions are Python of their own (ir-text.md 3.6).
constexpr std::array<std::string_view, 9> kHostLevels = {"HOST", "CLUSTER_0", "CLUSTER_1", "CLUSTER_2", "GLOBAL",
                                                         "NODE", "POD",       "CLOS1",     "CLOS2"};

using Names = std::set<std::string, std::less<>>;

class ProgramWalk {
 public:
  explicit ProgramWalk(const SourceFile& source)
      : module_(source), text_(module_.source_text()), statements_(module_.statements()), printed_(text_.starts_with(kHeader)) {}

  TextParts run() {
    // Once to know what is defined, once to say what each name is.
    for (const bool last : {false, true}) {
      emits_ = last;
      for (const ModuleStatement& s : statements_) {
        if (s.kind == StatementKind::Program) walk(s.first, s.end);
      }
      keep_constants();
    }
    for (const ModuleStatement& s : statements_) {
      if (s.kind == StatementKind::Other) erase(s.first, s.end, TextPart::Erased);
      if (s.kind == StatementKind::Import)
        add_replaced(token(s.first).begin, token(line_end(s.first)).begin, TextPart::Import, s.import);
    }
    comments();
    std::sort(out_.pieces.begin(), out_.pieces.end(), [](const TextPiece& a, const TextPiece& b) { return a.begin < b.begin; });
    names();
    return std::move(out_);
  }

 private:
  struct Bracket {
    Op open = Op::None;
    bool params = false;  ///< of a def
    bool call = false;
    bool api = false;  ///< of something of the language
    std::string callee;
    std::string keyword;
    std::size_t commas = 0;
  };

  [[nodiscard]] const Token& token(std::size_t i) const { return module_.token(i); }
  [[nodiscard]] std::string_view text(std::size_t i) const { return module_.text(i); }
  template <class What>
  [[nodiscard]] bool is(std::size_t i, What what) const {
    return module_.is(i, what);
  }
  [[nodiscard]] std::size_t line_end(std::size_t i) const { return module_.line_end(i); }

  void add(std::size_t begin, std::size_t end, TextPart part, bool folds = false) {
    if (!emits_ || begin == end) return;
    out_.pieces.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), part, folds, 0});
  }
  void add_replaced(std::size_t begin, std::size_t end, TextPart part, std::string_view text) {
    if (!emits_) return;
    add(begin, end, part);
    out_.pieces.back().replacement = static_cast<std::uint32_t>(
        std::find(out_.replacements.begin(), out_.replacements.end(), text) - out_.replacements.begin());
    if (out_.pieces.back().replacement == out_.replacements.size()) out_.replacements.emplace_back(text);
  }
  void add_name(std::size_t begin, std::size_t end, TextPart part) {
    if (part == TextPart::Variable) used_.emplace(text_.substr(begin, end - begin));
    add(begin, end, part);
  }

  void erase(std::size_t first, std::size_t end, TextPart part) {
    // Without the Newline and the Dedents at its end.
    while (end > first + 1 &&
           (is(end - 1, TokenKind::Dedent) || is(end - 1, TokenKind::Indent) || is(end - 1, TokenKind::Newline)))
      --end;
    add(token(first).begin, token(end - 1).end, part);
  }

  [[nodiscard]] bool declares_dimension(const ModuleStatement& s) const {
    return is(s.first + 1, Op::Assign) && module_.api_name(s.first + 2) == "pl.dynamic" && is(s.first + 3, Op::LParen) &&
           is(s.first + 4, TokenKind::String);
  }

  /// Constants that the program uses, and those that these use.
  void keep_constants() {
    for (ModuleStatement& s : statements_) {
      if (s.kind == StatementKind::Constant) s.kept = false;
    }
    for (bool more = true; more;) {
      more = false;
      for (ModuleStatement& s : statements_) {
        if (s.kind != StatementKind::Constant || s.kept) continue;
        if (!declares_dimension(s) && used_.find(text(s.first)) == used_.end()) continue;
        s.kept = more = true;
        declares_ = declares_dimension(s);
        walk(s.first, s.end);
        declares_ = false;
      }
    }
    for (ModuleStatement& s : statements_) {
      if (s.kind == StatementKind::Constant && !s.kept) erase(s.first, s.end, TextPart::Erased);
    }
  }

  // ---- the walk
  void walk(std::size_t first, std::size_t end) {
    brackets_.clear();
    start_ = true;
    compound_ = false;
    host_ = sub_worker_ = false;
    for (std::size_t i = first; i < end; ++i) {
      switch (token(i).kind) {
        case TokenKind::Newline:
        case TokenKind::Indent:
        case TokenKind::Dedent: start_ = true; continue;
        case TokenKind::String: string(i); continue;
        case TokenKind::Op:
          if (start_) begin_statement(i);
          op(i);
          break;
        case TokenKind::Name:
          if (start_) begin_statement(i);
          name(i);
          break;
        default: break;
      }
      const bool suite = brackets_.empty() && compound_ && is(i, Op::Colon);
      start_ = is(i, Op::Semicolon) || suite;
      if (suite) {
        compound_ = false;
        if (def_ && host_ && sub_worker_) i = foreign_body(i + 1, end) - 1;
        if (def_) host_ = sub_worker_ = def_ = false;
      }
    }
  }

  /// What the statement defines.
  void begin_statement(std::size_t first) {
    switch (token(first).keyword) {
      case Keyword::If:
      case Keyword::Elif:
      case Keyword::Else:
      case Keyword::For:
      case Keyword::While:
      case Keyword::With:
      case Keyword::Def:
      case Keyword::Class:
      case Keyword::Try:
      case Keyword::Except:
      case Keyword::Finally: compound_ = true; return;
      default: compound_ = false;
    }
    std::vector<bool> subscripts;
    std::size_t end = first;
    for (; !module_.ends_statement(end); ++end) {
      if (is(end, Op::LParen) || is(end, Op::LBracket) || is(end, Op::LBrace)) subscripts.push_back(false);
      if ((is(end, Op::RParen) || is(end, Op::RBracket) || is(end, Op::RBrace)) && !subscripts.empty()) subscripts.pop_back();
      if (subscripts.empty() && is(end, Op::Assign)) break;
    }
    if (!is(end, Op::Assign)) return;
    targets(first, end, nullptr);
  }

  /// Names between `first` and `end` that are given a value; inside brackets of their own also into `carried`.
  void targets(std::size_t first, std::size_t end, Names* carried) {
    std::size_t nested = 0;
    std::size_t subscripts = 0;
    for (std::size_t i = first; i < end; ++i) {
      if (is(i, Op::LParen) || is(i, Op::LBracket)) {
        const bool indexes = i > first && (is(i - 1, TokenKind::Name) || is(i - 1, Op::RBracket) || is(i - 1, Op::RParen));
        if (indexes || subscripts > 0) {
          ++subscripts;
        } else {
          ++nested;
        }
      } else if (is(i, Op::RParen) || is(i, Op::RBracket)) {
        if (subscripts > 0) {
          --subscripts;
        } else if (nested > 0) {
          --nested;
        }
      } else if (is(i, Op::Colon) && nested == 0 && subscripts == 0) {
        return;  // the annotation
      } else if (module_.is_plain_name(i) && subscripts == 0 && !(is(i + 1, Op::LBracket) && i + 1 < end)) {
        defined_.emplace(text(i));
        if (carried != nullptr && nested > 0) carried->emplace(text(i));
      }
    }
  }

  void op(std::size_t i) {
    switch (token(i).op) {
      case Op::LParen:
      case Op::LBracket:
      case Op::LBrace: {
        Bracket b;
        b.open = token(i).op;
        if (i > 0 && is(i - 1, TokenKind::Name) && token(i - 1).keyword == Keyword::None) {
          b.callee = module_.api_name(i - 1);
          b.api = !b.callee.empty();
          b.params = b.open == Op::LParen && i > 1 && is(i - 2, Keyword::Def);
          b.call = b.open == Op::LParen && !b.params;
        }
        brackets_.push_back(std::move(b));
        break;
      }
      case Op::RParen:
      case Op::RBracket:
      case Op::RBrace:
        if (!brackets_.empty()) brackets_.pop_back();
        break;
      case Op::Comma:
        if (!brackets_.empty()) {
          ++brackets_.back().commas;
          brackets_.back().keyword.clear();
        }
        break;
      default: break;
    }
  }

  // ---- names
  void name(std::size_t i) {
    const Token& t = token(i);
    const std::string_view word = text(i);
    if (word[0] == '.') return;  // "..."
    switch (t.keyword) {
      case Keyword::None: break;
      case Keyword::Def: def_ = true; return;
      case Keyword::For: for_targets(i); return;
      case Keyword::As:
        if (module_.is_plain_name(i + 1)) defined_.emplace(text(i + 1));
        return;
      default: return;
    }
    if (i > 0 && is(i - 1, Op::Dot)) return attribute(i);
    if (t.dotted) return dotted(t, word);
    if (i > 0 && is(i - 1, Keyword::Def)) return add(t.begin, t.end, TextPart::Function);
    if (i > 0 && is(i - 1, Keyword::Class)) return add(t.begin, t.end, TextPart::Program);
    if (const std::string_view prefix = module_.prefix_of(word); !prefix.empty()) {
      if (prefix != word) add_replaced(t.begin, t.end, TextPart::Prefix, prefix);
      return;
    }
    if (word == "self") return;
    Bracket* in = brackets_.empty() ? nullptr : &brackets_.back();
    if (in != nullptr && in->call && is(i + 1, Op::Assign)) {
      in->keyword = word;
      if (!in->api && !is_launch_keyword(word)) add(t.begin, t.end, TextPart::Variable);
      return;
    }
    if (in != nullptr && in->params &&
        (is(i - 1, Op::LParen) || is(i - 1, Op::Comma) || is(i - 1, Op::Star) || is(i - 1, Op::StarStar))) {
      defined_.emplace(word);
      return add_name(t.begin, t.end, TextPart::Variable);
    }
    const bool defined = defined_.find(word) != defined_.end();
    const bool called = is(i + 1, Op::LParen);
    const bool launched = in != nullptr && (in->callee == "pl.submit" || in->callee == "pl.spmd_submit") && is(i - 1, Op::LParen);
    if (module_.functions().contains(word) && (called || launched || !defined)) return add(t.begin, t.end, TextPart::Function);
    if (!defined && ((called && is_python_function(word)) || (word == "tuple" && is(i + 1, Op::LBracket)))) return;
    if (!defined && (word == "nan" || word == "inf" || word == "math" || ir::dtype_from_name(word) != ir::DType::None)) return;
    // An operation whose name has no dot, in printed text.
    if (!defined && called && printed_) return add(t.begin, t.end, TextPart::Function);
    add_name(t.begin, t.end, declares_ ? TextPart::Dimension : TextPart::Variable);
  }

  void for_targets(std::size_t i) {
    std::size_t end = i + 1;
    while (!is(end, Keyword::In) && !module_.ends_statement(end)) ++end;
    targets(i + 1, end, &carried_);
  }

  /// Behind a dot that stands by itself.
  void attribute(std::size_t i) {
    const Token& t = token(i);
    if (i > 1 && is(i - 2, TokenKind::Name)) {
      const std::string_view base = text(i - 2);
      if (!module_.api_name(i - 2).empty() || !module_.prefix_of(base).empty() || base == "math") return;
      if (base == "self" && !t.dotted && module_.functions().contains(text(i))) return add(t.begin, t.end, TextPart::Function);
    }
    segments(t.begin, t.end);
  }

  void segments(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t dot = std::min(text_.find('.', begin), end);
      add_name(begin, dot, TextPart::Variable);
      begin = dot + 1;
    }
  }

  void dotted(const Token& t, std::string_view word) {
    const std::size_t dot = word.find('.');
    const std::string_view first = word.substr(0, dot);
    if (const std::string_view prefix = module_.prefix_of(first); !prefix.empty()) {
      if (word.ends_with(".Inline") || word.ends_with(".inline")) out_.splices = true;
      const std::string_view last = word.substr(word.rfind('.') + 1);
      if (word.find(".Level.") != std::string_view::npos &&
          std::find(kHostLevels.begin(), kHostLevels.end(), last) != kHostLevels.end())
        host_ = true;
      if (word.ends_with(".Role.SubWorker")) sub_worker_ = true;
      if (prefix != first) add_replaced(t.begin, t.begin + dot, TextPart::Prefix, prefix);
      return;
    }
    if (first == "math") return;
    if (first != "self") return segments(t.begin, t.end);
    if (word.find('.', dot + 1) == std::string_view::npos) return add(t.begin + dot + 1, t.end, TextPart::Function);
    segments(t.begin + dot + 1, t.end);
  }

  // ---- strings
  void string(std::size_t i) {
    const Token& t = token(i);
    const bool folds = !brackets_.empty() || is(i + 1, TokenKind::Newline);
    if (start_ && brackets_.empty()) return add(t.begin, t.end, TextPart::Docstring, folds);  // the next may belong to it
    const StringLiteral literal = string_literal(text(i));
    const Bracket* in = brackets_.empty() ? nullptr : &brackets_.back();
    const auto piece = [&](TextPart part) { add(t.begin, t.end, part, folds); };
    if (in != nullptr && in->open == Op::LBrace && is(i + 1, Op::Colon)) {
      if (!is_attribute_key(literal.body)) piece(TextPart::Key);
      return;
    }
    if (in != nullptr && in->call && in->api) {
      const bool first = in->keyword.empty() && in->commas == 0;
      if (in->callee == "pl.dynamic" && first) return piece(TextPart::Dimension);
      if (in->callee == "pl.MemRef" && first) return piece(TextPart::VariableText);
      if (in->keyword == "name") return piece(TextPart::VariableText);
      if (in->keyword == "name_hint") return piece(TextPart::FunctionText);
    }
    const bool path = in != nullptr && in->keyword == "external_source";
    if (!path && literal.body.starts_with(kWindowBuffer)) {
      const auto body = static_cast<std::size_t>(literal.body.data() - text_.data());
      return add(body + kWindowBuffer.size(), body + literal.body.size(), TextPart::Variable);
    }
    if (!path && is_attribute_value(literal.body)) return;
    piece(TextPart::String);
  }

  // ---- Python bodies
  /// The suite of a host function, from behind the colon; returns what stands behind it.
  std::size_t foreign_body(std::size_t i, std::size_t end) {
    if (!is(i, TokenKind::Newline)) {
      const std::size_t stop = line_end(i);
      if (text(i) != "..." && !is(i, Keyword::Pass)) add(token(i).begin, token(stop).begin, TextPart::Pass);
      return stop;
    }
    if (!is(i + 1, TokenKind::Indent)) return i;
    const std::size_t stop = std::min(module_.block_end(i + 1), end);
    i += 2;
    // Docstring and attributes are the language's.
    while (is(i, TokenKind::String) || module_.api_name(i) == "pl.func_attr") {
      const std::size_t next = line_end(i) + 1;
      const bool host = host_;
      walk(i, next);
      host_ = host;
      i = next;
    }
    if (i >= stop || is(i, TokenKind::Dedent)) return stop;
    const std::size_t line = line_end(i);
    const bool single = is(line + 1, TokenKind::Dedent) && line == i + 1;
    if (!(single && (text(i) == "..." || is(i, Keyword::Pass)))) erase(i, stop, TextPart::Pass);
    return stop;
  }

  // ---- comments
  void comments() {
    std::size_t at = 0;
    std::vector<TextPiece> regions;
    for (const TextPiece& p : out_.pieces) {
      if (p.part == TextPart::Erased || p.part == TextPart::Pass || p.part == TextPart::Import) regions.push_back(p);
    }
    std::sort(regions.begin(), regions.end(), [](const TextPiece& a, const TextPiece& b) { return a.begin < b.begin; });
    for (const ir::Comment& c : module_.comments()) {
      while (at < regions.size() && regions[at].end <= c.span.begin) ++at;
      if (at < regions.size() && regions[at].begin <= c.span.begin) continue;
      comment(c.span);
    }
  }

  void comment(Span span) {
    const std::string_view body = text_.substr(span.begin, span.end - span.begin);
    if (span.begin == 0 && body.starts_with(kHeader)) {
      const std::size_t name = body.find_first_not_of(' ', kHeader.size());
      if (name != std::string_view::npos) add(span.begin + name, span.end, TextPart::Program);
      return;
    }
    // devices=all, slots=[a, b]
    const std::size_t slots = body.find("slots=[");
    if (body.starts_with(kCommDomain) && slots != std::string_view::npos && body.ends_with("]")) {
      std::string_view devices = body.substr(kCommDomain.size(), slots - kCommDomain.size());
      const bool all = devices == " devices=all, ";
      if (all || devices.substr(0, 10) == " devices=[") {
        if (all || devices.substr(10).find_first_not_of("0123456789, ]") == std::string_view::npos) {
          domain_slots(span.begin + slots + 7, span.end - 1);
          return;
        }
      }
    }
    add(span.begin, span.end, TextPart::Erased);
  }

  void domain_slots(std::size_t begin, std::size_t end) {
    while (begin < end) {
      std::size_t comma = std::min(text_.find(',', begin), end);
      while (begin < comma && text_[begin] == ' ') ++begin;
      std::size_t stop = comma;
      while (stop > begin && text_[stop - 1] == ' ') --stop;
      add(begin, stop, TextPart::Variable);
      begin = comma + 1;
    }
  }

  // ---- what is known of the names
  void names() {
    for (const std::string& name : used_) {
      if (defined_.find(name) != defined_.end()) continue;
      if (name.ends_with("__FREE_VAR")) continue;
      const bool result =
          name.ends_with("_out") && carried_.find(std::string_view(name).substr(0, name.size() - 4)) != carried_.end();
      (result ? out_.results : out_.undefined).push_back(name);
    }
  }

  ProgramModule module_;
  std::string_view text_;
  std::vector<ModuleStatement>& statements_;
  bool printed_;
  bool emits_ = false;
  Names defined_, used_, carried_;
  std::vector<Bracket> brackets_;
  bool start_ = true;      // of a statement
  bool compound_ = false;  // the line is the header of a block
  bool def_ = false;
  bool host_ = false, sub_worker_ = false;  // of the function that is read
  bool declares_ = false;
  TextParts out_;
};

}  // namespace

TextParts text_parts(const SourceFile& text) { return ProgramWalk(text).run(); }

}  // namespace depscope::replay
