#include "chooser.h"

#include <fmt/format.h>

#include "depscope/runtime/choice_error.h"

namespace depscope::runtime {

std::uint64_t Chooser::next_random() {
  // A Weyl sequence with a mixing function: the same numbers on every machine.
  random_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

std::uint32_t Chooser::choose(std::uint32_t alternatives) {
  if (alternatives < 2) return 0;
  std::uint32_t choice = 0;
  if (options_.kind == ScheduleKind::Random) {
    choice = static_cast<std::uint32_t>(next_random() % alternatives);
  } else if (made_.size() < options_.choices.size()) {
    choice = options_.choices[made_.size()];
    if (choice >= alternatives) {
      Diagnostic d;
      d.message = fmt::format("choice {} of the schedule is {}, but only {} things can happen there (0 to {})", made_.size() + 1,
                              choice, alternatives, alternatives - 1);
      throw ChoiceError(made_.size(), std::move(d));
    }
  }
  made_.push_back(choice);
  return choice;
}

}  // namespace depscope::runtime
