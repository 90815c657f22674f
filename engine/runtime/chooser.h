// The one place where everything that the runtime leaves open is decided (runtime.md 0.4, 10.5).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/runtime/options.h"

namespace depscope::runtime {

class Chooser {
 public:
  explicit Chooser(const ScheduleOptions& options) : options_(options), random_(options.seed) {}

  /// True if choices are made at all: with the canonical schedule and by hand nothing is left open.
  [[nodiscard]] bool active() const { return options_.kind == ScheduleKind::Random || options_.kind == ScheduleKind::List; }
  /// A number below `alternatives` (at least 1). One alternative is no choice. InputError: a number of the list that is too
  /// large.
  std::uint32_t choose(std::uint32_t alternatives);
  [[nodiscard]] const std::vector<std::uint32_t>& made() const { return made_; }

 private:
  [[nodiscard]] std::uint64_t next_random();

  ScheduleOptions options_;
  std::uint64_t random_;
  std::vector<std::uint32_t> made_;
};

}  // namespace depscope::runtime
