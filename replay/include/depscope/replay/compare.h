// Two recordings side by side (DESIGN §4, `diff`): what matches, what differs, and what one of them cannot know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

/// What can differ, in the order of every output. The names are those of the field "what" (cases/book contract).
enum class DifferenceKind : std::uint8_t {
  Option,           ///< a run option; information, for what it does shows in the rest
  Pass,             ///< a pass that only one side ran
  PassText,         ///< the text of a function after a pass
  LoopKind,         ///< range, parallel, unroll, pipeline, while; none: only one side has the loop
  Function,         ///< a function that only one side has
  CallSite,         ///< a call site that only one side has
  Direction,        ///< direction of an argument
  Fallback,         ///< outcome of a region
  Scope,            ///< mode or owner of a scope, or the mode that a task stands in
  Coverage,         ///< what orders two accesses that are in conflict
  Kernel,           ///< tasks that run another kernel
  TaskCount,        ///< number of tasks, in all and by kernel
  Task,             ///< a task that only one side has
  Argument,         ///< number, buffer, shape, strides, offset or element type of task arguments
  BlockNum,         ///< SPMD blocks of a task
  EarlyDispatch,    ///< a task's early_dispatch
  Edges,            ///< number of edges that only one side has
  Pair,             ///< an edge that only one side has
  Flags,            ///< discovered flags of an edge
  Provenance,       ///< who asked for an edge
  FinalFlags,       ///< flags of an edge after reduction
  CompletionOrder,  ///< tasks that completed in another order
  Lifetime,         ///< what ended the life of a task's slot and buffers
  Resources,        ///< peaks and totals: slots, heap, TensorMap, logical time
};
inline constexpr std::size_t kDifferenceKinds = 24;
[[nodiscard]] std::string_view difference_kind_name(DifferenceKind kind);  ///< "option", …
[[nodiscard]] std::optional<DifferenceKind> difference_kind_from_name(std::string_view name);

/// The least difference of two numbers that counts.
struct Threshold {
  double least = 0;
  bool percent = false;  ///< of the larger number
};
/// Kinds whose differences are differences of numbers, so that a threshold applies to them.
[[nodiscard]] bool has_threshold(DifferenceKind kind);

struct CompareOptions {
  std::array<bool, kDifferenceKinds> ignored{};  ///< by kind: neither listed nor counted
  std::array<Threshold, kDifferenceKinds> thresholds{};
  std::uint32_t max_listed = 100;  ///< detail rows of each kind; all are counted
};

/// By what the tasks of both sides were matched.
enum class AlignedBy : std::uint8_t { TaskId, CallSiteIteration, KernelOrdinal };
[[nodiscard]] std::string_view aligned_by_name(AlignedBy by);  ///< "task_id", …

/// What a difference is about: rows of one table of the recording.
enum class DifferenceSubject : std::uint8_t {
  None,
  Pass,
  Function,
  CallSite,
  Argument,
  IrScope,
  Region,
  Hazard,
  Task,
  Access,
  Edge
};

struct Difference {
  /// The rows on both sides, none where a side has nothing of it. Of differences that are counted together, the first.
  struct Subject {
    DifferenceSubject kind = DifferenceSubject::None;
    std::uint32_t row_a = recording::kNoRow, row_b = recording::kNoRow;
  };

  DifferenceKind kind = DifferenceKind::Option;
  Subject subject;
  Severity severity = Severity::Warning;  ///< Info: no difference by itself
  std::string summary;                    ///< one sentence, a before b
  std::string fields;                     ///< text of a JSON object: the fields of cases/book without kind and severity
  std::uint64_t covers = 1;               ///< differences that this row stands for
  std::vector<std::string> lines;         ///< PassText: the lines that differ, as in a unified diff
};

struct Comparison {
  struct Side {
    std::string input;   ///< base name
    std::string detail;  ///< "program Bands", "deps.json, version current", …
    std::uint32_t tasks = 0, edges = 0;
  };
  struct Alignment {
    AlignedBy by = AlignedBy::TaskId;
    std::uint32_t matched = 0;
    std::uint32_t only_a = 0, only_b = 0;  ///< unmatched although the other side would know them
  };
  /// Edges by the kernels of producer and consumer.
  struct KernelPair {
    std::string first, second;
    std::uint64_t a = 0, b = 0;
    std::uint64_t only_a = 0, only_b = 0;  ///< edges without counterpart
  };
  /// A value that one side does not say, so that a rule stands in for it.
  struct Assumption {
    char side = 'a';
    std::string what;  ///< "flags", "retain", …
    std::string why;
    std::uint64_t equal = 0;    ///< comparisons that came out equal with it
    std::uint64_t differs = 0;  ///< and those that did not
  };
  /// Something that was not compared, or not whole.
  struct Gap {
    std::string what, why;
  };
  struct Count {
    std::uint64_t total = 0;   ///< differences
    std::uint64_t listed = 0;  ///< rows of `differences` of severity warning
    std::uint64_t within_threshold = 0;
  };

  Side a, b;
  Alignment alignment;
  std::vector<KernelPair> kernel_pairs;  ///< most different first
  std::vector<Assumption> assumptions;
  std::vector<Gap> gaps;
  std::vector<Difference> differences;  ///< by kind
  std::array<Count, kDifferenceKinds> counts{};

  [[nodiscard]] std::uint64_t total() const;  ///< differences of all kinds
};

/// Compares what both sides know. Tasks are matched by id if ids tell the same tasks on both sides, else by call site and
/// iteration, else by kernel and order. Addresses, ids and names of variables are no differences by themselves.
[[nodiscard]] Comparison compare(const recording::Recording& a, const recording::Recording& b,
                                 const CompareOptions& options = {});

/// For people: 100 columns where words allow it. `facts`: also differences of severity info.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool facts);
/// `depscope.diff/1`, one line, ending in a newline.
[[nodiscard]] std::string comparison_json(const Comparison& comparison, bool facts);

}  // namespace depscope::replay
