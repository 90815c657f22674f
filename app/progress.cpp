#include "progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace depscope::app {

void print_progress(std::string_view text) {
  fmt::print(stderr, "{}{}\n", kProgressPrefix, text);
  std::fflush(stderr);
}

void PassProgress::after_pass(std::uint32_t index, const pass::Pass*, const ir::Program&, bool, const std::vector<Diagnostic>&) {
  if (index < names_.size()) print_progress(fmt::format("pass {} of {} {}", index + 1, names_.size(), names_[index]));
}

void EventProgress::event(const runtime::Event& event) {
  if (++events_ % kEventsPerProgress == 0) print_progress(fmt::format("{} events", events_));
  target_.event(event);
}

}  // namespace depscope::app
