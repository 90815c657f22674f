// Random walks of a cursor, and what it finds, against looking at every event.
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// `walks` sequences of seeks, steps, moves by kind, task, scope, tensor, predicate and change. Each ends in the state, with the
/// answers, that stepping there gives. Says what differs first; empty if nothing does.
[[nodiscard]] std::string error_of_walks(const recording::Recording& recording, std::uint32_t seed, int walks);

/// Every question of state_queries.h at every position that is a multiple of `every`, against a plain replay.
[[nodiscard]] std::string error_of_answers(const recording::Recording& recording, std::uint32_t every);

/// `watches` random watches: value and changes against the values at all positions; parsing of what is printed.
[[nodiscard]] std::string error_of_watches(const recording::Recording& recording, std::uint32_t seed, int watches);

/// Moves by scope, tensor, query and predicate against lists of the events that they mean.
[[nodiscard]] std::string error_of_moves(const recording::Recording& recording, std::uint32_t seed, int moves);

}  // namespace depscope::replay
