// compiled_meta.json and distributed_meta.json: what a build says of its program (artefacts.md 11.1, 11.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

struct BuildParameter {
  std::string name;
  std::string direction;            ///< "In", "Out", "InOut"
  bool scalar = false;              ///< has no shape
  std::vector<std::int64_t> shape;  ///< -1 where it is not fixed
  std::string dtype;                ///< "fp32", "bfloat16", …
};

struct BuildMetadata {
  std::uint32_t schema = 0;
  std::vector<BuildParameter> parameters;
  std::uint32_t return_types = 0;
  std::string platform;                   ///< "a2a3", "a5sim", …; empty if not told
  std::string backend = "Ascend910B";     ///< "Ascend910B", "Ascend950"
  std::vector<std::uint32_t> device_ids;  ///< by rank; of distributed builds
  std::string runtime;                    ///< of distributed builds
};

inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{16} << 20U;

/// Throws InputError, also where the schema is none that is known (1 and 2).
[[nodiscard]] BuildMetadata read_build_metadata(const SourceFile& source);
/// "In w fp32[256]", "In scale fp32", "InOut z fp32[2, ?]".
[[nodiscard]] std::string parameter_text(const BuildParameter& parameter);

}  // namespace depscope::replay
