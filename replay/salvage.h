// What a file that ends early still gives. Private.
#pragma once

#include <optional>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

/// Calls read(). With `salvage`, an error at the end of the text is where the file was cut: it is returned, and what was read up
/// to there stands. Every other error goes on.
template <class Read>
[[nodiscard]] std::optional<Diagnostic> read_or_cut(const SourceFile& source, bool salvage, const Read& read) {
  try {
    read();
  } catch (const InputError& e) {
    const Diagnostic& d = e.diagnostics().front();
    if (!salvage || d.byte_offset != source.text().size()) throw;
    return d;
  }
  return std::nullopt;
}

}  // namespace depscope::replay
