// The printed program after the last pass, as far as --why asks it: what each call gives, how large buffers are, whose ids a
// variable holds, which branch a call stands in. Private.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Type of a buffer as its definition prints it.
struct BufferType {
  std::vector<std::uint64_t> shape;  ///< elements per dimension; empty if one is no constant
  std::uint32_t element_bits = 0;    ///< 0: an element type of no known size
  std::string element;               ///< "FP32"
  std::string memory;                ///< base of its MemRef, empty if it has none with a constant place
  std::uint64_t memory_begin = 0, memory_bytes = 0;
};

class WhyProgram {
 public:
  explicit WhyProgram(const recording::Recording& recording);

  /// Variables that hold what a call gives: its result, and the elements that are taken out of it.
  [[nodiscard]] const std::vector<std::string>& results(std::uint32_t site) const { return results_[site]; }
  /// The variable that holds the task id of a submit; empty if the program does not take it out.
  [[nodiscard]] const std::string& tail(std::uint32_t site) const { return tails_[site]; }
  /// What a name stands for in an orchestration where no call gives it: "pl.tensor.create([64], …)"; empty if it is not defined.
  [[nodiscard]] std::string_view value_of(std::string_view name) const;
  /// Call sites whose task ids `id` may hold as `consumer` names it, through copies, arrays, loops and branches, in program
  /// order. Barriers are call sites of their own.
  [[nodiscard]] std::vector<std::uint32_t> producers(std::uint32_t consumer, std::string_view id) const;
  /// None if the name is not defined, or if different things have that name.
  [[nodiscard]] std::optional<BufferType> buffer(std::uint32_t function, std::string_view root) const;
  /// The calls stand in different branches of one if, `first` above.
  [[nodiscard]] bool in_other_branch(std::uint32_t first, std::uint32_t second) const;

 private:
  struct Definition {
    std::string_view type;   // empty where it is not printed
    std::string_view value;  // what is assigned
    std::uint32_t line = 0;
  };
  using Definitions = std::map<std::string_view, std::vector<Definition>>;
  struct Search;

  void read_line(std::uint32_t line, std::string_view text, Definitions& into);
  void read_header(std::uint32_t line, std::string_view text, Definitions& into);
  void read_parameters(std::uint32_t line, std::string_view text, Definitions& into);
  void find_results();
  /// Printed names of the variable with this name: a printer tells equal names apart by a number.
  [[nodiscard]] std::vector<std::string_view> printed(const Definitions& in, std::string_view name) const;
  void trace(Search& search, std::string_view name, std::optional<std::string_view> slot) const;
  [[nodiscard]] std::uint32_t line_of(std::uint32_t site) const;

  const recording::Recording& r_;
  std::vector<std::string_view> lines_;             // of the last text, from 1
  std::vector<Definitions> functions_;              // by functions row
  std::map<std::uint32_t, std::uint32_t> site_at_;  // by line of the text
  std::vector<std::vector<std::string>> results_;   // by call site
  std::vector<std::string> tails_;                  // by call site
};

}  // namespace depscope::replay
