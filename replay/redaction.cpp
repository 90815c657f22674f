#include "depscope/replay/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "depscope/ir/text.h"
#include "json_text.h"
#include "redaction_addresses.h"
#include "redaction_json.h"
#include "redaction_names.h"
#include "redaction_program.h"
#include "redaction_strings.h"
#include "redaction_text.h"

namespace depscope::replay {
namespace {

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// A value of --arg or --data that is no file.
bool is_plain_value(std::string_view value) {
  if (value.empty() || value.front() == '[') return true;
  if (value == "True" || value == "true" || value == "False" || value == "false") return true;
  return value.find_first_not_of("0123456789+-.eE_xX") == std::string_view::npos &&
         value.find_first_of("0123456789") != std::string_view::npos;
}

std::size_t newlines(std::string_view text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

struct Redaction::Impl {
  NameTable programs{NameSpace::Program};
  NameTable functions{NameSpace::Function};
  NameTable variables{NameSpace::Variable};
  StringTable strings{"string"};
  StringTable paths{"path"};
  StringTable keys{"key"};
  AddressMap addresses;
  bool frozen = false;

  void may_learn() const {
    if (frozen) throw InternalError("names must be learned before the replacements are chosen");
  }
  void may_rewrite() const {
    if (!frozen) throw InternalError("replacements must be chosen before texts are rewritten");
  }

  // ---- names and strings
  [[nodiscard]] StringTable& table_of(std::string_view text) { return is_path(text) ? paths : strings; }
  [[nodiscard]] const StringTable& table_of(std::string_view text) const { return is_path(text) ? paths : strings; }

  void learn_function(std::string_view name, NameKind kind) {
    if (is_identifier(name)) {
      functions.learn(name, kind);
    } else {
      table_of(name).learn(name);
    }
  }
  void learn_variable(std::string_view name, NameKind kind) {
    if (is_identifier(name)) {
      variables.learn(name, kind);
    } else {
      table_of(name).learn(name);
    }
  }
  [[nodiscard]] std::string function(std::string_view name) const {
    if (!is_identifier(name)) return table_of(name).replacement(name);
    return functions.replacement(name);
  }
  [[nodiscard]] std::string variable(std::string_view name) const {
    return is_identifier(name) ? variables.replacement(name) : table_of(name).replacement(name);
  }

  // ---- programs
  void learn_piece(const TextPiece& p, std::string_view token) {
    const bool quoted = token.find_first_of("\"'") != std::string_view::npos;
    switch (p.part) {
      case TextPart::Program: programs.learn(token, NameKind::Program); break;
      case TextPart::Function: functions.learn(token, NameKind::Function); break;
      case TextPart::Variable: variables.learn(token, NameKind::Value); break;
      case TextPart::Dimension: learn_variable(quoted ? string_literal(token).body : token, NameKind::Dim); break;
      case TextPart::FunctionText: learn_function(string_literal(token).body, NameKind::Function); break;
      case TextPart::VariableText: learn_variable(string_literal(token).body, NameKind::Value); break;
      case TextPart::Key: keys.learn(string_literal(token).body); break;
      case TextPart::String: table_of(string_literal(token).body).learn(string_literal(token).body); break;
      default: break;
    }
  }

  [[nodiscard]] std::string in_quotes(std::string_view token, std::string_view text) const {
    const StringLiteral literal = string_literal(token);
    const std::string_view quote = literal.quote.substr(0, 1);
    std::string out(literal.prefix);
    return out.append(quote).append(text).append(quote);
  }

  [[nodiscard]] std::string piece_text(const TextParts& parts, const TextPiece& p, std::string_view token) const {
    const bool quoted = token.find_first_of("\"'") != std::string_view::npos;
    switch (p.part) {
      case TextPart::Program: return programs.replacement(token);
      case TextPart::Function: return function(token);
      case TextPart::Variable: return variables.replacement(token);
      case TextPart::Dimension:
        return quoted ? in_quotes(token, variable(string_literal(token).body)) : variables.replacement(token);
      case TextPart::FunctionText: return in_quotes(token, function(string_literal(token).body));
      case TextPart::VariableText: return in_quotes(token, variable(string_literal(token).body));
      case TextPart::Key: return in_quotes(token, keys.replacement(string_literal(token).body));
      case TextPart::String: {
        const std::string_view body = string_literal(token).body;
        return in_quotes(token, table_of(body).replacement(body));
      }
      case TextPart::Docstring: return "\"\"";
      case TextPart::Erased: return {};
      case TextPart::Pass: return "pass";
      case TextPart::Import:
      case TextPart::Prefix: return parts.replacements[p.replacement];
    }
    return {};
  }

  [[nodiscard]] std::string rewritten(std::string_view text, const TextParts& parts) const {
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    std::size_t at = 0;
    for (const TextPiece& p : parts.pieces) {
      out.append(text.substr(at, p.begin - at));
      const std::string_view token = text.substr(p.begin, p.end - p.begin);
      if (p.part == TextPart::Erased) {
        while (!out.empty() && (out.back() == ' ' || out.back() == '\t')) out.pop_back();
      }
      out += piece_text(parts, p, token);
      const bool region = p.part == TextPart::Erased || p.part == TextPart::Pass || p.part == TextPart::Import;
      for (std::size_t lines = newlines(token); lines > 0; --lines) out += region || p.folds ? "\n" : "\\\n";
      at = p.end;
    }
    return out.append(text.substr(at));
  }

  // ---- JSON
  void learn_json(const SourceFile& source, JsonInput input) {
    const JsonParts parts = json_parts(source, input);
    for (const JsonPiece& p : parts.pieces) {
      const std::string_view token = source.text().substr(p.begin, p.end - p.begin);
      std::uint64_t number = 0;
      switch (p.part) {
        case JsonPart::Key: keys.learn(json_string_value(token)); break;
        case JsonPart::Text: learn_text(json_string_value(token)); break;
        case JsonPart::Number: break;
        case JsonPart::Function: learn_function(json_string_value(token), NameKind::Kernel); break;
        case JsonPart::Variable: learn_variable(json_string_value(token), NameKind::Tensor); break;
        case JsonPart::Address:
          if (json_whole_number(token, number)) addresses.learn(number, 1);
          break;
        case JsonPart::TensorId:
          if (json_whole_number(token, number)) addresses.learn_tensor_id(number);
          break;
      }
    }
    learn_buffers(parts.buffers);
  }

  void learn_text(const std::string& text) { table_of(text).learn(text); }

  /// Parts of a buffer are named by its id; where it lies, only its own record says.
  void learn_buffers(const std::vector<JsonBuffer>& buffers) {
    std::map<std::uint64_t, std::uint64_t> address_of;
    for (const JsonBuffer& b : buffers) {
      if (!b.has_address) continue;
      addresses.learn(b.address, b.bytes);
      if (!b.has_id) continue;
      addresses.learn_tensor(b.tensor_id, b.address, b.version);
      address_of.emplace(b.tensor_id, b.address);
    }
    for (const JsonBuffer& b : buffers) {
      const auto at = b.has_address || !b.has_id ? address_of.end() : address_of.find(b.tensor_id);
      if (at != address_of.end()) addresses.learn(at->second, b.bytes);
    }
  }

  [[nodiscard]] std::string json_piece_text(const JsonPiece& p, std::string_view token) const {
    const bool quoted = token.front() == '"';
    const auto number = [&](bool address) {
      std::uint64_t value = 0;
      if (!json_whole_number(token, value)) throw InternalError("a number was learned that is none");
      const auto moved = address ? addresses.address(value) : addresses.tensor_id(value);
      if (!moved) throw InternalError("an address was not learned before it is replaced");
      return quoted ? fmt::format("\"{}\"", *moved) : fmt::format("{}", *moved);
    };
    switch (p.part) {
      case JsonPart::Key: return json_string(keys.replacement(json_string_value(token)));
      case JsonPart::Text: {
        const std::string text = json_string_value(token);
        return json_string(table_of(text).replacement(text));
      }
      case JsonPart::Number: return "0";
      case JsonPart::Function: return json_string(function(json_string_value(token)));
      case JsonPart::Variable: return json_string(variable(json_string_value(token)));
      case JsonPart::Address: return number(true);
      case JsonPart::TensorId: return number(false);
    }
    return {};
  }

  [[nodiscard]] std::string json(const SourceFile& source, JsonInput input) const {
    may_rewrite();
    const std::string_view text = source.text();
    std::string out;
    out.reserve(text.size());
    std::size_t at = 0;
    for (const JsonPiece& p : json_parts(source, input).pieces) {
      out.append(text.substr(at, p.begin - at)).append(json_piece_text(p, text.substr(p.begin, p.end - p.begin)));
      at = p.end;
    }
    return out.append(text.substr(at));
  }
};

Redaction::Redaction() : impl_(std::make_unique<Impl>()) {}
Redaction::~Redaction() = default;
Redaction::Redaction(Redaction&&) noexcept = default;
Redaction& Redaction::operator=(Redaction&&) noexcept = default;

// ---------------------------------------------------------------- learning

void Redaction::learn_program(const SourceFile& text) {
  impl_->may_learn();
  const TextParts parts = text_parts(text);
  for (const TextPiece& p : parts.pieces) impl_->learn_piece(p, text.text(Span{p.begin, p.end}));
  for (const std::string& name : parts.results) impl_->variables.learn_loop_result(name);
  for (const std::string& name : parts.undefined) impl_->variables.learn(name, NameKind::Dim);
  if (parts.splices) impl_->variables.expect_suffixes();
}

void Redaction::learn_trace(const SourceFile& text) {
  impl_->may_learn();
  impl_->learn_json(text, JsonInput::Trace);
}

void Redaction::learn_deps_json(const SourceFile& text) {
  impl_->may_learn();
  impl_->learn_json(text, JsonInput::Deps);
}

void Redaction::learn_data_json(const SourceFile& text) {
  impl_->may_learn();
  impl_->learn_json(text, JsonInput::Data);
}

void Redaction::learn_timing(const SourceFile& text) {
  impl_->may_learn();
  impl_->learn_json(text, JsonInput::Timing);
}

void Redaction::learn_assignment(std::string_view text) {
  impl_->may_learn();
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return impl_->paths.learn(text);
  impl_->learn_variable(text.substr(0, equals), NameKind::Tensor);
  if (const std::string_view value = text.substr(equals + 1); !is_plain_value(value)) impl_->paths.learn(value);
}

void Redaction::learn_name(NameUse use, std::string_view name) {
  impl_->may_learn();
  if (name.empty()) return;
  switch (use) {
    case NameUse::Program: impl_->programs.learn(name, NameKind::Program); break;
    case NameUse::Function: impl_->learn_function(name, NameKind::Kernel); break;
    case NameUse::Variable: impl_->learn_variable(name, NameKind::Tensor); break;
  }
}

void Redaction::learn_path(std::string_view path) {
  impl_->may_learn();
  impl_->paths.learn(path);
}

void Redaction::freeze() {
  impl_->may_learn();
  impl_->programs.freeze();
  impl_->functions.freeze();
  impl_->variables.freeze();
  impl_->strings.freeze();
  impl_->paths.freeze();
  impl_->keys.freeze();
  impl_->addresses.freeze();
  impl_->frozen = true;
}

// ---------------------------------------------------------------- rewriting

std::string Redaction::program(const SourceFile& text) const {
  impl_->may_rewrite();
  std::string out = impl_->rewritten(text.text(), text_parts(text));
  // What is wrong outside the program is gone: nobody could tell from the result what was refused.
  const auto errors = [](const ir::ReadResult& result) {
    std::vector<std::uint32_t> lines;
    for (const Diagnostic& d : result.diagnostics) {
      if (d.severity == Severity::Error) lines.push_back(d.line);
    }
    return lines;
  };
  const ir::ReadResult before = ir::read_text(std::make_shared<const SourceFile>(text.name(), std::string(text.text())));
  const ir::ReadResult after = ir::read_text(std::make_shared<const SourceFile>(text.name(), out));
  if (errors(before) == errors(after)) return out;
  if (before.ok && out.size() > ir::ReadLimits{}.max_file_bytes) {
    throw InputError(text.diagnostic(
        Severity::Error, 0,
        fmt::format("larger than the file-size limit of {} bytes once its names are replaced", ir::ReadLimits{}.max_file_bytes)));
  }
  if (before.ok) {
    Diagnostic d = *std::find_if(after.diagnostics.begin(), after.diagnostics.end(),
                                 [](const Diagnostic& e) { return e.severity == Severity::Error; });
    d.message = fmt::format("this line cannot be redacted: with its names replaced it is refused ({})", d.message);
    d.source_line.clear();
    throw InputError(std::move(d));
  }
  throw InputError(before.diagnostics);
}

std::string Redaction::trace(const SourceFile& text) const { return impl_->json(text, JsonInput::Trace); }
std::string Redaction::deps_json(const SourceFile& text) const { return impl_->json(text, JsonInput::Deps); }
std::string Redaction::data_json(const SourceFile& text) const { return impl_->json(text, JsonInput::Data); }
std::string Redaction::timing(const SourceFile& text) const { return impl_->json(text, JsonInput::Timing); }

std::string Redaction::assignment(std::string_view text) const {
  impl_->may_rewrite();
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return impl_->paths.replacement(text);
  std::string out = impl_->variable(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  return out.append("=").append(is_plain_value(value) ? std::string(value) : impl_->paths.replacement(value));
}

std::string Redaction::name(NameUse use, std::string_view name) const {
  impl_->may_rewrite();
  if (name.empty()) return {};
  switch (use) {
    case NameUse::Program: return impl_->programs.replacement(name);
    case NameUse::Function: return impl_->function(name);
    case NameUse::Variable: return impl_->variable(name);
  }
  return {};
}

std::string Redaction::path(std::string_view path) const {
  impl_->may_rewrite();
  return impl_->paths.replacement(path);
}

std::string Redaction::schedule(const SourceFile& source) {
  std::string out;
  bool comment = false;
  for (const char c : source.text()) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (!comment) out += c;
  }
  return out;
}

std::vector<std::string> Redaction::originals() const {
  impl_->may_rewrite();
  std::vector<std::string> out;
  impl_->programs.add_originals(out);
  impl_->functions.add_originals(out);
  impl_->variables.add_originals(out);
  impl_->strings.add_originals(out);
  impl_->paths.add_originals(out);
  impl_->keys.add_originals(out);
  impl_->addresses.add_originals(out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace depscope::replay
