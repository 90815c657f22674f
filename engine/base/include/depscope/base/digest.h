// Short names for the bytes of a file.
#pragma once

#include <string>
#include <string_view>

namespace depscope {

/// 64-bit FNV-1a over the bytes, 16 hexadecimal digits.
[[nodiscard]] std::string digest_of(std::string_view bytes);

}  // namespace depscope
