// Which parts of an IR text are to be replaced, and by what kind of thing. Works on tokens, so that a text that the reader
// refuses for what it says is taken apart as well as any other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

enum class TextPart : std::uint8_t {
  Program,
  Function,
  Variable,
  Dimension,     ///< the name or the string of a pl.dynamic
  FunctionText,  ///< a string that holds the name of a kernel
  VariableText,
  Key,        ///< a string that is an attribute key of no known meaning
  String,     ///< any other string
  Docstring,  ///< becomes an empty string
  Erased,     ///< comments and Python around the program: its lines stay, empty
  Pass,       ///< the body of a host function: likewise, with a `pass`
  Import,     ///< of the language: written anew
  Prefix,     ///< a name that stands for the module of the language
};

struct TextPiece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  TextPart part = TextPart::Erased;
  bool folds = false;             ///< newlines inside have no meaning where it stands
  std::uint32_t replacement = 0;  ///< of Import and Prefix: into TextParts::replacements
};

struct TextParts {
  std::vector<std::string> replacements;
  std::vector<TextPiece> pieces;       ///< in the order of the text, none inside another
  std::vector<std::string> results;    ///< "acc_out": nothing but a loop that carries "acc" defines it
  std::vector<std::string> undefined;  ///< variables that are used and defined nowhere
  bool splices = false;                ///< has functions that are spliced into others
};

/// Throws InputError if the text cannot be taken into tokens.
[[nodiscard]] TextParts text_parts(const SourceFile& text);

}  // namespace depscope::replay
