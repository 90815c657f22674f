// PNG files of what the window shows.
#pragma once

#include <cstddef>
#include <string>

namespace depscope::app {

/// The bytes of a PNG file. `pixels` are rows of width * 3 bytes (red, green, blue), the upper one first. Empty if libpng gives
/// up.
[[nodiscard]] std::string png_of(const unsigned char* pixels, std::size_t width, std::size_t height);

}  // namespace depscope::app
