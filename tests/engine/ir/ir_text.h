// What the tests of engine/ir share: reading text from memory, and comparing printed programs token by token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/text.h"

namespace depscope::ir::testing {

[[nodiscard]] ReadResult read(std::string_view text, const ReadLimits& limits = {});
/// Reads text that must be free of errors; a test failure otherwise.
[[nodiscard]] Program read_one(std::string_view text);
/// print_program(read_one(text)).
[[nodiscard]] std::string reprint(std::string_view text);
[[nodiscard]] std::string file_text(const std::string& path);
[[nodiscard]] std::string data_path(const std::string& name);

/// A U-text module with one orchestration function `main` of these body lines (joined by newlines, indentation relative to the
/// body). Around it: kernels `fill(x, out)` and `merge(a, b, out)`, and parameters
/// n, m: INDEX; k: INT32; f: FP32; flag: BOOL; x, y: Tensor[64, 32] FP32 (y is Out); d: Tensor[ROWS, 32] FP32.
[[nodiscard]] std::string orchestration(std::string_view body);
/// The printed body of `main` of such a module, without its indentation.
[[nodiscard]] std::string printed_body(std::string_view body);
/// First line of the body of `main` in orchestration(…).
extern const std::uint32_t kBodyLine;

/// All diagnostics as "LINE:COL: message", errors only.
[[nodiscard]] std::vector<std::string> errors(std::string_view text, const ReadLimits& limits = {});

/// Empty if both texts have the same tokens: comments, layout, quotes, trailing commas and number spelling aside.
[[nodiscard]] std::string token_difference(std::string_view expected, std::string_view actual);

/// Prints and reads again every program of `result`: empty if nothing is lost and the second print is the first, else what went
/// wrong.
[[nodiscard]] std::string round_trip_fault(const ReadResult& result);

}  // namespace depscope::ir::testing
