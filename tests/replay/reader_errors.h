// What a reader says of bad text.
#pragma once

#include <gtest/gtest.h>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

/// The first diagnostic of what `read` throws.
template <class Read>
Diagnostic reader_error(const Read& read) {
  try {
    read();
  } catch (const InputError& e) {
    return e.diagnostics().front();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace depscope::replay
