// Names of kernels by func id (artefacts.md 9, 11.3): a name map, or the configuration of the build. Func ids count from 0 in
// each program, so names of one program say nothing about another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

struct KernelName {
  std::int32_t func_id = 0;
  std::string name;
  std::string core_type;  ///< "aic", "aiv"; empty if not told
  std::string source;     ///< below the build's directory, or as written; empty if not told
};

struct KernelNames {
  std::vector<KernelName> kernels;  ///< by func id, each once
  std::string orchestrator;         ///< its name or function; empty if not told
  std::string runtime;              ///< "tensormap_and_ringbuffer", "host_build_graph"; empty if not told
  std::uint32_t level = 2;          ///< of a name map; on level 3 the numbers are not func ids
  std::uint32_t skipped = 0;        ///< entries without a number or a name
  std::uint32_t twice = 0;          ///< entries with the number of an earlier one, which holds

  /// Empty if it has none.
  [[nodiscard]] std::string_view name_of(std::int32_t func_id) const;
};

inline constexpr std::uint64_t kMaxNamesBytes = std::uint64_t{16} << 20U;
inline constexpr std::int32_t kMaxFuncId = 1'000'000;

/// Of level 2 or 3, and the flat form {"0": "name"}. Throws InputError.
[[nodiscard]] KernelNames read_name_map(const SourceFile& source);
/// kernel_config.py: its literals, whatever the layout; nothing is executed. Throws InputError.
[[nodiscard]] KernelNames read_kernel_config(const SourceFile& source);

/// "mm", "attn_aic + attn_aiv": the kernels of a task, each name once; "func_27_ab" for one without a name. Empty if none of them
/// has one.
[[nodiscard]] std::string kernels_text(const KernelNames& names, std::int32_t aic, std::int32_t aiv0, std::int32_t aiv1);

}  // namespace depscope::replay
