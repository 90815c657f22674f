// What the tables of a recording have in common.
#pragma once

#include <cstdint>

namespace depscope::recording {

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// What the values of an index column point to.
enum class Target : std::uint8_t {
  None,  ///< plain values
  String,
  Pass,
  Function,
  CallSite,
  Argument,
  Region,
  Storage,
  Hazard,
  PassEdge,
  PassAccess,
  WrapperCall,
  Task,
  Access,
  Edge,
  ScopeRow,
  RuntimeScope,
  Tensor,
  Event,
  Pool,  ///< begin of a run in `pool`; the column named NAME_count gives its length
};

}  // namespace depscope::recording
