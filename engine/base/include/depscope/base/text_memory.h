// Memory of texts that are read once, from front to back.
#pragma once

#include <string_view>

namespace depscope {

/// Gives the memory of a text back to the system, as far as it is whole pages. Nobody may read the text again: what it says is
/// lost.
void give_back_memory(std::string_view text);

}  // namespace depscope
