// A schedule that does not fit the run it is given for.
#pragma once

#include <cstddef>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::runtime {

/// A number of ScheduleOptions::choices that is not among what can happen there. The message names no place: who read the list
/// knows it.
class ChoiceError : public InputError {
 public:
  ChoiceError(std::size_t index, Diagnostic diagnostic) : InputError(std::move(diagnostic)), index_(index) {}
  [[nodiscard]] std::size_t index() const { return index_; }  ///< in the list, from 0

 private:
  std::size_t index_;
};

}  // namespace depscope::runtime
