// args_dump.json, the values of arguments that a run recorded (artefacts.md 7); also tensor_dump.json, as it was called until
// June 2026. What the payloads hold: args_payload.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

enum class ArgRole : std::uint8_t { Input, Output, Inout, Unknown };
enum class ArgStage : std::uint8_t { BeforeDispatch, AfterCompletion, Unknown };
enum class ArgForm : std::uint8_t { Tensor, Scalar, Unknown };
/// As the file writes them: "input", "before_dispatch", "tensor"; "unknown" for what it does not.
[[nodiscard]] std::string_view arg_role_name(ArgRole role);
[[nodiscard]] std::string_view arg_stage_name(ArgStage stage);
[[nodiscard]] std::string_view arg_form_name(ArgForm kind);

/// What the head of the file says about its rows; none: it does not say.
struct ArgsCounters {
  std::optional<std::uint64_t> total, before_dispatch, after_completion, input, output, inout;
  std::optional<std::uint64_t> truncated, dropped_records, dropped_overwrite;
};

/// Arguments stand in vectors of the same length, in the order of the file.
struct ArgsDump {
  static constexpr std::size_t kMaxFunctions = 3;

  bool historic = false;               ///< of the shape that was called tensor_dump.json
  std::string run_dir;                 ///< as written
  std::string bin_type, byte_order;    ///< of bin_format: "logical_contiguous", "little_endian"; empty if not told
  std::optional<std::uint64_t> level;  ///< 1 partial, 2 full, 3 hybrid; none: not told
  /// Name of the binary as written; none: null, nothing was written.
  std::optional<std::string> bin_file = "args.bin";
  bool bin_file_assumed = true;  ///< the file does not say
  ArgsCounters counters;

  std::vector<std::uint64_t> task;
  std::vector<std::array<std::int32_t, kMaxFunctions>> functions;  ///< active kernels of the task, then -1; all -1: not known
  std::vector<std::uint32_t> arg_index;
  std::vector<ArgRole> role;
  std::vector<ArgStage> stage;
  std::vector<ArgForm> kind;
  std::vector<runtime::ElementType> dtype;
  std::vector<std::uint8_t> is_contiguous, arg_index_ambiguous, truncated, overwritten;  ///< 0 no, 1 yes
  std::vector<std::uint64_t> start_offset;                                               ///< elements
  std::vector<std::uint64_t> numel;                 ///< elements; the product of the shape where the file does not say
  std::vector<std::uint64_t> bin_offset, bin_size;  ///< bytes of the binary; both 0: no payload

  std::string value_text;                             ///< of all rows
  std::vector<std::uint64_t> value_end;               ///< of value_text
  std::vector<std::uint32_t> dimensions;              ///< of each row its shape, then its strides (elements)
  std::vector<std::uint64_t> shape_end, strides_end;  ///< of dimensions

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
  /// As written: a number, null (NaN), "$Inf" with its quotes; empty if there is none.
  [[nodiscard]] std::string_view value(std::uint32_t row) const {
    const std::uint64_t begin = row == 0 ? 0 : value_end[row - 1];
    return std::string_view(value_text).substr(begin, value_end[row] - begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> shape(std::uint32_t row) const {
    const std::uint64_t begin = row == 0 ? 0 : strides_end[row - 1];
    return std::span(dimensions).subspan(begin, shape_end[row] - begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> strides(std::uint32_t row) const {
    return std::span(dimensions).subspan(shape_end[row], strides_end[row] - shape_end[row]);
  }

  /// Rows whose word is missing or none that artefacts.md names, and the first of those words that are there.
  struct Unknown {
    std::uint64_t rows = 0;
    std::vector<std::string> words;
  };
  static constexpr std::size_t kMaxUnknownWords = 4;
  Unknown unknown_roles, unknown_stages, unknown_kinds, unknown_dtypes;

  std::optional<Diagnostic> cut;  ///< where and how the file ends early (ArgsReadOptions::salvage)
};

struct ArgsReadOptions {
  bool salvage = false;  ///< a file that ends early gives its complete rows instead of an error
};

inline constexpr std::uint64_t kMaxArgsBytes = 0xfffffffeU;
/// Dimensions of one argument. Tensors of today have at most 5.
inline constexpr std::size_t kMaxArgRank = 32;

/// One pass. Throws InputError with line, byte offset and JSON path: text that is no such file, a row without task id or index, a
/// key that is given twice.
[[nodiscard]] ArgsDump read_args_dump(const SourceFile& source, const ArgsReadOptions& options = {});

/// Product of the dimensions, at most 2^64 - 1; 1 for a scalar's.
[[nodiscard]] std::uint64_t element_count(std::span<const std::uint32_t> shape);

/// Where the binary should be: beside the file `path`. None: nothing was written, or the name leads out of the directory.
[[nodiscard]] std::optional<std::string> args_binary_path(const ArgsDump& dump, std::string_view path);

/// What is odd about the file, as sentences; `binary_size` in bytes, none: the binary is not there. Where it ends early is not
/// told.
[[nodiscard]] std::vector<std::string> args_notes(const ArgsDump& dump, std::optional<std::uint64_t> binary_size);

}  // namespace depscope::replay
