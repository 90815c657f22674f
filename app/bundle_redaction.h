#pragma once

#include "depscope/replay/bundle.h"
#include "open_input.h"

namespace depscope::app {

/// The run with names, comments, paths and addresses replaced in its input, its options and the files that they name; `kind` is
/// that of the input. Throws InputError for texts that cannot be taken apart.
[[nodiscard]] replay::BundleRun redacted(const replay::BundleRun& run, InputKind kind);

}  // namespace depscope::app
