#include "png.h"

#include <png.h>

namespace depscope::app {

std::string png_of(const unsigned char* pixels, std::size_t width, std::size_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  if (png_image_write_get_memory_size(image, size, 0, pixels, 0, nullptr) == 0) return {};
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, pixels, 0, nullptr) == 0) return {};
  out.resize(size);
  return out;
}

}  // namespace depscope::app
