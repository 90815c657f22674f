// Pull reader for JSON text of any size: no tree, no recursion, exact places in errors. Everything is checked, also what is
// skipped.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope {

/// The caller asks for what it expects; anything else is an InputError with line, column, byte offset and JSON path. Containers:
///
///     reader.begin_object();
///     while (reader.next_key(key)) { if (key == "n") n = reader.integer(0, 9); else reader.skip(); }
///
/// next_key and next_element must be called until they return false; each value must be read or skipped in between.
/// At most kMaxDepth containers may be open.
class JsonReader {
 public:
  static constexpr std::size_t kMaxDepth = 256;

  /// The source must outlive the reader.
  explicit JsonReader(const SourceFile& source);

  void begin_object();
  /// The view is valid until the next call of next_key or string.
  bool next_key(std::string_view& key);
  void begin_array();
  bool next_element();
  /// The view is valid until the next call of next_key or string.
  std::string_view string();
  bool boolean();
  /// A number without fraction and exponent in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high);
  /// A number with or without a fraction, in thousandths, rounded to the nearest; at most 9e12 of them on either side of 0.
  std::int64_t thousandths();
  /// A string that holds an unsigned decimal number in [0, high].
  std::uint64_t decimal_string(std::uint64_t high = ~std::uint64_t{0});
  /// A whole number of up to 64 bits, plain or as a string; negative ones count modulo 2^64. False, and the value is skipped, if
  /// the next value is none.
  bool wide_integer(std::uint64_t& value);
  /// Consumes a null if one comes next.
  bool null();
  /// True if a string (an object, an array) comes next.
  bool is_string();
  bool is_object();
  bool is_array();
  void skip();
  /// Skips the next value, of any kind, and gives it as it is written; valid as long as the source.
  std::string_view raw();
  /// Nothing but white space may follow.
  void end();
  /// For texts that are given up as they are read: number of bytes from the beginning that it will not look at again. Views that
  /// it gave before must not be used any more.
  [[nodiscard]] std::size_t give_up();

  /// Reports the value that was read last (or the container that is open) as wrong.
  [[noreturn]] void fail_value(const std::string& message) const;
  /// Path of the current place, e.g. "tasks[3].args[0].dtype"; empty for the document itself.
  [[nodiscard]] std::string path() const;

 private:
  struct Level {
    bool array = false;
    bool first = true;
    std::uint32_t index = 0;  // of the current element
    std::string_view key;     // of the current member, as written
    std::size_t begin = 0;    // offset of the opening bracket
  };

  [[noreturn]] void fail_syntax(std::size_t offset, const std::string& message) const;
  [[noreturn]] void fail_type(std::string_view expected);
  [[nodiscard]] Diagnostic diagnostic(std::size_t offset, const std::string& message) const;
  /// First character after white space, 0 at the end.
  char peek();
  void open(char bracket);
  bool next(char close);
  void literal(std::string_view word);
  void number();
  /// Reads a string; `raw` is the text between the quotes.
  std::string_view string_token(std::string_view& raw);
  std::string_view unescape(std::string_view raw, std::size_t offset);

  const SourceFile& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t value_ = 0;  // offset of the value read last
  std::vector<Level> levels_;
  std::deque<std::string> kept_keys_;  // of levels whose text was given up
  std::string scratch_;
};

}  // namespace depscope
