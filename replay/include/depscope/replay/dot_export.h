// The task graph for Graphviz.
#pragma once

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// A digraph: a node for each task, named as findings name it, and an edge for each pair, with its flags and sources as label.
/// Colours say where the edge comes from (user red, compiler blue, TensorMap green, creator grey), lines what it does (solid: it
/// waits; dashed: it only retains; dotted: its WAIT was removed). Graphviz draws some thousand nodes, not a million.
void write_dot(const recording::Recording& recording, const TextOutput& output);

}  // namespace depscope::replay
