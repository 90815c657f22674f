// Memory of texts that are read once, from front to back.
#pragma once

#include <string>
#include <string_view>

namespace depscope {

/// Gives the memory of a text back to the system, as far as it is whole pages. Nobody may read the text again: what it says is
/// lost.
void give_back_memory(std::string_view text);

/// 64-bit FNV-1a over the bytes, 16 hexadecimal digits.
[[nodiscard]] std::string digest_of(std::string_view bytes);

}  // namespace depscope
