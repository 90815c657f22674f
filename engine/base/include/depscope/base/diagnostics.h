// One way to report bad input: a Diagnostic names the place (line and column, JSON path, or byte offset) and says what is
// wrong. Readers collect several per run; the command line prints them and exits with status 2.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/ids.h"

namespace depscope {

enum class Severity : std::uint8_t { Info, Warning, Error };

[[nodiscard]] std::string_view to_string(Severity severity);

/// One message about an input. Lines and columns count from 1; 0 means "not known".
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
  std::string source_line;                   ///< the text of `line`, without its newline; empty if not known
  std::string json_path;                     ///< set instead of a line for JSON inputs, e.g. "tasks[3].args[0].dtype"
  std::optional<std::uint64_t> byte_offset;  ///< set for binary inputs and for text that ends too early

  /// "FILE:LINE:COL: message" (or the JSON path / byte offset), then the source line and a caret where known.
  [[nodiscard]] std::string text() const;
  /// The first line of text() only.
  [[nodiscard]] std::string headline() const;
};

/// Bad input that ends the work: carries every diagnostic found so far. Exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  explicit InputError(Diagnostic diagnostic);

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A broken promise of our own code. Exit status 3.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Text of one input file with its name and line table. Immutable; owned by whoever read it and outlives all spans into it.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  /// Reads a whole file. Throws InputError if it cannot be read or is larger than `max_bytes`.
  static SourceFile read(const std::string& path, std::uint64_t max_bytes);

  struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;  ///< in bytes, from 1
  };

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const;
  [[nodiscard]] Position position(std::uint32_t offset) const;
  /// Line number of the span's begin, 0 if the span is not known.
  [[nodiscard]] std::uint32_t line(Span span) const;
  [[nodiscard]] std::string_view line_text(std::uint32_t line) const;
  [[nodiscard]] Diagnostic diagnostic(Severity severity, std::uint32_t offset, std::string message) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace depscope
