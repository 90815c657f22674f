// scope_stats.jsonl: use of the rings where scopes begin and end (artefacts.md 6), and the peaks of it (14.7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

inline constexpr std::uint64_t kMaxScopeStatsBytes = 0xfffffffeU;

/// Samples stand in vectors of the same length.
struct ScopeStats {
  std::uint32_t version = 0;  ///< 3 to 6; 0: the file is empty
  bool fatal = false;         ///< an error was latched: later samples are for diagnosis only
  std::uint64_t dropped = 0, total = 0;
  std::array<std::uint64_t, runtime::kRingCount> task_window_max{}, heap_max{}, dep_pool_max{};
  std::uint64_t tensormap_max = 0;
  bool has_dep_pool = false;

  std::vector<std::string> sites;   ///< in order of first use
  std::vector<std::uint32_t> site;  ///< of `sites`
  std::vector<std::uint8_t> end;    ///< 0 begin, 1 end
  std::vector<std::uint32_t> depth, ring;
  std::vector<std::int64_t> task_window_start, task_window_end;
  std::vector<std::uint64_t> heap_start, heap_end;
  std::vector<std::int64_t> dep_pool_start, dep_pool_end;  ///< -1 before version 5
  std::vector<std::int64_t> tensormap;
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(site.size()); }
  /// Counters of the heap are positions in the ring, not totals.
  [[nodiscard]] bool heap_wraps() const { return version != 0 && version < 6; }

  std::optional<Diagnostic> cut;  ///< the last line is not whole, and was left out
};

/// Sites are taken as they stand: the writer does not escape them. A last line that is cut is left out. Throws InputError with
/// the line for anything else that is no such file.
[[nodiscard]] ScopeStats read_scope_stats(const SourceFile& source);

enum class ScopeResource : std::uint8_t { TaskWindow, Heap, DepPool, TensorMap };
inline constexpr std::size_t kScopeResources = 4;
[[nodiscard]] std::string_view scope_resource_name(ScopeResource resource);  ///< "task_window", …

struct ScopePeak {
  ScopeResource resource = ScopeResource::TaskWindow;
  std::optional<std::uint32_t> ring;  ///< none: the TensorMap, which all rings share
  std::int64_t peak = 0;              ///< as the tool chain computes it: negative where a counter wrapped
  std::int64_t unrolled = 0;          ///< the same where counters wrap at the capacity; never negative
  std::uint64_t capacity = 0;
  std::uint32_t site = 0;
  std::uint32_t index = 0;  ///< of the pair within its ring
};

/// What a ring holds at the last sample that names it.
struct LastRingUse {
  std::uint32_t ring = 0, site = 0;
  std::array<std::uint64_t, kScopeResources> used{};      ///< allocated minus reclaimed
  std::array<std::uint64_t, kScopeResources> capacity{};  ///< 0: not known
  std::uint64_t heap_cursor = 0;                          ///< where the next byte goes: allocated modulo the capacity
};

struct ScopePeaks {
  std::vector<ScopePeak> peaks;   ///< by resource, then by ring
  std::vector<LastRingUse> last;  ///< by ring
  std::uint64_t pairs = 0;        ///< of a begin and its end
  std::uint64_t unmatched = 0;    ///< ends without a begin
  std::uint64_t open = 0;         ///< begins without an end
};
[[nodiscard]] ScopePeaks scope_peaks(const ScopeStats& stats);

struct ScopeFinding {
  std::string kind;
  Severity severity = Severity::Warning;
  std::string summary;
  std::string fields;  ///< of the findings contract, as JSON
};
/// From that share of its capacity on, a resource of a run that ended with a fatal error is suspected.
inline constexpr std::uint64_t kSuspectPercent = 80;
/// Of a fatal file: which resource is full. Of an old file: how its counters are to be read. `file` is its name.
[[nodiscard]] std::vector<ScopeFinding> scope_findings(const ScopeStats& stats, const ScopePeaks& peaks, std::string_view file);

}  // namespace depscope::replay
