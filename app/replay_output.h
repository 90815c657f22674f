// What `depscope replay` prints: the moves that were made and the state at the cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "depscope/replay/cursor.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/watch.h"

namespace depscope::app {

struct MadeMove {
  replay::Move move;
  replay::MoveOutcome outcome;
  std::uint32_t position = 0;  ///< after it
};

struct ReplayReport {
  std::vector<MadeMove> moves;
  std::vector<replay::Watch> watches;  ///< values to print
  std::vector<std::uint32_t> tasks;    ///< tasks rows to print in full
  std::size_t limit = 20;              ///< items of each list
};

/// `depscope.replay/1`.
[[nodiscard]] std::string replay_json(const replay::Cursor& cursor, const ReplayReport& report);
[[nodiscard]] std::string replay_text(const replay::Cursor& cursor, const ReplayReport& report);

}  // namespace depscope::app
