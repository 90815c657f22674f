// Which parts of a JSON input are to be replaced, and by what kind of thing. The layout of the text stays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

enum class JsonInput : std::uint8_t { Trace, Deps, Data, Timing };

enum class JsonPart : std::uint8_t {
  Key,       ///< of no known meaning
  Text,      ///< a string, likewise
  Number,    ///< the value of such a key
  Function,  ///< name of a kernel
  Variable,  ///< name of a tensor or of a scalar
  Address,
  TensorId,
};

struct JsonPiece {
  std::size_t begin = 0;  ///< with the quotes of a string
  std::size_t end = 0;
  JsonPart part = JsonPart::Text;
};

/// A buffer that the text names.
struct JsonBuffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< of the buffer or of the part of it that is used, whichever is more
  std::uint64_t tensor_id = 0;
  std::int32_t version = 0;
  bool has_address = false;
  bool has_id = false;
};

struct JsonParts {
  std::vector<JsonPiece> pieces;  ///< in the order of the text
  std::vector<JsonBuffer> buffers;
};

/// Throws InputError if the text is no JSON.
[[nodiscard]] JsonParts json_parts(const SourceFile& text, JsonInput input);

/// The text of a string with its quotes, escapes resolved.
[[nodiscard]] std::string json_string_value(std::string_view quoted);
/// A whole number, plain or in a string, negative ones modulo 2^64; false for anything else.
[[nodiscard]] bool json_whole_number(std::string_view text, std::uint64_t& value);

}  // namespace depscope::replay
