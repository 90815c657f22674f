// Memory that grows without being copied once it is large.
#pragma once

#include <cstddef>

namespace depscope {

/// The size that memory of at least so many bytes is given.
[[nodiscard]] std::size_t page_bytes(std::size_t bytes);
/// Memory of `bytes` bytes (of page_bytes) that begins with the `old_bytes` of `old`, which is gone then; null with 0 bytes is
/// none. The rest is not set. Throws std::bad_alloc, and `old` stays.
[[nodiscard]] void* grow_pages(void* old, std::size_t old_bytes, std::size_t bytes);
void release_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace depscope
